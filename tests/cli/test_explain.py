"""`dragoman explain`: what a code means, its example run on the spot, and what to do about it."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

from dragoman.cli import main
from dragoman.cli.examples import examples
from dragoman.losses.codes import CODES
from dragoman.losses.codes.code import KINDS

from .running import run, shell, widest


def as_json(*args: str) -> list[dict[str, Any]]:
    ran = run("explain", "--json", *args)
    assert ran.exit_code == 0, ran.stderr
    found: list[dict[str, Any]] = json.loads(ran.stdout)["codes"]
    return found


def flat(*args: str, width: int = 80) -> str:
    ran = run("explain", *args, width=width)
    assert ran.exit_code == 0, ran.stderr
    return " ".join(ran.stdout.split())


def test_a_code_is_explained() -> None:
    said = flat("thinking.unsigned")
    row = CODES["thinking.unsigned"]
    assert said.startswith("thinking.unsigned dropped, logged as warning The wire takes thinking")
    assert f"What to do: {row.fix}" in said
    assert "Decided by: signed_thinking" in said
    assert "Example: Formatter('anthropic', model='claude-opus-5-5').format_request" in said
    assert '{"type": "thinking", "thinking": "A greeting."}' in said
    before, _, after = said.partition("becomes")
    assert "A greeting." in before
    written, _, instead = after.partition("dropped thinking.unsigned")
    assert "A greeting." not in written
    assert instead.startswith(" $.messages[1].content[0] thinking rule: ")
    assert '"signature": "EqQBCkgIARAB"' in instead.partition("Instead:")[2]


def test_a_fix_that_is_an_option_is_shown_as_a_call() -> None:
    said = flat("name.unsupported")
    assert said.endswith(
        "Instead: Formatter('anthropic', model='claude-opus-5-5', "
        "speakers=Tagged(me='Friday')).format_request(request)"
    )


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_explained(code: str) -> None:
    said = flat(code)
    assert said.startswith(f"{code} {CODES[code].kind}, logged as ")
    assert CODES[code].meaning[1:] in said
    assert CODES[code].fix in said
    assert f"Example: {examples()[code].call()}" in said
    assert f"{CODES[code].kind} {code} $" in said


def test_without_a_code_all_are_listed_by_kind() -> None:
    lines = run("explain", width=120).stdout.splitlines()
    heads = [line.strip() for line in lines if line.strip() in KINDS]
    assert heads == [kind for kind in KINDS if any(row.kind == kind for row in CODES.values())]
    kind = ""
    listed = {}
    for line in filter(None, map(str.strip, lines)):
        if line in KINDS:
            kind = line
        else:
            code, _, meaning = line.partition(" ")
            listed[code] = (kind, meaning.strip())
    assert listed == {code: (row.kind, row.meaning) for code, row in CODES.items()}


def test_a_glob_explains_several() -> None:
    said = run("explain", "cache.*").stdout
    wanted = [code for code in CODES if code.startswith("cache.")]
    assert len(wanted) > 1
    starts = [said.index(f"{code}  {CODES[code].kind}, logged") for code in wanted]
    assert starts == sorted(starts)
    assert [row["code"] for row in as_json("cache.*")] == wanted


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("thinking.unsinged", "did you mean thinking.unsigned"),
        ("cache.unsayd", "did you mean cache.unsupported"),
        ("zzz", "`dragoman explain` lists them all"),
        ("nothing.*", "`dragoman explain` lists them all"),
    ],
)
def test_an_unknown_code_has_a_neighbour(given: str, near: str) -> None:
    ran = run("explain", given)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"error: unknown code '{given}'")
    assert near in ran.stderr


def test_json_of_one_code() -> None:
    [row] = as_json("media.moved")
    own = CODES["media.moved"]
    assert row["kind"] == "moved"
    assert row["level"] == "info"
    assert (row["meaning"], row["fix"], row["asks"]) == (own.meaning, own.fix, list(own.asks))
    example = row["example"]
    assert example["given"] == examples()["media.moved"].given
    assert example["written"]["messages"][-1]["role"] == "user"
    [loss] = [loss for loss in example["losses"] if loss["code"] == "media.moved"]
    assert loss["where"] == "$.messages[2].content[0].output[1]"
    assert example["instead"]["call"].startswith("Formatter('anthropic'")


def test_json_of_all_codes_has_no_examples() -> None:
    rows = as_json()
    assert [row["code"] for row in rows] == list(CODES)
    assert all("example" not in row for row in rows)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_tables_fit_the_screen(width: int) -> None:
    assert widest(run("explain", width=width).stdout) <= width


def test_in_a_shell() -> None:
    ran = shell("explain", "turn.last")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "\x1b" not in ran.stdout
    assert ran.stdout.startswith("turn.last  added, logged as info\n")


def test_an_old_code_prints_one_plain_line_and_leads_to_the_new_one() -> None:
    ran = shell("explain", "name.unsaid")
    assert ran.returncode == 0
    assert ran.stdout.startswith("name.unsupported")
    assert ran.stderr == (
        "warning: the loss code name.unsaid is name.unsupported now; "
        "the old name goes with the next release\n"
    )


def test_an_old_code_of_an_error_leads_to_the_new_one() -> None:
    ran = run("explain", "seat.unsaid")
    assert ran.exit_code == 2
    said = " ".join(ran.stderr.split())
    assert "seat.unsaid is placement.unsupported now, and the code of an error" in said


def test_a_warning_of_something_else_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["dragoman", "--version"])
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)
    with warnings.catch_warnings():
        with pytest.raises(SystemExit):
            main()
        text = warnings.formatwarning("Something.", UserWarning, "here.py", 3, "")
    assert text == "here.py:3: UserWarning: Something.\n"
