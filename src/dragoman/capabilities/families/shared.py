"""How the facts of a family are written: what holds on any wire, and what on one wire only.

Only the first row that holds for a model is applied, so a row of one wire repeats everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import Fact, Facts

CHAT = "openai-chat"


def state(
    models: tuple[str, ...],
    since: str,
    source: str,
    anywhere: Mapping[str, Any],
    chat: Mapping[str, Any] | None = None,
    *,
    but: tuple[str, ...] = (),
) -> tuple[Fact, ...]:
    """Rows of `models`: `anywhere` holds on any host, `chat` on Chat Completions in addition."""
    general = Fact(models, dict(anywhere), since, source, but)
    if not chat:
        return (general,)
    return (Fact(models, {**anywhere, **chat}, since, source, but, wire=CHAT), general)


_COPY: dict[str, Any] = {
    "signed_thinking": False,
    "redacted_thinking": False,
    "result": ("text",),
    "document": False,
    "server_tools": (),
    "strict_tools": False,
    "cached_tools": False,
    "cache_hints": 0,
    "formats": ("text",),
    "efforts": ("on",),
    "max_tokens": 8192,
}


# missing thinking matters only while the model thinks
_STILL = Fact(
    ("*",),
    {"empty_thinking": False},
    "2026-08-07",
    "leookun/cursor-byok pull request 276: an empty block instead, while thinking",
    when="still",
)


# thinking as Claude Code asks these hosts for it: on, with a budget
BUDGETED: dict[str, Any] = {"form": "budget", "efforts": (), "budgets": (1024, 31_999)}


# options of Chat Completions that hosts of copies do not have
UNKNOWN = (
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "n",
    "logprobs",
    "top_logprobs",
    "service_tier",
)


SAMPLES: dict[str, Any] = {"options": {"temperature": "takes", "top_p": "takes"}}
# Responses at another host: only functions, no tools that the host runs, no cache marks
COPIED_ITEMS: dict[str, Any] = {
    "refusal": False,
    "tool_choices": ("auto", "none", "required", "tool"),
    "server_tools": (),
    "cache_hints": 0,
    "native_items": False,
}
TOP_K: dict[str, Any] = {"options": {**SAMPLES["options"], "top_k": "takes"}}


def copy_facts(issuer: str, since: str, source: str, changes: dict[str, Any], *rows: Fact) -> Facts:
    """The facts of one host: those of a copy with `changes`, and rows by model or state."""
    always = {**_COPY, "signatures": (issuer,), **changes}
    return Facts(rows=(*rows, _STILL), always=always, since=since, source=source)
