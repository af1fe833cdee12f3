"""Exchanges: a request and its answer, as recordings and many loggers have them on a line.

`{"request": {...}, "response": {...}}` or, of a stream, `{"request": {...}, "events": [...]}`, with
any other keys. `request` and `response` may be bodies, or objects with the body (or its text) under
`body`. An answer stays what it was: a whole one is converted to a whole one, events to the events
of the target's streams, and the error of a provider to an error as the target reports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ... import message as tree
from ...analysis.fidelity import read_event
from ...codec.wire import Wire
from ...conversion.detection import detect, detect_stream
from ...conversion.stream_converter import StreamConverter
from ...conversion.wires import find_wire
from ...errors import ProviderError, ReadError
from ...history.pipeline import FormatStyle
from ...losses import Report
from ...losses import policy as policy_of
from ...message import ChatRequest, ChatResponse, ToolUseBlock, Written
from ...stream.pieces import Raw
from ...text.json_text import Json, JsonObject, loads
from ...vendors import PROTOCOLS
from .record_report import Moves, RecordReport, errors_in_record, move_losses

Event = tuple[str | None, Json]

_QUIET = policy_of("ignore")
_AS_READ = FormatStyle(fetch_read=True)
BODIES = ("request", "response", "events")
_ADDRESSES = ("path", "url_path", "url")  # keys of where the request went
# whose errors are no answers of its own: an error of HTTP has the form that its sibling's has
_ERRORS = {"openai-responses": "openai-chat"}


def claims(record: JsonObject) -> bool:
    """Whether a record has a request beside an answer, or a key for one."""
    asked = "request" in record and ("response" in record or "events" in record)
    return asked and (
        isinstance(record["request"], dict)
        or isinstance(record.get("response"), (dict, str))
        or isinstance(record.get("events"), list)
    )


@dataclass(slots=True)
class ExchangeParts:
    """What an exchange holds.

    Attributes:
        reader: The wire of its bodies.
        request: The request; None if it was not recorded.
        answer: The whole answer; None if there is none, or another form of it.
        events: The events of a streamed answer, each with its name if it has one.
        error: The provider's error.
        moves: Where the request and the answer are in the record.
    """

    reader: Wire
    request: ChatRequest | None = None
    answer: ChatResponse | None = None
    events: list[Event] | None = None
    error: ProviderError | None = None
    request_moves: Moves = ()
    answer_moves: Moves = ()
    shape: dict[str, bool] = field(default_factory=dict)  # which are below `body`


def read(record: JsonObject, source: str, keep: str = "") -> ExchangeParts:
    """Read an exchange.

    Args:
        record: The record.
        source: The wire of its bodies; "auto" looks at the request, or at the answer without one.
        keep: The protocol for which it is read; of the same one, a body is written as it was.

    Raises:
        ReadError: It is none of this wire.
    """
    asked, request_path = _body(record, "request")
    told, answer_path = _body(record, "response")
    events = record.get("events")
    pairs = [read_event(event) for event in events] if isinstance(events, list) else None
    path = next((record[key] for key in _ADDRESSES if isinstance(record.get(key), str)), None)
    reader = _find_reader(record, source, asked, told, pairs, path)
    exchange = ExchangeParts(
        reader,
        request_moves=[("$", request_path)],
        answer_moves=[("$", answer_path if pairs is None or told is not None else "$.events")],
        shape={"request": request_path != "$.request", "response": answer_path != "$.response"},
    )
    if asked is not None:
        add_request(exchange, asked, path, keep=keep == reader.room.protocol)
    add_answer(exchange, told, pairs, _status(record))
    return exchange


def add_request(exchange: ExchangeParts, body: Any, path: str | None, *, keep: bool) -> None:
    """Read the request of an exchange."""
    with errors_in_record(exchange.request_moves):
        exchange.request = exchange.reader._read(body, path, None, keep=keep, watched=False)


def add_answer(
    exchange: ExchangeParts, told: Any, events: list[Event] | None, status: int | None
) -> None:
    """Read the answer of an exchange, which may be an error."""
    with errors_in_record(exchange.answer_moves):
        _read_answer(exchange, told, events, status)


def _status(record: JsonObject) -> int | None:
    response = record.get("response")
    inner = response if isinstance(response, dict) and "body" in response else {}
    numbers = (row.get(key) for row in (record, inner) for key in ("status", "status_code"))
    return next((number for number in numbers if type(number) is int), None)


def _body(record: JsonObject, key: str) -> tuple[Any, str]:
    """The body below a key, and its path; a text is JSON, or what a provider said of a failure."""
    value, path = record.get(key), f"$.{key}"
    if isinstance(value, dict) and "body" in value:
        value, path = value["body"], f"{path}.body"
    if isinstance(value, str):
        try:
            value = loads(value)
        except ReadError:
            return value, path
    return value, path


def _find_reader(
    record: JsonObject,
    source: str,
    asked: Any,
    told: Any,
    events: list[Event] | None,
    path: str | None,
) -> Wire:
    if source != "auto":
        return find_wire(source)
    if isinstance(name := record.get("protocol"), str) and name in PROTOCOLS:
        return find_wire(name)
    if asked is not None:
        return find_wire(detect(asked, path).wire)
    if told is not None:
        return find_wire(detect(told, kind="response").wire)
    return detect_stream(iter(events or ()))[0]


def _read_answer(
    exchange: ExchangeParts, told: Any, events: list[Event] | None, status: int | None
) -> None:
    """Read the answer, which may be an error."""
    reader = exchange.reader
    if told is None and events is None:
        return
    if told is None:
        exchange.events = events
        return
    if isinstance(told, str):
        if status is None or status < 400:
            raise ReadError("the answer is a text, and no JSON", path="$", code="answer.shape")
        exchange.error = reader.error(status, told)
        return
    try:
        exchange.answer = reader.read_response(told, status=status)
    except ProviderError as error:
        exchange.error = error


def read_whole_answer(exchange: ExchangeParts) -> ChatResponse | None:
    """The answer of an exchange, whole or of its events; None without one.

    Raises ProviderError if the provider failed, ReadError for events of another wire.
    """
    if exchange.error is not None:
        raise exchange.error
    if exchange.events is None:
        return exchange.answer
    decoder = exchange.reader.stream_decoder()
    read = False
    for name, data in exchange.events:
        for piece in decoder.feed(data, name):
            read = read or type(piece) is not Raw
    answer = decoder.finish()
    if answer.error is not None:
        raise answer.error
    if not read:
        raise _no_stream(exchange)
    return answer


@dataclass(slots=True)
class WrittenParts:
    """Both bodies of an exchange for the target, and the losses.

    Attributes:
        request: The request; None if there is none.
        response: The answer, or the error as the target reports it.
        events: The events of a streamed answer.
        reports: The losses.
    """

    request: Written | None = None
    response: JsonObject | None = None
    events: list[Json] | None = None
    reports: list[Report] = field(default_factory=list)


def write_parts(exchange: ExchangeParts, target: Wire, model: str | None) -> WrittenParts:
    """Write what an exchange holds for another wire.

    Args:
        exchange: The exchange.
        target: The wire for which it is written.
        model: The model to ask, and that answers.

    Raises:
        WriteError: The request cannot be written for the target.
    """
    parts = WrittenParts()
    asked: ChatRequest | None = None
    if (request := exchange.request) is not None:
        moves = exchange.request_moves
        report = RecordReport(request.messages, request, tree.places, target.name, moves)
        parts.reports.append(report)
        with errors_in_record(moves):
            parts.request = written = target.write_request(
                request, model, style=_AS_READ, policy=_QUIET, report=report
            )
        if exchange.answer is not None or exchange.events is not None:
            asked = target._read(written.body, written.path, None, keep=True, watched=False)
    if exchange.error is not None:
        parts.response = write_error(exchange.error, target)
    elif exchange.answer is not None:
        names = {own: name for name, own in parts.request.names.items()} if parts.request else {}
        answer = _rename(exchange.answer, names)
        report = RecordReport((), answer, tree.answer_places, target.name, exchange.answer_moves)
        parts.response = target.write_response(
            replace(answer, model=model or answer.model), asked, policy=_QUIET, report=report
        ).body
        parts.reports.append(report)
    if exchange.events is not None:
        converter = StreamConverter(exchange.reader, target, model, _QUIET, asked)
        converter.encoder.report.second = 0  # a record is the same whenever it is converted
        events = _convert_events(exchange, converter)
        # the text behind the last event is a part of the framing
        parts.events = [_event(*event) for event in events if not isinstance(event[1], str)]
        parts.reports.append(move_losses(converter.losses, target.name, exchange.answer_moves))
    return parts


def convert_exchange(
    record: JsonObject, source: str, target: Wire, model: str | None
) -> tuple[JsonObject, list[Report]]:
    """Convert both bodies of an exchange.

    Args:
        record: The exchange.
        source: The wire of its bodies, or "auto".
        target: The wire for which they are written.
        model: The model to ask, and that answers.

    Returns:
        A record with the same keys, and the losses.

    Raises:
        ReadError: It is none of this wire.
        WriteError: The request cannot be written for the target.
    """
    exchange = read(record, source, target.room.protocol)
    parts = write_parts(exchange, target, model)
    result = dict(record)
    if parts.request is not None:
        _put(result, "request", parts.request.body, exchange.shape["request"])
        for key in _ADDRESSES:
            if isinstance(record.get(key), str):
                result[key] = parts.request.path
    if isinstance(record.get("protocol"), str) and record["protocol"] in PROTOCOLS:
        result["protocol"] = target.room.protocol
    if parts.response is not None:
        _put(result, "response", parts.response, exchange.shape["response"])
    if parts.events is not None:
        result["events"] = parts.events
    return result, parts.reports


def _put(result: JsonObject, key: str, body: JsonObject, below: bool) -> None:
    result[key] = {**result[key], "body": body} if below else body


def _rename(answer: ChatResponse, names: dict[str, str]) -> ChatResponse:
    """The answer with the names that the tools have in the request that was written."""
    if not names:
        return answer
    candidates = []
    for candidate in answer.candidates:
        blocks = [
            replace(block, name=names[block.name])
            if type(block) is ToolUseBlock and block.name in names
            else block
            for block in candidate.msg.blocks
        ]
        m = candidate.msg
        msg = tree.Msg.create_unchecked(m.name, blocks, m.role, m)
        candidates.append(replace(candidate, msg=msg))
    return replace(answer, candidates=candidates)


def write_error(error: ProviderError, target: Wire) -> JsonObject:
    """The error as the target's API reports it, with an HTTP status and in place of an answer."""
    name = _ERRORS.get(target.room.protocol)
    wire = target if name is None else find_wire(name)
    failed = ChatResponse([], status="error", error=error)
    body = wire.write_response(failed, policy=_QUIET).body
    return {"error": body["error"]} if "failed" in wire.room.failures else body


def _convert_events(exchange: ExchangeParts, converter: StreamConverter) -> Iterator[Event]:
    read = False
    for name, data in exchange.events or ():
        pieces = converter.decoder.feed(data, name)
        read = read or any(type(piece) is not Raw for piece in pieces)
        yield from converter.pieces(pieces)
    rest = converter.decoder.rest()
    if not read and not any(type(piece) is not Raw for piece in rest):
        raise _no_stream(exchange)
    yield from converter.pieces(rest)
    yield from converter.settle()
    yield from converter.end()


def _no_stream(exchange: ExchangeParts) -> ReadError:
    text = f"these are no events of {exchange.reader.name}"
    hint = "name the wire of the records with --from, source=..."
    return ReadError(text, path="$.events", code="stream.shape", hint=hint)


def _event(name: str | None, data: Json) -> Json:
    """The data of an event, with its name where the data does not repeat it."""
    if name is None or (isinstance(data, dict) and data.get("type") == name):
        return data
    return {"event": name, "data": data}
