"""What steps of a conversion made of messages that a session remembers, one by one.

Each turn of a session is converted as a whole, for what a pass does may depend on later messages.
But some steps look at one message alone: what they made of the messages that are known is kept,
with the losses that they reported, and the next turn gets the same objects, in the same order. No
program gets to see them: a body that was written from them is copied when a program looks at it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from ..losses import Report

_T = TypeVar("_T")
_MOST_TABLES = 8  # four for each target: a fallback needs its own
_MOST_SEEN = 64  # arguments of which it is not known yet that they come again


class StepReport(Report):
    """The report of one step, which knows what the steps before it have made.

    Args:
        outer: The report of the conversion.
    """

    __slots__ = ("_outer",)

    def __init__(self, outer: Report) -> None:
        super().__init__()
        self._outer = outer
        self.called = outer.called

    def source(self, copy: object) -> object:
        """The node of the input from which a node was made.

        Args:
            copy: The node; returned itself if it is in the input.
        """
        return self._outer.source(super().source(copy))

    def origins(self, copy: object) -> Iterator[object]:
        """The node itself, and then everything from which it was made.

        Args:
            copy: The node.
        """
        for node in super().origins(copy):
            yield from self._outer.origins(node)


class _Kept(NamedTuple):
    """What a step made of some messages that follow each other, and what it reported of them."""

    nodes: list[object]  # the messages, so that nothing else gets their identities
    keys: list[Hashable]
    values: list[Any]
    losses: Report
    made: dict[int, object]  # messages in the values, by identity


class StepTable:
    """The results of one step with the same arguments, for the messages of one session.

    Args:
        steps: Where the table is kept.
        context: The arguments, so that nothing else gets their identities.
    """

    __slots__ = ("_context", "_run", "_steps")

    def __init__(self, steps: KnownSteps, context: tuple[object, ...]) -> None:
        self._steps = steps
        self._context = context
        self._run: _Kept | None = None

    def has_made(self, m: object) -> bool:
        """Whether a message is in a result that is kept.

        Args:
            m: The message.
        """
        return self._run is not None and id(m) in self._run.made

    def take(
        self,
        nodes: Sequence[object],
        keys: Sequence[Hashable],
        step: Callable[[int, Report], _T],
        report: Report,
        *,
        is_alone: Callable[[Any], bool] = lambda _: True,
        holds: Callable[[_T], bool] = lambda _: True,
        made: Callable[[_T], Iterable[object]] = lambda _: (),
    ) -> list[_T]:
        """Return what `step(number, report)` gives for messages, up to the last known one in a row.

        Args:
            nodes: The messages.
            keys: What else the results depend on, for each message.
            step: Does the step for the message with this number.
            report: Gets the losses.
            is_alone: Whether the result for a message depends on no other message.
            holds: Whether a result that was kept is right for this conversion.
            made: The messages in a result.
        """
        knows, run, count = self._steps.knows, self._run, len(nodes)
        start = 0
        while start < count and not (knows(nodes[start]) and is_alone(nodes[start])):
            start += 1
        values = [step(n, report) for n in range(start)]
        end = start + (0 if run is None else len(run.keys))
        if (
            run is not None
            and [*map(id, nodes[start:end])] == [*map(id, run.nodes)]
            and keys[start:end] == run.keys
            and all(map(holds, run.values))
        ):
            values += run.values
            replay(run.losses, report)
        else:
            run, end = None, start
        reports: list[Report] = []
        while end < count and knows(nodes[end]) and is_alone(nodes[end]):
            reports.append(trial := StepReport(report))
            try:
                values.append(step(end, trial))
            finally:
                replay(trial, report)
            end += 1
        if reports:
            losses = Report()
            for one in reports if run is None else (run.losses, *reports):
                replay(one, losses)
            new = values[end - len(reports) :]
            self._run = _Kept(
                [*nodes[start:end]],
                [*keys[start:end]],
                values[start:],
                losses,
                ({} if run is None else run.made)
                | {id(one): one for value in new for one in made(value)},
            )
        return values


class KnownSteps:
    """The results of steps for the messages of one session."""

    __slots__ = ("_nodes", "_seen", "_tables")

    def __init__(self) -> None:
        self._nodes: dict[int, object] = {}  # by identity
        self._tables: dict[tuple[Any, ...], StepTable] = {}
        self._seen: set[tuple[Any, ...]] = set()

    @property
    def count(self) -> int:
        """How many messages are known that were read."""
        return len(self._nodes)

    def admit(self, messages: Iterable[object]) -> None:
        """Know some messages, which are never changed from now on.

        Args:
            messages: The messages.
        """
        self._nodes.update((id(m), m) for m in messages)

    def knows(self, m: object) -> bool:
        """Whether a message is known, or a step has made it of known ones.

        Args:
            m: The message.
        """
        return id(m) in self._nodes or any(
            table.has_made(m)
            for table in [*self._tables.values()]  # another thread may add one
        )

    def table(self, step: object, context: tuple[object, ...], report: Report) -> StepTable | None:
        """Return the results of a step; None where nothing is worth being kept.

        Arguments that are other objects in each turn would only cost time. They are known to come
        again when they come for the second time.

        Args:
            step: What names the step.
            context: Everything that its results depend on in all messages, by identity.
            report: The report of the conversion, whose names of issuers are in the losses.
        """
        key = (step, *map(id, context), *report.called.items())
        table = self._tables.get(key)
        if table is None and key in self._seen:
            if len(self._tables) >= _MOST_TABLES:
                self._tables.clear()
            table = self._tables[key] = StepTable(self, context)
        if table is None:
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen.add(key)
        return table


def find_table(report: Report, step: object, *context: object) -> StepTable | None:
    """Return what a step made of known messages; None if none are known, or nothing is kept.

    Args:
        report: The report of the conversion.
        step: What names the step.
        *context: Everything that its results depend on in all messages, by identity.
    """
    steps: KnownSteps | None = report.steps
    return None if steps is None else steps.table(step, context, report)


def replay(losses: Report, report: Report) -> None:
    """Report again what a step has reported.

    Args:
        losses: What the step reported.
        report: Gets it.
    """
    losses._collect()
    if losses._rows:
        if not report.kinds:
            report._messages = tuple(report._messages)
        report._rows += losses._rows
        report.kinds |= losses.kinds
    if originals := losses._made_from:
        report._originals.update(originals)
    if losses._placed:
        report._placed.update(losses._placed)
    if losses.edits:
        report.edits += losses.edits
