"""StreamDecoder: the events of one answer in, its pieces out; and a whole answer through it.

Sans-IO: bytes and events come in as values, whoever fetched them.
"""

from __future__ import annotations

import re
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import replace
from inspect import isawaitable
from types import MappingProxyType, TracebackType
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from ..errors import (
    AnswerTooLarge,
    ConfigError,
    ProviderError,
    ReadError,
    StreamBroken,
    by_kind,
)
from ..history.passes.argument_names import ArgumentNames, own_arguments
from ..message import ChatResponse, Origin, Tool, ToolUseBlock, Usage
from ..message.ending import NO_REASON
from ..protocols.base import Reader
from ..stream.builder import Builder, LaterReader
from ..stream.events import EventView, StreamEvent
from ..stream.framing import Decoder, Framing
from ..stream.odd_values import FAILURES, OddValues
from ..stream.pieces import End, Failed, Key, Part, Piece, Raw, is_error_body, provider_error
from ..stream.restore_calls import CallRestorer
from ..text.json_text import Json, loads
from .sdk_objects import copy_bytes, decode_text, parse_values, plain

_NO_PROPERTIES: Mapping[str, Mapping[str, str]] = MappingProxyType({})
_BLANK = b"\xef\xbb\xbf \t\r\n"
_SHOWN = 300  # bytes of the beginning of a body
_PARSED = frozenset({dict, list, type(None), bool, int, float})


class StreamDecoder:
    """The events of one answer, in; its pieces, out; the whole answer at the end.

    `feed` takes one event, as text or parsed; `feed_bytes` takes the bytes of the body, cut
    anywhere. Neither raises for what the provider said: see `status` and `error` of the answer.
    """

    __slots__ = (
        "_arguments",
        "_done",
        "_frames",
        "_last",
        "_make_reader",
        "_meant",
        "_odd_values",
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
        meant: Mapping[str, Tool] = MappingProxyType({}),
        last: tuple[str, tuple[object, ...]] = ("", ()),
        unsaid_ends: frozenset[str] = frozenset(),
    ) -> None:
        self.builder = builder
        self.framing = framing
        self.names = names  # of tools: as the wire spells them -> as they are called
        self.max_unread: int | None = None  # the bound of the next
        self.unread = 0  # bytes since the last piece of the body that completed an event
        self.over = False  # the event has come behind which nothing of an answer comes
        self.stops = False  # whether bytes behind that event are left unread
        self.begun_with = b""  # the first bytes of the body, for an error that tells of it
        self._done = False  # the sign `[DONE]` has come
        self._unsaid_ends = unsaid_ends  # see Room.unsaid_ends
        self._last = last  # how it is known: see Room.last_events
        self._make_reader = make_reader
        self._reader = make_reader()
        self._odd_values: OddValues | None = None
        self._meant = meant
        self._restorer = CallRestorer(meant) if meant else None
        self._frames: Decoder | None = None
        self._properties = properties  # of arguments, by the wire's names of tools, likewise
        self._arguments: dict[Key, tuple[Mapping[str, str], ArgumentNames]] = {}

    @property
    def origin(self) -> Origin | None:
        """Who answers."""
        return self.builder.origin

    @property
    def usage(self) -> Usage:
        """How much was used, as far as it was told."""
        return self.builder.usage

    def feed(self, payload: Any, event: str | None = None) -> list[Piece]:
        """The pieces of one event: JSON text, parsed JSON, or an object of the official SDK."""
        kind = type(payload)
        if kind is str or kind is bytes:
            return self._text(payload, event)
        return self._feed_reader(payload if kind in _PARSED else plain(payload), event)

    def feed_bytes(self, chunk: bytes) -> list[Piece]:
        """The pieces of the events that these bytes of the body complete.

        Raises ReadError for text: whoever decodes a body in pieces breaks its characters.
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
        if self.max_unread is not None and self.unread > self.max_unread:
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
        """The pieces that the end of the stream completes."""
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

    def begin_segment(self, token_fields: Sequence[str] = ()) -> list[Piece]:
        """The pieces that end what has come; the rest of the answer comes in another body.

        Its blocks stand behind those that have come, and its figures are added to theirs.

        Args:
            token_fields: See `Room.token_fields`.
        """
        pieces = self.rest()
        last = self.builder.begin_segment(token_fields)
        self._reader, self._odd_values = LaterReader(self._make_reader(), last), None
        self._restorer = CallRestorer(self._meant) if self._meant else None
        self.over = self._done = False
        return pieces

    def forget(self) -> None:
        """Let go of the bytes of an event that will not be whole."""
        self._frames = None

    def end_unsaid(self, way: str) -> list[Piece]:
        """The ends of what has come, where answers of this wire end so without saying why.

        Args:
            way: What has ended it; see `Room.unsaid_ends`.
        """
        if way not in self._unsaid_ends or self.builder.failed:
            return []
        return self._add_pieces([End(NO_REASON, index) for index in self.builder.unended])

    def snapshot(self) -> ChatResponse:
        """The answer as it is so far."""
        return self.builder.finish()

    def arguments(self, key: Key) -> Json:
        """What the call under `key` says so far, as a value: for whoever shows it meanwhile.

        `{"city": "Sam` is `{"city": "Sam"}`. Each ask costs time in proportion to the text so far.
        Raises ReadError if there is no call under the key.
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
        return self._feed_reader(payload, event)

    def _unparsable(self, text: str, event: str | None) -> list[Piece]:
        if text.strip() in ("", "[DONE]"):
            self._done = self._done or bool(text.strip())
            self.over = self.over or self._done
            return []
        values = parse_values(text)
        if not values:
            is_error = event == "error"  # said in plain words
            return self._keep(Failed(provider_error(text)) if is_error else Raw(event, text))
        *earlier, last = values  # whose name it is
        pieces = [piece for value in earlier for piece in self._feed_reader(value, None)]
        return pieces + self._feed_reader(last, event)

    def _feed_reader(self, payload: Json, event: str | None) -> list[Piece]:
        try:
            pieces = self._reader.feed(payload, event)
        except FAILURES as error:
            return self._read_rest(payload, event, error)
        return self._add_pieces(pieces)

    def _read_rest(self, payload: Json, event: str | None, error: Exception) -> list[Piece]:
        """What can be read of an event that the reader failed at; all of it raw if nothing can."""
        if self.builder.empty:
            self._reader = self._make_reader()  # the failure may have left its traces
        self._odd_values = self._odd_values or OddValues()
        pieces = self._odd_values.read_rest(self._reader, payload, event, error)
        if pieces is None and self.builder.unread and is_error_body(payload):
            with suppress(RecursionError):  # what is nested so deeply is nobody's words
                return self._keep(Failed(provider_error(payload, name=event)))
        return self._keep(Raw(event, payload)) if pieces is None else self._add_pieces(pieces)

    def _add_pieces(self, pieces: list[Piece]) -> list[Piece]:
        """The pieces for whoever reads on: their calls are named as the tools are."""
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
    """A whole answer as `read_response` takes it, by a decoder that was made for it.

    `has_shape`: whether a body has the shape of this wire's answers; an empty one must have it.
    """
    is_error = status is not None and status >= 400
    if isinstance(body, (str, bytes)):
        try:
            body = loads(body)
        except ReadError as error:
            if is_error:  # a page of some proxy on the way
                raise provider_error(decode_text(body), status) from error
            if (framing := _detect_framing(body)) is None:
                raise
            return _read_events(decoder, body, framing)
    elif type(body) not in _PARSED:
        body = plain(body)
    if type(body) is list and any(type(one) is dict and has_shape(one) for one in body):
        pieces = [piece for event in body for piece in decoder.feed(event)]  # the events of one
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
    """How a whole body is cut into events, of a server that streams unasked; None if it is not."""
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
    """The answer of a body that holds the events of a stream, to its end.

    Raises ProviderError for an error before anything came, ReadError if nothing can be read.
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


_Event = TypeVar("_Event")


class SegmentEnd(NamedTuple):
    """Stands among the chunks of an answer where a body ends and another brings the rest of it.

    `token_fields`: see `Room.token_fields`.
    """

    token_fields: Sequence[str]


def feed_chunk(decoder: StreamDecoder, chunk: Any) -> list[Piece]:
    """The pieces of what arrived: bytes of the body, or one event in any form.

    Raises ReadError for text: it may be a body that was decoded in pieces, or one event.
    """
    kind = type(chunk)
    if kind is bytes:
        return decoder.feed_bytes(chunk)
    if kind is dict:
        return decoder.feed(chunk)
    if kind is SegmentEnd:
        return decoder.begin_segment(chunk.token_fields)
    if isinstance(chunk, tuple) and len(chunk) == 2:
        name, payload = chunk
        return decoder.feed(payload, name)
    if isinstance(data := getattr(chunk, "data", None), str) and hasattr(chunk, "event"):
        # a ServerEvent, of ours or of a client; a server that names none means "message"
        return decoder.feed(data, chunk.event if chunk.event != "message" else None)
    if isinstance(chunk, (bytes, bytearray, memoryview)):
        return decoder.feed_bytes(bytes(chunk))
    if isinstance(chunk, str):
        text = "a stream is bytes or events, not text"
        hint = "iter_bytes() of the HTTP client gives bytes; an event may be (name, text)"
        raise ReadError(text, hint=hint, code="stream.text")
    return decoder.feed(chunk)


def iterate_chunks(chunks: Iterable[Any]) -> Iterator[Any]:
    """The iterator of a stream. Raises ConfigError for what only `async for` can read."""
    if isinstance(chunks, Iterable) and not isinstance(chunks, (str, bytes, Mapping)):
        return iter(chunks)
    text = f"{type(chunks).__name__} is no iterable of chunks"
    hint = "aread_stream and parse_stream read what arrives asynchronously"
    raise ConfigError(text, hint=hint, code="stream.type")


def aiterate_chunks(chunks: AsyncIterable[Any]) -> AsyncIterator[Any]:
    """The iterator of a stream. Raises ConfigError for what `async for` cannot read."""
    if isinstance(chunks, AsyncIterable):
        return aiter(chunks)
    text = f"{type(chunks).__name__} is no asynchronous iterable"
    hint = "await what a client gives; read_stream and parse_stream_sync read plain iterables"
    raise ConfigError(text, hint=hint, code="stream.type")


class Judge(Protocol):
    """Looks at the answer of a stream once nothing more will come, and raises what it is not."""

    may_break: bool  # whether a connection that breaks ends a stream, too

    def __call__(self, decoder: StreamDecoder, response: ChatResponse) -> None:
        """Raise the error of an answer that failed, broke off or is none."""


class _StreamState:
    """The events of a decoder, and the answer behind the last of them."""

    def __init__(self, decoder: StreamDecoder, chunks: object, judge: Judge | None) -> None:
        self.decoder = decoder
        decoder.max_unread = getattr(chunks, "max_event_bytes", None)
        self._judge = judge
        self._view = EventView(decoder.names)
        self._response: ChatResponse | None = None

    @property
    def response(self) -> ChatResponse:
        """The whole answer. Raises ConfigError before the stream was read to its end."""
        if self._response is None:
            text = "the stream was not read to its end"
            hint = "iterate over it first; partial is the answer so far"
            raise ConfigError(text, hint=hint, code="stream.unread")
        return self._response

    @property
    def partial(self) -> ChatResponse:
        """The answer so far, also when the connection broke or nobody reads on."""
        return self.decoder.snapshot() if self._response is None else self._response

    @property
    def error(self) -> ProviderError | None:
        """What the provider said went wrong, if it did."""
        return self.response.error

    def _feed_view(self, chunk: Any) -> list[StreamEvent]:
        view = self._view
        return [event for piece in feed_chunk(self.decoder, chunk) for event in view.feed(piece)]

    def _close_view(self) -> Iterator[StreamEvent]:
        """The last events; what is judged to be no answer is raised in place of `finish`."""
        for piece in self.decoder.rest():
            yield from self._view.feed(piece)
        response = self.decoder.finish()
        if self._judge is not None:
            self._judge(self.decoder, response)
        self._response = response
        yield from self._view.finish(response)

    def _may_break(self, error: BaseException) -> bool:
        """Whether what came before a connection broke is taken for the answer."""
        return isinstance(error, StreamBroken) and self._judge is not None and self._judge.may_break


class Events(Generic[_Event]):
    """Made of chunks one by one, in a loop or more, until its end or `close`."""

    _source: Iterable[Any]
    _chunks: Iterator[Any]
    _events: Generator[_Event]

    def __iter__(self) -> Iterator[_Event]:
        return self._events

    def __next__(self) -> _Event:
        return next(self._events)

    def close(self) -> None:
        """Read no further, and close what it reads from."""
        self._events.close()
        self._close_sources()

    def _close_sources(self) -> None:
        for resource in (self._chunks, self._source):
            close = getattr(resource, "close", None)
            if close is not None:
                close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Stream(_StreamState, Events[StreamEvent]):
    """Iterate for events; `response` is the answer behind the last one.

    Whoever leaves the loop early may go on later, with another loop. `close`, or the end of a
    `with` block, ends it for good and closes what it reads from; `partial` stays.
    """

    def __init__(
        self, decoder: StreamDecoder, chunks: Iterable[Any], judge: Judge | None = None
    ) -> None:
        super().__init__(decoder, chunks, judge)
        self._source = chunks
        self._chunks = iterate_chunks(chunks)
        self._events = self._iterate()

    def _iterate(self) -> Generator[StreamEvent]:
        try:
            for chunk in self._chunks:
                yield from self._feed_view(chunk)
        except BaseException as error:
            if isinstance(error, AnswerTooLarge):
                self.decoder.forget()
            self._close_sources()
            if not self._may_break(error):
                raise
        yield from self._close_view()


class AsyncStream(_StreamState):
    """The same for `async for`, `aclose` and `async with`."""

    def __init__(
        self, decoder: StreamDecoder, chunks: AsyncIterable[Any], judge: Judge | None = None
    ) -> None:
        super().__init__(decoder, chunks, judge)
        self._source = chunks
        self._chunks = aiterate_chunks(chunks)
        self._events = self._iterate()

    async def _iterate(self) -> AsyncGenerator[StreamEvent]:
        try:
            async for chunk in self._chunks:
                for event in self._feed_view(chunk):
                    yield event
        except BaseException as error:
            if isinstance(error, AnswerTooLarge):
                self.decoder.forget()
            await self._close_sources()
            if not self._may_break(error):
                raise
        for event in self._close_view():
            yield event

    def __aiter__(self) -> AsyncIterator[StreamEvent]:
        return self._events

    async def __anext__(self) -> StreamEvent:
        return await anext(self._events)

    async def aclose(self) -> None:
        """Read no further, and close what it reads from."""
        await self._events.aclose()
        await self._close_sources()

    async def _close_sources(self) -> None:
        for resource in (self._chunks, self._source):
            close = getattr(resource, "aclose", None) or getattr(resource, "close", None)
            closing = close() if close is not None else None
            if isawaitable(closing):
                await closing

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
