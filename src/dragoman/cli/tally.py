"""How often each loss came, where many bodies were converted and nobody wants to read them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..codes import CODES, KINDS
from ..losses import Loss
from .output import COLOURS, console, plain

__all__ = ["Tally"]


class Tally:
    """Counts losses by kind and code, and the bodies in which there are any."""

    def __init__(self) -> None:
        self.bodies = 0
        self.touched = 0
        self.codes: Counter[tuple[str, str]] = Counter()

    def add(self, losses: Iterable[Loss]) -> None:
        """Count one body."""
        found = [(loss.kind, loss.code) for loss in losses]
        self.bodies += 1
        self.touched += bool(found)
        self.codes.update(found)

    def tell(self, place: str, target: str) -> None:
        """Tell the sums on stderr, the gravest kind first; nothing where there was no loss."""
        from rich.table import Table
        from rich.text import Text

        if not self.codes:
            return
        screen = console(stderr=True)
        head = f"{plain(place)} for {target} - losses in {self.touched} of {self.bodies}"
        screen.print(head, style="bold", soft_wrap=True)
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(no_wrap=True, justify="right")
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for (kind, code), count in self._ranked():
            said = Text(code, "bold").append(f": {CODES[code].meaning}", "not bold")
            table.add_row(str(count), Text(kind, COLOURS[kind]), said)
        screen.print(table)

    def _ranked(self) -> list[tuple[tuple[str, str], int]]:
        order = list(KINDS)
        return sorted(self.codes.items(), key=lambda row: (order.index(row[0][0]), -row[1]))  # type: ignore[arg-type]
