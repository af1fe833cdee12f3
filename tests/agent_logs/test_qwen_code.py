"""Logs of Qwen Code: a tree of rows, each with a content of Gemini's API."""

from __future__ import annotations

from typing import Any

from dragoman.agent_logs import SessionLog, read_session_log
from dragoman.message import ToolResultBlock, ToolUseBlock
from tests.agent_logs.jsonl import lines


def row(id: str, parent: str | None, kind: str, *parts: Any, **more: Any) -> dict[str, Any]:
    role = "model" if kind == "assistant" else "user"
    message = {"message": {"role": role, "parts": list(parts)}} if parts else {}
    return {"uuid": id, "parentUuid": parent, "sessionId": "s", "timestamp": "2026-11-28T14:56:11Z",
            "type": kind, "cwd": "/w", "version": "0.24.4", **message, **more}  # fmt: skip


CALL = {"functionCall": {"id": "call_1", "name": "run_shell_command", "args": {"command": "ls"}}}
RESULT = {"functionResponse": {"id": "call_1", "name": "run_shell_command",
                               "response": {"output": "a"}}}  # fmt: skip
TALK = [
    row("1", None, "user", {"text": "Say hi"}),
    row("2", "1", "system", subtype="ui_telemetry", systemPayload={"uiEvent": {}}),
    row("3", "2", "assistant", {"text": "Hm."}, CALL, model="house"),
    row("4", "3", "tool_result", RESULT, toolCallResult={"callId": "call_1"}),
    row("5", "4", "assistant", {"text": "Done."}, model="house"),
]


def read(*rows: dict[str, Any]) -> SessionLog:
    return read_session_log(lines(rows))


def test_contents_are_read_as_messages() -> None:
    log = read(*TALK)
    assert (log.agent, log.model, log.session) == ("qwen-code", "house", "s")
    assert [msg.role for msg in log.messages] == ["user", "assistant", "user", "assistant"]
    call, result = log.messages[1].blocks[1], log.messages[2].blocks[0]
    assert isinstance(call, ToolUseBlock)
    assert isinstance(result, ToolResultBlock)
    assert (call.id, call.input, result.id) == ("call_1", {"command": "ls"}, "call_1")
    assert log.counts["ui_telemetry"] == 1


def test_rows_that_come_twice_count_once_and_branches_are_left() -> None:
    other = row("6", "1", "assistant", {"text": "Other."}, model="house")
    log = read(*TALK, *TALK[:2], other)
    assert [msg.text for msg in log.messages] == ["Say hi", "Other."]
    assert log.counts["repeated row"] == 2
    assert log.counts["abandoned branch"] == 3


def test_a_compressed_history_is_what_the_session_goes_on_with() -> None:
    summary = [{"role": "user", "parts": [{"text": "In short."}]},
               {"role": "model", "parts": [{"text": "Got it."}]}]  # fmt: skip
    packed = row("6", "5", "system", subtype="chat_compression",
                 systemPayload={"info": {}, "compressedHistory": summary})  # fmt: skip
    log = read(*TALK, packed, row("7", "6", "user", {"text": "Go on."}))
    assert log.compactions == [4]
    assert [msg.text for msg in log.current] == ["In short.", "Got it.", "Go on."]
    assert [msg.text for msg in log.messages][:1] == ["Say hi"]
