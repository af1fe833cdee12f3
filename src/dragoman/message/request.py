"""ChatRequest, and which of its nodes were edited.

Its options are in `options.py`, its response format in `response_format.py`. `AsRead` knows which
nodes of a request are unchanged since a wire read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields
from operator import attrgetter, is_
from typing import Any

from .._old_names import keeps_old_names
from ..caches import remember
from ..errors import NotMessages
from ..text.json_text import Json
from ..text.redaction import Shown
from .blocks import ContentBlock, Extras, HasExtras, Origin, ToolResultBlock, ToolUseBlock
from .check import bridge_to, heal, instance, note, own_fields, wrong_type
from .known_tools import KnownTools
from .msg import Msg, Role
from .options import NO_OPTIONS, OPTIONS, Options
from .response_format import ResponseFormat
from .tools import ServerTool, Tool, ToolChoice, to_tools

# the prefix, in AsRead.state, of a type of messages that refers to what a provider stores
ITEM = "item:"


@keeps_old_names
@dataclass(slots=True, eq=False, repr=False)
class AsRead:
    """The messages and fields of a request as the reader of a protocol built them.

    Attributes:
        protocol: The protocol of the reader.
        issuer: The vendor or protocol whose dialect was read.
        messages: The messages.
        fields: The values of the request's fields by name, lists as tuples.
        model: The model that the request asked for.
        edited: Whether some messages had been edited when the request was stored.
        state: The fields that refer to what the provider stores, such as an earlier answer.
        places: Yields (path, node) of the body that was read, for the paths of losses. Nothing is
            written from it, and a copy does not have it.
        keep: False if nothing counts as read, for a request that goes to another wire in any case.
        watched: False if everything counts as read, for a request that is written before a user can
            edit it. The reader may survey such messages, and then stores the result in `surveyed`.
        surveyed: The result of that survey.
        steps: What steps made of messages that a session remembers, in earlier turns.
    """

    protocol: str
    issuer: str
    messages: Sequence[Msg]
    fields: Mapping[str, Any]
    model: str | None = None
    edited: bool = False
    state: tuple[str, ...] = ()
    places: Callable[[], Iterator[tuple[str, object]]] | None = None
    keep: InitVar[bool] = True
    watched: InitVar[bool] = True
    surveyed: object = field(default=None, init=False)
    steps: object = field(default=None, init=False)
    # message -> its parts when it was read; None: all messages count as read
    _seen: dict[int, Sequence[object]] | None = field(default=None, init=False)
    _tools: list[tuple[object, ...]] = field(default_factory=list, init=False)

    def __post_init__(self, keep: bool, watched: bool) -> None:
        if not keep:
            self._seen = {}
        elif watched:
            self._seen = {id(m): _parts(m) for m in self.messages}
            self._tools = [*map(_tool_fields, self.fields.get("tools", ()))]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the unedited messages: in a copy, messages have other identities."""
        unedited = [m for m in self.messages if self.holds(m)]
        edited = self.edited or len(unedited) < len(self.messages)
        kept = {name: self.fields[name] for name in self.list_unchanged(self.fields)}
        return AsRead, (self.protocol, self.issuer, unedited, kept, self.model, edited, self.state)

    def holds(self, m: Msg) -> bool:
        """Return whether a message was read and is unedited.

        Args:
            m: A message of the request.

        Returns:
            True if it is one of `messages`, and all its parts are the objects that were read.
        """
        if self._seen is None:
            return any(m is read for read in self.messages)
        parts_read = self._seen.get(id(m))
        if parts_read is None:
            return False
        try:
            parts = _parts(m)
        except RecursionError:  # arguments that contain themselves cannot have been read
            return False
        return len(parts) == len(parts_read) and all(map(is_, parts, parts_read))

    def list_unchanged(self, fields: Mapping[str, Any]) -> list[str]:
        """Return the names of the fields that still have the values that were read."""
        read = self.fields
        if self._seen is None:
            return list(fields)
        names = [
            name
            for name, value in fields.items()
            if name in read and (value is read[name] or _same(value, read[name]))
        ]
        if "tools" in names and not all(map(_same, map(_tool_fields, read["tools"]), self._tools)):
            names.remove("tools")  # a tool was edited in place
        return names

    def has_grown(self, messages: list[Msg]) -> bool:
        """Return whether the list is the one that was read, possibly with messages appended."""
        return (
            not self.edited
            and len(messages) >= len(self.messages)
            and all(map(is_, self.messages, messages))
            and (self._seen is None or all(map(self.holds, self.messages)))
        )


def _same(value: Any, before: Any) -> bool:
    if type(value) is not type(before):
        return False
    if type(value) is tuple:  # tools, or `stop` texts
        return len(value) == len(before) and all(
            a is b or (type(a) is str and a == b) for a, b in zip(value, before, strict=True)
        )
    return bool(value == before)


def _parts(m: Msg) -> Sequence[object]:
    """Return the parts of a message: another object anywhere is an edit."""
    content = m.content
    if type(content) is str:
        return (m, m.name, m.role, m.extras, m.cache, m.spelling, content)
    parts = [m, m.name, m.role, m.extras, m.cache, m.spelling, *content]
    for block in content:
        # its raw text is sent back, so an edit of the parsed arguments must be noticed too
        if type(block) is ToolUseBlock and block.raw_input is not None:
            _add_values(block.input, parts)
    return parts


def _add_values(value: Json, parts: list[Any]) -> None:
    """Append a JSON value and everything in it, keys included."""
    parts.append(value)
    if type(value) is dict:
        parts += value
        value = value.values()
    elif type(value) is not list:
        return
    for item in value:
        if type(item) is dict or type(item) is list:
            _add_values(item, parts)
        else:
            parts.append(item)


_TOOL_FIELDS = {cls: attrgetter(*(f.name for f in fields(cls))) for cls in (Tool, ServerTool)}


def _tool_fields(tool: Tool | ServerTool) -> tuple[object, ...]:
    fields_of_tool: tuple[object, ...] = _TOOL_FIELDS[type(tool)](tool)
    return fields_of_tool


# what a request asks for besides its messages, each option separately
ASKS = (*OPTIONS, "tools", "tool_choice", "response_format", "stream", "model")


@dataclass(slots=True, repr=False)
class ChatRequest(HasExtras, Shown):
    """One request. `messages` may be appended to, cut and written again.

    Attributes:
        messages: The messages.
        system: A system prompt before the messages.
        tools: The tools that the model may call.
        tool_choice: Whether and what it must call; None uses the provider's default.
        options: How to generate.
        response_format: What the answer must be.
        model: The model to ask.
        stream: Whether the answer is streamed.
        agent_name: The agent whose point of view is written; it is not sent itself.
        memories: Text that is added to the system prompt.
        metadata: The program's own notes, which are never sent.
        extras: Fields that only one provider has, by provider.
        read: What the reader of a wire noted; with it, unedited parts are written as they came.
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
        # most fields of most requests are not set, and each check takes as long as one of a message
        self.messages = check_messages(self.messages)
        if self.tools != [] and type(self.tools) is not KnownTools:
            self.tools = to_tools(self.tools)
        if self.tool_choice is not None:
            self.tool_choice = ToolChoice.of(self.tool_choice)
        if self.options is not NO_OPTIONS:
            self.options = Options.of(self.options)
        if not (self.system is self.model is self.agent_name is self.memories is None):
            self._heal()
        if self.response_format is not None:
            self.response_format = ResponseFormat.of(self.response_format)
        if type(self.stream) is not bool:
            instance(self.stream, bool, "$.stream")
        if self.metadata is not None:
            instance(self.metadata, dict, "$.metadata")
        if self.extras is not None:
            own_fields(self.extras, "$.extras")

    def _heal(self) -> None:
        healed: list[str] = []
        for name in ("system", "model", "agent_name", "memories"):
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, str):
                raise wrong_type("text", value, f"$.{name}", "request.field")
            setattr(self, name, heal(value, name, healed))
        if healed:
            self.extras = note(self.extras, healed)

    def asks(self) -> dict[str, Any]:
        """Return what the request asks for besides its messages, by the names of ASKS."""
        return {
            **{name: getattr(self.options, name) for name in OPTIONS},
            "tools": tuple(self.tools),
            "tool_choice": self.tool_choice,
            "response_format": self.response_format,
            "stream": self.stream,
            "model": self.model,
        }


_ONLY_MSG: frozenset[type[object]] = frozenset({Msg})


def check_messages(msgs: object) -> list[Msg]:
    """Check that a value is a list of messages.

    Args:
        msgs: The value.

    Returns:
        The same list.

    Raises:
        NotMessages: It is not a list, or holds something that is not a Msg.
    """
    if type(msgs) is list and {*map(type, msgs)} <= _ONLY_MSG:  # the usual case, checked at once
        return msgs
    if isinstance(msgs, (str, bytes, Mapping)) or not isinstance(msgs, Iterable):
        fault = f"the input must be a list of Msg, not {type(msgs).__name__}"
        raise NotMessages(fault, path="$.messages")
    messages = msgs if isinstance(msgs, list) else list(msgs)
    for i, msg in enumerate(messages):
        if not isinstance(msg, Msg):
            text = f"expected a Msg, not {type(msg).__name__}"
            hint = "Msg(name, content, role), or Msg.from_dict(...)"
            if bridge := bridge_to(msg):
                hint = f"{bridge}.read_messages(messages).messages"
            elif isinstance(msg, Mapping):
                hint = 'wire(...).read_request({"messages": [...]}) reads dicts; an LLM takes them'
            raise NotMessages(text, path=f"$.messages[{i}]", hint=hint)
    return messages


def check_request(req: object) -> ChatRequest:
    """Check that a value is a request.

    Args:
        req: The value.

    Returns:
        The same request.

    Raises:
        NotMessages: It is not a ChatRequest.
    """
    if not isinstance(req, ChatRequest):
        text = f"the input must be a ChatRequest, not {type(req).__name__}"
        hint = "read_request makes one of a body; or ChatRequest(messages)"
        raise NotMessages(text, path="$", hint=hint)
    return req


_new = object.__new__


def new_message(
    content: str | list[ContentBlock], role: Role, origin: Origin, read_from: Json
) -> Msg:
    """Build `Msg("", content, role, origin=origin)` from content that is known to be right."""
    message = _new(Msg)
    message.name = ""
    message.content = content
    message.role = role
    message._metadata = message._id = message.timestamp = None
    message.cache = message.extras = message.spelling = None
    message.origin = origin
    message.read_from = read_from
    return message


def new_call(id: str, name: str, arguments: Json, raw: str, read_from: Json) -> ToolUseBlock:
    """Build `ToolUseBlock(id, name, arguments, raw)` without checks."""
    block = _new(ToolUseBlock)
    block.id = id
    block.name = name
    block.input = arguments
    block.raw_input = raw
    block.cache = block.extras = block.spelling = block.origin = None
    block.unfinished = block.freeform = False
    block.namespace = None
    block.type = "tool_use"
    block.read_from = read_from
    return block


def new_result(
    id: str, name: str, output: str, spelling: str | None, read_from: Json
) -> ToolResultBlock:
    """Build `ToolResultBlock(id, name, output, spelling=spelling)` without checks."""
    block = _new(ToolResultBlock)
    block.id = id
    block.name = name
    block.output = output
    block.is_error = False
    block.cache = block.extras = block.origin = None
    block.spelling = spelling
    block.type = "tool_result"
    block.read_from = read_from
    return block


def new_request(messages: list[Msg]) -> ChatRequest:
    """Build `ChatRequest(messages)` without checking the messages."""
    req = _new(ChatRequest)
    req.messages = messages
    req.tools = []
    req.options = NO_OPTIONS
    req.stream = False
    req.system = req.tool_choice = req.response_format = req.model = req.agent_name = None
    req.memories = req.metadata = req.extras = req.read = None
    return req


@remember("who wrote an answer", entries=256)
def model_origin(issuer: str, model: str | None) -> Origin:
    """Build `Origin(issuer, model)`, one object for all messages of the model."""
    return Origin(issuer, model)
