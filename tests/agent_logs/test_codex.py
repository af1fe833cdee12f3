"""Logs of Codex: items of the Responses API, in rows beside others."""

from __future__ import annotations

from typing import Any

from dragoman import wire
from dragoman.agent_logs import SessionLog, read_session_log
from dragoman.analysis.check import check
from dragoman.message import ImageBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tests.agent_logs.jsonl import PIXEL, lines


def row(kind: str, second: int = 0, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-11-24T10:00:{second:02}Z", "type": kind, "payload": payload}


def message(role: str, words: str, second: int = 0, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": words}]
    return row("response_item", second, type="message", role=role, content=content, **more)


META = row("session_meta", id="s-2", base_instructions={"text": "You are a coder."})
TURN = row("turn_context", model="gpt-5.5", approval_policy="never")
NOTES = {"internal_chat_message_metadata_passthrough": {"turn_id": "t"}}
IMAGE = {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "high"}
SESSION = [
    META,
    row("event_msg", type="task_started"),
    message("developer", "Be careful."),
    message("user", "Make it blue.", 2, **NOTES),
    TURN,
    row("response_item", 3, type="reasoning", id="rs_1", encrypted_content="gAAA",
        summary=[{"type": "summary_text", "text": "It is red."}], content=None),
    message("assistant", "Let me look.", 3),
    row("response_item", 3, type="function_call", id="fc_1", call_id="c1", name="exec_command",
        arguments='{"cmd": "cat a"}', status="completed"),
    row("response_item", 3, type="custom_tool_call", id="ctc_1", call_id="c2", name="apply_patch",
        input="*** Begin Patch\n*** End Patch\n", status="completed"),
    row("event_msg", type="token_count", info={}),
    row("response_item", 4, type="function_call_output", call_id="c1", output=[IMAGE]),
    row("response_item", 4, type="custom_tool_call_output", call_id="c2", output="Done."),
    message("assistant", "It is blue.", 5),
]  # fmt: skip


def read(*rows: dict[str, Any]) -> SessionLog:
    return read_session_log(lines(rows))


def test_items_are_read_as_the_responses_api_has_them() -> None:
    log = read(*SESSION)
    assert (log.agent, log.model, log.session) == ("codex", "gpt-5.5", "s-2")
    roles = [m.role for m in log.messages]
    assert roles == ["system", "developer", "user", "assistant", "tool", "assistant"]
    assert log.messages[0].text == "You are a coder."
    thinking, words, call, patch = log.messages[3].blocks
    assert isinstance(thinking, ThinkingBlock)
    assert (thinking.thinking, thinking.redacted) == ("It is red.", "gAAA")
    assert words["text"] == "Let me look."
    assert isinstance(call, ToolUseBlock)
    assert call.input == {"cmd": "cat a"}
    assert isinstance(patch, ToolUseBlock)
    assert patch.freeform


def test_a_result_holds_its_image() -> None:
    result, done = read(*SESSION).messages[4].blocks
    assert isinstance(result, ToolResultBlock)
    assert isinstance(done, ToolResultBlock)
    assert (result.id, done.id, done.output) == ("c1", "c2", "Done.")
    assert isinstance(result.output, list)
    assert isinstance(result.output[0], ImageBlock)


def test_other_rows_and_notes_are_counted_by_kind() -> None:
    log = read(*SESSION)
    assert log.counts == {
        "event_msg: task_started": 1, "turn_context": 1, "event_msg: token_count": 1,
        "internal_chat_message_metadata_passthrough": 1,
    }  # fmt: skip
    assert all(one.place.startswith("line ") and one.why for one in log.skipped)


def test_the_messages_go_back_to_their_provider_as_they_were() -> None:
    home = wire("openai-responses", policy="ignore")
    body = home.write_request(read(*SESSION[:-1]).request()).body
    assert check(body, home) == []
    kinds = [item.get("type") for item in body["input"]]
    assert kinds.count("reasoning") == 1
    assert "custom_tool_call_output" in kinds


def test_a_compaction_goes_on_with_what_replaced_the_history() -> None:
    kept = message("user", "Make it blue.")["payload"]
    summary = message("user", "Summary: it is red still.")["payload"]
    compacted = row("compacted", message="Summary", replacement_history=[kept, summary])
    log = read(*SESSION, compacted, message("assistant", "On I go.", 9))
    assert log.compactions == [6]
    assert [m.text for m in log.current] == [
        "You are a coder.", "Make it blue.", "Summary: it is red still.", "On I go.",
    ]  # fmt: skip
    assert [m.text for m in log.messages[:6]] == [m.text for m in read(*SESSION).messages]


def test_a_compaction_of_an_older_log_keeps_the_summary_alone() -> None:
    log = read(*SESSION, row("compacted", message="It is red still."))
    assert log.current[-1].text == "It is red still."


def test_messages_say_when() -> None:
    log = read(*SESSION)
    times = [m.timestamp for m in log.messages]
    assert times[2] == "2026-11-24T10:00:02Z"
    assert times[-1] == "2026-11-24T10:00:05Z"


def test_a_session_that_was_resumed_has_one_name() -> None:
    log = read(*SESSION, row("session_meta", id="s-3"), message("user", "More."))
    assert log.session == "s-2"
    assert log.counts["session_meta"] == 1
    assert log.messages[-1].text == "More."


def test_what_the_user_went_back_behind_is_no_part_of_it() -> None:
    context = message("user", "<environment_context>here</environment_context>")
    rows = [
        META, context, message("user", "One."), message("assistant", "First."),
        message("user", "Two."), message("assistant", "Second."), message("user", "Three."),
        message("assistant", "Third."), row("event_msg", type="thread_rolled_back", num_turns=2),
        message("user", "Four."), message("assistant", "Fourth."),
    ]  # fmt: skip
    log = read_session_log(lines(rows))
    assert [m.text for m in log.messages if not m.text.startswith("<")][-4:] == [
        "One.", "First.", "Four.", "Fourth.",
    ]  # fmt: skip
    assert sum(one.what == "rolled back: message" for one in log.skipped) == 4


def test_a_roll_back_of_more_than_there_is_keeps_the_context() -> None:
    context = message("user", "<environment_context>here</environment_context>")
    back = row("event_msg", type="thread_rolled_back", num_turns=9)
    for turns in (back, row("event_msg", type="thread_rolled_back", num_turns="x")):
        asked = [message("user", "One."), turns, message("user", "Two.")]
        log = read_session_log(lines([META, context, *asked]))
        assert log.messages[-1].text == "Two."
        assert any("environment_context" in m.text for m in log.messages)
