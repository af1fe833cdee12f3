"""The recorded exchanges of one wire, if somebody has them: all, or every so-manieth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "PRESENT", "WIRES", "Exchange", "another", "exchanges", "file_of"]

FOLDER = Path(__file__).parents[3].parent / "shared" / "corpus" / "open"
PRESENT = FOLDER.is_dir()
WIRES = (
    "openai-chat", "openai-responses", "anthropic", "gemini", "dashscope", "ollama",
    "bedrock-converse", "mistral", "cohere", "gemini-interactions",
)  # fmt: skip
# wires whose traffic lies among others'
_FILES = {"gemini-interactions": "other"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """One recorded answer: `body` if it came whole, else `events` as (name, payload)."""

    id: str
    vendor: str
    model: str
    taken: bool  # the status says that all went well, or nobody wrote it down
    body: Any
    events: list[tuple[str | None, Any]] | None
    request: Any


def another(wire: str, path: str | None) -> bool:
    """Whether the exchange is one of another API of the same vendor: `/v1/chat` of Cohere."""
    if wire == "gemini-interactions":
        return path is None or "/interactions" not in path
    return wire == "cohere" and path is not None and path.startswith("/v1/")


def file_of(wire: str) -> Path:
    """Where the exchanges of a wire are, besides those of `another`."""
    return FOLDER / f"{_FILES.get(wire, wire)}.jsonl"


def exchanges(wire: str, every: int = 1) -> Iterator[Exchange]:
    """Of the recorded exchanges the first of each `every`; those without an answer are left out."""
    with file_of(wire).open(encoding="utf-8") as lines:
        for nth, line in enumerate(lines):
            if nth % every == 0:
                told = json.loads(line)
                if another(wire, told["url_path"]):
                    continue
                if told["events"] is not None or told["response"] is not None:
                    yield _exchange(told)


def _exchange(told: dict[str, Any]) -> Exchange:
    events = told["events"]
    return Exchange(
        told["id"],
        told["vendor"],
        told["model"] or "",
        200 <= (told["status"] or 200) < 300,
        told["response"],
        None if events is None else [(one["event"], one["data"]) for one in events],
        told["request"],
    )
