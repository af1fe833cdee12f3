"""RecordReport: the losses of a body inside of a record, with their paths in the record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...errors import DragomanError
from ...losses import Loss, Report
from ...losses.report import Places

# (path in what was read, path in the record)
Moves: TypeAlias = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, eq=False)
class RecordPlace:
    """Something in a record that is no node of its messages.

    Attributes:
        path: Its path in the record.
    """

    path: str


class RecordReport(Report):
    """Collects losses, and gives their paths in the record.

    Args:
        messages: The messages that are written.
        source: The request or the answer that is written.
        places: Walks the source and yields (path, node).
        target: The name of the wire or of the form.
        moves: Where the parts of what was read are in the record.
    """

    __slots__ = ("moves",)

    def __init__(
        self, messages: Sequence[Any], source: Any, places: Places, target: str, moves: Moves
    ) -> None:
        super().__init__(messages, source, places, target)
        self.moves = moves

    def locate(self, node: object, ordinal: int = 0, field: str = "") -> str:
        """The path of a node's field in the record."""
        if type(node) is RecordPlace:
            return node.path
        return place_in_record(super().locate(node, ordinal, field), self.moves)


def place_in_record(path: str, moves: Moves) -> str:
    """The path in the record of what has a path in a body that was made of it.

    >>> place_in_record("$.messages[1].content", [("$", "$.request")])
    '$.request.messages[1].content'
    """
    for before, after in moves:
        if path.startswith(before) and path[len(before) : len(before) + 1] in ("", ".", "["):
            return after + path[len(before) :]
    return path


def move_losses(losses: Iterable[Loss], target: str, moves: Moves) -> Report:
    """A report of losses that were found elsewhere, with their paths in the record."""
    return Report.of([loss.detach(place_in_record(loss.where, moves)) for loss in losses], target)


@contextmanager
def errors_in_record(moves: Moves) -> Iterator[None]:
    """Give errors their paths in the record; those of a RecordReport have them already."""
    try:
        yield
    except DragomanError as error:
        if not any(error.path == after or error.path.startswith(f"{after}.") for _, after in moves):
            error.path = place_in_record(error.path or "$", moves)
        raise
