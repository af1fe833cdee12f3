"""Histories that are cut to a budget: what is sent, what it counts for, and what went, in one file.

tests/golden/cut/*.json hold `cases` as the requests beside them do; each has a `max_tokens`, of
characters, and a strategy by its name where it is not the default one. `full` is what the whole
history counts for. `pytest --update-golden` writes what comes out now.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.message import ChatRequest, load
from dragoman.tokens import CharTokenCounter
from tests.laws.judging import request_faults

HERE = Path(__file__).parent / "cut"
FILES = sorted(HERE.glob("*.json"))
OUT = ("full", "body", "losses", "error")


def read(path: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return made


def cut(case: dict[str, Any], wire: str) -> dict[str, Any]:
    """What comes out; a body that the judge refuses is no golden one."""
    req = load({"dragoman": 1, "kind": "request", "value": case["request"]})
    assert isinstance(req, ChatRequest)
    counter = CharTokenCounter()
    named = case.get("truncate")
    formatter = dragoman.Formatter(
        wire, model=req.model, token_counter=counter, max_tokens=case["max_tokens"],
        truncate=getattr(dragoman, named)() if named else None, policy="ignore",
    )  # fmt: skip
    whole = formatter.with_limit(10**9)
    full = counter.count_sync(whole.format_sync(req.messages), whole.format_tools(req.tools))
    made: dict[str, Any] = {"full": full, "body": None, "losses": [], "error": ""}
    try:
        out = formatter.format_request(req)
    except dragoman.ContextOverflow as error:
        return {**made, "error": str(error)}
    assert request_faults(formatter.wire, out) == []
    losses = [f"{loss.kind} {loss.code} {loss.where}" for loss in out.losses]
    return {**made, "body": out.body, "losses": losses}


def updated(topic: dict[str, Any]) -> str:
    for case in topic["cases"]:
        case.update(cut(case, case["wire"]))
    return json.dumps(topic, ensure_ascii=False, indent=1) + "\n"


CASES = [(path, case["name"]) for path in FILES for case in read(path)["cases"]]


@pytest.mark.parametrize(("path", "name"), CASES, ids=lambda one: getattr(one, "stem", one))
def test_cut(path: Path, name: str, pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--update-golden"):
        path.write_text(updated(read(path)), encoding="utf-8")
    (case,) = (case for case in read(path)["cases"] if case["name"] == name)
    assert cut(case, case["wire"]) == {key: case[key] for key in OUT}


def test_the_files_are_written_as_they_are_read() -> None:
    for path in FILES:
        assert path.read_text(encoding="utf-8") == updated(read(path)), path.name
