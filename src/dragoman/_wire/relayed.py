"""ConvertedStream: one answer's events as another wire's clients take them, with what they lost.

A thin loop over a decoder and an encoder. Which wires those are of, somebody else decides.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import ConfigError, LossRefused, ReadError
from ..jsontext import arguments
from ..losses import Loss, Policy
from ..message import ChatResponse
from ..pieces import Failed, Meta, Piece, Raw
from ..shown import shown
from ..sse import ServerEvent
from .plain import text_of
from .stream import Events, fed, iterated

if TYPE_CHECKING:
    from .answering import StreamEncoder
    from .decoder import StreamDecoder
    from .wire import Wire

__all__ = ["ConvertedStream"]

_Sender: TypeAlias = Callable[[Iterator[Any]], tuple["Wire", Iterator[Any]]]
_SHOWN = 200  # bytes of what is no stream


class ConvertedStream(Events[ServerEvent]):
    """Iterate for `ServerEvent`s; `losses` are those so far, `response` is the answer at the end.

    Raises ReadError, in place of a first event, for what is no stream of the source's wire, and
    LossRefused, in place of the event that would lose it, for what the policy refuses. An error
    of the provider's is an event. `close`, or the end of a `with` block, closes what it reads from.
    """

    def __init__(
        self,
        chunks: Iterable[Any],
        sender: _Sender,
        target: Wire,
        model: str | None,
        policy: Policy,
    ) -> None:
        self._source = chunks
        self._chunks = iterated(chunks)
        self._sender = sender
        self._target = target
        self._model = model
        self._policy = policy
        self._judged = 0  # losses that the policy lets pass
        self._named = model is None  # whether the model's name went out, if it is not their own
        self._decoder: StreamDecoder | None = None
        self._encoder: StreamEncoder | None = None
        self._ended = False
        self._events = self._told()

    @property
    def losses(self) -> list[Loss]:
        """What could not be said so far, and what was added."""
        return self._encoder.losses if self._encoder is not None else []

    @property
    def response(self) -> ChatResponse:
        """The whole answer, as its own wire told it. Raises ConfigError before the last event."""
        if self._decoder is None or not self._ended:
            raise ConfigError(
                "the stream was not read to its end", hint="iterate over it first",
                code="stream.unread",
            )  # fmt: skip
        return self._decoder.snapshot()

    def _told(self) -> Generator[ServerEvent]:
        try:
            yield from self._converted()
        except BaseException:
            self._left()
            raise

    def _converted(self) -> Iterator[ServerEvent]:
        wire, chunks = self._sender(self._chunks)
        decoder = self._decoder = wire.stream_decoder()
        self._encoder = self._target.stream_encoder(origin=decoder.origin)
        read = False
        came: list[Any] = []  # for the error of what is no stream
        for chunk in chunks:
            if not (read or came):
                came.append(chunk)
            for piece in fed(decoder, chunk):
                read = read or type(piece) is not Raw
                yield from self._said(piece)
        last = decoder.rest()
        if not (read or any(type(piece) is not Raw for piece in last)):
            raise _no_stream(wire.name, came)
        for piece in last:
            yield from self._said(piece)
        yield from self._written(self._encoder.finish())
        self._ended = True
        self._policy.judge(self._encoder.report, set())

    def _said(self, piece: Piece) -> Iterator[ServerEvent]:
        assert self._encoder is not None  # it was made before anything was read
        if not self._named and type(piece) not in (Raw, Failed):
            self._named = True
            if type(piece) is not Meta or piece.candidate is not None:
                yield from self._said(Meta(model=self._model, issuer=self._issuer))
            else:
                piece = replace(piece, model=self._model)
        elif self._model is not None and type(piece) is Meta and piece.model is not None:
            piece = replace(piece, model=self._model)
        yield from self._written(self._encoder.feed(piece))

    @property
    def _issuer(self) -> str:
        origin = self._decoder.origin if self._decoder is not None else None
        return origin.issuer if origin is not None else ""

    def _written(self, made: list[tuple[str | None, Any]]) -> Iterator[ServerEvent]:
        assert self._encoder is not None  # it has made these
        if (self._policy.refuse or self._policy.append_only) and self._encoder.report.kinds:
            new = self._encoder.losses[self._judged :]
            if refused := [loss for loss in new if self._policy.refuses(loss)]:
                raise LossRefused(refused)
            self._judged += len(new)
        for name, payload in made:
            yield ServerEvent(name, payload if isinstance(payload, str) else arguments(payload))


def _no_stream(wire: str, came: list[Any]) -> ReadError:
    first = came[0] if came else b""
    if isinstance(first, (bytes, bytearray, memoryview)):
        first = text_of(bytes(first[:_SHOWN]))
    return ReadError(
        f"this is no stream of {wire}: " + ("nothing came" if first == "" else shown(first)),
        hint="check the wire, and the status of HTTP before the body is read",
        code="stream.shape",
    )
