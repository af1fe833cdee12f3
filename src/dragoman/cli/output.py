"""The output of commands: JSON, tables of losses, cards of messages, errors and exit codes.

Text from files and providers goes through `plain` before it reaches a terminal. Rich is slow to
import, so that modules use it only through the functions of this module.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from io import TextIOWrapper
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

import typer
from typer.core import TyperGroup

from ..errors import DragomanError, InvalidOutput, LossRefused, ProviderError, WriteError
from ..losses import Loss, by_weight
from ..losses.codes.code import KINDS
from ..message import ChatRequest, Msg, Options, ResponseFormat, Tool, ToolChoice, Usage
from ..text.json_text import Json, JsonObject, arguments

if TYPE_CHECKING:
    from rich.live import Live
    from rich.markdown import Markdown
    from rich.table import Table as Table  # noqa: PLC0414  # the commands name them, too
    from rich.text import Text as Text  # noqa: PLC0414


def laid_out(value: Json, width: int = 96, indent: int = 0, label: str = "") -> str:
    """The JSON text, with no line wider than `width` unless a single text is.

    `label` is put before the value on its first line; one sign may follow it.

    >>> print(laid_out({"role": "user", "content": ["Where is Paris?", "Hm."]}, 40))
    {
      "role": "user",
      "content": ["Where is Paris?", "Hm."]
    }
    """
    line = label + _line(value)
    if not value or not isinstance(value, (dict, list)) or indent + len(line) < width:
        return line
    deeper = indent + 2
    if isinstance(value, dict):
        opening, closing = "{}"
        items = [(f"{_line(key)}: ", item) for key, item in value.items()]
    else:
        opening, closing = "[]"
        items = [("", item) for item in value]
    body = ",\n".join(" " * deeper + laid_out(item, width, deeper, name) for name, item in items)
    return f"{label}{opening}\n{body}\n{' ' * indent}{closing}"


def excerpt(value: Json, width: int = 96, lines: int = 24) -> str:
    """The JSON text like `laid_out`, in at most so many lines; a count replaces the middle."""
    rows = laid_out(value, width).splitlines()
    if len(rows) <= lines:
        return "\n".join(rows)
    head, tail = lines - lines // 3 - 1, lines // 3
    indent = " " * (len(rows[head]) - len(rows[head].lstrip()))
    dots = f"{indent}... {len(rows) - head - tail} more lines"
    return "\n".join([*rows[:head], dots, *rows[-tail:]])


def _line(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # half of a surrogate pair can be shown only as a number
    lone = not text.isascii() and _LONE.search(text)
    return json.dumps(value) if lone else unsteering(text)


# signs that JSON may contain unescaped and terminals obey: C1 controls, and signs that turn the
# direction of text (UAX #9). In JSON they occur only in texts, where an escape means the same
_STEERING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def unsteering(text: str) -> str:
    """JSON text with those signs as escapes, which means the same."""
    return _STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


_REDRAWN = 20  # times in a second that growing text is drawn
NARROW = 60  # columns; a narrower terminal counts as this wide

COLOURS = {
    "dropped": "red",
    "degraded": "yellow",
    "moved": "cyan",
    "repaired": "magenta",
    "added": "green",
    "expected": "dim",
}


# a loss of a whole node of these types has the type as its name
_TYPES = {kind.__name__ for kind in (ChatRequest, Msg, Options, ResponseFormat, Tool, ToolChoice)}


def plain(text: str) -> str:
    """One line of text without control characters, which could control the terminal."""
    return "".join(c if c.isprintable() else _escape_char(c) for c in text)


def _escape_char(char: str) -> str:
    return " " if char in "\r\n\t" else char.encode("unicode_escape").decode("ascii")


def printable(text: str) -> str:
    """Text of several lines without control characters, which could control the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else _escape_char(c) for c in text)


class Screen:
    """The output with colours on a terminal, as wide as it is; 80 columns elsewhere."""

    def __init__(self, stderr: bool = False) -> None:
        from rich.console import Console

        class Piped(Console):
            def on_broken_pipe(self) -> NoReturn:
                raise BrokenPipeError(errno.EPIPE, "nobody reads the output")

        self._console = Piped(stderr=stderr, highlight=False, markup=False, emoji=False)
        self.width = self._console.width = max(self._console.width, NARROW)

    def print(self, *values: object, style: str | None = None) -> None:
        """Print texts and tables, folded to the width of the screen."""
        self._console.print(*values, style=style)

    def live(self, growing: Callable[[], Any]) -> Live:
        """A place at the bottom that is redrawn all the time, and disappears when it stops."""
        from rich.live import Live

        return Live(
            console=self._console,
            get_renderable=growing,
            refresh_per_second=_REDRAWN,
            transient=True,
        )

    @property
    def height(self) -> int:
        """The number of lines of the terminal."""
        return self._console.height

    def line(self, *parts: str | tuple[str, str] | Text, style: str = "", end: str = "\n") -> None:
        """Print one line, however long, so that a file name in it is not broken."""
        self._console.print(style_text(*parts, style=style), end=end, soft_wrap=True)


def style_text(*parts: str | tuple[str, str] | Text, style: str = "") -> Text:
    """A text in a style, of parts that may have styles of their own: (text, style)."""
    from rich.text import Text

    return Text.assemble(*parts, style=style)


def markdown(text: str) -> Markdown:
    """Markdown, laid out; links show their addresses."""
    from rich.markdown import Markdown

    return Markdown(text, hyperlinks=False)


def last_lines(value: Any, count: int) -> Any:
    """A renderable that shows only so many last lines of a value."""
    from rich.segment import Segment

    class Tail:
        def __rich_console__(self, console: Any, given: Any) -> Iterator[Segment]:
            for line in console.render_lines(value, given, pad=False)[-count:]:
                yield from line
                yield Segment.line()

    return Tail()


_COLUMNS: dict[str, dict[str, Any]] = {
    "": {"no_wrap": True},
    "indent": {"no_wrap": True, "min_width": 1},
    "kind": {"no_wrap": True, "min_width": 8},
    "right": {"no_wrap": True, "overflow": "fold", "justify": "right"},
    "fold": {"overflow": "fold"},
}


def grid(
    rows: Iterable[Sequence[str | Text]], *columns: str, heads: Sequence[str] = (), gap: int = 1
) -> Table:
    """A table without lines. Columns stay on one line (aligned `right` if named so) or `fold`."""
    from rich.table import Table

    table = Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, show_header=bool(heads))
    table.header_style = "dim"
    for column, head in zip_longest(columns, heads, fillvalue=""):
        table.add_column(head, **_COLUMNS[column])
    for row in rows:
        table.add_row(*row)
    return table


def json_text(value: Json, lines: bool = False, utf8: bool | None = None) -> str:
    """JSON text with its newline, on one line if `lines`; ASCII if stdout is not UTF-8.

    Half of a surrogate pair, which has no UTF-8 form, also makes it ASCII, which preserves it. No
    sign in the text controls a terminal.
    """
    indent = None if lines else 2
    if utf8 if utf8 is not None else is_utf8():
        text = json.dumps(value, ensure_ascii=False, indent=indent)
        if text.isascii() or not _LONE.search(text):
            return unsteering(text) + "\n"
    return unsteering(json.dumps(value, indent=indent)) + "\n"


_LONE = re.compile("[\ud800-\udfff]")


def is_utf8() -> bool:
    """Whether stdout can encode every character."""
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def print_json(value: Json, lines: bool = False) -> None:
    """Print JSON, on one line if `lines`."""
    sys.stdout.write(json_text(value, lines))


def failure_text(failure: CommandError, losses: Iterable[Loss], lines: bool) -> str:
    """A failure and the refused losses, as JSON text."""
    return json_text({"error": str(failure), "losses": [loss.to_dict() for loss in losses]}, lines)


def print_or_save(texts: Iterable[str], output: str) -> None:
    """Print the texts as they come, or write them to a file; `-` is stdout."""
    if output == "-":
        for text in texts:
            sys.stdout.write(text)
    else:
        # a file beside it first, so that a failure leaves the output file unchanged
        part = Path(f"{output}.part")
        try:
            with part.open("w", encoding="utf-8") as file:
                file.writelines(texts)
            part.replace(output)
        except OSError as error:
            if error.filename == str(part):
                error.filename = output  # the name that the user gave
            raise
        finally:
            part.unlink(missing_ok=True)


def show_losses(place: str, target: str, losses: Sequence[Loss]) -> None:
    """Show on stderr the losses of writing a value for a wire."""
    screen = Screen(stderr=True)
    screen.line(f"{plain(place)} for {target} - {count_losses(losses)}", style="bold")
    screen.print(loss_table(losses))


def count_losses(losses: Sequence[Loss]) -> str:
    """`losses: 2 dropped, 1 added`, or `no losses`."""
    if not losses:
        return "no losses"
    kinds = Counter(loss.kind for loss in losses)
    return f"losses: {', '.join(f'{kinds[kind]} {kind}' for kind in KINDS if kinds[kind])}"


def group_losses(losses: Sequence[Loss]) -> dict[tuple[str, str], list[Loss]]:
    """Losses by kind and code, the most important first."""
    groups: dict[tuple[str, str], list[Loss]] = {}
    for loss in by_weight(losses):
        groups.setdefault((loss.kind, loss.code), []).append(loss)
    return groups


def loss_table(losses: Sequence[Loss], meanings: bool = True) -> Table:
    """For each code its kind and meaning, every place where it occurred, and the rule."""
    return grid(_loss_rows(losses, meanings), "", "fold")


def _loss_rows(losses: Sequence[Loss], meanings: bool) -> Iterator[tuple[Text, Text]]:
    blank = style_text()
    for (kind, code), group in group_losses(losses).items():
        meaning = f": {group[0].meaning}" if meanings else ""
        yield style_text(kind, style=COLOURS[kind]), style_text((code, "bold"), meaning)
        yield from ((blank, style_text(_place(loss))) for loss in group)
        for rule in dict.fromkeys(loss.rule for loss in group if loss.rule):
            yield blank, style_text(plain(f"rule: {rule}"), style="dim")


def _place(loss: Loss) -> str:
    details = ["" if loss.what in _TYPES else loss.what, f"-> {loss.did}" if loss.did else ""]
    return plain(f"{loss.where}  {' '.join(filter(None, details))}".rstrip())


_LONGEST = 800  # characters of an error message, which may quote input

REFUSED, USAGE, BUG, INTERRUPTED, CLOSED = 1, 2, 70, 130, 141


# Typer brings the classes of Click, in some releases inside itself; the base of a class that it
# exports is the right one in all of them.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


class CommandError(Exception):
    """Ends a command: what is wrong, what to do about it, and the exit code."""

    def __init__(self, message: str, hint: str = "", code: int = USAGE) -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.code = code

    @classmethod
    def of(cls, error: DragomanError, place: str, hint: str = "", code: int = USAGE) -> Self:
        """The error of the library, with the file (and line) that it is about."""
        names_places = isinstance(error, LossRefused)
        where = f"{place}: {error.path}" if error.path and not names_places else place
        return cls(f"{where}: {error.message}", hint or error.hint, code)

    @classmethod
    def from_refusal(cls, error: WriteError, place: str) -> Self:
        """A refusal with the file (and line) that it is about, and the options that allow it."""
        hint = ""
        if isinstance(error, LossRefused):
            codes = dict.fromkeys(loss.code for loss in error.losses)
            hint = f"{' '.join(f'--allow {code}' for code in codes)} lets it pass"
        return cls.of(error, place, hint, REFUSED)


def provider_text(place: str, error: ProviderError, status: int | None = None) -> str:
    """A provider's error instead of an answer, with the status of HTTP if it is known."""
    code = error.status or status
    return f"{place}: the provider says{f' {code}' if code else ''}: {error.message}"


def format_error(error: DragomanError) -> str:
    """The error of the library, with its type before the message."""
    return f"{type(error).__name__}: {error}"


def usage_text(usage: Usage) -> str:
    """The tokens of an answer that the provider reported: `9 input, 4 output`."""
    figures = {name: getattr(usage, name) for name in _FIGURES}
    told = [
        f"{figure} {name.replace('_', ' ')}"
        for name, figure in figures.items()
        if figure is not None
    ]
    return ", ".join(told) or "no tokens told"


_FIGURES = (
    "input",
    "cache_read",
    "cache_write",
    "output",
    "reasoning",
    "audio_in",
    "audio_out",
    "total",
)


@contextmanager
def errors_at(place: str, hint: str = "") -> Iterator[None]:
    """Raise errors of the library as CommandError, with the file or line that they are about."""
    try:
        yield
    except DragomanError as error:
        raise CommandError.of(error, place, hint) from error


def require_libraries(extra: str, *libraries: str) -> None:
    """Raise CommandError if a library of an extra is not installed, before it is imported."""
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        text = f"this command needs {' and '.join(missing)}"
        raise CommandError(text, f'pip install "dragoman[{extra}]"')


class Door(TyperGroup):
    """The group of all commands; it turns every error into a message and an exit code."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command line and leave with its exit code."""
        extra["standalone_mode"] = False
        if not is_utf8() and isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # `?` for what it cannot encode
        try:
            code = super().main(*args, **extra)
        except typer.Abort:
            code = INTERRUPTED
        except _UsageError as error:
            code = report(_usage(error), USAGE)
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            value = super().invoke(ctx)
            sys.stdout.flush()
        except (typer.Exit, typer.Abort, _UsageError):
            raise
        except Exception as error:  # noqa: BLE001  # users get a message, not a traceback
            raise typer.Exit(_exit_code(error, debug=bool(ctx.obj))) from None
        return value


def _exit_code(error: Exception, debug: bool) -> int:
    """Report an error; returns its exit code."""
    if isinstance(error, OSError) and error.errno in (errno.EPIPE, errno.ESHUTDOWN):
        _abandon_stdout()
        return CLOSED
    if debug:
        traceback.print_exception(error)
    match error:
        case CommandError(code=code):
            return report(str(error), code)
        case ProviderError() | InvalidOutput():
            return report(format_error(error), REFUSED)
        case WriteError():
            return report(str(error), REFUSED)
        case DragomanError():
            return report(str(error), USAGE)
        case OSError(filename=str(name), strerror=str(text)):
            return report(f"{name}: {text}", USAGE)
        case _:
            text = f"a mistake in dragoman, {type(error).__name__}: {error}"
            return report(text if debug else f"{text} (`dragoman --debug` shows where)", BUG)


def _usage(error: Any) -> str:
    text = str(error.format_message()).rstrip(".")
    ctx = getattr(error, "ctx", None)
    return f"{text} (see `{ctx.command_path} --help`)" if ctx is not None else text


def report(text: str, code: int) -> int:
    """Report an error on stderr; returns its exit code."""
    sys.stdout.flush()
    excerpted = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    sys.stderr.write(f"error: {plain(excerpted)}\n")
    return code


def _abandon_stdout() -> None:
    """Redirect the interpreter's last flush to the null device, so that it cannot fail."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


_TALL = 8  # lines of one text in a card

_LONG = 3  # lines that one line of text may be folded to

_INPUTS = ("arguments", "args", "input")


def read_role(message: JsonObject) -> str:
    """The role of a message, in the wire's own word; empty for an item without one."""
    return str(message.get("role") or "")


def card(message: JsonObject, width: int) -> list[Text]:
    """The lines of a message without its role, each at most `width` columns wide."""
    fields = {key: value for key, value in message.items() if key != "role"}
    return [line for row in _rows(fields, "", "") for line in row.lines(width)]


@dataclass(slots=True)
class _Row:
    """A label (the path) and a text, after an indent."""

    indent: str
    label: str
    text: str
    style: str = ""

    def lines(self, width: int) -> list[Text]:
        """The lines: the text beside its label if there is room, else below it."""
        width -= len(self.indent)
        texts = self.text.splitlines()
        if len(texts) > _TALL:
            texts[_TALL - 2 : -1] = [f"... {len(texts) - _TALL + 1} more lines"]
        below = [style_text(plain(text), style=self.style) for text in texts]
        label = style_text(self.label, style="dim")
        if not self.label:
            folded = [shorten_text(text, width, _LONG) for text in below]
        elif len(below) == 1 and not (
            label.cell_len + 1 + below[0].cell_len > width >= below[0].cell_len
        ):
            folded = [shorten_text(style_text(label, " ", below[0]), width, _LONG)]
        else:  # a text may fit on a line, but not beside its label
            folded = [
                shorten_text(label, width, _LONG),
                *(shorten_text(t, width, 1) for t in below),
            ]
        return [style_text(self.indent, line) for lines in folded for line in lines]


def shorten_text(text: Text, width: int, lines: int) -> list[Text]:
    """The text on at most so many lines; an ellipsis if it is cut."""
    from rich.console import Console

    if lines == 1:
        return [_cut(text, width)]
    folded = list(text.wrap(Console(width=width), width, overflow="fold"))
    if len(folded) > lines:
        folded[lines - 1].append(" " * width)
    return [_cut(line, width) for line in folded[:lines]]


def _cut(text: Text, width: int) -> Text:
    if text.cell_len > width:
        text.truncate(width - 1, overflow="crop")
        text.rstrip()
        text.append("…")
    text.rstrip()
    return text


def _rows(value: Json, label: str, indent: str) -> list[_Row]:
    match value:
        case dict():
            return _object(value, label, indent)
        case [_, *_]:
            items = enumerate(value)
            return [row for i, item in items for row in _rows(item, f"{label}[{i}]", indent)]
        case str():
            return [_Row(indent, label, value or '""')]
        case _:
            return [_Row(indent, label, arguments(value))]


def _object(value: JsonObject, label: str, indent: str) -> list[_Row]:
    """A head with the names and ids, and the other fields below it."""
    head = {key: item for key, item in value.items() if _is_short(key, item)}
    fields = {key: item for key, item in value.items() if key not in head}
    kind = head.pop("type", "")
    call = next((key for key in _INPUTS if key in fields), None) if "name" in head else None
    name = head.pop("name") if call is not None else ""
    texts = [f"{key}={item}" for key, item in head.items()]
    if kind and not isinstance(value.get(kind), str):
        texts.insert(0, kind)
    rows: list[_Row] = []
    if texts:
        rows.append(_Row(indent, " ".join([label, *texts] if label else texts), ""))
        label, indent = "", f"{indent}  " if label else indent
    if call is not None:
        text = f"'{input}'" if isinstance(input := fields.pop(call), str) else arguments(input)
        rows.append(_Row(indent, label, f"{name} {text}", "yellow"))
    for key, item in fields.items():
        path = f"{label}.{key}" if label else key
        # {"type": "function", "function": {...}}: the head shows it already
        rows += _rows(item, "" if key == kind and isinstance(item, dict) else path, indent)
    return rows or [_Row(indent, label, "{}")]


def _is_short(key: str, value: Any) -> bool:
    is_name = key in ("type", "name", "tool_name", "id") or key.endswith(("_id", "Id"))
    return is_name and isinstance(value, str) and 0 < len(value) <= 40
