"""What `dragoman format` reads: JSON or JSONL of our messages, from a file or stdin.

Every refusal names the file, the line where there are lines, and the path. Knows no wire.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

from .._core.convert import detect
from .._core.exchange.wire import Wire
from .._core.jsontext import Json, JsonObject, arguments, loads
from ..errors import DragomanError, InvalidMessage, ReadError
from ..message import ChatRequest, ChatResponse, Msg, load
from ..sse import Decoder, Framing
from ..study.fidelity import record
from ..vendors import PROTOCOLS, wire
from .output import USAGE, CommandError

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


Event: TypeAlias = tuple[str | None, Any]  # its name, if it has one, and its data


_FIELDS = ("data:", "event:", "id:", "retry:", ":")  # what lines of server-sent events begin with


@dataclass(slots=True)
class Recorded:
    """What was found in one place of a file.

    `events` of a stream, or a `whole` answer. With `places` they are a list of values, each found
    there, that may as well be an answer each. `status` is that of HTTP, if it was recorded.
    """

    place: str
    events: list[Event]
    whole: bool = False
    places: tuple[str, ...] = ()
    status: int | None = None

    def each(self) -> list[Recorded]:
        """The values of a list as whole answers."""
        listed = zip(self.places, self.events, strict=True)
        return [Recorded(place, [event], whole=True) for place, event in listed]

    def payloads(self) -> Iterator[Event]:
        """The events whose data is JSON, parsed."""
        for name, data in self.events:
            try:
                yield name, loads(data) if isinstance(data, (str, bytes)) else data
            except ReadError:
                continue


def recorded(file: str, spoilt: list[CommandError] | None = None) -> list[Recorded]:
    """What is in a file (`-` is stdin). Raises CommandError for what cannot be read.

    With a list for what is `spoilt`, a line that is no JSON is put there, and the others count.
    """
    name = "stdin" if file == "-" else file
    data = content(file, "an answer")
    if _is_aws(data):
        return [_framed(data, name, "aws-eventstream")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{name}: byte {error.start} is no UTF-8", "answers are JSON in UTF-8"
        ) from error
    rows = split(text)
    if not rows:
        raise CommandError(f"{name}: there is nothing in it", "an answer, or a recorded stream")
    if Path(file).suffix in (".jsonl", ".ndjson"):
        return _listed(_values(rows, name, spoilt), name)
    if rows[0][1].startswith(_FIELDS):
        return [_framed(data, name, "sse")]
    try:
        value = loads(text)
    except ReadError as error:
        if len(rows) == 1 or not _is_json(rows[0][1]):
            raise CommandError.of(error, name, USAGE) from error
        return _listed(_values(rows, name, spoilt), name)
    if isinstance(value, list):
        return _listed([(f"{name}: $[{i}]", one) for i, one in enumerate(value)], name)
    return [_recorded_one(value, name) or Recorded(name, [_event(value)], whole=True)]


def _is_aws(data: bytes) -> bool:
    """Whether the bytes begin with a frame of an AWS event stream: its prelude has a checksum."""
    return len(data) >= 16 and int.from_bytes(data[8:12], "big") == crc32(data[:8])


def _framed(data: bytes, name: str, framing: Framing) -> Recorded:
    decoder = Decoder(framing)
    try:
        found = [*decoder.feed(data), *decoder.flush()]
    except ReadError as error:
        raise CommandError.of(error, name, USAGE) from error
    return Recorded(name, [(one.event, one.data) for one in found])


def _listed(values: list[tuple[str, Json]], name: str) -> list[Recorded]:
    """Values in a row: recordings of their own, or else a loose list."""
    found = [(place, value, _recorded_one(value, place)) for place, value in values]
    if not any(one for _, _, one in found):
        places = tuple(place for place, _ in values)
        return [Recorded(name, [_event(value) for _, value in values], places=places)]
    return [one or Recorded(place, [_event(value)], whole=True) for place, value, one in found]


def _recorded_one(value: Json, place: str) -> Recorded | None:
    """A recording that says so: an object with `events`, or with a `response` and no `type`."""
    if not isinstance(value, dict):
        return None
    status = value.get("status")
    code = status if isinstance(status, int) else None
    if isinstance(value.get("events"), list):
        return Recorded(place, [_event(one) for one in value["events"]], status=code)
    said = value.get("response")
    if isinstance(said, dict) and "type" not in value:
        return Recorded(place, [(None, said)], whole=True, status=code)
    return None


def _event(value: Json) -> Event:
    """An event as it is, or one that is kept with its name: `{"event": ..., "data": ...}`."""
    if isinstance(value, dict) and "data" in value and value.keys() <= {"event", "data"}:
        name = value.get("event")
        return (name if isinstance(name, str) else None), value["data"]
    return None, value


def _values(
    rows: list[tuple[int, str]], name: str, spoilt: list[CommandError] | None
) -> list[tuple[str, Json]]:
    """The value of each line with its place."""
    found = []
    for number, row in rows:
        place = f"{name}:{number}"
        try:
            found.append((place, loads(row)))
        except ReadError as error:
            failed = CommandError.of(error, place, USAGE)
            if spoilt is None:
                raise failed from error
            spoilt.append(failed)
    return found


def _is_json(row: str) -> bool:
    try:
        loads(row)
    except ReadError:
        return False
    return True


FramingEvent = tuple[
    str | None, Json
]  # its name, if it has one, and its data: JSON, or text as it is


def framed(events: Iterable[FramingEvent], framing: Framing) -> str:
    r"""The body of the stream.

    Frames of AWS are bytes; such a stream becomes JSON lines with names, as `dragoman read` takes
    them.

    >>> framed([("ping", {"a": 1}), (None, "[DONE]")], "sse")
    'event: ping\ndata: {"a": 1}\n\ndata: [DONE]\n\n'
    """
    match framing:
        case "sse":
            return "".join(_server_sent(name, _framing_text(data)) for name, data in events)
        case "ndjson":
            return "".join(f"{_framing_text(data)}\n" for _, data in events)
        case "json-array":
            return f"[{','.join(_framing_text(data) for _, data in events)}]\n"
        case "aws-eventstream":
            return "".join(f"{arguments(plain_event(one))}\n" for one in events)


def plain_event(event: FramingEvent) -> JsonObject:
    """The event as an object."""
    name, data = event
    return {"event": name, "data": data}


def _framing_text(data: Json) -> str:
    return data if isinstance(data, str) else arguments(data)


def _server_sent(name: str | None, text: str) -> str:
    head = f"event: {name}\n" if name is not None else ""
    return head + "".join(f"data: {line}\n" for line in text.split("\n")) + "\n"


_MOST = 100  # events of a recording that are looked at to see whose they are


def bound(one: Recorded, source: str) -> list[tuple[Recorded, Wire | CommandError]]:
    """The recording with the wire that it came from; a list of whole answers as those."""
    try:
        sender = wire(_sender(one) if source == "auto" else source)
    except CommandError as error:
        return [(one, error)]
    if len(one.events) > 1 and one.places and _are_answers(one, sender):
        return [(part, sender) for part in one.each()]
    return [(one, sender)]


def _sender(one: Recorded) -> str:
    """The protocol whose answers look most like it; of those that look alike the first."""
    seen = [(name, data) for name, data in one.payloads() if isinstance(data, dict)][:_MOST]
    rooms = {name: wire(name).room for name in PROTOCOLS}
    counts = {name: sum(room.answers(data, event) for event, data in seen)
              for name, room in rooms.items()}  # fmt: skip
    best = max(counts, key=lambda name: counts[name])
    if not counts[best]:
        raise CommandError(
            f"{one.place}: no wire answers in this shape",
            "errors look alike everywhere; --from WIRE says who answered",
        )
    return best


def _are_answers(one: Recorded, sender: Wire) -> bool:
    """Whether each value is an answer by itself: it ends, and they are not one answer by its id."""
    ids = []
    for name, data in one.events:
        decoder = sender.stream_decoder()
        decoder.feed(data, name)
        resp = decoder.finish()
        if resp.status == "interrupted":
            return False
        ids.append(resp.id)
    return ids[0] is None or len(set(ids)) > 1


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
    text = _bodies_text(file, name, what)
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


def _bodies_text(file: str, name: str, what: str) -> str:
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
