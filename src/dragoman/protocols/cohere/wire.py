"""Cohere's chat as a protocol: whole requests, and what reads and writes answers.

Reference: Cohere API, "Chat", request body; Cohere docs, "Errors".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_shape import replay
from ..request_fields import choice, response_format
from .answer import write_response
from .dialect import CAN, EVENT_TYPES, UNIQUE_FIELDS, Dialect, claims
from .encoder import CohereEncoder
from .messages import message_as_read, write_messages
from .paths import paths_of
from .reader import CohereReader
from .request import (
    CHOICE_WORDS,
    body_as_read,
    read_request,
    write_format,
    write_options,
    write_tools,
)


class Cohere(Room):
    """Cohere's chat, version 2."""

    __slots__ = ()
    dialect: Dialect
    protocol = "cohere"
    addresses: tuple[str, ...] = ("*/v2/chat",)
    unique_fields = UNIQUE_FIELDS
    model_patterns: tuple[str, ...] = ("command*", "c4ai-*")
    base_capabilities = CAN
    dialect_class = Dialect

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The `messages` of the request."""
        return write_messages(history, caps, report)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools."""
        return write_tools(tools, caps, report)[0]

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        kind = payload.get("type")
        if isinstance(kind, str) and kind in EVENT_TYPES:
            return True
        return isinstance(payload.get("message"), dict) and "finish_reason" in payload

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return CohereReader(self.dialect)

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The body of an answer to `POST /v2/chat`."""
        return write_response(resp, report, self.dialect.issuers)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one answer's events."""
        return CohereEncoder(report, self.dialect.issuers)

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes."""
        return read_request(body, self.issuer)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `messages` that these were read from."""
        return [message_as_read(m, self.issuer) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, fields: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with those of `fields` as they were read."""
        return body_as_read(req, fields, elements, self.issuer)

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether a body can be a request of this protocol."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """(path in the body, node or Field) of what `read_request` made of it."""
        return paths_of(req, body, self.issuer)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /v2/chat`."""
        request, caps = prepared.request, prepared.caps
        messages = prepared.elements
        if messages is None:
            messages = self.messages(prepared.history, caps, report)
        body: JsonObject = {"model": prepared.model, "messages": messages}
        if prepared.offered:
            body["tools"], strict = write_tools(prepared.offered, caps, report)
            if strict is not None:
                body["strict_tools"] = strict
        tool_choice = choice(prepared, report)
        if tool_choice is not None and tool_choice.mode in CHOICE_WORDS:  # auto is the default
            body["tool_choice"] = CHOICE_WORDS[tool_choice.mode]
        if (form := response_format(request, caps, report)) is not None:
            body["response_format"] = write_format(form, caps, report)
        body.update(write_options(request, caps, report))
        if request.stream:
            body["stream"] = True
        replay(body, request, caps, report)
        if body.get("documents") and body.get("response_format", {}).get("type") == "json_object":
            report.lost("format.unsaid", request.response_format, what="a format beside documents")
            del body["response_format"]
        return HttpRequest(self.dialect.path, {}, body)
