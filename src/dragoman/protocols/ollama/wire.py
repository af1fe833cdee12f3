"""The room: the whole request of `POST /api/chat`.

Unknown keys are ignored by the server without a word, so only known ones are written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool, ToolChoice
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_shape import function_tool, own_tool, replay
from ..reasoning import asked
from ..request_fields import choice, format_unsaid, options, response_format
from .answer import write_response
from .dialect import CAN, Dialect
from .encoder import OllamaEncoder
from .messages import message_as_read, messages
from .paths import places
from .reader import OllamaReader
from .request import BESIDE, MARKS, OPTIONS, body_as_read, claims, read_request

_MOST_LOGPROBS = 20


# the server refuses any other level
_LEVELS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "max",
           "max": "max", "ultra": "max"}  # fmt: skip


class Ollama(Room):
    """Ollama's chat."""

    __slots__ = ()
    dialect: Dialect
    protocol = "ollama"
    addresses: tuple[str, ...] = ("*/api/chat",)
    unique_fields = MARKS
    framing = "ndjson"
    base_capabilities = CAN
    dialect_class = Dialect

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The `messages` of the request."""
        return messages(history, caps, self.dialect)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools, and tools nobody models; the server runs none of its own."""
        made = []
        for tool in tools:
            if type(tool) is Tool:
                made.append(function_tool(tool, caps, report))
            elif type(tool) is ServerTool:
                made.append(own_tool(tool, caps))
        return made

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return OllamaReader(self.dialect)

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        said = payload.get("message", payload.get("response"))
        return type(payload.get("done")) is bool and isinstance(said, (dict, str))

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes; without a word on it, it is streamed."""
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
        """Whether this can be a request of `/api/chat`, judged by its keys and shapes."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Where the nodes of a request stand in the body that it was read from."""
        return places(req)

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The answer as `/api/chat` gives it whole."""
        return write_response(resp, report, request, self.dialect.issuers)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for the lines of one answer."""
        return OllamaEncoder(report, request, self.dialect.issuers)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /api/chat`; `stream` stands there always, for true is the default."""
        request, caps = prepared.request, prepared.caps
        body: JsonObject = {"model": prepared.model}
        listed = prepared.elements
        body["messages"] = (
            messages(prepared.history, caps, self.dialect) if listed is None else listed
        )
        _unsaid(choice(prepared, report), prepared, report)
        if prepared.offered:
            body["tools"] = self.tools(prepared.offered, caps, report)
        body["stream"] = request.stream
        form = response_format(request, caps, report)
        if form is not None and form.kind != "text":
            body["format"] = form.schema if form.kind == "schema" else "json"
            format_unsaid(form, report)
        given = options(request, {**OPTIONS, **BESIDE}, caps, report)
        for key in BESIDE.values():
            if key in given:
                body[key] = given.pop(key)
        _bound(body, prepared, report)
        if given:
            body["options"] = given
        own = replay({}, request, caps, report)
        if isinstance(own.get("options"), dict):
            own = {**own, "options": {**given, **own["options"]}}
        body.update(own)
        return HttpRequest(self.dialect.path, {}, body)


def _unsaid(picked: ToolChoice | None, prepared: PreparedRequest, report: Report) -> None:
    """Name what a model could be told to choose: this wire has no place for it."""
    given = prepared.request.tool_choice
    if picked is None or given is None:
        return
    plain = {"mode": "auto", "allowed": (), "parallel": None}
    for name, usual in plain.items():
        if getattr(picked, name) not in (usual, "none"):  # whom tools are withheld from calls none
            field = "" if picked.mode == "tool" and name == "mode" else name  # its name goes, too
            report.lost("tool_choice.lowered", given, field, did="left to the model")


def _bound(body: JsonObject, prepared: PreparedRequest, report: Report) -> None:
    """Thinking and log probabilities in the range that the server takes."""
    given = prepared.request.options
    wanted = asked(prepared.request, prepared.caps, report, budgets=False)
    if wanted is not None:
        level = wanted.effort if wanted.effort is None else _LEVELS.get(wanted.effort)
        if level != wanted.effort and given.reasoning is not None:
            did = f"sent as {level}" if level else "thinking is on"
            report.lost("option.range", given, "reasoning", what=given.reasoning, did=did)
        # a level where the model has levels, and a switch where it has not
        body["think"] = False if wanted.off else level or True
    if body.get("top_logprobs", 0) > _MOST_LOGPROBS:
        body["top_logprobs"] = _MOST_LOGPROBS
        report.lost("option.range", given, "top_logprobs", did=str(_MOST_LOGPROBS))
