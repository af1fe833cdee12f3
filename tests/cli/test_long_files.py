"""Files of any length, and logs with broken text."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

from dragoman.interop import read_session_log

from .running import run

BODY = {"model": "claude-opus-5-5", "max_tokens": 9, "top_k": 5,
        "messages": [{"role": "user", "content": "Hi " * 200}]}  # fmt: skip


def test_json_lines_are_converted_one_by_one(tmp_path: Path) -> None:
    from dragoman.cli import inputs

    file = tmp_path / "bodies.jsonl"
    line = json.dumps(BODY)
    file.write_text(f"{line}\n" * 3000, encoding="utf-8")
    stream = inputs.stream_values(str(file))
    assert stream is not None
    tracemalloc.start()
    count = sum(1 for _ in stream)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 3000
    assert peak < 20 * len(line) + 500_000  # and not three thousand of them


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
