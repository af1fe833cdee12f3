"""The contract of a protocol: the methods of every `protocol.py`, and their arguments.

`messages`, `tools` and `write` write requests, and `read_request` reads them; `messages_as_read`
and `body_as_read` write back what was not edited since. `reader` reads answers; `write_response`
and `encoder` write them. `claims` and `answers` decide by the keys of a body whether it belongs to
this protocol.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeAlias

from ..capabilities import Capabilities
from ..capabilities.overrides import vary
from ..history.passes.survey import RoledHistory, Tools
from ..losses import Report
from ..message import ChatRequest, ChatResponse, Msg, ServerTool, Tool
from ..message.known_tools import run_step
from ..sealed_state import CallField
from ..stream.framing import Framing
from ..stream.pieces import Piece
from ..text.json_text import Json, JsonObject
from ..text.redaction import Shown
from .body_fields import FieldTable
from .client_arguments import Arguments
from .context_full_sentence import OverflowWords
from .paths import PathTable, request_paths

Names: TypeAlias = Collection[str]  # of request fields that are written back unchanged


@dataclass(slots=True, repr=False)
class PreparedRequest(Shown):
    """A ChatRequest after the passes: the protocol can carry all of its history.

    Attributes:
        history: The messages, each with the role under which it is sent.
        offered: The tools in their order, under the names that the wire takes.
        request: Everything else.
        model: The model's name on the wire; None if the request names none.
        caps: What the model and the wire take.
        names: The name on the wire for each tool whose own name is not allowed there.
        switch: Whether the provider has to drop thinking that is bound to another history.
        elements: The finished messages, if some of them are written back as they were read;
            `history` then holds only the system prompt.
    """

    history: RoledHistory
    offered: Tools
    request: ChatRequest
    model: str | None
    caps: Capabilities
    names: dict[str, str] = field(default_factory=dict)
    switch: bool = False
    elements: list[Json] | None = None

    @property
    def tools(self) -> list[Tool]:
        """The function tools."""
        return [tool for tool in self.offered if type(tool) is Tool]

    @property
    def server_tools(self) -> list[ServerTool]:
        """The tools that the provider runs itself."""
        return [tool for tool in self.offered if type(tool) is ServerTool]


@dataclass(slots=True, repr=False)
class HttpRequest(Shown):
    """An HTTP request to send.

    Attributes:
        path: The path below the base URL.
        headers: The headers, without keys.
        body: The JSON body.
    """

    path: str
    headers: dict[str, str]
    body: JsonObject


class Reader(Protocol):
    """Turns what one provider sends into pieces: each event of a stream, or a whole answer.

    Each answer needs a new reader. `feed` may raise LookupError, TypeError, ValueError or
    AttributeError for a payload of unknown shape; the caller then keeps the payload unchanged.
    """

    def __init__(self, dialect: Any) -> None: ...

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one event, or of a whole answer.

        Args:
            payload: The event's JSON, or the body of the answer.
            event: The event's name, where the framing has names.
        """

    def finish(self) -> list[Piece]:
        """Return the pieces that become known at the end of the stream."""


class PieceEncoder(Protocol):
    """Turns the pieces of one answer into this protocol's events, as pairs of a name and a payload.

    The name is None where the framing has no names.
    """

    def __init__(self, report: Report, dialect: Any, request: ChatRequest | None) -> None: ...

    def feed(self, piece: Piece) -> list[tuple[str | None, Json]]:
        """Return the events that the piece completes."""

    def finish(self) -> list[tuple[str | None, Json]]:
        """Return the last events of the stream."""


class Dialect(Protocol):
    """The properties of every protocol's dialect."""

    @property
    def model(self) -> str:
        """The model that is used where a request names none."""

    @property
    def issuers(self) -> tuple[str, ...]:
        """The issuers whose extras and opaque blocks this wire understands."""


class Room(ABC):
    """One wire protocol with one dialect, which holds what its hosts do differently.

    The methods are functions of the protocol's other modules, whose first parameter is the room:
    `read_request = read_request` in the class body turns such a function into a method.

    Args:
        dialect: The host's dialect; None for the default one of the protocol.
    """

    __slots__ = ("dialect",)
    dialect: Any
    dialect_class: ClassVar[type[Any]]
    base_capabilities: ClassVar[Capabilities]
    reader_class: ClassVar[type[Reader]]
    encoder_class: ClassVar[type[PieceEncoder]]
    protocol: str = ""
    framing: Framing = "sse"  # of its streams
    # request fields (and `ITEM`s) that refer to state which the provider stores
    state_fields: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()  # patterns of the host and path that requests are sent to
    messages_path: str = "$.messages"
    tools_path: str = "$.tools"
    body_fields: ClassVar[FieldTable] = FieldTable()  # what a request may hold
    # patterns of model names, as the model's maker writes them
    model_patterns: tuple[str, ...] = ()
    # a field of calls in which clients return data that only another provider can read
    seals_in: str = ""
    seals_bytes: bool = False  # whether that field holds base64
    # a key of stream events, and the values that mark the last event; `[DONE]` marks it everywhere
    last_events: ClassVar[tuple[str, tuple[object, ...]]] = ("", ())
    # the error by which clients recognise a full context
    overflow: ClassVar[OverflowWords | None] = None
    # what completes an answer that gives no reason: `done`, the event `[DONE]`; `whole`, that it is
    # no stream
    unsaid_ends: ClassVar[frozenset[str]] = frozenset()
    # failures that a client can see in the answer itself: finish reasons; `failed`, an error beside
    # the answer; `interrupted`, a missing end. All others are sent as an error instead of the
    # answer.
    failures: ClassVar[frozenset[str]] = frozenset()
    ends_in_text: bool = False  # whether clients take the last block as the answer
    # the order of request fields in which a prompt cache reads them, the most stable first: some
    # hosts cache by the order of the body, and tools after the messages would move with each turn.
    # The model and the tools come first.
    cache_order: tuple[str, ...] = ()
    lookback: int = 0  # how many of the last turns are written differently once the history goes on
    # whether the provider may pause in an answer, so that another request has to bring its rest
    pauses: ClassVar[bool] = False
    # fields of a paused answer that hold a token for that request; they do not apply to the rest
    token_fields: ClassVar[tuple[str, ...]] = ()
    # whether messages are read in their order, so that known ones need not be read again
    reads_in_parts: ClassVar[bool] = False
    cuts_texts: ClassVar[bool] = False  # whether a pause may be in the middle of a text
    # flags of the survey for content whose form depends on the messages before it
    ordered_flags: int = 0
    paths: ClassVar[PathTable] = {}

    def __init__(self, dialect: Any = None) -> None:
        self.dialect = self.dialect_class() if dialect is None else dialect

    @property
    def model(self) -> str:
        """The model that is used where a request names none."""
        model: str = self.dialect.model
        return model

    @property
    def issuer(self) -> str:
        """The issuer of the extras and opaque blocks that the readers create."""
        issuer: str = self.dialect.reads_items_of[0]
        return issuer

    @property
    def unique_fields(self) -> frozenset[str]:
        """The fields of a request that no other protocol has."""
        return self.body_fields.unique

    @property
    def call_field(self) -> CallField | None:
        """The call field in which clients return data sealed for other providers, if any."""
        return CallField(self.issuer, self.seals_in, self.seals_bytes) if self.seals_in else None

    @property
    def host(self) -> str:
        """The form of the bodies: elements go back as they were read only where it is equal."""
        return self.protocol

    def once(self, elements: Sequence[JsonObject]) -> Sequence[str] | None:
        """Return the ids that must be unique among the elements.

        Args:
            elements: Elements of the list of messages, as they were read.

        Returns:
            The ids; None if the meaning of an element depends on its place in the list.
        """
        return ()

    def can(self) -> Capabilities:
        """Return what this protocol can carry in its dialect, before any facts about a model."""
        return vary(self.base_capabilities, reads=frozenset(self.dialect.reads_items_of))

    def request_rest(self, body: JsonObject, resp: ChatResponse) -> JsonObject | None:
        """Return the body that asks for the rest of a paused answer.

        Args:
            body: The body that was sent first.
            resp: What has come of the answer, in all bodies; it has paused.

        Returns:
            The body; None if nobody but the caller can go on, or the protocol has no such request.
        """
        return None

    def keeps_answers(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether the provider stores the answer to this request and knows it by its ids.

        Args:
            request: The request.
            caps: What the model and the wire take.
        """
        return True

    def continues(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether the request continues from messages that the provider stores, by naming them.

        Args:
            request: The request.
            caps: What the model and the wire take.
        """
        return False

    @abstractmethod
    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Write the list of messages, which `format` returns and token counters count.

        Args:
            history: The messages with the roles under which they are sent.
            caps: What the model and the wire take.
            report: Gets a loss for everything that the wire cannot carry.

        Returns:
            The entries of the wire's list of messages.
        """

    @abstractmethod
    def tools(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """Write the tools as this wire declares them, in their order.

        Args:
            tools: The tools that are offered, in order, under the names that the wire takes.
            caps: What the model and the wire take.
            report: Gets a loss for each field that cannot be written.
        """

    def declare(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """Write the tools, or copy what was written for the same ones before.

        Args:
            tools: The tools, as `tools` takes them.
            caps: What the model and the wire take.
            report: Gets the losses.

        Returns:
            The entries of `tools`.
        """
        return run_step(_declare, tools, report, self, caps)

    @abstractmethod
    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the whole request: system prompt, messages, tools, choice, options and endpoint.

        Args:
            prepared: The request after the passes.
            report: Gets a loss for everything that the wire cannot carry.

        Raises:
            WriteError: Where the request asks explicitly for something that the wire cannot do.
        """

    @abstractmethod
    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """Read the request that a body makes; what is unknown in it is kept and raises no error.

        Args:
            body: The JSON body.
            path: The path that it was posted to, if that is known.
            headers: Its headers, if they are known.
        """

    def read_with_history(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[ChatRequest, RoledHistory | None]:
        """Read the request, and what a survey of its messages would find if reading has shown that.

        Args:
            body: The JSON body.
            path: The path that it was posted to, if that is known.
            headers: Its headers, if they are known.

        Returns:
            The request; and the surveyed history, or None if it has to be surveyed separately.
        """
        return self.read_request(body, path, headers), None

    def message_as_read(self, m: Msg) -> Json:
        """Return the element of the list of messages that this message was read from."""
        raise NotImplementedError

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """Return the elements of the list of messages that these messages were read from."""
        return [self.message_as_read(m) for m in msgs]

    @abstractmethod
    def body_as_read(self, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
        """Write the body around `elements`, with some of its fields as they were read.

        Args:
            req: The request that was read.
            kept: The fields that are written as they were read; `system` is a system prompt outside
                of the list of messages.
            elements: The list of messages.
        """

    def respell(self, body: JsonObject, req: ChatRequest) -> None:  # noqa: B027 - seldom needed
        """Change edited fields of the body to the spelling in which the request was read.

        Args:
            body: The body, which is changed.
            req: The request that was read and then edited.
        """

    def headers_as_read(
        self, req: ChatRequest, headers: dict[str, str], report: Report
    ) -> dict[str, str]:
        """Return `headers` together with those that `read_request` got and kept.

        Args:
            req: The request that was read.
            headers: The headers that `write` returned.
            report: Gets a loss for each header that cannot be sent.
        """
        return headers

    @abstractmethod
    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments with which the official client sends this body.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            The arguments by their names in the client's method.

        Raises:
            ConfigError: For a field that the client has no parameter for.
        """

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Find where the nodes of a request are in the body that they were read from.

        Args:
            req: What `read_request` returned for the body.
            body: The body that was read.

        Yields:
            The path of a node or of a field of a node, and that node or `Field`.
        """
        return request_paths(req, body, self.paths)

    @abstractmethod
    def claims(self, body: JsonObject, path: str | None = None) -> bool:
        """Whether a body can be a request of this protocol, judged by its keys.

        Args:
            body: The JSON body.
            path: The path that it was posted to, if that is known.
        """

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or an event of this protocol, judged by its keys.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        return False

    def reader(self) -> Reader:
        """Return a reader for one answer or stream."""
        return self.reader_class(self.dialect)

    @abstractmethod
    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """Write an answer in the form that this protocol's clients take.

        Args:
            resp: The answer.
            report: Gets a loss for everything that the wire cannot carry.
            request: The request that the client made, if it is known.
        """

    def encoder(self, report: Report, request: ChatRequest | None = None) -> PieceEncoder:
        """Return an encoder for the pieces of one answer.

        Args:
            report: Gets a loss for everything that the wire cannot carry.
            request: The request that the client made, if it is known.
        """
        return self.encoder_class(report, self.dialect, request)


def _declare(tools: Tools, room: Room, caps: Capabilities, report: Report) -> list[JsonObject]:
    """Write the tools: a step that may be known."""
    return room.tools(tools, caps, report)
