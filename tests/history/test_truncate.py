"""Cutting: units that stay together, and DropOldest beside an oracle that tries everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ContextOverflow
from dragoman.history.truncate import DropOldest, find_omitted, units, without_oldest
from dragoman.message import (
    Msg,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)

from ..laws.histories import histories

Count = Callable[[list[Msg]], int]


def call(*ids: str) -> Msg:
    return Msg.assistant([ToolUseBlock(id, "f", {}) for id in ids])


def result(*ids: str, role: str = "tool") -> Msg:
    return Msg("", [ToolResultBlock(id, "f", "y") for id in ids], role)


def thought(*more: Any) -> Msg:
    return Msg.assistant([ThinkingBlock("Hm.", signature="s"), *more])


def raw(role: Any, pair: str | None) -> Msg:
    return Msg.assistant([RawBlock("somebody", {"type": "custom"}, role, pair)])


U, A, S = Msg.user("u"), Msg.assistant("a"), Msg.system("s")


def drive(msgs: list[Msg], limit: int, count: Count) -> tuple[list[Msg], list[list[Msg]]]:
    """(what is chosen, the candidates that were counted)."""
    plan = DropOldest().candidates(msgs, limit)
    tried: list[list[Msg]] = []
    candidate = next(plan)
    while True:
        tried.append(candidate)
        try:
            candidate = plan.send(count(candidate))
        except StopIteration as done:
            return done.value, tried


def length(msgs: list[Msg]) -> int:
    return sum(len(m.text) + 1 for m in msgs)


def each(msgs: list[Msg]) -> int:
    return len(msgs)


UNITS: list[tuple[list[Msg], list[list[int]]]] = [
    ([], []),
    ([U, A], [[0], [1]]),
    ([U, call("a"), result("a"), A], [[0], [1, 2], [3]]),
    ([call("a", "b"), result("a"), result("b"), U], [[0, 1, 2], [3]]),
    ([call("a", "b"), result("a", "b"), U], [[0, 1], [2]]),
    ([call("a"), U, result("a"), U], [[0, 1, 2], [3]]),
    ([call("a"), call("b"), result("a"), result("b")], [[0, 1, 2, 3]]),
    ([call("a"), result("a"), call("a"), result("a")], [[0, 1], [2, 3]]),
    ([call("a"), U, A], [[0], [1], [2]]),
    ([result("x"), U], [[0], [1]]),
    ([result("a"), call("a"), U], [[0], [1], [2]]),
    ([call(""), result(""), U], [[0, 1], [2]]),
    ([call("a"), call("b"), call("c"), U, result("a"), U], [[0, 1, 2, 3, 4], [5]]),
    ([call("a", "a"), result("a"), result("a"), U], [[0, 1, 2], [3]]),
    ([call("a"), Msg("", [TextBlock("x"), *result("a").blocks], "tool"), U], [[0, 1], [2]]),
    # reasoning and what it led to
    ([U, thought(), A, U], [[0], [1, 2], [3]]),
    ([thought(), call("a"), result("a"), U], [[0, 1, 2], [3]]),
    ([thought(), thought(), A], [[0, 1, 2]]),
    ([thought(), U], [[0], [1]]),
    ([thought()], [[0]]),
    ([thought(TextBlock("x")), A], [[0], [1]]),
    ([call("a"), thought(), result("a"), A], [[0, 1, 2], [3]]),
    ([Msg.user([ThinkingBlock("x")]), A], [[0], [1]]),
    ([Msg.assistant([]), A], [[0], [1]]),
    # what only one protocol has
    ([raw("call", "a"), raw("result", "a"), U], [[0, 1], [2]]),
    ([raw("call", None), raw("result", None), U], [[0], [1], [2]]),
    ([raw("item", "a"), raw("result", "a"), U], [[0], [1], [2]]),
    ([Msg.assistant([*call("a").blocks, *result("a").blocks]), U], [[0], [1]]),
]


@pytest.mark.parametrize(("msgs", "expected"), UNITS)
def test_units(msgs: list[Msg], expected: list[list[int]]) -> None:
    assert units(msgs) == expected


@given(histories())
def test_units_hold_every_message_once_and_in_order(msgs: list[Msg]) -> None:
    assert [i for unit in units(msgs) for i in unit] == list(range(len(msgs)))


def test_what_fits_is_the_very_list() -> None:
    msgs = [S, U, A]
    assert drive(msgs, 3, each)[0] is msgs
    assert len(drive(msgs, 3, each)[1]) == 1


def test_the_oldest_go_and_the_prompt_stays() -> None:
    later = [Msg.user("x"), Msg.assistant("y"), Msg.user("z")]
    assert drive([S, S, U, A, *later], 4, each)[0] == [S, S, *later[1:]]


def test_the_latest_user_message_stays() -> None:
    for question in (Msg.user("the question"), Msg.user([TextBlock("the question")])):
        msgs = [U, A, question, call("a"), result("a"), call("b"), result("b")]
        chosen, _ = drive(msgs, 3, each)
        assert chosen == [question, *msgs[-2:]]
        assert chosen[0] is question


def test_results_are_no_user_message() -> None:
    msgs = [U, call("a"), result("a", role="user"), call("b"), result("b", role="user")]
    assert drive(msgs, 3, each)[0] == [U, *msgs[-2:]]


def test_a_call_goes_with_its_results() -> None:
    msgs = [call("a"), result("a"), U, A]
    assert drive(msgs, 3, each)[0] == [U, A]


def test_later_system_messages_may_go() -> None:
    assert drive([S, U, Msg.system("late"), A, U], 3, each)[0] == [S, A, U]


@pytest.mark.parametrize(
    ("msgs", "kept"), [([S, U], 2), ([U], 1), ([S], 1), ([S, A, U], 2), ([call("a")], 1)]
)
def test_what_must_stay_overflows_with_its_figures(msgs: list[Msg], kept: int) -> None:
    with pytest.raises(ContextOverflow) as caught:
        drive(msgs, 0, each)
    assert (caught.value.tokens, caught.value.limit, caught.value.kept) == (kept, 0, kept)


def test_an_empty_history_never_loops() -> None:
    assert drive([], 1, lambda msgs: 1)[0] == []
    with pytest.raises(ContextOverflow):
        drive([], 1, lambda msgs: 3)


@given(histories(), st.integers(0, 60), st.sampled_from([each, length]))
def test_beside_the_oracle(msgs: list[Msg], limit: int, count: Count) -> None:
    """The smallest number of oldest units that may go, found by trying every number."""
    may_go = [unit for unit in units(msgs) if not _pinned(msgs, unit)]
    options = [_without(msgs, may_go[:n]) for n in range(len(may_go) + 1)]
    right = next((option for option in options if count(option) <= limit), None)
    if right is None:
        with pytest.raises(ContextOverflow) as caught:
            drive(msgs, limit, count)
        assert (caught.value.tokens or 0) > limit
        return
    chosen, tried = drive(msgs, limit, count)
    assert [id(m) for m in chosen] == [id(m) for m in right]
    assert all(any(_same(one, option) for option in options) for one in tried)


def _same(one: list[Msg], other: list[Msg]) -> bool:
    return [id(m) for m in one] == [id(m) for m in other]


def _pinned(msgs: list[Msg], unit: list[int]) -> bool:
    holds = [any(b.type == "tool_result" for b in m.blocks) for m in msgs]
    head = 0
    while head < len(msgs) and msgs[head].role in ("system", "developer") and not holds[head]:
        head += 1
    users = [i for i, m in enumerate(msgs) if m.role == "user" and not holds[i]]
    return unit[0] < head or unit[-1] == len(msgs) - 1 or bool(users and users[-1] in unit)


def _without(msgs: list[Msg], gone: list[list[int]]) -> list[Msg]:
    out = {i for unit in gone for i in unit}
    return [m for i, m in enumerate(msgs) if i not in out]


@given(st.integers(1, 40), st.integers(0, 400), st.randoms(use_true_random=False))
def test_any_counter_comes_to_an_end(size: int, limit: int, random: object) -> None:
    """Real counters are not monotone; this one says whatever it likes."""
    msgs = [Msg.user("x" * (i % 5)) for i in range(size)]
    asked = 0

    def count(candidate: list[Msg]) -> int:
        nonlocal asked
        asked += 1
        return random.randint(0, 800)  # type: ignore[attr-defined, no-any-return]

    try:
        chosen, tried = drive(msgs, limit, count)
    except ContextOverflow as error:
        assert (error.tokens or 0) > limit  # noqa: PT017
    else:
        assert chosen
        assert chosen == msgs[len(msgs) - len(chosen) :]
        assert chosen[-1] is msgs[-1]
        assert any(_same(chosen, one) for one in tried), "only what was counted is chosen"
    assert asked <= size + 1


@pytest.mark.parametrize("size", [100, 5_000])
@pytest.mark.parametrize("share", [0.001, 0.3, 0.9, 0.999])
def test_few_counts_are_needed(size: int, share: float) -> None:
    """Texts of very different length, counted by another measure than the estimate's."""
    msgs = [Msg.user("word " * (1 + (i * 7919) % 300)) for i in range(size)]
    whole = sum(3 + len(m.text.split()) * 2 for m in msgs)

    def count(candidate: list[Msg]) -> int:
        return sum(3 + len(m.text.split()) * 2 for m in candidate)

    chosen, tried = drive(msgs, max(700, int(whole * share)), count)
    assert len(tried) < 30
    longer = msgs[len(msgs) - len(chosen) - 1 :] if len(chosen) < size else msgs
    assert count(chosen) <= max(700, int(whole * share))
    assert len(chosen) == size or count(longer) > max(700, int(whole * share))


@pytest.mark.parametrize("edge", [1, 7, 2_000, 4_990])
def test_a_counter_that_no_estimate_can_follow(edge: int) -> None:
    """Where guessing leads nowhere the interval is halved."""
    msgs = [Msg.user(str(i)) for i in range(5_000)]
    chosen, tried = drive(msgs, 10, lambda ms: 5 if len(ms) <= edge else 10**9 + len(ms))
    assert len(chosen) == edge
    assert len(tried) < 40


def test_one_unit_at_a_time() -> None:
    msgs = [S, U, call("a"), result("a"), A, U]
    assert without_oldest(msgs) == [S, call("a"), result("a"), A, U]
    assert without_oldest([S, call("a"), result("a"), A, U]) == [S, A, U]
    assert without_oldest([S, A, U]) == [S, U]
    last = [S, U]
    assert without_oldest(last) is last
    assert without_oldest([]) == []
    asked = [U, A]
    assert without_oldest(asked) is asked, "the question and the last turn stay"
    called = [U, call("a"), result("a")]
    assert without_oldest(called) is called


def test_what_is_left_out() -> None:
    msgs = [S, U, A, U]
    assert find_omitted(msgs, msgs) == []
    assert find_omitted(msgs, [S, A, U]) == [1], "of a message that stands twice the older one went"
    assert find_omitted(msgs, []) == [0, 1, 2, 3]
    made = Msg.user("a summary")
    assert find_omitted(msgs, [made, A, U]) == [0, 1]
    assert find_omitted(msgs, [S, made, U]) == [1, 2]
    assert find_omitted(msgs, [S, U, made]) == [1, 2]
