"""The event view: blocks that begin, grow and end, whatever pieces come in whatever order."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.message import (
    AudioBlock,
    Base64Source,
    Citation,
    Finish,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from dragoman.message.answer import Usage
from dragoman.stream.builder import Builder
from dragoman.stream.events import EventView, StreamEvent
from dragoman.stream.pieces import End, Key, Meta, Part, Piece

STOP = End(Finish("stop", "stop"))


def text(said: str, *key: int, whole: bool = False) -> Part:
    return Part(key or (0, 0), TextBlock(said), whole)


def thought(said: str, *key: int) -> Part:
    return Part(key, ThinkingBlock(said))


def call(said: str | None, *key: int, id: str = "", name: str = "", whole: bool = False) -> Part:
    return Part(key, ToolUseBlock(id, name, raw_input=said), whole)


def viewed(*pieces: Piece, names: dict[str, str] | None = None) -> list[StreamEvent]:
    """The events of a stream of these pieces, `finish` among them."""
    view, builder = EventView(names), Builder(names=names)
    made = []
    for piece in pieces:
        builder.add(piece)
        made += view.feed(piece)
    return made + view.finish(builder.finish())


def short(events: list[StreamEvent]) -> list[Any]:
    """Type, last number of the key, and text, or what else an event holds."""
    said: list[Any] = []
    for event in events[:-1]:
        what: Any = event.text
        if isinstance(event.block, ToolUseBlock):
            what = (event.block.id, event.block.name, event.block.input)
        elif event.block is not None:
            what = event.block
        said.append((event.type, event.key[-1], what) if what else (event.type, event.key[-1]))
    assert events[-1].type == "finish"
    return said


def test_a_text_begins_grows_and_ends() -> None:
    events = viewed(text("Sama"), text("rkand"), STOP)
    assert short(events) == [
        ("text-start", 0), ("text-delta", 0, "Sama"), ("text-delta", 0, "rkand"), ("text-end", 0),
    ]  # fmt: skip
    assert events[-1].response is not None
    assert events[-1].response.text == "Samarkand"
    assert {event.key for event in events[:-1]} == {(0, 0)}


def test_the_deltas_of_a_key_are_the_text_of_its_block() -> None:
    events = viewed(thought("a", 0, 0), text("b", 0, 1), thought("c", 0, 0), text("d", 0, 1), STOP)
    assert short(events) == [
        ("thinking-start", 0), ("thinking-delta", 0, "a"), ("thinking-end", 0),
        ("text-start", 1), ("text-delta", 1, "b"), ("text-end", 1),
        ("thinking-start", 0), ("thinking-delta", 0, "c"), ("thinking-end", 0),
        ("text-start", 1), ("text-delta", 1, "d"), ("text-end", 1),
    ]  # fmt: skip
    assert events[-1].response is not None
    by_key: dict[Key, str] = {}
    for event in events:
        by_key[event.key] = by_key.get(event.key, "") + event.text
    blocks = events[-1].response.msg.blocks
    assert [by_key[0, 0], by_key[0, 1]] == [block.get("thinking") or block["text"]
                                            for block in blocks]  # fmt: skip


@pytest.mark.parametrize("quiet", [
    text(""), thought("", 0, 0),
    Part((0, 0), TextBlock("", [Citation(url="https://x.example")])), Meta({"a": 1}), Usage(3),
])  # fmt: skip
def test_what_shows_nothing_opens_nothing(quiet: Piece) -> None:
    assert short(viewed(quiet, STOP)) == []
    assert len(short(viewed(text("a", 0, 1), quiet, text("b", 0, 1), STOP))) == 4


def test_an_end_has_what_came_besides_the_text() -> None:
    origin = Origin("anthropic", "claude-opus-5-5")
    view = EventView(origin=origin)
    cited = TextBlock("", [Citation(url="https://x.example")], extras={"a": {"id": "t_1"}})
    pieces = [
        thought("Hm.", 0, 0), Part((0, 0), ThinkingBlock("", "c2ln")), text("Yes.", 0, 1),
        Part((0, 1), cited), text("And?", 0, 2),
    ]  # fmt: skip
    made = [event for piece in pieces for event in view.feed(piece)]
    first, second = [event for event in made if event.type.endswith("-end")]
    assert first.block == ThinkingBlock("", "c2ln")
    assert second.block == cited
    assert first.block.origin == origin
    [third] = [event for event in view.finish(Builder().finish()) if event.type == "text-end"]
    assert third.block is None
    # a whole one replaces the pieces before it
    whole = Part((0, 0), ThinkingBlock("Hm.", redacted="bmV3"), whole=True)
    made = viewed(thought("Hm.", 0, 0), Part((0, 0), ThinkingBlock("", "b2xk")), whole, STOP)
    assert made[2].block == ThinkingBlock("", redacted="bmV3")


def test_thinking_that_is_sealed_is_shown_as_a_block() -> None:
    """Its text is its provider's; one that comes late does not end the text that is open."""
    sealed = Part((0, 0), ThinkingBlock("", "c2ln"))
    shown = [("block", 0, sealed.block), ("text-start", 1), ("text-delta", 1, "Yes."),
             ("text-end", 1)]  # fmt: skip
    assert short(viewed(sealed, text("Yes.", 0, 1), STOP)) == shown
    assert short(viewed(text("Yes.", 0, 1), sealed, STOP)) == shown[1:]


def test_refusals() -> None:
    events = viewed(Part((0, 2), RefusalBlock("I will not.")), STOP)
    assert short(events) == [
        ("refusal-start", 2), ("refusal-delta", 2, "I will not."), ("refusal-end", 2),
    ]  # fmt: skip


# -- calls ------------------------------------------------------------------------------------


def test_parallel_calls_interleaved_each_end_with_their_own_input() -> None:
    events = viewed(
        call('{"a"', 0, 5, 0, id="x", name="f"), call('{"b"', 0, 5, 1, id="y", name="g"),
        call(": 1}", 0, 5, 0), call(": 2}", 0, 5, 1), End(Finish("tool_calls", "tool_calls")),
    )  # fmt: skip
    assert short(events) == [
        ("tool-start", 0, ("x", "f", {})), ("tool-delta", 0, '{"a"'),
        ("tool-start", 1, ("y", "g", {})), ("tool-delta", 1, '{"b"'),
        ("tool-delta", 0, ": 1}"), ("tool-delta", 1, ": 2}"),
        ("tool-end", 0, ("x", "f", {"a": 1})), ("tool-end", 1, ("y", "g", {"b": 2})),
    ]  # fmt: skip


def test_calls_that_begin_in_another_order_than_they_stand() -> None:
    events = viewed(
        call("{}", 0, 5, 1, id="y", name="g"), call('{"a": 1}', 0, 5, 0, id="x", name="f"), STOP
    )
    ends = [event for event in events if event.type == "tool-end"]
    assert [(end.key, end.block["id"]) for end in ends] == [
        ((0, 5, 1), "y"), ((0, 5, 0), "x"),
    ]  # fmt: skip


def test_a_call_whose_name_comes_late_begins_with_it() -> None:
    events = viewed(call('{"a"', 0, 5, id="x"), call(": 1", 0, 5, name="f"), call("}", 0, 5), STOP)
    assert short(events) == [
        ("tool-start", 5, ("x", "f", {})), ("tool-delta", 5, '{"a": 1'), ("tool-delta", 5, "}"),
        ("tool-end", 5, ("x", "f", {"a": 1})),
    ]  # fmt: skip


def test_a_call_that_is_never_named_is_told_at_the_end() -> None:
    events = viewed(call('{"a"', 0, 5), call("{}", 0, 6, id="y", name="g"))
    assert [(event.type, event.key[-1], event.text) for event in events[:-1]] == [
        ("tool-start", 6, ""), ("tool-delta", 6, "{}"),
        ("tool-start", 5, ""), ("tool-delta", 5, '{"a"'),
        ("tool-end", 6, ""), ("tool-end", 5, ""),
    ]  # fmt: skip
    ends = {event.key: event.block for event in events if event.type == "tool-end"}
    assert ends[0, 6] is not None
    assert ends[0, 6]["name"] == "g"
    assert ends[0, 5] is not None
    assert ends[0, 5]["unfinished"] is True


def test_arguments_that_came_as_an_object_are_there_at_the_end() -> None:
    events = viewed(Part((0, 5), ToolUseBlock("x", "f", {"a": 1})), STOP)
    assert short(events) == [
        ("tool-start", 5, ("x", "f", {})), ("tool-end", 5, ("x", "f", {"a": 1})),
    ]  # fmt: skip


def test_names_are_those_of_the_tools() -> None:
    events = viewed(call("{}", 0, 5, id="x", name="a_b"), STOP, names={"a_b": "a.b"})
    blocks = [event.block for event in events if event.block is not None]
    assert [block["name"] for block in blocks] == ["a.b", "a.b"]


def test_calls_that_a_server_ran_together_all_end() -> None:
    events = viewed(
        call('{"a": 1}{"a": 2}', 0, 5, 0, id="x", name="f"),
        call('{"a": 3}', 0, 5, 1, id="y", name="f"), STOP,
    )  # fmt: skip
    ends = [event for event in events if event.type in ("tool-end", "block")]
    assert [(end.type, end.key, end.block["input"]) for end in ends] == [
        ("tool-end", (0, 5, 0), {"a": 1}), ("block", (0, 5, 0), {"a": 2}),
        ("tool-end", (0, 5, 1), {"a": 3}),
    ]  # fmt: skip


def test_a_text_ends_where_a_call_begins() -> None:
    events = viewed(text("Let me look."), call("{}", 0, 5, id="x", name="f"), STOP)
    assert [event.type for event in events] == [
        "text-start", "text-delta", "text-end", "tool-start", "tool-delta", "tool-end", "finish",
    ]  # fmt: skip


def test_the_call_of_one_candidate_is_not_the_end_of_another() -> None:
    events = viewed(
        text("a", 0, 0), call("{}", 1, 5, id="x", name="f"), text("b", 0, 0),
        call('{"n": 1}', 2, 5, id="y", name="g"), STOP,
    )  # fmt: skip
    assert [(event.type, event.key) for event in events if event.type.endswith("-end")] == [
        ("text-end", (0, 0)), ("tool-end", (1, 5)), ("tool-end", (2, 5)),
    ]  # fmt: skip
    ends = [event.block for event in events if event.type == "tool-end"]
    assert [end["id"] for end in ends if end is not None] == ["x", "y"]


def test_a_candidate_that_said_nothing_shifts_no_calls() -> None:
    pieces: list[Piece] = [
        End(Finish("content_filter", "x"), 0), Meta({"a": 1}, 1),
        call("{}", 2, 5, id="x", name="f"), End(Finish("stop"), 2),
    ]  # fmt: skip
    [end] = [event for event in viewed(*pieces) if event.type == "tool-end"]
    assert end.block is not None
    assert end.block["id"] == "x"


# -- blocks that come whole -------------------------------------------------------------------


def test_a_block_that_comes_whole_again_tells_only_what_is_new() -> None:
    events = viewed(text("Sama"), text("Samarkand", whole=True), text("Samarkand", whole=True),
                    STOP)  # fmt: skip
    assert short(events) == [
        ("text-start", 0), ("text-delta", 0, "Sama"), ("text-delta", 0, "rkand"), ("text-end", 0),
    ]  # fmt: skip


def test_a_whole_block_behind_its_end_says_nothing_twice() -> None:
    events = viewed(text("a", 0, 0), text("b", 0, 1), text("a", 0, 0, whole=True), STOP)
    assert [event.type for event in events].count("text-start") == 2
    assert "".join(event.text for event in events) == "ab"


def test_a_block_that_is_another_one_now_stands_for_what_came() -> None:
    events = viewed(text("Tashkent"), text("Samarkand", whole=True), text("!"), STOP)
    assert short(events) == [
        ("text-start", 0), ("text-delta", 0, "Tashkent"), ("block", 0, TextBlock("Samarkand")),
        ("text-delta", 0, "!"), ("text-end", 0),
    ]  # fmt: skip
    assert [event.whole for event in events if event.type == "block"] == [True]
    assert events[-1].response is not None
    assert events[-1].response.text == "Samarkand!"


def test_a_call_that_comes_whole_at_its_end() -> None:
    events = viewed(
        call('{"a"', 0, 5, id="x", name="f"), call('{"a": 1}', 0, 5, id="x", name="f", whole=True),
        STOP,
    )  # fmt: skip
    assert short(events) == [
        ("tool-start", 5, ("x", "f", {})), ("tool-delta", 5, '{"a"'), ("tool-delta", 5, ": 1}"),
        ("tool-end", 5, ("x", "f", {"a": 1})),
    ]  # fmt: skip


def test_a_call_that_comes_whole_and_parsed() -> None:
    last = Part((0, 5), ToolUseBlock("x", "f", {"a": 1}), whole=True)
    events = viewed(call('{"a"', 0, 5, id="x", name="f"), last, STOP)
    assert [event.text for event in events if event.type == "tool-delta"] == ['{"a"']
    assert short(events)[-1] == ("tool-end", 5, ("x", "f", {"a": 1}))


# -- characters that were cut -----------------------------------------------------------------


def test_halves_of_a_character_are_told_as_one() -> None:
    events = viewed(text("a\ud83d"), text("\ude00b"), text("c"), STOP)
    assert [event.text for event in events if event.type == "text-delta"] == ["a", "😀b", "c"]
    assert events[-1].response is not None
    assert events[-1].response.text == "a😀bc"


def test_a_half_alone_is_told_as_it_will_be_read() -> None:
    for pieces in ([text("a\ud83d")], [text("\ud83d")], [text("\ud83d"), thought("b", 0, 1)]):
        events = viewed(*pieces, STOP)
        told = "".join(event.text for event in events if event.key == (0, 0))
        assert events[-1].response is not None
        assert told == events[-1].response.text
        assert "\ufffd" in told
    assert short(viewed(text("a\ude00b"), STOP))[1] == ("text-delta", 0, "a\ufffdb")


def test_a_half_that_comes_whole_again() -> None:
    events = viewed(text("a\ud83d"), text("a😀", whole=True), STOP)
    assert [event.text for event in events if event.type == "text-delta"] == ["a", "😀"]


def test_halves_in_arguments() -> None:
    events = viewed(call('{"a": "\ud83d', 0, 5, id="x", name="f"), call('\ude00"}', 0, 5), STOP)
    told = [event.text for event in events if event.type == "tool-delta"]
    assert told == ['{"a": "', '😀"}']


# -- everything else --------------------------------------------------------------------------


def test_media_and_raw_items_are_blocks() -> None:
    sound = [AudioBlock(Base64Source("audio/wav", data)) for data in ("UklGRg==", "AAAA")]
    item = RawBlock("someone", {"type": "search"}, "call", "s1")
    events = viewed(text("Hear:"), *(Part((0, 3), one) for one in sound),
                    Part((0, 4), item, whole=True), STOP)  # fmt: skip
    assert short(events) == [
        ("text-start", 0), ("text-delta", 0, "Hear:"), ("text-end", 0),
        ("block", 3, sound[0]), ("block", 3, sound[1]), ("block", 4, item),
    ]  # fmt: skip
    assert [event.whole for event in events if event.type == "block"] == [False, False, True]


def test_texts_of_several_candidates_are_open_side_by_side() -> None:
    events = viewed(text("a", 0, 0), text("b", 1, 0), text("c", 0, 0), text("d", 1, 0), STOP)
    assert [(event.type, event.key[0]) for event in events[:-1]] == [
        ("text-start", 0), ("text-delta", 0), ("text-start", 1), ("text-delta", 1),
        ("text-delta", 0), ("text-delta", 1), ("text-end", 0), ("text-end", 1),
    ]  # fmt: skip


def test_an_empty_stream_finishes() -> None:
    [event] = viewed()
    assert event.type == "finish"
    assert event.response is not None
    assert event.response.status == "interrupted"


def test_every_start_has_its_end_and_no_block_grows_outside_of_them() -> None:
    pieces = [
        thought("a", 0, 0), call("{", 0, 5, 0, id="x", name="f"), text("b", 0, 1),
        thought("c", 0, 0), call("[", 0, 5, 1), call("}", 0, 5, 0), text("d", 1, 1),
        Part((0, 9), RawBlock("someone", {})), text("e", 0, 1), text("be!", 0, 1, whole=True),
    ]  # fmt: skip
    open_: set[Key] = set()
    for event in viewed(*pieces):
        part = event.type.partition("-")[2]
        if part == "start":
            assert event.key not in open_
            open_.add(event.key)
        elif part:
            assert event.key in open_, event
            if part == "end":
                open_.remove(event.key)
    assert open_ == set()
