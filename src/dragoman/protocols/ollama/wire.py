"""The whole request of `POST /api/chat`, and the contract of the protocol.

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
from ..chat_request import function_tool
from ..chat_shape import own_tool, replay
from ..request_fields import choice, format_unsaid, response_format
from .answer import write_response
from .dialect import CAN, Dialect
from .encoder import OllamaEncoder
from .messages import MessageComposer, MessageWriter
from .paths import places
from .reader import OllamaReader
from .request import MARKS, body_as_read, claims, read_request, write_options


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
        return MessageComposer(caps, self.dialect).messages(history)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools, and tools nobody models; the server runs none of its own."""
        entries = []
        for tool in tools:
            if type(tool) is Tool:
                entries.append(function_tool(tool, caps, report))
            elif type(tool) is ServerTool:
                entries.append(own_tool(tool, caps))
        return entries

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return OllamaReader(self.dialect)

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        answer = payload.get("message", payload.get("response"))
        return type(payload.get("done")) is bool and isinstance(answer, (dict, str))

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes; without a word on it, it is streamed."""
        return read_request(body, self.issuer)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `messages` that these were read from."""
        writer = MessageWriter(self.issuer)
        return [writer.message(m) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.issuer)

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether this can be a request of `/api/chat`, judged by its keys and shapes."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Where the nodes of a request stand in the body that it was read from."""
        return places(req, body)

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
        messages: Sequence[Json] | None = prepared.elements
        if messages is None:
            messages = self.messages(prepared.history, caps, report)
        body: JsonObject = {"model": prepared.model, "messages": messages}
        _report_choice(choice(prepared, report), request, report)
        if prepared.offered:
            body["tools"] = self.tools(prepared.offered, caps, report)
        body["stream"] = request.stream
        form = response_format(request, caps, report)
        if form is not None and form.kind != "text":
            body["format"] = form.schema if form.kind == "schema" else "json"
            format_unsaid(form, report)
        write_options(body, prepared, report)
        fields = replay({}, request, caps, report)
        if isinstance(fields.get("options"), dict):
            fields = {**fields, "options": {**body.get("options", {}), **fields["options"]}}
        body.update(fields)
        return HttpRequest(self.dialect.path, {}, body)


def _report_choice(picked: ToolChoice | None, request: ChatRequest, report: Report) -> None:
    """Name what a model could be told to choose: this wire has no place for it."""
    if picked is None or request.tool_choice is None:
        return
    usual = {"mode": ("auto", "none"), "allowed": ((),), "parallel": (None,)}
    for name, values in usual.items():
        # whom tools are withheld from calls none
        if getattr(picked, name) not in values:
            field = "" if picked.mode == "tool" and name == "mode" else name  # its name goes, too
            report.lost("tool_choice.lowered", request.tool_choice, field, did="left to the model")
