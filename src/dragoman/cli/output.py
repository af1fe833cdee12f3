"""What the commands print on: consoles, JSON text, and losses as a person reads them.

Everything that comes from somebody's messages is printed as plain text: no markup, no escapes.
"""

from __future__ import annotations

import errno
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ..codes import KINDS
from ..jsontext import Json
from ..losses import Loss
from ..message import ChatRequest, Msg, Options, ResponseFormat, Tool, ToolChoice

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = [
    "COLOURS",
    "NARROW",
    "console",
    "counted",
    "json_text",
    "loss_table",
    "plain",
    "printable",
    "say",
    "say_or_save",
    "tell",
]

NARROW = 60  # below this width nothing is arranged any more
COLOURS = {
    "dropped": "red",
    "degraded": "yellow",
    "moved": "cyan",
    "repaired": "magenta",
    "added": "green",
    "expected": "dim",
}

# a loss that concerns the whole of such a node is named after it
_TYPES = {kind.__name__ for kind in (ChatRequest, Msg, Options, ResponseFormat, Tool, ToolChoice)}


def plain(text: str) -> str:
    """One line of text without control characters, which might steer the terminal."""
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(char: str) -> str:
    return " " if char in "\r\n\t" else char.encode("unicode_escape").decode("ascii")


def console(stderr: bool = False) -> Console:
    """A console: colours on a terminal only, as wide as it is, 80 columns elsewhere."""
    from rich.console import Console

    class Screen(Console):
        def on_broken_pipe(self) -> NoReturn:
            raise BrokenPipeError(errno.EPIPE, "nobody reads the output")

    made = Screen(stderr=stderr, highlight=False, markup=False, emoji=False)
    made.width = max(made.width, NARROW)
    return made


def json_text(value: Json, lines: bool = False) -> str:
    """JSON text with its newline, on one line if `lines`; ASCII where stdout is not UTF-8."""
    return json.dumps(value, ensure_ascii=not _is_utf8(), indent=None if lines else 2) + "\n"


def printable() -> None:
    """Let a stdout that is not UTF-8 show `?` for what it has no sign for, and not fail."""
    if not _is_utf8() and isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def say(text: str) -> None:
    """Print text to stdout as it is."""
    sys.stdout.write(text)


def say_or_save(texts: Iterable[str], output: str) -> None:
    """Print the texts as they come, or write them to a file; `-` is stdout."""
    if output == "-":
        for text in texts:
            say(text)
    else:
        # all of it first: what fails half-way leaves the file as it was
        Path(output).write_text("".join(texts), "utf-8")


def tell(place: str, target: str, losses: Sequence[Loss]) -> None:
    """Tell on stderr what was lost on the way from a place to a wire."""
    screen = console(stderr=True)
    head = f"{plain(place)} for {target} - {counted(losses)}"
    screen.print(head, style="bold", soft_wrap=True)  # a file name stays in one piece
    screen.print(loss_table(losses))


def counted(losses: Sequence[Loss]) -> str:
    """`losses: 2 dropped, 1 added`, or `no losses`."""
    if not losses:
        return "no losses"
    kinds = Counter(loss.kind for loss in losses)
    listed = ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind])
    return f"losses: {listed}"


def grouped(losses: Sequence[Loss]) -> dict[tuple[str, str], list[Loss]]:
    """Losses by kind and code, the gravest kind first."""
    groups: dict[tuple[str, str], list[Loss]] = {}
    for loss in sorted(losses, key=lambda loss: KINDS.index(loss.kind)):
        groups.setdefault((loss.kind, loss.code), []).append(loss)
    return groups


def loss_table(losses: Sequence[Loss], meanings: bool = True) -> Table:
    """A row for each code: its kind and meaning, every place where it happened, and the rule."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for (kind, code), found in grouped(losses).items():
        title = Text(code, "bold")
        if meanings:
            title.append(f": {found[0].meaning}", "not bold")
        table.add_row(Text(kind, COLOURS[kind]), title)
        for loss in found:
            table.add_row("", Text(_place(loss)))
        for rule in dict.fromkeys(loss.rule for loss in found if loss.rule):
            table.add_row("", Text(plain(f"rule: {rule}"), "dim"))
    return table


def _place(loss: Loss) -> str:
    what = "" if loss.what in _TYPES else loss.what
    said = [what, f"-> {loss.did}" if loss.did else ""]
    return plain(f"{loss.where}  {' '.join(filter(None, said))}".rstrip())
