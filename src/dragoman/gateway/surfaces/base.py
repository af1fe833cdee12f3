"""Surface: what one client protocol looks like over HTTP, besides requests and answers.

That is errors, lists of models, token counts and signs of life, in the form of that protocol. The
content of requests and answers belongs to `dragoman.protocols`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from ...capabilities import Capabilities
from ...codec.wire import Wire
from ...error_kinds import error_kind, fitting_status
from ...errors import (
    ConfigError,
    ContextOverflow,
    DragomanError,
    LossRefused,
    ProviderError,
    ReadError,
    WriteError,
)
from ...losses import Report
from ...message import ChatRequest
from ...stream.framing import Framing
from ...stream.pieces import End, Failed
from ...text.json_text import JsonObject, encode_json
from ...vendors import wire

Kind: TypeAlias = Literal["generate", "count", "compact", "models", "model", "state", "other"]

JSON = "application/json"
# a key at any depth, or the end of a text: in JSON a quote inside a text has a backslash before it
_BORDER = re.compile(rb"\n\n|\r\n\r\n")  # between events
_LINE = re.compile(rb"\n")
MODEL = re.compile(rb'"model"[ \t\r\n]*:[ \t\r\n]*("(?:[^"\\]++|\\.)*+"|[^\s",:{}\[\]]+)')

_SLASHES = re.compile("/{2,}")
_VAGUE = frozenset({"invalid", "server", "other", "no_answer", "connection"})


@dataclass(slots=True)
class ClientRequest:
    """A request as it came, with the names of its headers in small letters.

    Empty parts of the path are removed (`//v1/models/`), so that a known path is not unknown in
    another spelling.

    Attributes:
        method: GET, POST and others.
        path: The path, decoded, without the query.
        query: The query, not decoded.
        headers: The headers; several of one name are joined by commas.
        body: The whole body.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        if "//" in self.path or self.path.endswith("/"):
            self.path = _SLASHES.sub("/", self.path).rstrip("/") or "/"

    @property
    def target(self) -> str:
        """Path and query."""
        return f"{self.path}?{self.query}" if self.query else self.path


@dataclass(slots=True)
class ClientAnswer:
    """A whole answer to a client.

    Attributes:
        status: The status of HTTP.
        body: The body.
        headers: The headers, without the length.
    """

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def json(cls, status: int, body: Any, headers: Mapping[str, str] | None = None) -> ClientAnswer:
        """An answer with a JSON body.

        Args:
            status: The status of HTTP.
            body: The value to write as JSON.
            headers: Headers besides the content type.
        """
        return cls(status, encode_json(body), {"content-type": JSON, **(headers or {})})


@dataclass(frozen=True, slots=True)
class Operation:
    """What a client wants.

    Attributes:
        kind: The kind of request; "other" for one at an unknown path.
        model: The model, if the path names it.
        stream: Whether a stream is wanted, if the path says so.
        reason: Why the operation is refused, for the kind "state".
    """

    kind: Kind
    model: str | None = None
    stream: bool | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model in a list of models.

    Attributes:
        id: The name that clients ask for.
        owner: The vendor.
        caps: What the model can do.
    """

    id: str
    owner: str
    caps: Capabilities


class Ending(NamedTuple):
    """One way in which an event ends a stream: `pattern` is searched for if `sign` occurs.

    A pattern that begins with a line or a choice is tried at every byte of every event, which costs
    more than all other work on it; a few fixed letters are found much faster. In JSON, a quote or a
    line break inside a text has a backslash, so that only lines or keys match.
    """

    sign: bytes
    pattern: re.Pattern[bytes]


class Surface(ABC):
    """One client protocol.

    Attributes:
        protocol: Its name in `dragoman.vendors`.
        maker: The vendor whose API it is, which takes its clients' requests unchanged.
        keys: The headers in which its clients send their key.
        sign_of_life: What clients ignore between two events while it keeps the connection open.
        endings: The events that end a stream.
        lasts: Matches in the last event of an answer, its end or an error. If a key may also occur
            inside another value, it is in the group `unsure`, and the event is read.
        heralds: Matches in an error event which one event of `lasts` may repeat, and no other.
        closing: The last event of an answer, which some hosts leave out.
        answer_id: How the ids of answers begin; None if answers have no ids.
        moves_marks: Whether clients mark at each turn what shall be cached.
        usage_mark: Occurs in events that report usage.
        heads: The names of events that contain the answer as an object.
    """

    protocol: ClassVar[str]
    maker: ClassVar[str]
    keys: ClassVar[tuple[str, ...]] = ("authorization",)
    sign_of_life: ClassVar[bytes] = b": keep-alive\n\n"
    endings: ClassVar[tuple[Ending, ...]]
    lasts: ClassVar[re.Pattern[bytes]]
    heralds: ClassVar[re.Pattern[bytes] | None] = None
    closing: ClassVar[bytes] = b""
    answer_id: ClassVar[str | None] = None
    moves_marks: ClassVar[bool] = False
    usage_mark: ClassVar[bytes] = b'"usage"'

    def __init__(self) -> None:
        self._wire: Wire | None = None

    @property
    def wire(self) -> Wire:
        """The protocol, which is loaded with the first request that uses it."""
        if self._wire is None:
            self._wire = wire(self.protocol, policy="ignore", fetch=None)
        return self._wire

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def build_keep_alive(self, events: int) -> bytes:
        """Make a sign of life.

        Args:
            events: how many events of the answer have gone out.

        Returns:
            The bytes that go out between two events; none where the protocol knows no such sign.
        """
        return self.sign_of_life

    @abstractmethod
    def operation(self, method: str, path: str) -> Operation | None:
        """What a request wants.

        Args:
            method: The method of HTTP.
            path: The path, without the query.

        Returns:
            The operation; None if the path does not belong to this protocol.
        """

    def framing(self, request: ClientRequest) -> Framing:
        """The framing of streams for a client.

        Args:
            request: The client's request.
        """
        return self.wire.room.framing

    def asks_stream(self, body: JsonObject) -> bool:
        """Whether the body of a request asks for a stream.

        Args:
            body: The request's body.
        """
        return body.get("stream") is True

    def merge_pieces(self, body: JsonObject) -> JsonObject:
        """Join parts of the history that the client's SDK splits.

        Args:
            body: The request's body.

        Returns:
            The body; the same object if there is nothing to join.
        """
        return body

    def prepare(  # noqa: B027 - most have nothing of the kind
        self, req: ChatRequest, report: Report
    ) -> None:
        """Remove from a request what is meant for the client's own provider, and report it.

        Args:
            req: The request, which is changed in place.
            report: Gets the losses.
        """

    def stands_alone(self, payload: JsonObject) -> bool:
        """Whether clients see an event only if one read of the body gives nothing else.

        Args:
            payload: The event's JSON.
        """
        return False

    # -- answers -----------------------------------------------------------------------------------

    heads: ClassVar[frozenset[str]] = frozenset()

    def complete_answer(self, body: JsonObject, request_body: JsonObject) -> JsonObject:
        """Complete an answer with fields that this protocol requires and no other protocol has.

        Args:
            body: The answer's body.
            request_body: The client's request, for fields that the provider repeats in its answers.

        Returns:
            The body; unknown fields are null, or the provider's own default.
        """
        return body

    def completed_event(self, payload: JsonObject, request_body: JsonObject) -> JsonObject:
        """Complete the answer inside an event of `heads`.

        Args:
            payload: The event's JSON.
            request_body: The client's request.
        """
        return payload

    # -- bytes that pass untouched -----------------------------------------------------------------

    def below(self, path: str, model: str) -> str:
        """The path below a base URL, for a request that is passed on.

        Args:
            path: The path of the client's request.
            model: The target's model, for protocols that name it in the path.
        """
        return path

    def renames(self, request: ClientRequest) -> bool:
        """Whether this client wants answers under the name of the model that it asked for.

        Args:
            request: The client's request.
        """
        return False

    def rename_model(self, events: bytes, model: str) -> bytes:
        """Put the name that the client asked for into an answer that is passed on.

        Args:
            events: The first events of the answer.
            model: The name that the client asked for.
        """
        return events

    def ends(self, events: bytes, framing: Framing) -> bool:
        """Whether one of these events gives the reason why an answer ended, well or not.

        Args:
            events: Whole events.
            framing: Their framing.
        """
        for sign, pattern in self.endings:
            if sign in events and pattern.search(events) is not None:
                return True
        return False

    def read(self, events: bytes, framing: Framing) -> tuple[frozenset[int], bool]:
        """Read whole events.

        Args:
            events: Whole events.
            framing: Their framing.

        Returns:
            (the candidates that they end, whether the stream ends with them).
        """
        decoder = self.wire.stream_decoder()
        decoder.framing = framing
        pieces = [*decoder.feed_bytes(events), *decoder.rest()]
        ended = frozenset(piece.candidate for piece in pieces if type(piece) is End)
        return ended, decoder.over or any(type(piece) is Failed for piece in pieces)

    def last(self, events: bytes, framing: Framing) -> tuple[int, int] | None:
        """Find the event that is the last of an answer.

        Args:
            events: Whole events.
            framing: Their framing.

        Returns:
            Where the event begins and ends; None if it is not among these.
        """
        begin = end = 0
        for match in self.lasts.finditer(events):
            if match.start() < end:  # inside an event that was read, and that ends nothing
                if match.lastgroup is None:
                    return begin, end
                continue
            begin, end = _around(events, match, framing, end)
            if match.lastgroup is None or self.read(events[begin:end], framing)[1]:
                return begin, end
        return None

    def herald(self, events: bytes) -> tuple[int, int] | None:
        """Find an error event that the next event may repeat.

        Args:
            events: Whole events.

        Returns:
            Where the event begins and ends; None if it is not among these.
        """
        match = self.heralds.search(events) if self.heralds is not None else None
        return _around(events, match, "sse") if match is not None else None

    def candidates(self, body: JsonObject) -> int:
        """How many answers the body of a request asks for.

        Args:
            body: The request's body.
        """
        return 1

    # -- token counts ------------------------------------------------------------------------------

    def build_generate_body(self, body: JsonObject) -> JsonObject:
        """The request for an answer that a request for a count describes.

        Args:
            body: The body of the request for a count.
        """
        return body

    def count(self, tokens: int) -> JsonObject:
        """The answer to a request for a count.

        Args:
            tokens: The number of tokens.
        """
        return {"input_tokens": tokens}

    # -- models ------------------------------------------------------------------------------------

    @abstractmethod
    def models(self, models: Sequence[ListedModel]) -> JsonObject:
        """The answer to a request for the list of models.

        Args:
            models: All models of the list.
        """

    @abstractmethod
    def model(self, model: ListedModel) -> JsonObject:
        """The answer to a request for one model.

        Args:
            model: The model.
        """

    # -- errors ------------------------------------------------------------------------------------

    def status(self, error: ProviderError) -> int:
        """The status of HTTP that clients of this protocol expect for an error.

        Args:
            error: The error.
        """
        return fitting_status(error.kind, error.status)

    def translate_error(self, error: ProviderError) -> ProviderError:
        """The error in the form that clients of this protocol understand.

        The body is kept if the protocol's clients read the same meaning in it, as in those of its
        maker, or if the protocol has no other form for the error. Otherwise, as for hosts that use
        other codes, the error is written again, with the host's text in it.

        Args:
            error: The error, with the provider's body if it has one.
        """
        if error.body is None or self.knows(error):
            return error
        told = copy(error)
        told.host_kind = error.kind  # its body may have given the reason
        told.body = None
        if self.status(told) == error.status and self.error_body(told) == error.body:
            return error
        return told

    def knows(self, error: ProviderError) -> bool:
        """Whether this protocol's clients read in an error's body what it means.

        Args:
            error: The error of a provider.
        """
        kind = error.kind
        if kind == "context_overflow":
            words = self.wire.room.overflow
            return error.status in (None, 400) and (words is None or words.matches(error.message))
        return kind in _VAGUE or error_kind(error.code, error.type, error.status) == kind

    def streamed_refusal(
        self, error: ProviderError, request: ClientRequest, model: str
    ) -> ClientAnswer | None:
        """A refusal in the form of a stream, for clients that know this error in no other form.

        Args:
            error: The error.
            request: The client's request.
            model: The model that the client asked for.

        Returns:
            The stream; None for all other clients, which read status and body.
        """
        return None

    def error_body(self, error: ProviderError) -> JsonObject:
        """The body of an answer that reports an error.

        Args:
            error: The error.
        """
        events = self.wire.stream_encoder().feed(Failed(error))
        return {"error": next(data["error"] for _, data in reversed(events) if "error" in data)}

    def refusal(
        self, error: DragomanError, headers: Mapping[str, str] | None = None
    ) -> ClientAnswer:
        """The answer that reports an error.

        Args:
            error: The error.
            headers: Headers besides those of the error. `x-dragoman-error` is added if the error is
                not a provider's.
        """
        came = to_client_error(error)
        told = self.translate_error(came)
        told_headers = dict(headers or {})
        if came.body is None:
            told_headers["x-dragoman-error"] = told.code or told.type or told.kind
        if told.retry_after is not None:
            told_headers["retry-after"] = f"{max(1, round(told.retry_after))}"
        if (
            told.should_retry is False or told.kind == "billing"
        ):  # the SDKs of OpenAI and Anthropic read it
            told_headers["x-should-retry"] = "false"
        if told.request_id and told.request_id.isascii() and told.request_id.isprintable():
            told_headers["x-request-id"] = told.request_id
        return ClientAnswer.json(self.status(told), self.error_body(told), told_headers)


def _around(
    events: bytes, match: re.Match[bytes], framing: Framing, since: int = 0
) -> tuple[int, int]:
    """Where the event around a match begins, at `since` or later, and where it ends."""
    border = _LINE if framing == "ndjson" else _BORDER
    begin = max((one.end() for one in border.finditer(events, since, match.start())), default=since)
    found = border.search(events, match.end())
    return begin, found.end() if found is not None else len(events)


def to_client_error(error: DragomanError) -> ProviderError:
    """The error in the form for a client.

    The hint goes into the message only if the request is at fault. Otherwise the operator of the
    gateway has to act, and reads the hint in the log.

    Args:
        error: Any error of an exchange.
    """
    if isinstance(error, ProviderError):
        if not error.hint or error.body is not None or (error.status or 500) >= 500:
            return error
        told = copy(error)
        told.message, told.hint = f"{error.message} ({error.hint})", ""
        return told
    kind, status = "invalid_request_error", 400
    if isinstance(error, LossRefused):
        status = 422
    elif isinstance(error, ContextOverflow):
        kind = "context_length_exceeded"
    elif isinstance(error, ConfigError):
        if error.code == "route.missing":
            kind, status = "not_found_error", 404
        else:
            kind, status = "api_error", 500
    elif not isinstance(error, (WriteError, ReadError)):
        kind, status = "api_error", 500
    told = ProviderError(str(error), status=status, type=kind, code=error.code)
    told.path = error.path
    return told


def named_model(value: Any) -> str:
    """The model that the body of `/api/show` names. Raises ConfigError."""
    name = value.get("model", value.get("name")) if isinstance(value, dict) else None
    if not isinstance(name, str):
        raise ConfigError("the request names no model", path="$.model", code="route.missing")
    return name
