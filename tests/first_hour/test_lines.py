"""Each line that people type from habit works as it did there, or its error names the spelling."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

import dragoman
from dragoman import DragomanError
from dragoman.testing import Scripted
from tests.each_case import each_case
from tests.transport.ways import KEY

from .lines import LINES, Line


def names(script: Scripted) -> dict[str, Any]:
    """What a line may use: the names of the package, with a provider that answers by script."""

    def llm(*args: Any, **settings: Any) -> Any:
        given = {"transport": script, "policy": "ignore", **settings}
        if "api_key" not in given:
            given["key"] = KEY
        return dragoman.LLM(*args, **given)

    return {
        **{name: getattr(dragoman, name) for name in dragoman.__all__},
        "LLM": llm,
        "llm": llm("openai/gpt-4o"),
        "sent": lambda: script.calls[-1],
        "body": lambda: json.loads(script.calls[-1].body),
    }


@each_case("line", LINES, ids=lambda line: f"{line.library}: {line.code}")
def test_a_line(line: Line) -> None:
    assert bool(line.shows) != bool(line.says)  # it works, or it says what to write
    script = Scripted("1", "1", "1")
    known = names(script)
    if line.shows:
        exec(line.code, known)
        assert eval(line.shows, known)
        return
    with pytest.raises((DragomanError, ImportError)) as caught:
        exec(line.code, known)
    assert line.says in str(caught.value)
    assert script.calls == []  # nothing was sent before it was said


def test_there_are_enough_of_every_library() -> None:
    counts = Counter(line.library for line in LINES)
    assert sum(counts.values()) >= 60
    wanted = ("openai", "litellm", "langchain", "pydantic-ai", "instructor", "ai-sdk", "ollama")
    assert all(counts[library] >= 2 for library in wanted)
    assert len({line.code for line in LINES}) == len(LINES)
    assert all(line.source for line in LINES)
