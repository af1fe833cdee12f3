"""`dragoman plan`: the routes of a body or of our messages, ranked, with the change that helps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dragoman import ChatRequest, Msg, wires
from dragoman.analysis import plan
from dragoman.message import Origin, TextBlock, ThinkingBlock, dump

from .bodies import CLAUDE, NAMED, PLAIN, lines
from .running import CHAT, run, widest, written

TO = ("--to", "anthropic", "--to", "gemini", "--to", "vllm")


def planned(value: Any, *args: str) -> Any:
    ran = run("plan", *args, "--json", input=json.dumps(value))
    assert (ran.exit_code, ran.stderr) == (0, "")
    return json.loads(ran.stdout)


def test_the_routes_of_a_body() -> None:
    found = planned(NAMED, *TO)
    made = plan(NAMED, "openai-chat", targets=["anthropic", "gemini", "vllm"])
    assert [one["wire"] for one in found["routes"]] == [one.wire for one in made.routes]
    for one, route in zip(found["routes"], made.routes, strict=True):
        assert one["lossless"] == route.lossless
        assert one["weight"] == route.weight
        assert one["losses"] == [loss.to_dict() for loss in route.losses]
        assert one["change"] == (None if route.change is None else list(route.change))
    assert found["change"] == (made.change.wire if made.change is not None else None)
    assert found["place"] == "stdin"


def test_without_targets_every_wire_is_asked() -> None:
    found = planned(PLAIN, "--no-changes")
    assert {one["wire"] for one in found["routes"]} == set(wires())


def test_a_target_may_name_its_model() -> None:
    [route] = planned(PLAIN, "--to", "gemini=gemini-2.5-pro")["routes"]
    assert (route["wire"], route["model"]) == ("gemini", "gemini-2.5-pro")


OURS = {"list": [msg.to_dict() for msg in CHAT], "stored": dump(CHAT),
        "request": dump(ChatRequest(CHAT))}  # fmt: skip


@pytest.mark.parametrize("value", OURS.values(), ids=OURS)
def test_conversations_of_our_own(value: Any) -> None:
    [route] = planned(value, "--to", "openai-responses", "--no-changes")["routes"]
    assert "$.messages[1].name" in [loss["where"] for loss in route["losses"]]


def test_routes_are_told_with_what_they_lose_and_what_would_help() -> None:
    ran = run("plan", *TO, input=json.dumps(NAMED))
    assert (ran.exit_code, ran.stderr) == (0, "")
    shown = ran.stdout
    assert shown.startswith("stdin - ")
    assert "dropped  name.unsupported  $.messages[0].name" in shown
    assert "lossless without " in shown
    assert widest(shown) <= 80
    assert (
        "lossless without" not in run("plan", *TO, "--no-changes", input=json.dumps(NAMED)).stdout
    )


def test_routes_that_lose_the_same_stand_together() -> None:
    shown = run("plan", "--to", "gemini", "--to", "vertex", input=json.dumps(PLAIN)).stdout
    assert "gemini gemini-3.8-flash; vertex gemini-3.8-flash: loses nothing\n" in shown
    assert shown.startswith("stdin - 2 of 2 routes lose nothing\n")


def test_what_cannot_be_sent_says_why() -> None:
    targets = ("--to", "openai=gpt-5-pro", "--to", "gemini")
    shown = run("plan", *targets, input=json.dumps(PLAIN)).stdout
    assert ": cannot be sent\n" in shown
    assert "refused  model.endpoint" in shown
    [_, refused] = planned(PLAIN, *targets)["routes"]
    assert refused["refused"]["code"] == "model.endpoint"


def test_strategies_where_there_is_thinking() -> None:
    thought = ThinkingBlock("Because.", "c2ln", origin=Origin("anthropic", "claude-opus-5-5"))
    said = [Msg("", "Why?", "user"), Msg("", [thought, TextBlock("So.")], "assistant"),
            Msg("", "Sure?", "user")]  # fmt: skip
    found = planned(dump(ChatRequest(said)), "--to", "gemini", "--no-changes")
    assert {one["strategy"] for one in found["routes"]} > {"as it is"}


def test_a_plan_for_each_line(tmp_path: Path) -> None:
    name = written(tmp_path / "many.jsonl", lines(PLAIN, "{broken", CLAUDE, {"foo": 1}))
    ran = run("plan", name, "--to", "mistral", "--json")
    assert ran.exit_code == 1
    assert [json.loads(line)["place"] for line in ran.stdout.splitlines()] == [
        f"{name}:1", f"{name}:3",
    ]  # fmt: skip
    assert [line.startswith(f"error: {name}:{n}: ") for line, n in
            zip(ran.stderr.splitlines(), (2, 4), strict=True)] == [True, True]  # fmt: skip


@pytest.mark.parametrize(
    ("args", "text", "told"),
    [
        (["--to", "gemni"], "{}", "error: unknown wire 'gemni' (did you mean gemini?)\n"),
        ([], "{}", "error: stdin: $: no protocol has bodies with these keys ("),
        ([], '[{"role": "x", "content": "", "name": ""}]', "error: stdin: $[0].role: "),
        ([], '{"dragoman": 9}', "error: stdin: "),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(args: list[str], text: str, told: str) -> None:
    ran = run("plan", *args, input=text)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(told)
    assert ran.stderr.count("\n") == 1
