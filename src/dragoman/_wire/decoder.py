"""StreamDecoder: the events of one answer in, its pieces out; and a whole answer through it.

Sans-IO: bytes and events come in as values, whoever fetched them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import ReadError
from ..jsontext import Json, loads
from ..message import ChatResponse, Origin, ToolUseBlock
from ..pieces import Builder, Failed, Key, Part, Piece, Raw, fault
from ..room import Reader
from ..sse import Decoder
from .plain import bytes_of, plain, text_of, values_of

__all__ = ["StreamDecoder", "whole"]

_SHAPES = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
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

    @property
    def origin(self) -> Origin | None:
        """Who answers."""
        return self.builder.origin

    def feed(self, payload: Any, event: str | None = None) -> list[Piece]:
        """The pieces of one event: JSON text, parsed JSON, or an object of the official SDK."""
        kind = type(payload)
        if kind is str or kind is bytes:
            return self._text(payload, event)
        return self._taken(payload if kind in _PARSED else plain(payload), event)

    def feed_bytes(self, chunk: bytes) -> list[Piece]:
        """The pieces of the events that these bytes of the body complete.

        Raises ReadError for text: whoever decodes a body in pieces breaks its characters.
        """
        if type(chunk) is not bytes:
            chunk = bytes_of(chunk)
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
        return made + self._added(last)

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
            return self._odd(text_of(data), event)
        return self._taken(payload, event)

    def _odd(self, text: str, event: str | None) -> list[Piece]:
        if text.strip() in ("", "[DONE]"):
            return []
        values = values_of(text)
        if not values:
            wrong = event == "error"  # said in plain words
            return self._kept(Failed(fault(text)) if wrong else Raw(event, text))
        *before, last = values  # whose name it is
        made = [piece for one in before for piece in self._taken(one, None)]
        return made + self._taken(last, event)

    def _taken(self, payload: Json, event: str | None) -> list[Piece]:
        try:
            made = self._reader.feed(payload, event)
        except _SHAPES:
            return self._kept(Raw(event, payload))
        return self._added(made)

    def _added(self, made: list[Piece]) -> list[Piece]:
        """The pieces for whoever reads on: their calls are named as the tools are."""
        add = self.builder.add
        for piece in made:
            add(piece)
        return [_named(piece, self.names) for piece in made] if self.names else made

    def _kept(self, piece: Piece) -> list[Piece]:
        self.builder.add(piece)
        return [piece]


def _named(piece: Piece, names: Mapping[str, str]) -> Piece:
    if type(piece) is Part and type(call := piece.block) is ToolUseBlock and call.name in names:
        return replace(piece, block=replace(call, name=names[call.name]))
    return piece


def whole(
    decoder: StreamDecoder,
    body: Any,
    status: int | None = None,
    known: Callable[[Any], bool] = lambda _: True,
) -> ChatResponse:
    """A whole answer as `read_response` takes it, by a decoder that was made for it.

    `known`: whether a body has the shape of this wire's answers. One that says nothing must have.
    """
    wrong = status is not None and status >= 400
    if isinstance(body, (str, bytes)):
        try:
            body = loads(body)
        except ReadError as error:
            if not wrong:
                raise
            raise fault(text_of(body), status) from error  # a page of some proxy on the way
    elif type(body) not in _PARSED:
        body = plain(body)
    made = decoder.feed(body)
    resp = decoder.finish()
    failed = next((piece for piece in made if type(piece) is Failed), None)
    silent = not any(one.msg.blocks for one in resp.candidates)
    if failed is not None and silent:
        if failed.error.status is None:
            failed.error.status = status
        raise failed.error
    odd = silent and resp.status == "interrupted" and type(body) is dict and not known(body)
    if odd or all(type(piece) is Raw for piece in made):
        if wrong:
            raise fault(body, status)
        raise ReadError(
            "this is no answer of this wire",
            path="$",
            hint="check the wire; a recorded stream is read event by event",
            code="answer.shape",
        )
    return resp
