"""What opencode exports: messages in parts, in a form of its own."""

from __future__ import annotations

import json
from typing import Any

from dragoman.agent_logs import SessionLog, read_session_log
from dragoman.message import ImageBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tests.agent_logs.jsonl import PIXEL


def message(role: str, *parts: dict[str, Any], **info: Any) -> dict[str, Any]:
    fields = {"id": "msg_1", "role": role, "time": {"created": 1_795_520_620_491}, **info}
    return {"info": fields, "parts": list(parts)}


def tool(id: str, name: str, status: str = "completed", **state: Any) -> dict[str, Any]:
    state = {"status": status, "input": {"filePath": "/a"}, **state}
    return {"type": "tool", "tool": name, "callID": id, "state": state}


FILE = {"type": "file", "mime": "image/png", "url": f"data:image/png;base64,{PIXEL}"}
START = {"type": "step-start"}
REASONING = {"type": "reasoning", "text": "Hm.", "metadata": {"anthropic": {"signature": "c2ln"}}}
SESSION = [
    message("user", {"type": "text", "text": "Look at both."}),
    message(
        "assistant", START, REASONING, {"type": "text", "text": "Let me look."},
        tool("c1", "read", output="Image read.", attachments=[FILE]),
        tool("c2", "bash", "error", error="no such command"),
        {"type": "step-finish", "reason": "tool-calls"}, modelID="house", providerID="gateway",
    ),
    message("assistant", START, {"type": "text", "text": "Seen."}, modelID="house"),
]  # fmt: skip


def read(*messages: dict[str, Any]) -> SessionLog:
    info = {"id": "ses_1", "title": "A title", "version": "1.18.33"}
    return read_session_log(json.dumps({"info": info, "messages": list(messages)}))


def test_a_part_of_a_tool_is_a_call_and_its_result() -> None:
    log = read(*SESSION)
    assert (log.agent, log.model, log.session) == ("opencode", "house", "ses_1")
    assert [m.role for m in log.messages] == ["user", "assistant", "tool", "assistant"]
    thinking, words, first, second = log.messages[1].blocks
    assert isinstance(thinking, ThinkingBlock)
    assert (thinking.thinking, thinking.signature) == ("Hm.", "c2ln")
    assert words["text"] == "Let me look."
    assert isinstance(first, ToolUseBlock)
    assert isinstance(second, ToolUseBlock)
    assert (first.name, second.id) == ("read", "c2")
    shown, failed = log.messages[2].blocks
    assert isinstance(shown, ToolResultBlock)
    assert isinstance(shown.output, list)
    assert isinstance(shown.output[1], ImageBlock)
    assert isinstance(failed, ToolResultBlock)
    assert (failed.output, failed.is_error) == ("no such command", True)
    assert log.messages[0].timestamp == "2026-11-24T11:43:40.491000+00:00"


def test_steps_of_one_message_are_several_answers() -> None:
    both = message("assistant", *SESSION[1]["parts"], *SESSION[2]["parts"], modelID="house")
    roles = [m.role for m in read(SESSION[0], both).messages]
    assert roles == ["user", "assistant", "tool", "assistant"]


def test_what_is_not_said_is_counted_by_kind() -> None:
    log = read(*SESSION)
    assert log.counts == {"title": 1, "version": 1, "step-start": 2, "step-finish": 1,
                          "providerID": 1}  # fmt: skip
    assert log.skipped[-1].place == "$.messages[2].parts[0]"


def test_a_call_that_never_ran_is_unfinished() -> None:
    log = read(SESSION[0], message("assistant", tool("c9", "read", "pending")))
    [call] = log.messages[-1].calls
    assert call.unfinished
    assert log.messages[-1].role == "assistant"


def test_a_compaction_goes_on_with_a_summary() -> None:
    asks = message("user", {"type": "compaction", "auto": True})
    summary = message("assistant", {"type": "text", "text": "They looked."}, summary=True)
    log = read(*SESSION, asks, summary)
    assert log.compactions == [4]
    assert [m.text for m in log.current] == ["They looked."]
    assert log.counts["compaction"] == 1
