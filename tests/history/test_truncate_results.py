"""ClearToolResults: old results are stubbed first, and what is still too long is cut further."""

from __future__ import annotations

import pickle
from copy import deepcopy
from itertools import combinations
from typing import Any

import pytest

from dragoman import (
    ClearToolResults,
    ConfigError,
    ContextOverflow,
    DropOldest,
    KeepFirst,
    Msg,
    Summarize,
)
from dragoman.history.truncate import Cut, find_replacements
from dragoman.message import TextBlock, ToolResultBlock, identify

from .driving import call, drive, each, length, result, same

LONG, STUB = "x" * 100, "[Old tool result cleared]"
Q = Msg.user("And now?")


def turns(size: int, output: Any = LONG) -> list[Msg]:
    """As many rounds of a call, its result and what the model says of it."""
    made: list[Msg] = []
    for i in range(size):
        made += [call(f"c{i}"), result(f"c{i}", output=output), Msg.assistant(f"round {i}")]
    return made


def outputs(msgs: list[Msg]) -> list[Any]:
    return [b.output for m in msgs for b in m.blocks if type(b) is ToolResultBlock]


def test_the_oldest_results_go_first_and_as_few_as_need_be() -> None:
    msgs = [*turns(6), Q]
    whole = length(msgs)
    chosen, _ = drive(ClearToolResults(), msgs, whole, length)
    assert chosen is msgs
    chosen, _ = drive(ClearToolResults(), msgs, whole - 1, length)
    assert outputs(chosen) == [STUB, *[LONG] * 5]
    chosen, _ = drive(ClearToolResults(), msgs, whole - 200, length)
    assert outputs(chosen) == [STUB, STUB, STUB, *[LONG] * 3]
    assert len(chosen) == len(msgs)
    assert outputs(msgs) == [LONG] * 6, "what was given is not touched"


def test_what_was_made_names_what_it_was_made_of() -> None:
    msgs = [*turns(4), Q]
    chosen, _ = drive(ClearToolResults(keep=0), msgs, length(msgs) - 100, length)
    assert isinstance(chosen, Cut)
    assert [one.originals for one in chosen.replacements] == [(msgs[1],), (msgs[4],)]
    assert all(one.msg in chosen and one.how == "cleared" for one in chosen.replacements)
    assert chosen.replacements[0].msg.blocks[0] == ToolResultBlock("c0", "f", STUB)


def test_a_cleared_message_is_the_same_but_for_its_output() -> None:
    old = Msg("desk", [ToolResultBlock("c", "f", LONG, spelling="listed"), TextBlock("Read it.")],
              "tool", {"k": 1}, "now", id="m1", extras={"own": {"k": 1}})  # fmt: skip
    msgs = [call("c"), old, Msg.assistant("so"), Q]
    chosen, _ = drive(ClearToolResults(keep=0), msgs, length(msgs) - 1, length)
    made = chosen[1]
    assert (made.name, made.role, made.id, made.timestamp) == ("desk", "tool", "m1", "now")
    assert (made.metadata, made.extras) == ({"k": 1}, {"own": {"k": 1}})
    assert made.content == [ToolResultBlock("c", "f", STUB), TextBlock("Read it.")]
    assert made.blocks[0].spelling is None, "the spelling was that of other content"
    assert made.blocks[1] is old.blocks[1]


def test_candidates_share_what_was_cleared_so_that_it_is_formatted_once() -> None:
    msgs = [*turns(40), Q]
    _, tried = drive(ClearToolResults(keep=0), msgs, 1500, length)
    first = [made[1] for made in tried if made[1] is not msgs[1]]
    assert len(first) > 1
    assert len({*map(id, first)}) == 1


def test_then_the_oldest_messages_go() -> None:
    msgs = [Msg.system("Be."), *turns(6), Q]
    chosen, tried = drive(ClearToolResults(keep=2), msgs, 300, length)
    assert outputs(chosen) == [STUB, LONG, LONG][-len(outputs(chosen)) :]
    assert (chosen[0], chosen[-1]) == (msgs[0], Q)
    assert length(chosen) <= 300
    assert not any(same(one, other) for one, other in combinations(tried, 2)), "none counts twice"
    other, _ = drive(ClearToolResults(keep=2, then=KeepFirst(2)), msgs, 340, length)
    assert same(other[:1], msgs[:1])
    assert outputs(other)[0] == STUB
    assert other[1] is msgs[1]


def test_newest_named_and_unread_results_stay() -> None:
    msgs = [call("a", name="search"), result("a", output=LONG), Msg.assistant("so"),
            call("b"), result("b", output=LONG), Msg.assistant("well"),
            call("c"), result("c", output=LONG)]  # fmt: skip
    named = ClearToolResults(keep=0, exclude=["search"])
    assert outputs(drive(named, msgs, length(msgs) - 1, length)[0]) == [LONG, STUB, LONG]
    [block] = msgs[1].get_content_blocks()
    block.name = ""  # the call says whose it is
    assert outputs(drive(named, msgs, length(msgs) - 1, length)[0]) == [LONG, STUB, LONG]
    assert outputs(drive(ClearToolResults(keep=2), msgs, length(msgs) - 1, length)[0]) == [
        STUB, LONG, LONG,
    ]  # fmt: skip


def test_what_no_answer_has_followed_stays() -> None:
    def left(*msgs: Msg) -> list[Any]:
        def count(made: list[Msg]) -> int:
            return 9 - outputs(made).count(STUB) if len(made) == len(msgs) else 0

        return outputs(drive(ClearToolResults(keep=0), [*msgs], 8, count)[0])

    read = [call("a"), result("a", output=LONG), Msg.assistant("so")]
    unread = [call("b"), result("b", output=LONG), Q]
    assert left(*read, *unread) == [STUB, LONG]
    inside = Msg.assistant([*call("b").blocks, *result("b", output=LONG).blocks])
    assert STUB not in left(inside, Q)
    assert STUB not in left(result("a", output=LONG), Q), "nobody has answered at all"


def test_what_is_no_longer_than_the_stub_stays() -> None:
    short = "x" * len(STUB)
    msgs = [*turns(1, short), *turns(1, short + "x"), Q]
    chosen, _ = drive(ClearToolResults(keep=0), msgs, length(msgs) - 1, length)
    assert outputs(chosen) == [short, STUB]


def test_as_many_results_as_are_kept_are_not_cleared() -> None:
    msgs = [*turns(2), Q]
    chosen, tried = drive(ClearToolResults(keep=2), msgs, length(msgs) - 1, length)
    assert same(chosen, msgs[2:])
    assert all(STUB not in outputs(made) for made in tried)


def test_pinned_results_stay_even_where_more_must_go() -> None:
    msgs = [*turns(4), Q]
    msgs[1].metadata["pinned"] = True
    chosen, _ = drive(ClearToolResults(keep=0), msgs, 115, length)
    assert same(chosen, [*msgs[:2], Q])


def test_pins_by_id_hold_where_equal_results_are_cleared() -> None:
    again = [call("c"), result("c", output=LONG), Msg.assistant("so")]
    msgs = [Msg.user("Go."), *deepcopy(again), *deepcopy(again), *deepcopy(again), Q]
    assert msgs[2].id == msgs[5].id
    chosen, _ = drive(ClearToolResults(keep=0, pin=[identify(msgs)[5]]), msgs, 115, length)
    assert any(m is msgs[5] for m in chosen)


def test_blocks_and_objects_are_cleared_and_short_results_are_not() -> None:
    long: Any = [{"type": "text", "text": LONG}]
    msgs = [*turns(1, long), *turns(1, {"at": LONG}), *turns(1, "ok"), *turns(1, None), Q]
    chosen, _ = drive(ClearToolResults(keep=0), msgs, 10, lambda ms: 11 - ms.count(Q))
    assert chosen is msgs

    def count(ms: list[Msg]) -> int:
        return 20 - outputs(ms).count(STUB)

    assert outputs(drive(ClearToolResults(keep=0), msgs, 18, count)[0]) == [STUB, STUB, "ok", None]


def test_results_of_one_message_go_one_by_one() -> None:
    msgs = [call("a", "b"), result("a", "b", output=LONG), Msg.assistant("so"), Q]
    chosen, _ = drive(ClearToolResults(keep=0), msgs, length(msgs) - 1, length)
    assert outputs(chosen) == [STUB, LONG]
    chosen, _ = drive(ClearToolResults(keep=1), msgs, length(msgs) - 1, length)
    assert outputs(chosen) == [STUB, LONG]


def test_results_are_cleared_in_steps() -> None:
    msgs = [*turns(9), Q]
    seen = set()
    for less in range(1, 300, 20):
        chosen, _ = drive(ClearToolResults(keep=0, step=3), msgs, length(msgs) - less, length)
        seen.add(outputs(chosen).count(STUB))
    assert seen == {3, 6}


def test_no_results_at_all() -> None:
    msgs = [Msg.user(str(i)) for i in range(5)]
    assert same(drive(ClearToolResults(), msgs, 2, each)[0], msgs[-2:])
    with pytest.raises(ContextOverflow):
        drive(ClearToolResults(), msgs, 0, each)


def test_what_is_still_too_long_can_be_told_in_short() -> None:
    msgs = [*turns(6), Q]
    strategy = ClearToolResults(keep=0, then=Summarize(lambda ms: f"{len(ms)} messages"))
    chosen, _ = drive(strategy, msgs, 120, length)
    assert "messages" in chosen[0].text
    assert isinstance(chosen, Cut)
    assert {one.how for one in chosen.replacements} == {"cleared", "summary"}
    [told] = [one for one in find_replacements(chosen) if one.how == "summary"]
    assert told.msg is chosen[0]
    assert len(told.originals) > 1
    assert same(list(told.originals), msgs[: len(told.originals)]), (
        "what was given, not what was made of it"
    )


def test_a_strategy_that_begins_with_another_list_is_asked_as_well() -> None:
    class Last:
        def candidates(self, msgs: list[Msg], limit: int) -> Any:
            yield msgs[-1:]
            return msgs[-1:]

    assert same(drive(ClearToolResults(then=Last()), [*turns(2), Q], 1, length)[0], [Q])


@pytest.mark.parametrize(
    "wrong",
    [{"keep": -1}, {"keep": 1.5}, {"step": 0}, {"exclude": "search"}, {"stub": " "}, {"stub": 1}],
)  # fmt: skip
def test_options_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        ClearToolResults(**wrong)


def test_it_is_a_value() -> None:
    strategy = ClearToolResults(exclude=["a"], then=DropOldest(step=3))
    assert pickle.loads(pickle.dumps(strategy)) == strategy
    assert hash(strategy) == hash(ClearToolResults(exclude=("a",), then=DropOldest(step=3)))
