"""AWS event streams: binary frames with headers, each checked by CRC-32.

Reference: AWS, "Event stream encoding" (Amazon Transcribe and Bedrock runtime documentation).
"""

from __future__ import annotations

import binascii
import struct
from base64 import b64decode
from typing import Any
from zlib import crc32

from ...errors import ReadError
from ...text.json_text import arguments as encode
from ...text.json_text import loads

_PRELUDE = struct.Struct(">III")  # length of the frame, of its headers, CRC of both
_MOST = 1 << 25  # bytes of one frame; AWS sends at most 16 MiB
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}  # of header values by their type
_NAMES = (":event-type", ":exception-type", ":error-code")


class AWSEventStream:
    """One event for each frame, named by its headers; InvokeModel's wrapping is taken off."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._held = 0
        self._wanted = _PRELUDE.size  # the bytes needed to go on
        self._broken: ReadError | None = None
        self._held_back = False  # whether the error still has to be raised

    def feed(self, chunk: bytes) -> list[tuple[str | None, bytes]]:
        """The events that the bytes complete. Raises ReadError for a broken frame.

        Frames that came whole before it are given first, wherever the bytes are cut.
        """
        if self._broken is not None:
            self._held_back = False
            raise self._broken
        self._pieces.append(chunk)
        self._held += len(chunk)
        if self._held < self._wanted:
            return []
        data = b"".join(self._pieces)
        events: list[tuple[str | None, bytes]] = []
        index = 0
        self._wanted = _PRELUDE.size
        try:
            while len(data) - index >= _PRELUDE.size:
                total, headers = _lengths(data, index)
                if len(data) - index < total:
                    self._wanted = total
                    break
                events.append(_event(data[index : index + total], headers))
                index += total
        except ReadError as error:
            self._broken = error
            self._held_back = bool(events)
            if not events:
                raise
        self._pieces = [data[index:]]
        self._held = len(data) - index
        return events

    def flush(self) -> list[tuple[str | None, bytes]]:
        """Return no event, for half a frame has none; raise the error that `feed` held back."""
        self._pieces, self._held = [], 0
        if self._broken is not None and self._held_back:
            self._held_back = False
            raise self._broken
        return []


def _lengths(data: bytes, index: int) -> tuple[int, int]:
    """(of the frame that begins at `index`, of its headers)."""
    total, headers, check = _PRELUDE.unpack_from(data, index)
    if check != crc32(data[index : index + 8]) or not 16 + headers <= total <= _MOST:
        raise ReadError("a frame's prelude is broken", code="frame.prelude")
    return total, headers


def _event(frame: bytes, headers: int) -> tuple[str | None, bytes]:
    if int.from_bytes(frame[-4:], "big") != crc32(frame[:-4]):
        raise ReadError("a frame's checksum is wrong", code="frame.checksum")
    named = _headers(frame[12 : 12 + headers])
    payload = frame[12 + headers : -4]
    name = next((named[key] for key in _NAMES if key in named), None)
    if named.get(":message-type") == "error" and not payload:  # its headers say all
        payload = encode({"message": named.get(":error-message", ""), "code": name}).encode()
    return (None, _unwrap_event(payload)) if name == "chunk" else (name, payload)


def _headers(data: bytes) -> dict[str, str]:
    headers: dict[str, str] = {}
    index = 0
    try:
        while index < len(data):
            size = data[index]
            name = data[index + 1 : index + 1 + size].decode("utf-8", "replace")
            kind = data[index + 1 + size]
            index += 2 + size
            if kind in (6, 7):  # bytes, text
                length = int.from_bytes(data[index : index + 2], "big")
                index += 2 + length
                if kind == 7:
                    headers[name] = data[index - length : index].decode("utf-8", "replace")
            else:
                index += _SIZES[kind]
    except (IndexError, KeyError) as error:
        raise ReadError("a frame's headers are broken", code="frame.headers") from error
    return headers


def _unwrap_event(payload: bytes) -> bytes:
    """The model's own event out of InvokeModel's `{"bytes": base64}`."""
    value: Any = loads(payload)
    inner = value.get("bytes") if isinstance(value, dict) else None
    try:
        return b64decode(inner, validate=True) if isinstance(inner, str) else payload
    except (binascii.Error, ValueError) as error:
        raise ReadError("a frame's chunk is no base64", code="frame.chunk") from error
