"""What `dragoman format` reads: JSON or JSONL of our messages, from a file or stdin.

Every refusal names the file, the line where there are lines, and the path. Knows no wire.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import DragomanError, InvalidMessage, ReadError
from ..jsontext import Json, loads
from ..message import ChatRequest, ChatResponse, Msg, load
from .errors import USAGE, CommandError

__all__ = ["Conversation", "Work", "content", "conversation", "read", "split"]

Conversation: TypeAlias = list[Msg] | ChatRequest

_MESSAGE = 'a message has "name" (which may be empty), "role" and "content"'
_FOREIGN = (
    "messages are a list; `dragoman convert` takes a provider's request, and dragoman.message.dump"
    " stores one of ours"
)


@dataclass(frozen=True, slots=True)
class Work:
    """One conversation to format, and where it was found (`chat.json`, or `chats.jsonl:3`)."""

    place: str
    said: Conversation


def read(file: str) -> tuple[list[Work], bool]:
    """The conversations of a file (`-` is stdin); True if each stood on a line of its own.

    Raises CommandError for what cannot be read.
    """
    name = "stdin" if file == "-" else file
    text = _text(file, name)
    if not text.strip():
        raise CommandError(f"{name}: there is nothing in it", _MESSAGE)
    if Path(file).suffix in (".jsonl", ".ndjson"):
        return _lines(text, name)
    try:
        value = loads(text)
    except ReadError as error:
        if _is_jsonl(text):
            return _lines(text, name)
        raise CommandError.of(error, name, USAGE) from error
    return [Work(name, conversation(value, name))], False


def content(file: str, what: str) -> bytes:
    """The bytes of a file; `-` is stdin, where somebody may have to type `what`."""
    if file != "-":
        return Path(file).read_bytes()
    if sys.stdin.isatty():
        sys.stderr.write(f"reading {what} from the keyboard; Ctrl-D ends it\n")
    return sys.stdin.buffer.read()


def _text(file: str, name: str) -> str:
    data = content(file, "messages")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{name}: byte {error.start} is no UTF-8", "the input is JSON in UTF-8"
        ) from error


def split(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    # not splitlines: JSON strings may hold U+2028 as it is
    return [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]


def _is_jsonl(text: str) -> bool:
    rows = split(text)
    try:
        loads(rows[0][1])
    except ReadError:
        return False
    return len(rows) > 1


def _lines(text: str, name: str) -> tuple[list[Work], bool]:
    values = [
        (f"{name}:{number}", _value(line, f"{name}:{number}")) for number, line in split(text)
    ]
    each = [_is_message(value) for _, value in values]
    if each[0] and all(each):
        return [Work(name, [msg for place, value in values for msg in _one(value, place)])], False
    if any(each):
        place = values[each.index(not each[0])][0]
        raise CommandError(
            f"{place}: messages and conversations are mixed",
            "each line is a message, or each line is a list of messages",
        )
    return [Work(place, conversation(value, place)) for place, value in values], True


def _value(line: str, place: str) -> Json:
    try:
        return loads(line)
    except ReadError as error:
        raise CommandError.of(error, place, USAGE) from error


def _is_message(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    return value.get("kind") == "message" if "dragoman" in value else "messages" not in value


def _one(value: Json, place: str) -> list[Msg]:
    said = conversation(value, place)
    assert isinstance(said, list)  # it is a message
    return said


def conversation(value: Json, place: str) -> Conversation:
    """What a value of ours says. Raises CommandError with the place for what is none."""
    try:
        return _said(value)
    except DragomanError as error:
        hint = _MESSAGE if error.code in ("message.field", "message.type") else ""
        raise CommandError.of(error, place, USAGE, hint) from error


def _said(value: Json) -> Conversation:
    match value:
        case list():
            return list(_messages(value))
        case {"dragoman": _}:
            return _stored(value)
        case {"messages": _}:
            raise InvalidMessage("an object with messages is no list of them", path="$",
                                 hint=_FOREIGN)  # fmt: skip
        case _:
            return [Msg.from_dict(value)]


def _messages(items: list[Any]) -> Iterable[Msg]:
    for i, item in enumerate(items):
        if not isinstance(item, dict) or "dragoman" not in item:
            yield Msg.from_dict(item, f"$[{i}]")
            continue
        stored = load(item)
        if not isinstance(stored, Msg):
            raise InvalidMessage("a stored value that is no message", path=f"$[{i}]", hint=_MESSAGE)
        yield stored


def _stored(value: dict[str, Any]) -> Conversation:
    match load(value):
        case Msg() as msg:
            return [msg]
        case ChatResponse():
            raise InvalidMessage("an answer is no conversation", path="$.kind",
                                 hint="store the messages or the request")  # fmt: skip
        case said:
            return said
