"""What the commands read: conversations of ours, bodies of requests, answers and streams.

A file is JSON, JSON lines, server-sent events or an AWS event stream; `-` is stdin. Every refusal
names the file, the line where there are lines, and the path.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

import typer

from .._core.caches import remember
from .._core.convert import detect
from .._core.exchange.stream import StreamDecoder
from .._core.exchange.wire import Wire
from .._core.jsontext import Json, JsonObject, loads
from .._core.stream.pieces import Piece, Raw
from ..errors import DragomanError, InvalidMessage, ReadError
from ..interop import read_session_log
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
from ..sse import Decoder, Framing
from ..study.fidelity import Event, event_of, record
from ..toolkit.results import media_block
from ..vendors import PROTOCOLS, wire
from .output import CommandError, errors_at, plain

Conversation: TypeAlias = list[Msg] | ChatRequest

_MESSAGE = 'a message has "name" (which may be empty), "role" and "content"'
_LINES = (".jsonl", ".ndjson")  # files with a value on each line
_REQUEST = "a request as it was sent to a provider"


@dataclass(frozen=True, slots=True)
class Entry:
    """A value and where it stands (`chat.json`, `chats.jsonl:3`), or why it cannot be read."""

    place: str
    value: Json | CommandError


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request, where it stands, and the path that it was sent to if known."""

    place: str
    value: JsonObject
    path: str | None = None


@dataclass(slots=True)
class Recording:
    """What a provider answered, and where it stands.

    `events` of a stream, or a `whole` answer. With `places` they are a list of values, each found
    there, that may as well be an answer each. `status` is that of HTTP and `protocol` the name of
    the wire, if they were recorded.
    """

    place: str
    events: list[Event]
    whole: bool = False
    places: tuple[str, ...] = ()
    status: int | None = None
    protocol: str | None = None


# -- files ----------------------------------------------------------------------------------------


def file_name(file: str) -> str:
    """The file as it is named to people."""
    return "stdin" if file == "-" else file


def _content(file: str, what: str) -> bytes:
    """The bytes of a file; from stdin, somebody may have to type `what`."""
    if file != "-":
        return Path(file).read_bytes()
    if sys.stdin.isatty():
        sys.stderr.write(f"reading {what} from the keyboard; Ctrl-D ends it\n")
    return sys.stdin.buffer.read()


def _text(data: bytes, name: str, content: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = f"{content} JSON in UTF-8"
        raise CommandError(f"{name}: byte {error.start} is no UTF-8", hint) from error


def _rows(text: str, name: str, hint: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers. Raises CommandError if there are none."""
    # not splitlines: JSON strings may hold U+2028 as it is
    rows = [(i, row) for i, row in enumerate(text.split("\n"), 1) if row.strip()]
    if not rows:
        raise CommandError(f"{name}: there is nothing in it", hint)
    return rows


def _entries(text: str, rows: list[tuple[int, str]], name: str) -> tuple[list[Entry], bool]:
    """The JSON of a text; True if there is a value on each line.

    That is so if the file's name says it, or if the first line is JSON and the text as one is not.
    """
    if Path(name).suffix not in _LINES:
        try:
            return [Entry(name, loads(text))], False
        except ReadError as error:
            if len(rows) == 1 or isinstance(_entry(name, *rows[0]).value, CommandError):
                raise CommandError.of(error, name) from error
    return [_entry(name, number, row) for number, row in rows], True


def _entry(name: str, number: int, row: str) -> Entry:
    place = f"{name}:{number}"
    try:
        return Entry(place, loads(row))
    except ReadError as error:
        return Entry(place, CommandError.of(error, place))


def _elements(values: list[Json], name: str) -> list[Entry]:
    return [Entry(f"{name}: $[{i}]", value) for i, value in enumerate(values)]


def read_values(file: str, what: str = _REQUEST) -> tuple[list[Entry], bool]:
    """The JSON values of a file; True if they stand on lines, or in a list.

    Raises CommandError for a file that cannot be read at all.
    """
    name = file_name(file)
    text = _text(_content(file, what), name, "bodies are")
    entries, lines = _entries(text, _rows(text, name, what), name)
    value = entries[0].value
    if not lines and isinstance(value, list) and not is_ours(value):
        return _elements(value, name), True
    return entries, lines


def stream_values(file: str) -> Iterator[Entry] | None:
    """The values of a file of JSON lines, one after the other; None for any other file.

    No more than one line is kept, so that the file may be of any length.
    """
    if file == "-" or Path(file).suffix not in _LINES or not Path(file).is_file():
        return None
    return _streamed(Path(file))


def _streamed(path: Path) -> Iterator[Entry]:
    name, found = file_name(str(path)), False
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            row = _text(line, f"{name}:{number}", "bodies are")
            if row.strip():
                found = True
                yield _entry(name, number, row)
    if not found:
        raise CommandError(f"{name}: there is nothing in it", _REQUEST)


def piped_text() -> str:
    """What is piped into stdin, as text; none if it is a keyboard."""
    if sys.stdin.isatty():
        return ""
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "a prompt is text; --image shows a file"
        raise CommandError(f"stdin: byte {error.start} is no UTF-8", hint) from error


def read_schema(file: str) -> JsonObject:
    """The JSON Schema in a file. Raises CommandError for what is no JSON object."""
    text = _text(Path(file).read_bytes(), file, "a schema is")
    with errors_at(file):
        value = loads(text)
    if not isinstance(value, dict):
        raise CommandError(f"{file}: $: a schema is a JSON object, not a {type(value).__name__}")
    return value


def medium(place: str) -> ContentBlock:
    """The block that shows a file, or what is at a URL: an image, or else what its type says.

    Raises CommandError for a file whose type nothing tells, OSError for one that cannot be read.
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


# -- conversations of ours ------------------------------------------------------------------------


def read_conversations(file: str) -> tuple[list[tuple[str, Conversation]], bool]:
    """(place, conversation) of each in a file; True if each stood on a line of its own.

    The session log of a coding agent is one conversation. Raises CommandError for what cannot be
    read.
    """
    name = file_name(file)
    text = _text(_content(file, "messages"), name, "the input is")
    session = _session(text, name)
    if session is not None:
        return [(name, session)], False
    entries, lines = _entries(text, _rows(text, name, _MESSAGE), name)
    for entry in entries:
        if isinstance(entry.value, CommandError):
            raise entry.value
    messages = [_is_message(entry.value) for entry in entries] if lines else [False]
    if all(messages):
        msgs = [msg for entry in entries for msg in request_of(entry).messages]
        return [(name, msgs)], False
    if any(messages):
        place = entries[messages.index(not messages[0])].place
        hint = "each line is a message, or each line is a list of messages"
        raise CommandError(f"{place}: messages and conversations are mixed", hint)
    return [(entry.place, conversation(entry)) for entry in entries], lines


def _session(text: str, name: str) -> ChatRequest | None:
    """The conversation of an agent's log; what is no part of it is told on stderr."""
    try:
        log = read_session_log(text, name)
    except ReadError as error:
        if error.code in ("log.unknown", "log.row"):
            return None
        raise CommandError.of(error, name) from error
    left = ", ".join(f"{plain(what)} ({count})" for what, count in log.counts.items())
    typer.echo(f"{name}: a session of {log.agent}; no part of it: {left or 'nothing'}", err=True)
    return log.request()


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return value.get("kind") == "message" if "dragoman" in value else "messages" not in value


def conversation(entry: Entry) -> Conversation:
    """The conversation in a value of ours. Raises CommandError with the place for what is none."""
    try:
        match entry.value:
            case list() as items:
                return [_message(item, f"$[{i}]") for i, item in enumerate(items)]
            case dict() as value if "dragoman" in value:
                return _stored(value)
            case {"messages": _}:
                raise InvalidMessage(
                    "an object with messages is no list of them", path="$",
                    hint="messages are a list; `dragoman convert` takes a provider's request, and"
                    " dragoman.message.dump stores one of ours",
                )  # fmt: skip
            case message:
                return [Msg.from_dict(message)]  # type: ignore[arg-type]
    except DragomanError as error:
        hint = _MESSAGE if error.code in ("message.field", "message.type") else ""
        raise CommandError.of(error, entry.place, hint) from error


def _message(item: Any, path: str) -> Msg:
    if not isinstance(item, dict) or "dragoman" not in item:
        return Msg.from_dict(item, path)
    msg = load(item)
    if not isinstance(msg, Msg):
        raise InvalidMessage("a stored value that is no message", path=path, hint=_MESSAGE)
    return msg


def _stored(value: JsonObject) -> Conversation:
    match load(value):
        case Msg() as msg:
            return [msg]
        case ChatResponse():
            raise InvalidMessage("an answer is no conversation", path="$.kind",
                                 hint="store the messages or the request")  # fmt: skip
        case messages:
            return messages


def is_ours(value: Json | CommandError) -> bool:
    """Whether it is a conversation of our own, stored or as a list of messages."""
    if isinstance(value, list):
        return bool(value) and all(
            isinstance(item, dict) and ("role" in item or "dragoman" in item) for item in value
        )
    return isinstance(value, dict) and "dragoman" in value


def request_of(entry: Entry) -> ChatRequest:
    """The conversation of our own that stands there. Raises CommandError for a broken one."""
    messages = conversation(entry)
    return messages if isinstance(messages, ChatRequest) else ChatRequest(messages)


# -- bodies of requests ---------------------------------------------------------------------------


def body_of(entry: Entry) -> Body:
    """The request body that stands there. Raises CommandError for what is none."""
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


# -- answers and streams --------------------------------------------------------------------------

_SSE_FIELDS = ("data:", "event:", "id:", "retry:", ":")  # what lines of such a stream begin with
_MOST = 100  # events of a recording that are looked at to see whose they are


def read_recordings(file: str, broken: list[CommandError] | None = None) -> list[Recording]:
    """The answers and streams in a file. Raises CommandError for what cannot be read.

    With a list for what is `broken`, a line that is no JSON is put there, and the others count.
    """
    name = file_name(file)
    data = _content(file, "an answer")
    # a frame of an AWS event stream begins with a prelude that has a checksum
    if len(data) >= 16 and int.from_bytes(data[8:12], "big") == crc32(data[:8]):
        return [_framed(data, name, "aws-eventstream")]
    text = _text(data, name, "answers are")
    rows = _rows(text, name, "an answer, or a recorded stream")
    if Path(name).suffix not in _LINES and rows[0][1].startswith(_SSE_FIELDS):
        return [_framed(data, name, "sse")]
    entries, lines = _entries(text, rows, name)
    value: Any = entries[0].value
    if not lines and not isinstance(value, list):
        return [_recording(value, name) or Recording(name, [event_of(value)], whole=True)]
    values: list[tuple[str, Json]] = []
    for entry in entries if lines else _elements(value, name):
        if not isinstance(entry.value, CommandError):
            values.append((entry.place, entry.value))
        elif broken is None:
            raise entry.value
        else:
            broken.append(entry.value)
    recordings = [_recording(value, place) for place, value in values]
    if not any(recordings):  # a loose list, and no recordings that say so each
        places = tuple(place for place, _ in values)
        return [Recording(name, [event_of(value) for _, value in values], places=places)]
    return [recording or Recording(place, [event_of(value)], whole=True)
            for (place, value), recording in zip(values, recordings, strict=True)]  # fmt: skip


def _framed(data: bytes, name: str, framing: Framing) -> Recording:
    decoder = Decoder(framing)
    with errors_at(name):
        frames = [*decoder.feed(data), *decoder.flush()]
    return Recording(name, [(frame.event, frame.data) for frame in frames])


def _recording(value: Json, place: str) -> Recording | None:
    """A recording that says so: an object with `events`, or with a `response` and no `type`."""
    if not isinstance(value, dict):
        return None
    number = value.get("status")
    status = number if isinstance(number, int) else None
    name = value.get("protocol")
    protocol = name if isinstance(name, str) and name in PROTOCOLS else None
    if isinstance(value.get("events"), list):
        events = [event_of(event) for event in value["events"]]
        return Recording(place, events, status=status, protocol=protocol)
    response = value.get("response")
    if isinstance(response, dict) and "type" not in value:
        return Recording(place, [(None, response)], whole=True, status=status, protocol=protocol)
    return None


def with_sender(recording: Recording, source: str) -> list[tuple[Recording, Wire | CommandError]]:
    """The recording with the wire that it came from; a list of whole answers as those."""
    try:
        home = wire(source if source != "auto" else recording.protocol or _answering(recording))
    except CommandError as error:
        return [(recording, error)]
    if len(recording.events) > 1 and recording.places and _are_answers(recording, home):
        answers = zip(recording.places, recording.events, strict=True)
        return [(Recording(place, [event], whole=True), home) for place, event in answers]
    return [(recording, home)]


def _answering(recording: Recording) -> str:
    """The protocol whose answers look most like it; of those that look alike the first."""
    events = [event for event in _payloads(recording) if isinstance(event[1], dict)][:_MOST]
    counts = {}
    for name in PROTOCOLS:
        room = wire(name).room
        counts[name] = sum(room.answers(data, event) for event, data in events)
    best = max(counts, key=counts.__getitem__)
    if not counts[best]:
        hint = "errors look alike everywhere; --from WIRE says who answered"
        raise CommandError(f"{recording.place}: no wire answers in this shape", hint)
    return best


def _payloads(recording: Recording) -> Iterator[Event]:
    """The events whose data is JSON, parsed."""
    for name, data in recording.events:
        try:
            yield name, loads(data) if isinstance(data, (str, bytes)) else data
        except ReadError:
            continue


def _are_answers(recording: Recording, home: Wire) -> bool:
    """Whether each value is an answer by itself: it ends, and they are not one answer by its id."""
    ids = []
    for name, data in recording.events:
        decoder = home.stream_decoder()
        decoder.feed(data, name)
        resp = decoder.finish()
        if resp.status == "interrupted":
            return False
        ids.append(resp.id)
    return ids[0] is None or len(set(ids)) > 1


def pieces_of(recording: Recording, decoder: StreamDecoder, home: Wire) -> Iterator[list[Piece]]:
    """The pieces of each event, and of the end. Raises ReadError if the wire knows no event."""
    understood = False
    for name, data in recording.events:
        pieces = decoder.feed(data, name)
        understood = understood or any(type(piece) is not Raw for piece in pieces)
        yield pieces
    pieces = decoder.rest()
    if not (understood or pieces):
        raise ReadError(f"nothing in it is an event of {home.name}", hint="is it another wire?")
    yield pieces
