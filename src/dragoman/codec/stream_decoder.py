"""Reads the answer of one wire event by event (`StreamDecoder`), or whole (`read_whole`).

Sans-IO: the caller fetches bytes and events and passes them in as values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ..errors import AnswerTooLarge, ReadError, by_kind
from ..history.passes.argument_names import ArgumentNames, own_arguments
from ..message import ChatResponse, Origin, Tool, ToolUseBlock, Usage
from ..message.ending import NO_REASON
from ..protocols.base import Reader
from ..stream.builder import Builder, LaterReader, SegmentEnd
from ..stream.framing import Decoder, Framing
from ..stream.odd_values import FAILURES, OddValues
from ..stream.pieces import End, Failed, Key, Part, Piece, Raw, is_error_body, provider_error
from ..stream.restore_calls import CallRestorer
from ..text.json_text import Json, loads
from .sdk_objects import copy_bytes, decode_text, parse_values, plain

_NO_PROPERTIES: Mapping[str, Mapping[str, str]] = MappingProxyType({})
_BLANK = b"\xef\xbb\xbf \t\r\n"
_SHOWN = 300  # bytes of the beginning of a body that are kept
_PARSED = frozenset({dict, list, type(None), bool, int, float})


class StreamDecoder:
    """Takes the events of one answer, gives its pieces, and the whole answer at the end.

    `feed` takes one event, as text or parsed; `feed_bytes` takes bytes of the body, cut anywhere.
    Neither raises for an error of the provider: see `status` and `error` of the answer.
    """

    __slots__ = (
        "_arguments",
        "_done",
        "_frames",
        "_last",
        "_make_reader",
        "_odd_values",
        "_original_tools",
        "_properties",
        "_reader",
        "_restorer",
        "_unsaid_ends",
        "begun_with",
        "builder",
        "framing",
        "max_unread",
        "names",
        "over",
        "stops",
        "unread",
    )

    def __init__(
        self,
        make_reader: Callable[[], Reader],
        builder: Builder,
        framing: Any,
        names: Mapping[str, str],
        properties: Mapping[str, Mapping[str, str]] = _NO_PROPERTIES,
        original_tools: Mapping[str, Tool] = MappingProxyType({}),
        last: tuple[str, tuple[object, ...]] = ("", ()),
        unsaid_ends: frozenset[str] = frozenset(),
    ) -> None:
        self.builder = builder
        self.framing = framing
        self.names = names  # of tools: the wire's spelling -> their own
        self.max_unread: int | None = None  # the largest event in bytes; None for no bound
        self.unread = 0  # bytes since the last event was complete
        self.over = False  # whether the answer's last event has come
        self.stops = False  # whether to ignore bytes after that event
        self.begun_with = b""  # the first bytes of the body, to quote in an error
        self._done = False  # whether `[DONE]` has come
        self._unsaid_ends = unsaid_ends  # see Room.unsaid_ends
        self._last = last  # how the last event is known: see Room.last_events
        self._make_reader = make_reader
        self._reader = make_reader()
        self._odd_values: OddValues | None = None
        self._original_tools = original_tools
        self._restorer = CallRestorer(original_tools) if original_tools else None
        self._frames: Decoder | None = None
        self._properties = properties  # as `names`, of arguments, by the wire's tool names
        self._arguments: dict[Key, tuple[Mapping[str, str], ArgumentNames]] = {}

    @property
    def origin(self) -> Origin | None:
        """The provider and model that answer."""
        return self.builder.origin

    @property
    def usage(self) -> Usage:
        """The tokens used, as far as the provider has reported them."""
        return self.builder.usage

    def feed(self, payload: Any, event: str | None = None) -> list[Piece]:
        """Read one event: JSON text, parsed JSON, or an object of the official SDK."""
        kind = type(payload)
        if kind is str or kind is bytes:
            return self._text(payload, event)
        return self._feed_reader(payload if kind in _PARSED else plain(payload), event)

    def feed_bytes(self, chunk: bytes) -> list[Piece]:
        """Read bytes of the body, and return the pieces of the events that they complete.

        Raises:
            ReadError: For text; decoding a body piece by piece breaks its characters.
            AnswerTooLarge: An event is larger than `max_unread`.
        """
        if type(chunk) is not bytes:
            chunk = copy_bytes(chunk)
        if self._frames is None:
            self._frames = Decoder(self.framing)
        if not self.begun_with:
            self.begun_with = chunk[:_SHOWN]
        pieces: list[Piece] = []
        frames = self._frames.frames(chunk)
        self.unread = 0 if frames else self.unread + len(chunk)
        if self.unread and self.max_unread is not None and self.unread > self.max_unread:
            self.forget()
            text = f"an event of the provider's is larger than {self.max_unread} bytes"
            raise AnswerTooLarge(text, type="event_too_large", hint="raise max_event_bytes")
        for event, data in frames:
            if self.over and self.stops:
                break
            pieces += self._text(data, event)
        return pieces

    def finish(self) -> ChatResponse:
        """The answer, once nothing more will come; also one that broke off."""
        self.rest()
        return self.builder.finish()

    def rest(self) -> list[Piece]:
        """The last pieces, those that the end of the stream completes."""
        pieces: list[Piece] = []
        frames, self._frames = self._frames, None
        for event, data in frames.rest() if frames is not None else ():
            if self.over and self.stops:
                break
            pieces += self._text(data, event)
        try:
            last = self._reader.finish()
        except RecursionError as error:
            raise ReadError("the answer is nested too deeply", code="json.deep") from error
        unfinished = [
            Part(key, ToolUseBlock("", "", raw_input=rest))
            for key, (_, text) in self._arguments.items()
            if (rest := text.rest())
        ]
        self._arguments.clear()
        pieces += self._add_pieces([*unfinished, *last])
        if self._done:
            pieces += self.end_unsaid("done")
        return pieces if self._restorer is None else pieces + self._restorer.finish()

    def begin_segment(self, end: SegmentEnd) -> list[Piece]:
        """End the body read so far; the answer continues in another one.

        The blocks of the next body follow those that have come, and its figures are added.

        Args:
            end: How bodies of this wire continue each other.
        """
        pieces = self.rest()
        last = self.builder.begin_segment(end.token_fields)
        self._reader = LaterReader(self._make_reader(), last, end.cuts_texts)
        self._odd_values = None
        self._restorer = CallRestorer(self._original_tools) if self._original_tools else None
        self.over = self._done = False
        return pieces

    def forget(self) -> None:
        """Drop the bytes of an event that will not be completed."""
        self._frames = None

    def end_unsaid(self, way: str) -> list[Piece]:
        """End the candidates without a reason, on wires whose answers end that way.

        Args:
            way: What has ended the answer; see `Room.unsaid_ends`.
        """
        if way not in self._unsaid_ends or self.builder.failed:
            return []
        return self._add_pieces([End(NO_REASON, index) for index in self.builder.unended])

    def snapshot(self) -> ChatResponse:
        """The answer as it is so far."""
        return self.builder.finish()

    def arguments(self, key: Key) -> Json:
        """The arguments of the call under `key` so far, as a value, to show before it is complete.

        `{"city": "Sam` is `{"city": "Sam"}`. Each call costs time in proportion to the text so far.

        Raises:
            ReadError: There is no call under the key.
        """
        try:
            return self.builder.arguments(key)
        except KeyError:
            raise ReadError("nothing came under this key", code="stream.key") from None

    def _text(self, data: str | bytes, event: str | None) -> list[Piece]:
        try:
            payload = loads(data)
        except ReadError:
            return self._unparsable(decode_text(data), event)
        key, values = self._last
        if values and type(payload) is dict and payload.get(key) in values:
            self.over = True
        try:
            pieces = self._reader.feed(payload, event)
        except FAILURES as error:
            return self._read_rest(payload, event, error)
        return self._add_pieces(pieces)

    def _unparsable(self, text: str, event: str | None) -> list[Piece]:
        if text.strip() in ("", "[DONE]"):
            self._done = self._done or bool(text.strip())
            self.over = self.over or self._done
            return []
        values = parse_values(text)
        if not values:
            is_error = event == "error"  # in plain text instead of JSON
            return self._keep(Failed(provider_error(text)) if is_error else Raw(event, text))
        *earlier, last = values  # the event's name is that of the last
        pieces = [piece for value in earlier for piece in self._feed_reader(value, None)]
        return pieces + self._feed_reader(last, event)

    def _feed_reader(self, payload: Json, event: str | None) -> list[Piece]:
        try:
            pieces = self._reader.feed(payload, event)
        except FAILURES as error:
            return self._read_rest(payload, event, error)
        return self._add_pieces(pieces)

    def _read_rest(self, payload: Json, event: str | None, error: Exception) -> list[Piece]:
        """Read what is readable of an event that failed; return it raw if nothing is."""
        if self.builder.empty:
            self._reader = self._make_reader()  # the failed reader may hold half an event
        self._odd_values = self._odd_values or OddValues()
        pieces = self._odd_values.read_rest(self._reader, payload, event, error)
        if pieces is None and self.builder.unread and is_error_body(payload):
            with suppress(RecursionError):  # an error nested that deeply is no message
                return self._keep(Failed(provider_error(payload, name=event)))
        return self._keep(Raw(event, payload)) if pieces is None else self._add_pieces(pieces)

    def _add_pieces(self, pieces: list[Piece]) -> list[Piece]:
        """Add pieces to the answer, and return them with calls under the tools' own names."""
        add = self.builder.add
        if self._properties:
            pieces = [self._with_own_arguments(piece) for piece in pieces]
        for piece in pieces:
            add(piece)
        if self._restorer is not None:
            pieces = [made for piece in pieces for made in self._restorer.feed(piece)]
        return [_rename_call(piece, self.names) for piece in pieces] if self.names else pieces

    def _with_own_arguments(self, piece: Piece) -> Piece:
        if type(piece) is not Part or type(call := piece.block) is not ToolUseBlock:
            return piece
        known = self._arguments.get(piece.key)
        names = self._properties.get(call.name) or (known[0] if known else None)
        if names is None:
            return piece
        if known is None or piece.whole:
            known = self._arguments[piece.key] = names, ArgumentNames(names)
        return replace(piece, block=own_arguments(call, *known))

    def _keep(self, piece: Piece) -> list[Piece]:
        self.builder.add(piece)
        return [piece]


def _rename_call(piece: Piece, names: Mapping[str, str]) -> Piece:
    if type(piece) is Part and type(call := piece.block) is ToolUseBlock and call.name in names:
        return replace(piece, block=replace(call, name=names[call.name]))
    return piece


def read_whole(
    decoder: StreamDecoder,
    body: Any,
    status: int | None = None,
    has_shape: Callable[[Any], bool] = lambda _: True,
) -> ChatResponse:
    """Read a whole answer with a fresh decoder; see `WireReading.read_response`.

    `has_shape` says whether a body looks like an answer of this wire; an empty answer must.
    """
    is_error = status is not None and status >= 400
    if isinstance(body, (str, bytes)):
        try:
            body = loads(body)
        except ReadError as error:
            if is_error:  # such as a proxy's error page
                raise provider_error(decode_text(body), status) from error
            if (framing := _detect_framing(body)) is None:
                raise
            return _read_events(decoder, body, framing)
    elif type(body) not in _PARSED:
        body = plain(body)
    if type(body) is list and any(type(one) is dict and has_shape(one) for one in body):
        pieces = [piece for event in body for piece in decoder.feed(event)]  # a list of events
    else:
        pieces = decoder.feed(body)
        decoder.end_unsaid("whole")
    resp = decoder.finish()
    failed = next((piece for piece in pieces if type(piece) is Failed), None)
    empty = not any(candidate.msg.blocks for candidate in resp.candidates)
    if failed is not None and empty:
        if failed.error.status is None:
            failed.error.status = status
        raise by_kind(failed.error)
    odd = any(type(piece) is Raw and piece.at for piece in pieces)
    unlike = odd or (empty and resp.status == "interrupted")
    strange = unlike and type(body) is dict and not has_shape(body)
    if strange or all(type(piece) is Raw for piece in pieces):
        if is_error:
            raise provider_error(body, status)
        text = "this is no answer of this wire"
        hint = "check the wire; a recorded stream is read event by event"
        raise ReadError(text, path="$", hint=hint, code="answer.shape")
    return resp


_EVENTS = re.compile(rb"(?:data|event|id|retry)?:")


def _detect_framing(body: str | bytes) -> Framing | None:
    """The framing of a body that a server streamed without being asked; None if it has none."""
    data = (body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body).lstrip(_BLANK)
    if _EVENTS.match(data) is not None:
        return "sse"
    if data[:1] == b"{":
        first = data.splitlines()[0]
        try:
            return "ndjson" if type(loads(first)) is dict else None
        except ReadError:
            return None
    return "aws-eventstream" if b":event-type" in data[:_SHOWN] else None


def _read_events(decoder: StreamDecoder, body: str | bytes, framing: Framing) -> ChatResponse:
    """Read the answer out of a body that holds the events of a stream.

    Raises ProviderError for an error before any content, ReadError if nothing can be read.
    """
    decoder.framing = framing
    data = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    pieces = [*decoder.feed_bytes(data), *decoder.rest()]
    resp = decoder.builder.finish()
    failed = next((piece for piece in pieces if type(piece) is Failed), None)
    if failed is not None and not any(candidate.msg.blocks for candidate in resp.candidates):
        raise by_kind(failed.error)
    if all(type(piece) is Raw for piece in pieces):
        text = "nothing in these events is an answer of this wire"
        raise ReadError(text, path="$", hint="check the wire", code="answer.shape")
    return resp
