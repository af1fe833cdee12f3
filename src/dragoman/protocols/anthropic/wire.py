"""The Messages API: the contract of a protocol, and the whole of a request.

Reference: Anthropic API, "Create a Message": `system` stands apart, `max_tokens` is required.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool
from ...sse import Framing
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_shape import head, in_path, own_extras, replay
from ..request_fields import choice
from .answer import write_answer
from .dialect import CAN, Dialect, claims, headers_as_read, write_betas
from .encoder import MessagesEncoder
from .messages import message_as_read, write_messages, write_system
from .paths import places
from .reader import MessagesReader
from .request import (
    body_as_read,
    drop_unbound_thinking,
    read_request,
    requested_thinking,
    thinking_budget,
    write_choice,
    write_format,
    write_maximum,
    write_options,
    write_thinking,
    write_tool,
)

_PATH = Dialect().path


_EVENTS = frozenset({"message_start", "content_block_start", "content_block_delta",
                     "content_block_stop", "message_delta", "message_stop", "ping"})  # fmt: skip


class Anthropic(Room):
    """The Messages API in one host's dialect."""

    __slots__ = ()
    dialect: Dialect
    protocol = "anthropic"
    addresses: tuple[str, ...] = ("*/v1/messages",)
    model_patterns: tuple[str, ...] = ("claude-*",)
    base_capabilities = CAN
    dialect_class = Dialect
    state_fields: tuple[str, ...] = ("thread", "container")

    @property
    def framing(self) -> Framing:  # type: ignore[override]  # here it is the host's
        """How the host frames its streams."""
        return self.dialect.framing

    @property
    def host(self) -> str:
        """Whose forms the bodies have: some hosts have the model in the path."""
        path = self.dialect.path
        return self.protocol if path == _PATH else f"{self.protocol} {path}"

    def continues(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether own fields go on with a thread (beta), of which only what is new is sent."""
        if request.extras is None:
            return False
        thread = own_extras(request, caps).get("thread")
        return isinstance(thread, dict) and thread.get("type") == "continue"

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The list with the system prompt in it, as `format` gives it; a request hoists it."""
        return write_messages(history, caps, self.dialect)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Client tools `{"name", "description", "input_schema"}`, and the provider's own."""
        return [write_tool(tool, caps, report) for tool in tools]

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return MessagesReader(self.dialect)

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The answer as clients of the Messages API take it."""
        return write_answer(resp, report, self.dialect, request)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one answer's pieces."""
        return MessagesEncoder(self.dialect, report, request)

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        kind = payload.get("type")
        if kind == "message":
            return isinstance(payload.get("content"), list)
        return isinstance(kind, str) and kind in _EVENTS

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether this could be a request of this protocol, judged by its keys and shapes."""
        return claims(body, path)

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes, with what its path and headers say beside it."""
        return read_request(body, self.issuer, path, headers)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `messages` that these were read from."""
        issuer = self.issuer
        return [message_as_read(m, issuer) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.issuer)

    def headers_as_read(self, req: ChatRequest, headers: dict[str, str]) -> dict[str, str]:
        """`headers` with the betas that a header had asked for."""
        return headers_as_read(req, headers, self.issuer)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Where in the body each node of the request was read."""
        return places(req, body)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /v1/messages`."""
        request, caps, history = prepared.request, prepared.caps, prepared.history
        dialect = self.dialect
        body: JsonObject = {} if dialect.model_place == "path" else {"model": prepared.model}
        headers: dict[str, str] = {}
        if dialect.version_place == "body":
            body["anthropic_version"] = dialect.version
        else:
            headers["anthropic-version"] = dialect.version
        thinking = requested_thinking(prepared, report)
        body["max_tokens"] = write_maximum(request, caps, thinking_budget(thinking, caps), report)
        start = head(history)
        if start:
            body["system"] = write_system(history, start, caps, dialect)
        elements = prepared.elements
        if elements is None:
            body["messages"] = write_messages(history, caps, dialect, start)
        else:
            body["messages"] = elements
        if prepared.offered:
            body["tools"] = self.tools(prepared.offered, caps, report)
        if (tool_choice := choice(prepared, report)) is not None:
            body["tool_choice"] = write_choice(tool_choice)
        body.update(write_options(request, caps, report))
        write_format(body, request, caps, report)
        if thinking is not None:
            write_thinking(body, thinking, prepared, report)
        if request.stream and dialect.stream_flag:
            body["stream"] = True
        replay(body, request, caps, report)
        betas = drop_unbound_thinking(body) if prepared.switch else []
        write_betas(body, headers, betas, dialect)
        for issuer, fields in (request.extras or {}).items():
            for key in dialect.refused:
                if issuer in caps.reads and key in fields:
                    del body[key]
                    field = f"extras.{issuer}.{key}"
                    report.lost("extras.foreign", request, field, what=key, did="left out")
        return HttpRequest(self._path(prepared), headers, body)

    def _path(self, prepared: PreparedRequest) -> str:
        dialect = self.dialect
        path = dialect.path
        if prepared.request.stream and dialect.stream_path:
            path = dialect.stream_path
        return path.format(model=in_path(prepared.model or dialect.model, safe="@"))
