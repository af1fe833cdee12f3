"""Figures: what a count tells of each message, estimates where it does not, and the search."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import DropOldest, Msg
from dragoman.history.truncate import Counted, Cut, find_replacements
from dragoman.history.truncate.search import first_that_fits, per_unit, running, weights
from dragoman.message import (
    ImageBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)

from .driving import drive

LONG = "x" * 1000
IMAGE = ImageBlock(URLSource("https://example.com/a.png"))


def weight(*blocks: Any) -> float:
    [one] = weights([Msg.assistant([*blocks])], 0)
    return one


def test_a_count_may_tell_what_each_message_takes() -> None:
    msgs = [Msg.user("a"), Msg.user("b")]
    told = Counted(12, (5, 7))
    assert told == 12
    assert weights(msgs, told) == (5, 7)
    estimated = weights(msgs, 12)
    assert weights(msgs, Counted(12, (5, 4, 3))) == estimated, "figures of other messages"
    assert estimated[0] == estimated[1] > 0


@pytest.mark.parametrize(
    "block",
    [
        TextBlock(LONG),
        ToolUseBlock("c", "f", {}, LONG),
        ToolUseBlock("c", "f", {"at": LONG}),
        ToolResultBlock("c", "f", LONG),
        ToolResultBlock("c", "f", [TextBlock(LONG[:500]), TextBlock(LONG[500:])]),
        ToolResultBlock("c", "f", {"at": LONG}),
    ],
)
def test_what_a_message_says_is_estimated_by_its_characters(block: Any) -> None:
    assert 1000 <= weight(block) <= 1050
    assert 2000 <= weight(block, TextBlock(LONG)) <= 2050
    assert weights([Msg.user(LONG)], 0) == [weight(TextBlock(LONG))]


def test_a_medium_takes_more_than_words_and_what_is_not_sent_takes_little() -> None:
    assert weight(IMAGE) > weight(TextBlock(LONG))
    assert weight(ToolResultBlock("c", "f", [IMAGE])) > weight(TextBlock(LONG))
    assert weight(ThinkingBlock(LONG)) == weight(RefusalBlock(LONG)) < weight(TextBlock(LONG)) / 10
    assert weight() < weight(ToolResultBlock("c", "f", None)) < 50


def test_sums_and_rates() -> None:
    assert running([2, 3.5]) == [0, 2, 5.5]
    assert running([]) == [0]
    assert per_unit(100, 400) == 0.25
    assert per_unit(100, 0) == 100


def search(sizes: list[int], limit: int, rate: float | None, **rest: Any) -> tuple[Any, list[int]]:
    """(what is found among candidates of these sizes, the first being whole; what was asked)."""
    asked = []
    freed = [float(sizes[0] - size) for size in sizes]
    plan = first_that_fits(lambda n: [Msg.user(str(n))], freed, sizes[0], limit, rate, **rest)
    try:
        wanted = next(plan)
        while True:
            asked.append(int(wanted[0].text))
            wanted = plan.send(sizes[asked[-1]])
    except StopIteration as done:
        return done.value, asked


@pytest.mark.parametrize("limit", [0, 1, 9, 10, 50, 89, 90, 99])
@pytest.mark.parametrize("rate", [None, 1.0, 0.1, 30.0])
def test_the_first_that_fits_is_found_whatever_the_estimate(limit: int, rate: float | None) -> None:
    sizes = [100 - n for n in range(101)]
    found, asked = search(sizes, limit, rate)
    assert (found.step, found.tokens) == (100 - limit, limit)
    assert found.msgs[0].text == str(100 - limit)
    assert len(asked) == len(set(asked)), "nothing is asked twice"
    assert len(asked) <= (1 if rate is None else 8)


def test_nothing_fits() -> None:
    found, asked = search([100, 80, 60], 50, None)
    assert found.step is None
    assert (found.tokens, found.msgs[0].text, asked) == (60, "2", [2])


def test_a_later_one_will_do_where_the_first_is_not_asked_for() -> None:
    sizes = [100 - n for n in range(101)]
    found, asked = search(sizes, 50, 0.5, exactly=False)
    assert found.step >= 50
    assert len(asked) == 1
    assert found.tokens == sizes[asked[0]]


def test_media_and_calls_are_found_as_fast_as_texts() -> None:
    """Each count may be a question over the network, so an estimate has to see what weighs."""
    kinds: list[Any] = [TextBlock("x" * 40), IMAGE, ToolUseBlock("c", "f", {"at": "x" * 400}),
                        ToolResultBlock("d", "f", "x" * 4000)]  # fmt: skip
    costs = {"text": 14, "image": 750, "tool_use": 110, "tool_result": 1000}
    msgs = [Msg.assistant([kinds[(i * 7) % 4]]) for i in range(400)]

    def count(made: list[Msg]) -> int:
        return sum(4 + costs[m.blocks[0].type] for m in made)

    for share in (0.1, 0.5, 0.9):
        limit = int(count(msgs) * share)
        chosen, tried = drive(DropOldest(), msgs, limit, count)
        assert count(chosen) <= limit < count(msgs[len(msgs) - len(chosen) - 1 :])
        assert len(tried) <= 6


def test_what_was_replaced_is_told_by_a_cut_alone() -> None:
    msgs = [Msg.user("a")]
    assert find_replacements(msgs) == []
    assert find_replacements(Cut(msgs, ())) == []
