"""Events as bytes in every framing: an encoder that shares no code with the decoder."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any

__all__ = ["ENDINGS", "encoded", "frame"]

ENDINGS = ("\n", "\r\n", "\r")
Event = tuple[str | None, Any]


def encoded(
    events: Sequence[Event], framing: str, ending: str = "\n", ascii: bool = False
) -> bytes:
    """The body that carries the events; payloads that are texts stand as they are."""
    texts = [(name, _text(payload, ascii)) for name, payload in events]
    if framing == "sse":
        return b"".join(_sse(name, text, ending) for name, text in texts)
    if framing == "ndjson":
        return _bytes("".join(text + ending for _, text in texts))
    if framing == "json-array":
        return _bytes("[" + f",{ending}".join(text for _, text in texts) + "]")
    return b"".join(_aws(name, payload, ascii) for name, payload in events)


def _text(payload: Any, ascii: bool) -> str:
    return payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=ascii)


def _bytes(text: str) -> bytes:
    """UTF-8; half surrogates, which have none, as the bytes that others send for them."""
    return text.encode("utf-8", "surrogatepass")


def _sse(name: str | None, text: str, ending: str) -> bytes:
    lines = [f"event: {name}"] * (name is not None) + [f"data: {text}", "", ""]
    return _bytes(ending.join(lines))


def _aws(name: str | None, payload: Any, ascii: bool) -> bytes:
    """Converse names its events by header; InvokeModel wraps the model's own in base64."""
    data = _bytes(_text(payload, ascii))
    if isinstance(payload, dict) and "type" in payload:
        wrapped = {"bytes": base64.b64encode(data).decode(), "p": "abcdefgh"}
        headers = {":event-type": "chunk", ":message-type": "event"}
        return frame(headers, json.dumps(wrapped).encode())
    if name is not None and name.endswith("Exception"):
        return frame({":exception-type": name, ":message-type": "exception"}, data)
    return frame({":event-type": name or "", ":message-type": "event"}, data)


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """One AWS frame: lengths, CRC of them, headers (type 7, text), payload, CRC of all."""
    head = b""
    for key, value in headers.items():
        head += struct.pack("!B", len(key)) + key.encode() + b"\x07"
        head += struct.pack("!H", len(value)) + value.encode()
    lengths = struct.pack("!II", 16 + len(head) + len(payload), len(head))
    start = lengths + struct.pack("!I", zlib.crc32(lengths)) + head + payload
    return start + struct.pack("!I", zlib.crc32(start))
