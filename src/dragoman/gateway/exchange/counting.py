"""Token counts: the provider's own, or the figures of the counter that a route names.

Reference: Anthropic API, "Count tokens in a Message"; Gemini API, "models.countTokens"; OpenAI API
reference, "Get input token counts" of Responses.
"""

from __future__ import annotations

from typing import Any

from ...caches import remember
from ...errors import ConfigError, DragomanError, ProviderError, ReadError
from ...message import Written
from ...text.json_text import encode_json, loads
from ...tokens.chat_messages import split_body
from ...transport.call import HttpCall
from ..config.targets import make_counter
from .target_wire import Upstream

# the fields of a request for an answer that a request for a count may have
_ANTHROPIC = frozenset(
    {
        "messages",
        "model",
        "system",
        "tools",
        "tool_choice",
        "thinking",
        "output_config",
        "cache_control",
        "context_management",
        "mcp_servers",
    }
)
_RESPONSES = frozenset(
    {
        "model",
        "input",
        "instructions",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "reasoning",
        "text",
        "truncation",
        "conversation",
        "previous_response_id",
    }
)
_FIGURES = {
    "anthropic": "input_tokens",
    "openai-responses": "input_tokens",
    "gemini": "totalTokens",
}


def call(upstream: Upstream, written: Written, size: int = 0) -> HttpCall | None:
    """The call that asks the provider how many tokens a request takes; None if there is no way."""
    headers = {"content-type": "application/json", **written.headers}
    body, path = written.body, written.path
    match upstream.protocol:
        case "anthropic" if path.endswith("/v1/messages"):
            kept = {name: value for name, value in body.items() if name in _ANTHROPIC}
            return upstream.call(f"{path}/count_tokens", headers, encode_json(kept, size))
        case "openai-responses" if upstream.vendor.counts == upstream.protocol:
            kept = {name: value for name, value in body.items() if name in _RESPONSES}
            return upstream.call(f"{path}/input_tokens", headers, encode_json(kept, size))
        case "gemini":
            model, _, _ = path.rpartition(":")
            whole = {"generateContentRequest": {"model": model.removeprefix("/"), **body}}
            return upstream.call(f"{model}:countTokens", headers, encode_json(whole, size))
        case _:
            return None


def read(protocol: str, body: bytes) -> int | None:
    """The figure in the provider's answer; None if it has none above 0."""
    try:
        value: Any = loads(body)
    except ReadError:
        return None
    figure = value.get(_FIGURES[protocol]) if isinstance(value, dict) else None
    return figure if type(figure) is int and figure > 0 else None


def local(counter: str, error: DragomanError) -> str:
    """The counter to use when the provider gave no figure; empty for none.

    It is the route's counter; without one it is `auto`, if the provider has no way to count.
    """
    return counter or ("auto" if error.code == "count.unavailable" else "")


def count_tokens(name: str, written: Written) -> int:
    """The tokens of a request, by a counter.

    Raises:
        DragomanError: The counter gives no figure: a provider that it asks refuses, a library that
            it needs is missing, or it fails in any other way.
    """
    messages, tools = split_body(written.body)
    try:
        figure: Any = _counter(name, written.model or "").count_sync(messages, tools or None)
        return max(1, int(figure))
    except DragomanError:
        raise
    except Exception as error:  # a counter may be code of the user's or a tokenizer's
        text = f"the counter {name!r} gave no figure: {type(error).__name__}"
        raise ConfigError(
            text, code="count.failed", hint="name another counter in the route"
        ) from error


@remember("token counters that routes name", entries=8, size=2**24)
def _counter(name: str, model: str) -> Any:
    return make_counter(name, model)


def unavailable(upstream: Upstream) -> DragomanError:
    """The refusal when no figure is available: 0 would turn an agent's compaction off."""
    text = f"{upstream.vendor.name} offers no way to count tokens over {upstream.protocol}"
    return ProviderError(
        text,
        status=404,
        type="not_found_error",
        code="count.unavailable",
        hint="set counter in the route, such as openai/gpt-5.6",
    )
