"""`dragoman check`: the verdict on a body, of its own wire or another's, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dragoman import wires

from .bodies import CLAUDE, NAMED, PLAIN, lines
from .running import run, widest, written

HOT = {**CLAUDE, "temperature": 0.3}


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def verdict(body: Any, *args: str, code: int) -> Any:
    ran = run("check", *args, "--json", input=json.dumps(body))
    assert ran.exit_code == code, ran.stdout + ran.stderr
    assert ran.stderr == ""
    return json.loads(ran.stdout)


def test_a_body_of_the_wire_itself_that_is_fine() -> None:
    ran = run("check", written(Path("r.json"), CLAUDE), "--to", "anthropic")
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert ran.stdout == "r.json: fine for anthropic\n"


def test_a_body_that_would_be_refused_names_place_rule_source_and_fix() -> None:
    found = verdict(HOT, "--to", "anthropic", code=1)
    assert (found["ok"], found["from"], found["lost"]) == (False, "anthropic", [])
    [one] = found["refused"]
    assert (one["where"], one["code"]) == ("$.temperature", "option.refused")
    assert one["source"]
    assert one["since"].startswith("202")
    ran = run("check", "--to", "anthropic", input=json.dumps(HOT))
    assert ran.exit_code == 1
    assert ran.stdout.startswith("stdin for anthropic - 1 refused\n")
    assert "$.temperature  option.refused" in ran.stdout
    assert f"({one['since']})" in ran.stdout
    assert "fix: " in ran.stdout
    assert widest(ran.stdout) <= 80


def test_another_model_is_asked_instead() -> None:
    assert run("check", "--to", "anthropic", input=json.dumps(HOT)).exit_code == 1
    old = run("check", "--to", "anthropic", "-m", "claude-sonnet-4", input=json.dumps(HOT))
    assert old.exit_code == 0


def test_a_body_of_another_wire_is_converted_and_its_losses_judged() -> None:
    found = verdict(NAMED, "--to", "gemini", code=1)
    assert found["from"] == "openai-chat"
    codes = {loss["code"] for loss in found["lost"]}
    assert {"name.unsupported", "extras.other_provider"} <= codes
    assert "call.bypass" not in codes  # what is added is no loss beyond the policy
    assert all(loss["fix"] for loss in found["lost"])
    assert found["refused"] == []


@pytest.mark.parametrize("to", wires())
def test_what_loses_nothing_is_fine_everywhere(to: str) -> None:
    body = {"model": "m-1", "messages": [{"role": "user", "content": "Hi"}]}
    assert verdict(body, "--to", to, code=0)["ok"] is True


def test_the_policy_says_what_may_be_lost() -> None:
    args = (
        "--to",
        "gemini",
        "--allow",
        "name.*",
        "--allow",
        "extras.other_provider",
        "--allow",
        "result.*",
    )
    assert verdict(NAMED, *args, code=0)["lost"] == []
    assert verdict(NAMED, "--to", "gemini", "--policy", "ignore", code=0)["ok"] is True
    strict = verdict(NAMED, *args, "--refuse", "added", code=1)
    assert [loss["code"] for loss in strict["lost"]] == ["call.bypass"]


def test_what_cannot_be_written_at_all_is_refused() -> None:
    found = verdict(CLAUDE, "--to", "openai", "-m", "gpt-5-pro", code=1)
    assert "/responses" in found["error"]
    body = {"model": "gpt-5-pro", "messages": PLAIN["messages"]}
    ran = run("check", "--to", "openai", input=json.dumps(body))
    assert ran.exit_code == 1
    assert ran.stdout.startswith("stdin for openai - 1 refused\n")
    assert "model.endpoint" in ran.stdout


def test_a_source_that_is_given_is_not_guessed() -> None:
    body = {"model": "m-1", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
    assert verdict(body, "--to", "anthropic", code=0)["from"] == "anthropic"
    assert verdict(body, "--to", "anthropic", "--from", "mistral", code=0)["from"] == "mistral"


def test_a_verdict_for_each_line() -> None:
    name = written(Path("many.jsonl"), lines(CLAUDE, "{broken", HOT, {"request": CLAUDE}))
    ran = run("check", name, "--to", "anthropic", "--json")
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.exit_code == 1
    assert [one["ok"] for one in found] == [True, False, False, True]
    assert [one["place"] for one in found] == [f"many.jsonl:{n}" for n in (1, 2, 3, 4)]
    assert ran.stderr.startswith("error: many.jsonl:2: no JSON: ")
    shown = run("check", name, "--to", "anthropic").stdout.splitlines()
    assert shown[0] == "many.jsonl:1: fine for anthropic"
    assert shown[1] == "many.jsonl:3 for anthropic - 1 refused"
    assert shown[-1] == "many.jsonl:4: fine for anthropic"


@pytest.mark.parametrize(
    ("text", "told"),
    [("{", "error: stdin: no JSON: "), ('{"foo": 1}', "error: stdin: $: no protocol has bodies")],
)
def test_what_cannot_be_read_is_no_verdict(text: str, told: str) -> None:
    ran = run("check", "--to", "gemini", input=text)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(told)
