"""Reads the input of commands: conversations of this library, and bodies of requests.

A file is JSON or JSON lines, compressed or not; `-` is stdin. Every error names the file, the line
if there are lines, and the path.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, islice
from mimetypes import guess_type
from pathlib import Path
from typing import Any, TypeAlias

import typer

from ..agent_logs import read_session_log, session_exports
from ..agent_logs.stores import DATABASE
from ..analysis.fidelity import record
from ..caches import remember
from ..codec.wire import Wire
from ..conversion.detection import detect
from ..errors import DragomanError, InvalidMessage, ReadError
from ..message import (
    Base64Source,
    ChatRequest,
    ChatResponse,
    ContentBlock,
    ImageBlock,
    Msg,
    URLSource,
    load,
)
from ..text.json_text import Json, JsonObject, loads
from ..toolkit.results import media_block
from ..vendors import wire
from .output import CommandError, errors_at, plain
from .sources import InputFile

Conversation: TypeAlias = list[Msg] | ChatRequest

MESSAGE = 'a message has "name" (which may be empty), "role" and "content"'
_REQUEST = "a request as it was sent to a provider"


@dataclass(frozen=True, slots=True)
class Entry:
    """A value and its place (`chat.json`, `chats.jsonl:3`), or why it cannot be read."""

    place: str
    value: Json | CommandError


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request, its place, and the path that it was sent to if known."""

    place: str
    value: JsonObject
    path: str | None = None


# -- files ----------------------------------------------------------------------------------------


def file_name(file: str) -> str:
    """The file's name in messages."""
    return "stdin" if file == "-" else file


def open_source(file: str, wanted: str) -> InputFile:
    """The file; for stdin, `wanted` is shown to a user at a keyboard."""
    return InputFile(file_name(file), None if file == "-" else Path(file), wanted)


def text_in(data: bytes, place: str, content: str) -> str:
    """The text of UTF-8 data. Raises CommandError with the position of an invalid byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = f"{content} JSON in UTF-8"
        raise CommandError(f"{place}: byte {error.start} is no UTF-8", hint) from error


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line of JSON lines, not parsed yet."""

    name: str
    number: int
    data: bytes

    @property
    def place(self) -> str:
        """The place of the line in messages."""
        return f"{self.name}:{self.number}"

    def entry(self) -> Entry:
        """The value; an error in its place if the line is no JSON."""
        try:
            return Entry(self.place, loads(text_in(self.data, self.place, "values are")))
        except ReadError as error:
            return Entry(self.place, CommandError.of(error, self.place))
        except CommandError as error:
            return Entry(self.place, error)


def values(
    source: InputFile, content: str = "bodies are", rows: Iterable[bytes] | None = None
) -> tuple[Iterator[Entry | JsonLine], bool]:
    """The JSON of a source, and whether it is lines, of which no more than two are in memory.

    Each line is a value if the file's name says so, or if the first line is JSON and another one
    follows. Raises CommandError for a source that cannot be read at all.
    """
    rest = iter(source.rows() if rows is None else rows)
    head: list[bytes] = []
    lines = _lines(source.name, _keep_head(rest, head))
    first = next(lines, None)
    if first is None:
        raise source.empty()
    if source.has_lines:  # from here on, no row is kept in memory
        return chain([first], _lines(source.name, rest, first.number + 1)), True
    entry = first.entry()
    if not isinstance(entry.value, CommandError):
        second = next(lines, None)
        if second is None:
            return iter([Entry(source.name, entry.value)]), False
        return chain([entry, second], _lines(source.name, rest, second.number + 1)), True
    # the rows read so far, and all that follow, are one text
    text = text_in(b"".join([*head, *rest]), source.name, content)
    try:
        return iter([Entry(source.name, loads(text))]), False
    except ReadError as error:
        raise CommandError.of(error, source.name) from error


def _keep_head(rows: Iterator[bytes], head: list[bytes]) -> Iterator[bytes]:
    for row in rows:
        head.append(row)
        yield row


def _lines(name: str, rows: Iterable[bytes], first: int = 1) -> Iterator[JsonLine]:
    """The rows that are not blank, with their numbers."""
    return (JsonLine(name, number, row) for number, row in enumerate(rows, first) if row.strip())


def parse_line(value: Entry | JsonLine) -> Entry:
    """The entry, or the entry of the line."""
    return value.entry() if isinstance(value, JsonLine) else value


def elements(values: list[Json], name: str) -> list[Entry]:
    """The elements of a list, each with its place."""
    return [Entry(f"{name}: $[{i}]", value) for i, value in enumerate(values)]


def bodies(source: InputFile) -> tuple[Iterator[Entry | JsonLine], bool]:
    """The values of a source one by one; True if they are on lines, or in a list.

    Raises CommandError for a source that cannot be read at all.
    """
    found, lines = values(source)
    if lines:
        return found, True
    [entry] = map(parse_line, found)
    if isinstance(entry.value, list) and not is_ours(entry.value):
        return iter(elements(entry.value, source.name)), True
    return iter([entry]), False


def read_values(file: str, what: str = _REQUEST) -> tuple[list[Entry], bool]:
    """The values of a file, all at once; True if they are on lines, or in a list."""
    found, many = bodies(open_source(file, what))
    return [parse_line(value) for value in found], many


def piped_text() -> str:
    """The text that is piped into stdin; empty if stdin is a keyboard."""
    if sys.stdin.isatty():
        return ""
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "a prompt is text; --image shows a file"
        raise CommandError(f"stdin: byte {error.start} is no UTF-8", hint) from error


def read_schema(file: str) -> JsonObject:
    """The JSON Schema in a file. Raises CommandError if it is no JSON object."""
    text = text_in(Path(file).read_bytes(), file, "a schema is")
    with errors_at(file):
        value = loads(text)
    if not isinstance(value, dict):
        raise CommandError(f"{file}: $: a schema is a JSON object, not a {type(value).__name__}")
    return value


def medium(place: str) -> ContentBlock:
    """The block for a file or a URL: an image for a URL, else by the type of the file.

    Raises CommandError for a file of unknown type, OSError for one that cannot be read.
    """
    if place.startswith(("https://", "http://")):
        return ImageBlock(URLSource(place))
    path = Path(place).expanduser()
    data = path.read_bytes()
    kind = guess_type(path.name)[0]
    with errors_at(place, "a file that begins as a medium does, or whose name ends so"):
        try:
            source = Base64Source.from_bytes(data)
        except InvalidMessage:
            source = Base64Source.from_bytes(data, kind)
    return media_block(source)


# -- conversations of this library ----------------------------------------------------------------


@dataclass(slots=True)
class Whole:
    """A source that is one conversation, or none; not parsed yet."""

    name: str
    data: bytes


HEAD = 100  # lines that are checked before the first of them is written


def conversations(source: InputFile) -> tuple[Iterator[JsonLine | Whole], bool]:
    """The unparsed conversations of a source; True if each is on a line of its own.

    Conversations on lines are returned one by one. Anything else is read as a whole: messages on
    lines, a document, the session log of a coding agent. Raises CommandError for what cannot be
    read.
    """
    rows = source.rows()
    head: list[bytes] = []
    first = next(_lines(source.name, _keep_head(rows, head)), None)
    if first is None:
        raise source.empty()
    if source.path is not None and head[0].startswith(DATABASE):
        return _of_store(source.path), True
    value = first.entry().value
    if source.has_lines or not isinstance(value, CommandError):
        second = next(_lines(source.name, _keep_head(rows, head)), None)
        is_log = isinstance(value, dict) and "dragoman" not in value
        on_lines = second is not None or source.has_lines
        if on_lines and not (isinstance(value, CommandError) or is_log or _is_message(value)):
            return _each(source, chain(head, rows)), True
    return iter([Whole(source.name, b"".join([*head, *rows]))]), False


def _of_store(path: Path) -> Iterator[Whole]:
    """The sessions in a database of opencode."""
    with errors_at(str(path)):
        for id, text in session_exports(path):
            yield Whole(f"{path}: {id}", text.encode())


def _each(source: InputFile, rows: Iterable[bytes]) -> Iterator[JsonLine]:
    """The lines; those at the beginning are checked before the first of them is returned."""
    lines = _lines(source.name, rows)
    head = list(islice(lines, HEAD))
    for line in head:
        _refuse_mixed(line.entry(), of_messages=False)
    return chain(head, lines)


def _refuse_mixed(entry: Entry, of_messages: bool) -> None:
    if isinstance(entry.value, CommandError):
        raise entry.value
    if _is_message(entry.value) != of_messages:
        hint = "each line is a message, or each line is a list of messages"
        raise CommandError(f"{entry.place}: messages and conversations are mixed", hint)


def read_with_note(value: JsonLine | Whole) -> tuple[str, Conversation, str]:
    """(place, conversation, note on what of a log is left out) of a value.

    Raises CommandError if it is no conversation.
    """
    if isinstance(value, JsonLine):
        entry = value.entry()
        _refuse_mixed(entry, of_messages=False)
        return entry.place, conversation(entry), ""
    text = text_in(value.data, value.name, "the input is")
    session = _session(text, value.name)
    if session is not None:
        return value.name, *session
    rows = BytesIO(value.data)
    found, lines = values(InputFile(value.name, wanted=MESSAGE), "the input is", rows)
    entries = [parse_line(one) for one in found]
    if not lines:
        return value.name, conversation(entries[0]), ""
    for entry in entries:
        _refuse_mixed(entry, of_messages=True)
    return value.name, [msg for entry in entries for msg in read_request(entry).messages], ""


def read_conversations(file: str) -> tuple[list[tuple[str, Conversation]], bool]:
    """(place, conversation) of each in a file; True if each was on a line of its own.

    The session log of a coding agent is one conversation; what it leaves out is reported on stderr.
    Raises CommandError for what cannot be read.
    """
    found, lines = conversations(open_source(file, MESSAGE))
    result: list[tuple[str, Conversation]] = []
    for value in found:
        place, read, note = read_with_note(value)
        if note:
            typer.echo(note, err=True)
        result.append((place, read))
    return result, lines


def _session(text: str, name: str) -> tuple[ChatRequest, str] | None:
    """The conversation of an agent's log, and a note on what is left out of it."""
    try:
        log = read_session_log(text, name)
    except ReadError as error:
        if error.code in ("log.unknown", "log.row"):
            return None
        raise CommandError.of(error, name) from error
    left = ", ".join(f"{plain(what)} ({count})" for what, count in log.counts.items())
    note = f"{name}: a session of {log.agent}; no part of it: {left or 'nothing'}"
    return log.request(), note


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return value.get("kind") == "message" if "dragoman" in value else "messages" not in value


def conversation(entry: Entry) -> Conversation:
    """The conversation in a value. Raises CommandError with the place if it is none."""
    try:
        match entry.value:
            case list() as items:
                return [_message(item, f"$[{i}]") for i, item in enumerate(items)]
            case dict() as value if "dragoman" in value:
                return _load_stored(value)
            case {"messages": _}:
                raise InvalidMessage(
                    "an object with messages is no list of them",
                    path="$",
                    hint="messages are a list; `dragoman convert` takes a provider's request, and"
                    " dragoman.message.dump stores one of ours",
                )
            case message:
                return [Msg.from_dict(message)]  # type: ignore[arg-type]
    except DragomanError as error:
        hint = MESSAGE if error.code in ("message.field", "message.type") else ""
        raise CommandError.of(error, entry.place, hint) from error


def _message(item: Any, path: str) -> Msg:
    if not isinstance(item, dict) or "dragoman" not in item:
        return Msg.from_dict(item, path)
    msg = load(item)
    if not isinstance(msg, Msg):
        raise InvalidMessage("a stored value that is no message", path=path, hint=MESSAGE)
    return msg


def _load_stored(value: JsonObject) -> Conversation:
    match load(value):
        case Msg() as msg:
            return [msg]
        case ChatResponse():
            raise InvalidMessage(
                "an answer is no conversation",
                path="$.kind",
                hint="store the messages or the request",
            )
        case messages:
            return messages


def is_ours(value: Json | CommandError) -> bool:
    """Whether it is a conversation of this library, stored or as a list of messages."""
    if isinstance(value, list):
        return bool(value) and all(
            isinstance(item, dict) and ("role" in item or "dragoman" in item) for item in value
        )
    return isinstance(value, dict) and "dragoman" in value


def read_request(entry: Entry) -> ChatRequest:
    """The conversation of this library in an entry. Raises CommandError for a broken one."""
    messages = conversation(entry)
    return messages if isinstance(messages, ChatRequest) else ChatRequest(messages)


# -- bodies of requests ---------------------------------------------------------------------------


def read_body(entry: Entry) -> Body:
    """The request body in an entry. Raises CommandError if there is none."""
    if isinstance(entry.value, CommandError):
        raise entry.value
    if is_ours(entry.value):
        text = f"{entry.place}: these are messages of ours, and no body of a provider's"
        raise CommandError(text, "`dragoman format` writes them, `dragoman plan` takes both")
    row = record(entry.value)
    value = entry.value if row is None else row.request
    if not isinstance(value, dict):
        raise CommandError(f"{entry.place}: there is no request in it", f"give {_REQUEST}")
    return Body(entry.place, value, row.path if row is not None else None)


def sender(body: Body, source: str) -> Wire:
    """The wire that a body belongs to: `source`, or with "auto" the one that it looks like."""
    if source == "auto":
        with errors_at(body.place, "--from WIRE says whose body it is"):
            source = detect(body.value, body.path).wire
    return _quiet_wire(source)


@remember("wires that commands name", entries=64, size=2**16)
def _quiet_wire(name: str) -> Wire:
    return wire(name, policy="ignore")
