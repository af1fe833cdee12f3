"""Every named formatter beside AgentScope 1.0.21's formatter of the same name.

tests/golden/agentscope/*.json hold conversations and what AgentScope makes of them (written by
benchmarks/agentscope_golden.py). Verdict "same": ours is equal. Verdict "ours": AgentScope's
answer is one that the API refuses, or that says something else; `because` names the fault and
`right` is what ours must be. `right: null` waits for the decision that `question` asks for.

Words that no one but us chooses stand in `right` as <text 1>, <name 1>, <id 1>: any value that
the APIs take, the same wherever the mark is the same, and another one where it is not.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.each_case import each_case

GOLDEN = Path(__file__).parents[1] / "golden" / "agentscope"
MARK = re.compile(r"<(text|name|id) \d+>")
TAKEN = {  # what OpenAI takes as a name, Anthropic as an id; any words as a text
    "text": re.compile(r"(?s)\s*\S.*"),
    "name": re.compile(r"[^\s<|\\/>]{1,64}"),
    "id": re.compile(r"[a-zA-Z0-9_-]{1,64}"),
}
WIRES = ("OpenAI", "OpenAIResponse", "Anthropic", "DashScope", "Gemini", "Ollama", "DeepSeek")
FORMATTERS = [f"{wire}{kind}Formatter" for wire in WIRES for kind in ("Chat", "MultiAgent")]


@dataclass(frozen=True)
class Run:
    """One conversation through one formatter."""

    where: str
    msgs: list[dict[str, Any]]
    formatter: str
    verdict: str
    options: dict[str, Any] = field(default_factory=dict)
    expected: list[dict[str, Any]] | None = None
    raises: str | None = None
    because: str | None = None
    right: list[dict[str, Any]] | None = None
    question: str | None = None
    files: dict[str, str] = field(default_factory=dict)
    saved: dict[str, str] = field(default_factory=dict)


def _runs() -> list[Run]:
    made = []
    for path in sorted(GOLDEN.glob("*.json")):
        topic = json.loads(path.read_text(encoding="utf-8"))
        world = {key: topic[key] for key in ("files", "saved") if key in topic}
        made += [
            Run(where=f"{path.stem}: {case['name']}", msgs=case["msgs"], **run, **world)
            for case in topic["cases"]
            for run in case["runs"]
        ]
    return made


def _id(run: Run) -> str:
    return ", ".join([run.where, run.formatter, *run.options])


RUNS = _runs()
SAME = [run for run in RUNS if run.verdict == "same"]
OURS = [run for run in RUNS if run.verdict == "ours" and run.right is not None]
OPEN = [run for run in RUNS if run.verdict == "ours" and run.right is None]

Write: TypeAlias = Callable[[Run], list[dict[str, Any]]]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """What our formatter makes of a run, in a working folder that holds the run's files."""
    numbers = itertools.count()

    def write(run: Run) -> list[dict[str, Any]]:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        monkeypatch.chdir(folder)
        for name, data in run.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(base64.b64decode(data))
        msgs = json.loads(json.dumps(run.msgs).replace("{cwd}", folder.as_posix()))
        saver = {"media_saver": lambda _, data: run.saved[data]} if run.saved else {}
        formatter = _formatter(run.formatter)(**run.options, **saver)
        wire: list[dict[str, Any]] = formatter.format_sync([_msg(**msg) for msg in msgs])
        return wire

    return write


def _formatter(name: str) -> Any:
    return getattr(import_module("dragoman.formatter"), name)


def _msg(name: str, content: Any, role: str) -> Any:
    return import_module("dragoman.message").Msg(name, content, role)


def canonical(value: Any) -> str:
    """The value as JSON text: 1 is not 1.0 and not true, the order of keys says nothing."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False, indent=1)


def filled(right: Any, wire: Any, found: dict[str, str]) -> Any:
    """`right` with its marks replaced by what stands in their place in `wire`, if it may."""
    if isinstance(right, dict) and isinstance(wire, dict):
        return {key: filled(inner, wire.get(key), found) for key, inner in right.items()}
    if isinstance(right, list) and isinstance(wire, list) and len(right) == len(wire):
        return [filled(one, other, found) for one, other in zip(right, wire, strict=True)]
    mark = MARK.fullmatch(right) if isinstance(right, str) and isinstance(wire, str) else None
    if mark and TAKEN[mark[1]].fullmatch(wire):
        return found.setdefault(right, wire)
    return right


def strings(value: Any) -> set[str]:
    """Every string of a JSON value, keys left out."""
    if isinstance(value, str):
        return {value}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(strings, inner))


@each_case("run", SAME, ids=_id)
def test_same_where_the_api_takes_it(run: Run, write: Write) -> None:
    assert canonical(write(run)) == canonical(run.expected)


@each_case("run", OURS, ids=_id)
def test_ours_where_agentscope_is_wrong(run: Run, write: Write) -> None:
    wire = write(run)
    found: dict[str, str] = {}
    assert canonical(wire) == canonical(filled(run.right, wire, found)), run.because
    names = [value for mark, value in found.items() if not mark.startswith("<text")]
    assert len(set(names)) == len(names), "two became one"
    assert not set(names) & strings(run.right), "one became another that is there already"


@each_case("run", OPEN, ids=_id)
def test_ours_differs_where_it_is_not_decided(run: Run, write: Write) -> None:
    from dragoman.errors import DragomanError

    try:
        wire = write(run)
    except DragomanError:
        return  # refused by name is an answer, too
    assert canonical(wire) != canonical(run.expected), run.question


@each_case("number", [float("nan"), float("inf"), float("-inf")])
@each_case("name", FORMATTERS)
def test_numbers_that_json_has_not_are_refused(name: str, number: float) -> None:
    """Fault 12: AgentScope writes NaN into the arguments; no API reads that."""
    from dragoman.errors import DragomanError

    call = {"type": "tool_use", "id": "c1", "name": "sum", "input": {"all": [1, number]}}
    answer = {"type": "tool_result", "id": "c1", "name": "sum", "output": "?"}
    with pytest.raises(DragomanError):
        _formatter(name)().format_sync([
            _msg("user", "Add.", "user"),
            _msg("Friday", [call], "assistant"),
            _msg("system", [answer], "system"),
        ])  # fmt: skip


def test_golden_files_say_what_they_must() -> None:
    assert len({_id(run) for run in RUNS}) == len(RUNS)
    assert {run.formatter for run in RUNS} == set(FORMATTERS)
    for run in RUNS:
        assert (run.expected is None) == (run.raises is not None), run.where
        if run.verdict == "same":
            assert run.raises is None, run.where
            assert (run.because, run.right, run.question) == (None, None, None), run.where
        else:
            assert run.verdict == "ours", run.where
            assert run.because, run.where
            assert (run.right is None) == bool(run.question), run.where
            assert canonical(run.right) != canonical(run.expected), run.where
