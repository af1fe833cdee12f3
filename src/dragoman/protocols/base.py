"""What the house asks of a room, and what it hands to it. A room is one wire protocol.

Requests are made by `messages`, `tools` and `write`, and read by `read_request`, whose inverse says
again what nobody edited. Answers are read by `reader`, and made by `write_response` and `encoder`.
`claims` and `answers` tell by its keys whether a body can be this protocol's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from .._core.jsontext import Json, JsonObject
from .._core.passes.roles import Seated
from .._core.redaction import Shown
from .._core.stream.pieces import Piece
from ..capabilities import Capabilities
from ..losses import Report
from ..message import ChatRequest, ChatResponse, Msg, ServerTool, Tool
from ..sse import Framing


@dataclass(slots=True, repr=False)
class SayableRequest(Shown):
    """A request that this wire can say: seated, fitted and named; the rest is `request`."""

    seated: Seated
    offered: Sequence[Tool | ServerTool]  # in their order, under wire names
    request: ChatRequest
    model: str | None
    can: Capabilities
    names: dict[str, str] = field(default_factory=dict)  # tool names as the wire spells them
    switch: bool = False  # the provider shall drop the thinking that is bound to another history
    # the messages, where some stand as they were read; `seated` then holds the system prompt alone
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
class Request(Shown):
    """What goes out: `path` below the base URL, headers without keys, and the JSON body."""

    path: str
    headers: dict[str, str]
    body: JsonObject


class Reader(Protocol):
    """Turns what one provider sends into pieces: each event of a stream, or a whole answer.

    One reader for one answer. A payload whose shape it does not know may raise LookupError,
    TypeError, ValueError or AttributeError: it is kept as it came.
    """

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        ...

    def finish(self) -> list[Piece]:
        """The pieces that the end of the stream brings."""
        ...


class Encoder(Protocol):
    """Turns the pieces of one answer into this protocol's events: (name or None, payload)."""

    def feed(self, piece: Piece) -> list[tuple[str | None, Json]]:
        """The events that the piece completes."""
        ...

    def finish(self) -> list[tuple[str | None, Json]]:
        """The events that stand at the end."""
        ...


class Room(Protocol):
    """One wire protocol, bound to a dialect."""

    protocol: str
    framing: Framing  # of its streams
    state: tuple[str, ...]  # fields of a request (and `ITEM`s) that name what the provider keeps
    addresses: tuple[str, ...]  # patterns of host and path that requests are sent to
    listed: str  # where the messages stand in a request
    marks: frozenset[str]  # fields of a request that no other protocol has
    makes: tuple[str, ...]  # patterns of names that models have at their maker's
    lookback: int  # how many of the last turns are written otherwise once the history goes on
    counted: int  # flags of the survey: what is written by its place among those before it

    def once(self, elements: Sequence[JsonObject]) -> Sequence[str] | None:
        """What no two elements may say; None if any of them depends on its place in the list."""
        ...

    @property
    def model(self) -> str:
        """The model that is named where a request names none."""
        ...

    @property
    def host(self) -> str:
        """Whose forms the bodies have: only over the same are they said again as they were read."""
        ...

    def can(self) -> Capabilities:
        """What this protocol carries in its dialect, before any model's facts."""
        ...

    def continues(self, request: ChatRequest, can: Capabilities) -> bool:
        """Whether the request goes on from messages that the provider keeps and names them."""
        ...

    def messages(self, seated: Seated, can: Capabilities, report: Report) -> list[JsonObject]:
        """The plain list of messages: what `format` gives and token counters count."""
        ...

    def tools(
        self, tools: Sequence[Tool | ServerTool], can: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The tools as this wire declares them, in their order."""
        ...

    def write(self, say: SayableRequest, report: Report) -> Request:
        """The whole request: system hoisted, tools, choice, options, endpoint."""
        ...

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes. What is odd in it is kept, and never raised for."""
        ...

    def read_seated(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[ChatRequest, Seated | None]:
        """The same, and what a survey of its messages would find, if reading them showed that."""
        ...

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The elements of the list of messages that these were read from."""
        ...

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read.

        `system` among them is the prompt that stands apart from the messages.
        """
        ...

    def respell(self, body: JsonObject, req: ChatRequest) -> None:
        """Put what was read and then changed where it stood, in the spelling that it had."""
        ...

    def headers_as_read(self, req: ChatRequest, headers: dict[str, str]) -> dict[str, str]:
        """`headers` with those that `read_request` was given and kept."""
        ...

    def claims(self, body: JsonObject, path: str | None = None) -> bool:
        """Whether a body can be a request of this protocol, judged by its keys."""
        ...

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """(path in the body, node or Field) of what `read_request` made of it."""
        ...

    def reader(self, can: Capabilities) -> Reader:
        """A reader for one answer of a model that can do this."""
        ...

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The answer as this protocol's clients take it, to the request that they made."""
        ...

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one answer's pieces."""
        ...

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        ...


class Dialect(Protocol):
    """What every protocol's dialect says: the default model, and whose opaque blocks it reads."""

    @property
    def model(self) -> str:
        """The model that is named where a request names none."""
        ...

    @property
    def issuers(self) -> tuple[str, ...]:
        """Issuers whose extras and opaque blocks this wire understands."""
        ...


_D = TypeVar("_D", bound=Dialect)


class Bound(ABC, Generic[_D]):
    """A room bound to one dialect: what all rooms have in common."""

    __slots__ = ("dialect",)
    protocol: str = ""
    framing: Framing = "sse"
    state: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    listed: str = "$.messages"
    marks: frozenset[str] = frozenset()
    makes: tuple[str, ...] = ()
    lookback: int = 0
    counted: int = 0
    carries: ClassVar[Capabilities]
    spoken: ClassVar[type[Any]]

    def __init__(self, dialect: _D | None = None) -> None:
        self.dialect: _D = self.spoken() if dialect is None else dialect

    @property
    def model(self) -> str:
        """The model that is named where a request names none."""
        return self.dialect.model

    @property
    def host(self) -> str:
        """Whose forms the bodies have: only over the same are they said again as they were read."""
        return self.protocol

    def once(self, elements: Sequence[JsonObject]) -> Sequence[str] | None:
        """What no two elements may say; None if any of them depends on its place in the list."""
        return ()

    def can(self) -> Capabilities:
        """What this protocol carries in its dialect, before any model's facts."""
        return replace(self.carries, reads=frozenset(self.dialect.issuers))

    def respell(self, body: JsonObject, req: ChatRequest) -> None:
        """Put what was read and then changed where it stood: most fields have but one spelling."""

    def headers_as_read(self, req: ChatRequest, headers: dict[str, str]) -> dict[str, str]:
        """`headers` with those that `read_request` was given and kept."""
        return headers

    @abstractmethod
    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes. What is odd in it is kept, and never raised for."""

    def read_seated(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[ChatRequest, Seated | None]:
        """The same, and what a survey of its messages would find, if reading them showed that."""
        return self.read_request(body, path, headers), None

    def continues(self, request: ChatRequest, can: Capabilities) -> bool:
        """Whether the request goes on from messages that the provider keeps and names them."""
        return False

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        return False
