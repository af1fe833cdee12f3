"""Logs of pi: entries of a tree, prompts in sections, summaries and edits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman.agent_logs import SessionLog, read_session_log
from dragoman.errors import ReadError
from dragoman.message import ImageBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tests.agent_logs.jsonl import PIXEL, lines

HEAD = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-28T14:56:17Z",
        "cwd": "/w"}  # fmt: skip


def entry(id: str, parent: str | None, kind: str = "message", **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": id, "parentId": parent, "timestamp": f"2026-11-28T14:56:{id}Z",
            **more}  # fmt: skip


def said(id: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    return entry(id, parent, message={"role": role, "content": content, **more})


TOOL = {"name": "bash", "description": "Runs.", "parameters": {"type": "object"}}
CALL = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}
TALK = [
    entry("10", None, "model_change", provider="house", modelId="house"),
    said("11", "10", "system", "", sections={"a": "Be kind.", "b": "Be brief."}, toolsAdded=[TOOL]),
    said("12", "11", "user", [{"type": "text", "text": "Look"},
                              {"type": "image", "data": PIXEL, "mimeType": "image/png"}]),
    said("13", "12", "assistant",
         [{"type": "thinking", "thinking": "Hm.", "thinkingSignature": "sig"}, CALL],
         api="anthropic-messages", model="claude"),
    said("14", "13", "toolResult", [{"type": "text", "text": "a"}], toolCallId="c1",
         toolName="bash", isError=True),
    said("15", "14", "assistant", [{"type": "text", "text": "Done."}], model="claude"),
]  # fmt: skip


def read(*rows: dict[str, Any]) -> SessionLog:
    return read_session_log(lines([HEAD, *rows]))


def test_a_session_is_read_with_prompt_tools_and_signatures() -> None:
    log = read(*TALK)
    assert (log.agent, log.model, log.session) == ("pi", "claude", "s")
    assert [getattr(tool, "name", "") for tool in log.tools] == ["bash"]
    roles = ["system", "user", "assistant", "tool", "assistant"]
    assert [msg.role for msg in log.messages] == roles
    assert log.messages[0].text == "Be kind.\n\nBe brief."
    assert isinstance(log.messages[1].blocks[1], ImageBlock)
    thinking, call = log.messages[2].blocks
    [result] = log.messages[3].blocks
    assert isinstance(thinking, ThinkingBlock)
    assert isinstance(call, ToolUseBlock)
    assert isinstance(result, ToolResultBlock)
    assert (thinking.signature, call.input, result.is_error) == ("sig", {"command": "ls"}, True)


def test_a_sealed_item_of_responses_is_no_signature() -> None:
    seal = json.dumps({"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA"})
    part = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": seal}
    answer = said("13", "12", "assistant", [part], api="openai-responses", model="gpt")
    log = read(said("12", None, "user", "Hi"), answer)
    [thinking] = log.messages[1].blocks
    assert isinstance(thinking, ThinkingBlock)
    assert (thinking.signature, thinking.redacted) == (None, "gAAA")


def test_the_branch_of_the_last_entry_counts() -> None:
    summary = entry("16", "12", "branch_summary", fromId="15", summary="It failed.")
    log = read(*TALK, summary, said("17", "16", "user", "Anew"))
    first, second, third = [msg.text for msg in log.messages][1:]
    assert (first, third) == ("Look", "Anew")
    assert second.endswith("this conversation came back from:\n\n<summary>\nIt failed.</summary>")
    assert log.counts["abandoned branch"] == 3


def test_a_compaction_goes_on_with_prompt_summary_and_what_was_kept() -> None:
    prompt = {"role": "system", "content": "Be short.", "toolsAdded": []}
    packed = entry("16", "15", "compaction", summary="In short.", firstKeptEntryId="15",
                   systemMessage=prompt)  # fmt: skip
    log = read(*TALK, packed, said("17", "16", "user", "Go on"))
    assert [msg.role for msg in log.current] == ["system", "user", "assistant", "user"]
    assert [log.current[i].text for i in (0, 2, 3)] == ["Be short.", "Done.", "Go on"]
    assert "<summary>\nIn short.\n</summary>" in log.current[1].text
    assert (log.tools, log.messages[0].text) == ([], "Look")


def test_edits_and_what_only_the_user_saw() -> None:
    ran = {"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 2}
    log = read(
        *TALK,
        entry("16", "15", "context_edit", targetId="14", replacement="(cleared)"),
        entry("17", "16", "context_edit", targetId="15", replacement=None),
        entry("18", "17", message=ran),
        entry("19", "18", message={**ran, "excludeFromContext": True}),
    )
    [result] = log.messages[3].blocks
    assert isinstance(result, ToolResultBlock)
    assert "(cleared)" in str(result.output)
    assert log.messages[4].text == "Ran `ls`\n```\na\n```\n\nCommand exited with code 2"
    assert {"left out", "context_edit", "bashExecution"} <= log.counts.keys()


def test_a_result_without_a_call_id_is_an_error_with_its_line() -> None:
    with pytest.raises(ReadError, match="a text belongs here") as raised:
        read(said("12", None, "toolResult", []))
    assert "line 2" in raised.value.path
