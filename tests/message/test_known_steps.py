"""What a step made of known messages is kept, with its losses, and nothing else is."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from dragoman.losses import Report
from dragoman.message import Msg
from dragoman.message.known_steps import KnownSteps, find_table

CODE = "extras.other_provider"


def table_of(steps: KnownSteps | None, step: Any, *context: Any, **called: str) -> Any:
    report = Report()
    report.steps, report.called = steps, called
    return find_table(report, step, *context)


class Numbering:
    """A step that numbers its runs, makes a copy of each message, and reports three things."""

    def __init__(self, steps: KnownSteps, **rest: Any) -> None:
        self.steps, self.rest = steps, rest
        table_of(steps, "step")
        self.numbers = count()

    def run(self, msgs: list[Msg], keys: list[Any] | None = None) -> tuple[list[Any], Report]:
        report = Report(msgs)

        def step(number: int, report: Report) -> tuple[int, Msg]:
            m = msgs[number]
            copy = report.record_copy(Msg("", m.text, "user"), m)
            report.add_loss(CODE, copy, what=m.text)
            report.add_losses("name.unsupported", [(m, "name", m.text)])
            report.note_edit("the step", m)
            return next(self.numbers), copy

        table = table_of(self.steps, "step")
        assert table is not None
        keys = keys or [None] * len(msgs)
        rows = table.take(msgs, keys, step, report, made=lambda row: row[1:], **self.rest)
        return rows, report


def messages(texts: str) -> list[Msg]:
    return [Msg("", text, "user") for text in texts]


def said(report: Report) -> list[Any]:
    losses = [(loss.code, loss.what) for loss in report.losses]
    return [sorted(losses), sorted(report.kinds), [node.text for _, node, _ in report.edits]]  # type: ignore[attr-defined]


def test_a_step_runs_once_for_each_known_message() -> None:
    msgs, steps = messages("abcd"), KnownSteps()
    steps.admit(msgs[:2])
    one = Numbering(steps)
    first, _ = one.run(msgs[:3])
    assert [row[0] for row in first] == [0, 1], "the third is not known"
    steps.admit(msgs)
    again, report = one.run(msgs)
    assert again[:2] == first
    assert again[1][1] is first[1][1]
    assert [row[0] for row in again] == [0, 1, 2, 3]
    fresh = KnownSteps()
    fresh.admit(msgs)
    assert said(report) == said(Numbering(fresh).run(msgs)[1])
    assert len(report.losses) == 8
    assert said(report)[2] == [*"abcd"]
    assert [report.source(row[1]) for row in again] == msgs
    assert steps.knows(again[3][1]), "what a step made is known to the next one"
    assert not steps.knows(Msg("", "a", "user"))


@pytest.mark.parametrize("other", ["xbcd", "acbd", "bcd"])
def test_another_history_is_done_anew(other: str) -> None:
    msgs = dict(zip("abcdx", messages("abcdx"), strict=True))
    steps = KnownSteps()
    steps.admit(msgs.values())
    one = Numbering(steps)
    one.run([msgs[text] for text in "abcd"])
    rows, report = one.run([msgs[text] for text in other])
    assert [row[0] for row in rows] == [*range(4, 4 + len(other))]
    assert [loss.what for loss in report.losses if loss.code == CODE] == [*other]


def test_equal_messages_are_not_the_same() -> None:
    msgs, twins, steps = messages("ab"), messages("ab"), KnownSteps()
    steps.admit([*msgs, *twins])
    one = Numbering(steps)
    one.run(msgs)
    assert [row[0] for row in one.run(twins)[0]] == [2, 3]


def test_a_key_that_differs_runs_the_step_anew() -> None:
    msgs, steps = messages("ab"), KnownSteps()
    steps.admit(msgs)
    one = Numbering(steps)
    one.run(msgs, [1, 2])
    assert [row[0] for row in one.run(msgs, [1, 2])[0]] == [0, 1]
    assert [row[0] for row in one.run(msgs, [1, 3])[0]] == [2, 3]


def test_what_depends_on_others_is_not_kept() -> None:
    msgs, steps = messages("abc"), KnownSteps()
    steps.admit(msgs)
    one = Numbering(steps, is_alone=lambda m: m.text != "b")
    assert len(one.run(msgs)[0]) == 1
    last = Numbering(steps, is_alone=lambda m: m.text != "a")
    assert [row[0] for row in last.run(msgs)[0]] == [0, 1, 2]
    assert [row[0] for row in last.run(msgs)[0]] == [3, 1, 2]
    right = Numbering(steps, holds=lambda row: row[0] < 0)
    right.run(msgs)
    assert [row[0] for row in right.run(msgs)[0]] == [3, 4, 5]


def test_what_is_reported_before_a_fault_is_reported() -> None:
    msgs, steps, report = messages("a"), KnownSteps(), Report()
    steps.admit(msgs)

    def fail(_: int, report: Report) -> None:
        report.add_loss(CODE, msgs[0])
        raise KeyError

    table_of(steps, fail)
    for _ in range(2):
        with pytest.raises(KeyError):
            table_of(steps, fail).take(msgs, [None], fail, report)
    assert len(report.losses) == 2


def test_other_arguments_have_results_of_their_own() -> None:
    """And none for arguments that do not come again."""
    assert table_of(None, "step") is None
    steps, first, second = KnownSteps(), [1], [1]
    for context, called in (([first], {}), ([second], {}), ([first], {"openai": "azure"})):
        assert table_of(steps, "step", *context, **called) is None
    tables = [table_of(steps, "step", first), table_of(steps, "step", second),
              table_of(steps, "step", first, openai="azure")]  # fmt: skip
    assert None not in tables
    assert len({*map(id, tables)}) == 3
    assert table_of(steps, "step", first) is tables[0]
