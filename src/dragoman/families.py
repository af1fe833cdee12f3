"""Facts of model families, whoever hosts them: by bare model name, first match wins.

Each fact has a date and a source. A vendor's row adds what its host changes.
"""

from __future__ import annotations

from .capabilities import Fact, Facts

__all__ = ["FAMILIES"]

_OPENAI = "OpenAI API reference, Create chat completion; recorded 400s (unsupported_value)"
_SAMPLING = ("temperature", "top_p", "presence_penalty", "frequency_penalty")
_REASONING = dict.fromkeys((*_SAMPLING, "logprobs", "top_logprobs"), "refuses")


FAMILIES = Facts(
    rows=(
        Fact(
            models=("gpt-5*", "gpt-6*", "o1*", "o3*", "o4*"),
            but=("gpt-5*-chat*",),
            changes={"options": _REASONING},
            since="2025-08-07",
            source=_OPENAI,
        ),
        Fact(
            models=("claude-haiku-4-5*", "claude-sonnet-4-5*", "claude-opus-4-5*", "claude-3*"),
            changes={"prefill": True},
            since="2025-10-01",
            source="Anthropic, Messages API: prefill; recorded on Haiku 4.5",
        ),
        Fact(
            models=("gemini-2*", "gemini-3-*", "gemini-3.1-*"),
            changes={"prefill": True},
            since="2026-07-21",
            source="Gemini API changelog: requests that end with a model turn",
        ),
    )
)
