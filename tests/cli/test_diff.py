"""`dragoman diff`: one request on two wires, row by row; two conversations, place by place."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.analysis.paths import value_at
from dragoman.cli.diff import align_rows

from .bodies import NAMED, PLAIN, lines
from .running import run, widest, written

SIDES = ("--to", "anthropic", "gemini")


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path("r.json"), NAMED)


def sides(body: Any, *targets: str) -> list[Any]:
    return align_rows(body, [dragoman.convert(body, "openai-chat", name, policy="ignore")
                          for name in targets])  # fmt: skip


# -- two wires --------------------------------------------------------------------------------


def test_rows_stand_beside_what_they_come_from() -> None:
    rows = {tuple(row.source): row.sides for row in sides(NAMED, "anthropic", "gemini")}
    assert rows["$.messages[0]",] == [["$.messages[0]"], ["$.contents[0]"]]
    assert rows["$.messages[1]",] == [["$.messages[1]"], ["$.contents[1]"]]
    assert rows["$.messages[2]",] == [["$.messages[2]"], ["$.contents[2]"]]
    assert rows['$.logit_bias["5"]',] == [[], []]


def test_a_system_message_and_fields_inside_of_objects_are_found() -> None:
    rows = {
        tuple(row.source): row.sides for row in sides(PLAIN, "anthropic", "dashscope", "gemini")
    }
    assert rows["$.messages[0]",] == [
        ["$.system"], ["$.input.messages[0]"], ["$.systemInstruction.parts[0]"],
    ]  # fmt: skip
    assert rows["$.max_tokens",] == [
        ["$.max_tokens"], ["$.parameters.max_tokens"], ["$.generationConfig.maxOutputTokens"],
    ]  # fmt: skip


def test_messages_that_become_one_stand_in_one_row() -> None:
    calls = [{"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
             for n in (1, 2)]  # fmt: skip
    body = {"model": "m-1", "messages": [
        {"role": "user", "content": "Look twice"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "a cat"},
        {"role": "tool", "tool_call_id": "c2", "content": "a dog"},
    ]}  # fmt: skip
    rows = {tuple(row.source): row.sides for row in sides(body, "anthropic", "mistral")}
    assert rows["$.messages[2]", "$.messages[3]"] == [
        ["$.messages[2]"], ["$.messages[2]", "$.messages[3]"],
    ]  # fmt: skip


def test_a_list_that_says_several_messages_is_taken_apart() -> None:
    body = {"model": "m-1", "messages": [
        {"role": "system", "content": "One."}, {"role": "system", "content": "Two."},
        {"role": "user", "content": "Hi"},
    ]}  # fmt: skip
    rows = {tuple(row.source): row.sides for row in sides(body, "anthropic")}
    assert rows["$.messages[0]",] == [["$.system[0]"]]
    assert rows["$.messages[1]",] == [["$.system[1]"]]


def test_everything_that_is_written_stands_in_a_row_once() -> None:
    for target in ("openai-responses", "bedrock-converse", "ollama", "mistral"):
        out = dragoman.convert(NAMED, "openai-chat", target, policy="ignore")
        paths = [path for row in align_rows(NAMED, [out]) for path in row.sides[0]]
        assert len(paths) == len(set(paths))
        shown = json.dumps([value_at(out.body, path) for path in paths])
        for text in ("Who speaks?", "look", "a cat", "Thanks"):
            assert shown.count(text) == json.dumps(out.body).count(text), (target, text)


def test_losses_stand_in_the_row_of_their_source() -> None:
    rows = {tuple(row.source): row for row in sides(NAMED, "anthropic", "gemini")}
    codes = [{loss.code for loss in side} for side in rows["$.messages[0]",].losses]
    assert codes == [{"block.unsupported", "name.unsupported"}, {"name.unsupported"}]
    assert [loss.code for side in rows['$.logit_bias["5"]',].losses for loss in side] == [
        "extras.other_provider", "extras.other_provider",
    ]  # fmt: skip


def test_no_loss_is_left_out() -> None:
    for target in dragoman.wires():
        out = dragoman.convert(NAMED, "openai-chat", target, policy="ignore")
        placed = [loss for row in align_rows(NAMED, [out]) for loss in row.losses[0]]
        assert sorted(map(repr, placed)) == sorted(map(repr, out.losses)), target


def test_as_json() -> None:
    ran = run("diff", "r.json", *SIDES, "--json")
    assert (ran.exit_code, ran.stderr) == (0, "")
    made = json.loads(ran.stdout)
    assert made["from"] == "openai-chat"
    for side, name in zip(made["sides"], ("anthropic", "gemini"), strict=True):
        out = dragoman.convert(NAMED, "openai-chat", name, policy="ignore")
        assert (side["wire"], side["body"], side["path"]) == (name, out.body, out.path)
        assert side["losses"] == [loss.to_dict() for loss in out.losses]
    row = next(row for row in made["rows"] if row["source"] == ["$.messages[0]"])
    assert row["sides"] == [["$.messages[0]"], ["$.contents[0]"]]
    assert "block.unsupported" in [loss["code"] for loss in row["losses"][0]]


@pytest.mark.parametrize("width", [80, 120, 60])
def test_side_by_side_on_a_screen(width: int) -> None:
    ran = run("diff", "r.json", *SIDES, width=width)
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert ran.stdout.startswith("r.json, a request of openai-chat\nanthropic ")
    assert widest(ran.stdout) <= width
    heads = next(line for line in ran.stdout.splitlines() if line.startswith("$.messages[1] "))
    assert heads.split() == ["$.messages[1]", "$.contents[1]"]
    assert "dropped block.unsupported" in ran.stdout


def test_two_models_of_one_wire() -> None:
    written(Path("hot.json"), {**PLAIN, "temperature": 0.3})
    ran = run("diff", "hot.json", "--to", "anthropic=claude-opus-5-5", "anthropic=claude-sonnet-4",
              "--json")  # fmt: skip
    made = json.loads(ran.stdout)
    assert [side["body"].get("temperature") for side in made["sides"]] == [None, 0.3]
    assert [side["model"] for side in made["sides"]] == ["claude-opus-5-5", "claude-sonnet-4"]


def test_a_side_that_cannot_be_written_is_refused() -> None:
    said = [{"role": "user", "content": "Hi"}]
    body = {"model": "gpt-5-pro", "instructions": "S", "input": said}
    written(Path("r.json"), body)
    ran = run("diff", "r.json", "--to", "gemini", "openai")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith("error: r.json for openai: ")


# -- two conversations ------------------------------------------------------------------------


def test_the_same_conversation_on_another_wire() -> None:
    out = dragoman.convert(PLAIN, "openai-chat", "gemini", policy="ignore")
    written(Path("a.json"), PLAIN)
    written(Path("b.json"), out.body)
    ran = run("diff", "a.json", "b.json")
    assert (ran.exit_code, ran.stdout) == (0, "a.json and b.json say the same\n")
    made = json.loads(run("diff", "a.json", "b.json", "--json").stdout)
    assert made == {"same": True, "differences": []}


def test_a_difference_names_both_places() -> None:
    other = copy.deepcopy(NAMED)
    other["messages"][3]["content"] = "Thank you"
    out = dragoman.convert(other, "openai-chat", "gemini", policy="ignore")
    written(Path("b.json"), out.body)
    ran = run("diff", "r.json", "b.json", "--from", "openai-chat", "--from", "gemini", "--json")
    assert ran.exit_code == 1
    [one] = json.loads(ran.stdout)["differences"]
    assert one == {"change": "changed", "kind": "text", "left": "$.messages[3]",
                   "right": "$.contents[3]", "was": "Thanks", "now": "Thank you"}  # fmt: skip
    shown = run("diff", "r.json", "b.json").stdout
    assert shown == (
        "r.json and b.json differ in 1 place\n"
        "changed text  $.messages[3] => $.contents[3]\n  - Thanks\n  + Thank you\n"
    )


def test_messages_of_ours_can_be_compared() -> None:
    written(Path("a.json"), PLAIN)
    ours = [Msg("", "S", "system").to_dict(), Msg("", "Hi, 你好", "user").to_dict()]
    written(Path("b.json"), ours)
    assert run("diff", "a.json", "b.json").exit_code == 0
    written(Path("b.json"), ours[1:])
    assert "removed text" in run("diff", "a.json", "b.json").stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["r.json"], "error: give one FILE and --to WIRE WIRE, or two FILEs\n"),
        (["r.json", "r.json", *SIDES], "error: give one FILE and --to WIRE WIRE, or two FILEs\n"),
        (["r.json"] * 3, "error: give one FILE and --to WIRE WIRE, or two FILEs\n"),
        (["r.json", "--to", "anthropic"], "error: Option '--to' requires 2 arguments"),
        (["r.json", "--to", "anthropic", "gemni"], "error: unknown wire 'gemni'"),
        (["r.json", *SIDES, "-f", "openai", "-f", "openai"],
         "error: --from is given more often than there are files\n"),
        (["many.jsonl", *SIDES], "error: many.jsonl:2: a second conversation ("),
        (["bad.json", *SIDES], "error: bad.json: no JSON: "),
        (["no.json", *SIDES], "error: no.json: No such file or directory"),
        (["foo.json", "r.json"], "error: foo.json: $: no protocol has bodies with these keys"),
    ],
)  # fmt: skip
def test_a_usage_error_is_one_line_and_exit_code_2(args: list[str], told: str) -> None:
    written(Path("many.jsonl"), lines(PLAIN, PLAIN))
    written(Path("bad.json"), "{")
    written(Path("foo.json"), {"foo": 1})
    ran = run("diff", *args)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(told)
    assert ran.stderr.count("\n") == 1
