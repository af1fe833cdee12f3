"""The wire of Chat Completions: the whole request, and what reads and writes all others.

Reference: OpenAI API, "Create chat completion", request body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_request import function_tool, write_choice
from ..chat_shape import issuer_fields, own_extras, replay
from ..reasoning import asked, moot
from ..request_fields import (
    choice,
    demand_json_word,
    options,
    response_format,
    spelled_format,
    usual_tier,
    within,
)
from .answer import write_response
from .blocks import cache_mark
from .dialect import CAN, Dialect, claims
from .encoder import ChatEncoder
from .messages import message_as_read, messages
from .paths import places
from .reader import ChatReader
from .request import (
    BUDGET_FORMS,
    CHOICES,
    body_as_read,
    option_keys,
    option_places,
    read_request,
    respell,
    thinking_fields,
    write_server_tool,
)


class OpenAIChat(Room):
    """Chat Completions in one vendor's dialect."""

    __slots__ = ("_keys", "_places")
    protocol = "openai-chat"
    addresses: tuple[str, ...] = ("*/chat/completions",)
    model_patterns: tuple[str, ...] = ("gpt-*", "chatgpt-*", "o[1-9]*")
    base_capabilities = CAN
    dialect_class = Dialect

    def __init__(self, dialect: Dialect | None = None) -> None:
        super().__init__(dialect)
        self._places = option_places(self.dialect)
        self._keys = option_keys(self.dialect, self._places)

    def can(self) -> Capabilities:
        """What this protocol carries in its dialect, before any model's facts."""
        kinds = frozenset({*self.dialect.server_tools, *self.dialect.switches})
        sealed_text = self.dialect.thinking_details
        return replace(super().can(), server_tools=kinds, sealed_text=sealed_text)

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The `messages` of the request."""
        return messages(history, caps, self.dialect)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools, and those of the vendor's own that are declared beside them."""
        dialect = self.dialect
        entries = []
        for tool in tools:
            if type(tool) is Tool:
                entry = function_tool(tool, caps, report)
                if tool.cache is not None and caps.cached_tools:
                    entry.update(cache_mark(tool.cache, dialect.cache_mark))
                entries.append(entry)
            elif type(tool) is ServerTool:
                if tool.kind == "own":  # it goes back as it was read
                    entry = own_extras(tool, caps)
                else:
                    entry = write_server_tool(tool, dialect.server_tools, caps, dialect, report)
                if entry:
                    entries.append(entry)
        return entries

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The answer as a client of this protocol takes it."""
        return write_response(resp, report, request, self.dialect)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one stream."""
        return ChatEncoder(report, request, self.dialect)

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return ChatReader(self.dialect)

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        return isinstance(payload.get("choices"), list)

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes."""
        return read_request(body, self.dialect, self._places)[0]

    def read_with_history(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[ChatRequest, RoledHistory | None]:
        """The same, and the roles of its messages: this reader finds the usual ones as it goes."""
        return read_request(body, self.dialect, self._places)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `messages` that these were read from."""
        issuer = self.issuer
        return [message_as_read(m, issuer) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, fields: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with these fields as they were read."""
        return body_as_read(req, fields, elements, self.dialect, self._places)

    def respell(self, body: JsonObject, req: ChatRequest) -> None:
        """Put options that were changed under the keys that they were read from."""
        _, notes = issuer_fields(req, self.issuer)
        respell(body, req.options, notes, self._places)

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether a body can be a request of this protocol."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """(path in the body, node) of everything that `read_request` made of it."""
        return places(req, body, self.issuer, self._places)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /chat/completions`."""
        request, caps = prepared.request, prepared.caps
        messages = prepared.elements
        if caps.endpoint and caps.endpoint != self.dialect.path and messages is None:
            raise WriteError(
                f"the model is not served here but at {caps.endpoint}", path="$.model",
                hint="send the request over the wire openai-responses", code="model.endpoint",
            )  # fmt: skip
        if messages is None:
            messages = self.messages(prepared.history, caps, report)
        body: JsonObject = {"model": prepared.model, "messages": messages}
        if prepared.offered and (tools := self.tools(prepared.offered, caps, report)):
            body["tools"] = tools
        for tool in prepared.server_tools:
            switches = self.dialect.switches
            body.update(write_server_tool(tool, switches, caps, self.dialect, report))
        tool_choice = choice(prepared, report, body.get("tools", ()))
        if tool_choice is not None:
            write_choice(body, tool_choice, CHOICES)
        form = response_format(request, caps, report)
        # where no other can be asked for, text goes without saying
        if form is not None and caps.formats != {"text"}:
            body["response_format"] = spelled_format(form, report)
            if form.kind == "json" and self.dialect.json_word:
                demand_json_word(body["messages"])
        self._configure(body, request, caps, report)
        if request.stream:
            body["stream"] = True
        body.update(self.dialect.fixed)
        replay(body, request, caps, report)
        return HttpRequest(self.dialect.path, {}, body)

    def _configure(
        self, body: JsonObject, request: ChatRequest, caps: Capabilities, report: Report
    ) -> None:
        body.update(options(request, self._keys, caps, report))
        usual_tier(body, self.dialect.usual_tier, request, report)
        stops = body.get("stop", ())
        if 0 < self.dialect.stops < len(stops):
            body["stop"] = stops[: self.dialect.stops]
            did = f"the first {self.dialect.stops}"
            report.lost("option.range", request.options, "stop", did=did)
        for name, limits in self.dialect.limits.items():
            within(body, self._keys[name], name, limits, request, report)
        if (thinking := asked(request, caps, report, caps.form in BUDGET_FORMS)) is not None:
            fields = thinking_fields(thinking, caps)
            body.update(fields)
            if not fields:
                moot(request, report)
