"""What every strategy keeps to, over broken histories and with counters that tell anything.

Never an empty conversation, never without the latest question, never half of a pair, never without
an end; and work that grows as the history does.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dragoman.history.truncate as home
from dragoman import ClearToolResults, ContextOverflow, DropOldest, KeepFirst, Msg, Summarize
from dragoman.history.truncate import Counted, Truncation, find_replacements, units
from dragoman.history.truncate.plan import has_results

from ..laws.each import for_each
from ..laws.histories import histories
from .driving import Count, call, drive, each, length, result


def _long(m: Msg) -> float:
    return len(m.text)


def _tell(msgs: list[Msg]) -> str:
    return f"{len(msgs)} messages"


STRATEGIES: dict[str, Callable[[], Truncation]] = {
    "oldest": DropOldest,
    "oldest in steps": lambda: DropOldest(step=3),
    "shortest": lambda: DropOldest(priority=_long),
    "first": lambda: KeepFirst(2),
    "results": lambda: ClearToolResults(keep=1),
    "results in steps": lambda: ClearToolResults(keep=0, step=2, then=KeepFirst(1)),
    "summary": lambda: Summarize(_tell),
    "blank summary": lambda: Summarize(lambda _: "", then=ClearToolResults()),
    "results, then summary": lambda: ClearToolResults(then=Summarize(_tell, share=0.9)),
}
names = st.sampled_from(sorted(STRATEGIES))
HONEST = st.sampled_from((each, length))


def _kept(msgs: list[Msg], chosen: list[Msg]) -> set[int]:
    """The indexes of the messages that are still there, perhaps in a shorter form."""
    shown = {id(m) for m in chosen}
    for one in find_replacements(chosen):
        if one.how == "cleared":
            shown.update(map(id, one.originals))
    return {i for i, m in enumerate(msgs) if id(m) in shown}


def _question(msgs: list[Msg]) -> Msg | None:
    return next((m for m in reversed(msgs) if m.role == "user" and not has_results(m)), None)


def _holds(msgs: list[Msg], chosen: list[Msg]) -> None:
    assert chosen
    kept = _kept(msgs, chosen)
    assert len(msgs) - 1 in kept
    question = _question(msgs)
    assert question is None or any(m is question for m in chosen)
    for i, m in enumerate(msgs):
        if m.role not in ("system", "developer") or has_results(m):
            break
        assert i in kept
    if len({id(m) for m in msgs}) == len(msgs):  # one that stands twice is found only once
        for unit in units(msgs):
            assert not kept.intersection(unit) or kept.issuperset(unit)


@given(histories(8), names, st.integers(0, 80), HONEST)
def test_what_is_chosen_fits_and_holds_what_must_stay(
    msgs: list[Msg], name: str, limit: int, count: Count
) -> None:
    before = deepcopy(msgs), [*map(id, msgs)]
    try:
        chosen, tried = drive(STRATEGIES[name](), msgs, limit, count)
    except ContextOverflow as error:
        assert (error.tokens or 0) > limit  # noqa: PT017
        assert len(error.pinned) == error.kept  # noqa: PT017
    else:
        assert count(chosen) <= limit
        assert any(chosen is one or [*map(id, chosen)] == [*map(id, one)] for one in tried)
        assert count(msgs) > limit or chosen is msgs
        _holds(msgs, chosen)
    assert (msgs, [*map(id, msgs)]) == before, "what was given is not touched"


LIES: dict[str, Callable[[Any, list[Msg]], Any]] = {
    "anything": lambda random, _: random.randint(0, 100),
    "less is more": lambda _, msgs: 1000 - len(msgs),
    "always too much": lambda _, msgs: 10**9,
    "more than a float": lambda _, msgs: 10**400 + len(msgs),
    "far off": lambda random, _: random.choice((10**400, -(10**400), 50)),
    "always nothing": lambda _, msgs: 0,
    "below nothing": lambda random, _: -random.randint(0, 100),
    "no number": lambda _, msgs: math.nan,
    "endless": lambda random, msgs: random.choice((math.inf, len(msgs), -math.inf)),
    "wrong parts": lambda random, msgs: Counted(random.randint(0, 99), [-7, 10**9] * len(msgs)),
    "wrong sums": lambda random, msgs: Counted(
        random.randint(0, 99), [random.randint(-5, 5) for _ in msgs]
    ),
}


@settings(max_examples=8, deadline=None)
@given(histories(8), st.integers(1, 60), st.randoms())
@for_each("lie", sorted(LIES))
@for_each("name", sorted(STRATEGIES))
def test_no_counter_makes_it_endless_or_empty(
    name: str, lie: str, msgs: list[Msg], limit: int, random: Any
) -> None:
    asked = 0

    def count(candidate: list[Msg]) -> Any:
        nonlocal asked
        asked += 1
        assert asked <= 4 * len(msgs) + 12
        return LIES[lie](random, candidate)

    try:
        chosen, tried = drive(STRATEGIES[name](), msgs, limit, count)
    except ContextOverflow:
        return
    assert any([*map(id, chosen)] == [*map(id, one)] for one in tried), "only what was counted"
    _holds(msgs, chosen)


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_an_empty_history(name: str) -> None:
    assert drive(STRATEGIES[name](), [], 1, each)[0] == []
    with pytest.raises(ContextOverflow):
        drive(STRATEGIES[name](), [], 1, lambda msgs: 3)


def conversation(size: int) -> list[Msg]:
    """Questions of very different length, calls and their results."""
    msgs = [Msg.system("Be brief.")]
    for i in range(size):
        msgs += [
            Msg.user("word " * (1 + (i * 7919) % 50)),
            call(f"c{i}"),
            result(f"c{i}", output="x " * (1 + (i * 31) % 90)),
            Msg.assistant(f"so {i}"),
        ]
    return msgs


def _half(name: str, msgs: list[Msg], each_known: bool) -> int:
    """The characters that are counted to cut a history to half."""
    counted = 0
    parts = {id(m): length([m]) for m in msgs}

    def count(candidate: list[Msg]) -> int:
        nonlocal counted
        own = [parts.get(id(m)) or length([m]) for m in candidate]
        counted += sum(own)
        return Counted(sum(own), own) if each_known else sum(own)

    drive(STRATEGIES[name](), msgs, length(msgs) // 2, count)
    return counted


def _work(name: str, msgs: list[Msg], each_known: bool) -> int:
    """The instructions that the strategy runs to do so."""
    own, work = str(Path(home.__file__).parent), 0

    def watch(frame: FrameType, event: str, _: object) -> Any:
        nonlocal work
        if not frame.f_code.co_filename.startswith(own):
            return None
        frame.f_trace_opcodes = True
        work += event == "opcode"
        return watch

    old = sys.gettrace()
    sys.settrace(watch)
    try:
        _half(name, msgs, each_known)
    finally:
        sys.settrace(old)
    return work


@pytest.mark.parametrize("each_known", [False, True])
@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_work_grows_as_the_history_does(name: str, each_known: bool) -> None:
    """Each time the history doubles: at most 2.3 times the characters counted and the work done.

    Over several doublings, for a single count more or less is half of the history.
    """
    counted = [_half(name, conversation(n), each_known) for n in (100, 1600)]
    work = [_work(name, conversation(n), each_known) for n in (40, 160)]
    assert counted[1] < 2.3**4 * counted[0], counted
    assert work[1] < 2.3**2 * work[0], work


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 5))
def test_a_growing_history_keeps_its_beginning(limit: int, step: int, seed: int) -> None:
    """With steps, what is sent in one turn is mostly the beginning of what is sent in the next."""
    history = [Msg.system("Be.")]
    broken, rounds, before = 0, 100, list[Msg]()
    for i in range(rounds):
        history.append((Msg.user, Msg.assistant)[i % 2](f"{i}"))
        chosen, _ = drive(DropOldest(step=step), history, limit + step + 1, each)
        broken += any(a is not b for a, b in zip(before, chosen, strict=False))
        before = chosen
    assert broken <= rounds / step + 1
