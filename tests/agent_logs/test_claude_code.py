"""Logs of Claude Code: a tree of rows, of which the messages of the API are made."""

from __future__ import annotations

from typing import Any

from dragoman import wire
from dragoman.agent_logs import SessionLog, read_session_log
from dragoman.analysis.check import check
from dragoman.message import ImageBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tests.agent_logs.jsonl import PIXEL, lines

READ = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/a.png"}}
LIST = {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {"command": "ls"}}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}


def user(uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "user", "uuid": uuid, "parentUuid": parent, "isSidechain": False,
        "sessionId": "s-1", "timestamp": f"2026-11-24T10:00:0{len(uuid)}Z",
        "message": {"role": "user", "content": content}, **more,
    }  # fmt: skip


def said(uuid: str, parent: str, id: str, block: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {"id": id, "type": "message", "role": "assistant", "model": "claude-opus-4-8",
               "content": [block], "usage": {"input_tokens": 9, "output_tokens": 3}}  # fmt: skip
    return {
        "type": "assistant", "uuid": uuid, "parentUuid": parent, "isSidechain": False,
        "sessionId": "s-1", "message": message, **more,
    }  # fmt: skip


def result(id: str, content: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": id, "content": content, **more}]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


# an answer of four blocks, two of them calls at once, whose results hang from the calls
TURN = [
    user("a", None, "Look at both."),
    {"type": "attachment", "uuid": "b", "parentUuid": "a", "attachment": {"type": "skill_listing"}},
    said("c", "b", "m-1", {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}),
    said("d", "c", "m-1", text("Let me look.")),
    said("e", "d", "m-1", READ),
    said("f", "e", "m-1", LIST),
    user("g", "e", result("toolu_1", [IMAGE]), toolUseResult={"type": "image"}),
    user("h", "f", result("toolu_2", "no such file", is_error=True)),
    said("i", "h", "m-2", text("Seen.")),
]


def read(*rows: dict[str, Any]) -> SessionLog:
    return read_session_log(lines(rows))


def test_an_answer_in_several_rows_is_one_message() -> None:
    log = read(*TURN)
    assert (log.agent, log.model, log.session) == ("claude-code", "claude-opus-4-8", "s-1")
    assert [m.role for m in log.messages] == ["user", "assistant", "user", "assistant"]
    thinking, words, first, second = log.messages[1].blocks
    assert isinstance(thinking, ThinkingBlock)
    assert (thinking.thinking, thinking.signature) == ("Hm.", "c2ln")
    assert words["text"] == "Let me look."
    assert isinstance(first, ToolUseBlock)
    assert isinstance(second, ToolUseBlock)
    assert (first.id, second.id) == ("toolu_1", "toolu_2")


def test_results_of_parallel_calls_stand_together_with_images_and_errors() -> None:
    shown, failed = read(*TURN).messages[2].blocks
    assert isinstance(shown, ToolResultBlock)
    assert isinstance(shown.output, list)
    assert isinstance(shown.output[0], ImageBlock)
    assert isinstance(failed, ToolResultBlock)
    assert failed.is_error


def test_results_between_the_rows_of_an_answer_change_nothing() -> None:
    """Newer releases run a call while the answer still comes."""
    rows = [*TURN[:5], TURN[6], TURN[5], TURN[7], TURN[8]]
    assert [m.to_dict()["content"] for m in read(*rows).messages] == [
        m.to_dict()["content"] for m in read(*TURN).messages
    ]


def test_the_messages_go_back_to_their_provider_as_they_were() -> None:
    log = read(*TURN[:-1])
    home = wire("anthropic", policy="ignore")
    body = home.write_request(log.request()).body
    assert check(body, home) == []
    assert body["messages"][1]["content"][0]["signature"] == "c2ln"
    assert [part["tool_use_id"] for part in body["messages"][2]["content"]] == [
        "toolu_1", "toolu_2",
    ]  # fmt: skip


def test_what_is_no_message_is_counted_by_kind() -> None:
    others: list[dict[str, Any]] = [
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "s-1"},
        {"type": "file-history-snapshot", "messageId": "a", "snapshot": {}},
        {"type": "system", "subtype": "turn_duration", "uuid": "z", "parentUuid": "i"},
        {"type": "system", "subtype": "turn_duration", "uuid": "y", "parentUuid": "i"},
    ]
    log = read(*others[:2], *TURN, *others[2:])
    assert log.counts == {
        "queue-operation": 1, "file-history-snapshot": 1, "attachment: skill_listing": 1,
        "system: turn_duration": 2, "usage": 5, "toolUseResult": 1,
    }  # fmt: skip
    assert log.skipped[0].place == "line 1"
    assert all(one.why for one in log.skipped)


def test_a_branch_that_was_left_is_no_part_of_the_conversation() -> None:
    log = read(*TURN, user("j", "i", "Now the wrong way."), user("k", "i", "Now the right way."))
    assert log.messages[-1].text == "Now the right way."
    assert log.counts["abandoned branch"] == 1


def test_a_compaction_is_marked_and_both_sides_stay() -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "x", "parentUuid": None,
                "logicalParentUuid": "i"}  # fmt: skip
    summary = user("y", "x", "They looked at two files.", isCompactSummary=True)
    log = read(*TURN, boundary, summary, said("z", "y", "m-3", text("On we go.")))
    assert log.compactions == [4]
    assert [m.text for m in log.current] == ["They looked at two files.", "On we go."]
    assert log.messages[0].text == "Look at both."
    assert log.counts["system: compact_boundary"] == 1


def test_the_conversation_of_a_called_agent_is_kept_apart() -> None:
    aside = [
        user("p", None, "Find it.", isSidechain=True, agentId="ab12"),
        said("q", "p", "m-9", text("Found."), isSidechain=True, agentId="ab12"),
    ]
    log = read(*TURN, *aside)
    assert [m.text for m in log.sidechains[0].messages] == ["Find it.", "Found."]
    assert len(log.messages) == 4
    assert [m.text for m in read(*aside).messages] == ["Find it.", "Found."]  # in a file of its own


def test_what_the_program_says_in_the_models_place_is_left_out() -> None:
    row = said("j", "i", "m-4", text("API Error: 529"), isApiErrorMessage=True)
    row["message"]["model"] = "<synthetic>"
    log = read(*TURN, row)
    assert log.messages[-1].text == "Seen."
    assert log.counts["synthetic answer"] == 1


def test_what_the_user_says_while_the_agent_works_is_said() -> None:
    queued = {"type": "attachment", "uuid": "j", "parentUuid": "i",
              "attachment": {"type": "queued_command", "prompt": "And hurry."}}  # fmt: skip
    log = read(*TURN, queued, said("k", "j", "m-5", text("Yes.")))
    assert [m.text for m in log.messages[-2:]] == ["And hurry.", "Yes."]


def test_a_message_says_when_and_by_which_model() -> None:
    other = said("j", "i", "m-6", text("Another model."), timestamp="2026-11-24T11:00:00Z")
    other["message"]["model"] = "claude-haiku-4-5"
    log = read(*TURN, other)
    assert log.messages[0].timestamp == "2026-11-24T10:00:01Z"
    assert log.messages[-1].timestamp == "2026-11-24T11:00:00Z"
    models = [m.origin.model for m in log.messages if m.role == "assistant" and m.origin]
    assert models == ["claude-opus-4-8", "claude-opus-4-8", "claude-haiku-4-5"]
    assert log.model == "claude-haiku-4-5"


def test_rows_that_stand_there_twice_are_said_once() -> None:
    rows = [user("a", None, "Hi."), said("b", "a", "m-1", text("Hello.")),
            user("c", "b", "How are you?"), said("d", "c", "m-2", text("Fine."))]  # fmt: skip
    for copied in ([rows[1], *rows[2:]], rows):
        log = read_session_log(lines([*rows, *copied, user("e", "d", "Bye.")]))
        texts = [m.text for m in log.messages]
        assert texts == ["Hi.", "Hello.", "How are you?", "Fine.", "Bye."]
        assert sum(one.what == "repeated row" for one in log.skipped) == len(copied)


def test_a_row_whose_parent_is_not_in_the_file_goes_on_from_the_one_before() -> None:
    rows = [user("a", None, "Hi."), said("b", "a", "m-1", text("Hello.")),
            user("c", "gone", "How are you?"), said("d", "c", "m-2", text("Fine."))]  # fmt: skip
    log = read_session_log(lines(rows))
    assert [m.text for m in log.messages] == ["Hi.", "Hello.", "How are you?", "Fine."]
    assert not any(one.what == "abandoned branch" for one in log.skipped)
