"""The contract of a protocol: what every `protocol.py` offers, and what it is given.

Requests are written by `messages`, `tools` and `write`, and read by `read_request`; what nobody
edited since is written back by `messages_as_read` and `body_as_read`. Answers are read by `reader`
and written by `write_response` and `encoder`. `claims` and `answers` tell by its keys whether a
body can be this protocol's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeAlias

from ..capabilities import Capabilities
from ..history.passes.survey import RoledHistory, Tools
from ..losses import Report
from ..message import ChatRequest, ChatResponse, Msg, ServerTool, Tool
from ..sealed_state import CallField
from ..stream.framing import Framing
from ..stream.pieces import Piece
from ..text.json_text import Json, JsonObject
from ..text.redaction import Shown
from .client_arguments import Arguments
from .error_words import OverflowWords
from .paths import PathTable, request_paths

Names: TypeAlias = Collection[str]  # of fields of a request that stand as they were read


@dataclass(slots=True, repr=False)
class PreparedRequest(Shown):
    """A ChatRequest after the passes: the protocol can carry all of its history.

    `history` has the messages, each with the role that says it; `request` has everything else.
    """

    history: RoledHistory
    offered: Tools  # in their order, under the names that the wire takes
    request: ChatRequest
    model: str | None
    caps: Capabilities
    names: dict[str, str] = field(default_factory=dict)  # tool names -> as the wire takes them
    switch: bool = False  # the provider shall drop the thinking that is bound to another history
    # the messages, where some are written as they were read; `history` is then the system prompt
    elements: list[Json] | None = None

    @property
    def tools(self) -> list[Tool]:
        """The functions among the tools."""
        return [tool for tool in self.offered if type(tool) is Tool]

    @property
    def server_tools(self) -> list[ServerTool]:
        """The tools that the provider runs itself."""
        return [tool for tool in self.offered if type(tool) is ServerTool]


@dataclass(slots=True, repr=False)
class HttpRequest(Shown):
    """What is sent: `path` below the base URL, headers without keys, and the JSON body."""

    path: str
    headers: dict[str, str]
    body: JsonObject


class Reader(Protocol):
    """Turns what one provider sends into pieces: each event of a stream, or a whole answer.

    One reader for one answer. A payload whose shape it does not know may raise LookupError,
    TypeError, ValueError or AttributeError: it is kept as it came.
    """

    def __init__(self, dialect: Any) -> None: ...

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""

    def finish(self) -> list[Piece]:
        """The pieces that the end of the stream brings."""


class PieceEncoder(Protocol):
    """Turns the pieces of one answer into this protocol's events: (name or None, payload)."""

    def __init__(self, report: Report, dialect: Any, request: ChatRequest | None) -> None: ...

    def feed(self, piece: Piece) -> list[tuple[str | None, Json]]:
        """The events that the piece completes."""

    def finish(self) -> list[tuple[str | None, Json]]:
        """The events that stand at the end."""


class Dialect(Protocol):
    """What every protocol's dialect says: the default model, and whose opaque blocks it reads."""

    @property
    def model(self) -> str:
        """The model that is named where a request names none."""

    @property
    def issuers(self) -> tuple[str, ...]:
        """Issuers whose extras and opaque blocks this wire understands."""


class Room(ABC):
    """One wire protocol, bound to a dialect: what hosts of the protocol do their own way.

    Its methods are functions of the protocol's other modules, whose first parameter is the room:
    `read_request = read_request` in the class makes one of them a method.
    """

    __slots__ = ("dialect",)
    dialect: Any
    dialect_class: ClassVar[type[Any]]
    base_capabilities: ClassVar[Capabilities]
    reader_class: ClassVar[type[Reader]]
    encoder_class: ClassVar[type[PieceEncoder]]
    protocol: str = ""
    framing: Framing = "sse"  # of its streams
    state_fields: tuple[str, ...] = ()  # of a request (and `ITEM`s): name what the provider keeps
    addresses: tuple[str, ...] = ()  # patterns of host and path that requests are sent to
    messages_path: str = "$.messages"
    tools_path: str = "$.tools"
    unique_fields: frozenset[str] = frozenset()  # of a request, that no other protocol has
    model_patterns: tuple[str, ...] = ()  # of the names that models have at their maker's
    seals_in: str = ""  # a field of calls in which clients bring back what only others can read
    seals_bytes: bool = False  # whether it holds base64
    # a key of the events of a stream, and its values in those behind which nothing comes; what all
    # know is `[DONE]`
    last_events: ClassVar[tuple[str, tuple[object, ...]]] = ("", ())
    overflow: ClassVar[OverflowWords | None] = None  # how clients hear of a context that is full
    # what ends an answer that says no reason: `done`, the sign `[DONE]`; `whole`, that it is whole
    unsaid_ends: ClassVar[frozenset[str]] = frozenset()
    # which failures a client sees in an answer itself: reasons by which it ended; `failed`, that an
    # error stands beside it; `interrupted`, that it has no end. All others are told in its place.
    failures: ClassVar[frozenset[str]] = frozenset()
    ends_in_text: bool = False  # whether clients take the last block for the answer
    # fields of a request as a prompt cache reads them, what stays the same first: some hosts cache
    # by the order of the body, and tools behind the messages would move with each turn. The model
    # and the tools stand first.
    cache_order: tuple[str, ...] = ()
    lookback: int = 0  # how many of the last turns are written otherwise once the history goes on
    # of an answer: fields that hold a token with which another request gets the rest of it
    token_fields: ClassVar[tuple[str, ...]] = ()
    ordered_flags: int = 0  # of the survey: what is written by its place among those before it
    paths: ClassVar[PathTable] = {}

    def __init__(self, dialect: Any = None) -> None:
        self.dialect = self.dialect_class() if dialect is None else dialect

    @property
    def model(self) -> str:
        """The model that is named where a request names none."""
        model: str = self.dialect.model
        return model

    @property
    def issuer(self) -> str:
        """Whose extras and opaque blocks the readers make."""
        issuer: str = self.dialect.issuers[0]
        return issuer

    @property
    def call_field(self) -> CallField | None:
        """Where clients bring back, on a call, what was sealed for others."""
        return CallField(self.issuer, self.seals_in, self.seals_bytes) if self.seals_in else None

    @property
    def host(self) -> str:
        """Whose forms the bodies have: only over the same are they written as they were read."""
        return self.protocol

    def once(self, elements: Sequence[JsonObject]) -> Sequence[str] | None:
        """What no two elements may say; None if any of them depends on its place in the list."""
        return ()

    def can(self) -> Capabilities:
        """What this protocol carries in its dialect, before any model's facts."""
        return replace(self.base_capabilities, reads=frozenset(self.dialect.issuers))

    def request_rest(self, body: JsonObject, resp: ChatResponse) -> JsonObject | None:
        """The body that asks for the rest of an answer whose provider gave a token for it.

        Args:
            body: What was sent.
            resp: What came, which has paused.

        Returns:
            The body with the token; None where there is none, or where it is not followed.
        """
        return None

    def keeps_answers(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether the provider knows by their ids what it answers, as far as the request says."""
        return True

    def continues(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether the request goes on from messages that the provider keeps and names them."""
        return False

    @abstractmethod
    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The plain list of messages: what `format` gives and token counters count."""

    @abstractmethod
    def tools(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """The tools as this wire declares them, in their order."""

    @abstractmethod
    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The whole request: system prompt in its place, tools, choice, options, endpoint."""

    @abstractmethod
    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes. What is odd in it is kept, and never raised for."""

    def read_with_history(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[ChatRequest, RoledHistory | None]:
        """The same, and what a survey of its messages would find, if reading them showed that."""
        return self.read_request(body, path, headers), None

    def message_as_read(self, m: Msg) -> Json:
        """The element of the list of messages that this was read from."""
        raise NotImplementedError

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The elements of the list of messages that these were read from."""
        return [self.message_as_read(m) for m in msgs]

    @abstractmethod
    def body_as_read(self, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read.

        `system` among them is the prompt that stands apart from the messages.
        """

    def respell(self, body: JsonObject, req: ChatRequest) -> None:  # noqa: B027 - seldom needed
        """Write what was read and then changed as it was spelled: most fields have one spelling."""

    def headers_as_read(
        self, req: ChatRequest, headers: dict[str, str], report: Report
    ) -> dict[str, str]:
        """`headers` with those that `read_request` was given and kept."""
        return headers

    @abstractmethod
    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """The keyword arguments with which the official client sends this body."""

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """(path in the body, node or Field) of what `read_request` made of it."""
        return request_paths(req, body, self.paths)

    @abstractmethod
    def claims(self, body: JsonObject, path: str | None = None) -> bool:
        """Whether a body can be a request of this protocol, judged by its keys."""

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        return False

    def reader(self) -> Reader:
        """A reader for one answer or stream."""
        return self.reader_class(self.dialect)

    @abstractmethod
    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The answer as this protocol's clients take it, to the request that they made."""

    def encoder(self, report: Report, request: ChatRequest | None = None) -> PieceEncoder:
        """An encoder for one answer's pieces."""
        return self.encoder_class(report, self.dialect, request)
