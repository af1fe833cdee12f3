"""Detect the wire of a body or stream.

A body's wire is judged by the address to which it was sent, by its keys, and last by its model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any, Literal

from ..codec.sdk_objects import all_plain, parse_body, plain
from ..codec.wire import Wire
from ..errors import ConfigError, ReadError
from ..stream.framing import Decoder, Framing, ServerEvent
from ..text.json_text import JsonObject, loads
from ..text.redaction import show
from ..vendors import PROTOCOLS
from .wires import get_wire, protocol_rooms


@dataclass(frozen=True, slots=True)
class Detected:
    """The wire of a body.

    Attributes:
        wire: The likeliest one.
        also: The others on which the body would be valid, too.
    """

    wire: str
    also: tuple[str, ...] = ()


def detect(
    body: Any, path: str | None = None, kind: Literal["request", "response"] = "request"
) -> Detected:
    """Which protocol a body belongs to.

    An address that only one protocol has decides (`/v1/messages`), then keys that only one has. If
    several could have it, the one whose own host serves the model wins (`claude-*`).

    Args:
        body: Parsed JSON, its text, or an object of an official SDK.
        path: Where it was sent.
        kind: Whether it is a request or an answer.

    Raises:
        ReadError: It is no JSON object, or belongs to no protocol.

    >>> detect({"model": "claude-opus-5", "max_tokens": 9, "messages": [
    ...     {"role": "user", "content": "Hi"}]}).wire
    'anthropic'
    """
    if kind not in ("request", "response"):
        raise ConfigError(f"a {show(kind)} is not detected", hint='"request" or "response"')
    if path is not None and not isinstance(path, str):
        raise ConfigError(f"path must be text, not {type(path).__name__}")
    body = parse_body(body, kind)
    protocols = _find_protocols(body, path, kind) or _find_protocols(all_plain(body), path, kind)
    if not protocols:
        text = "no protocol has bodies with these keys"
        raise ReadError(text, path="$", code="request.shape", hint="name the wire: source=...")
    return Detected(protocols[0], tuple(protocols[1:]))


def _find_protocols(body: JsonObject, path: str | None, kind: str) -> list[str]:
    """The protocols to which the body can belong, the likeliest first."""
    rooms = protocol_rooms()
    if kind == "request":
        claiming = [name for name, room in rooms.items() if room.claims(body, path)]
        addressed = _match_address(path) if path else []
    else:
        claiming, addressed = [name for name, room in rooms.items() if room.answers(body)], []
    # an address beats missing keys: an invalid body still belongs where it was sent
    claiming += addressed if not set(addressed) & set(claiming) else []
    model = body.get("model")
    # a name with a tag after a colon is that of weights which others serve, too
    model_name = model.lower() if isinstance(model, str) and ":" not in model else ""

    def rank(name: str) -> tuple[bool, bool, bool]:
        room = rooms[name]
        has_unique_field = not room.unique_fields.isdisjoint(body)
        return (
            name not in addressed,
            not has_unique_field,
            not any(fnmatchcase(model_name, pattern) for pattern in room.model_patterns),
        )

    return sorted(claiming, key=rank)  # stable: the order of PROTOCOLS is the last word


def _match_address(path: str) -> list[str]:
    """The protocols with this address: all that share it, unless it names the host."""
    address = "/" + path.partition("?")[0].rstrip("/").removeprefix("https://")
    lengths = {
        name: max((len(p) for p in room.addresses if fnmatchcase(address, p)), default=0)
        for name, room in protocol_rooms().items()
    }
    longest = max(1, *lengths.values())
    return [name for name, length in lengths.items() if length == longest]


_MOST = 64  # events after which the wire must be known


def detect_stream(chunks: Iterator[Any]) -> tuple[Wire, Iterator[Any]]:
    """The wire that these events belong to, and all of the chunks."""
    received: list[Any] = []
    frames: Decoder | None = None
    count = 0
    for chunk in chunks:
        received.append(chunk)
        if isinstance(chunk, (bytes, bytearray, memoryview)):
            if frames is None and bytes(chunk).strip():
                frames = Decoder(_framing(bytes(chunk)))
            events = _pairs(frames.feed(bytes(chunk)) if frames else ())
        else:
            events = [_event(chunk)]
        if (name := _find_claiming_protocol(events)) is not None:
            return get_wire(name), chain(received, chunks)
        count += len(events)
        if count > _MOST:
            break
    if frames is not None and (name := _find_claiming_protocol(_pairs(frames.flush()))):
        return get_wire(name), iter(received)
    hint = "name the wire: source=..."
    raise ReadError("no protocol has events with these keys", code="stream.shape", hint=hint)


def _pairs(events: Iterable[ServerEvent]) -> list[tuple[str | None, Any]]:
    return [(event.event, event.data) for event in events]


def _framing(first: bytes) -> Framing:
    """The framing of a body, by its first bytes."""
    if first.startswith(b"\0"):  # the length of a frame, below a gigabyte
        return "aws-eventstream"
    return "ndjson" if first.lstrip().startswith(b"{") else "sse"


def _event(chunk: Any) -> tuple[str | None, Any]:
    if isinstance(chunk, tuple) and len(chunk) == 2:
        return chunk
    if isinstance(getattr(chunk, "data", None), str):
        return getattr(chunk, "event", None), chunk.data
    return None, chunk


def _find_claiming_protocol(events: Iterable[tuple[str | None, Any]]) -> str | None:
    """The first protocol to which one of the events can belong."""
    for event, data in events:
        try:
            body = loads(data) if isinstance(data, (str, bytes)) else plain(data)
        except ReadError:
            continue
        if isinstance(body, dict):
            for name in PROTOCOLS:
                if get_wire(name).room.answers(body, event):
                    return name
    return None
