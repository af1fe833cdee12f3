"""A coding agent's session log is a conversation: it is formatted and gone on with as one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agent_logs import test_claude_code, test_codex
from tests.agent_logs.jsonl import lines

from .running import run

LOGS = {"claude-code": test_claude_code.TURN, "codex": test_codex.SESSION}


@pytest.mark.parametrize("agent", LOGS)
def test_a_log_is_formatted_for_any_wire(agent: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(lines(LOGS[agent]), "utf-8")
    ran = run("format", str(path), "--to", "openai")
    assert ran.exit_code == 0, ran.stderr
    messages = json.loads(ran.stdout)
    assert [m["role"] for m in messages].count("tool") == 2
    assert f"a session of {agent}; no part of it: " in ran.stderr


def test_what_is_left_out_is_counted_on_stderr(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(lines(test_codex.SESSION), "utf-8")
    told = run("format", str(path), "--to", "openai").stderr
    assert "event_msg: task_started (1), " in told


def test_a_broken_message_in_a_log_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(lines(test_codex.SESSION[:4]) + "{oops\n" + lines(test_codex.SESSION[4:]))
    ran = run("format", str(path), "--to", "openai")
    assert ran.exit_code == 2
    assert "session.jsonl:5" in ran.stderr
