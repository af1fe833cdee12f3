"""Steps: pieces that may be interleaved, told for wires with one open block at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.message import (
    AudioBlock,
    Base64Source,
    Citation,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.message.answer import total
from dragoman.message.blocks import ContentBlock
from dragoman.stream.open_block import Grow, Open, Shut, Step, Steps, argument_text, remaining_piece
from dragoman.stream.pieces import Part

A, B, C = (0, 0), (0, 1), (0, 2)


def steps(*parts: Part, seed: str = "") -> list[Step]:
    taker = Steps(seed)
    made = [step for part in parts for step in taker.feed(part)]
    return made + taker.finish()


def shown(made: Sequence[Step]) -> list[Any]:
    """Each step in short: +1 opens block 1, text grows it, -1 shuts it."""
    told: list[Any] = []
    for step in made:
        if type(step) is Grow:
            told.append(said(step.block))
        else:
            told.append(f"{'+' if type(step) is Open else '-'}{step.index}")
    return told


def said(block: ContentBlock) -> Any:
    if type(block) is ToolUseBlock:
        return argument_text(block)
    if type(block) is ThinkingBlock:
        return block.thinking or block.signature
    return block.text if isinstance(block, (TextBlock, RefusalBlock)) else block.type


def text(key: tuple[int, ...], said: str) -> Part:
    return Part(key, TextBlock(said))


def call(key: tuple[int, ...], raw: str | None, id: str = "", name: str = "") -> Part:
    return Part(key, ToolUseBlock(id, name, raw_input=raw))


def test_one_text() -> None:
    assert shown(steps(text(A, "Sama"), text(A, "rkand"))) == ["+0", "Sama", "rkand", "-0"]


def test_a_text_ends_where_another_block_begins() -> None:
    made = steps(Part(A, ThinkingBlock("Hm")), text(B, "Yes"), call(C, "{}", "c", "look"))
    assert shown(made) == ["+0", "Hm", "-0", "+1", "Yes", "-1", "+2", "{}", "-2"]


def test_the_end_of_a_block_is_told_with_what_begins_the_next() -> None:
    taker = Steps()
    taker.feed(text(A, "Yes"))
    assert shown(taker.feed(call(B, "", "c", "look"))) == ["-0", "+1", ""]


def test_a_text_that_grows_behind_its_end_is_a_new_block() -> None:
    made = steps(text(A, "a"), text(B, "b"), text(A, "c"))
    assert shown(made) == ["+0", "a", "-0", "+1", "b", "-1", "+2", "c", "-2"]
    assert [step.key for step in made if type(step) is Open] == [A, B, A]


def test_a_call_is_shut_when_its_arguments_are_balanced() -> None:
    made = steps(
        call(A, "", "a", "look"), call(A, '{"n":'), call(A, "1}"), call(B, "{}", "b", "go")
    )
    assert shown(made) == ["+0", "", '{"n":', "1}", "-0", "+1", "{}", "-1"]
    assert made[4] == Shut(0, A, ToolUseBlock("a", "look", raw_input='{"n":1}'))


def test_interleaved_calls_come_one_after_the_other() -> None:
    made = steps(
        call(A, "", "a", "look"), call(B, "", "b", "go"), call(C, "", "c", "run"),
        call(A, '{"x"'), call(B, '{"y"'), call(C, '{"z"'), call(A, ":1}"), call(B, ":2}"),
        call(C, ":3}"),
    )  # fmt: skip
    assert [step.block for step in made if type(step) is Shut] == [
        ToolUseBlock("a", "look", raw_input='{"x":1}'),
        ToolUseBlock("b", "go", raw_input='{"y":2}'),
        ToolUseBlock("c", "run", raw_input='{"z":3}'),
    ]
    assert [type(step).__name__[0] for step in made if type(step) is not Grow] == list("OSOSOS")


def test_what_waits_goes_out_as_soon_as_the_call_is_whole() -> None:
    taker = Steps()
    taker.feed(call(A, '{"n":', "a", "look"))
    assert taker.feed(text(B, "meanwhile")) == []
    assert shown(taker.feed(call(A, "1}"))) == ["1}", "-0", "+1", "meanwhile"]


def test_a_call_that_never_ends_lets_the_others_go_at_the_end() -> None:
    made = steps(call(A, '{"n":', "a", "look"), text(B, "more"))
    assert shown(made) == ["+0", '{"n":', "-0", "+1", "more", "-1"]


def test_arguments_as_a_value_are_whole() -> None:
    made = steps(Part(A, ToolUseBlock("a", "look", {"n": 1})), text(B, "Done"))
    assert shown(made) == ["+0", '{"n": 1}', "-0", "+1", "Done", "-1"]
    assert steps(Part(A, ToolUseBlock("a", "look")))[1] == Grow(0, A, ToolUseBlock("a", "look"))


def test_blank_text_is_no_arguments_yet() -> None:
    made = steps(call(A, "", "a", "look"), call(A, " "), text(B, "x"), call(A, "{}"))
    assert shown(made) == ["+0", "", " ", "{}", "-0", "+1", "x", "-1"]


def test_a_call_waits_for_its_name() -> None:
    taker = Steps()
    assert taker.feed(call(A, '{"n"', "a")) == []
    assert taker.feed(call(A, ":1}")) == []
    made = taker.feed(call(A, None, "", "look"))
    assert made[0] == Open(0, A, ToolUseBlock("a", "look", raw_input='{"n"'))
    assert shown(made) == ["+0", '{"n"', ":1}", ""]


def test_a_call_nobody_names_goes_out_at_the_end() -> None:
    assert shown(steps(call(A, "{}", "a"), text(B, "x"))) == ["+0", "x", "-0", "+1", "{}", "-1"]


def test_a_call_without_an_id_gets_one_that_its_answer_and_place_tell() -> None:
    def ids(seed: str) -> list[str]:
        made = steps(call(A, "{}", "", "look"), call(B, "{}", "", "look"), seed=seed)
        return [step.block.id for step in made if isinstance(step.block, ToolUseBlock)
                and type(step) is not Grow]  # fmt: skip

    first, end, second, _ = ids("r1")
    assert first == end
    assert first.startswith("call_")
    assert first != second
    assert first not in ids("r2")
    assert first in ids("r1")


def test_more_behind_a_whole_call_is_the_next_call() -> None:
    made = steps(call(A, "{}", "a", "look"), text(B, "x"), call(A, '{"n":1}'))
    last = made[-1].block
    assert isinstance(last, ToolUseBlock)
    assert (last.name, last.raw_input, last.id == "a") == ("look", '{"n":1}', False)


def test_an_empty_piece_behind_the_end_says_nothing() -> None:
    taker = Steps()
    made = [s for p in (text(A, "a"), text(B, "b"), text(A, "")) for s in taker.feed(p)]
    assert shown(made + taker.finish()) == ["+0", "a", "-0", "+1", "b", "-1"]
    late = TextBlock("", extras={"x": {"k": 1}})
    taker.feed(Part(A, late))
    assert taker.untold == [late]


def test_blocks_that_are_no_text_come_in_one_piece() -> None:
    raw = RawBlock("x", {"type": "search", "input": {}})
    whole = RawBlock("x", {"type": "search", "input": {"q": "a"}})
    taker = Steps()
    assert taker.feed(Part(A, raw)) == []
    assert taker.feed(Part(A, whole, whole=True)) == []
    assert taker.feed(text(B, "x"))[:3] == [Open(0, A, whole), Grow(0, A, whole), Shut(0, A, whole)]


def test_sound_comes_at_the_end_and_whole() -> None:
    def sound(data: str) -> Part:
        return Part(B, AudioBlock(Base64Source("audio/pcm", data)))

    made = steps(text(A, "Hel"), sound("QUJD"), text(A, "lo"), sound("REVG"))
    assert shown(made) == ["+0", "Hel", "lo", "-0", "+1", "audio", "-1"]
    assert made[-1].block == AudioBlock(Base64Source("audio/pcm", "QUJDREVG"))


def test_images_stay_where_they_came() -> None:
    image = ImageBlock(URLSource("https://example.com/a.png"))
    made = steps(text(A, "See"), Part(B, image), text(C, "that"))
    assert shown(made) == ["+0", "See", "-0", "+1", "image", "-1", "+2", "that", "-2"]


@pytest.mark.parametrize(
    ("pieces", "whole", "grown"),
    [
        (["Sama"], "Samarkand", "rkand"),
        (["Sama", "rkand"], "Samarkand", None),
        ([], "Samarkand", "Samarkand"),
        (["Bukhara"], "Samarkand", None),
    ],
)
def test_a_whole_text_adds_what_is_new_of_it(pieces: list[str], whole: str, grown: Any) -> None:
    taker = Steps()
    for piece in pieces:
        taker.feed(text(A, piece))
    made = [step for step in taker.feed(Part(A, TextBlock(whole), True)) if type(step) is Grow]
    assert [said(step.block) for step in made] == ([] if grown is None else [grown])
    assert bool(taker.untold) == (pieces == ["Bukhara"])


def test_a_whole_block_of_another_kind_comes_behind_what_went_out() -> None:
    made = steps(Part(A, ThinkingBlock("Sama")), Part(A, TextBlock("Sama"), whole=True))
    assert shown(made) == ["+0", "Sama", "-0", "+1", "Sama", "-1"]


def test_a_whole_block_in_the_place_of_one_that_waits() -> None:
    made = steps(
        call(A, "{", "a", "look"), text(B, "old"), Part(B, TextBlock("new"), True), call(A, "}")
    )
    assert shown(made) == ["+0", "{", "}", "-0", "+1", "new", "-1"]


def test_a_whole_call_closes_the_text_of_its_arguments() -> None:
    made = steps(
        call(A, '{"a":"x', "a", "look"), Part(A, ToolUseBlock("a", "look", {"a": "x"}), whole=True)
    )
    assert made[-1].block == ToolUseBlock("a", "look", raw_input='{"a":"x"}')


def test_the_rest_of_a_block() -> None:
    cited = [Citation(url="https://example.com/1"), Citation(url="https://example.com/2")]
    whole = TextBlock("ab", cited, extras={"x": {"id": 1, "n": 2}})
    before = TextBlock("a", cited[:1], extras={"x": {"n": 2}})
    assert remaining_piece(before, whole) == TextBlock("b", cited[1:], extras={"x": {"id": 1}})
    assert remaining_piece(ThinkingBlock("a"), ThinkingBlock("a", "sig", "red")) == ThinkingBlock(
        "", "sig", "red"
    )
    assert remaining_piece(RawBlock("x", 1), RawBlock("x", 2)) is None
    wrong = ToolUseBlock("a", "look", {"b": 1})
    assert remaining_piece(ToolUseBlock("a", "look", raw_input='{"a":1'), wrong) is None
    assert remaining_piece(ToolUseBlock("a", "look"), wrong) == ToolUseBlock("", "", {"b": 1})


def test_citations_and_signatures_grow() -> None:
    seal = ThinkingBlock("", "sig")
    made = steps(Part(A, ThinkingBlock("Hm")), Part(A, seal))
    assert made[-1].block == ThinkingBlock("Hm", "sig")


WORDS = st.text('ab{}"\\ ', max_size=4)
JSON = st.dictionaries(st.text(max_size=3), st.text(max_size=3) | st.integers(), max_size=3)


@st.composite
def streams(draw: st.DrawFn) -> list[Part]:
    """Blocks of some kinds, cut into pieces that come interleaved; each in its own order."""
    queues: list[list[Part]] = []
    for at in range(draw(st.integers(1, 5))):
        key = (0, at)
        if draw(st.booleans()):
            kind = draw(st.sampled_from([TextBlock, ThinkingBlock, RefusalBlock]))
            words = draw(st.lists(WORDS.filter(bool), min_size=1, max_size=4))
            queues.append([Part(key, kind(word)) for word in words])
            continue
        raw = json.dumps(draw(JSON))
        cuts = sorted(draw(st.lists(st.integers(0, len(raw)), max_size=3)))
        texts = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
        first, *others = texts
        queue = [Part(key, ToolUseBlock(f"c{at}", "look", raw_input=first))]
        queues.append(queue + [Part(key, ToolUseBlock("", "", raw_input=t)) for t in others])
    made = []
    while waiting := [queue for queue in queues if queue]:
        made.append(draw(st.sampled_from(waiting)).pop(0))
    return made


@given(streams())
def test_what_grows_is_the_sum_of_the_parts(parts: list[Part]) -> None:
    made = steps(*parts)
    for key in {part.key for part in parts}:
        given = [part.block for part in parts if part.key == key]
        grown = [step.block for step in made if type(step) is Grow and step.key == key]
        assert total(grown) == total(given)


@given(streams())
def test_one_block_is_open_at_a_time_and_its_sum_is_told(parts: list[Part]) -> None:
    open_at: int | None = None
    count = 0
    grown: list[ContentBlock] = []
    for step in steps(*parts):
        if type(step) is Open:
            assert (open_at, step.index) == (None, count)
            open_at, grown, count = step.index, [], count + 1
        else:
            assert step.index == open_at
            grown.append(step.block)
        if type(step) is Shut:
            assert total(grown[:-1]) == step.block
            open_at = None
    assert open_at is None


@given(streams())
def test_calls_are_never_cut_in_two(parts: list[Part]) -> None:
    shut = [step.block for step in steps(*parts) if type(step) is Shut]
    told = [block for block in shut if type(block) is ToolUseBlock]
    given = {part.key for part in parts if type(part.block) is ToolUseBlock}
    assert len(told) == len(given)
    assert all(isinstance(json.loads(block.raw_input or ""), dict) for block in told)


def test_a_whole_text_that_waited_is_what_did_not_go_out_yet() -> None:
    """Half of it was told before a call began, and the rest is held as long as that is open."""
    taker = Steps()
    made = [*taker.feed(text(A, "Sama")), *taker.feed(call(B, '{"a"', "c", "look"))]
    made += [*taker.feed(text(A, "rk")), *taker.feed(Part(A, TextBlock("Samarkand"), whole=True))]
    made += [*taker.feed(call(B, ": 1}")), *taker.finish()]
    assert shown(made) == ["+0", "Sama", "-0", "+1", '{"a"', ": 1}", "-1", "+2", "rkand", "-2"]
    assert taker.untold == []


def test_a_whole_text_that_says_what_went_out_holds_nothing_back() -> None:
    taker = Steps()
    made = [*taker.feed(text(A, "Sama")), *taker.feed(call(B, '{"a"', "c", "look"))]
    made += [*taker.feed(text(A, "rk")), *taker.feed(Part(A, TextBlock("Sama"), whole=True))]
    made += [*taker.feed(call(B, ": 1}")), *taker.finish()]
    assert shown(made) == ["+0", "Sama", "-0", "+1", '{"a"', ": 1}", "-1"]


def test_a_whole_text_that_says_otherwise_than_what_waits_is_untold() -> None:
    taker, other = Steps(), TextBlock("Tashkent")
    made = [*taker.feed(text(A, "Sama")), *taker.feed(call(B, '{"a"', "c", "look"))]
    made += [*taker.feed(text(A, "rk")), *taker.feed(Part(A, other, whole=True))]
    made += taker.finish()
    assert shown(made) == ["+0", "Sama", "-0", "+1", '{"a"', "-1", "+2", "rk", "-2"]
    assert taker.untold == [other]
