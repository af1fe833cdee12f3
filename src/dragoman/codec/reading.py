"""What a wire reads (requests, whole answers, streams), and the paths of what a request holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

from .. import message as tree
from ..capabilities import Capabilities
from ..error_kinds import ErrorRow
from ..errors import ConfigError, InvalidMessage, ProviderError, ReadError, at_host
from ..history.passes.apply_name_rules import invert_names
from ..history.passes.argument_names import invert_spellings, property_spellings
from ..history.passes.plain_tools import tools_stood_for
from ..history.passes.survey import RoledHistory
from ..losses import Field
from ..message import ChatRequest, Msg, ResponseFormat, ServerTool, Tool, ToolChoice, Written
from ..message.known_tools import ParsedBody, ToolEntries, may_be_known, parse_request
from ..message.paths import also, in_body
from ..message.request import model_origin, new_request
from ..protocols.base import Room
from ..retry_after.headers import error_name, told_by_headers
from ..sealed_state import Envelope, open_messages
from ..stream.builder import Builder
from ..stream.pieces import provider_error
from ..stream.think_tags import TagForm, ThinkTagReader
from ..text.json_text import JsonObject, loads
from .residue import restore_residue
from .sdk_objects import all_plain, decode_text, is_plain, parse_body
from .stream import AsyncStream, Stream
from .stream_decoder import StreamDecoder, read_whole

_WORDS: dict[type[Any], tuple[str, ...]] = {
    ToolChoice: ("mode", "name", "allowed", "parallel"),
    ResponseFormat: ("kind", "name", "schema", "description", "strict"),
}


_FIELDS = (
    "tools",
    "tool_choice",
    "options",
    "response_format",
    "system",
    "model",
    "stream",
    "extras",
)
_fields_of = attrgetter(*_FIELDS)


class BodyPaths:
    """The paths of a request's nodes in the body that it was read from.

    The fields are copied when it is built, for the program may change the request afterwards.
    """

    __slots__ = ("body", "fields", "messages", "room")

    def __init__(
        self, room: Room, request: ChatRequest, body: JsonObject, messages: Sequence[Msg]
    ) -> None:
        self.room = room
        self.body = body
        self.messages = messages
        # the request refers to this object: a reference back would be a cycle, which is freed late
        self.fields = _fields_of(request)

    def walk_some(self, nodes: Collection[int], request: object) -> Iterator[tuple[str, object]]:
        """The path of each node in the parts of the body that hold one of some nodes.

        Args:
            nodes: The identities of the nodes.
            request: The request that was read, or what was made of that.
        """
        if {id(request), *map(id, self.fields[1:4])}.issuperset(nodes):  # no message, and no tool
            return in_body(self._without_messages(), request)
        body, tools = dict(self.body), self.fields[0]
        if not any(id(tool) in nodes for tool in tools):
            body.pop("tools", None)
            tools = ()
        wanted = [m.role not in _TALKERS or _holds_any(m, nodes) for m in self.messages]
        if not _leave_out_messages(body, self.messages, wanted):
            return in_body(self(), request)
        some = BodyPaths.__new__(BodyPaths)
        some.room, some.body, some.fields = self.room, body, (tools, *self.fields[1:])
        # some protocols find messages by their places
        rows = zip(self.messages, wanted, strict=True)
        some.messages = [m if is_wanted else _BLANK for m, is_wanted in rows]
        return in_body(some(), request)

    def _without_messages(self) -> Iterator[tuple[str, object]]:
        """The path of each node that is neither a message nor a tool."""
        entries = {id(getattr(m, "read_from", None)) for m in self.messages}
        few = BodyPaths.__new__(BodyPaths)
        few.room, few.messages, few.fields = self.room, [], ((), *self.fields[1:])
        few.body = {
            key: [] if type(value) is list and any(id(one) in entries for one in value) else value
            for key, value in self.body.items()
            if key != "tools"
        }
        return few()

    def __call__(self) -> Iterator[tuple[str, object]]:
        """The path of each node, and the node."""
        request = new_request(list(self.messages))
        for name, value in zip(_FIELDS, self.fields, strict=True):
            setattr(request, name, value)
        more: list[tuple[str, object]] = []
        body = self.body
        if type(tools := body.get("tools")) is ToolEntries:
            body = {**body, "tools": tools.read_from()}
        for path, node in self.room.places(request, body):
            yield path, node
            # one node of the wire may hold several of our fields
            if type(node) in _WORDS:
                more += [(path, Field(node, name)) for name in _WORDS[type(node)]]
        yield from more


def _holds_any(m: Msg, nodes: Collection[int]) -> bool:
    """Whether one of the nodes is the message, a block of it, or the source of a block."""
    if id(m) in nodes:
        return True
    blocks: list[Any] = [] if type(m.content) is str else [*m.content]
    for block in blocks:
        if id(block) in nodes or id(getattr(block, "source", nodes)) in nodes:
            return True
        if type(output := getattr(block, "output", None)) is list:
            blocks += output
    return False


_TALKERS = frozenset({"user", "assistant", "tool"})  # whose messages stand in the list of them


def _create_blank() -> Msg:
    blank = Msg.create_unchecked("", [], "user")
    blank.read_from = {}
    return blank


_BLANK = _create_blank()  # in the place of a message, and of an element, that is not looked at


def _leave_out_messages(body: JsonObject, messages: Sequence[Msg], wanted: Sequence[bool]) -> bool:
    """Replace the elements of lists in the body from which unwanted messages alone were read.

    An element belongs to the message that was read from it or, if none was, to the one before it.

    Returns:
        Whether that can be: not if an object is in a list twice, for then its order counts.
    """
    rows = zip(messages, wanted, strict=True)
    entries = {id(getattr(m, "read_from", None)): is_wanted for m, is_wanted in rows}
    for key, elements in body.items():
        if type(elements) is not list or not elements:
            continue
        belongs = [entries.get(id(element)) for element in elements]
        if belongs[0] is None:
            continue  # a list of other things
        if len({*map(id, elements)}) < len(elements):
            return False
        kept: list[Any] = []
        is_wanted = True
        for element, own in zip(elements, belongs, strict=True):
            is_wanted = is_wanted if own is None else own
            kept.append(element if is_wanted else _BLANK.read_from)
        body[key] = kept
    return True


class WireReading(ABC):
    """The part of `Wire` that reads; `Wire` adds writing requests."""

    __slots__ = ()
    room: Room
    _issuer: str  # the issuer of what this wire's provider answers
    _spoken: str | None  # the protocol, if the issuer answers over several
    vendor: Any  # its row; None for a bare protocol

    @abstractmethod
    def can(self, model: str | None = None, request: ChatRequest | None = None) -> Capabilities:
        """The capabilities of `model` over this wire."""

    def read_request(
        self,
        body: Any,
        path: str | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        residue: Mapping[str, Any] | None = None,
        envelope: Envelope | None = None,
    ) -> ChatRequest:
        """Read the body of a request. What is unusual in it is kept as it is.

        Args:
            body: Parsed JSON, its text, or an object of the official SDK.
            path: Where it was sent, for wires that name the model or streaming there.
            headers: Those of the request, for wires that read some.
            residue: `Written.residue` of the written request, to be put back.
            envelope: Opens what `write_response` sealed in it.

        Raises:
            ReadError: The body is no JSON object.
            InvalidMessage: `residue` is none.
            ConfigError: An argument has the wrong type.
        """
        for name, value, kind in (
            ("path", path, str),
            ("headers", headers, Mapping),
            ("envelope", envelope, Envelope),
        ):
            if value is not None and not isinstance(value, kind):
                raise ConfigError(f"{name} must be {kind.__name__}, not {type(value).__name__}")
        request = self._read(body, path, _texts(headers), keep=True)
        if residue is not None:
            restore_residue(request, residue)
        if envelope is not None:
            self._open(request, envelope)
        return request

    def _open(self, request: ChatRequest, envelope: Envelope) -> None:
        """Restore what was sealed in the envelope."""
        opened_nodes: list[tuple[object, object]] = []
        request.messages = open_messages(
            request.messages,
            envelope,
            lambda *pair: opened_nodes.append(pair),
            self.room.call_field,
        )
        if opened_nodes and request.read is not None and request.read.places is not None:
            request.read.places = partial(also, request.read.places, opened_nodes)

    def _read(
        self,
        body: Any,
        path: str | None,
        headers: Mapping[str, str] | None,
        *,
        keep: bool,
        watched: bool = True,
        scope: str = "",
    ) -> ChatRequest:
        """Read a request.

        `keep`: for writing it again here; `watched`: notice edits; `scope`: whose requests may
        share known tools.
        """
        if type(body) is bytes and not (keep or watched):
            body = parse_request(body, self.room)
        body = parse_body(body)
        if not is_plain(body):
            body = all_plain(body)
        if "tools" in body and not (keep or watched) and may_be_known(tools := body["tools"]):
            body = {**body, "tools": ToolEntries(tools, self.room, scope=scope)}
        try:
            request, history = self._read_body(body, path, headers)
        except InvalidMessage as error:
            if error.code != "json.value":
                raise
            body = all_plain(body)
            request, history = self._read_body(body, path, headers)
        origin = model_origin(self._issuer, request.model)
        if self._spoken is not None:  # no fields of its other protocols
            origin = replace(origin, protocol=self._spoken)
        messages = request.messages
        if messages and (messages[0].origin is not origin or messages[-1].origin is not origin):
            for m in messages:  # the protocol may have set it itself
                m.origin = origin  # marks it as not the program's: nothing it names is fetched
        fields = request.asks() if keep and watched else {}
        places = BodyPaths(
            self.room, request, body, tuple(request.messages) if watched else request.messages
        )
        request.read = tree.AsRead(
            self.room.host,
            self._issuer,
            places.messages,
            fields,
            request.model,
            state=self.room.state_fields,
            keep=keep,
            watched=watched,
            places=places,
        )
        if not watched:
            request.read.surveyed = history
            if type(body) is ParsedBody and body.turn is not None:
                request.read.steps = body.turn.steps
        return request

    def _read_body(
        self, body: JsonObject, path: str | None, headers: Mapping[str, str] | None
    ) -> tuple[ChatRequest, RoledHistory | None]:
        try:
            return self.room.read_with_history(body, path, headers)
        except RecursionError as error:
            raise ReadError("the request is nested too deeply", code="json.deep") from error

    def stream_decoder(
        self,
        tools: Sequence[Tool | ServerTool] | None = None,
        request: ChatRequest | Written | None = None,
        *,
        model: str | None = None,
        caps: Capabilities | None = None,
    ) -> StreamDecoder:
        """A decoder for one answer.

        Args:
            tools: The tools that were offered, to name its calls.
            request: What was asked, instead of `tools`. With the `Written` that was sent, thinking
                is bound to the history before it.
            model: The model that was asked, if the request names none.
            caps: Its capabilities, where the caller knows better than the facts.
        """
        tools, request = _check_context(tools, request)
        model = (request.model if request is not None else None) or model
        caps = caps or self.can(model)
        names, original_tools = _names(tools, request, caps)
        prefix = request.prefix if isinstance(request, Written) and caps.binding != "none" else None
        issuer = self._issuer
        origin = tree.Origin(issuer, model, prefix=prefix or None, protocol=self._spoken)
        host, rows = self._host()
        builder = Builder(
            issuer,
            names=names,
            original_tools=original_tools,
            origin=origin,
            host=host,
            error_rows=rows,
        )
        room = self.room
        tags: TagForm = getattr(getattr(room, "dialect", None), "think_tags", "")
        pairs = getattr(getattr(room, "dialect", None), "think_pairs", ("think",))
        make_reader = (lambda: ThinkTagReader(room.reader(), tags, pairs)) if tags else room.reader
        properties = _properties(tools, request, caps, names)
        return StreamDecoder(
            make_reader,
            builder,
            room.framing,
            names,
            properties,
            original_tools,
            room.last_events,
            room.unsaid_ends,
        )

    def read_response(
        self,
        body: Any,
        tools: Sequence[Tool | ServerTool] | None = None,
        request: ChatRequest | Written | None = None,
        *,
        status: int | None = None,
    ) -> tree.ChatResponse:
        """Read a whole answer.

        Args:
            body: Parsed JSON, its text, or an object of the official SDK.
            tools: The tools that were offered, to name its calls.
            request: What was asked, instead of `tools`.
            status: The HTTP status, if it is known; from 400 on, a body that is no answer is read
                as an error.

        Raises:
            ProviderError: The body is an error.
            ReadError: The body is no answer of this wire.
        """
        decoder = self.stream_decoder(tools, request)
        try:
            return read_whole(decoder, body, status, self.room.answers)
        except ProviderError as error:
            raise at_host(error, *self._host()) from error.__cause__

    def error(
        self, status: int | None, body: Any, headers: Mapping[str, str] | None = None
    ) -> ProviderError:
        """The error of an answer with this HTTP status and body, ready to be raised.

        Args:
            status: The HTTP status, if it is known.
            body: Text, bytes or parsed JSON; text that is no JSON is the message itself.
            headers: Those of the answer, in any case of letters: how long to wait (`retry-after`
                and similar ones), whether to try again (`x-should-retry`), the request's id.

        Returns:
            The error, as the class of its kind.
        """
        if isinstance(body, (str, bytes)):
            try:
                body = loads(body)
            except ReadError:
                body = decode_text(body)
        lowered = {name.lower(): value for name, value in (headers or {}).items()}
        error = at_host(provider_error(body, status, error_name(lowered)), *self._host())
        return told_by_headers(error, lowered) if headers is not None else error

    def _host(self) -> tuple[str, Sequence[ErrorRow]]:
        """The vendor that answers, and the rows of its error codes."""
        home = self.vendor
        return ("", ()) if home is None else (home.name, home.errors)

    def read_stream(
        self,
        chunks: Iterable[Any],
        tools: Sequence[Tool | ServerTool] | None = None,
        request: ChatRequest | Written | None = None,
    ) -> Stream:
        """Read a stream: iterate over its events, then take `.response`.

        Args:
            chunks: Bytes of the body, cut anywhere; or events that a client has taken out of it
                already: parsed JSON, objects of the official SDK, ServerEvents, (event, payload).
            tools: The tools that were offered, to name its calls.
            request: What was asked, instead of `tools`.
        """
        return Stream(self.stream_decoder(tools, request), chunks)

    def aread_stream(
        self,
        chunks: AsyncIterable[Any],
        tools: Sequence[Tool | ServerTool] | None = None,
        request: ChatRequest | Written | None = None,
    ) -> AsyncStream:
        """Read a stream that arrives asynchronously; the arguments are those of `read_stream`."""
        return AsyncStream(self.stream_decoder(tools, request), chunks)


def _check_context(tools: Any, request: Any) -> tuple[Any, Any]:
    """Check what an answer belongs to, (tools, request). Raises ConfigError for other types."""
    if request is not None and not isinstance(request, (ChatRequest, Written)):
        text = f"request must be a ChatRequest or Written, not {type(request).__name__}"
        raise ConfigError(text, hint="request= is what was asked", code="answer.request")
    if isinstance(tools, (ChatRequest, Written)):
        text = f"a {type(tools).__name__} is no list of tools"
        raise ConfigError(text, hint="give it as request=...", code="answer.request")
    items = tools if isinstance(tools, (list, tuple)) else () if tools is None else (tools,)
    if odd := [item for item in items if not isinstance(item, (Tool, ServerTool))]:
        text = f"tools holds a {type(odd[0]).__name__}, which is no Tool"
        raise ConfigError(text, hint="tools= are those of the request", code="answer.tools")
    return tools, request


def _names(
    tools: Sequence[Tool | ServerTool] | None,
    request: ChatRequest | Written | None,
    caps: Capabilities,
) -> tuple[dict[str, str], dict[str, Tool]]:
    """(the wire's names of tools -> the tools' own, the wire's names -> the tools)."""
    if isinstance(request, Written) and tools is None:
        return request.names, request.original_tools
    declared = request.tools if tools is None and isinstance(request, ChatRequest) else tools
    names, original_tools = tools_stood_for(declared or (), caps)
    return invert_names(names), original_tools


def _texts(headers: Mapping[str, str] | None) -> Mapping[str, str] | None:
    """The headers without those that are None, which is how clients leave one out."""
    if headers is None:
        return None
    present: dict[Any, Any] = {name: value for name, value in headers.items() if value is not None}
    for name, value in present.items():
        if not (isinstance(name, str) and isinstance(value, str)):
            kinds = f"{type(name).__name__}: {type(value).__name__}"
            raise ConfigError(f"headers are texts by name, not {kinds}")
    return present


def _properties(
    tools: Sequence[Tool | ServerTool] | None,
    request: ChatRequest | Written | None,
    caps: Capabilities,
    names: Mapping[str, str],
) -> dict[str, dict[str, str]]:
    """By the wire's name of each tool: the wire's names of its arguments -> the tool's own."""
    if isinstance(request, Written) and tools is None:
        return request.properties
    declared = request.tools if tools is None and isinstance(request, ChatRequest) else tools
    spelled = property_spellings(declared or (), caps)
    return invert_spellings(spelled, invert_names(dict(names))) if spelled else {}
