"""ChatRequest: everything that one request says. A pure value, the same for every provider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InvalidMessage, NotMessages
from ..shown import Shown
from .as_read import AsRead
from .blocks import Extras
from .fields import instance, own_fields
from .heal import heal, note
from .msg import Msg
from .options import NO_OPTIONS, OPTIONS, Options, ResponseFormat
from .server_tools import ServerTool
from .tools import Tool, ToolChoice, tools_of

__all__ = ["ASKS", "ChatRequest", "messages_of", "request_of"]

# what a request asks for beside its messages, each option on its own
ASKS = (*OPTIONS, "tools", "tool_choice", "response_format", "stream", "model")


@dataclass(slots=True, repr=False)
class ChatRequest(Shown):
    """Everything that one request says. `messages` may be appended to, cut and written again.

    `system` stands before the messages; `agent_name` is whose point of view is formatted;
    `memories` are told in the system prompt; `metadata` and `agent_name` never travel. `read` is
    what a wire that read the request knows of it: what nobody edits is written as it came.
    """

    messages: list[Msg]
    system: str | None = field(default=None, kw_only=True)
    tools: Sequence[Tool | ServerTool] = field(default_factory=list, kw_only=True)
    tool_choice: ToolChoice | None = field(default=None, kw_only=True)
    options: Options = field(default=NO_OPTIONS, kw_only=True)
    response_format: ResponseFormat | None = field(default=None, kw_only=True)
    model: str | None = field(default=None, kw_only=True)
    stream: bool = field(default=False, kw_only=True)
    agent_name: str | None = field(default=None, kw_only=True)
    memories: str | None = field(default=None, kw_only=True)
    metadata: dict[str, Any] | None = field(default=None, kw_only=True)
    extras: Extras | None = field(default=None, kw_only=True)
    read: AsRead | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        # most fields of most requests are not given, and each check costs as much as a message
        self.messages = messages_of(self.messages)
        if self.tools != []:
            self.tools = tools_of(self.tools)
        if self.tool_choice is not None:
            self.tool_choice = ToolChoice.of(self.tool_choice)
        if self.options is not NO_OPTIONS:
            self.options = Options.of(self.options)
        if not (self.system is self.model is self.agent_name is self.memories is None):
            self._heal()
        if self.response_format is not None:
            instance(self.response_format, ResponseFormat, "$.response_format")
        if type(self.stream) is not bool:
            instance(self.stream, bool, "$.stream")
        if self.metadata is not None:
            instance(self.metadata, dict, "$.metadata")
        if self.extras is not None:
            own_fields(self.extras, "$.extras")

    def _heal(self) -> None:
        found: list[str] = []
        for name in ("system", "model", "agent_name", "memories"):
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, str):
                raise InvalidMessage(
                    f"must be text, not {type(value).__name__}", path=f"$.{name}",
                    code="request.field",
                )  # fmt: skip
            setattr(self, name, heal(value, name, found))
        if found:
            self.extras = note(self.extras, found)

    def asks(self) -> dict[str, Any]:
        """What the request asks for beside its messages, by the names of ASKS."""
        return {
            **{name: getattr(self.options, name) for name in OPTIONS},
            "tools": tuple(self.tools),
            "tool_choice": self.tool_choice,
            "response_format": self.response_format,
            "stream": self.stream,
            "model": self.model,
        }


_PLAIN: frozenset[type[object]] = frozenset({Msg})


def messages_of(msgs: object) -> list[Msg]:
    """The list itself if it is one of Msg. Raises NotMessages (a WriteError and TypeError)."""
    if type(msgs) is list and {*map(type, msgs)} <= _PLAIN:  # one look at all
        return msgs
    if isinstance(msgs, (str, bytes, Mapping)) or not isinstance(msgs, Iterable):
        raise NotMessages(
            f"the input must be a list of Msg, not {type(msgs).__name__}", path="$.messages"
        )
    listed = msgs if isinstance(msgs, list) else list(msgs)
    for i, msg in enumerate(listed):
        if not isinstance(msg, Msg):
            raise NotMessages(
                f"expected a Msg, not {type(msg).__name__}",
                path=f"$.messages[{i}]",
                hint="Msg(name, content, role), or Msg.from_dict(...)",
            )
    return listed


def request_of(req: object) -> ChatRequest:
    """The request itself. Raises NotMessages (a WriteError and TypeError) for what is none."""
    if not isinstance(req, ChatRequest):
        raise NotMessages(
            f"the input must be a ChatRequest, not {type(req).__name__}",
            path="$",
            hint="read_request makes one of a body; or ChatRequest(messages)",
        )
    return req
