"""The recorded requests of one wire that were answered, and whose answer each sends back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dragoman.errors import DragomanError
from tests.contract.reading.recorded import another, file_of

__all__ = ["BROKEN", "SOURCES", "Asked", "asked"]

SOURCES = (
    "openai-chat", "openai-responses", "anthropic", "gemini", "dashscope", "ollama",
    "bedrock-converse", "mistral", "cohere", "gemini-interactions",
)  # fmt: skip


# what may be raised by whoever meets a body that he does not expect: counted, never passed on
BROKEN = (DragomanError, LookupError, TypeError, ValueError, AttributeError, RuntimeError,
          AssertionError)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """One recorded request, and the path that it was sent to."""

    id: str
    vendor: str
    body: dict[str, Any]
    path: str | None
    follows: str | None  # id of the exchange whose answer it sends back
    rewritten: bool  # whoever published it replaced ids


def asked(wire: str, every: int = 1) -> Iterator[Asked]:
    """Of the requests that were answered the first of each `every`."""
    with file_of(wire).open(encoding="utf-8") as lines:
        for nth, line in enumerate(lines):
            told = json.loads(line) if nth % every == 0 else None
            if told and another(wire, told["url_path"]):
                continue
            if told and isinstance(told["request"], dict) and 200 <= (told["status"] or 0) < 300:
                yield Asked(told["id"], told["vendor"], told["request"], told["url_path"],
                            told.get("follows"),
                            told["provenance"] == "recorded-ids-rewritten")  # fmt: skip
