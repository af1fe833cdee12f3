"""A cut that goes on from the last one says what a look at the whole history would say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import ContextOverflow
from dragoman.history.truncate import ClearToolResults, DropOldest, KeepFirst
from dragoman.history.truncate.growing import Onward
from dragoman.message import Msg, ThinkingBlock, ToolResultBlock, ToolUseBlock

LIMIT = 60


def tokens(msgs: list[Msg]) -> int:
    """Each message takes what its text says, and one more."""
    return sum(len(str(m.content)) % 17 + 1 for m in msgs)


class Driver:
    """Counts candidates and sums them, as a formatter would."""

    def __init__(self, count: Callable[[list[Msg]], int] = tokens) -> None:
        self.count = count
        self.counted = 0
        self.looked_at = 0

    def choose(self, strategy: Any, msgs: list[Msg], limit: int = LIMIT) -> list[Msg] | str:
        plan = strategy.candidates(msgs, limit)
        try:
            candidate = next(plan)
            while True:
                self.counted += 1
                self.looked_at += len(candidate)
                candidate = plan.send(self.count(candidate))
        except StopIteration as done:
            chosen: list[Msg] = done.value
            return chosen
        except ContextOverflow as error:
            return str(error)


def same(one: list[Msg] | str, other: list[Msg] | str) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return [*map(id, one)] == [*map(id, other)]


def loop(rounds: int) -> Iterator[list[Msg]]:
    """An agent's history, longer by a call and its result each time."""
    msgs = [Msg.system("Be brief."), Msg.user("Walk to the gate.")]
    for n in range(rounds):
        msgs.append(Msg.assistant([ToolUseBlock(f"c{n}", "walk", {"step": n})]))
        msgs.append(Msg("", [ToolResultBlock(f"c{n}", "walk", f"{n} miles")], "tool"))
        yield [*msgs]


@pytest.mark.parametrize("strategy", [DropOldest(), DropOldest(step=8), KeepFirst(n=3)])
def test_an_agents_loop_is_cut_alike_with_less_work(strategy: DropOldest) -> None:
    onward, whole, part = Onward(strategy), Driver(), Driver()
    for msgs in loop(200):
        limit = tokens(msgs[:40])
        assert same(part.choose(onward, msgs, limit), whole.choose(strategy, msgs, limit))
    assert part.looked_at < whole.looked_at / 2


ODDITIES = st.sampled_from(
    [
        lambda n: Msg.user(f"And {n}?"),
        lambda n: Msg.user("x" * (n % 30)),
        lambda n: Msg.system("Mind the step."),
        lambda n: Msg.assistant(f"It is {n}."),
        lambda n: Msg.assistant([ThinkingBlock(f"Hm, {n}.")]),
        lambda n: Msg.assistant([ToolUseBlock(f"c{n % 5}", "walk", {})]),
        lambda n: Msg("", [ToolResultBlock(f"c{n % 5}", "walk", "far")], "tool"),
        lambda n: Msg("", [ToolResultBlock(f"c{n % 7}", "walk", f"{n} miles")], "user"),
        lambda n: Msg("", f"{n}", "user", {"pinned": True}),
        lambda n: Msg("", f"{n}", "assistant", {"pinned": n % 2 == 0}),
    ]
)
STRATEGIES = st.sampled_from(
    [DropOldest(), DropOldest(step=3), DropOldest(step=7), DropOldest(reserve=9),
     KeepFirst(n=2), KeepFirst(n=2, step=4)]
)  # fmt: skip


@settings(max_examples=300)
@given(STRATEGIES, st.lists(st.tuples(ODDITIES, st.integers(0, 2)), max_size=40), st.data())
def test_any_history_is_cut_as_if_it_were_seen_for_the_first_time(
    strategy: DropOldest, steps: list[Any], data: st.DataObject
) -> None:
    onward, driver = Onward(strategy), Driver()
    msgs: list[Msg] = []
    for n, (make, then) in enumerate(steps):
        msgs.append(make(n))
        if then == 0:  # several messages come at once
            continue
        if then == 2 and data.draw(st.booleans(), label="pin"):
            at = data.draw(st.integers(0, len(msgs) - 1), label="which")
            msgs[at].metadata["pinned"] = True
        assert same(driver.choose(onward, msgs), driver.choose(strategy, msgs)), n


def test_a_late_result_brings_its_call_back() -> None:
    onward, driver = Onward(DropOldest()), Driver()
    msgs = [Msg.user("Go."), Msg.assistant([ToolUseBlock("late", "walk", {})])]
    msgs += [Msg.assistant(f"Step {n}.") for n in range(20)]
    chosen = driver.choose(onward, msgs)
    assert msgs[1] not in chosen
    msgs.append(Msg("", [ToolResultBlock("late", "walk", "far")], "tool"))
    kept = driver.choose(onward, msgs)
    assert same(kept, driver.choose(DropOldest(), msgs))
    assert isinstance(kept, str)  # all of it is one unit now, and does not fit


@pytest.mark.parametrize("behind", ["a call of the same id", "another call and talk"])
def test_a_late_result_is_seen_among_new_calls(behind: str) -> None:
    onward, driver = Onward(DropOldest()), Driver()
    msgs = [Msg.user("Go."), Msg.assistant([ToolUseBlock("c", "walk", {})])]
    msgs += [Msg.assistant(f"Step {n}.") for n in range(20)]
    driver.choose(onward, msgs)
    late = Msg("", [ToolResultBlock("c", "walk", "far")], "tool")
    again = Msg.assistant([ToolUseBlock("c", "walk", {})])
    msgs += [late, again] if behind == "a call of the same id" else [again, Msg.system("-"), late]
    assert same(driver.choose(onward, msgs), driver.choose(DropOldest(), msgs))


def test_a_history_that_takes_less_than_before_is_cut_less() -> None:
    def count(msgs: list[Msg]) -> int:  # a wire asks for a turn behind the model's
        return tokens(msgs) + (12 if msgs[-1].role == "assistant" else 0)

    onward, driver, whole = Onward(DropOldest()), Driver(count), DropOldest()
    msgs = [Msg.user("Go."), *(Msg.assistant(f"Step {n}.") for n in range(20))]
    before = driver.choose(onward, msgs)
    msgs.append(Msg("", [ToolResultBlock("c1", "walk", "")], "tool"))
    after = driver.choose(onward, msgs)
    assert same(after, driver.choose(whole, msgs))
    assert len(after) > len(before) + 1


def test_the_last_turn_stays_or_nothing_fits() -> None:
    onward, driver = Onward(DropOldest()), Driver()
    msgs = [Msg.user("Go."), *(Msg.assistant(f"Step {n}.") for n in range(20))]
    driver.choose(onward, msgs)
    for last in ("x" * 16, "y" * 15):
        msgs.append(Msg.assistant(last))
        limit = tokens([msgs[0], msgs[-1]])
        for most in (limit, limit - 1):
            kept = driver.choose(onward, msgs, most)
            assert same(kept, driver.choose(DropOldest(), msgs, most))
            assert isinstance(kept, str) == (most < limit)
            driver.choose(onward, msgs[:-1])


def test_forgetting_looks_at_the_whole_again() -> None:
    onward, driver = Onward(DropOldest()), Driver()
    *_, msgs = loop(30)
    driver.choose(onward, msgs)
    changed = [Msg.user("No, stay."), *msgs[-4:]]
    onward.forget()
    assert same(driver.choose(onward, changed), changed)


def test_it_knows_the_strategies_that_drop_in_order() -> None:
    assert Onward.knows(DropOldest(step=4, reserve=2))
    assert Onward.knows(KeepFirst(n=1))
    assert not Onward.knows(DropOldest(priority=lambda m: len(m.name)))
    assert not Onward.knows(DropOldest(pin=["m1"]))
    assert not Onward.knows(DropOldest(pin=lambda m: False))
    assert not Onward.knows(ClearToolResults())

    class Mine(DropOldest):
        pass

    assert not Onward.knows(Mine())


def test_a_longer_history_that_takes_the_limit_to_the_token_is_chosen() -> None:
    msgs = [Msg.user(str(i)) for i in range(6)]
    driver, onward = Driver(len), Onward(DropOldest())
    assert driver.choose(onward, msgs, 5) == msgs[1:]
    assert next(onward.candidates(msgs, 5)) is msgs, "the longer history is the whole list"
    onward.forget()
    assert driver.choose(onward, msgs, 5) == msgs[1:]
    assert driver.choose(onward, msgs, 6) == msgs


def test_results_that_nobody_called_for_are_cut_alike() -> None:
    msgs = [Msg("", [ToolResultBlock(f"c{i}", "walk", "far")], "tool") for i in range(8)]
    driver, onward = Driver(len), Onward(DropOldest())
    for size in range(4, 9):
        seen = msgs[:size]
        assert same(driver.choose(onward, seen, 3), Driver(len).choose(DropOldest(), seen, 3))
