"""AG-UI's events, judged by the schemas, the verifier and the agent of its own client."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from typing import Any

import pytest

from dragoman import Msg, ui
from dragoman.message import RawBlock, ToolResultBlock
from tests.bridges.conversations import CORPUS

from .judging import judge
from .played import Run
from .recorded import recorded_streams
from .rules import ag_ui_faults
from .test_ai_sdk_writer import PLAYED, chunks, played, request_of, said_by


def streamed(turn: list[Run]) -> list[dict[str, Any]]:
    """The streams of a turn, with what the user answers before each."""
    found = []
    for nth, run in enumerate(turn):
        request = request_of(run, turn[:nth])
        request.protocol = "ag-ui"
        events = ui.ag_ui(run.events, request=request, thread_id="t", run_id=f"r{nth}")
        outputs = {**run.outputs}
        found.append({"sse": "".join(events.sse()), "verdicts": run.verdicts, "outputs": outputs})
    return found


def shown(messages: Iterable[dict[str, Any]]) -> list[Any]:
    """What is said, in the order of the client's messages."""
    found: list[Any] = []
    for one in messages:
        if one["role"] == "reasoning":
            found.append(("thinking", one["content"], one.get("encryptedValue")))
        elif one["role"] == "assistant":
            if one.get("content"):
                found.append(("text", one["content"]))
            calls = [call["function"] for call in one.get("toolCalls", [])]
            found += [("call", call["name"], call["arguments"]) for call in calls]
        elif one["role"] == "tool":
            found.append(("result", one["content"]))
    return found


def content_of(block: ToolResultBlock) -> Any:
    """A result as it is written."""
    if isinstance(block.output, list):
        return [("text", one.text) if one.type == "text" else one.type for one in block.output]
    return block.output if isinstance(block.output, str) else json.dumps(block.output)


def expected(msgs: Iterable[Msg]) -> list[Any]:
    found: list[Any] = []
    for msg in msgs:
        texts = [block for block in msg.blocks if block.type in ("text", "refusal")]
        for block in msg.blocks:
            if block.type == "thinking":
                seal = block.redacted or block.signature or None
                found.append(("thinking", block.thinking, seal))
            elif block.type in ("text", "refusal"):
                found.append(("text", block.text))
            elif isinstance(block, ToolResultBlock):
                found.append(("result", content_of(block)))
            elif block.type == "tool_use":
                found.append(("call", block.name, block.raw_input or json.dumps(block.input)))
            elif isinstance(block, RawBlock):
                assert isinstance(block.data, dict)
                name, value = block.data.get("name"), block.data.get("input")
                is_call = block.role == "call"
                found.append(("call", name, json.dumps(value)) if is_call else
                             ("result", json.dumps(block.data["content"])))  # fmt: skip
        assert len(texts) <= 1, "texts of one answer would be messages of their own"
    return found


def plain(shown: list[Any]) -> list[Any]:
    """The same with each JSON text in one spelling, and results in one order: tools end in any."""
    found = []
    for kind, *values in shown:
        last = values[-1]
        if kind == "call" or (kind == "result" and isinstance(last, str) and last[:1] in "{["):
            last = json.loads(last or "{}")
        elif kind == "result" and isinstance(last, list):
            last = [("text", one["text"]) if type(one) is dict and one["type"] == "text" else
                    one["type"] if type(one) is dict else one for one in last]  # fmt: skip
        found.append((kind, *values[:-1], last))
    runs = [[*run] for _, run in groupby(found, key=lambda one: one[0] == "result")]
    return [one for run in runs for one in (sorted(run, key=str) if run[0][0] == "result" else run)]


@cache
def judged_turns() -> list[tuple[str, list[Run], Any]]:
    """(agent, turn, what the client makes of its streams) of each turn."""
    cases = [(name, turn) for name in PLAYED for turn in played(name)]
    verdicts = judge("ag_ui", [streamed(turn) for _, turn in cases])
    return [(*case, verdict) for case, verdict in zip(cases, verdicts, strict=True)]


def test_a_client_shows_each_turn_of_an_agent_as_its_history_has_it() -> None:
    """All events are accepted; the client's messages say what the stored history says."""
    waited = 0
    for name, turn, verdict in judged_turns():
        refused = [one for one in verdict["refused"] if "EmptyError" not in one]
        assert (refused, verdict["errors"]) == ([], []), name
        known = [call.id for run in turn for msg in run.said for call in msg.calls]
        for nth, stream in enumerate(streamed(turn)):
            assert ag_ui_faults(chunks(stream["sse"]), known if nth else ()) == [], name
        assert verdict["types"].count("RUN_FINISHED") == len(turn)
        said = [msg for run in turn for msg in run.said]
        assert plain(shown(verdict["messages"][1:])) == plain(expected(said)), name
        waited += sum(len(run.pending) for run in turn)
        cited = [one for msg in said for one in msg.blocks if getattr(one, "citations", None)]
        noted = [one.get("metadata", {}).get("dragoman", {}) for one in verdict["messages"]]
        assert len([one for one in noted if "citations" in one]) == len(cited), name
        ids = [one["id"] for one in verdict["messages"]]
        assert len(set(ids)) == len(ids), "an id is never used twice"
    assert waited > 0


@pytest.mark.skipif(not CORPUS.exists(), reason="needs ../shared: recorded traffic")
def test_every_recorded_stream_is_read_as_our_answer() -> None:
    cases = [*recorded_streams()]
    streams = [[{"sse": "".join(ui.ag_ui(events).sse())}] for _, events in cases]
    broken = 0
    for (name, _), [stream] in zip(cases, streams, strict=True):
        assert ag_ui_faults(chunks(stream["sse"])) == [], name
    for (name, events), verdict in zip(cases, judge("ag_ui", streams), strict=True):
        response = events[-1].response
        assert response is not None
        refused = [one for one in verdict["refused"] if "EmptyError" not in one]
        assert refused == [], name
        if response.status in ("interrupted", "error"):
            broken += 1
            assert (verdict["types"][-1], len(verdict["errors"])) == ("RUN_ERROR", 1), name
            continue
        assert (verdict["types"][-1], verdict["errors"]) == ("RUN_FINISHED", []), name
        found = shown(verdict["messages"][1:])
        texts = "".join(one[1] for one in found if one[0] == "text")
        thoughts = "".join(one[1] for one in found if one[0] == "thinking")
        names = [one[1] for one in found if one[0] == "call"]
        sealed = [one for one in found if one[0] == "thinking" and one[2]]
        seals = [
            one.redacted or one.signature
            for one in response.msg.blocks
            if one.type == "thinking" and (one.redacted or one.signature)
        ]
        assert len(sealed) == len(seals), name  # the Responses API seals anew at the end
        wanted, thought, calls = said_by(response.msg.blocks)
        assert (texts, thoughts) == (wanted, thought), name
        assert [one for one, _ in calls] == [one for one in names if one in {c for c, _ in calls}]
    assert broken > 0


def test_the_judge_finds_what_is_wrong() -> None:
    """A text that is not closed, an error after which a run finishes, a seal before its thought."""
    turn = played("odd")[0]
    [whole] = streamed(turn)
    lines = [json.loads(one.removeprefix("data: ")) for one in whole["sse"].split("\n\n") if one]

    def sse(some: list[dict[str, Any]]) -> list[dict[str, str]]:
        return [{"sse": "".join(f"data: {json.dumps(one)}\n\n" for one in some)}]

    unclosed = [one for one in lines if one["type"] != "TEXT_MESSAGE_END"]
    swallowed = [*lines[:-1], {"type": "RUN_ERROR", "message": "no"}, lines[-1]]
    null = [{**one, "metadata": None} for one in lines]
    found = judge("ag_ui", [sse(some) for some in (lines, unclosed, swallowed, null)])
    refused = [[one for one in it["refused"] if "EmptyError" not in one] for it in found]
    assert refused[0] == []
    assert "text messages are still active" in refused[1][0]
    assert "RUN_ERROR" in refused[2][0]
    assert refused[3] != []
    # what it does not mind
    assert ag_ui_faults(lines) == []
    begun = next(one for one in lines if one["type"] == "TEXT_MESSAGE_START")
    calls = ("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END")
    uncalled = [one for one in lines if one["type"] not in calls]
    for wrong in (uncalled, [*lines[:2], begun, *lines[2:]], [*lines, {**lines[-1], "runId": "x"}],
                  [{**one, "delta": ""} for one in lines], null):  # fmt: skip
        assert ag_ui_faults(wrong) != []
