"""Source maps of recorded requests: every text of a written body leads to where it was given."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.analysis import sourcemap
from dragoman.analysis.paths import format_path, inside, walk

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "open"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="needs ../shared: recorded traffic")

WIRES = ("openai-chat", "openai-responses", "anthropic", "gemini", "dashscope", "ollama",
         "bedrock-converse", "mistral")  # fmt: skip
SHORT = 12  # shorter texts are words that a body says in several places


def _bodies(wire: str) -> Iterator[tuple[Any, str]]:
    """About forty requests of the wire, spread over the recordings: (body, path)."""
    with (CORPUS / f"{wire}.jsonl").open(encoding="utf-8") as lines:
        size = sum(1 for _ in lines)
        lines.seek(0)
        for line in islice(lines, 0, None, max(size // 40, 1)):
            row = json.loads(line)
            if isinstance(row["request"], dict) and 200 <= (row["status"] or 0) < 300:
                yield row["request"], row["url_path"]


def _once(body: Any) -> dict[str, str]:
    """Text -> its path, of the longer texts that stand in the body once."""
    found: dict[str, list[str]] = {}
    for way, value in walk(body):
        if isinstance(value, str) and len(value) > SHORT:
            found.setdefault(value, []).append(format_path(way))
    return {text: paths[0] for text, paths in found.items() if len(paths) == 1}


@pytest.mark.parametrize("source", WIRES)
def test_texts_lead_back_from_every_wire(source: str) -> None:
    right: Counter[bool] = Counter()
    for body, path in _bodies(source):
        given = _once(body)
        for target in WIRES:
            try:
                made = dragoman.convert(body, source, target, policy="ignore", path=path)
            except dragoman.WriteError:
                continue
            back = sourcemap(made)
            for way, value in walk(made.body):
                if isinstance(value, str) and value in given:
                    there = back.of(format_path(way)).path
                    right[there != "$" and inside(given[value], there)] += 1
    assert right.total() > 200
    # a tool's name may be told where only its call has it, and tools are made up for old calls
    assert right[True] / right.total() > 0.98
