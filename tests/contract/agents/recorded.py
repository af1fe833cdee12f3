"""Requests of four coding agents, recorded on loopback: those of ../shared, each kind once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["AGENTS", "CORPUS", "Sent", "sent"]

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus" / "agents"
AGENTS = {"claude": "anthropic", "codex": "openai-responses", "gemini": "gemini",
          "opencode": "openai-chat"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sent:
    """One request, and where it was sent."""

    id: str
    body: dict[str, Any]
    path: str


def sent(agent: str) -> Iterator[Sent]:
    """The last request of each session, which holds those before it, and those without tools.

    Of requests that say things of the same kinds, only one.
    """
    with (CORPUS / f"{agent}.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    last = {row["session"]: row["turn"] for row in rows}
    seen: set[str] = set()
    for row in rows:
        body = row["request"]
        is_last = row["turn"] == last[row["session"]]
        if (is_last or not body.get("tools")) and (kind := " ".join(_kinds(body))) not in seen:
            seen.add(kind)
            yield Sent(f"{row['session']}#{row['turn']}", body, row["path"])


def _kinds(value: Any, key: str = "") -> list[str]:
    """The types of its parts and the names of their fields, each once."""
    if key in ("tools", "metadata", "client_metadata", "args", "system", "systemInstruction"):
        return [f"{key}: {bool(value)}"]
    if isinstance(value, dict):
        found = [kind for name, item in value.items() for kind in _kinds(item, name)]
    elif isinstance(value, list):
        found = [kind for item in value for kind in _kinds(item)]
    else:
        found = [f"{key}: {value}" if key in ("type", "role") else key]
    return sorted({*found})
