"""What a worker and its process for long requests say to each other, over a pair of sockets.

A frame is a number of an exchange, a kind, a length and so many bytes. Both ends are the same
version of this package and trust each other: what is no plain bytes is pickled.
"""

from __future__ import annotations

import asyncio
import pickle
from enum import IntEnum
from struct import Struct
from typing import Any, NamedTuple

_HEAD = Struct(">IBI")
PART = 2**16  # bytes of a body in one frame
WINDOW = 2**18  # bytes of an answer on their way to a client, beyond which the other end waits


class FrameKind(IntEnum):
    """What a frame holds. The first six go to the process for long requests, the others back."""

    CONFIG = 1  # the configuration; the first frame
    OPEN = 2  # a request without its body
    BODY = 3  # a part of its body
    BODY_END = 4  # nothing: the body is complete
    TAKEN = 5  # how many bytes of the answer have been sent to the client
    LEFT = 6  # nothing: the client has left
    SPENT = 7  # None, or the error for a key that has used up its budget
    READY = 8  # nothing: the configuration can be used
    HEAD = 9  # status and headers of an answer
    PIECE = 10  # a part of the answer
    SPEND = 11  # the bytes and values of a body, which count towards the budget of its key
    DONE = 12  # the record of the exchange; its answer is complete
    BROKEN = 13  # the same, for an answer that has no end


class Frame(NamedTuple):
    """One frame."""

    exchange: int
    kind: FrameKind
    data: bytes

    @property
    def value(self) -> Any:
        """What was pickled."""
        return pickle.loads(self.data)  # noqa: S301 - from a process of our own


def encode_frame(exchange: int, kind: FrameKind, data: bytes = b"") -> bytes:
    """The bytes of a frame."""
    return _HEAD.pack(exchange, kind, len(data)) + data


def encode_value(exchange: int, kind: FrameKind, value: object) -> bytes:
    """The bytes of a frame that holds a value."""
    return encode_frame(exchange, kind, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


async def read_frame(reader: asyncio.StreamReader) -> Frame:
    """The next frame. Raises OSError or EOFError if the other end has gone."""
    exchange, kind, size = _HEAD.unpack(await reader.readexactly(_HEAD.size))
    return Frame(exchange, FrameKind(kind), await reader.readexactly(size) if size else b"")
