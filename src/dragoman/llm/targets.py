"""Target: one model that an LLM may ask, with the formatter that writes for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .._core.exchange.wire import Wire
from .._core.format.wired import WireFormatter
from ..errors import ConfigError, InvalidOutput, ProviderError
from ..message import ChatRequest, ChatResponse, Written
from ..model.answer import Answer
from ..model.chat_model import ChatModel
from ..model.endpoint import ConnectionOptions
from ..model.pairing import paired
from ..structured import Structured, plain_answer, structured_request
from ..study.explain import explain
from ..vendors import wire
from .names import model_name

# the keywords of a formatter that an LLM takes under the same name; `history_tokens` is its
# `max_tokens`, which in a request is the most that an answer may have
FORMATTER_OPTIONS = ("speakers", "rewrites", "token_counter", "truncate", "policy", "strict", "can",
                     "fetch", "media_saver", "prompt", "told")  # fmt: skip


_RESPONSES = "openai-responses"


@dataclass(slots=True)
class Target:
    """A model and what writes for it. `name` is what the LLM was asked for."""

    name: str
    model: ChatModel
    formatter: WireFormatter

    @classmethod
    def of(
        cls,
        name: str,
        key: str | None,
        connection: ConnectionOptions,
        formatting: Mapping[str, Any],
        formatter: WireFormatter | None = None,
        facts: Any = None,
    ) -> Target:
        """The target of a name. Raises ConfigError, FormatterMismatch."""
        host, protocol, model_id = model_name(name)
        bound: Wire = wire(f"{host.name}/{protocol}", facts=facts)
        if formatter is None and f"/{protocol}/" not in name and _RESPONSES in host.wires:
            caps = bound.can(model_id)
            if caps.thinks == "always" and caps.tools_with_thinking == "no":
                bound = wire(f"{host.name}/{_RESPONSES}", facts=facts)  # tools go there alone
        model = ChatModel(bound, model_id, key, **connection)
        if formatter is None:
            return cls(name, model, WireFormatter(bound, model=model_id, **formatting))
        if not isinstance(formatter, WireFormatter):
            text = f"{type(formatter).__name__} writes no requests"
            hint = "Formatter(...), or a named one such as AnthropicChatFormatter()"
            raise ConfigError(text, hint=hint, code="llm.formatter")
        paired_model = paired(formatter, model)
        assert isinstance(paired_model, ChatModel)  # as the model is one
        return cls(name, paired_model, formatter)

    @property
    def wire(self) -> Wire:
        """The wire over which the model is asked."""
        return self.model.wire

    def write(self, request: ChatRequest, structured: Structured[Any] | None, way: Any) -> Written:
        """The whole request as it is sent."""
        model = self.model.model_name
        if structured is not None:
            request = structured_request(request, self.wire, model, structured, way).request
        return self.formatter.format_request(request, model)

    async def fetch_ahead(self, request: ChatRequest) -> None:
        """Fetch the media that must go as bytes, where the fetcher can be awaited."""
        fetch = self.formatter.style.fetch
        if (ahead := getattr(fetch, "amany", None)) is not None:
            await ahead(self.wire.wanted_media(request, self.model.model_name))

    def answer(
        self, out: Written, resp: ChatResponse, request: ChatRequest,
        structured: Structured[Any] | None, raw: Any = None,
    ) -> Answer[Any]:  # fmt: skip
        """The answer to what was written. Raises InvalidOutput where it is not of the type."""
        if resp.error is not None:
            error = self.placed(resp.error, out)
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

    def placed(self, error: ProviderError, out: Written) -> ProviderError:
        """The error, with the place in the caller's request that the provider means."""
        if not error.path and error.kind in ("invalid", "context_overflow", "too_large"):
            found = explain(error, out)
            if found.where:
                error.path = found.where
        return error


def with_defaults(request: ChatRequest, defaults: ChatRequest) -> ChatRequest:
    """The request with what it leaves open as the defaults have it."""
    options = replace(defaults.options, **dict(request.options.given()))
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
