"""Mistral's chat completions as a protocol: whole requests, and what reads and writes answers.

Reference: Mistral API, "Chat Completion", request body.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_request import write_choice, write_tool
from ..chat_shape import replay
from ..request_fields import choice, response_format, spelled_format
from .answer import write_response
from .dialect import CAN, MODEL_PATTERNS, UNIQUE_FIELDS, Dialect, claims
from .encoder import MistralEncoder
from .messages import message_as_read, write_messages
from .paths import PATHS
from .reader import MistralReader
from .request import CHOICES, body_as_read, read_request, write_options


class Mistral(Room):
    """Mistral's chat completions."""

    __slots__ = ()
    dialect: Dialect
    protocol = "mistral"
    addresses: tuple[str, ...] = ("*/chat/completions", "*.mistral.ai/*/chat/completions")
    unique_fields = UNIQUE_FIELDS
    model_patterns: tuple[str, ...] = MODEL_PATTERNS
    lookback = 1  # the model continues a last message of its own
    base_capabilities = CAN
    dialect_class = Dialect
    paths = PATHS

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The `messages` of the request."""
        return write_messages(history, caps, report)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools."""
        return [write_tool(tool, caps, report) for tool in tools]

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        kind = payload.get("object")
        ours = kind is None or (isinstance(kind, str) and kind.startswith("chat.completion"))
        return ours and isinstance(payload.get("choices"), list)

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return MistralReader(self.dialect)

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The body of an answer to `POST /v1/chat/completions`."""
        return write_response(resp, report, self.dialect.issuers, request)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one answer's chunks."""
        return MistralEncoder(report, self.dialect.issuers, request)

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

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /v1/chat/completions`."""
        request, caps = prepared.request, prepared.caps
        messages = prepared.elements
        if messages is None:
            messages = self.messages(prepared.history, caps, report)
        body: JsonObject = {"model": prepared.model, "messages": messages}
        if prepared.offered:
            body["tools"] = self.tools(prepared.offered, caps, report)
        if (tool_choice := choice(prepared, report)) is not None:
            write_choice(body, tool_choice, CHOICES)
        if (form := response_format(request, caps, report)) is not None:
            body["response_format"] = spelled_format(form, report)
        body.update(write_options(request, caps, report))
        if request.stream:
            body["stream"] = True
        replay(body, request, caps, report)
        return HttpRequest(self.dialect.path, {}, body)
