"""`dragoman fidelity`: logs in, figures of all pairs out, and a baseline that fails a build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dragoman.analysis import Fidelity, fidelity
from dragoman.vendors import PROTOCOLS

from .bodies import ANSWER, CLAUDE, NAMED, PLAIN, lines
from .running import run, widest, written

ROW = {"request": PLAIN, "response": ANSWER, "status": 200}


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path("logs.jsonl"), lines(ROW, NAMED, CLAUDE))


def measured(*args: str, code: int = 0, **rest: Any) -> Any:
    ran = run("fidelity", *args, "--json", **rest)
    assert ran.exit_code == code, ran.stderr
    return json.loads(ran.stdout)


def test_the_run_is_that_of_the_library() -> None:
    rows = [("logs.jsonl:1", ROW), ("logs.jsonl:2", NAMED), ("logs.jsonl:3", CLAUDE)]
    assert Fidelity.of(measured("logs.jsonl")) == fidelity(rows)


def test_several_files_and_stdin() -> None:
    written(Path("one.json"), PLAIN)
    found = measured("logs.jsonl", "one.json", "-", input=json.dumps([CLAUDE, ANSWER]))
    assert found["read"] == 4 + 1 + 2


def test_targets_and_their_models() -> None:
    found = measured("logs.jsonl", "--to", "gemini", "--to", "anthropic=claude-sonnet-4")
    assert {pair["target"] for pair in found["pairs"]} == {"gemini", "anthropic"}


def test_the_shares_stand_in_a_table_for_each_source() -> None:
    ran = run("fidelity", "logs.jsonl")
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert ran.stdout.startswith("4 bodies\n\nrequests of anthropic\n")
    rows = [
        line.split() for line in ran.stdout.partition("requests of openai-chat")[2].splitlines()
    ]
    pair = next(
        one for one in fidelity([("a", PLAIN), ("b", NAMED)]).pairs if one.target == "gemini"
    )
    assert [
        "4",
        "gemini",
        "2",
        "50%",
        f"{pair.clean * 50}%",
        f"{pair.same * 50}%",
        "0",
        "0",
    ] in rows
    assert sum(row[1:2] == ["gemini"] for row in rows) == 2  # of requests, and of answers
    assert widest(ran.stdout.partition("An example of each")[0]) <= 80


def test_losses_stand_in_a_matrix_by_code_with_an_example_each() -> None:
    shown = run("fidelity", "logs.jsonl", "--to", "gemini", "--to", "anthropic").stdout
    matrix = [line.split() for line in shown.splitlines()]
    assert ["name.unsupported", "1", "1"] in matrix
    assert ["block.unsupported", "-", "1"] in matrix
    example = shown.partition("An example of each")[2]
    assert "block.unsupported  logs.jsonl:2, openai-chat -> anthropic\n" in example
    assert "  dropped at $.messages[0].content[1]: audio of the user\n" in example
    assert "  removed audio: $.messages[0].content[1] " in example


def test_every_protocol_is_a_target() -> None:
    shown = run("fidelity", "logs.jsonl").stdout
    for nth, name in enumerate(PROTOCOLS, 1):
        assert f"{nth}  {name} " in shown


def test_what_cannot_be_read_is_told_and_the_others_count() -> None:
    written(Path("logs.jsonl"), lines(PLAIN, "{broken", {"foo": 1}))
    found = measured("logs.jsonl")
    assert found["read"] == 1
    assert [place for place, _ in found["unread"]] == ["logs.jsonl:2", "logs.jsonl:3"]
    shown = run("fidelity", "logs.jsonl").stdout
    assert shown.startswith("1 bodies, and 2 that cannot be read\nlogs.jsonl:2: no JSON: ")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["bad.jsonl"], "error: bad.jsonl:1: no JSON: "),
        (["no.jsonl"], "error: no.jsonl: No such file or directory"),
        (["logs.jsonl", "--to", "gemni"], "error: unknown wire 'gemni' (did you mean gemini?)\n"),
        (["logs.jsonl", "--from", "gemni"], "error: unknown wire 'gemni' (did you mean gemini?)\n"),
        (["logs.jsonl", "--baseline", "logs.jsonl"], "error: logs.jsonl: "),
        (["logs.jsonl", "--baseline", "list.json"],
         "error: list.json: this is no run of fidelity (`--save FILE` makes one)\n"),
        (["logs.jsonl", "--save", "no/such/folder"], "error: no/such/folder: No such file"),
    ],
)  # fmt: skip
def test_a_usage_error_is_one_line_and_exit_code_2(args: list[str], told: str) -> None:
    written(Path("bad.jsonl"), "{broken\n")
    written(Path("list.json"), [1])
    ran = run("fidelity", *args)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(told)
    assert ran.stderr.count("\n") == 1


# -- baselines --------------------------------------------------------------------------------


def test_a_run_that_is_as_good_as_the_baseline() -> None:
    assert run("fidelity", "logs.jsonl", "--save", "before.json").exit_code == 0
    ran = run("fidelity", "logs.jsonl", "--baseline", "before.json")
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert measured("logs.jsonl", "--baseline", "before.json")["worse"] == []


def test_a_run_that_is_worse_fails_and_names_pair_figure_and_codes() -> None:
    written(Path("good.jsonl"), lines(PLAIN))
    args = ("--to", "gemini")
    assert run("fidelity", "good.jsonl", *args, "--save", "before.json").exit_code == 0
    written(Path("good.jsonl"), lines(PLAIN, NAMED))
    ran = run("fidelity", "good.jsonl", *args, "--baseline", "before.json")
    assert ran.exit_code == 1
    told = ran.stdout.partition("Worse than before")[2]
    figures = [line.split() for line in told.splitlines()]
    assert ["request", "openai-chat", "->", "gemini", "lossless", "100.0%", "50.0%"] in figures
    assert "name.unsupported" in told
    found = measured("good.jsonl", *args, "--baseline", "before.json", code=1)["worse"]
    assert ran.stderr == f"error: {len(found)} figures are worse than in before.json\n"
    assert {"pair": "request openai-chat -> gemini", "what": "lossless", "was": 1.0,
            "now": 0.5}.items() <= found[0].items()  # fmt: skip
    back = run("fidelity", "good.jsonl", *args, "--baseline", "before.json", "--save", "now.json")
    assert back.exit_code == 1
    written(Path("good.jsonl"), lines(PLAIN))
    better = run("fidelity", "good.jsonl", *args, "--baseline", "now.json")
    assert better.exit_code == 0


def test_a_share_is_never_rounded_to_all_or_nothing() -> None:
    written(Path("many.jsonl"), lines(*[PLAIN] * 300, NAMED))
    shown = run("fidelity", "many.jsonl", "--to", "gemini").stdout
    assert "99%" in shown
    written(Path("many.jsonl"), lines(*[NAMED] * 300, PLAIN))
    shown = run("fidelity", "many.jsonl", "--to", "gemini").stdout
    assert " 1%" in shown
