"""The exchanges in a file: requests and answers, recordings, sessions, messages, spans.

The content decides what it is; the file's name decides only whether each line is a value.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from ..agent_logs import SessionLog, read_session_log
from ..analysis.fidelity import Event, Record, read_event, record
from ..caches import remember
from ..codec.wire import Wire
from ..conversion.detection import detect
from ..errors import DragomanError, ReadError
from ..message import ChatRequest, Msg, load
from ..stream.framing import Decoder, Framing
from ..text.json_text import Json, JsonObject, loads
from ..vendors import PROTOCOLS, VENDORS, vendor, wire
from .exchange import PageExchange, Recorded, UpstreamCall, to_text
from .spans import read_span_file

MOST = 256 * 1024 * 1024  # bytes of a file that is opened, also after decompression
_GZIP = b"\x1f\x8b"
_BINARY = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"SQLite format 3", "an SQLite database"),
)
_SSE_FIELDS = ("data:", "event:", "id:", "retry:", ":")  # how lines of such a stream begin
_LINES = (".jsonl", ".ndjson")
_HINT = "give a request, an answer, a stream, a recording, a session log, spans, or messages"
_MOST = 100  # events that are checked to find their protocol


def read_exchanges(data: bytes, name: str) -> list[PageExchange]:
    """The exchanges in a file, in their order. Raises ReadError if there are none."""
    data = _unpack_gzip(data)
    # a frame of an AWS event stream begins with a prelude that has a checksum
    if len(data) >= 16 and int.from_bytes(data[8:12], "big") == zlib.crc32(data[:8]):
        return [_stream(_split_frames(data, "aws-eventstream"), name)]
    text = _text(data)
    first = text.lstrip()[:64]
    if not first:
        raise ReadError("there is nothing in it", hint=_HINT)
    if first.startswith(_SSE_FIELDS):  # no JSON begins like this
        return [_stream(_split_frames(data, "sse"), name)]
    if (spans := read_span_file(text, name)) is not None:
        return spans
    values, lines = _values(text, name)
    if (log := _session_log(values[0][1], text, name)) is not None:
        return _sessions(log, name)
    if lines or (isinstance(values[0][1], list) and not _is_messages(values[0][1])):
        return _rows(values if lines else _elements(values[0][1], name), name)
    return [_value(values[0][1], name)]


def _unpack_gzip(data: bytes) -> bytes:
    """The content of a gzip file, which may have several parts; other bytes unchanged."""
    if not data.startswith(_GZIP):
        return data
    unpacked, view, at = bytearray(), memoryview(data), 0
    for _ in range(_PARTS):
        part = zlib.decompressobj(31)
        while not part.eof and at < len(view):
            piece = view[at : at + _PIECE]  # zlib returns the bytes after a part as a copy
            try:
                unpacked += part.decompress(piece, MOST + 1 - len(unpacked))
            except zlib.error as error:
                raise ReadError(f"the gzip file is broken: {error}") from error
            if len(unpacked) > MOST:
                raise ReadError(f"unpacked it has more than {MOST} bytes")
            at += len(piece) - len(part.unused_data)
        if not part.eof:
            raise ReadError("the gzip file breaks off", hint="copy it once more")
        if not data.startswith(_GZIP, at):
            return bytes(unpacked)
    raise ReadError(f"the gzip file has more than {_PARTS} parts", hint="pack it anew, in one")


# parts of a gzip file: tools that allow random access begin one every 64 KiB
_PARTS, _PIECE = 10_000, 4096


def _text(data: bytes) -> str:
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        kind = next((kind for head, kind in _BINARY if data.startswith(head)), "")
        text = f"it is {kind}" if kind else f"byte {error.start} is no UTF-8"
        raise ReadError(text, hint="a recording is JSON in UTF-8, or an event stream") from error


def _split_frames(data: bytes, framing: Framing) -> list[Event]:
    decoder = Decoder(framing)
    return [(frame.event, frame.data) for frame in (*decoder.feed(data), *decoder.flush())]


def _values(text: str, name: str) -> tuple[list[tuple[str, Any]], bool]:
    """(place, value) of each value, and whether each is a line; a broken one is an error."""
    # not splitlines: JSON strings may contain U+2028 unescaped
    rows = [(f"{name}:{i}", row) for i, row in enumerate(text.split("\n"), 1) if row.strip()]
    if PurePath(name).suffix not in _LINES or len(rows) == 1:
        try:
            return [(name, loads(text))], False
        except ReadError:
            if len(rows) == 1 or isinstance(_parse_row(rows[0][1]), ReadError):
                raise
    return [(place, _parse_row(row)) for place, row in rows], True


def _parse_row(row: str) -> Any:
    try:
        return loads(row)
    except ReadError as error:
        return error


def _elements(values: list[Json], name: str) -> list[tuple[str, Any]]:
    return [(f"{name}: $[{i}]", value) for i, value in enumerate(values)]


# -- several values ---------------------------------------------------------------------------


def _rows(values: list[tuple[str, Any]], name: str) -> list[PageExchange]:
    """Recordings or bodies, one in each row; or the events of one stream; or messages."""
    whole = [value for _, value in values if not isinstance(value, ReadError)]
    if not values:
        raise ReadError("an empty list is no conversation", hint=_HINT)
    if not whole:
        raise values[0][1]
    broken = [
        PageExchange(place, fault=str(value))
        for place, value in values
        if isinstance(value, ReadError)
    ]
    if all(isinstance(value, dict) and _is_said(value) for value in whole):
        return [_value(whole, name), *broken]
    if not any(record(value) or _is_body(value) or _is_messages(value) for value in whole):
        return [_stream([read_event(value) for value in whole], name), *broken]
    result = []
    for place, value in values:
        try:
            if isinstance(value, ReadError):
                raise value
            result.append(_value(value, place))
        except DragomanError as error:
            result.append(PageExchange(place, fault=str(error)))
    return result


def _is_body(value: Json) -> bool:
    try:
        return isinstance(value, dict) and bool(detect(value))
    except ReadError:
        return False


def _is_message(value: JsonObject) -> bool:
    if "dragoman" in value:
        return value.get("kind") == "message"
    return {"role", "content", "name"} <= value.keys() and "model" not in value


def _is_said(value: JsonObject) -> bool:
    """Whether it is one message, of this library or of a chat; an answer names its model."""
    said = "content" in value or "tool_calls" in value
    return _is_message(value) or ("role" in value and said and "model" not in value)


def _is_messages(value: Any) -> bool:
    """Whether it is a list of messages, of this library or of a chat."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and ("role" in item or "dragoman" in item) for item in value)
    )


def _message(value: JsonObject) -> Msg:
    if "dragoman" not in value:
        return Msg.from_dict(value)
    msg = load(value)
    if not isinstance(msg, Msg):
        raise ReadError("a stored value that is no message", code="message.type")
    return msg


# -- one value --------------------------------------------------------------------------------


def _value(value: Any, place: str) -> PageExchange:
    """The exchange in a value. Raises ReadError or InvalidMessage if there is none."""
    if _is_messages(value):
        if all(_is_message(item) for item in value):
            return PageExchange(place, own=ChatRequest([_message(item) for item in value]))
        value = {"messages": value}
        return PageExchange(place, home=_get_wire("openai-chat"), body=value)
    if not isinstance(value, dict):
        raise ReadError(f"{_kind(value)} is no conversation", hint=_HINT)
    if "dragoman" in value:
        return _read_stored(value, place)
    if (row := record(value)) is not None:
        return _read_recorded(value, row, place)
    try:
        home = _get_wire(detect(value).wire)
    except ReadError as error:
        return PageExchange(place, answer=_answer([(None, value)], True, None, error))
    return PageExchange(place, home=home, body=value, model=to_text(value.get("model")))


def _kind(value: Json) -> str:
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case str():
            return "a text"
        case list():
            return "such a list"
        case _:
            return "a number"


def _read_stored(value: JsonObject, place: str) -> PageExchange:
    stored = load(value)
    if isinstance(stored, (Msg, list)):
        return PageExchange(
            place, own=ChatRequest(stored if isinstance(stored, list) else [stored])
        )
    if isinstance(stored, ChatRequest):
        return PageExchange(place, own=stored, model=stored.model or "")
    return PageExchange(place, own=ChatRequest([stored.msg]), model=stored.model or "")


def _read_recorded(value: JsonObject, row: Record, place: str) -> PageExchange:
    home = _home(value, row.path, row.request) if row.request is not None else None
    answer = None
    if row.events:
        events = list(row.events)
        answer = _answer(events, False, row.status, None, home or _home(value, row.path, None))
    elif row.response is not None:
        events = [(None, row.response)]
        answer = _answer(events, True, row.status, None, home or _home(value, row.path, None))
    model = to_text(value.get("model")) or to_text((row.request or {}).get("model"))
    losses = value.get("losses")
    return PageExchange(
        place,
        home,
        row.request,
        row.path,
        None,
        answer,
        _upstream(value.get("upstream")),
        [loss for loss in losses if isinstance(loss, dict)] if isinstance(losses, list) else [],
        to_text(value.get("session")),
        to_text(value.get("id")),
        to_text(value.get("follows")),
        model,
        to_text(value.get("client")),
        to_text(value.get("time")),
        _error(value.get("error")),
    )


def _error(value: Any) -> str:
    """The error that a gateway recorded, as text."""
    if not isinstance(value, dict):
        return to_text(value)
    return ": ".join(filter(None, (to_text(value.get("kind")), to_text(value.get("message")))))


def _upstream(value: Any) -> UpstreamCall | None:
    if not isinstance(value, dict):
        return None
    home = _home(value, to_text(value.get("url_path")) or None, value.get("request"))
    return UpstreamCall(home.name if home is not None else "", value)


def _home(row: JsonObject, path: str | None, body: Any) -> Wire | None:
    """The wire that a recording names, or else the one that its request looks like."""
    protocol = row.get("protocol")
    host = row.get("vendor") if "upstream" not in row else None  # a gateway records the provider's
    if isinstance(protocol, str) and protocol in PROTOCOLS:
        if isinstance(host, str) and host in VENDORS and protocol in (rows := vendor(host).wires):
            return _get_wire(host if next(iter(rows)) == protocol else f"{host}/{protocol}")
        return _get_wire(protocol)
    return _get_wire(detect(body, path).wire) if isinstance(body, dict) else None


@remember("wires that the page names", entries=64, size=2**16)
def _get_wire(name: str) -> Wire:
    return wire(name, policy="ignore", fetch=None)


# -- answers ----------------------------------------------------------------------------------


def _stream(events: list[Event], place: str) -> PageExchange:
    return PageExchange(place, answer=_answer(events, False))


def _answer(
    events: list[Event],
    whole: bool,
    status: int | None = None,
    error: ReadError | None = None,
    home: Wire | None = None,
) -> Recorded:
    """The answer, with the protocol that it looks most like, unless that is known."""
    if home is None:
        payloads = list(_payloads(events[:_MOST]))
        counts = {
            name: sum(_get_wire(name).room.answers(data, event) for event, data in payloads)
            for name in PROTOCOLS
        }
        best = max(counts, key=counts.__getitem__)
        if not counts[best]:
            text = "no wire has requests, answers or events in this shape"
            raise ReadError(text, path="$", hint=_HINT, code="request.shape") from error
        home = _get_wire(best)
    return Recorded(home, events, whole, status)


def _payloads(events: list[Event]) -> Iterator[tuple[str | None, JsonObject]]:
    for name, data in events:
        try:
            value = loads(data) if isinstance(data, (str, bytes)) else data
        except ReadError:  # such as [DONE]
            continue
        if isinstance(value, dict):
            yield name, value


# -- logs of coding agents --------------------------------------------------------------------


def _session_log(first: Any, text: str, name: str) -> SessionLog | None:
    """The log, if the text is one; bodies and recordings are recognized by their first keys."""
    if not isinstance(first, dict) or "model" in first or "dragoman" in first or record(first):
        return None
    try:
        return read_session_log(text, name)
    except ReadError:  # rows that no agent writes: something else, or nothing
        return None


def _sessions(log: SessionLog, place: str) -> list[PageExchange]:
    """The conversation of a session, and those of the agents that it called."""
    request = ChatRequest(log.messages, tools=list(log.tools))
    own = PageExchange(
        place,
        own=request,
        agent=log.agent,
        model=log.model or "",
        session=log.session,
        skipped=log.skipped,
        compactions=log.compactions,
    )
    called = [
        exchange
        for number, inner in enumerate(log.sidechains, 1)
        for exchange in _sessions(inner, f"{place}: called agent {number}")
    ]
    return [own, *called]
