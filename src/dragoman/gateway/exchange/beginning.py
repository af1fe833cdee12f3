"""Beginnings of streams, which are held until a part of the answer itself has come.

Until then nothing was sent to the client: the call can be repeated, or another target called.
"""

from __future__ import annotations

from ...codec.stream_decoder import StreamDecoder
from ...errors import ProviderError, StreamBroken
from ...stream.pieces import End, Failed, Part, Piece, Raw
from .off_loop import LARGE

_HELD = LARGE  # bytes; a larger event is no error, and reading it would take long
# pieces that are more than the name of an answer; a Raw one may hold anything
_CONTENT = frozenset({Part, End, Raw})
SIGNS_OF_LIFE = (b":", b"event: ping")


class Beginning:
    """Reads a stream until a part of the answer comes; the caller holds the bytes.

    Attributes:
        failed: The error with which the stream began.
    """

    __slots__ = ("_decoder", "_size", "failed")

    def __init__(self, decoder: StreamDecoder) -> None:
        self._decoder = decoder
        self._size = 0
        self.failed: ProviderError | None = None

    @property
    def over(self) -> bool:
        """Whether the answer's last event has come."""
        return self._decoder.over

    def feed(self, data: bytes) -> bool:
        """Whether the bytes so far need not be held any longer."""
        self._size += len(data)
        if self._size > _HELD:  # signs of life, or events that the protocol does not know
            return True
        return self._has_content(self._decoder.feed_bytes(data))

    def finish(self) -> bool:
        """Whether a part of the answer has come, once nothing more will come."""
        return self._has_content(self._decoder.rest())

    def _has_content(self, pieces: list[Piece]) -> bool:
        for piece in pieces:
            if type(piece) is Failed:
                self.failed = piece.error
                return False
            if type(piece) in _CONTENT and not _is_noise(piece):
                return True
        return False


def _is_noise(piece: Piece) -> bool:
    """Whether an event means nothing: it is neither JSON nor a word of the protocol."""
    return type(piece) is Raw and isinstance(piece.payload, str)


def broken_off() -> ProviderError:
    """The error for an answer that has no end."""
    text = "the provider's answer broke off before its end"
    return StreamBroken(text, type="connection_closed", hint="ask again")


def is_alive_only(data: bytes) -> bool:
    """Whether bytes that begin with one are signs of life alone: comments, or pings."""
    if data[:1] == b":":
        return b"data:" not in data
    if not data.startswith(b"event: ping"):
        return False
    return data.count(b"event:") == data.count(b"event: ping")
