"""Reads recordings of providers' answers and streams, and finds their wires.

A file is JSON, JSON lines, server-sent events or an AWS event stream, compressed or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any
from zlib import crc32

from ..analysis.fidelity import Event, read_event
from ..codec.stream_decoder import StreamDecoder
from ..codec.wire import Wire
from ..errors import ReadError
from ..stream.framing import Decoder, Framing
from ..stream.pieces import Piece, Raw
from ..text.json_text import Json, loads
from ..vendors import PROTOCOLS, wire
from . import inputs
from .output import CommandError, errors_at
from .sources import InputFile


@dataclass(slots=True)
class RecordedAnswer:
    """A provider's answer, and its place.

    Attributes:
        place: The file, and the line if there are lines.
        events: The events of a stream, or the one body of a whole answer.
        whole: Whether it is a whole answer.
        places: The places of several values, each of which may be an answer of its own.
        status: The status of HTTP, if it was recorded.
        protocol: The name of the wire, if it was recorded.
    """

    place: str
    events: list[Event]
    whole: bool = False
    places: tuple[str, ...] = ()
    status: int | None = None
    protocol: str | None = None


_SSE_FIELDS = (
    b"data:",
    b"event:",
    b"id:",
    b"retry:",
    b":",
)  # how lines of such a stream begin
_PRELUDE = 16  # bytes of an AWS event stream that identify it
_MOST = 100  # events of a recording that are checked to find their protocol


def read_recordings(file: str) -> list[RecordedAnswer]:
    """The answers and streams in a file. Raises CommandError for what cannot be read."""
    found = recordings(inputs.open_source(file, "an answer, or a recorded stream"))
    result: list[RecordedAnswer] = []
    for recording in found:
        if isinstance(recording, CommandError):
            raise recording
        result.append(recording)
    return result


def recordings(source: InputFile) -> Iterator[RecordedAnswer | CommandError]:
    """The answers and streams of a source, one by one if each is on a line.

    The first lines show whether each is an answer or a recording, or all of them are the events of
    one stream. A line that is no JSON is an error in its place. Raises CommandError for a source
    that cannot be read at all.
    """
    rows = source.rows()
    head: list[bytes] = []
    first = b""
    for row in rows:
        head.append(row)
        first = first or row.strip()
        if first and sum(map(len, head)) >= _PRELUDE:
            break
    data = b"".join(head)
    if is_aws_frame(data):
        yield _split_frames(b"".join([data, *rows]), source.name, "aws-eventstream")
        return
    if not source.has_lines and first.startswith(_SSE_FIELDS):
        data = b"".join([data, *rows])
        inputs.text_in(data, source.name, "answers are")
        yield _split_frames(data, source.name, "sse")
        return
    found, lines = inputs.values(source, "answers are", chain(head, rows))
    if lines:
        yield from _on_lines(source.name, map(inputs.parse_line, found))
        return
    [entry] = map(inputs.parse_line, found)
    value: Any = entry.value
    if isinstance(value, list):
        yield from _of_values(source.name, inputs.elements(value, source.name))
    else:
        yield _recording(value, entry.place) or RecordedAnswer(
            entry.place, [read_event(value)], True
        )


def is_aws_frame(data: bytes) -> bool:
    """Whether an AWS event stream begins like this: the prelude of a frame has a checksum."""
    return len(data) >= _PRELUDE and int.from_bytes(data[8:12], "big") == crc32(data[:8])


def _on_lines(
    name: str, entries: Iterator[inputs.Entry]
) -> Iterator[RecordedAnswer | CommandError]:
    head = list(islice(entries, inputs.HEAD))
    rest = next(entries, None)
    if rest is None or not _say_each(head):
        yield from _of_values(name, [*head, *([] if rest is None else [rest]), *entries])
        return
    for entry in chain(head, [rest], entries):
        yield from _of_values(name, [entry], alone=True)


def _say_each(entries: list[inputs.Entry]) -> bool:
    """Whether each of these lines is an answer or a recording, and not all one stream together."""
    found = [e for e in entries if not isinstance(e.value, CommandError)]
    if any(_recording(entry.value, entry.place) for entry in found):
        return True
    events = [read_event(entry.value) for entry in found]
    together = RecordedAnswer("", events, places=tuple(entry.place for entry in found))
    try:
        return len(events) > 1 and _are_answers(together, wire(_answering(together)))
    except CommandError:
        return False


def _of_values(
    name: str, entries: list[inputs.Entry], alone: bool = False
) -> Iterator[RecordedAnswer | CommandError]:
    """The recordings in values: each value that has the form of one, else all of them as one."""
    values: list[tuple[str, Json]] = []
    for entry in entries:
        if isinstance(entry.value, CommandError):
            yield entry.value
        else:
            values.append((entry.place, entry.value))
    found = [_recording(value, place) for place, value in values]
    if any(found) or alone:
        for (place, value), recording in zip(values, found, strict=True):
            yield recording or RecordedAnswer(place, [read_event(value)], whole=True)
    elif values or not entries:  # a plain list, whose values are no recordings
        places = tuple(place for place, _ in values)
        yield RecordedAnswer(name, [read_event(value) for _, value in values], places=places)


def _split_frames(data: bytes, name: str, framing: Framing) -> RecordedAnswer:
    decoder = Decoder(framing)
    with errors_at(name):
        frames = [*decoder.feed(data), *decoder.flush()]
    return RecordedAnswer(name, [(frame.event, frame.data) for frame in frames])


def _recording(value: Json, place: str) -> RecordedAnswer | None:
    """The recording of an object with `events`, or with a `response` and no `type`."""
    if not isinstance(value, dict):
        return None
    number = value.get("status")
    status = number if isinstance(number, int) else None
    name = value.get("protocol")
    protocol = name if isinstance(name, str) and name in PROTOCOLS else None
    if isinstance(value.get("events"), list):
        events = [read_event(event) for event in value["events"]]
        return RecordedAnswer(place, events, status=status, protocol=protocol)
    response = value.get("response")
    if isinstance(response, dict) and "type" not in value:
        return RecordedAnswer(
            place, [(None, response)], whole=True, status=status, protocol=protocol
        )
    return None


def with_sender(
    recording: RecordedAnswer, source: str
) -> list[tuple[RecordedAnswer, Wire | CommandError]]:
    """The recording with its wire; a list of whole answers becomes one recording for each."""
    try:
        home = wire(sender_name(recording, source))
    except CommandError as error:
        return [(recording, error)]
    if len(recording.events) > 1 and recording.places and _are_answers(recording, home):
        answers = zip(recording.places, recording.events, strict=True)
        return [(RecordedAnswer(place, [event], whole=True), home) for place, event in answers]
    return [(recording, home)]


def sender_name(recording: RecordedAnswer, source: str) -> str:
    """The name of a recording's wire: `source`, or with "auto" the recorded or most similar one."""
    return source if source != "auto" else recording.protocol or _answering(recording)


def _answering(recording: RecordedAnswer) -> str:
    """The protocol whose answers the recording looks most like; the first of equal ones."""
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


def _payloads(recording: RecordedAnswer) -> Iterator[Event]:
    """The events whose data is JSON, parsed."""
    for name, data in recording.events:
        try:
            yield name, loads(data) if isinstance(data, (str, bytes)) else data
        except ReadError:
            continue


def _are_answers(recording: RecordedAnswer, home: Wire) -> bool:
    """Whether each value is an answer of its own: it ends, and the ids are not all the same."""
    ids = []
    for name, data in recording.events:
        decoder = home.stream_decoder()
        decoder.feed(data, name)
        resp = decoder.finish()
        if resp.status == "interrupted":
            return False
        ids.append(resp.id)
    return ids[0] is None or len(set(ids)) > 1


def read_pieces(
    recording: RecordedAnswer, decoder: StreamDecoder, home: Wire
) -> Iterator[list[Piece]]:
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
