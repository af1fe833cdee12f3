"""What stays: pins, priorities, the first messages, a reserve; and cuts that stand for a while."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import pytest

from dragoman import ConfigError, ContextOverflow, DropOldest, KeepFirst, Msg
from dragoman.message import identify

from .driving import call, drive, each, result, same

S, Q = Msg.system("Be."), Msg.user("the question")


def chat(length: int) -> list[Msg]:
    return [(Msg.user, Msg.assistant)[i % 2](str(i)) for i in range(length)]


def said(msgs: list[Msg]) -> list[str]:
    return [m.text for m in msgs]


def loud(m: Msg) -> bool:
    return m.text.endswith("!")


def test_a_message_is_pinned_by_a_note_in_its_metadata() -> None:
    kept = Msg.user("keep", metadata={"pinned": True})
    loose = Msg.user("loose", metadata={"pinned": "no"})
    assert drive(DropOldest(), [S, kept, loose, *chat(3)], 4, each)[0] == [S, kept, *chat(3)[-2:]]


@pytest.mark.parametrize("by", ["id", "content", "function"])
def test_a_message_is_pinned_by_id_or_by_a_function(by: str) -> None:
    msgs = [Msg.user("0"), Msg.user("one!", id="own" if by == "id" else None), *chat(4)]
    pin: Any = loud if by == "function" else [identify(msgs)[1]]
    assert said(drive(DropOldest(pin=pin), msgs, 3, each)[0]) == ["one!", "2", "3"]


def test_a_pinned_result_keeps_its_call() -> None:
    answer = result("a")
    answer.metadata["pinned"] = True
    msgs = [Msg.user("0"), call("a"), answer, *chat(3)]
    assert same(drive(DropOldest(), msgs, 4, each)[0], [*msgs[1:3], *msgs[-2:]])


def test_too_many_pins_overflow_with_their_ids() -> None:
    msgs = [S, Msg.user("1"), Msg.user("two!"), Q]
    with pytest.raises(ContextOverflow) as caught:
        drive(DropOldest(pin=loud), msgs, 2, each)
    left = [S, msgs[2], Q]
    assert (caught.value.tokens, caught.value.limit, caught.value.kept) == (3, 2, 3)
    assert caught.value.pinned == tuple(identify(left))


def test_what_matters_least_goes_first_and_the_oldest_of_it() -> None:
    msgs = [Msg.user("a2"), Msg.user("b0"), Msg.user("c1"), Msg.user("d0"), Q]

    def priority(m: Msg) -> float:
        return float(m.text[1])

    def left(limit: int) -> list[str]:
        return said(drive(DropOldest(priority=priority), msgs, limit, each)[0])[:-1]

    msgs[-1] = Msg.user("q9")
    assert [left(n) for n in (4, 3, 2, 1)] == [["a2", "c1", "d0"], ["a2", "c1"], ["a2"], []]


def test_a_unit_matters_as_much_as_its_most_important_message() -> None:
    msgs = [call("a"), result("a", output="!"), Msg.user("1"), Q]

    def priority(m: Msg) -> float:
        return any(b.get("output") == "!" for b in m.blocks)

    assert same(drive(DropOldest(priority=priority), msgs, 3, each)[0], [*msgs[:2], Q])


def test_the_first_messages_stay_beside_the_tail() -> None:
    msgs = [S, *chat(9)]
    assert said(drive(KeepFirst(2), msgs, 5, each)[0]) == ["Be.", "0", "1", "7", "8"]
    assert said(drive(KeepFirst(0), msgs, 5, each)[0]) == said(
        drive(DropOldest(), msgs, 5, each)[0]
    )
    assert said(drive(KeepFirst(99), msgs, 10, each)[0]) == said(msgs)
    with pytest.raises(ContextOverflow):
        drive(KeepFirst(99), msgs, 9, each)


def test_the_first_messages_keep_their_results() -> None:
    msgs = [call("a"), result("a"), *chat(5)]
    assert same(drive(KeepFirst(1), msgs, 4, each)[0], [*msgs[:2], *msgs[-2:]])


def test_the_last_turn_stays_behind_the_first_messages() -> None:
    msgs = [Msg.user("Go."), Q, call("a"), result("a")]
    with pytest.raises(ContextOverflow) as caught:
        drive(KeepFirst(1), msgs, 3, each)
    assert caught.value.kept == 4


def test_a_reserve_is_kept_free_for_the_answer() -> None:
    msgs = chat(9)
    for strategy in (DropOldest(reserve=3), KeepFirst(0, reserve=3)):
        assert len(drive(strategy, msgs, 8, each)[0]) == 5
        assert drive(strategy, msgs, 12, each)[0] is msgs
        with pytest.raises(ConfigError, match="a reserve of 3 leaves nothing of 3"):
            drive(strategy, msgs, 3, each)
    with pytest.raises(ContextOverflow) as caught:
        drive(DropOldest(reserve=3), [S, Q], 4, each)
    assert caught.value.limit == 1


def test_cuts_in_steps_keep_the_beginning_for_some_turns() -> None:
    limit, step = 20, 6
    history = [S]
    begins: list[int] = []
    for i in range(120):
        history.append((Msg.user, Msg.assistant)[i % 2](str(i)))
        chosen, tried = drive(DropOldest(step=step), history, limit, each)
        assert limit - step < len(chosen) <= limit or len(history) <= limit
        assert chosen[0] is S
        assert len(tried) < 9
        begins.append(int(chosen[1].text))
    changes = [i for i, (a, b) in enumerate(pairwise(begins)) if a != b]
    assert {b - a for a, b in pairwise(changes[1:])} == {step}
    assert {(begin + 1) % step for begin in begins if begin} == {0}


def test_a_step_that_is_too_great_does_not_empty_the_history() -> None:
    msgs = [S, *chat(9)]
    assert said(drive(DropOldest(step=50), msgs, 4, each)[0]) == ["Be.", "6", "7", "8"]
    with pytest.raises(ContextOverflow):
        drive(DropOldest(step=50), msgs, 1, each)


def test_steps_of_two_end_at_every_second_message() -> None:
    assert said(drive(DropOldest(step=2), chat(10), 7, each)[0]) == said(chat(10)[4:])


def test_a_developers_prompt_stays_as_the_systems_does() -> None:
    prompt = Msg("", "Be.", "developer")
    chosen, _ = drive(DropOldest(), [prompt, *chat(9)], 4, each)
    assert chosen[0] is prompt
    assert len(chosen) == 4


def test_steps_and_priorities() -> None:
    msgs = [Msg.user(f"{i}{'!' if i % 2 else ''}") for i in range(12)]
    chosen, _ = drive(DropOldest(step=4, priority=loud), msgs, 8, each)
    assert said(chosen) == ["1!", "3!", "5!", "7!", "8", "9!", "10", "11!"]


@pytest.mark.parametrize(
    "wrong",
    [{"reserve": -1}, {"reserve": 1.5}, {"reserve": True}, {"step": 0}, {"step": "2"},
     {"pin": "an id"}, {"pin": [1]}],
)  # fmt: skip
def test_options_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        DropOldest(**wrong)
    with pytest.raises(ConfigError):
        KeepFirst(2, **wrong)


@pytest.mark.parametrize("n", [-1, 1.0, None, True])
def test_how_many_first_messages(n: Any) -> None:
    with pytest.raises(ConfigError, match="n of KeepFirst"):
        KeepFirst(n)


def test_strategies_are_values() -> None:
    for strategy in (DropOldest(pin=["a"], step=2), KeepFirst(3, pin=loud), DropOldest()):
        again = pickle.loads(pickle.dumps(strategy))
        assert again == strategy
        assert hash(again) == hash(strategy)
        with pytest.raises(AttributeError):
            again.reserve = 2
