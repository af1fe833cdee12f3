"""Law 4: what a stream encoder makes of pieces is read as the pieces say, for every pair of wires.

Pieces are made up, encoded for a client of one wire, read as that client's wire has them, encoded
for a client of another, and read again. What differs must be a loss.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import dragoman
from dragoman.codec.wire import Wire
from dragoman.message import (
    Candidate,
    ChatResponse,
    Finish,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
    dump,
)
from dragoman.stream.builder import build
from dragoman.stream.pieces import End, Meta, Part, Piece
from dragoman.text.json_text import arguments
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case
from tests.laws.streams import STREAMS

from .each import for_each
from .trees import json_values

WIRES = {name: dragoman.wire(name, policy="ignore") for name in PROTOCOLS}
PAIRS = [(source, target) for source in PROTOCOLS for target in PROTOCOLS if source != target]
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<>"), max_size=8)
inputs = st.dictionaries(st.sampled_from(["a", "b", "né"]), json_values, max_size=2)


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """The text in pieces."""
    ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=3)))
    starts = [0, *ends]
    return [text[a:b] for a, b in zip(starts, [*ends, len(text)], strict=True)]


@st.composite
def block(draw: st.DrawFn, nth: int) -> list[Any]:
    """The pieces of one block."""
    kind = draw(st.sampled_from(["text", "text", "call", "call", "thinking"]))
    if kind == "call":
        name, id, told = draw(st.sampled_from(["look", "go"])), f"call_{nth}", draw(inputs)
        if draw(st.booleans()):
            return [ToolUseBlock(id, name, told)]
        text = arguments(told)
        text = text[: draw(st.sampled_from([len(text)] * 5 + [2]))]
        rest = [ToolUseBlock("", "", raw_input=piece) for piece in draw(cut(text))]
        return [ToolUseBlock(id, name, raw_input=""), *rest]
    cls: Any = {"text": TextBlock, "thinking": ThinkingBlock}[kind]
    return [cls(piece) for piece in draw(cut(draw(words)))]


@st.composite
def streams(draw: st.DrawFn) -> list[Piece]:
    """The pieces of one answer. Blocks come one after the other, calls may come side by side.

    They begin in their order, and a refusal is the last of them, as on any wire.
    """
    left = {(0, nth): draw(block(nth)) for nth in range(draw(st.integers(0, 4)))}
    pieces: list[Piece] = [Meta(id="abc-1", model="some-model")] * draw(st.integers(0, 1))
    mixed = draw(st.booleans())
    while left:
        keys = sorted(left)
        texts = [nth for nth, key in enumerate(keys) if type(left[key][0]) is not ToolUseBlock]
        calls = keys[: texts[0]] if texts else keys
        fresh = [nth for nth, key in enumerate(calls) if left[key][0].name]
        calls = calls[: fresh[0] + 1] if fresh else calls
        key = draw(st.sampled_from(calls)) if calls and mixed else keys[0]
        pieces.append(Part(key, left[key].pop(0)))
        if not left[key]:
            del left[key]
    if draw(st.integers(0, 5)) == 5:
        pieces += [Part((0, 9), RefusalBlock(text)) for text in ("I ", draw(words))]
    figures = st.none() | st.integers(0, 99)
    if draw(st.booleans()):
        pieces.append(Usage(draw(st.integers(0, 99)), draw(figures), None, draw(st.integers(9, 99)),
                            draw(st.none() | st.integers(0, 9))))  # fmt: skip
    reasons = ["stop", "stop", "tool_calls", "length", "content_filter", "pause", "other", ""]
    if reason := draw(st.sampled_from(reasons)):
        pieces.append(End(Finish(reason)))  # type: ignore[arg-type]  # made of known words
    return pieces


def through(wire: Wire, pieces: list[Piece], origin: Any = None) -> tuple[list[Piece], Any, Any]:
    """(the pieces that a client of the wire reads, the answer that they make, the losses)."""
    encoder = wire.stream_encoder(origin=origin)
    events = [event for piece in pieces for event in encoder.feed(piece)] + encoder.finish()
    return *read(wire, events), {loss.code for loss in encoder.losses}


def read(wire: Wire, events: Any) -> tuple[list[Piece], ChatResponse]:
    """The pieces of a stream, and their sum."""
    decoder = wire.stream_decoder()
    made = [piece for name, payload in events for piece in decoder.feed(payload, name)]
    return made + decoder.rest(), decoder.finish()


def said(resp: ChatResponse) -> tuple[str, list[Any], str]:
    """What the first candidate says: words, whole calls (of others the name), thoughts."""
    one = (resp.candidates or [Candidate(dragoman.Msg.assistant(""))])[0]
    blocks = one.msg.blocks
    texts = [b.text for b in blocks if isinstance(b, TextBlock | RefusalBlock)]
    calls = [(c.name, c.input if isinstance(c.input, dict) else None) for c in one.msg.calls]
    thoughts = [b.thinking for b in blocks if isinstance(b, ThinkingBlock)]
    return "".join(texts), calls, "".join(thoughts).replace("\n", "")


def spent(usage: Usage) -> list[int | None]:
    """Tokens read and written, however they are divided."""
    known = [n for n in (usage.input, usage.cache_read, usage.cache_write) if n is not None]
    return [sum(known) if known else None, usage.output]


def agrees(before: ChatResponse, after: ChatResponse, losses: set[str]) -> None:
    """Hold what was read against what was said, up to what a loss names."""
    one, two = said(before), said(after)
    ended = before.status not in ("interrupted", "error")  # else it may lack its end and figures
    if not ended and "answer.unsupported" in losses:
        # a call that breaks off is not said where calls are said whole; else nothing comes behind
        # it where blocks follow each other
        names = [name for name, _ in two[1]]
        whole = [name for name, input in one[1] if input is not None]
        assert names in (whole, [name for name, _ in one[1]][: len(names)])
        assert one[0].startswith(two[0])
        assert one[2].startswith(two[2])
    else:
        assert two[0] == one[0]
        calls = one[1]
        if before.finish.reason in ("refusal", "content_filter") and "answer.unsupported" in losses:
            # beside these a call that breaks off would read as one to run, and may be left out
            names = [name for name, _ in two[1]]
            calls = [c for c in calls if c[1] is not None or c[0] in names]
        assert [name for name, _ in two[1]] == [name for name, _ in calls]
        assert all(a == b for a, b in zip(calls, two[1], strict=True) if a[1] is not None)
        assert two[2] == one[2]
    # some wires have no word for a call that was none but that of a failure, and name the loss
    failed = after.status == "error" and "answer.finish" in losses
    if not (before.finish.reason == "malformed_call" and failed):
        for status in ("interrupted", "error"):
            assert (after.status == status) == (before.status == status)
    refused = before.finish.reason == "refusal"  # which some say as text: a loss of its own
    if ended and "answer.finish" not in losses and not (refused and "answer.unsupported" in losses):
        assert after.finish.reason == before.finish.reason
    if ended and "answer.usage" not in losses:
        for told, heard in zip(spent(before.usage), spent(after.usage), strict=True):
            assert told is None or heard == told


@settings(max_examples=200)
@given(pieces=streams())
@for_each("wire", PROTOCOLS)
def test_pieces_are_read_as_they_were_meant(wire: str, pieces: list[Piece]) -> None:
    _, resp, losses = through(WIRES[wire], pieces)
    agrees(build(pieces), resp, losses)


@settings(max_examples=120)
@given(pieces=streams())
@for_each("wire", PROTOCOLS)
def test_a_wire_s_own_pieces_come_back_the_same(wire: str, pieces: list[Piece]) -> None:
    own, before, _ = through(WIRES[wire], pieces)
    if not before.msg.blocks:
        return  # an answer of nothing may be one event or two
    _, after, losses = through(WIRES[wire], own)
    assert dump(after) == dump(before)
    assert losses <= {"answer.field"}  # told before the source told it


@settings(max_examples=30)
@given(pieces=streams())
@for_each(("source", "target"), PAIRS)
def test_every_other_wire_s_clients_read_them(
    source: str, target: str, pieces: list[Piece]
) -> None:
    own, before, _ = through(WIRES[source], pieces)
    origin = WIRES[source].stream_decoder().origin
    _, after, losses = through(WIRES[target], own, origin)
    agrees(before, after, losses)


@each_case("target", PROTOCOLS)
@each_case("source", STREAMS)
def test_so_do_streams_as_apis_send_them(source: str, target: str) -> None:
    for events in STREAMS[source]:
        own, before = read(WIRES[source], events)
        origin = WIRES[source].stream_decoder().origin
        _, after, losses = through(WIRES[target], own, origin)
        if source == target:
            assert dump(after) == dump(before)
        else:
            agrees(before, after, losses)
