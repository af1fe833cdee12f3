"""Files of any length, and logs with broken text."""

from __future__ import annotations

import gc
import json
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

import dragoman
from dragoman.agent_logs import read_session_log
from dragoman.cli import inputs
from dragoman.cli.outcomes import CommandOutcome, Printer
from dragoman.cli.sources import InputFile
from dragoman.losses import Loss

from .running import run

BODY = {"model": "claude-opus-5-5", "max_tokens": 9, "top_k": 5,
        "messages": [{"role": "user", "content": "Hi " * 200}]}  # fmt: skip


@pytest.mark.parametrize("piped", [False, True])
def test_json_lines_are_converted_one_by_one(
    tmp_path: Path, piped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bodies.jsonl"
    line = json.dumps(BODY)
    file.write_text(f"{line}\n" * 3000, encoding="utf-8")
    with file.open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        values, many = inputs.bodies(InputFile("stdin") if piped else InputFile(str(file), file))
        tracemalloc.start()
        count = sum(1 for _ in values)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (count, many) == (3000, True)
    assert peak < 20 * len(line) + 500_000  # and not three thousand of them


def test_losses_are_counted_and_let_go() -> None:
    def outcomes() -> Iterator[CommandOutcome]:
        for _ in range(200):
            converted = dragoman.convert(BODY, "anthropic", "openai", policy="ignore")
            outcome = CommandOutcome("x", "{}")
            outcome.count(converted.losses, each=False)
            yield outcome

    printer = Printer("openai", many=True, each=False, loud=True)
    assert sum(1 for _ in printer.texts(outcomes())) == 200
    assert printer.codes["dropped", "option.unsupported"] == 200
    assert sum(isinstance(one, Loss) for one in gc.get_objects()) < 50


def test_a_long_file_says_its_losses_in_sums(tmp_path: Path) -> None:
    file, out = tmp_path / "bodies.jsonl", tmp_path / "out.jsonl"
    file.write_text(f"{json.dumps(BODY)}\n\n" * 5 + "{broken\n", encoding="utf-8")
    ran = run("convert", "--to", "openai", str(file), "--output", str(out))
    assert ran.exit_code == 1  # for the broken line
    assert "bodies.jsonl:11" in ran.stderr
    assert "losses in 5 of 5" in ran.stderr
    assert len(out.read_text("utf-8").splitlines()) == 5
    assert not (tmp_path / "out.jsonl.part").exists()


def test_half_a_surrogate_in_a_session_log_is_named(tmp_path: Path) -> None:
    row = ('{"type":"user","uuid":"a","sessionId":"s","message":'
           '{"role":"user","content":"a\\ud83d b\u2028c"}}\n')  # fmt: skip
    file = tmp_path / "session.jsonl"
    file.write_text(row, encoding="utf-8")
    ran = run("format", "--to", "openai", str(file))
    assert ran.exit_code == 0
    assert json.loads(ran.stdout)[0]["content"] == "a\ufffd b\u2028c"
    log = read_session_log(file.read_text("utf-8"))
    assert [one.what for one in log.skipped] == ["half of a surrogate pair"]
