"""Cases of streams: blocks that grow side by side, errors halfway, several candidates."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import dragoman
from dragoman.message import ToolUseBlock
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

from .reading import chunk, said, streamed

TARGETS = [name for name in PROTOCOLS if name != "openai-responses"]
START = {"type": "response.created", "response": {
    "id": "resp_1", "object": "response", "created_at": 7, "status": "in_progress", "model": "m",
    "output": []}}  # fmt: skip


def event(kind: str, at: int, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "output_index": at, **more}


def call(at: int, arguments: str, size: int = 3) -> list[dict[str, Any]]:
    """The events of a function call: announced without arguments, which then grow."""
    item = {"type": "function_call", "id": f"fc_{at}", "call_id": f"c{at}", "name": f"look_{at}"}
    cuts = [arguments[i : i + size] for i in range(0, len(arguments), size)]
    return [
        event("output_item.added", at, item={**item, "arguments": "", "status": "in_progress"}),
        *(event("function_call_arguments.delta", at, item_id=f"fc_{at}", delta=one)
          for one in cuts),
        event("function_call_arguments.done", at, item_id=f"fc_{at}", arguments=arguments),
        event("output_item.done", at, item={**item, "arguments": arguments,
                                            "status": "completed"}),
    ]  # fmt: skip


def words(at: int, text: str) -> list[dict[str, Any]]:
    """The events of a message of one text, which is told whole at its end."""
    item = {"type": "message", "id": f"m_{at}", "role": "assistant"}
    part = {"type": "output_text", "text": text, "annotations": []}
    return [
        event("output_item.added", at, item={**item, "content": [], "status": "in_progress"}),
        *(event("output_text.delta", at, item_id=f"m_{at}", content_index=0, delta=text[i : i + 2])
          for i in range(0, len(text), 2)),
        event("output_item.done", at, item={**item, "content": [part], "status": "completed"}),
    ]  # fmt: skip


def finished(*events: Any) -> list[Any]:
    """The whole stream: its last event repeats what was told at the end of each item."""
    done = [one["item"] for one in sorted(events, key=lambda one: one["output_index"])
            if one["type"] == "response.output_item.done"]  # fmt: skip
    last = {**START["response"], "status": "completed", "output": done}  # type: ignore[dict-item]
    return [START, *events, {"type": "response.completed", "response": last}]


def heard(events: list[Any], target: str, source: str = "openai-responses") -> Any:
    """The answer as a client of the target reads it."""
    made = [(one.event, one.data) for one in dragoman.convert_stream(events, source, target)]
    return streamed(target, made)


@pytest.mark.parametrize("target", TARGETS)
def test_case_29b_calls_that_grow_side_by_side_keep_their_arguments(target: str) -> None:
    first, second = call(0, '{"a": 1}', 99), call(1, '{"b": 2}', 99)
    events = [first[0], *second[:2], *first[1:], *second[2:]]
    got = {one.name: one.input for one in heard(finished(*events), target).calls}
    assert got == {"look_0": {"a": 1}, "look_1": {"b": 2}}


@pytest.mark.parametrize("target", TARGETS)
def test_a_text_that_waits_for_a_call_is_told_once(target: str) -> None:
    """The rest of it is held while the call is open, and then comes whole."""
    told, asked = words(0, "txt1"), call(1, '{"a": 1}', 4)
    events = [*told[:2], *asked[:2], *told[2:], *asked[2:]]
    resp = heard(finished(*events), target)
    assert resp.text.replace("\n", "") == "txt1"
    assert [one.input for one in resp.calls] == [{"a": 1}]


@pytest.mark.parametrize("seed", range(12))
def test_however_items_are_interleaved_they_arrive(seed: int) -> None:
    rng = random.Random(seed)
    items = [call(at, json.dumps({"k": at}), rng.randint(1, 9)) if rng.random() < 0.6
             else words(at, f"txt{at}") for at in range(rng.randint(2, 4))]  # fmt: skip
    left = [list(one) for one in items]
    events: list[Any] = []
    while waiting := [one for one in left if one]:
        queue = rng.choice(waiting)
        events += [queue.pop(0) for _ in range(min(len(queue), rng.randint(1, 3)))]
    before = streamed("openai-responses", [(one["type"], one) for one in finished(*events)])
    for target in TARGETS:
        after = heard(finished(*events), target)
        assert _calls(after) == _calls(before), target
        assert sorted(after.text.replace("\n", "")) == sorted(before.text.replace("\n", "")), target


def _calls(resp: Any) -> list[tuple[str, str]]:
    return sorted((one.name, json.dumps(one.input)) for one in resp.calls)


OVERLOADED = [
    ("message_start", {"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1}}}),
    ("content_block_start", {"type": "content_block_start", "index": 0,
                             "content_block": {"type": "text", "text": ""}}),
    ("content_block_delta", {"type": "content_block_delta", "index": 0,
                             "delta": {"type": "text_delta", "text": "So"}}),
    ("error", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
]  # fmt: skip


def test_an_error_halfway_is_the_end_of_a_response() -> None:
    stream = dragoman.convert_stream(OVERLOADED, "anthropic", "openai-responses")
    made = [(one.event, json.loads(one.data)) for one in stream]
    names = [name for name, _ in made]
    assert names[-1] == "response.failed"
    assert names.index("error") < len(names) - 1
    error = dict(made)["error"]
    assert error["error"]["message"] == error["message"] == "Overloaded"
    failed = made[-1][1]["response"]
    assert (failed["status"], failed["error"]["message"]) == ("failed", "Overloaded")
    assert failed["output"][0]["content"][0]["text"] == "So"
    assert failed["output"][0]["status"] == "incomplete"


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "anthropic", "gemini"])
def test_the_official_clients_raise_for_an_error_halfway(target: str) -> None:
    pytest.importorskip({"anthropic": "anthropic", "gemini": "google.genai"}.get(target, "openai"))
    from tests.contract.converting.clients import client

    made = [(one.event, json.loads(one.data) if one.data[:1] == "{" else one.data)
            for one in dragoman.convert_stream(OVERLOADED, "anthropic", target)]  # fmt: skip
    with pytest.raises(Exception, match="Overloaded"):
        client(target).streamed(made)


@pytest.mark.parametrize("target", ["openai-responses", "anthropic", "ollama", "cohere",
                                    "bedrock-converse"])  # fmt: skip
def test_an_answer_ends_as_the_candidate_that_is_told(target: str) -> None:
    """The other one, which reached a limit, is named as lost."""
    both = said({"content": "A"})
    both["choices"].append({**said({"content": "B"}, "length")["choices"][0], "index": 1})
    out = dragoman.convert(both, "openai-chat", target, "response", policy="ignore")
    resp = dragoman.wire(target).read_response(out.body)
    assert (resp.text, resp.status, resp.finish.reason) == ("A", "complete", "stop")
    assert "answer.candidates" in {one.code for one in out.losses}
    assert "answer.finish" not in {one.code for one in out.losses}
    events = [chunk({"content": "A"}), _second({"content": "B"}), chunk({}, "stop"),
              _second({}, "length")]  # fmt: skip
    resp = heard(events, target, "openai-chat")
    assert (resp.text, resp.status, resp.finish.reason) == ("A", "complete", "stop")


def _second(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    made = chunk(delta, reason)
    made["choices"][0]["index"] = 1
    return made


TIMED = {
    "openai-chat": ("created", 7),
    "openai-responses": ("created_at", 7),
    "mistral": ("created", 7),
    "ollama": ("created_at", "1970-01-01T00:00:07Z"),
}


@each_case("target", TIMED)
@each_case("source", TIMED)
def test_when_it_was_made_is_told_where_there_is_a_field(source: str, target: str) -> None:
    asked = dragoman.convert({**said({"content": "Hi"}), "created": 7}, "openai-chat", source,
                             "response", policy="ignore").body  # fmt: skip
    out = dragoman.convert(asked, source, target, "response", policy="ignore")
    name, second = TIMED[target]
    assert out.body[name] == second
    assert not [one for one in out.losses if "created" in one.where]
    chunks = [{**chunk({"content": "Hi"}), "created": 7}, {**chunk({}, "stop"), "created": 7}]
    between = [(one.event, one.data) for one in
               dragoman.convert_stream(chunks, "openai-chat", source)]  # fmt: skip
    stream = dragoman.convert_stream(between, source, target)
    made = [json.loads(one.data) for one in stream if one.data[:1] == "{"]
    told = [one.get("response", one) for one in made]
    assert {one[name] for one in told if name in one} == {second}
    assert not [one for one in stream.losses if "created" in one.where]


def test_a_time_that_nobody_told_is_added() -> None:
    out = dragoman.convert({**said({"content": "Hi"}), "created": None}, "openai-chat", "ollama",
                           "response", policy="ignore")  # fmt: skip
    assert out.body["created_at"] == "1970-01-01T00:00:00Z"
    assert ("added", "$.created_at") in [(one.kind, one.where) for one in out.losses]


def test_losses_of_a_stream_stand_in_the_answer() -> None:
    events = finished(*words(0, "Hi"), *call(1, "{}"))
    events[-1]["response"]["output"][1]["caller"] = {"type": "x"}
    stream = dragoman.convert_stream(events, "openai-responses", "anthropic")
    assert list(stream)
    assert isinstance(stream.response.msg.blocks[1], ToolUseBlock)
    found = {one.where for one in stream.losses}
    assert "$.candidates[0].msg.content[1].extras.openai-responses.caller.type" in found
    assert "$" not in found
