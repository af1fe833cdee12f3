"""Logs of Gemini CLI: messages, and changes of what stands so far."""

from __future__ import annotations

import json
from typing import Any

from dragoman import wire
from dragoman.agent_logs import SessionLog, read_session_log
from dragoman.analysis.check import check
from dragoman.message import ImageBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tests.agent_logs.jsonl import PIXEL, lines

HEAD = {"sessionId": "s-3", "projectHash": "ff", "startTime": "2026-11-24T10:00:00Z",
        "lastUpdated": "2026-11-24T10:00:00Z", "kind": "main"}  # fmt: skip
READ = {"id": "c1", "name": "read_file", "args": {"file_path": "a.png"}, "status": "success"}
LIST = {"id": "c2", "name": "list_directory", "args": {"dir_path": "."}, "status": "success"}
SHOWN: list[dict[str, Any]] = [
    {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "Binary."}}},
    {"inlineData": {"mimeType": "image/png", "data": PIXEL}},
]
LISTED: list[dict[str, Any]] = [{"functionResponse": {"id": "c2", "name": "list_directory",
                                "response": {"error": "no such folder"}}}]  # fmt: skip


def user(id: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"id": id, "type": "user", "timestamp": "2026-11-24T10:00:01Z", "content": list(parts)}


def said(id: str, words: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id, "type": "gemini", "timestamp": "2026-11-24T10:00:02Z", "content": words,
        "model": "gemini-3.8-flash", "tokens": {"input": 9}, **more,
    }  # fmt: skip


THOUGHT = [{"subject": "Files", "description": "I need both.", "timestamp": "x"}]
ANSWER = said("2", "Let me look.", thoughts=THOUGHT)
CALLS = [{**READ, "result": SHOWN}, {**LIST, "result": LISTED}]
SESSION: list[dict[str, Any]] = [
    HEAD,
    user("1", {"text": "Look at both."}),
    {"$set": {"lastUpdated": "2026-11-24T10:00:01Z"}},
    ANSWER,
    {**ANSWER, "toolCalls": CALLS},
    user("3", *SHOWN, *LISTED),
    said("4", "Seen."),
]
SESSION_NOW = [SESSION[1], *SESSION[4:]]


def read(*rows: dict[str, Any]) -> SessionLog:
    return read_session_log(lines(rows))


def test_a_message_that_comes_again_takes_the_place_of_the_first() -> None:
    log = read(*SESSION)
    assert (log.agent, log.model, log.session) == ("gemini-cli", "gemini-3.8-flash", "s-3")
    assert [m.role for m in log.messages] == ["user", "assistant", "user", "assistant"]
    thinking, words, first, second = log.messages[1].blocks
    assert isinstance(thinking, ThinkingBlock)
    assert thinking.thinking == "**Files**\nI need both."
    assert words["text"] == "Let me look."
    assert isinstance(first, ToolUseBlock)
    assert isinstance(second, ToolUseBlock)
    assert (first.id, second.name) == ("c1", "list_directory")
    assert log.messages[1].timestamp == "2026-11-24T10:00:02Z"


def test_results_stand_once_with_their_images_and_errors() -> None:
    blocks = read(*SESSION).messages[2].blocks
    results = [block for block in blocks if isinstance(block, ToolResultBlock)]
    assert [result.id for result in results] == ["c1", "c2"]
    assert any(isinstance(block, ImageBlock) for block in blocks)
    body = wire("gemini", policy="ignore").write_request(read(*SESSION[:-1]).request()).body
    answers = [part["functionResponse"] for content in body["contents"]
               for part in content["parts"] if "functionResponse" in part]  # fmt: skip
    assert answers[1]["response"] == {"error": "no such folder"}


def test_results_that_stand_beside_the_calls_alone_are_read_there() -> None:
    """As in releases that do not tell them again as a message."""
    older = [row for row in SESSION if row.get("id") != "3"]
    assert [m.to_dict()["content"] for m in read(*older).messages] == [
        m.to_dict()["content"] for m in read(*SESSION).messages
    ]


def test_the_messages_go_back_to_their_provider() -> None:
    home = wire("gemini", policy="ignore")
    body = home.write_request(read(*SESSION[:-1]).request()).body
    refused = {refusal.rule for refusal in check(body, home)}
    # the log does not keep the signatures of calls
    assert refused <= {"a call must come back with the signature that it came with"}


def test_a_compaction_is_a_list_that_says_something_new_for_what_is_gone() -> None:
    summary = user("9", {"text": "They looked at two files."})
    log = read(*SESSION, {"$set": {"messages": [summary]}}, said("10", "On we go."))
    assert log.compactions == [4]
    assert [m.text for m in log.current] == ["They looked at two files.", "On we go."]
    assert log.messages[0].text == "Look at both."


def test_a_list_of_the_same_messages_is_no_compaction() -> None:
    """Resuming clears the list, and sets it anew; an answer and its results then share an id."""
    again = [SESSION[1], SESSION[4], {**SESSION[5], "id": "2"}, SESSION[5], SESSION[6]]
    log = read(
        *SESSION, {"$set": {"messages": [SESSION[1]]}}, HEAD, {"$set": {"messages": again}},
        user("11", {"text": "More."}),
    )  # fmt: skip
    assert log.compactions == []
    roles = [m.role for m in log.messages]
    assert roles == ["user", "assistant", "user", "user", "assistant", "user"]  # results twice


def test_a_list_that_lacks_messages_and_says_nothing_new_leaves_them() -> None:
    """As when a request fails for good: the prompt is taken back."""
    log = read(*SESSION, user("5", {"text": "More."}), {"$set": {"messages": SESSION_NOW}})
    assert log.compactions == []
    assert [m.text for m in log.messages if m.text] == ["Look at both.", "Let me look.", "Seen."]
    assert log.counts["left message"] == 1


def test_a_rewind_leaves_what_came_after() -> None:
    log = read(*SESSION, {"$rewindTo": "4"}, user("5", {"text": "No, this."}))
    assert [m.text for m in log.messages if m.text] == [
        "Look at both.", "Let me look.", "No, this.",
    ]  # fmt: skip
    assert log.counts["abandoned branch"] == 1


def test_what_is_no_message_is_counted_by_kind() -> None:
    info = {"id": "7", "type": "info", "timestamp": "x", "content": "Request cancelled."}
    log = read(*SESSION, info)
    assert log.counts == {
        "projectHash": 1, "startTime": 1, "lastUpdated": 2, "kind": 1, "tokens": 3, "info": 1,
        "status": 2, "result of a call": 2, "earlier version": 1,
    }  # fmt: skip


def test_the_whole_session_in_one_object_as_before() -> None:
    messages = [row for row in SESSION[1:] if "id" in row and row is not ANSWER]
    log = read_session_log(json.dumps({**HEAD, "messages": messages}, indent=2))
    assert [m.to_dict()["content"] for m in log.messages] == [
        m.to_dict()["content"] for m in read(*SESSION).messages
    ]
