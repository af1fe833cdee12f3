"""Histories that change: which role a message has, what is unusual, what is known of the whole."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from dragoman.history.passes.survey import (
    ASSISTANT,
    BLANK,
    CUT,
    FOLLOWING,
    GONE,
    MEDIA,
    NAMED,
    ODD,
    PAIRS,
    PARALLEL,
    USER,
    RoledHistory,
    checked_messages,
    survey,
)
from dragoman.losses import Report
from dragoman.message import (
    CacheHint,
    Msg,
    Origin,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    places,
)

from .test_survey import CALL, FLAGS, RESULT

MSGS = [Msg.user(str(n)) for n in range(5)]
NEW = [(Msg.assistant("new"), ASSISTANT), (Msg.user("newer"), USER)]


def seated(dirty: list[int]) -> RoledHistory:
    return RoledHistory([*MSGS], [USER] * 5, 8, dirty, ["c"], ["r"], ["f"])


@pytest.mark.parametrize("counts", [*product((None, 0, 1, 2), repeat=3)])
@pytest.mark.parametrize("dirty", [[], [0], [1, 3], [0, 2, 4], [0, 1, 2, 3, 4]])
def test_splicing(dirty: list[int], counts: tuple[int | None, ...]) -> None:
    """`counts`: by how many the messages 1, 2 and 4 are replaced."""
    wanted = zip((1, 2, 4), counts, strict=True)
    changes = {at: NEW[:count] for at, count in wanted if count is not None}
    before = seated(dirty)
    made = before.with_changes(changes)
    rows: list[tuple[Msg, int, bool]] = []
    for i, m in enumerate(MSGS):
        if i in changes:
            rows += [(new, seat, True) for new, seat in changes[i]]
        else:
            rows.append((m, USER, i in dirty))
    assert [*zip(made.msgs, made.roles, map(bool, made.marks()), strict=True)] == rows
    assert all(new is old for new, (old, _, _) in zip(made.msgs, rows, strict=True))
    assert made.unusual == sorted({*made.unusual})
    assert made.flags & 8
    assert bool(made.flags & GONE) == (0 in counts), "neighbours may have met"
    assert (made.calls, made.results, made.names) == (["c"], ["r"], ["f"])
    assert (before.msgs, before.unusual) == (MSGS, dirty)


STAY = BLANK | CUT | FOLLOWING | MEDIA | NAMED | ODD | PAIRS | PARALLEL
CUT_OFF: list[Any] = [
    ([Msg.assistant([ToolUseBlock("c", "f", {}, unfinished=True)]), RESULT], CUT, []),
    ([Msg.assistant([TextBlock("x"), ToolUseBlock("c", "f", {}, unfinished=True)]), RESULT], CUT,
     []),
]  # fmt: skip


def test_what_is_found_in_one_place_stays_found() -> None:
    rows = [*FLAGS, *CUT_OFF]
    closed = [row for row in rows if row[0][-1] is not CALL and not row[1] & PAIRS]
    for (first, flags, dirty), (then, more, later) in product(closed, rows):
        at = len(first) + 1
        made = survey([*first, Msg.user("between"), *then], Report())
        assert made.flags & STAY == (flags | more) & STAY, (first, then)
        assert made.unusual == [*dirty, *(at + i for i in later)]


def test_messages_that_are_swapped_for_others_as_plain() -> None:
    new = Msg.user("new")
    made = seated([1]).with_messages({3: new, 0: new})
    assert [m.text for m in made.msgs] == ["new", "1", "2", "new", "4"]
    assert (made.roles, made.unusual, made.flags) == ([USER] * 5, [1], 8)
    assert (made.calls, made.results, made.names) == (["c"], ["r"], ["f"])


def test_a_checked_message_keeps_what_is_right_and_is_found_where_it_stood() -> None:
    origin = Origin("acme", "m")
    plain: Any = {"type": "text", "text": "x"}
    msg = Msg("Bob", [TextBlock("y")], "assistant", cache=CacheHint(), extras={"acme": {"a": 1}},
              origin=origin)  # fmt: skip
    msg.content = [*msg.blocks, plain]
    msgs = [Msg.user("x"), msg]
    report = Report(msgs, None, places)
    same, made = checked_messages(msgs, report)
    assert same == msgs[0]
    assert (made.name, made.role, made.origin, made.cache, made.extras) == (
        "Bob", "assistant", origin, CacheHint(), {"acme": {"a": 1}})  # fmt: skip
    assert made.timestamp == msg.timestamp
    assert [type(block) for block in made.blocks] == [TextBlock] * len(made.blocks)
    assert report.locate(made) == "$.messages[1]"


def test_what_need_not_be_cut_stays_the_very_message() -> None:
    calls, words = [ToolUseBlock("c", "f", {}), ToolUseBlock("d", "f", {})], TextBlock("x")
    msgs = [
        Msg("", [words], "tool"), Msg.assistant(calls[:1]), Msg("", results("c"), "user"),
        Msg("", [words, words], "user"), Msg("", results("e", "f"), "system"),
        Msg("", [calls[1], *results("d")], "assistant"), Msg.user("end"),
    ]  # fmt: skip
    report = Report(msgs, None, places)
    made = survey(msgs, report)
    assert [m.role for m in made.msgs[5:]] == ["assistant", "tool", "user"]
    assert all(new is old for new, old in zip(made.msgs, msgs[:5], strict=False))
    assert made.msgs[-1] is msgs[-1]
    assert report.losses == []


@pytest.mark.parametrize("odd", [
    TextBlock("y", cache=CacheHint()), TextBlock("y", extras={"a": {}}), TextBlock("y", []),
    TextBlock(""), TextBlock(" "),
])  # fmt: skip
def test_a_result_of_texts_that_are_not_plain_is_looked_at(odd: TextBlock) -> None:
    for last, dirty in ((odd, [1]), (TextBlock("y"), [])):
        result = ToolResultBlock("c", "f", [TextBlock("x"), last])
        msgs = [Msg.assistant([ToolUseBlock("c", "f", {})]), Msg("", [result], "tool")]
        assert survey(msgs, Report()).unusual == dirty


@pytest.mark.parametrize(("odd", "dirty"), [
    (TextBlock("y"), []), (TextBlock(""), []), (TextBlock(" "), [1]), (TextBlock("y", []), [1]),
    (TextBlock("y", cache=CacheHint()), [1]), (TextBlock("y", extras={"a": {}}), [1]),
])  # fmt: skip
def test_results_of_one_text_side_by_side(odd: TextBlock, dirty: list[int]) -> None:
    calls = [ToolUseBlock(id, "f", {}) for id in "cd"]
    answers = [*results("c"), ToolResultBlock("d", "f", [odd])]
    made = survey([Msg.assistant([*calls]), Msg("", [*answers], "tool")], Report())
    assert made.unusual == dirty
    calls[1].cache = CacheHint()
    made = survey([Msg.assistant([*calls]), Msg("", [*answers], "tool")], Report())
    assert made.unusual == [0, *dirty]


def test_a_call_that_the_user_says_is_the_assistants() -> None:
    msgs = [Msg("", [ToolUseBlock("c", "f", {})], "user"), Msg("", results("c"), "tool")]
    report = Report(msgs, None, places)
    assert [m.role for m in survey(msgs, report).msgs] == ["assistant", "tool"]
    assert [loss.code for loss in report.losses] == ["call.role"]


def results(*ids: str) -> list[Any]:
    return [ToolResultBlock(id, "f", "x") for id in ids]


def test_pieces_of_a_cut_message_stand_where_it_stood() -> None:
    call = ToolUseBlock("c", "f", {})
    msgs = [Msg.user("x"), Msg("Bob", [TextBlock("y"), call], "user", extras={"acme": {"a": 1}})]
    report = Report(msgs, None, places)
    _, said, called = survey(msgs, report).msgs
    assert [(m.name, m.role, m.extras) for m in (said, called)] == [
        ("Bob", "user", {"acme": {"a": 1}}), ("Bob", "assistant", {"acme": {"a": 1}})]  # fmt: skip
    assert report.locate(said) == report.locate(called) == "$.messages[1]"
    assert [(loss.code, loss.where, loss.did) for loss in report.losses] == [
        ("call.role", "$.messages[1]", "said by the assistant")]  # fmt: skip
