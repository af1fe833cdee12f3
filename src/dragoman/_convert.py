"""From any wire to any other: convert and convert_stream, as thin lines over two wires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Literal, TypeAlias

from ._detect import Detected, detect
from ._wire import Wire
from ._wire.plain import plain
from ._wire.relayed import ConvertedStream
from .errors import ConfigError, ReadError
from .jsontext import loads
from .losses import PolicyLike
from .losses import policy as policy_of
from .message import Written
from .shown import shown
from .sse import Decoder, Framing
from .vendors import PROTOCOLS, Vendor, wire

__all__ = ["ConvertedStream", "Detected", "convert", "convert_stream", "detect"]

_QUIET = policy_of("ignore")
_MOST = 64  # events that may come before it is clear whose they are
WireLike: TypeAlias = str | Vendor | Wire


def convert(
    body: Any,
    source: WireLike,
    target: WireLike,
    kind: Literal["request", "response"] = "request",
    model: str | None = None,
    *,
    path: str | None = None,
    policy: PolicyLike | None = None,
    strict: bool = False,
) -> Written:
    """A request or a whole answer of one wire as another takes it, with what it lost.

    `body` is parsed JSON or its text; `path` is where it was sent, if the model stands there.
    `source="auto"` asks `detect`; `strict` refuses what would have to be repaired. Without `model`
    the request's own name goes out as it is, and without any the target's default. Raises
    ReadError, WriteError, or LossRefused by the policy.

    >>> body = {"model": "gpt-5.5", "messages": [{"role": "user", "content": "Hi"}]}
    >>> convert(body, "openai-chat", "gemini", model="gemini-3.5-flash").body["contents"]
    [{'role': 'user', 'parts': [{'text': 'Hi'}]}]
    """
    if isinstance(body, (str, bytes)):
        body = loads(body)
    if path is not None and not isinstance(path, str):
        raise ConfigError(f"path must be text, not {type(path).__name__}")
    reader = _wire(detect(body, path, kind).wire if source == "auto" else source)
    writer = _wire(target)
    if kind == "request":
        same = reader.room.protocol == writer.room.protocol
        req = reader._read(body, path, None, held=same, watched=False)
        made = writer.write_request(req, model, policy=_QUIET)
    elif kind == "response":
        resp = reader.read_response(body)
        made = writer.write_response(replace(resp, model=model or resp.model), policy=_QUIET)
    else:
        raise ConfigError(f"{shown(kind)} cannot be converted", hint='"request" or "response"')
    policy_of(_judge(policy, target), strict).judge(made.report, set())
    return made


def convert_stream(
    chunks: Iterable[Any],
    source: WireLike,
    target: WireLike,
    model: str | None = None,
    *,
    policy: PolicyLike | None = None,
) -> ConvertedStream:
    """The events of an answer's stream as another wire's clients take them, and `losses`.

    `chunks` are bytes of the body, cut anywhere, or events: as `Wire.read_stream` takes them.
    `source="auto"` looks at the first events; `model` is what the clients shall take for the model
    that answers. Iterating raises ReadError for what is no stream of that wire, and LossRefused by
    the policy before the event that would lose it.
    """
    writer = _wire(target)
    sender = _sender if source == "auto" else partial(_named_sender, _wire(source))
    judge = policy_of(_judge(policy, target))
    return ConvertedStream(chunks, sender, writer, model, judge)


def _judge(policy: PolicyLike | None, target: WireLike) -> PolicyLike:
    if policy is not None:
        return policy
    return target.policy if isinstance(target, Wire) else "log"


def _named_sender(reader: Wire, chunks: Iterator[Any]) -> tuple[Wire, Iterator[Any]]:
    return reader, chunks


def _sender(chunks: Iterator[Any]) -> tuple[Wire, Iterator[Any]]:
    """The wire whose events these look like, and all of the chunks."""
    seen: list[Any] = []
    frames: Decoder | None = None
    told = 0
    for chunk in chunks:
        seen.append(chunk)
        if isinstance(chunk, (bytes, bytearray, memoryview)):
            if frames is None and bytes(chunk).strip():
                frames = Decoder(_framing(bytes(chunk)))
            events = [(one.event, one.data) for one in frames.feed(bytes(chunk))] if frames else []
        else:
            events = [_event(chunk)]
        if (name := _claimed(events)) is not None:
            return _named(name), chain(seen, chunks)
        told += len(events)
        if told > _MOST:
            break
    if frames is not None and (name := _claimed([(e.event, e.data) for e in frames.flush()])):
        return _named(name), iter(seen)
    raise ReadError(
        "no protocol has events with these keys", code="stream.shape",
        hint="name the wire: source=...",
    )  # fmt: skip


def _framing(first: bytes) -> Framing:
    """How a body is cut into events that begins so."""
    if first.startswith(b"\0"):  # the length of a frame, which is no gigabyte
        return "aws-eventstream"
    return "ndjson" if first.lstrip().startswith(b"{") else "sse"


def _event(chunk: Any) -> tuple[str | None, Any]:
    if isinstance(chunk, tuple) and len(chunk) == 2:
        return chunk
    if isinstance(getattr(chunk, "data", None), str):
        return getattr(chunk, "event", None), chunk.data
    return None, chunk


def _claimed(events: Iterable[tuple[str | None, Any]]) -> str | None:
    """The protocol that one of the events can be of."""
    for event, told in events:
        try:
            body = loads(told) if isinstance(told, (str, bytes)) else plain(told)
        except ReadError:
            continue
        if isinstance(body, dict):
            for name in PROTOCOLS:
                if _named(name).room.answers(body, event):
                    return name
    return None


def _wire(given: WireLike) -> Wire:
    if isinstance(given, Wire):
        return given
    return _named(given) if isinstance(given, str) else wire(given)


@lru_cache(maxsize=64)
def _named(name: str) -> Wire:
    """A wire that knows its models from one conversion to the next; each is judged by itself."""
    return wire(name, policy="ignore")
