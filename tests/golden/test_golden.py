"""Whole requests by wire: what goes in, what goes out, and what is lost on the way, in one file.

tests/golden/<protocol>/*.json hold `cases`: a `request` as dragoman.message.dump stores it (its
`wire` is the file's, or the case's own, and `can` what the user says of it), and the path, headers,
body and losses that come out.
`pytest --update-golden` writes what comes out now; the change is reviewed as a diff.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.history.pipeline import FormatStyle
from dragoman.message import ChatRequest, load
from tests.each_case import each_case
from tests.laws.judging import request_faults

HERE = Path(__file__).parent
ROOMS = ("openai_chat", "openai_responses", "anthropic", "gemini", "gemini_interactions", "bedrock",
         "mistral", "cohere")  # fmt: skip
FILES = [path for name in ROOMS for path in sorted((HERE / name).glob("*"))]
OUT = ("path", "headers", "body", "losses")


def read(path: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return made


def written(case: dict[str, Any], wire_name: str) -> dict[str, Any]:
    """What comes out; a body that the judge refuses is no golden one."""
    req = load({"dragoman": 1, "kind": "request", "value": case["request"]})
    assert isinstance(req, ChatRequest)
    wire = dragoman.wire(wire_name, policy="ignore")
    out = wire.write_request(req, style=FormatStyle(changes=case.get("can", {})))
    assert request_faults(wire, out) == []
    losses = [f"{loss.kind} {loss.code} {loss.where}" for loss in out.losses]
    return {"path": out.path, "headers": out.headers, "body": out.body, "losses": losses}


def updated(topic: dict[str, Any]) -> str:
    for case in topic["cases"]:
        case.update(written(case, case.get("wire", topic["wire"])))
    return json.dumps(topic, ensure_ascii=False, indent=1) + "\n"


CASES = [(path, i) for path in FILES for i in range(len(read(path)["cases"]))]


@each_case(("path", "number"), CASES)
def test_golden(path: Path, number: int, pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--update-golden"):
        path.write_text(updated(read(path)), encoding="utf-8")
    topic = read(path)
    case = topic["cases"][number]
    found = written(case, case.get("wire", topic["wire"]))
    assert json.dumps(found, indent=1) == json.dumps({key: case[key] for key in OUT}, indent=1), (
        case["name"]
    )


def test_the_files_are_written_as_they_are_read() -> None:
    for path in FILES:
        topic = read(path)
        assert path.read_text(encoding="utf-8") == updated(topic), path.name
        names = [case["name"] for case in topic["cases"]]
        assert len(set(names)) == len(names), path.name
        for case in topic["cases"]:
            assert list(case)[-4:] == list(OUT), case["name"]
