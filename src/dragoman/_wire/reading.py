"""Reading: answers and streams of one wire, as thin loops over its room's reader.

Sans-IO: bytes and events come in as values, whoever fetched them.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from typing import Any

from ..capabilities import Capabilities
from ..errors import ProviderError, ReadError
from ..jsontext import Json, loads
from ..message import ChatRequest, ChatResponse, Origin, ServerTool, Tool, Written
from ..names import inverted, spelled
from ..pieces import Builder, Failed, Key, Piece, Raw, fault
from ..room import Reader, Room
from ..sse import Decoder
from ..thinktags import TagForm, Tagged
from .plain import plain
from .stream import AsyncStream, Stream

__all__ = ["Reading", "StreamDecoder", "whole"]

_SHAPES = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
_DONE = (b"[DONE]", "[DONE]")
_PARSED = frozenset({dict, list, type(None), bool, int, float})


class StreamDecoder:
    """The events of one answer, in; its pieces, out; the whole answer at the end.

    `feed` takes one event, as text or parsed; `feed_bytes` takes the bytes of the body, cut
    anywhere. Neither raises for what the provider said: see `status` and `error` of the answer.
    """

    __slots__ = ("_frames", "_reader", "builder", "framing", "names")

    def __init__(
        self, reader: Reader, builder: Builder, framing: Any, names: Mapping[str, str]
    ) -> None:
        self.builder = builder
        self.framing = framing
        self.names = names  # of tools: as the wire spells them -> as they are called
        self._reader = reader
        self._frames: Decoder | None = None

    def feed(self, payload: Any, event: str | None = None) -> list[Piece]:
        """The pieces of one event: JSON text, parsed JSON, or an object of the official SDK."""
        kind = type(payload)
        if kind is str or kind is bytes:
            return self._text(payload, event)
        return self._taken(payload if kind in _PARSED else plain(payload), event)

    def feed_bytes(self, chunk: bytes) -> list[Piece]:
        """The pieces of the events that these bytes of the body complete."""
        if self._frames is None:
            self._frames = Decoder(self.framing)
        made: list[Piece] = []
        for event, data in self._frames.frames(chunk):
            made += self._text(data, event)
        return made

    def finish(self) -> ChatResponse:
        """The answer, once nothing more will come; also one that broke off."""
        self.rest()
        return self.builder.finish()

    def rest(self) -> list[Piece]:
        """The pieces that the end of the stream completes."""
        made: list[Piece] = []
        frames, self._frames = self._frames, None
        for event, data in frames.rest() if frames is not None else ():
            made += self._text(data, event)
        try:
            last = self._reader.finish()
        except RecursionError as error:
            raise ReadError("the answer is nested too deeply", code="json.deep") from error
        for piece in last:
            self.builder.add(piece)
        return made + last

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
            if data.strip() in _DONE or not data.strip():
                return []
            text = data if isinstance(data, str) else data.decode("utf-8", "replace")
            try:  # bytes that are no UTF-8 inside of JSON that is well formed
                payload = loads(text)
            except ReadError:
                return self._kept(Raw(event, text))
        return self._taken(payload, event)

    def _taken(self, payload: Json, event: str | None) -> list[Piece]:
        try:
            made = self._reader.feed(payload, event)
        except _SHAPES:
            return self._kept(Raw(event, payload))
        add = self.builder.add
        for piece in made:
            add(piece)
        return made

    def _kept(self, piece: Piece) -> list[Piece]:
        self.builder.add(piece)
        return [piece]


class Reading:
    """What a wire does with answers; `Wire` adds what it does with requests."""

    __slots__ = ()
    room: Room

    def can(self, model: str | None = None, request: ChatRequest | None = None) -> Capabilities:
        """What this wire carries for `model`."""
        raise NotImplementedError

    def stream_decoder(
        self,
        tools: Sequence[Tool | ServerTool] | None = None,
        request: ChatRequest | Written | None = None,
        *,
        model: str | None = None,
        can: Capabilities | None = None,
    ) -> StreamDecoder:
        """A decoder for one answer; `tools` (or those of `request`) name its calls.

        With the `Written` that was sent, thinking is bound to what stood before it. `model` was
        asked if the request names none; `can` is what it can do, where somebody knows better.
        """
        model = (request.model if request is not None else None) or model
        can = can or self.can(model)
        names = _names(tools, request, can)
        prefix = request.prefix if isinstance(request, Written) and can.binding != "none" else None
        issuer = self._issuer
        origin = Origin(issuer, model, prefix=prefix or None)
        builder = Builder(issuer, names=names, origin=origin)
        reader = self.room.reader(can)
        tags: TagForm = getattr(getattr(self.room, "dialect", None), "think_tags", "")
        if tags:
            reader = Tagged(reader, tags)
        return StreamDecoder(reader, builder, self.room.framing, names)

    def read_response(
        self,
        body: Any,
        tools: Sequence[Tool | ServerTool] | None = None,
        request: ChatRequest | Written | None = None,
        *,
        status: int | None = None,
    ) -> ChatResponse:
        """A whole answer: parsed JSON, its text, or an object of the official SDK.

        Raises ProviderError for the body of an error, ReadError for what is no answer of this
        wire. `status` is that of HTTP, if it is known.
        """
        return whole(self.stream_decoder(tools, request), body, status)

    def error(self, status: int | None, body: Any) -> ProviderError:
        """The error that an answer with this HTTP status and body tells of, to be raised.

        `body` is text, bytes or parsed JSON; what is no JSON is the message itself.
        """
        if isinstance(body, (str, bytes)):
            try:
                body = loads(body)
            except ReadError:
                body = body if isinstance(body, str) else body.decode("utf-8", "replace")
        return fault(body, status)

    def read_stream(
        self,
        chunks: Iterable[Any],
        tools: Sequence[Tool | ServerTool] | None = None,
        request: ChatRequest | Written | None = None,
    ) -> Stream:
        """The events of a body that arrives in chunks of bytes; `.response` behind the last.

        Chunks may also be events that a client took out of the body already: parsed JSON, objects
        of the official SDK, ServerEvents, or (event, payload).
        """
        return Stream(self.stream_decoder(tools, request), chunks)

    def aread_stream(
        self,
        chunks: AsyncIterable[Any],
        tools: Sequence[Tool | ServerTool] | None = None,
        request: ChatRequest | Written | None = None,
    ) -> AsyncStream:
        """The same for chunks that arrive asynchronously."""
        return AsyncStream(self.stream_decoder(tools, request), chunks)

    @property
    def _issuer(self) -> str:
        dialect = getattr(self.room, "dialect", None)
        issuers = getattr(dialect, "issuers", ())
        return issuers[0] if issuers else self.room.protocol


def whole(decoder: StreamDecoder, body: Any, status: int | None = None) -> ChatResponse:
    """A whole answer as `read_response` takes it, by a decoder that was made for it."""
    if isinstance(body, (str, bytes)):
        body = loads(body)
    made = decoder.feed(body)
    resp = decoder.finish()
    failed = next((piece for piece in made if type(piece) is Failed), None)
    if failed is not None and not any(one.msg.blocks for one in resp.candidates):
        if failed.error.status is None:
            failed.error.status = status
        raise failed.error
    if (made and all(type(piece) is Raw for piece in made)) or not made:
        raise ReadError(
            "this is no answer of this wire",
            path="$",
            hint="check the wire; a recorded stream is read event by event",
            code="answer.shape",
        )
    return resp


def _names(
    tools: Sequence[Tool | ServerTool] | None,
    request: ChatRequest | Written | None,
    can: Capabilities,
) -> dict[str, str]:
    """Tool names as the wire spells them -> as the tools are called."""
    if isinstance(request, Written) and tools is None:
        return request.names
    offered = request.tools if tools is None and isinstance(request, ChatRequest) else tools
    return inverted(spelled(offered or (), can.tool_names))
