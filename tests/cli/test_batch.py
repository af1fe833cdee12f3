"""`dragoman batch convert` as its users see it: exit codes, sums, the report, progress."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.batch.run import Progress
from dragoman.cli import batch_running
from tests.batch.records import REQUEST, line

from .running import environment, run


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.jsonl").write_bytes(line(1, seed=1) + b"\n" + line(2))
    Path("bad.jsonl").write_bytes(line(1) + b"{broken\n" + line(2, seed=2))


def test_zero_says_that_everything_is_converted() -> None:
    ran = run("batch", "convert", "good.jsonl", "-o", "out", "--to", "anthropic", "--jobs", "1")
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert "2 in = 2 out + 0 in quarantine, 1 file(s)" in ran.stderr
    assert "option.unsupported" in ran.stderr
    bodies = [json.loads(row) for row in Path("out/good.jsonl").read_bytes().splitlines()]
    assert [body["messages"][0]["content"] for body in bodies] == ["Question 1", "Question 2"]


def test_three_says_that_something_is_in_quarantine() -> None:
    args = ("good.jsonl", "bad.jsonl", "-o", "out", "--to", "gemini", "--report", "report.json")
    ran = run("batch", "convert", *args, "--model", "gemini-3.5-flash", "--policy", "ignore")
    assert ran.exit_code == 3
    assert "5 in = 4 out + 1 in quarantine, 2 file(s)" in ran.stderr
    assert "1 json.invalid" in ran.stderr
    assert "out/bad.quarantine.jsonl" in ran.stderr
    assert "losses for" not in ran.stderr
    report = json.loads(Path("report.json").read_text("utf-8"))
    assert (report["in"], report["out"], report["quarantined"]) == (5, 4, 1)
    assert (report["to"], report["model"], report["engine"]) == (
        "gemini", "gemini-3.5-flash", "local",
    )  # fmt: skip
    assert [part["source"] for part in report["parts"]] == ["good.jsonl", "bad.jsonl"]
    [fault] = report["faults"]
    [example] = fault["examples"]
    assert (fault["code"], fault["count"]) == ("json.invalid", 1)
    assert (example["source"], example["line"]) == ("bad.jsonl", 2)


def test_a_policy_puts_what_is_lossy_into_quarantine() -> None:
    args = ("good.jsonl", "-o", "out", "--to", "anthropic", "--refuse", "option.unsupported")
    assert run("batch", "convert", *args).exit_code == 3
    entry = json.loads(Path("out/good.quarantine.jsonl").read_text("utf-8"))
    assert (entry["line"], entry["code"], entry["where"]) == (1, "policy.refused", "$.seed")
    assert json.loads(entry["record"])["seed"] == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("missing.jsonl", "-o", "out", "--to", "gemini"), "missing.jsonl"),
        (("good.jsonl", "-o", "out", "--to", "nowhere"), "unknown wire"),
        (("good.jsonl", "-o", "out", "--to", "gemini", "--from", "nowhere"), "unknown wire"),
        (("good.jsonl", "--to", "gemini"), "--output"),
        (("-o", "out", "--to", "gemini"), "IN..."),
        (("good.jsonl", "-o", "good.jsonl", "--to", "gemini"), "is an input"),
        (("good.jsonl", "bad.jsonl", "-o", "x.jsonl", "--to", "gemini"), "folder"),
        (("good.jsonl", "-o", "out", "--to", "gemini", "--engine", "cloud"), "cloud"),
        (("good.jsonl", "-o", "out", "--to", "gemini", "--refuse", "nothing"), "nothing"),
    ],
)
def test_two_says_that_the_command_line_is_wrong(args: tuple[str, ...], said: str) -> None:
    ran = run("batch", "convert", *args)
    assert ran.exit_code == 2
    assert said in ran.stderr
    assert not Path("out").exists()


def test_another_option_than_before_is_refused() -> None:
    args = ("good.jsonl", "-o", "out", "--to", "anthropic", "--jobs", "1")
    assert run("batch", "convert", *args).exit_code == 0
    ran = run("batch", "convert", *args, "--model", "claude-opus-5-5")
    assert ran.exit_code == 2
    assert "model was None, is 'claude-opus-5-5'" in ran.stderr
    assert run("batch", "convert", *args).exit_code == 0


def test_without_a_terminal_a_line_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times = iter([100.0, 105.0, 110.0, 110.0, 110.0, 115.0])
    monkeypatch.setattr("dragoman.cli.batch_running.time.monotonic", lambda: next(times))
    display = batch_running._Display(begin=100.0)
    with display.shown():
        for _ in range(3):  # at 100, 105 and 110 seconds
            display.update(Progress(size=1000, read=250, converted=4990, quarantined=10, total=1))
    assert capsys.readouterr().err == (
        "25% - 5,000 records, 500 a second, 10 in quarantine, 30 s left\n"
    )


def test_a_terminal_sees_a_bar() -> None:
    pty = pytest.importorskip("pty")
    Path("long.jsonl").write_bytes(json.dumps(REQUEST).encode() * 1 + b"\n")
    ours, theirs = pty.openpty()
    args = ["batch", "convert", "long.jsonl", "-o", "out", "--to", "anthropic", "--jobs", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "dragoman", *args], stdin=subprocess.DEVNULL, stderr=theirs,
        env=environment(TERM="xterm"),
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the terminal is closed
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert process.wait() == 0
    text = seen.decode()
    assert "━" in text
    assert "1 records" in text
    assert "1 in = 1 out + 0 in quarantine" in text


def test_forms_are_named_beside_the_wires() -> None:
    rows = (
        {"instruction": "Hi", "input": "", "output": "Hello."},
        {"instruction": "", "output": 3},
    )
    Path("talks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ran = run("batch", "convert", "talks.jsonl", "-o", "out", "--to", "sharegpt", "--jobs", "1")
    assert ran.exit_code == 3
    turns = json.loads(Path("out/talks.jsonl").read_bytes())["conversations"]
    assert [turn["from"] for turn in turns] == ["human", "gpt"]
    [entry] = Path("out/talks.quarantine.jsonl").read_bytes().splitlines()
    assert json.loads(entry)["where"] == "$.output"
    args = ("talks.jsonl", "-o", "again", "--to", "anthropic", "--form", "alpaca")
    assert run("batch", "convert", *args).exit_code == 3
    for wrong in (("--form", "nothing"), ("--to", "exchange")):
        ran = run("batch", "convert", "talks.jsonl", "-o", "no", "--to", "gemini", *wrong)
        assert ran.exit_code == 2
        assert wrong[1] in ran.stderr


def test_a_report_that_cannot_be_written_is_refused_before_the_work() -> None:
    Path("folder").mkdir()
    for name in ("folder", "missing/report.json"):
        args = ("good.jsonl", "-o", "out", "--to", "anthropic", "--report", name)
        ran = run("batch", "convert", *args)
        assert ran.exit_code == 2
        assert "no file can be written there" in ran.stderr
        assert not Path("out").exists()
