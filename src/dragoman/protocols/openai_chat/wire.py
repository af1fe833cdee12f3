"""The room: the whole request of Chat Completions.

Reference: OpenAI API, "Create chat completion", request body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_shape import function_tool, replay
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
from .dialect import CAN, Dialect, claims
from .encoder import ChatEncoder
from .messages import cached, message_as_read, messages
from .paths import places
from .reader import ChatReader
from .request import BUDGETED, asked_for, body_as_read, read_request, respell, spots
from .tools import declared, switched

_KEYS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "seed": "seed",
    "stop": "stop",
    "n": "n",
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
    "service_tier": "service_tier",
    "user": "user",
}


class OpenAIChat(Room):
    """Chat Completions in one vendor's dialect."""

    __slots__ = ("_keys", "_spots")
    protocol = "openai-chat"
    addresses: tuple[str, ...] = ("*/chat/completions",)
    model_patterns: tuple[str, ...] = ("gpt-*", "chatgpt-*", "o[1-9]*")
    base_capabilities = CAN
    dialect_class = Dialect

    def __init__(self, dialect: Dialect | None = None) -> None:
        super().__init__(dialect)
        spoken = self.dialect
        self._keys = {**_KEYS, "max_tokens": spoken.max_tokens_key, **spoken.keys}
        self._spots = spots(spoken)

    def can(self) -> Capabilities:
        """What this protocol carries in its dialect, before any model's facts."""
        spoken = self.dialect
        kinds = frozenset({*spoken.server_tools, *spoken.switches})
        return replace(super().can(), server_tools=kinds, sealed_text=spoken.thinking_details)

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The `messages` of the request."""
        return messages(history, caps, self.dialect)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools, and those of the vendor's own that are declared beside them."""
        made = []
        for tool in tools:
            if type(tool) is ServerTool:
                made += declared(tool, caps, self.dialect, report)
            elif type(tool) is Tool:
                function = function_tool(tool, caps, report)
                if tool.cache is not None and caps.cached_tools:
                    cached(function, tool.cache, self.dialect)
                made.append(function)
        return made

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
        return read_request(body, self.dialect, self._spots)[0]

    def read_with_history(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[ChatRequest, RoledHistory | None]:
        """The same, and the seats of its messages: this reader seats the usual ones as it goes."""
        return read_request(body, self.dialect, self._spots)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `messages` that these were read from."""
        issuer = self.dialect.issuers[0]
        return [message_as_read(m, issuer) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.dialect, self._spots)

    def respell(self, body: JsonObject, req: ChatRequest) -> None:
        """Put options that were changed under the keys that they were read from."""
        notes = (req.extras or {}).get(noted(self.dialect.issuers[0]), {})
        respell(body, req.options, notes, self._spots)

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether a body can be a request of this protocol."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """(path in the body, node) of everything that `read_request` made of it."""
        return places(req, body, self.dialect.issuers[0], self._spots)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /chat/completions`."""
        request, caps = prepared.request, prepared.caps
        listed = prepared.elements
        if caps.endpoint and caps.endpoint != self.dialect.path and listed is None:
            raise WriteError(
                f"the model is not served here but at {caps.endpoint}", path="$.model",
                hint="send the request over the wire openai-responses", code="model.endpoint",
            )  # fmt: skip
        body: JsonObject = {"model": prepared.model}
        body["messages"] = (
            self.messages(prepared.history, caps, report) if listed is None else listed
        )
        if prepared.offered and (tools := self.tools(prepared.offered, caps, report)):
            body["tools"] = tools
        for tool in prepared.server_tools:
            body.update(switched(tool, caps, self.dialect, report))
        picked = choice(prepared, report, body.get("tools", ()))
        if picked is not None:
            body["tool_choice"] = _choice(picked)
            if picked.parallel is not None:
                body["parallel_tool_calls"] = picked.parallel
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
        if (thinking := asked(request, caps, report, caps.form in BUDGETED)) is not None:
            fields = asked_for(thinking, caps)
            body.update(fields)
            if not fields:
                moot(request, report)


def _choice(picked: ToolChoice) -> Any:
    if picked.allowed:
        mode = "required" if picked.mode == "required" else "auto"
        listed = [{"type": "function", "function": {"name": name}} for name in picked.allowed]
        return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": listed}}
    if picked.mode == "tool":
        return {"type": "function", "function": {"name": picked.name}}
    return picked.mode
