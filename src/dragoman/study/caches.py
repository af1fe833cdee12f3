"""How providers cache prompts, as rows: in which order they read a body, and what starts it over.

Each row with its source and date. Knows no request.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

__all__ = ["CACHES", "CacheRule"]


@dataclass(frozen=True, slots=True)
class CacheRule:
    """One protocol's prompt cache, as its provider documents it.

    `order`: paths of the parts of the prompt, in the order in which they are hashed; `over`: fields
    of which another value finds nothing; `messages`: those of which another value finds tools and
    system, but no message. `minimum`: tokens below which nothing is cached, `least` for models
    (patterns of bare names) of which it is known otherwise; None: not stated. `marked`: only what
    stands in front of a mark is cached; `exact`: models for which only what ends in such a place.
    `unit`: tokens that are cached together.
    """

    order: tuple[str, ...]
    source: str
    over: tuple[str, ...] = ("model",)
    messages: tuple[str, ...] = ()
    minimum: int | None = None
    least: tuple[tuple[str, int], ...] = ()
    marked: bool = False
    exact: tuple[str, ...] = ()
    unit: int = 1
    since: str = "2026-11-21"

    def smallest(self, model: str) -> int | None:
        """The tokens below which nothing is cached for a model, by its bare name."""
        known = (tokens for pattern, tokens in self.least if fnmatchcase(model, pattern))
        return next(known, self.minimum)

    def told(self) -> str:
        """The source with its date."""
        return f"{self.source} ({self.since})"


_CLAUDE = (("claude-opus-5*", 512), ("claude-sonnet-5-5*", 512))
_GPT = ("gpt-5.6*", "gpt-6*")
_OPENAI = "OpenAI docs: guides/prompt-caching"
_UNSTATED = "; the order is not stated: as chat templates have it"

CACHES: dict[str, CacheRule] = {
    "anthropic": CacheRule(
        ("tools", "system", "messages"),
        "Anthropic docs: build-with-claude/prompt-caching, extended-thinking, effort",
        over=("model", "thinking", "output_config.effort"),
        messages=("tool_choice",),
        minimum=1024, least=_CLAUDE, marked=True,
    ),
    "openai-chat": CacheRule(
        ("tools", "response_format", "messages"), _OPENAI,
        over=("model", "prompt_cache_key"), minimum=1024, exact=_GPT,
    ),
    "openai-responses": CacheRule(
        ("tools", "text.format", "instructions", "input"),
        f"{_OPENAI}; of effort: OpenRouter's notes on moving to gpt-6-astra",
        over=("model", "prompt_cache_key", "reasoning.effort"), minimum=1024, exact=_GPT,
    ),
    "gemini": CacheRule(
        ("systemInstruction", "tools", "contents"),
        f"Gemini API docs: caching, gemini-4-argon{_UNSTATED}",
        over=("cachedContent",), messages=("toolConfig",), least=(("gemini-4-argon*", 6144),),
    ),
    "bedrock-converse": CacheRule(
        ("toolConfig.tools", "system", "messages"),
        "Amazon Bedrock user guide: prompt caching; Claude as on its own API",
        over=("additionalModelRequestFields.thinking",),
        messages=("toolConfig.toolChoice",),
        minimum=1024, least=_CLAUDE, marked=True,
    ),
    "dashscope": CacheRule(
        ("parameters.tools", "input.messages"),
        f"Model Studio docs: context-cache{_UNSTATED}",
        minimum=1024,
    ),
    "mistral": CacheRule(
        ("tools", "messages"), f"Mistral docs: prompt-caching{_UNSTATED}",
        over=("model", "prompt_cache_key"), unit=64,
    ),
    "cohere": CacheRule(
        ("tools", "documents", "messages"), f"Cohere docs: v2/chat, usage{_UNSTATED}"
    ),
    "ollama": CacheRule(
        ("tools", "messages"), f"Ollama's llama_server.go: the prefix of the last prompt{_UNSTATED}"
    ),
}  # fmt: skip
