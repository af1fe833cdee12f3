"""Logs of Copilot CLI: events, of which a run wrote those of TURN; ids and words are made up."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ReadError
from dragoman.agent_logs import SessionLog, begins_log, read_session_log
from dragoman.message import ThinkingBlock, ToolResultBlock
from tests.agent_logs.jsonl import lines

_TIME = "2026-11-29T16:31:59.693Z"


def event(id: str, kind: str, /, **data: Any) -> dict[str, Any]:
    row = {"type": kind, "data": data, "id": id, "timestamp": _TIME, "parentId": None}
    return row if "agent" not in data else {**row, "agentId": data.pop("agent")}


def call(id: str, name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"toolCallId": id, "name": name, "arguments": arguments, "type": "function", **more}


START = event("e1", "session.start", sessionId="s-1", version=1, producer="copilot-agent",
              copilotVersion="1.0.102", selectedModel="gpt-5.5")  # fmt: skip
TURN = [
    START,
    event("e2", "user.message", content="What do the notes say?",
          transformedContent="<current_datetime>now</current_datetime>\n\nWhat do the notes say?"),
    event("e3", "system.message", role="system", content="You are a terminal assistant."),
    event("e4", "assistant.turn_start", turnId="0"),
    event("e5", "assistant.message", model="gpt-5.6", content="Let me look.",
          reasoningText="I should look.", toolRequests=[
              call("c1", "view", {"path": "/notes.txt"}), call("c2", "view", {"path": "/none"})]),
    event("e6", "tool.execution_start", toolCallId="c1", toolName="view"),
    event("e7", "tool.execution_complete", toolCallId="c1", success=True,
          result={"content": "status: draft\n", "detailedContent": "a diff"}),
    event("e8", "tool.execution_complete", toolCallId="c2", success=False,
          error={"message": "Path does not exist", "code": "failure"}),
    event("e9", "assistant.message", model="gpt-5.6", content="Draft.", toolRequests=[]),
    event("e10", "session.shutdown"),
]  # fmt: skip


def read(*rows: Any) -> SessionLog:
    return read_session_log(lines(rows))


def test_events_become_the_messages_that_the_model_got() -> None:
    log = read(*TURN)
    assert (log.agent, log.session, log.model) == ("copilot-cli", "s-1", "gpt-5.6")
    roles = [m.role for m in log.messages]
    assert roles == ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert log.messages[1].text.startswith("<current_datetime>")
    thinking = log.messages[2].blocks[0]
    assert isinstance(thinking, ThinkingBlock)
    assert (thinking.thinking, log.messages[2].timestamp) == ("I should look.", _TIME)
    results = [block for m in log.messages for block in m.blocks if type(block) is ToolResultBlock]
    assert [(one.id, one.name, one.output, one.is_error) for one in results] == [
        ("c1", "view", "status: draft\n", False), ("c2", "view", "Path does not exist", True),
    ]  # fmt: skip
    assert log.counts == {"session.start": 1, "assistant.turn_start": 1,
                          "tool.execution_start": 1, "session.shutdown": 1}  # fmt: skip
    assert begins_log(lines(TURN), whole=True)


def test_events_behind_which_the_user_went_back_are_left_out() -> None:
    more = event("e11", "user.message", content="And now?")
    kept = event("e12", "assistant.message", content="Later.")
    to_the_end = event("e13", "session.snapshot_rewind", upToEventId="e11", eventsRemoved=2)
    named = event("e13", "session.snapshot_rewind", upToEventId="e11", eventIds=["e11"])
    log = read(*TURN, more, kept, to_the_end)
    assert log.messages[-1].text == "Draft."
    assert log.counts["abandoned branch"] == 2
    assert read(*TURN, more, kept, named).messages[-1].text == "Later."


def test_both_sides_of_a_summary_and_called_agents_stay() -> None:
    aside = [
        event("x1", "user.message", content="Find it.", agent="a-1"),
        event("x2", "assistant.message", content="Found.", agent="a-1"),
    ]
    done = event("e11", "session.compaction_complete", success=True, summaryContent="Notes: draft.")
    on = event("e12", "assistant.message", content="On we go.")
    failed = event("e13", "session.compaction_complete", success=False, error="busy")
    log = read(*TURN, *aside, done, on, failed)
    assert [m.text for m in log.current] == ["Notes: draft.", "On we go."]
    assert [m.text for m in log.sidechains[0].messages] == ["Find it.", "Found."]
    assert log.counts["session.compaction_complete"] == 1


def test_what_is_not_read_is_named() -> None:
    row = event("e11", "user.message", content="See.", attachments=[{"type": "file"}])
    asked = event("e12", "tool.execution_complete", toolCallId="u1", success=True,
                  result={"content": "x"}, isUserRequested=True)  # fmt: skip
    log = read(*TURN, row, asked)
    assert log.counts["attachments"] == 1
    assert log.counts["tool.execution_complete"] == 1
    custom = call("c3", "apply_patch", "*** Begin Patch", type="custom")
    [made] = read(START, event("e2", "assistant.message", toolRequests=[custom])).messages[0].calls
    assert (made.input, made.freeform) == ("*** Begin Patch", True)


def test_a_call_without_a_name_is_refused_with_its_place() -> None:
    row = event("e2", "assistant.message", toolRequests=[{"toolCallId": "c1"}])
    with pytest.raises(ReadError) as caught:
        read(START, row)
    assert caught.value.path == "line 2.data.toolRequests[0].name"
