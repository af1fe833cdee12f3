"""Law: an answer that did not end well reads as such for the clients of every other wire.

Every wire's answers, whole and streamed, ended for every reason that their wire has a word for, go
over to every other wire and are read there: one that is not complete is not complete there, and a
call that breaks off is none that could be run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import dragoman
from dragoman import ProviderError
from dragoman.message import ChatResponse, Finish, Origin, RefusalBlock, TextBlock, ToolUseBlock
from dragoman.message.blocks import ContentBlock
from dragoman.message.ending import classify_ending
from dragoman.stream.builder import build
from dragoman.stream.pieces import End, Meta, Part, Piece
from dragoman.vendors import PROTOCOLS

WIRES = {name: dragoman.wire(name, policy="ignore") for name in PROTOCOLS}


def call(text: str | None = None, id: str = "c1", freeform: bool = False) -> ToolUseBlock:
    made = ToolUseBlock(id, "rm", {}, text)
    made.freeform = freeform
    return made


CONTENTS: dict[str, Callable[[], list[ContentBlock]]] = {
    "text": lambda: [TextBlock("Let me look.")],
    "call": lambda: [TextBlock("Let me look."), call('{"path": "/tmp"}')],
    "cut": lambda: [TextBlock("Let me look."), call('{"path": "/t')],
    "empty": lambda: [call("")],
    "none": lambda: [call()],
    "second": lambda: [call('{"path": "/tmp"}'), call("", "c2")],
    "freeform": lambda: [call("ls /", freeform=True)],
    "refusal": lambda: [RefusalBlock("No.")],
}
# of each reason a word that some wire has, in which it reads it; of all others the nearest
WORDS: dict[str, dict[str, str]] = {
    "openai-chat": {"stop": "stop", "length": "length", "content_filter": "content_filter",
                    "tool_calls": "tool_calls", "refusal": "refusal", "error": "error",
                    "context_overflow": "model_context_window_exceeded"},
    "openai-responses": {"stop": "completed", "length": "max_output_tokens",
                         "content_filter": "content_filter", "error": "failed"},
    "anthropic": {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use",
                  "refusal": "refusal", "pause": "pause_turn", "error": "error",
                  "context_overflow": "model_context_window_exceeded"},
    "gemini": {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY",
               "malformed_call": "MALFORMED_FUNCTION_CALL", "error": "MALFORMED_RESPONSE",
               "pause": "CONTINUATION"},
    "gemini-interactions": {"stop": "completed", "length": "incomplete", "error": "failed",
                            "tool_calls": "requires_action", "pause": "requires_continuation"},
    "dashscope": {"stop": "stop", "length": "length", "tool_calls": "tool_calls",
                  "content_filter": "content_filter"},
    "ollama": {"stop": "stop", "length": "length"},
    "bedrock-converse": {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use",
                         "content_filter": "content_filtered", "refusal": "refusal",
                         "malformed_call": "malformed_tool_use", "pause": "pause_turn",
                         "error": "malformed_model_output"},
    "mistral": {"stop": "stop", "length": "length", "tool_calls": "tool_calls", "error": "error",
                "context_overflow": "model_length"},
    "cohere": {"stop": "COMPLETE", "length": "MAX_TOKENS", "tool_calls": "TOOL_CALL",
               "error": "ERROR"},
}  # fmt: skip


def said(source: str) -> Iterator[tuple[str, list[Piece]]]:
    """What a wire's model says, and how it ends."""
    issuer = WIRES[source].room.issuer
    for content, blocks in CONTENTS.items():
        for reason, word in {**WORDS[source], "": ""}.items():
            pieces: list[Piece] = [Meta(id="a", model="m", issuer=issuer)]
            pieces += [Part((0, nth), block) for nth, block in enumerate(blocks())]
            if reason:
                finish: Any = Finish(reason, word)  # type: ignore[arg-type]
                pieces.append(End(finish))
            yield f"{content}, {word or 'no reason'}", pieces


def read(name: str, events: Any) -> ChatResponse:
    stream = WIRES[name].read_stream(events)
    for _ in stream:
        pass
    return stream.response


def faults(before: ChatResponse, there: Callable[[], ChatResponse]) -> list[str]:
    """What is wrong with the answer that `there` reads, which was `before` on its own wire."""
    try:
        after = there()
    except ProviderError:
        return []
    ending, told = classify_ending(before), classify_ending(after)
    found = []
    if ending != "complete" and told == "complete":
        found.append(f"{ending} is complete")
    unfinished = {c.id for c in before.msg.calls if c.unfinished} if before.candidates else set()
    failed = told in ("failed", "broken_off", "no_answer", "malformed")
    if not failed and (ready := {c.id for c in after.calls} & unfinished):
        found.append(f"{ending}: {ready} could be run")
    return found


@pytest.mark.parametrize("source", PROTOCOLS)
def test_whole(source: str) -> None:
    wire = WIRES[source]
    origin = Origin(wire.room.issuer, "m")
    for name, pieces in said(source):
        resp = build(pieces, issuer=wire.room.issuer, origin=origin)
        body = wire.write_response(resp).body
        try:
            before = wire.read_response(body)
        except (ProviderError, dragoman.ReadError):  # an answer that is an error
            continue
        for target in PROTOCOLS:
            out = dragoman.convert(body, source, target, "response", policy="ignore")
            found = faults(before, lambda t=target, b=out.body: WIRES[t].read_response(b))  # type: ignore[misc]
            assert found == [], (name, target, out.body)


@pytest.mark.parametrize("source", PROTOCOLS)
def test_streamed(source: str) -> None:
    for name, pieces in said(source):
        encoder = WIRES[source].stream_encoder()
        events = [event for piece in pieces for event in encoder.feed(piece)] + encoder.finish()
        if not events:  # nothing but a call that nobody has ended: no stream
            continue
        before = read(source, events)
        for target in PROTOCOLS:
            out = [*dragoman.convert_stream(iter(events), source, target, policy="ignore")]
            told = [(event.event, event.data) for event in out]
            found = faults(before, lambda t=target, e=told: read(t, e))  # type: ignore[misc]
            assert found == [], (name, target, told)
