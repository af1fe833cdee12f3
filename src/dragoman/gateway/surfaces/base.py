"""Surface: what one client protocol looks like over HTTP, besides requests and answers.

Errors, lists of models, token counts and signs of life, in the words of that protocol. What a
request or an answer says is the business of `dragoman.protocols`.
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
# a key at some depth, or the end of one: in JSON a quote inside of a text has a backslash before it
_BORDER = re.compile(rb"\n\n|\r\n\r\n")  # between events
_LINE = re.compile(rb"\n")
MODEL = re.compile(rb'"model"[ \t\r\n]*:[ \t\r\n]*("(?:[^"\\]++|\\.)*+"|[^\s",:{}\[\]]+)')

_SLASHES = re.compile("/{2,}")
_VAGUE = frozenset({"invalid", "server", "other", "no_answer", "connection"})


@dataclass(slots=True)
class ClientRequest:
    """A request as it came: the names of its headers are in small letters.

    In the path slashes that say nothing are left out (`//v1/models/`), so that a path that is known
    under one spelling is not an unknown one under another.
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
    """A whole answer to a client."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def json(cls, status: int, body: Any, headers: Mapping[str, str] | None = None) -> ClientAnswer:
        """The answer with this value as its body."""
        return cls(status, encode_json(body), {"content-type": JSON, **(headers or {})})


@dataclass(frozen=True, slots=True)
class Operation:
    """What a client wants: `kind`, and the model where the path names it."""

    kind: Kind
    model: str | None = None
    stream: bool | None = None  # where the path tells it
    reason: str = ""  # why it is refused


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as lists name it: its id, whose it is, and what it can."""

    id: str
    owner: str
    caps: Capabilities


class Ending(NamedTuple):
    """One way in which an event ends a stream: `pattern` is searched for where `sign` stands.

    A pattern that begins with a line or a choice is tried at every byte of every event, which costs
    more than all else that is done with one; a few letters are found in no time. In JSON a quote or
    a line break inside of a text has a backslash, so what is looked for is a line or a key.
    """

    sign: bytes
    pattern: re.Pattern[bytes]


class Surface(ABC):
    """One client protocol. `keys` are the headers in which its clients send their key.

    `maker` is the vendor whose API it is: what its clients send can go there as it is.
    """

    protocol: ClassVar[str]
    maker: ClassVar[str]
    keys: ClassVar[tuple[str, ...]] = ("authorization",)
    # what a client of this protocol takes for a sign of life between two events
    sign_of_life: ClassVar[bytes] = b": keep-alive\n\n"
    endings: ClassVar[tuple[Ending, ...]]
    # in events behind which nothing of an answer comes, its end or an error; where a key may also
    # stand inside of another value the group is `unsure`, and the event is read
    lasts: ClassVar[re.Pattern[bytes]]
    # in events that tell of an error, behind which one of `lasts` may tell it again, and no other
    heralds: ClassVar[re.Pattern[bytes] | None] = None
    closing: ClassVar[bytes] = b""  # the event that some hosts leave out at the end of an answer
    answer_id: ClassVar[str | None] = None  # how the ids of answers begin, if they have any
    moves_marks: ClassVar[bool] = False  # whether clients mark what shall be cached, turn by turn
    usage_mark: ClassVar[bytes] = b'"usage"'  # in events that tell how much was used

    def __init__(self) -> None:
        self._wire: Wire | None = None

    @property
    def wire(self) -> Wire:
        """The protocol, which is loaded when the first of its clients comes."""
        if self._wire is None:
            self._wire = wire(self.protocol, policy="ignore", fetch=None)
        return self._wire

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def sign(self, events: int) -> bytes:
        """Make a sign of life.

        Args:
            events: how many events of the answer have gone out.

        Returns:
            The bytes that go out between two events; none where the protocol knows no such sign.
        """
        return self.sign_of_life

    @abstractmethod
    def operation(self, method: str, path: str) -> Operation | None:
        """What a request of this method and path wants; None if the path is none of this one's."""

    def framing(self, request: ClientRequest) -> Framing:
        """How the client reads a stream."""
        return self.wire.room.framing

    def asks_stream(self, body: JsonObject) -> bool:
        """Whether the body of a request asks for a stream."""
        return body.get("stream") is True

    def merge_pieces(self, body: JsonObject) -> JsonObject:
        """The body with what the client's SDK keeps in pieces put together."""
        return body

    def prepare(  # noqa: B027 - most have nothing of the kind
        self, req: ChatRequest, report: Report
    ) -> None:
        """Take out of a request what is meant for the client's provider alone, and name it."""

    def stands_alone(self, payload: JsonObject) -> bool:
        """Whether clients see an event only where it is all that one read of the body gives."""
        return False

    # -- answers -----------------------------------------------------------------------------------

    heads: ClassVar[frozenset[str]] = frozenset()  # events that hold the answer as an object

    def complete_answer(self, body: JsonObject, asked: JsonObject) -> JsonObject:
        """An answer with what this protocol's schema demands and no other protocol tells.

        What the client has `asked` is said again where the provider says it again; what nobody
        knows is null, or the provider's own default.
        """
        return body

    def completed_event(self, payload: JsonObject, asked: JsonObject) -> JsonObject:
        """The same for an event of `heads`."""
        return payload

    # -- bytes that pass untouched -----------------------------------------------------------------

    def below(self, path: str, model: str) -> str:
        """The path below a base URL for a request that goes to `model` as it is."""
        return path

    def renames(self, request: ClientRequest) -> bool:
        """Whether this client wants answers under the name of the model that it asked for."""
        return False

    def rename_model(self, events: bytes, model: str) -> bytes:
        """The first events of an answer that passes, under the name that the client asked for."""
        return events

    def ends(self, events: bytes, framing: Framing) -> bool:
        """Whether one of these whole events says why an answer ended, well or not."""
        for sign, pattern in self.endings:
            if sign in events and pattern.search(events) is not None:
                return True
        return False

    def read(self, events: bytes, framing: Framing) -> tuple[frozenset[int], bool]:
        """(the candidates that these whole events end, whether nothing comes behind them)."""
        decoder = self.wire.stream_decoder()
        decoder.framing = framing
        pieces = [*decoder.feed_bytes(events), *decoder.rest()]
        ended = frozenset(piece.candidate for piece in pieces if type(piece) is End)
        return ended, decoder.over or any(type(piece) is Failed for piece in pieces)

    def last(self, events: bytes, framing: Framing) -> tuple[int, int] | None:
        """Where the event stands behind which nothing comes, in these whole events."""
        begin = end = 0
        for match in self.lasts.finditer(events):
            if match.start() < end:  # in an event that was read, and is none
                if match.lastgroup is None:
                    return begin, end
                continue
            begin, end = _around(events, match, framing, end)
            if match.lastgroup is None or self.read(events[begin:end], framing)[1]:
                return begin, end
        return None

    def herald(self, events: bytes) -> tuple[int, int] | None:
        """Where the event stands that tells of an error which the next one may tell again."""
        match = self.heralds.search(events) if self.heralds is not None else None
        return _around(events, match, "sse") if match is not None else None

    def candidates(self, body: JsonObject) -> int:
        """How many answers the body of a request asks for."""
        return 1

    # -- token counts ------------------------------------------------------------------------------

    def build_generate_body(self, body: JsonObject) -> JsonObject:
        """The body of a request for an answer that a request for a count stands for."""
        return body

    def count(self, tokens: int) -> JsonObject:
        """The answer to a request for a count."""
        return {"input_tokens": tokens}

    # -- models ------------------------------------------------------------------------------------

    @abstractmethod
    def models(self, models: Sequence[ListedModel]) -> JsonObject:
        """The answer to a request for the list of models."""

    @abstractmethod
    def model(self, model: ListedModel) -> JsonObject:
        """The answer to a request for one model."""

    # -- errors ------------------------------------------------------------------------------------

    def status(self, error: ProviderError) -> int:
        """The status of HTTP with which clients of this protocol know such an error."""
        return fitting_status(error.kind, error.status)

    def translate_error(self, error: ProviderError) -> ProviderError:
        """The error as clients of this protocol know it, whoever said it in whose words.

        A body goes on as it came where the maker's clients read the same in it. A host that only
        speaks this protocol may say it otherwise: then it is told anew, its own words behind it.
        Where the protocol has no other words for it, it goes on as it came.
        """
        if error.body is None or self.knows(error):
            return error
        told = copy(error)
        told.host_kind = error.kind  # its body may have said why
        told.body = None
        if self.status(told) == error.status and self.error_body(told) == error.body:
            return error
        return told

    def knows(self, error: ProviderError) -> bool:
        """Whether this protocol's clients read in an error's body what it means."""
        kind = error.kind
        if kind == "context_overflow":
            words = self.wire.room.overflow
            return error.status in (None, 400) and (words is None or words.matches(error.message))
        return kind in _VAGUE or error_kind(error.code, error.type, error.status) == kind

    def streamed_refusal(
        self, error: ProviderError, request: ClientRequest, model: str
    ) -> ClientAnswer | None:
        """The refusal of a stream as a stream, for clients that know this error by no other form.

        None for all others, who hear of it by status and body.
        """
        return None

    def error_body(self, error: ProviderError) -> JsonObject:
        """The body that stands in place of an answer."""
        events = self.wire.stream_encoder().feed(Failed(error))
        return {"error": next(data["error"] for _, data in reversed(events) if "error" in data)}

    def refusal(
        self, error: DragomanError, headers: Mapping[str, str] | None = None
    ) -> ClientAnswer:
        """The answer that tells of an error; `x-dragoman-error` says that it is no provider's."""
        came = told_error(error)
        told = self.translate_error(came)
        told_headers = dict(headers or {})
        if came.body is None:
            told_headers["x-dragoman-error"] = told.code or told.type or told.kind
        if told.retry_after is not None:
            told_headers["retry-after"] = f"{max(1, round(told.retry_after))}"
        if (
            told.should_retry is False or told.kind == "billing"
        ):  # as the SDKs of OpenAI and Anthropic read it
            told_headers["x-should-retry"] = "false"
        if told.request_id and told.request_id.isascii() and told.request_id.isprintable():
            told_headers["x-request-id"] = told.request_id
        return ClientAnswer.json(self.status(told), self.error_body(told), told_headers)


def _around(
    events: bytes, match: re.Match[bytes], framing: Framing, since: int = 0
) -> tuple[int, int]:
    """Where the event begins, at `since` or later, and ends in which something was found."""
    border = _LINE if framing == "ndjson" else _BORDER
    begin = max((one.end() for one in border.finditer(events, since, match.start())), default=since)
    found = border.search(events, match.end())
    return begin, found.end() if found is not None else len(events)


def told_error(error: DragomanError) -> ProviderError:
    """The error as a client is told of it, whoever is to blame.

    What to do about it is for the client where the fault is the request's; elsewhere it is for who
    runs the gateway, who reads it in the log.
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
