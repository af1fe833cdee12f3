"""Surface: what one client protocol looks like over HTTP, besides requests and answers.

Errors, lists of models, token counts and signs of life, in the words of that protocol. What a
request or an answer says is the business of `dragoman.protocols`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from ..._core.exchange.wire import Wire
from ..._core.failures import usual_status
from ..._core.jsontext import JsonObject, encoded
from ..._core.stream.pieces import End, Failed
from ...capabilities import Capabilities
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
from ...sse import Framing
from ...vendors import wire

Kind: TypeAlias = Literal["generate", "count", "compact", "models", "model", "state", "other"]

JSON = "application/json"
# a key at some depth, or the end of one: in JSON a quote inside of a text has a backslash before it
MODEL = re.compile(rb'"model"[ \t\r\n]*:[ \t\r\n]*("(?:[^"\\]|\\.)*"|[^\s",:{}\[\]]+)')


@dataclass(slots=True)
class ClientRequest:
    """A request as it came: the names of its headers are in small letters."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)

    @property
    def target(self) -> str:
        """Path and query."""
        return f"{self.path}?{self.query}" if self.query else self.path


@dataclass(slots=True)
class Answer:
    """A whole answer to a client."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def json(cls, status: int, body: Any, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer with this value as its body."""
        return cls(status, encoded(body), {"content-type": JSON, **(headers or {})})


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

    @abstractmethod
    def operation(self, method: str, path: str) -> Operation | None:
        """What a request of this method and path wants; None if the path is none of this one's."""

    def framing(self, request: ClientRequest) -> Framing:
        """How the client reads a stream."""
        return self.wire.room.framing

    def asks_stream(self, body: JsonObject) -> bool:
        """Whether the body of a request asks for a stream."""
        return body.get("stream") is True

    def gathered(self, body: JsonObject) -> JsonObject:
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

    def completed(self, body: JsonObject, asked: JsonObject) -> JsonObject:
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

    def renamed(self, events: bytes, model: str) -> bytes:
        """The first events of an answer that passes, under the name that the client asked for."""
        return events

    def ends(self, events: bytes) -> bool:
        """Whether one of these whole events ends a stream, well or not."""
        for sign, pattern in self.endings:
            if sign in events and pattern.search(events) is not None:
                return True
        return False

    def reads_end(self, events: bytes) -> bool:
        """The same by reading the events: for protocols where arguments may have such keys too."""
        decoder = self.wire.stream_decoder()
        pieces = [*decoder.feed_bytes(events), *decoder.rest()]
        return any(type(piece) in (End, Failed) for piece in pieces)

    # -- token counts ------------------------------------------------------------------------------

    def counted(self, body: JsonObject) -> JsonObject:
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
        return error.status if error.status and error.status >= 400 else usual_status(error.kind)

    def error_body(self, error: ProviderError) -> JsonObject:
        """The body that stands in place of an answer."""
        events = self.wire.stream_encoder().feed(Failed(error))
        return {"error": next(data["error"] for _, data in reversed(events) if "error" in data)}

    def refusal(self, error: DragomanError, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer that tells of an error."""
        told = told_error(error)
        told_headers = {"x-dragoman-error": told.code or told.type or told.kind, **(headers or {})}
        if told.retry_after is not None:
            told_headers["retry-after"] = f"{max(1, round(told.retry_after))}"
        if told.request_id and told.request_id.isascii() and told.request_id.isprintable():
            told_headers["x-request-id"] = told.request_id
        return Answer.json(self.status(told), self.error_body(told), told_headers)


def told_error(error: DragomanError) -> ProviderError:
    """The error as a client is told of it, whoever is to blame."""
    if isinstance(error, ProviderError):
        return error
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
