"""Trajectories: any conversation becomes one that the package `atif` takes, and comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from atif import Trajectory

from dragoman import Msg, ReadError, WriteError
from dragoman.batch import converter
from dragoman.batch.record_forms import FORMS
from dragoman.message import (
    Base64Source,
    ChatRequest,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from tests.agent_logs import test_atif, test_claude_code, test_codex, test_gemini_cli
from tests.agent_logs.jsonl import PIXEL, lines
from tests.contract.agents.recorded import CORPUS
from tests.each_case import each_case

RECORD: dict[str, Any] = {
    "schema_version": "ATIF-v1.6", "session_id": "s-4", "notes": "a run", "row": 1,
    "agent": test_atif.AGENT, "steps": test_atif.STEPS, "final_metrics": {"total_steps": 3},
}  # fmt: skip
OLD = {key: value for key, value in RECORD.items() if key != "row"}


def _to(target: str, record: Any) -> tuple[Any, set[str]]:
    body, losses = converter(target=target, policy="ignore").convert(record)
    return body, {loss.code for loss in losses}


def _said(request: ChatRequest) -> Iterator[tuple[Any, ...]]:
    """What messages say: who, and each block with what it holds."""
    for m in request.messages:
        for block in m.blocks:
            if isinstance(block, TextBlock) and block.text:
                yield m.role, block.text, m.name
            elif isinstance(block, ThinkingBlock) and block.thinking:
                yield m.role, "thinking", block.thinking
            elif isinstance(block, ToolUseBlock):
                yield block.id, block.name, json.dumps(block.input, sort_keys=True)
            elif isinstance(block, ToolResultBlock):
                yield block.id, block.is_error, "".join(_texts(block.output))
            elif isinstance(block, ImageBlock):
                source = block.source
                yield m.role, block.type, source.get("media_type"), source.get("data")


def _texts(output: Any) -> list[str]:
    if isinstance(output, list):
        return [str(getattr(part, "text", part.type)) for part in output]
    return [str(output)]


def _back(record: Any) -> ChatRequest:
    return FORMS["atif"].read(json.loads(json.dumps(record))).chosen.request  # type: ignore[misc]


def test_a_trajectory_of_an_earlier_version_becomes_one_of_this() -> None:
    record, losses = _to("atif", RECORD)
    Trajectory.model_validate(record)
    assert record["schema_version"] == "ATIF-v1.8"
    assert record["agent"] == RECORD["agent"]
    assert [record[key] for key in ("session_id", "notes")] == ["s-4", "a run"]
    assert (record["final_metrics"], record["extra"]) == ({"total_steps": 3}, {"row": 1})
    assert [step["source"] for step in record["steps"]] == ["system", "user", "agent", "user"]
    assert record["steps"][2]["observation"]["results"][0]["content"][1] == test_atif.PICTURE
    assert [*_said(_back(record))] == [*_said(_back(RECORD))]
    assert losses == {"extras.unsupported"}  # the metrics of a step


@each_case("target", ["anthropic", "openai-chat", "gemini", "openai-responses", "bedrock"])
def test_a_trajectory_becomes_a_conversation_of_any_wire(target: str) -> None:
    steps = [step for step in test_atif.STEPS if step["source"] != "user"]
    asked = {"step_id": 2, "source": "user", "message": "Look at both."}
    text = json.dumps(_to(target, {**OLD, "steps": [steps[0], asked, steps[1]]})[0])
    for words in ("You walk.", "Look at both.", "Let me look.", "no such file", "look"):
        assert words in text


def test_a_trajectory_is_known_by_its_version() -> None:
    assert _to("messages", OLD)[0]["kind"] == "request"
    with pytest.raises(ReadError):
        _to("messages", {**OLD, "schema_version": "1.0"})
    with pytest.raises(WriteError, match="no message"):
        _to("atif", {**OLD, "steps": []})


def test_what_a_step_has_no_field_for_comes_back() -> None:
    picture = ImageBlock(Base64Source("image/png", PIXEL))
    failed = ToolResultBlock("c1", "look", "no such file", is_error=True)
    late = ToolResultBlock("nobody", "", "found later")
    call = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
    messages = [
        Msg("", "Be kind.", "developer"), Msg("Tony", [{"type": "text", "text": "Hi"}, picture]),
        Msg("Friday", [call], "assistant"), Msg("", [failed], "tool"), Msg("", [late], "tool"),
    ]  # fmt: skip
    record, losses = _to("atif", [m.to_dict() for m in messages])
    Trajectory.model_validate(record)
    assert [*_said(_back(record))] == [*_said(ChatRequest(messages))]
    assert losses == set()


def test_what_a_trajectory_cannot_hold_is_named() -> None:
    request = {
        "model": "claude-opus-5-5", "max_tokens": 9, "messages": [
            {"role": "user", "content": [{"type": "document", "source": {
                "type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}},
                {"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
                {"type": "text", "text": "And."}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "x"}]},
        ],
        "tools": [{"type": "web_search_20250305", "name": "web_search"}],
    }  # fmt: skip
    body, losses = converter(target="atif", policy="ignore").convert(request)
    Trajectory.model_validate(body)
    found = {loss.code: loss.where for loss in losses}
    assert found["block.unsupported"] == "$.messages[0].content[0]"
    assert found["cache.unsupported"].startswith("$.messages[0].content[1]")
    assert found["thinking.unsigned"].startswith("$.messages[1].content[0]")
    assert found["turn.joined"] == "$.messages[1].content[2]"
    assert found["server_tool.unsupported"] == "$.tools[0]"
    assert found["option.unsupported"] == "$.max_tokens"
    assert "c2ln" not in json.dumps(body)


def test_the_counts_of_an_exchange_stand_beside_its_answer() -> None:
    answer = {"id": "m", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
              "content": [{"type": "text", "text": "Good."}], "stop_reason": "end_turn",
              "usage": {"input_tokens": 3, "output_tokens": 2, "cache_read_input_tokens": 4,
                        "cache_creation_input_tokens": 5}}  # fmt: skip
    asked = {"model": "claude-opus-5-5", "max_tokens": 9,
             "messages": [{"role": "user", "content": "Hi"}]}  # fmt: skip
    record, _ = _to("atif", {"request": asked, "response": answer, "id": 7})
    Trajectory.model_validate(record)
    counts = {"prompt_tokens": 12, "completion_tokens": 2, "cached_tokens": 4}
    assert record["steps"][-1]["metrics"] == counts
    assert record["extra"] == {"id": 7}


def test_both_sides_of_a_summary_and_called_agents_stay() -> None:
    user, said, text = test_claude_code.user, test_claude_code.said, test_claude_code.text
    aside = [
        user("x1", None, "Find it.", isSidechain=True),
        said("x2", "x1", "m9", text("Found."), isSidechain=True),
    ]
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "x", "parentUuid": None,
                "logicalParentUuid": "b", "sessionId": "s-1"}  # fmt: skip
    rows = [
        user("a", None, "Hi"), said("b", "a", "m1", text("Hello.")), boundary,
        user("c", "x", "Hi was said.", isCompactSummary=True), said("d", "c", "m2", text("On.")),
        *aside,
    ]  # fmt: skip
    work = converter(target="atif", policy="ignore")
    record = work.apply_to_log(lines(rows), "a.jsonl").record
    Trajectory.model_validate(record)
    assert record is not None
    assert (record["agent"]["name"], record["session_id"]) == ("claude-code", "s-1")
    texts = [step["message"] for step in record["steps"]]
    assert texts == ["Hi", "Hello.", "Hi was said.", "On."]
    [inner] = record["subagent_trajectories"]
    assert [step["message"] for step in inner["steps"]] == ["Find it.", "Found."]
    # a wire gets what the agent would go on with, as from the log itself
    chat = converter(target="anthropic", policy="ignore")
    result = chat.apply_to_log(lines(rows), "a.jsonl")
    assert result.record is not None
    assert "Hello." not in json.dumps(result.record)
    lost = {loss.where: loss.what for loss in result.losses if loss.code == "extras.unsupported"}
    assert lost["$.messages[0]"] == "2 messages before the last summary"
    assert lost["$.sidechains[0]"] == "2 messages of a called agent"
    said_again = [m.text for m in _back(record).messages]
    assert said_again == ["Hi was said.", "On."]
    assert len(chat(record)["messages"]) == len(result.record["messages"]) == 2


@each_case("rows", [test_claude_code.TURN, test_codex.SESSION, test_gemini_cli.SESSION])
def test_a_log_of_any_agent_becomes_a_trajectory(rows: Any) -> None:
    record = converter(target="atif", policy="ignore").apply_to_log(lines(rows), "log").record
    Trajectory.model_validate(record)


def test_sessions_of_agents_there_and_back() -> None:
    if not CORPUS.exists():
        pytest.skip("needs ../shared: what coding agents sent")
    work = converter(target="atif", policy="ignore")
    read = converter(target="messages", policy="ignore")
    count = 0
    for file in sorted(CORPUS.glob("*.jsonl")):
        rows = [json.loads(row) for row in file.read_bytes().splitlines()]
        newest = {row["session"]: row["request"] for row in rows}  # has the earlier turns, too
        for session, request in newest.items():
            record, losses = work.convert(request)
            Trajectory.model_validate(record)
            stored = FORMS["messages"].read(read(request))  # type: ignore[misc]
            wanted, found = [*_said(stored.chosen.request)], [*_said(_back(record))]
            lost = {loss.code for loss in losses}
            if "call.unparsed" in lost:  # arguments of a freeform tool are a text
                wanted, found = ([row[:2] for row in rows] for rows in (wanted, found))
            assert found == wanted, (file.name, session)
            count += 1
    assert count > 20
