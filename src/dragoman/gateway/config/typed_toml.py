"""Typed reading of a TOML file that reports every fault with its line.

This module knows nothing of gateways. A `Table` takes values by their names; a reader is a function
that returns the value or raises ConfigError, with a path into it. Faults are collected in the
`FaultReport`, and reading continues. The parser of the standard library gives no line numbers for
well-formed TOML: `find_lines` does.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from math import isfinite
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from ...errors import ConfigError
from ...suggestions.keywords import nearest
from ...text.redaction import mask, shorten_path, show

T = TypeVar("T")
Place: TypeAlias = tuple[str | int, ...]  # ("routes", 0, "to")

# an error: the file cannot be used. unset: a variable is missing, so that a gateway cannot start,
# although the file is right. warning: everything works
Level: TypeAlias = Literal["error", "unset", "warning"]


@dataclass(frozen=True, slots=True)
class ConfigFault:
    """A fault at a path of the file, its line if it has one, and a hint what to do about it."""

    path: str
    message: str
    hint: str = ""
    line: int | None = None
    level: Level = "error"

    def format_line(self, name: str) -> str:
        """One line: `gateway.toml:12: $.routes[0].to: ... (what to do)`."""
        where = name if self.line is None else f"{name}:{self.line}"
        path = f"{shorten_path(self.path)}: " if self.path not in ("", "$") else ""
        text = f"{where}: {path}{mask(self.message)}"
        return f"{text} ({mask(self.hint)})" if self.hint else text


@dataclass(slots=True)
class FaultReport:
    """All faults of one file."""

    lines: Mapping[Place, int] = field(default_factory=dict)
    faults: list[ConfigFault] = field(default_factory=list)

    def add(
        self, place: Place, message: str, hint: str = "", level: Level = "error", below: str = ""
    ) -> None:
        """Add a fault; `below` is the rest of its path as JSONPath: `.options.seed`."""
        line = next(
            (self.lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in self.lines),
            None,
        )
        self.faults.append(ConfigFault(json_path(place) + below, message, hint, line, level))


def json_path(place: Place) -> str:
    """The place in the form that paths in errors have: `$.routes[0].to`."""
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)


class Table:
    """A table of the file. A key that was not taken when the table is closed is unknown."""

    def __init__(self, values: Mapping[str, Any], place: Place, report: FaultReport) -> None:
        self.values = values
        self.place = place
        self.report = report
        self._known: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def take(self, name: str, read: Callable[[Any], T], default: T) -> T:
        """The value as `read` returns it; the default if it is missing or wrong."""
        self._known.append(name)
        if name not in self.values:
            return default
        return self._read(self.values[name], read, default, (*self.place, name))

    def take_each(self, name: str, read: Callable[[Any], T]) -> tuple[T, ...]:
        """The values of a list, each by `read`; a single value counts as a list of one."""
        self._known.append(name)
        value = self.values.get(name, ())
        if not isinstance(value, (list, tuple)):
            value = (value,)
        missing: Any = object()
        read_values = (
            self._read(item, read, missing, (*self.place, name, i)) for i, item in enumerate(value)
        )
        return tuple(item for item in read_values if item is not missing)

    def take_some(
        self, name: str, read: Callable[[Any], T], default: tuple[T, ...], hint: str
    ) -> tuple[T, ...]:
        """Like `take_each`, but an empty list is a fault, as it does not mean all."""
        items = self.take_each(name, read)
        if name in self.values and self.values[name] in ([], ()):
            self.report.add((*self.place, name), "is an empty list", hint)
        return items or default

    def _read(self, value: Any, read: Callable[[Any], T], default: T, place: Place) -> T:
        try:
            return read(value)
        except ConfigError as error:
            self.report.add(place, error.message, error.hint, below=error.path.removeprefix("$"))
            return default

    def table(self, name: str) -> Table | None:
        """The table of this name, if there is one."""
        self._known.append(name)
        value = self.values.get(name)
        if value is None:
            return None
        return self._table(value, (*self.place, name), f"a table ([{name}])")

    def tables(self, name: str) -> Iterator[Table]:
        """The tables of the list of this name."""
        self._known.append(name)
        value = self.values.get(name, ())
        if not isinstance(value, (list, tuple)):
            self.report.add((*self.place, name), f"is not a list of tables ([[{name}]])")
            return
        for i, item in enumerate(value):
            if (table := self._table(item, (*self.place, name, i), "a table")) is not None:
                yield table

    def _table(self, value: Any, place: Place, expected: str) -> Table | None:
        if isinstance(value, Mapping):
            return Table(value, place, self.report)
        self.report.add(place, f"is not {expected}")
        return None

    def add(self, name: str, message: str, hint: str = "", level: Level = "error") -> None:
        """Add a fault at a name of this table; at the table itself without a name."""
        self.report.add((*self.place, name) if name else self.place, message, hint, level)

    def close(self) -> None:
        """Report each unknown key, with the most similar known one."""
        for name in self.values:
            if name not in self._known:
                hint = nearest(name, self._known)
                self.report.add((*self.place, name), f"unknown key {show(name)}", hint)


# -- readers ---------------------------------------------------------------------------------------


def _wrong(value: object, expected: str, hint: str = "", path: str = "") -> ConfigError:
    return ConfigError(f"{show(value)} is not {expected}", hint=hint, path=path)


def text(value: Any) -> str:
    """Read a text that is not empty. Raises ConfigError, as all readers do."""
    if not isinstance(value, str) or not value.strip():
        raise _wrong(value, "a text")
    return value


def flag(value: Any) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise _wrong(value, "true or false")
    return value


def whole(least: int, most: int | None = None) -> Callable[[Any], int]:
    """A reader of integers within bounds."""
    expected = f"a whole number from {least}" + (f" to {most}" if most is not None else "")

    def read(value: Any) -> int:
        if type(value) is not int or value < least or (most is not None and value > most):
            raise _wrong(value, expected)
        return value

    return read


def positive(value: Any) -> float:
    """Read a number above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _wrong(value, "a number")
    if not (isfinite(value) and value > 0):
        raise _wrong(value, "a number above 0")
    return value


def choose_from(*names: str) -> Callable[[Any], Any]:
    """A reader that accepts these names alone."""

    def read(value: Any) -> Any:
        if value not in names:
            hint = nearest(value, names) if isinstance(value, str) else ""
            raise _wrong(value, f"one of {', '.join(names)}", hint if "mean" in hint else "")
        return value

    return read


_MEASURE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def seconds(value: Any) -> float:
    """Read seconds above 0, or a text with a unit: "500ms", "30s", "5m", "2h", "30d"."""
    if isinstance(value, str):
        match = _MEASURE.fullmatch(value)
        if match is None or match[2] not in _SECONDS:
            raise _wrong(value, "a time", 'seconds as a number, or such as "30s", "5m", "30d"')
        value = float(match[1]) * _SECONDS[match[2]]
    return positive(value)


def size(value: Any) -> int:
    """Read bytes, or a text with a unit: "32MB" is 32 million, "32MiB" is 32 * 2**20."""
    if isinstance(value, str):
        match = _MEASURE.fullmatch(value)
        if match is None or match[2].lower() not in _BYTES:
            raise _wrong(value, "a size", 'bytes as a whole number, or such as "32MB", "64MiB"')
        value = int(float(match[1]) * _BYTES[match[2].lower()])
    if type(value) is not int or value < 1:
        raise _wrong(value, "a size in bytes, 1 or more")
    return value


def texts_by_name(value: Any) -> dict[str, str]:
    """Read a table of texts."""
    if not isinstance(value, Mapping):
        raise _wrong(value, "a table of names and texts")
    for name, item in value.items():
        if not isinstance(name, str):
            raise _wrong(name, "a name")
        if not isinstance(item, str):
            raise _wrong(item, "a text", path=f"$.{name}")
    return dict(value)


# -- lines -----------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r]+|\#[^\n]*)|(?P<end>\n)
    |(?P<word>\"\"\"(?:[^"\\]|\\.|"(?!""))*"{3,5}|'''(?:[^']|'(?!''))*'{3,5}
       |"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s\[\]{}=,."'\#]+)
    |(?P<sign>[\[\]{}=,.])""",
    re.VERBOSE | re.DOTALL,
)


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def find_lines(toml: str) -> dict[Place, int]:
    r"""The line of each key, table and item of a list, counted from 1, in well-formed TOML.

    >>> find_lines('[a]\nb = [1,\n 2]')
    {('a',): 1, ('a', 'b'): 2, ('a', 'b', 0): 2, ('a', 'b', 1): 3}
    """
    return _LineScanner(toml).found


class _LineScanner:
    """Walks over the tokens of a file, and looks into the values that are lists and tables."""

    def __init__(self, toml: str) -> None:
        self.found: dict[Place, int] = {}
        self._tokens = list(_tokens(toml))
        self._at = 0
        self._counts: dict[Place, int] = {}  # tables of each [[list]] so far
        table: Place = ()
        while self._skip():
            if self._peek() == "[":
                table = self._header()
            else:
                self._pair(table)

    def _peek(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _next(self) -> _Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def _skip(self, *also: str) -> bool:
        """Go to the next token that is no line break; whether there is one."""
        while self._at < len(self._tokens) and self._peek() in ("\n", *also):
            self._at += 1
        return self._at < len(self._tokens)

    def _key(self, closing: str) -> list[str]:
        parts = []
        while (token := self._next()).text != closing:
            if token.kind == "word":
                quoted = token.text[0] in "\"'"
                parts.append(tomllib.loads(f"k={token.text}")["k"] if quoted else token.text)
        return parts

    def _header(self) -> Place:
        line = self._next().line
        is_list = self._peek() == "["
        if is_list:
            self._next()
        place: Place = ()
        parts = self._key("]")
        for i, part in enumerate(parts):
            place = (*place, part)
            if i == len(parts) - 1 and is_list:
                self._next()
                self._counts[place] = self._counts.get(place, 0) + 1
            self.found.setdefault(place, line)
            if place in self._counts:
                place = (*place, self._counts[place] - 1)
        self.found.setdefault(place, line)
        return place

    def _pair(self, table: Place) -> None:
        line = self._tokens[self._at].line
        place = table
        for part in self._key("="):
            place = (*place, part)
            self.found.setdefault(place, line)
        self._value(place)

    def _value(self, place: Place) -> None:
        opening = self._next().text
        if opening == "[":
            number = 0
            while self._skip(",") and self._peek() != "]":
                self.found[*place, number] = self._tokens[self._at].line
                self._value((*place, number))
                number += 1
            self._next()
        elif opening == "{":
            while self._skip(",") and self._peek() != "}":
                self._pair(place)
            self._next()
        else:
            while self._peek() not in ("", "\n", ",", "]", "}"):
                self._next()


def _tokens(toml: str) -> Iterator[_Token]:
    line = 1
    for match in _TOKEN.finditer(toml):
        if match.lastgroup != "blank":
            yield _Token(match.lastgroup or "", match[0], line)
        line += match[0].count("\n")


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def variable(value: Any) -> str:
    """Read the name of an environment variable, with or without `env:`; a key itself is refused.

    A name must be in capitals or be a variable that is set, as keys of some providers are words,
    too. The error does not show the value.
    """
    name = value.removeprefix("env:") if isinstance(value, str) else ""
    plausible = name == name.upper() and (len(name) <= 24 or "_" in name)
    if not _VARIABLE.fullmatch(name) or not (plausible or name in os.environ):
        raise ConfigError(
            "is no name of a variable of the environment; a key itself must not stand here",
            hint='put the key into a variable, and its name here: "OPENAI_API_KEY"',
        )
    return name


def default_of(kind: Any, name: str) -> Any:
    """The default of a dataclass's field."""
    (field,) = (field for field in fields(kind) if field.name == name)
    return field.default if field.default_factory is MISSING else field.default_factory()
