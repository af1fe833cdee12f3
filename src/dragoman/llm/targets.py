"""ModelTarget: one model that an LLM may ask, with the formatter that writes for it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from ..analysis.explain import explain
from ..codec.wire import Wire
from ..errors import ConfigError, InvalidOutput, ProviderError, WriteError
from ..formatter.wire_formatter import WireFormatter
from ..losses import Policy
from ..message import ChatRequest, ChatResponse, Msg, Written
from ..model.answer import Answer
from ..model.chat_model import ChatModel
from ..model.endpoint import CallOptions, ConnectionOptions
from ..model.pairing import pair_model
from ..protocols.reasoning import needs_other_wire
from ..structured_output import Structured, plain_answer, structured_request
from ..transport.credentials import Key
from ..vendors import Vendor, wire
from .names import model_name

# the keywords of a formatter that an LLM takes under the same name; its `max_tokens` is the LLM's
# `history_tokens`, because `max_tokens` of a request limits the answer
FORMATTER_OPTIONS = (
    "speakers",
    "rewrites",
    "token_counter",
    "truncate",
    "policy",
    "strict",
    "can",
    "fetch",
    "media_saver",
    "prompt",
    "wording",
)


_RESPONSES = "openai-responses"
# Protocols that return no thoughts unless a request asks for them: OpenAI's summaries, the
# display of Claude (since Opus 4.7), Gemini's includeThoughts. Looked up in the SDKs openai 3.57,
# anthropic 2.14 and google-genai 3.4.
_HIDING = frozenset({_RESPONSES, "anthropic", "bedrock-converse", "gemini", "gemini-interactions"})


@dataclass(slots=True)
class ModelTarget:
    """A model and the formatter that writes for it.

    Attributes:
        name: What the LLM was asked for.
        model: The model.
        formatter: The formatter.
        responses: The Responses wire of a model that takes tools together with reasoning only
            there; None if the name, or a formatter, fixes the wire.
        formatting: The keywords of its formatter.
    """

    name: str
    model: ChatModel
    formatter: WireFormatter
    responses: Wire | None = None
    formatting: Mapping[str, Any] = field(default_factory=dict)
    _other: ModelTarget | None = None
    _shows: dict[tuple[Any, ...], bool] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        key: Key,
        connection: ConnectionOptions,
        formatting: Mapping[str, Any],
        formatter: WireFormatter | None = None,
        facts: Any = None,
        row: Vendor | None = None,
    ) -> ModelTarget:
        """Return the target of a name, or of a model of the vendor `row`.

        Raises:
            ConfigError: The name or a setting is wrong.
            FormatterMismatch: The formatter writes for another wire.
        """
        if row is not None:
            own = wire(row, facts=facts)
            model = ChatModel(own, name or own.room.model, key, **connection)
            if not model.model_name:
                text = f"{row.name} has no usual model"
                raise ConfigError(text, path="$.model", hint='model="..."', code="llm.name")
            return cls.pair_with(f"{row.name}/{model.model_name}", model, formatting, formatter)
        host, protocol, model_id = model_name(name, elsewhere=bool(connection.get("base_url")))
        bound: Wire = wire(f"{host.name}/{protocol}", facts=facts)

        def over(other: Wire) -> ModelTarget:
            model = ChatModel(other, model_id, key, **connection)
            return cls(name, model, WireFormatter(other, model=model_id, **formatting))

        if formatter is None:
            leaves_open = f"/{protocol}/" not in name and protocol != _RESPONSES
            caps = bound.can(model_id)
            if not leaves_open or _RESPONSES not in host.wires or caps.tools_with_thinking == "yes":
                return over(bound)
            responses = wire(f"{host.name}/{_RESPONSES}", facts=facts)
            if caps.thinks == "always" and caps.tools_with_thinking == "no":
                return over(responses)
            made = over(bound)
            made.responses, made.formatting = responses, formatting
            return made
        return cls.pair_with(
            name, ChatModel(bound, model_id, key, **connection), formatting, formatter
        )

    @classmethod
    def pair_with(
        cls, name: str, model: ChatModel, formatting: Mapping[str, Any], formatter: Any
    ) -> ModelTarget:
        """Return the target of a model and a formatter.

        Raises:
            ConfigError: The formatter cannot be used here.
            FormatterMismatch: The formatter writes for another wire.
        """
        if formatter is None:
            return cls(name, model, WireFormatter(model.wire, model=model.model_name, **formatting))
        if not isinstance(formatter, WireFormatter):
            text = f"{type(formatter).__name__} writes no requests"
            hint = "Formatter(...), or a named one such as AnthropicChatFormatter()"
            raise ConfigError(text, hint=hint, code="llm.formatter")
        paired_model = pair_model(formatter, model)
        assert isinstance(paired_model, ChatModel)  # `pair_model` keeps the class
        return cls(name, paired_model, formatter)

    def for_request(self, request: ChatRequest) -> ModelTarget:
        """Return this target, or that over Responses if this wire takes no tools with thinking."""
        if self.responses is None or not needs_other_wire(request, self.formatter.can):
            return self
        return self._over_responses(self.responses)

    def over(self, protocol: str) -> ModelTarget:
        """Return this target over another protocol that it may write for.

        Raises:
            ConfigError: It never does.
        """
        if protocol == self.wire.room.protocol:
            return self
        if self.responses is not None and protocol == self.responses.room.protocol:
            return self._over_responses(self.responses)
        text = f"{self.name} is not asked over {protocol}"
        raise ConfigError(text, hint=f"{self.name} is over {self.wire.room.protocol}")

    def _over_responses(self, responses: Wire) -> ModelTarget:
        if self._other is None:
            given, model_id = self.model.connection, self.model.model_name
            model = ChatModel(responses, model_id, given.key, **given.options())
            formatter = WireFormatter(responses, model=model_id, **self.formatting)
            self._other = ModelTarget(self.name, model, formatter)
        return self._other

    def for_call(self, call: CallOptions) -> ModelTarget:
        """Return this target with the timeout, retries and headers of one call."""
        model = copy(self.model)
        model.endpoint = model.endpoint.for_call(call)
        return replace(self, model=model)

    def with_model(self, name: str, formatting: Mapping[str, Any], formatter: Any) -> ModelTarget:
        """Return a target for another model of the same host, over the same sockets."""
        model = copy(self.model)
        model.model_name = name
        host = self.name.removesuffix(self.model.model_name)
        return ModelTarget.pair_with(f"{host}{name}", model, formatting, formatter)

    @property
    def models(self) -> list[ChatModel]:
        """The models that hold connections."""
        return [self.model] if self._other is None else [self.model, self._other.model]

    @property
    def wire(self) -> Wire:
        """The wire over which the model is asked."""
        return self.model.wire

    def write(self, request: ChatRequest, structured: Structured[Any] | None, way: Any) -> Written:
        """Return the whole request as it is sent."""
        model = self.model.model_name
        if self.model.generate_kwargs:
            request = self.model.with_own_options(request)
        request = self._with_thoughts(request)
        if structured is not None:
            request = structured_request(request, self.wire, model, structured, way).request
        written = self.formatter.format_request(request, model)
        self.formatter.refuse_unseen(request, written)
        return written

    def _with_thoughts(self, request: ChatRequest) -> ChatRequest:
        """Ask for visible thoughts if reasoning is asked for and hidden by default.

        A request that names `thoughts`, or was read from JSON, is not changed.
        """
        options = request.options
        hides = self.wire.room.protocol in _HIDING and request.read is None
        asks = options.reasoning not in (None, "off", "none") or (options.reasoning_budget or 0) > 0
        if not (hides and asks) or options.thoughts is not None:
            return request
        key = (options.reasoning, options.reasoning_budget, options.max_tokens, bool(request.tools))
        shows = self._shows.get(key)
        if shows is None:
            trial = replace(
                request,
                messages=[Msg.user("?")],
                system=None,
                memories=None,
                options=replace(options, thoughts="auto"),
            )
            with suppress(WriteError):
                out = self.wire.write_request(
                    trial, self.model.model_name, style=self.formatter.style, policy=Policy()
                )
                shows = not any(loss.field == "thoughts" for loss in out.losses)
            self._shows[key] = shows = bool(shows)
        return replace(request, options=replace(options, thoughts="auto")) if shows else request

    async def fetch_ahead(self, request: ChatRequest) -> None:
        """Fetch the media that must be sent as bytes, if the fetcher is async."""
        fetch = self.formatter.style.fetch
        if (ahead := getattr(fetch, "amany", None)) is not None:
            await ahead(self.wire.wanted_media(request, self.model.model_name))

    def answer(
        self,
        out: Written,
        resp: ChatResponse,
        request: ChatRequest,
        structured: Structured[Any] | None,
        raw: Any = None,
    ) -> Answer[Any]:
        """Return the answer to a written request.

        Raises:
            InvalidOutput: The answer does not fit the type.
        """
        if resp.error is not None:
            error = self.place_error(resp.error, out)
            error.response = resp
            raise error
        for candidate in resp.candidates:
            if request.agent_name is not None:
                candidate.msg.name = request.agent_name
        plain = resp if structured is None else plain_answer(resp)
        host = self.wire.vendor.name if self.wire.vendor is not None else self.wire.name
        answer: Answer[Any] = Answer.of(
            plain, raw=raw, written=out, host=host, vendor=self.wire.vendor
        )
        if structured is not None and not answer.calls:
            try:
                answer.parsed = structured.parse(resp)
            except InvalidOutput as error:
                error.response = answer
                raise
        return answer

    def place_error(self, error: ProviderError, out: Written) -> ProviderError:
        """Return the error, with the place in the caller's request that the provider names."""
        if error.kind == "context_overflow" and self.formatter.max_tokens is None:
            window = self.wire.limits(out.model, self.formatter.style.changes).context_window
            if window is not None:
                error.add_note(
                    f'{out.model} takes {window:,} tokens: history_tokens="fit" cuts to it'
                )
        if not error.path and error.kind in ("invalid", "context_overflow", "too_large"):
            found = explain(error, out)
            if found.where:
                error.path = found.where
        return error


def with_defaults(request: ChatRequest, defaults: ChatRequest) -> ChatRequest:
    """Return the request with defaults for what it does not set."""
    options = defaults.options
    if given := dict(request.options.list_values()):
        options = replace(options, **given)
    return replace(
        request,
        system=defaults.system if request.system is None else request.system,
        tools=request.tools or defaults.tools,
        tool_choice=request.tool_choice or defaults.tool_choice,
        options=options,
        response_format=request.response_format or defaults.response_format,
        agent_name=request.agent_name or defaults.agent_name,
        memories=defaults.memories if request.memories is None else request.memories,
        extras={**(defaults.extras or {}), **(request.extras or {})} or None,
    )
