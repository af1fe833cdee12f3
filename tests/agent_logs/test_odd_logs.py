"""Logs in which a field is missing, of another type, or new: read, or refused by name; never less.

Every field of every log is tried, so that a reader that trusts its log is found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeAlias

import pytest

from dragoman import DragomanError, Tool
from dragoman.agent_logs import SessionLog, read_session_log
from dragoman.message import dump
from tests.agent_logs import test_atif, test_claude_code, test_codex, test_gemini_cli, test_opencode
from tests.agent_logs.jsonl import lines

Way: TypeAlias = tuple[str | int, ...]

LOGS: dict[str, Any] = {
    "claude-code": test_claude_code.TURN,
    "codex": test_codex.SESSION,
    "gemini-cli": test_gemini_cli.SESSION,
    "opencode": {"info": {"id": "ses_1", "title": "T"}, "messages": test_opencode.SESSION},
    "atif": {"schema_version": "ATIF-v1.8", "session_id": "s-4", "agent": test_atif.AGENT,
             "steps": test_atif.STEPS},
}  # fmt: skip
_ODD: tuple[Any, ...] = (None, 1.5, "\ud800", [None], {"a": 10**30})
_NEW = "nobody knows this field"


def ways(value: Any, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    """Every place in a log and what stands there."""
    yield way, value
    rows: Any = ()
    if isinstance(value, dict):
        rows = value.items()
    elif isinstance(value, list):
        rows = enumerate(value)
    for step, inner in rows:
        yield from ways(inner, (*way, step))


def changed(log: Any, way: Way, value: Any) -> Any:
    """A copy with another value at a place."""
    copy = json.loads(json.dumps(log))
    node = copy
    for step in way[:-1]:
        node = node[step]
    node[way[-1]] = value
    return copy


def read(log: Any) -> SessionLog:
    return read_session_log(lines(log) if isinstance(log, list) else json.dumps(log))


def told(log: SessionLog) -> str:
    """All that a log gives, with what it names as no part of the conversation."""
    tools = [[tool.name, tool.description, tool.schema, tool.extras] for tool in log.tools
             if isinstance(tool, Tool)]  # fmt: skip
    own = json.dumps([[dump(m) for m in log.messages], log.session, log.model, tools])
    return own + "".join(map(told, log.sidechains))


@pytest.mark.parametrize("agent", LOGS)
def test_a_field_of_another_type_is_read_or_refused(agent: str) -> None:
    log = LOGS[agent]
    read_ones = 0
    for way, _ in ways(log):
        for value in _ODD if way else ():
            with suppress(DragomanError):
                assert told(read(changed(log, way, value)))
                read_ones += 1
    assert read_ones > 100


@pytest.mark.parametrize("agent", LOGS)
def test_a_field_that_nobody_knows_is_kept_or_named(agent: str) -> None:
    log = LOGS[agent]
    planted = [(*way, "unheard") for way, value in ways(log) if isinstance(value, dict)]
    assert len(planted) > 10
    for way in planted:
        found = read(changed(log, way, _NEW))
        logs = [found, *found.sidechains]
        names = {one.what for each in logs for one in each.skipped}
        # a row or a part that is left out as a whole is named as that
        whole = {one.place for each in logs for one in each.skipped}
        kept = _NEW in told(found) or "unheard" in names
        places = {path(way[:end]) for end in range(1, len(way))}
        assert kept or places & whole, way


def path(way: Way) -> str:
    """The place as notes spell it: in a row of a log, or in a log that is one object."""
    in_row = isinstance(way[0], int)
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way[in_row:])
    return f"line {int(way[0]) + 1}{steps}" if in_row else f"${steps}"
