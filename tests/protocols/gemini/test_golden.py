"""Whole requests to Gemini: what goes in, what goes out, and what was lost on the way.

tests/golden/gemini/*.json hold each case in one place; a change of theirs is reviewed as a diff.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from tests.contract.judges import judge_request

GOLDEN = Path(__file__).parents[2] / "golden" / "gemini"
CASES = {
    f"{path.stem}: {case['name']}": case
    for path in sorted(GOLDEN.glob("*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
}


def request_of(given: dict[str, Any]) -> ChatRequest:
    fields = {key: value for key, value in given.items() if key != "messages"}
    return ChatRequest([Msg(**msg) for msg in given["messages"]], **fields)


def found(given: dict[str, Any]) -> dict[str, Any]:
    """Path, body and losses of a request; the judge must accept it."""
    out = dragoman.wire("gemini", policy="ignore").write_request(request_of(given))
    assert judge_request("gemini", out.body, f"/v1beta{out.path}") == []
    losses = [f"{loss.kind} {loss.code} {loss.where}" for loss in out.losses]
    return {"path": out.path, "body": out.body, "losses": losses}


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str) -> None:
    case = CASES[name]
    before = json.dumps(case["request"])
    expected = {key: case[key] for key in ("path", "body", "losses")}
    assert found(case["request"]) == expected
    assert json.dumps(case["request"]) == before
