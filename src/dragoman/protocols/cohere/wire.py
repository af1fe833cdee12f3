"""The room: the whole request of Cohere's chat.

Reference: Cohere API, "Chat", request body; Cohere docs, "Errors".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ResponseFormat, ServerTool, Tool
from ...schema import lowered_once
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_shape import function_tool, own_tool, replay
from ..reasoning import asked
from ..request_fields import choice, format_unsaid, options, response_format, within
from .answer import written_answer
from .dialect import CAN, EVENTS, MARKS, Dialect, claims
from .encoder import CohereEncoder
from .messages import message_as_read, messages
from .paths import places
from .reader import CohereReader
from .request import CHOICES, OPTIONS, body_as_read, read_request

# Cohere API, "Chat", request body: from and to
_RANGES = {
    "temperature": (0, 1), "top_p": (0.01, 0.99), "top_k": (0, 500), "frequency_penalty": (0, 1),
    "presence_penalty": (0, 1),
}  # fmt: skip


_STOPS = 5


_PENALTIES = ("frequency_penalty", "presence_penalty")


_MODES = {mode: word for word, mode in CHOICES.items()}


class Cohere(Room):
    """Cohere's chat, version 2."""

    __slots__ = ()
    dialect: Dialect
    protocol = "cohere"
    addresses: tuple[str, ...] = ("*/v2/chat",)
    unique_fields = MARKS
    model_patterns: tuple[str, ...] = ("command*", "c4ai-*")
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
        return _declared(tools, caps, report)[0]

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        kind = payload.get("type")
        if isinstance(kind, str) and kind in EVENTS:
            return True
        return isinstance(payload.get("message"), dict) and "finish_reason" in payload

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return CohereReader(self.dialect)

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The body of an answer to `POST /v2/chat`."""
        return written_answer(resp, report, self.dialect.issuers)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one answer's events."""
        return CohereEncoder(report, self.dialect.issuers)

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
        """The body of `POST /v2/chat`."""
        request, caps = prepared.request, prepared.caps
        body: JsonObject = {"model": prepared.model}
        listed = prepared.elements
        body["messages"] = (
            self.messages(prepared.history, caps, report) if listed is None else listed
        )
        if prepared.offered:
            body["tools"], strict = _declared(prepared.offered, caps, report)
            if strict is not None:
                body["strict_tools"] = strict
        picked = choice(prepared, report)
        if picked is not None and picked.mode in _MODES:  # auto goes without saying
            body["tool_choice"] = _MODES[picked.mode]
        if (form := response_format(request, caps, report)) is not None:
            body["response_format"] = _format(form, caps, report)
        body.update(_options(request, caps, report))
        if request.stream:
            body["stream"] = True
        replay(body, request, caps, report)
        if body.get("documents") and body.get("response_format", {}).get("type") == "json_object":
            report.lost("format.unsaid", request.response_format, what="a format beside documents")
            del body["response_format"]
        return HttpRequest(self.dialect.path, {}, body)


def _declared(
    tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
) -> tuple[list[JsonObject], bool | None]:
    """(the tools, `strict_tools`): one switch for all of them, which all must want."""
    wishes = {tool.strict for tool in tools if type(tool) is Tool}
    if True in wishes and len(wishes) > 1:
        caps = replace(caps, strict_tools=False)  # whose loss each of them is
    made = [_tool(tool, caps, report) for tool in tools]
    kept = [one["function"].pop("strict", None) for tool, one in zip(tools, made, strict=True)
            if type(tool) is Tool]  # fmt: skip
    if kept and (all(kept) or {*kept} <= {False, None}):
        return made, True if all(kept) else False if False in kept else None
    for tool, strict in zip([one for one in tools if type(one) is Tool], kept, strict=True):
        if strict:
            report.lost("tool.strict", tool, "strict", did="no tool is strict")
    return made, None


def _tool(tool: Tool | ServerTool, caps: Capabilities, report: Report) -> JsonObject:
    if type(tool) is ServerTool and tool.kind == "own" and (own := own_tool(tool, caps)):
        return own
    if type(tool) is not Tool:
        raise WriteError(f"{tool.type} tools have no place here", path="$.tools", code="tool.type")
    return function_tool(tool, caps, report)


def _format(form: ResponseFormat, caps: Capabilities, report: Report) -> JsonObject:
    """`{"type": "json_object", "json_schema": the bare schema}`, or its type alone.

    A schema that the API would refuse is left out.
    """
    if form.kind != "schema":
        return {"type": "json_object" if form.kind == "json" else "text"}
    format_unsaid(form, report)
    if caps.format_schema != "plain" and lowered_once(form.schema or {}, caps.format_schema).unfit:
        report.lost("format.lowered", form, what="schema", did="json")
        return {"type": "json_object"}
    return {"type": "json_object", "json_schema": form.schema}


def _options(request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
    made = options(request, OPTIONS, caps, report)
    for name, limits in _RANGES.items():
        within(made, OPTIONS[name], name, limits, request, report)
    if len(made.get("stop_sequences", ())) > _STOPS:
        made["stop_sequences"] = made["stop_sequences"][:_STOPS]
        report.lost("option.range", request.options, "stop", did=f"the first {_STOPS}")
    if made.keys() >= set(_PENALTIES):  # "cannot specify both"
        gone = _PENALTIES[0] if not made[_PENALTIES[0]] else _PENALTIES[1]
        del made[gone]
        report.lost("option.refused", request.options, gone, what=f"{gone} beside the other one",
                    did="left out")  # fmt: skip
    # levels of thinking are told as budgets, whatever another host of the model takes
    caps = replace(caps, efforts=(), budgets=caps.budgets or CAN.budgets)
    if (want := asked(request, caps, report)) is not None:
        made["thinking"] = {"type": "disabled" if want.off else "enabled"}
        if want.budget is not None:
            made["thinking"]["token_budget"] = want.budget
    return made
