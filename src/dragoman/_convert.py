"""From any wire to any other: convert, convert_stream and detect, as thin lines over two wires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from ._wire import Wire
from ._wire.stream import fed, iterated
from .errors import ConfigError, ReadError
from .jsontext import arguments, loads
from .losses import PolicyLike
from .losses import policy as policy_of
from .message import Written
from .shown import shown
from .sse import ServerEvent
from .vendors import PROTOCOLS, Vendor, wire

__all__ = ["Detected", "convert", "convert_stream", "detect"]

_QUIET = policy_of("ignore")
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
    judge = policy if policy is not None else target.policy if isinstance(target, Wire) else "log"
    policy_of(judge, strict).judge(made.report, set())
    return made


def convert_stream(
    chunks: Iterable[Any], source: WireLike, target: WireLike
) -> Iterator[ServerEvent]:
    """The events of an answer's stream as another wire's clients take them.

    `chunks` are bytes of the body, cut anywhere, or events: as `Wire.read_stream` takes them.
    """
    decoder = _wire(source).stream_decoder()
    encoder = _wire(target).stream_encoder(origin=decoder.origin)
    for chunk in iterated(chunks):
        for piece in fed(decoder, chunk):
            yield from _events(encoder.feed(piece))
    for piece in decoder.rest():
        yield from _events(encoder.feed(piece))
    yield from _events(encoder.finish())


def _events(made: list[tuple[str | None, Any]]) -> Iterator[ServerEvent]:
    for name, payload in made:
        yield ServerEvent(name, payload if isinstance(payload, str) else arguments(payload))


def _wire(given: WireLike) -> Wire:
    if isinstance(given, Wire):
        return given
    return _named(given) if isinstance(given, str) else wire(given)


@lru_cache(maxsize=64)
def _named(name: str) -> Wire:
    """A wire that knows its models from one conversion to the next; each is judged by itself."""
    return wire(name, policy="ignore")


@dataclass(frozen=True, slots=True)
class Detected:
    """Whose body it is: the likeliest wire, and the others that it would be valid on as well."""

    wire: str
    also: tuple[str, ...] = ()


def detect(
    body: Any, path: str | None = None, kind: Literal["request", "response"] = "request"
) -> Detected:
    """Which protocol a body belongs to, judged by its keys and by the path it was sent to.

    Raises ReadError for what is no JSON object, or belongs to none.
    """
    if isinstance(body, (str, bytes)):
        body = loads(body)
    if not isinstance(body, dict):
        raise ReadError(f"{type(body).__name__} is no body", path="$", code="request.shape")
    rooms = {name: wire(name).room for name in PROTOCOLS}
    if kind == "request":
        found = [name for name, room in rooms.items() if room.claims(body, path)]
    else:
        found = [name for name, room in rooms.items() if room.answers(body)]
    if not found:
        raise ReadError(
            "no protocol has bodies with these keys", path="$", code="request.shape",
            hint="name the wire: source=...",
        )  # fmt: skip
    return Detected(found[0], tuple(found[1:]))
