"""Trajectories of Harbor: steps of a user, an agent and its surroundings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import ReadError, Tool
from dragoman.agent_logs import SessionLog, read_session_log
from dragoman.message import ImageBlock, LocalSource, ThinkingBlock, ToolResultBlock, URLSource

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
FUNCTION = {"name": "look", "description": "Look at a file.", "parameters": SCHEMA}
AGENT = {"name": "walker", "version": "2", "model_name": "gpt-5.6",
         "tool_definitions": [{"type": "function", "function": FUNCTION}]}  # fmt: skip
PICTURE = {"type": "image", "source": {"media_type": "image/png", "path": "images/1.png"}}
STEPS: list[dict[str, Any]] = [
    {"step_id": 1, "source": "system", "message": "You walk."},
    {"step_id": 2, "source": "user", "message": [
        {"type": "text", "text": "Look at both."},
        {"type": "image", "source": {"media_type": "image/png", "path": "https://host/a.png"}}]},
    {"step_id": 3, "source": "agent", "message": "Let me look.", "reasoning_content": "Hm.",
     "timestamp": "2026-11-24T10:00:00Z", "model_name": "gpt-5.6-mini",
     "tool_calls": [
         {"tool_call_id": "c1", "function_name": "look", "arguments": {"path": "a"}},
         {"tool_call_id": "c2", "function_name": "look", "arguments": {"path": "b"}}],
     "observation": {"results": [
         {"source_call_id": "c1", "content": [{"type": "text", "text": "A picture."}, PICTURE]},
         {"source_call_id": "c2", "content": "no such file"},
         {"content": "The terminal was closed."}]},
     "metrics": {"prompt_tokens": 9}},
]  # fmt: skip


def read(steps: Any = None, **more: Any) -> SessionLog:
    data = {"schema_version": "ATIF-v1.8", "session_id": "s-4", "agent": AGENT,
            "steps": STEPS if steps is None else steps, **more}  # fmt: skip
    return read_session_log(json.dumps(data))


def test_steps_become_messages() -> None:
    log = read()
    assert (log.agent, log.session, log.model) == ("atif", "s-4", "gpt-5.6-mini")
    assert [m.role for m in log.messages] == ["system", "user", "assistant", "tool", "user"]
    thinking, words = log.messages[2].blocks[:2]
    assert isinstance(thinking, ThinkingBlock)
    assert (thinking.thinking, words["text"]) == ("Hm.", "Let me look.")
    assert [(call.id, call.input) for call in log.messages[2].calls] == [
        ("c1", {"path": "a"}), ("c2", {"path": "b"}),
    ]  # fmt: skip
    assert log.messages[2].timestamp == "2026-11-24T10:00:00Z"
    assert log.messages[4].text == "The terminal was closed."


def test_pictures_stay_where_they_are_and_are_not_opened() -> None:
    log = read()
    shown, missing = log.messages[3].blocks
    assert isinstance(shown, ToolResultBlock)
    assert isinstance(shown.output, list)
    assert isinstance(shown.output[1], ImageBlock)
    source = shown.output[1].source
    assert isinstance(source, LocalSource)
    assert (source.path, source.read) == ("images/1.png", True)
    assert isinstance(missing, ToolResultBlock)
    assert (missing.name, missing.output) == ("look", "no such file")
    [_, image] = log.messages[1].blocks
    assert isinstance(image, ImageBlock)
    assert isinstance(image.source, URLSource)


def test_tools_are_read() -> None:
    [tool] = read().tools
    assert isinstance(tool, Tool)
    assert (tool.name, tool.description) == ("look", "Look at a file.")


def test_other_fields_are_counted_by_kind() -> None:
    log = read(final_metrics={"total_steps": 3}, notes="a run")
    assert log.counts == {"final_metrics": 1, "notes": 1, "metrics": 1, "name": 1, "version": 1}
    assert {one.place for one in log.skipped} == {
        "$.final_metrics", "$.notes", "$.steps[2].metrics", "$.agent.name", "$.agent.version",
    }  # fmt: skip


def test_a_called_agents_trajectory_is_kept_apart() -> None:
    inner = {"schema_version": "ATIF-v1.8", "trajectory_id": "t-1", "agent": AGENT,
             "steps": [{"step_id": 1, "source": "user", "message": "Find it."}]}  # fmt: skip
    log = read(subagent_trajectories=[inner])
    assert [m.text for m in log.sidechains[0].messages] == ["Find it."]
    assert log.sidechains[0].session == "t-1"


def test_copied_steps_are_marked() -> None:
    log = read([{**STEPS[0], "is_copied_context": True}])
    assert log.messages[0].metadata == {"is_copied_context": True}


@pytest.mark.parametrize(
    ("step", "path"),
    [
        ({"source": "robot", "message": "x"}, "$.steps[0].source"),
        ({"source": "user", "message": 7}, "$.steps[0].message"),
        ({"source": "user", "message": [{"type": "video"}]}, "$.steps[0].message[0]"),
        ({"source": "agent", "message": "", "tool_calls": "none"}, "$.steps[0].tool_calls"),
    ],
)
def test_what_is_no_step_is_refused_with_its_path(step: dict[str, Any], path: str) -> None:
    with pytest.raises(ReadError) as caught:
        read([step])
    assert caught.value.path == path
