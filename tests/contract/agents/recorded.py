"""Requests of four coding agents, recorded on loopback: those of ../shared."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import dragoman
from dragoman import ChatRequest
from tests.contract.converting.conserved import Fact, facts
from tests.contract.converting.conserved.tables import TABLES

__all__ = ["AGENTS", "CORPUS", "Sent", "sample", "sent"]

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus" / "agents"
AGENTS = {"claude": "anthropic", "codex": "openai-responses", "gemini": "gemini",
          "opencode": "openai-chat"}  # fmt: skip
_SETTLED = ("metadata", "client_metadata", "args", "system", "systemInstruction")


@dataclass(frozen=True, slots=True)
class Sent:
    """One request, where it was sent, what its own wire reads in it, and what it says."""

    id: str
    wire: str
    body: dict[str, Any]
    path: str
    request: ChatRequest
    facts: list[Fact]
    kinds: frozenset[str]


@cache
def sent(agent: str) -> list[Sent]:
    """Every request of an agent."""
    with (CORPUS / f"{agent}.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    name = AGENTS[agent]
    wire = dragoman.wire(name, policy="ignore")
    return [
        Sent(f"{row['session']}#{row['turn']}", name, body := row["request"], row["path"],
             wire.read_request(body, row["path"]), facts(TABLES[name], body),
             frozenset(_kinds(body)))
        for row in rows
    ]  # fmt: skip


@cache
def sample(agent: str) -> list[Sent]:
    """As few requests as say everything of each kind that the agent's say, tools included."""
    left = {kind for one in sent(agent) for kind in one.kinds}
    chosen: list[Sent] = []
    while left:
        best = max(sent(agent), key=lambda one: len(one.kinds & left))
        chosen.append(best)
        left -= best.kinds
    return chosen


def _kinds(value: Any, key: str = "") -> list[str]:
    """The types of its parts and of its tools, and the names of their fields, each once."""
    if key in _SETTLED:
        return [f"{key}: {bool(value)}"]
    if key in ("input_schema", "parameters", "parametersJsonSchema"):
        return [key]
    if isinstance(value, dict):
        found = [kind for name, item in value.items() for kind in _kinds(item, name)]
    elif isinstance(value, list):
        found = [kind for item in value for kind in _kinds(item, key)] or [f"{key}: none"]
    else:
        found = [f"{key}: {value}" if key in ("type", "role") else key]
    return sorted({*found})
