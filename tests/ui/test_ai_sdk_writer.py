"""The AI SDK's UI message stream, judged by the SDK's own transport, reader and converter."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache, partial
from typing import Any

import pytest

from dragoman import Msg, ui
from dragoman.bridges.ai_sdk import read_messages, write_ui_messages
from dragoman.message import ThinkingBlock, ToolUseBlock
from dragoman.ui import UIRequest
from tests.bridges.conversations import CORPUS
from tests.llm.hosts import HOSTS

from .judging import judge
from .played import Run, play_odd_runs, play_twelve_steps
from .recorded import recorded_streams
from .rules import ai_sdk_faults

PLAYED = {"odd": play_odd_runs} | {wire: partial(play_twelve_steps, wire) for wire in HOSTS}


def request_of(run: Run, before: list[Run]) -> UIRequest:
    """The request of a page that has answered what waited."""
    asked = UIRequest("ai-sdk", [], verdicts={**run.verdicts})
    for one in before[-1].pending if before else []:
        asked.call_ids[one.key] = one.call.id
    asked.known_calls = frozenset(
        call.id for other in before for msg in other.said for call in msg.calls
    )
    return asked


def turns(runs: list[Run]) -> list[list[Run]]:
    """Runs by what the user has said: one message of the page each."""
    found: list[list[Run]] = []
    for run in runs:
        if run.begins:
            found.append([])
        found[-1].append(run)
    return found


def streamed(turn: list[Run]) -> list[dict[str, Any]]:
    """The streams of a turn, with what the user answers before each."""
    found = []
    for nth, run in enumerate(turn):
        sse = "".join(ui.ai_sdk(run.events, request=request_of(run, turn[:nth])).sse())
        found.append({"sse": sse, "verdicts": run.verdicts, "outputs": run.outputs})
    return found


def shown(parts: Iterable[dict[str, Any]]) -> list[Any]:
    """What a page shows of a message, in its order."""
    found: list[Any] = []
    for part in parts:
        metadata = {name: {**own} for name, own in (part.get("providerMetadata") or {}).items()}
        for name in ("model", "issuer"):  # a wire may name it at the end; it counts for seals
            metadata.get("dragoman", {}).pop(name, None)
        metadata = {name: own for name, own in metadata.items() if own}
        if part["type"] == "step-start":
            found.append("step")
        elif part["type"] in ("text", "reasoning"):
            if part["text"] or metadata:
                found.append((part["type"], part["text"], metadata, part.get("citations")))
        elif part["type"].startswith("source-"):
            found.append((part["type"], part["sourceId"], part.get("title")))
        elif part["type"] == "dynamic-tool":
            state, error = part["state"], part.get("errorText")
            if state == "output-denied":
                state, error = "output-error", part["approval"].get("reason")
            value = part.get("input", part.get("rawInput"))
            said = error if error is None else error.removeprefix("the call was not allowed: ")
            found.append((part["toolName"], value, state, part.get("output"), said))
    return found


@cache
def played(name: str) -> list[list[Run]]:
    return turns(PLAYED[name]())


@cache
def judged_turns() -> list[tuple[str, list[Run], Any]]:
    """(agent, turn, what the SDK makes of its streams) of each turn."""
    cases = [(name, turn) for name in PLAYED for turn in played(name)]
    verdicts = judge("ai_sdk", [streamed(turn) for _, turn in cases])
    return [(*case, verdict) for case, verdict in zip(cases, verdicts, strict=True)]


def test_a_page_shows_each_turn_of_an_agent_as_its_history_has_it() -> None:
    """All streams are accepted, and the message that is read is that of the stored history."""
    for name, turn, verdict in judged_turns():
        assert (verdict["refused"], verdict["errors"]) == ([], []), name
        for stream in streamed(turn):
            assert ai_sdk_faults(chunks(stream["sse"])) == [], name
        assert verdict["types"].count("finish") == len(turn)
        assert verdict["types"].count("start-step") == verdict["types"].count("finish-step")
        history = [Msg.user("Go."), *(msg for run in turn for msg in run.said)]
        written = write_ui_messages(history, policy="ignore").messages
        assert shown(verdict["message"]["parts"]) == shown(written[1]["parts"]), name
        usage = turn[-1].events[-1].reply.usage
        if usage.output is not None and len(turn) == 1:
            assert verdict["message"]["metadata"]["usage"]["outputTokens"] == usage.output


def said_by(blocks: Iterable[Any]) -> tuple[str, str, list[Any]]:
    blocks = [*blocks]
    texts = "".join(one.text for one in blocks if one.type in ("text", "refusal"))
    thoughts = "".join(one.thinking for one in blocks if one.type == "thinking")
    calls = [
        (one.name, (one.raw_input or "") if one.unfinished else one.input)
        for one in blocks
        if isinstance(one, ToolUseBlock)
    ]
    return texts, thoughts, calls


def said_on_page(message: dict[str, Any] | None) -> tuple[str, str, list[Any]]:
    parts = [] if message is None else message["parts"]
    texts = "".join(one["text"] for one in parts if one["type"] == "text")
    thoughts = "".join(one["text"] for one in parts if one["type"] == "reasoning")
    calls = [
        (one["toolName"], one.get("input"))
        for one in parts
        if one["type"] == "dynamic-tool" and not one.get("providerExecuted")
    ]
    return texts, thoughts, calls


@pytest.mark.skipif(not CORPUS.exists(), reason="needs ../shared: recorded traffic")
def test_every_recorded_stream_is_read_as_our_answer() -> None:
    cases = [*recorded_streams()]
    streams = [[{"sse": "".join(ui.ai_sdk(events).sse())}] for _, events in cases]
    broken = 0
    for (name, _), [stream] in zip(cases, streams, strict=True):
        assert ai_sdk_faults(chunks(stream["sse"])) == [], name
    for (name, events), verdict in zip(cases, judge("ai_sdk", streams), strict=True):
        response = events[-1].response
        assert response is not None
        assert verdict["refused"] == [], name
        if response.status in ("interrupted", "error"):
            broken += 1
            assert (verdict["types"][-1], len(verdict["errors"])) == ("error", 1), name
            continue
        assert (verdict["types"][-1], verdict["errors"]) == ("finish", []), name
        message = verdict.get("message")
        assert said_on_page(message) == said_by(response.msg.blocks), name
        found = {one.get("url") for one in (message or {"parts": []})["parts"]}
        assert {one.url for one in response.sources if one.url} <= found, name
        assert seals_on_page(message) == [
            (one.origin and one.origin.issuer, bool(one.signature))
            for one in response.msg.blocks
            if one.type == "thinking" and (one.signature or one.redacted)
        ], name
    assert broken > 0


def seals_on_page(message: dict[str, Any] | None) -> list[tuple[str | None, bool]]:
    """Whose seals the thoughts of a message have, and whether it is a signature."""
    if message is None:
        return []
    thoughts = [block for msg in read_messages([message]).messages for block in msg.blocks]
    return [
        (one.origin.issuer if one.origin else None, bool(one.signature))
        for one in thoughts
        if isinstance(one, ThinkingBlock) and (one.signature or one.redacted)
    ]


def chunks(sse: str) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in sse.split("\n\n")]
    return [json.loads(line) for line in lines if line and line != "[DONE]"]


def test_the_judge_finds_what_is_wrong() -> None:
    """A text that is not closed, a result before its call, a text that never began."""
    [[_, turn, *_]] = [played("odd")]
    [whole] = streamed(turn)
    told = chunks(whole["sse"])

    def sse(some: list[dict[str, Any]]) -> list[dict[str, str]]:
        return [{"sse": "".join(f"data: {json.dumps(one)}\n\n" for one in some)}]

    unclosed = [one for one in told if one["type"] != "text-end"]
    result = next(one for one in told if one["type"] == "tool-output-available")
    early = [told[0], told[1], result, *told[2:]]
    unbegun = [one for one in told if one["type"] != "text-start"]
    null = [{**one, "providerMetadata": None} for one in told]
    verdicts = judge("ai_sdk", [sse(some) for some in (told, unclosed, early, unbegun, null)])
    [good, *bad] = verdicts
    assert (good["refused"], good["errors"]) == ([], [])
    assert "streaming" in {one.get("state") for one in bad[0]["message"]["parts"]}
    assert "No tool invocation found" in bad[1]["errors"][0]
    assert "text-start" in bad[2]["errors"][0]
    # what it does not mind
    assert ai_sdk_faults(told) == []
    for wrong in (unclosed, null, unbegun, [told[0], *told], [*told[:2], *told[1:]],
                  [{**one, "dynamic": False} for one in told]):  # fmt: skip
        assert ai_sdk_faults(wrong) != []
    assert bad[3]["refused"] != []


def test_every_wire_is_played_somewhere() -> None:
    assert {*PLAYED} - {"odd"} <= {*HOSTS}
