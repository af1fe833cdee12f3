"""Convert bodies and streams of one wire for another, and detect the wire of a body.

A body's wire is judged by the address to which it was sent, by its keys, and last by its model.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from time import time
from typing import Any, Literal, TypeAlias

from ..caches import remember
from ..codec.answering import StreamEncoder
from ..codec.sdk_objects import all_plain, decode_text, parse_body, plain
from ..codec.stream import Events, feed_chunk, iterate_chunks
from ..codec.stream_decoder import StreamDecoder
from ..codec.wire import Wire
from ..errors import ConfigError, LossRefused, ProviderError, ReadError
from ..history.passes.fetching import Fetch
from ..history.pipeline import FormatStyle
from ..losses import Loss, Policy, PolicyLike
from ..losses import policy as policy_of
from ..losses.policies import LossLog
from ..message import ChatRequest, ChatResponse, Finish, Written, check_request
from ..message.ending import client_error
from ..message.known_tools import copy_tools
from ..protocols.base import Room
from ..sealed_state import Envelope
from ..stream.framing import Decoder, Framing, ServerEvent
from ..stream.pieces import End, Failed, Meta, Part, Piece, Raw
from ..text.json_text import Json, JsonObject, arguments, loads
from ..text.redaction import show
from ..vendors import PROTOCOLS, Vendor, wire


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


@remember("a room of each protocol, which recognises its bodies", entries=1, size=2**17)
def _rooms() -> dict[str, Room]:
    return {name: wire(name).room for name in PROTOCOLS}


def _find_protocols(body: JsonObject, path: str | None, kind: str) -> list[str]:
    """The protocols to which the body can belong, the likeliest first."""
    rooms = _rooms()
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
        for name, room in _rooms().items()
    }
    longest = max(1, *lengths.values())
    return [name for name, length in lengths.items() if length == longest]


_SHOWN = 200  # bytes of a body that is no stream, quoted in the error


class StreamConverter:
    """Converts the stream of one answer: takes bytes of its wire, gives events of the target's.

    `model` is the model's name for the clients. `request` is what the client asked, `sent` what was
    sent to the source's provider for it. It does no I/O.
    """

    def __init__(
        self,
        reader: Wire,
        target: Wire,
        model: str | None,
        policy: Policy,
        request: ChatRequest | None = None,
        envelope: Envelope | None = None,
        sent: Written | None = None,
        answer_id: str | None = None,
    ) -> None:
        self._answer_id = answer_id  # for an answer whose wire has no ids
        self.decoder: StreamDecoder = reader.stream_decoder(request=sent or request)
        self.encoder: StreamEncoder = target.stream_encoder(
            request, origin=self.decoder.origin, envelope=envelope, second=int(time())
        )
        self.failed: ProviderError | None = None  # the provider's error
        self.begun = False  # whether content of the answer has come
        self._model = model
        self._candidates: set[int] = set()  # with content so far
        self._ended: set[int] = set()  # with a finish reason
        self._named = model is None  # whether the given name of the model went out
        self._policy = policy
        self._judged = 0  # losses that the policy lets pass
        self._doubtful: list[End] = []  # ends that may not count; see `settle`
        # ends that wait while other candidates go on: if one of those breaks off, the answer is an
        # error, and no end may come beside it
        self._waiting: list[End] = []
        self._failures = target.room.failures
        origin = self.decoder.origin
        self._is_own = origin is not None and origin.issuer == target.room.issuer

    @property
    def losses(self) -> list[Loss]:
        """What could not be written so far, and what was added."""
        return self.encoder.losses

    @property
    def finished(self) -> bool:
        """Whether every candidate that has begun has a finish reason."""
        return bool(self._ended) and self._candidates <= self._ended

    def feed(self, chunk: Any) -> list[tuple[str | None, Json]]:
        """The events that the chunk completes. Raises LossRefused by the policy."""
        return self.pieces(feed_chunk(self.decoder, chunk))

    def pieces(self, pieces: Iterable[Piece]) -> list[tuple[str | None, Json]]:
        """The events of pieces from the decoder; none after an error."""
        return [event for piece in pieces for event in self._piece(piece)]

    def finish(self) -> list[tuple[str | None, Json]]:
        """The last events, once nothing more will come.

        They are an error if the answer has no end, or no content that the target's clients see.
        """
        return self.pieces(self.decoder.rest()) + self.settle() + self.end()

    def settle(self) -> list[tuple[str | None, Json]]:
        """The events of ends that were held back, or of the error that replaces them."""
        if self.failed is not None or (self.finished and not self._doubtful):
            return []
        ends, self._doubtful = self._doubtful, []
        error = client_error(self.decoder.snapshot(), self._failures if ends else frozenset())
        if error is not None:
            return self._piece(Failed(error))
        ends, self._waiting = [*self._waiting, *ends], []
        return [event for end in ends for event in self._ending(end)]

    def end(self) -> list[tuple[str | None, Json]]:
        """The target's closing events, after the last piece."""
        return self._judge_events(self.encoder.finish())

    def fail(self, error: ProviderError) -> list[tuple[str | None, Json]]:
        """The events of an error, and the closing events; an open call is left open."""
        return self._piece(Failed(error)) + self.end()

    def _piece(self, piece: Piece) -> list[tuple[str | None, Json]]:
        if self.failed is not None:
            return []  # neither success nor another error follows an error
        if type(piece) is Part:
            self.begun = True
            self._candidates.add(piece.key[0])
        elif type(piece) is End:
            if self._may_be_none(piece):
                self._doubtful.append(piece)
                return []
            self._waiting.append(piece)
            return self._release_ends()
        elif type(piece) is Failed:
            self.failed = piece.error
        return self._write_piece(piece)

    def _release_ends(self) -> list[tuple[str | None, Json]]:
        """The events of the waiting ends, once every candidate has one."""
        if self._candidates - self._ended - {end.candidate for end in self._waiting}:
            return []
        ends, self._waiting = self._waiting, []
        return [event for end in ends for event in self._ending(end)]

    def _may_be_none(self, end: End) -> bool:
        """Whether this end counts is decided by the whole answer only."""
        reason, index = end.finish.reason, end.candidate
        if reason == "tool_calls":
            return not self.decoder.builder.has_call(index)
        if reason in ("other", "stop") and index not in self._candidates:
            # there may have been no content at all
            return not (end.finish.raw and self._is_own)
        return reason in ("malformed_call", "error")

    def _ending(self, end: End) -> list[tuple[str | None, Json]]:
        """The events of an end; a missing reason becomes the plain one for another's clients."""
        self._ended.add(end.candidate)
        finish = end.finish
        if not self._is_own and finish.reason == "other" and not finish.raw:
            plain = Finish("stop")
            self.encoder.report.add_loss(
                "answer.finish", plain, "finish", what="no reason", did="stop"
            )
            end = End(plain, end.candidate)
        return self._write_piece(end)

    def _write_piece(self, piece: Piece) -> list[tuple[str | None, Json]]:
        """The events of a piece; those of the model's name come before the first."""
        if self._named:
            if self._model is not None and type(piece) is Meta and piece.model is not None:
                piece = replace(piece, model=self._model)
            return self._encode_piece(piece)
        return self._with_name(piece)

    def _with_name(self, piece: Piece) -> list[tuple[str | None, Json]]:
        """The events of a piece, after those of the model's name."""
        if type(piece) in (Raw, Failed):
            return self._encode_piece(piece)
        self._named = True
        if type(piece) is Meta and piece.candidate is None:
            named = replace(piece, model=self._model, id=piece.id or self._answer_id)
            return self._encode_piece(named)
        origin = self.decoder.origin
        issuer = origin.issuer if origin is not None else ""
        named = Meta(model=self._model, id=self._answer_id, issuer=issuer)
        return self._encode_piece(named) + self._encode_piece(piece)

    def _encode_piece(self, piece: Piece) -> list[tuple[str | None, Json]]:
        return self._judge_events(self.encoder.feed(piece))

    def _judge_events(self, events: list[tuple[str | None, Json]]) -> list[tuple[str | None, Json]]:
        policy = self._policy
        if (policy.refuse or policy.append_only) and self.encoder.report.kinds:
            new_losses = self.encoder.losses[self._judged :]
            if refused := [loss for loss in new_losses if policy.refuses(loss)]:
                raise LossRefused(refused)
            self._judged += len(new_losses)
        return events


class ConvertedStream(Events[ServerEvent]):
    """Iterates over `ServerEvent`s; `losses` are those so far, `response` is the answer at the end.

    Iterating raises ReadError, in place of the first event, for what is no stream of the source's
    wire, and LossRefused, in place of the event that would lose it, for what the policy refuses. An
    error of the provider, or that the answer broke off, is an event; `error` holds either. `close`,
    or the end of a `with` block, closes the source.

    Args:
        chunks: Bytes of the body, cut anywhere, or events.
        reader: The wire of the source; None: it is detected by the first events.
        target: The wire of the clients.
        model: The model's name for the clients; None: its own.
        policy: Which losses raise.
        request: What the client asked, as the target's wire read it.
        envelope: Seals the opaque state of the source's provider.
    """

    def __init__(
        self,
        chunks: Iterable[Any],
        reader: Wire | None,
        target: Wire,
        model: str | None,
        policy: Policy,
        request: ChatRequest | None = None,
        envelope: Envelope | None = None,
    ) -> None:
        self._source = chunks
        self._chunks = iterate_chunks(chunks)
        self._reader = reader  # None: detected by the events
        self._policy = policy
        self._convert = partial(
            StreamConverter,
            target=target,
            model=model,
            policy=policy,
            request=request,
            envelope=envelope,
        )
        self._converter: StreamConverter | None = None
        self._ended = False
        self._events = self._iterate()

    @property
    def losses(self) -> list[Loss]:
        """What could not be written so far, and what was added."""
        return self._converter.losses if self._converter is not None else []

    @property
    def response(self) -> ChatResponse:
        """The whole answer, as its own wire was read.

        Raises:
            ConfigError: The last event has not come yet.
        """
        if self._converter is None or not self._ended:
            hint = "iterate over it first"
            raise ConfigError("the stream was not read to its end", hint=hint, code="stream.unread")
        return self._converter.decoder.snapshot()

    @property
    def error(self) -> ProviderError | None:
        """The error among the events: the provider's own, or that the answer broke off."""
        return self._converter.failed if self._converter is not None else None

    def _iterate(self) -> Generator[ServerEvent]:
        try:
            for name, payload in self._convert_events():
                yield ServerEvent(name, payload if isinstance(payload, str) else arguments(payload))
        except BaseException:
            self._close_sources()
            raise

    def _convert_events(self) -> Iterator[tuple[str | None, Json]]:
        wire, chunks = self._reader, self._chunks
        if wire is None:
            wire, chunks = _detect_stream(chunks)
        converter = self._converter = self._convert(wire)
        read = False
        received: list[Any] = []  # for the error of what is no stream
        for chunk in chunks:
            if not (read or received):
                received.append(chunk)
            for piece in feed_chunk(converter.decoder, chunk):
                read = read or type(piece) is not Raw
                yield from converter.pieces((piece,))
        last = converter.decoder.rest()
        if not (read or any(type(piece) is not Raw for piece in last)):
            raise _no_stream(wire.name, received)
        yield from converter.pieces(last)
        yield from converter.settle()
        yield from converter.end()
        self._ended = True
        self._policy.judge(converter.encoder.report, LossLog())


def _no_stream(wire: str, received: list[Any]) -> ReadError:
    first = received[0] if received else b""
    if isinstance(first, (bytes, bytearray, memoryview)):
        first = decode_text(bytes(first[:_SHOWN]))
    text = f"this is no stream of {wire}: " + ("nothing came" if first == "" else show(first))
    hint = "check the wire, and the status of HTTP before the body is read"
    return ReadError(text, hint=hint, code="stream.shape")


_QUIET = policy_of("ignore")
_AS_READ = FormatStyle(fetch_read=True)
_MOST = 64  # events after which the wire must be known
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
    fetch: Fetch | None = None,
    keep_model: bool = False,
    request: ChatRequest | None = None,
    envelope: Envelope | None = None,
) -> Written:
    """Convert a request or a whole answer of one wire for another, and report what is lost.

    Args:
        body: Parsed JSON or its text.
        source: The wire of the body; "auto" asks `detect`.
        target: The wire for which it is written.
        kind: Whether it is a request or an answer.
        model: The model to ask, or the answer's model for the client. Without it the target's
            default is asked where the body names another provider's model, or none.
        path: Where the body was sent, for wires that name the model there.
        policy: Which losses raise; the target's own policy by default.
        strict: Whether to refuse what would have to be repaired.
        fetch: `fetch(source, path)` gives the bytes of media that the user shows by a web address,
            where the target takes only bytes. A local file that a body names is never read.
        keep_model: Whether to keep the model's name as it is.
        request: What the client of an answer asked.
        envelope: Carries the opaque state of an answer's provider along, and restores it into the
            request that brings it back.

    Returns:
        The body for the target, and its losses.

    Raises:
        ReadError: The body is none of the source's wire.
        WriteError: It cannot be written for the target.
        LossRefused: The policy refuses a loss.

    >>> body = {"model": "gpt-5.5", "messages": [{"role": "user", "content": "Hi"}]}
    >>> convert(body, "openai-chat", "gemini", model="gemini-3.5-flash").body["contents"]
    [{'role': 'user', 'parts': [{'text': 'Hi'}]}]
    """
    if isinstance(body, (str, bytes)) and (kind == "response" or source == "auto"):
        body = loads(body)
    if path is not None and not isinstance(path, str):
        raise ConfigError(f"path must be text, not {type(path).__name__}")
    request, envelope = _check_arguments(request, envelope)
    reader = _wire(detect(body, path, kind).wire if source == "auto" else source)
    writer = _wire(target)
    if kind == "request":
        same_protocol = reader.room.protocol == writer.room.protocol
        if request is not None:
            raise ConfigError("a request is converted as it is", hint="request= is for answers")
        req = reader._read(body, path, None, keep=same_protocol, watched=False)
        if envelope is not None:
            reader._open(req, envelope)
        style = _AS_READ if fetch is None else replace(_AS_READ, fetch=fetch)
        written = writer.write_request(
            req, model, style=style, policy=_QUIET, keep_model=keep_model
        )
        if written.original_tools:  # other requests may have the same ones
            written.original_tools = copy_tools(written.original_tools)
    elif kind == "response":
        if fetch is not None:
            raise ConfigError("an answer is converted as it is", hint="fetch= is for requests")
        resp = reader.read_response(body)
        written = writer.write_response(
            replace(resp, model=model or resp.model), request, envelope=envelope, policy=_QUIET
        )
    else:
        raise ConfigError(f"kind is {show(kind)}", hint='"request" or "response", and model="..."')
    policy_of(_judge(policy, target), strict).judge(written.report, LossLog())
    return written


def convert_stream(
    chunks: Iterable[Any],
    source: WireLike,
    target: WireLike,
    model: str | None = None,
    *,
    policy: PolicyLike | None = None,
    request: ChatRequest | None = None,
    envelope: Envelope | None = None,
) -> ConvertedStream:
    """Convert the stream of an answer for another wire's clients; `losses` of the result grow.

    Iterating raises ReadError for what is no stream of the source's wire, and LossRefused by the
    policy before the event that would lose something.

    Args:
        chunks: Bytes of the body, cut anywhere, or events, as `Wire.read_stream` takes them.
        source: The wire of the stream; "auto" looks at the first events.
        target: The wire of the clients.
        model: The model's name for the clients; by default its own.
        policy: Which losses raise; the target's own policy by default.
        request: What the client asked, as the target's `read_request` gave it: its model and its
            tools' names are used, and the figures of usage come in a chunk of their own if it asks
            for that.
        envelope: Carries the opaque state of the source's provider along.

    Raises:
        NotMessages: `request` is no request.
        ConfigError: `envelope` is none.
    """
    writer = _wire(target)
    reader = None if source == "auto" else _wire(source)
    request, envelope = _check_arguments(request, envelope)
    judge = policy_of(_judge(policy, target))
    return ConvertedStream(chunks, reader, writer, model, judge, request, envelope)


def _check_arguments(
    request: ChatRequest | None, envelope: Envelope | None
) -> tuple[ChatRequest | None, Envelope | None]:
    if envelope is not None and not isinstance(envelope, Envelope):
        raise ConfigError(f"envelope must be Envelope, not {type(envelope).__name__}")
    return None if request is None else check_request(request), envelope


def _judge(policy: PolicyLike | None, target: WireLike) -> PolicyLike:
    if policy is not None:
        return policy
    return target.policy if isinstance(target, Wire) else "log"


def _detect_stream(chunks: Iterator[Any]) -> tuple[Wire, Iterator[Any]]:
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
            return _get_wire(name), chain(received, chunks)
        count += len(events)
        if count > _MOST:
            break
    if frames is not None and (name := _find_claiming_protocol(_pairs(frames.flush()))):
        return _get_wire(name), iter(received)
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
                if _get_wire(name).room.answers(body, event):
                    return name
    return None


def _wire(target: WireLike) -> Wire:
    if isinstance(target, Wire):
        return target
    return _get_wire(target) if isinstance(target, str) else wire(target)


@remember("wires that conversions name", entries=64, size=2**16)
def _get_wire(name: str) -> Wire:
    """A wire that keeps what it knows of models between conversions; losses are judged for each."""
    return wire(name, policy="ignore")
