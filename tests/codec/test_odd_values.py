"""A value of another type than a host's usual one spoils itself alone, on every wire."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from dragoman import Wire, wire
from dragoman.errors import DragomanError
from dragoman.message import ChatResponse, TextBlock, ToolUseBlock, dump
from tests.fuzz.seeds import ANSWERS
from tests.laws.streams import STREAMS
from tests.laws.test_linear import LIMIT, work

ODD: tuple[Any, ...] = (7, {"odd": 1}, ["odd"], True)
# they say what the others are
KINDS = {"type", "role", "object", "status", "event_type", "index", "name", "id", "call_id", "done",
         "finish_reason"}  # fmt: skip
Place = tuple[Any, ...]


def leaves(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Each leaf with its place."""
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*place, key))
    else:
        yield place, value


def put(value: Any, place: Place, new: Any) -> Any:
    """A copy with another value there."""
    if not place:
        return new
    copied = value.copy()
    copied[place[0]] = put(value[place[0]], place[1:], new)
    return copied


def words(resp: ChatResponse) -> str:
    """All texts of the answer."""
    return "\0".join(str(text) for _, text in leaves(dump(resp)))


def spoiled(whole: Any, before: str) -> Iterator[tuple[Place, Any, list[str]]]:
    """(place, the event with an odd value there, the other texts that were read of it)."""
    for nth, (place, value) in enumerate(leaves(whole)):
        if not place or place[-1] in KINDS:
            continue
        others = [
            x for at, x in leaves(whole)
            if at != place and isinstance(x, str) and at[-1] not in KINDS
        ]  # fmt: skip
        odd = ODD[nth % len(ODD)]
        if type(odd) is type(value):
            odd = ["odd"]
        yield place, put(whole, place, odd), [x for x in others if len(x) > 3 and x in before]


@pytest.mark.parametrize("name", ANSWERS)
def test_one_odd_leaf_of_an_answer_costs_no_other(name: str) -> None:
    target = wire(name, policy="ignore")
    lost = []
    for body in ANSWERS[name]:
        whole = target.read_response(body)
        if len(whole.msg.blocks) < 2:
            continue  # without that one there is no answer at all
        for place, odd, others in spoiled(body, words(whole)):
            try:
                after = words(target.read_response(odd))
            except DragomanError as error:
                lost.append((place, str(error)))
                continue
            lost += [(place, text) for text in others if text not in after]
    assert lost == []


@pytest.mark.parametrize("name", STREAMS)
def test_one_odd_leaf_of_a_stream_costs_no_other_of_its_event(name: str) -> None:
    target = wire(name, policy="ignore")
    lost = []
    for events in STREAMS[name]:
        whole = target.stream_decoder()
        for event, payload in events:
            whole.feed(payload, event)
        before = words(whole.finish())
        for nth, (_, payload) in enumerate(events):
            for place, odd, others in spoiled(payload, before):
                decoder = target.stream_decoder()
                for i, (event, usual) in enumerate(events):
                    decoder.feed(odd if i == nth else usual, event)
                after = words(decoder.finish())
                lost += [(nth, place, text) for text in others if text not in after]
    assert lost == []


FIGURES = {"usage", "usageMetadata", "usage_metadata", "tokens", "billed_units", "metrics",
           "prompt_tokens_details", "completion_tokens_details", "input_tokens_details",
           "output_tokens_details", "cache_creation"}  # fmt: skip


def figures(value: Any, place: Place = ()) -> Iterator[Place]:
    """The places of all objects of figures."""
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if key in FIGURES and isinstance(item, dict):
                yield (*place, key)
            yield from figures(item, (*place, key))


def texts_and_calls(target: Wire, events: list[Any]) -> tuple[str, list[Any]]:
    """What a stream says, and how it ended."""
    decoder = target.stream_decoder()
    for event, payload in events:
        decoder.feed(payload, event)
    resp = decoder.finish()
    return resp.status, [candidate.msg.blocks for candidate in resp.candidates]


@pytest.mark.parametrize("name", STREAMS)
def test_odd_figures_cost_no_text(name: str) -> None:
    target = wire(name, policy="ignore")
    lost = []
    for events in STREAMS[name]:
        usual = texts_and_calls(target, events)
        for nth, (event, payload) in enumerate(events):
            for place in figures(payload):
                for odd in (7, "odd", ["odd"], {"odd": 7}):
                    spoiled_events = [*events]
                    spoiled_events[nth] = event, put(payload, place, odd)
                    if texts_and_calls(target, spoiled_events) != usual:
                        lost.append((nth, place, odd))
    assert lost == []


def snapshot(text: str, *calls: Any, finish: str = "null", usage: Any = None) -> Any:
    """An event of DashScope that says all of the answer so far."""
    message = {"role": "assistant", "content": text, **({"tool_calls": [*calls]} if calls else {})}
    output = {"choices": [{"message": message, "finish_reason": finish}]}
    return None, {"output": output, "usage": usage or {"output_tokens": len(text)}}


def test_a_snapshot_with_an_odd_value_says_its_text() -> None:
    usual = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    odd = {"id": "b", "type": "function", "function": {"name": "find", "arguments": 7}}
    events = [snapshot("Hello wor"), snapshot("Hello world, how"),
              snapshot("Hello world, how are you", usual, odd)]  # fmt: skip
    target = wire("dashscope", policy="ignore")
    whole = [*events, snapshot("Hello world, how are you", usual, finish="tool_calls")]
    for shown in (events, whole):
        _, [blocks] = texts_and_calls(target, shown)
        assert [block.text for block in blocks if type(block) is TextBlock] == [
            "Hello world, how are you"
        ]
        calls = [block for block in blocks if type(block) is ToolUseBlock]
        assert [(call.name, call.unfinished) for call in calls][-1] == ("find", True)


@pytest.mark.parametrize("usage", [7, ["x"], "x"])
def test_an_event_in_doubt_with_an_odd_value_says_its_text(usage: Any) -> None:
    events = [snapshot("ha"), snapshot("ha", usage=usage), snapshot("!", finish="stop")]
    status, [[block]] = texts_and_calls(wire("dashscope", policy="ignore"), events)
    assert (status, block) == ("complete", TextBlock("haha!"))


def test_the_odd_value_is_named_and_kept() -> None:
    message = {"role": "assistant", "content": "34 degrees.", "reasoning_content": {"a": 1}}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": "x", "object": "chat.completion", "model": "m", "choices": [choice]}
    target = wire("deepseek", policy="ignore")
    resp = target.read_response(body)
    assert (resp.text, resp.status) == ("34 degrees.", "complete")
    odd = {"event": None, "at": "$.choices[0].message.reasoning_content", "payload": {"a": 1}}
    assert (resp.extras or {})["deepseek"]["events"] == [odd]
    [loss] = target.write_response(resp).losses
    assert (loss.code, loss.what) == ("answer.unsupported", odd["at"])


def test_several_odd_values_are_left_out_one_by_one() -> None:
    message = {"role": "assistant", "content": "Yes.", "refusal": 7, "reasoning": ["x"]}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}
    resp = wire("openai", policy="ignore").read_response(body)
    assert resp.text == "Yes."
    events = (resp.extras or {})["openai-chat"]["events"]
    assert [event["at"].rpartition(".")[2] for event in events] == ["refusal", "reasoning"]


@pytest.mark.parametrize("odd", [7, ["x"], True])
def test_a_call_with_an_odd_part_is_not_run(odd: Any) -> None:
    usual = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    bad = {"id": "b", "type": "function", "function": {"name": "find", "arguments": odd}}
    message = {"role": "assistant", "content": None, "tool_calls": [usual, bad]}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}
    resp = wire("openai", policy="ignore").read_response(body)
    assert [call.name for call in resp.calls] == ["look"]
    blocks = [block for block in resp.msg.blocks if type(block) is ToolUseBlock]
    assert [(call.name, call.unfinished) for call in blocks] == [("look", False), ("find", True)]


def test_an_event_that_nobody_knows_stays_whole() -> None:
    decoder = wire("openai").stream_decoder()
    ping = {"object": "ping", "hint": {"a": 1}}
    decoder.feed(ping)
    extras: Any = decoder.finish().extras
    assert extras["openai-chat"]["events"] == [{"event": None, "payload": ping}]


@pytest.mark.parametrize("name", ["dashscope", "openai"])
def test_a_value_that_is_nested_deeply_costs_no_more_than_its_share(name: str) -> None:
    """A trial copies the way down to its place: what lies too deep for any wire is not tried."""

    def read(depth: int) -> None:
        deep: Any = []
        for _ in range(depth):
            deep = [deep]
        decoder = wire(name).stream_decoder()
        with suppress(DragomanError):
            decoder.feed({"choices": deep})
            decoder.finish()

    read(200)  # imports are paid for here
    assert work(lambda: read(800)) < LIMIT * work(lambda: read(200))
