"""The room: the whole request of the Messages API.

Reference: Anthropic API, "Create a Message": `system` stands apart, `max_tokens` is required.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool, ToolChoice
from ...sse import Framing
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_shape import head, in_path, own_extras, parameters, replay
from ..request_fields import choice, format_unsaid, options, response_format, within
from .answer import written_answer
from .blocks import cache_control
from .dialect import CAN, Dialect, ask_betas, betas_as_read, claims
from .encoder import MessagesEncoder
from .messages import blocks, message_as_read, messages
from .paths import places
from .reader import MessagesReader
from .request import body_as_read, budget_of, dropping, read_request, server_tool, think, wanted

_KEYS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop": "stop_sequences",
    "service_tier": "service_tier",
    "user": "metadata",
}


_PATH = Dialect().path


_TIERS = ("auto", "standard_only")


_MODES = {"auto": "auto", "none": "none", "required": "any", "tool": "tool"}


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
        return messages(history, caps, self.dialect)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Client tools `{"name", "description", "input_schema"}`, and the provider's own."""
        made = []
        for tool in tools:
            if type(tool) is ServerTool:
                made.append(server_tool(tool, caps, report))
            elif type(tool) is Tool:
                made.append(_tool(tool, caps, report))
        return made

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return MessagesReader(self.dialect)

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The answer as clients of the Messages API take it."""
        return written_answer(resp, report, self.dialect, request)

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
        return read_request(body, self.dialect.issuers[0], path, headers)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `messages` that these were read from."""
        issuer = self.dialect.issuers[0]
        return [message_as_read(m, issuer) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.dialect.issuers[0])

    def headers_as_read(self, req: ChatRequest, headers: dict[str, str]) -> dict[str, str]:
        """`headers` with the betas that a header had asked for."""
        return betas_as_read(req, headers, self.dialect.issuers[0])

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Where in the body each node of the request was read."""
        return places(req, body)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /v1/messages`."""
        request, caps, history, spoken = (
            prepared.request,
            prepared.caps,
            prepared.history,
            self.dialect,
        )
        body: JsonObject = {} if spoken.model_place == "path" else {"model": prepared.model}
        headers: dict[str, str] = {}
        if spoken.version_place == "body":
            body["anthropic_version"] = spoken.version
        else:
            headers["anthropic-version"] = spoken.version
        thinking = wanted(prepared, report)
        body["max_tokens"] = _maximum(request, caps, budget_of(thinking, caps), report)
        start = head(history)
        if start:
            body["system"] = self._system(history, start, caps)
        listed = prepared.elements
        body["messages"] = messages(history, caps, spoken, start) if listed is None else listed
        if prepared.offered:
            body["tools"] = self.tools(prepared.offered, caps, report)
        picked = choice(prepared, report)
        if picked is not None:
            body["tool_choice"] = _choice(picked)
        body.update(_options(request, caps, report))
        if thinking is not None:
            think(body, thinking, prepared, report)
        if request.stream and spoken.stream_flag:
            body["stream"] = True
        replay(body, request, caps, report)
        ask_betas(body, headers, dropping(body) if prepared.switch else [], spoken)
        for issuer, own in (request.extras or {}).items():
            for key in spoken.refused:
                if issuer in caps.reads and key in own:
                    del body[key]
                    field = f"extras.{issuer}.{key}"
                    report.lost("extras.foreign", request, field, what=key, did="left out")
        return HttpRequest(self._path(prepared), headers, body)

    def _path(self, prepared: PreparedRequest) -> str:
        spoken = self.dialect
        path = spoken.stream_path if prepared.request.stream and spoken.stream_path else spoken.path
        return path.format(model=in_path(prepared.model or spoken.model, safe="@"))

    def _system(self, history: RoledHistory, end: int, caps: Capabilities) -> Any:
        first = history.msgs[0]
        if end == 1 and type(first.content) is str and self.dialect.text == "string":
            return first.content
        said = [block for m in history.msgs[:end] for block in blocks(m, caps)]
        plain = len(said) == 1 and said[0].keys() == {"type", "text"}
        return said[0]["text"] if plain and self.dialect.text == "string" else said


def _maximum(request: ChatRequest, caps: Capabilities, budget: int, report: Report) -> int:
    """The maximum of the answer, of which its thinking is a part."""
    given = request.options.max_tokens
    if given is not None:
        return given
    most = caps.max_tokens + budget
    if budget and caps.budgets:
        most = min(most, caps.budgets[-1] + 1)
    report.lost("max_tokens.default", request, "options.max_tokens", did=str(most))
    return most


def _tool(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    made: JsonObject = {"name": tool.name}
    if tool.description:
        made["description"] = tool.description
    made["input_schema"], strict = parameters(tool, caps, report)
    if strict is not None:
        made["strict"] = strict
    if tool.cache is not None:
        made["cache_control"] = cache_control(tool.cache)
    return replay(made, tool, caps, report)


def _choice(picked: ToolChoice) -> JsonObject:
    made: JsonObject = {"type": _MODES[picked.mode]}
    if picked.name is not None:
        made["name"] = picked.name
    if picked.parallel is not None and picked.mode != "none":
        made["disable_parallel_tool_use"] = not picked.parallel
    return made


def _options(request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
    made = options(request, _KEYS, caps, report)
    if made:
        _adjusted(made, request, report)
    form = response_format(request, caps, report)
    if form is not None and form.kind == "schema":
        made["output_config"] = {"format": {"type": "json_schema", "schema": form.schema}}
        if form.strict is False:  # a schema is always kept to here
            report.lost("format.lowered", form, "strict", did="kept to")
        format_unsaid(form, report, "strict" if form.strict is False else "")
    return made


def _adjusted(made: JsonObject, request: ChatRequest, report: Report) -> None:
    """Options in the ranges and under the keys of this API."""
    made.pop("max_tokens", None)
    within(made, "temperature", "temperature", (0.0, 1.0), request, report)
    if made.get("service_tier", "auto") not in _TIERS:
        report.lost("option.refused", request.options, "service_tier", what=made["service_tier"])
        del made["service_tier"]
    if blank := [text for text in made.get("stop_sequences", ()) if text.isspace()]:
        # 400 "stop_sequences: each stop sequence must contain non-whitespace"
        report.lost("option.range", request.options, "stop", did="without blank ones")
        made["stop_sequences"] = [text for text in made["stop_sequences"] if text not in blank]
        if not made["stop_sequences"]:
            del made["stop_sequences"]
    if "metadata" in made:
        made["metadata"] = {"user_id": made["metadata"]}
