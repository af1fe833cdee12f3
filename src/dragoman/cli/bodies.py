"""What `convert`, `check`, `plan`, `diff` and `fidelity` read: providers' bodies, JSON or JSONL.

A line may also be a record of what was sent and answered: `{"request": ..., "response": ...}`.
Where each body stands on a line of its own, a line that cannot be read does not stop the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .._convert import detect
from .._wire import Wire
from ..errors import ReadError
from ..jsontext import Json, JsonObject, loads
from ..message import ChatRequest
from ..study.records import record
from ..vendors import wire
from .errors import USAGE, CommandError
from .intake import content, conversation, split

__all__ = ["Body", "Found", "body", "is_ours", "ours", "sender", "values"]

_WHAT = "a request as it was sent to a provider"


@dataclass(frozen=True, slots=True)
class Found:
    """A value and where it was found, or why it cannot be read."""

    place: str
    value: Json | CommandError


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request, where it was found, and the path that it was sent to if known."""

    place: str
    value: JsonObject
    path: str | None = None


def values(file: str, what: str = _WHAT) -> tuple[list[Found], bool]:
    """The JSON values of a file (`-` is stdin); True if they stand on lines, or in a list.

    Raises CommandError for a file that cannot be read at all.
    """
    name = "stdin" if file == "-" else file
    text = _text(file, name, what)
    rows = split(text)
    if not rows:
        raise CommandError(f"{name}: there is nothing in it", what)
    if Path(file).suffix in (".jsonl", ".ndjson"):
        return [_row(f"{name}:{n}", row) for n, row in rows], True
    try:
        value = loads(text)
    except ReadError as error:
        first = _row(f"{name}:{rows[0][0]}", rows[0][1])
        if len(rows) == 1 or isinstance(first.value, CommandError):
            raise CommandError.of(error, name, USAGE) from error
        return [_row(f"{name}:{n}", row) for n, row in rows], True
    if isinstance(value, list) and not is_ours(value):
        return [Found(f"{name}: $[{i}]", one) for i, one in enumerate(value)], True
    return [Found(name, value)], False


def _text(file: str, name: str, what: str) -> str:
    data = content(file, what)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{name}: byte {error.start} is no UTF-8", "bodies are JSON in UTF-8"
        ) from error


def _row(place: str, row: str) -> Found:
    try:
        return Found(place, loads(row))
    except ReadError as error:
        return Found(place, CommandError.of(error, place, USAGE))


def is_ours(value: Json) -> bool:
    """Whether it is a conversation of our own, stored or as a list of messages."""
    if isinstance(value, list):
        return bool(value) and all(
            isinstance(one, dict) and ("role" in one or "dragoman" in one) for one in value
        )
    return isinstance(value, dict) and "dragoman" in value


def body(found: Found) -> Body:
    """The request body that stands there. Raises CommandError for what is none."""
    if isinstance(found.value, CommandError):
        raise found.value
    if is_ours(found.value):
        raise CommandError(
            f"{found.place}: these are messages of ours, and no body of a provider's",
            "`dragoman format` writes them, `dragoman plan` takes both",
        )
    row = record(found.value)
    value = found.value if row is None else row.request
    if not isinstance(value, dict):
        raise CommandError(f"{found.place}: there is no request in it", f"give {_WHAT}")
    return Body(found.place, value, row.path if row is not None else None)


def ours(found: Found) -> ChatRequest:
    """The conversation of our own that stands there. Raises CommandError for a broken one."""
    said = conversation(found.value, found.place)
    return said if isinstance(said, ChatRequest) else ChatRequest(said)


def sender(one: Body, source: str) -> Wire:
    """The wire that a body belongs to: `source`, or with "auto" the one that it looks like."""
    if source == "auto":
        try:
            source = detect(one.value, one.path).wire
        except ReadError as error:
            raise CommandError.of(
                error, one.place, USAGE, "--from WIRE says whose body it is"
            ) from error
    return _named(source)


@cache
def _named(source: str) -> Wire:
    return wire(source, policy="ignore")
