"""Sessions of Cline: one object, as a run wrote it; ids and words are made up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import ReadError
from dragoman.agent_logs import SessionLog, begins_log, read_session_log
from dragoman.message import ThinkingBlock, ToolResultBlock

FOUND = [{"query": "/notes.txt", "result": "1 | draft", "success": True}]
MESSAGES: list[dict[str, Any]] = [
    {"id": "m1", "role": "user", "ts": 1795969957414, "content": [
        {"type": "text", "text": '<user_input mode="act">What do the\nnotes say?</user_input>'}]},
    {"id": "m2", "role": "assistant", "ts": 1795969961122,
     "modelInfo": {"id": "gpt-5.6", "provider": "openai-compatible"},
     "metrics": {"inputTokens": 10, "outputTokens": 5}, "content": [
         {"type": "thinking", "thinking": "I should look."},
         {"type": "text", "text": "Let me look."},
         {"type": "tool_use", "id": "c1", "name": "read_files",
          "input": {"files": [{"path": "/notes.txt"}]}}]},
    {"id": "m3", "role": "user", "ts": 1795969961477, "content": [
        {"type": "tool_result", "tool_use_id": "c1", "name": "read_files", "content": FOUND}]},
    {"id": "m4", "role": "assistant", "ts": 1795969961819, "content": [
        {"type": "text", "text": "Draft."}]},
]  # fmt: skip
SESSION = {
    "version": 1, "updated_at": "2026-11-29T16:32:41.896Z", "agent": "lead", "sessionId": "s-1",
    "origin": {"source": "cli", "version": "3.0.65"}, "messages": MESSAGES,
    "system_prompt": "You are a coding agent.",
}  # fmt: skip


def read(messages: Any = None) -> SessionLog:
    session = SESSION if messages is None else {**SESSION, "messages": messages}
    return read_session_log(json.dumps(session, indent=2))


def test_messages_are_what_the_model_got() -> None:
    log = read()
    assert (log.agent, log.session, log.model) == ("cline", "s-1", "gpt-5.6")
    assert [m.role for m in log.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert log.messages[1].text == "What do the\nnotes say?"  # without the tags around it
    assert log.messages[1].timestamp == "2026-11-29T16:32:37.414+00:00"
    thinking = log.messages[2].blocks[0]
    assert isinstance(thinking, ThinkingBlock)
    assert thinking.thinking == "I should look."
    [result] = log.messages[3].blocks
    assert isinstance(result, ToolResultBlock)
    assert (result.id, result.name) == ("c1", "read_files")
    assert result.output == '[{"query":"/notes.txt","result":"1 | draft","success":true}]'
    kinds = {"version": 1, "updated_at": 1, "agent": 1, "origin": 1, "id": 4, "metrics": 1}
    assert log.counts == kinds


def test_a_session_is_known_by_its_beginning() -> None:
    text = json.dumps(SESSION, indent=2)
    assert begins_log(text, whole=True)
    assert begins_log(text[:200], whole=False)
    assert begins_log(json.dumps(SESSION), whole=True)
    assert not begins_log(json.dumps({"version": 1, "messages": []}, indent=2), whole=True)


def test_other_blocks_are_named_and_broken_ones_refused() -> None:
    log = read([{"role": "user", "content": [{"type": "hologram"}]}, *MESSAGES])
    assert log.counts["hologram"] == 1
    with pytest.raises(ReadError) as caught:
        read([{"role": "assistant", "content": [{"type": "tool_use", "id": "c1"}]}])
    assert caught.value.path == "$.messages[0].content[0].name"
