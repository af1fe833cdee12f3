"""The room: the whole request of Mistral's chat completions.

Reference: Mistral API, "Chat Completion", request body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool, ToolChoice
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_shape import function_tool, own_tool, replay
from ..reasoning import Asked, asked, moot, unsaid
from ..request_fields import choice, options, response_format, spelled_format, within
from .answer import written_answer
from .dialect import CAN, MAKES, MARKS, Dialect, claims
from .encoder import MistralEncoder
from .messages import message_as_read, messages
from .paths import places
from .reader import MistralReader
from .request import OPTIONS, body_as_read, read_request

# RequestedServiceTier of the SDK; an answer calls the second one standard
_TIERS = {"auto": "auto", "standard_only": "standard_only", "standard": "standard_only"}


_WARMEST = 1.5


_MODES = {"auto": "auto", "none": "none", "required": "any"}


class Mistral(Room):
    """Mistral's chat completions."""

    __slots__ = ()
    dialect: Dialect
    protocol = "mistral"
    addresses: tuple[str, ...] = ("*/chat/completions", "*.mistral.ai/*/chat/completions")
    unique_fields = MARKS
    model_patterns: tuple[str, ...] = MAKES
    lookback = 1  # the model continues a last message of its own
    base_capabilities = CAN
    dialect_class = Dialect

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The `messages` of the request."""
        return messages(history, caps, report)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools."""
        return [_function(tool, caps, report) for tool in tools]

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        kind = payload.get("object")
        said = kind is None or (isinstance(kind, str) and kind.startswith("chat.completion"))
        return said and isinstance(payload.get("choices"), list)

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return MistralReader(self.dialect)

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The body of an answer to `POST /v1/chat/completions`."""
        return written_answer(resp, report, self.dialect.issuers, request)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one answer's chunks."""
        return MistralEncoder(report, self.dialect.issuers, request)

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes."""
        return read_request(body, self.dialect.issuers[0])

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `messages` that these were read from."""
        issuer = self.dialect.issuers[0]
        return [message_as_read(m, issuer) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.dialect.issuers[0])

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether a body can be a request of this protocol."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """(path into the body, node) of everything that `read_request` made of it."""
        return places(req, self.dialect.issuers[0])

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /v1/chat/completions`."""
        request, caps = prepared.request, prepared.caps
        body: JsonObject = {"model": prepared.model}
        listed = prepared.elements
        body["messages"] = (
            self.messages(prepared.history, caps, report) if listed is None else listed
        )
        if prepared.offered:
            body["tools"] = self.tools(prepared.offered, caps, report)
        picked = choice(prepared, report)
        if picked is not None:
            body["tool_choice"] = _choice(picked)
            if picked.parallel is not None:
                body["parallel_tool_calls"] = picked.parallel
        if (form := response_format(request, caps, report)) is not None:
            body["response_format"] = spelled_format(form, report)
        body.update(_options(request, caps, report))
        if request.stream:
            body["stream"] = True
        replay(body, request, caps, report)
        return HttpRequest(self.dialect.path, {}, body)


def _function(tool: Tool | ServerTool, caps: Capabilities, report: Report) -> JsonObject:
    if type(tool) is ServerTool and tool.kind == "own" and (own := own_tool(tool, caps)):
        return own
    if type(tool) is not Tool:
        raise WriteError(f"{tool.type} tools have no place here", path="$.tools", code="tool.type")
    return function_tool(tool, caps, report)


def _choice(picked: ToolChoice) -> Any:
    if picked.mode == "tool":
        return {"type": "function", "function": {"name": picked.name}}
    return _MODES[picked.mode]


def _options(request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
    made = options(request, OPTIONS, caps, report)
    within(made, "temperature", "temperature", (0, _WARMEST), request, report)
    within(made, "top_p", "top_p", (0, 1), request, report)
    if (tier := made.pop("service_tier", None)) in _TIERS:
        made["service_tier"] = _TIERS[tier]
    elif tier is not None:
        report.lost("option.unsaid", request.options, "service_tier", what=f"service tier {tier}")
    if (want := asked(request, caps, report, budgets=False)) is not None:
        _think(want, made, request, caps, report)
    return made


def _think(
    want: Asked, made: JsonObject, request: ChatRequest, caps: Capabilities, report: Report
) -> None:
    """`reasoning_effort`, the one way to ask for thinking here."""
    effort = "none" if want.off else want.effort
    if effort is None and caps.thinks == "asked":  # thinking is on, however much of it
        effort = caps.efforts[-1] if caps.efforts else None
    if effort is not None:
        made["reasoning_effort"] = effort
    elif caps.thinks == "asked":
        unsaid(request, report)
    else:
        moot(request, report)
