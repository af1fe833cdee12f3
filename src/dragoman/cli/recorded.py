"""What `dragoman read` reads: whole answers, and recordings of streams, from a file or stdin.

How a file is laid out is seen from its bytes and its name; what its events mean, and whether
lines are events of one answer, the wires say. Every refusal names the file, and the line where
there are lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

from ..errors import ReadError
from ..jsontext import Json, loads
from ..sse import Decoder, Framing
from .errors import USAGE, CommandError
from .intake import content, split

__all__ = ["Event", "Recorded", "recorded"]

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
    return [_one(value, name) or Recorded(name, [_event(value)], whole=True)]


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
    found = [(place, value, _one(value, place)) for place, value in values]
    if not any(one for _, _, one in found):
        places = tuple(place for place, _ in values)
        return [Recorded(name, [_event(value) for _, value in values], places=places)]
    return [one or Recorded(place, [_event(value)], whole=True) for place, value, one in found]


def _one(value: Json, place: str) -> Recorded | None:
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
