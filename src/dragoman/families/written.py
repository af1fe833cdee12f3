"""How the facts of a family are written down: what holds on any wire, and what on one alone.

The first row that holds for a model is applied, so a row of one wire says everything again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..capabilities import Fact

__all__ = ["CHAT", "known"]

CHAT = "openai-chat"


def known(
    models: tuple[str, ...],
    since: str,
    source: str,
    anywhere: Mapping[str, Any],
    chat: Mapping[str, Any] | None = None,
    *,
    but: tuple[str, ...] = (),
) -> tuple[Fact, ...]:
    """Rows of `models`: `anywhere` holds behind any host, `chat` on Chat Completions besides."""
    general = Fact(models, dict(anywhere), since, source, but)
    if not chat:
        return (general,)
    return (Fact(models, {**anywhere, **chat}, since, source, but, wire=CHAT), general)
