"""Whose log a text is, and what is no log."""

from __future__ import annotations

import json

import pytest

from dragoman import ReadError
from dragoman.agent_logs import read_session_log
from tests.agent_logs import test_claude_code, test_codex, test_gemini_cli
from tests.agent_logs.jsonl import lines

LOGS = {
    "claude-code": test_claude_code.TURN,
    "codex": test_codex.SESSION,
    "gemini-cli": test_gemini_cli.SESSION,
}


@pytest.mark.parametrize("agent", LOGS)
def test_the_content_tells_the_agent_whatever_the_name(agent: str) -> None:
    assert read_session_log(lines(LOGS[agent]), "wrong-name.txt").agent == agent


@pytest.mark.parametrize("agent", LOGS)
def test_a_last_line_that_breaks_off_is_named(agent: str) -> None:
    text = lines(LOGS[agent])
    whole = read_session_log(text)
    log = read_session_log(text + '{"type": "user", "mess')
    assert len(log.messages) == len(whole.messages)
    [broken] = [one for one in log.skipped if one.what == "broken line"]
    assert broken.place == f"line {len(LOGS[agent]) + 1}"


@pytest.mark.parametrize("agent", LOGS)
def test_any_cut_leaves_a_log_or_an_error(agent: str) -> None:
    text = lines(LOGS[agent])
    for end in range(0, len(text), 97):
        try:
            found = read_session_log(text[:end]).agent
        except ReadError as error:
            found = agent if error.path else ""
        assert found == agent, end


def test_a_line_that_is_no_json_is_named() -> None:
    text = lines(LOGS["codex"][:2]) + "not json\n" + lines(LOGS["codex"][2:])
    with pytest.raises(ReadError) as caught:
        read_session_log(text, "rollout.jsonl")
    assert caught.value.path == "rollout.jsonl, line 3"
    assert caught.value.code == "log.row"


def test_an_object_that_is_laid_out_and_breaks_off_says_where() -> None:
    with pytest.raises(ReadError, match="line 3 column 1"):
        read_session_log('{\n  "info": {},\n')


def test_a_line_that_is_no_object_is_named() -> None:
    with pytest.raises(ReadError, match="a row of a log is an object, not a list"):
        read_session_log(lines(LOGS["codex"]) + "[1]\n")


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_log_is_refused(text: str) -> None:
    with pytest.raises(ReadError, match="the log is empty"):
        read_session_log(text)


@pytest.mark.parametrize(
    "value",
    [
        {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi"}]},
        {"type": "user", "message": {"role": "user", "content": "Hi"}},
        {"schema_version": "1.0", "steps": []},
    ],
)
def test_other_json_is_no_log(value: object) -> None:
    with pytest.raises(ReadError) as caught:
        read_session_log(json.dumps(value))
    assert caught.value.code == "log.unknown"
    assert caught.value.hint
