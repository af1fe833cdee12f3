"""ChatRequest and what it holds: options, response format, and what is known of its reading.

`Options` has one neutral name for each setting. `AsRead` knows which nodes of a request nobody has
edited since a wire read it. `Written` is a request as one provider takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields
from functools import partial
from operator import attrgetter, is_
from typing import Any, Literal, TypeAlias, get_args, get_origin

from ..caches import remember
from ..errors import ConfigError, DragomanError, InvalidMessage, NotMessages
from ..losses import Losses, Report
from ..suggestions.keywords import advise, explains_keywords, rename_keywords
from ..suggestions.response_formats import read_form
from ..text.json_text import Json, JsonObject, check
from ..text.redaction import Shown, show
from .blocks import ContentBlock, Extras, HasExtras, Origin, ToolResultBlock, ToolUseBlock
from .check import FAULTS, heal, instance, is_none, note, own_fields, text, wrong_type
from .msg import Msg, Role
from .python_types import type_schema
from .tools import ServerTool, Tool, ToolChoice, tools_of

# how much thinking, from least to most; `on` and `auto` leave it to the model
Effort: TypeAlias = Literal[
    "off", "none", "on", "auto", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"
]


@explains_keywords()
@dataclass(frozen=True, slots=True, repr=False)
class Options(Shown):
    """How to generate. None leaves the provider's default; every field has one neutral name.

    `max_tokens`: tokens of the answer, reasoning included. `reasoning`: an effort such as `low`,
    or `off`. `reasoning_budget`: tokens of thinking. `thoughts`: how much of it the answer shows,
    `none`, `updates` (short notes between calls), `auto`, `concise` or `detailed`. `stop`: texts
    that end the answer.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] | None = None
    n: int | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    reasoning: Effort | None = None
    reasoning_budget: int | None = None
    thoughts: str | None = None
    service_tier: str | None = None
    user: str | None = None

    def __post_init__(self) -> None:
        stop = self.stop
        if stop is not None:
            if not isinstance(stop, Iterable):
                raise wrong_type("a list of texts", stop, "$.options.stop", "option.value")
            stop = (stop,) if isinstance(stop, str) else tuple(stop)
            for i, item in enumerate(stop):
                text(item, f"$.options.stop[{i}]")
            object.__setattr__(self, "stop", stop)
        for name, value in self.given():
            path = f"$.options.{name}"
            check(value, path)
            kinds = OPTION_KINDS.get(name, (int,))
            if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                expected = " or ".join(kind.__name__ for kind in kinds)
                raise wrong_type(expected, value, path, "option.value")

    def given(self) -> list[tuple[str, Any]]:
        """The options that are set, by name."""
        if self is NO_OPTIONS:
            return []
        return [(name, value) for name in OPTIONS if (value := getattr(self, name)) is not None]

    @classmethod
    def of(cls, value: Options | Mapping[str, Any] | None) -> Options:
        """Options, made of a mapping if need be. Raises InvalidMessage for an unknown name."""
        if value is None:
            return NO_OPTIONS
        if isinstance(value, Options):
            return value
        if not isinstance(value, Mapping):
            raise is_none("Options", value, "$.options", "option.value")
        if not all(name in OPTIONS for name in value):
            value = rename_keywords(value, OPTIONS)
        for name in value:
            if name not in OPTIONS:
                text = f"unknown option {show(name)}"
                hint = f"{advise(name, sorted(OPTIONS))}; others go into extras by provider"
                raise InvalidMessage(text, path="$.options", code="option.name", hint=hint)
        return cls(**value)


OPTION_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(
        ("temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
        (int, float),
    ),
    **dict.fromkeys(("reasoning", "thoughts", "service_tier", "user"), (str,)),
    "logprobs": (bool,),
    "stop": (tuple,),
}


OPTIONS = tuple(f.name for f in fields(Options))
NO_OPTIONS = Options.__new__(Options)  # named before it is filled, for `given` knows it


Options.__init__(NO_OPTIONS)


# how a schema is asked for; see `ResponseFormat.way`
Way: TypeAlias = Literal["schema", "tool", "json", "prompt"]


@explains_keywords({"json_schema": "schema"})
@dataclass(frozen=True, slots=True, repr=False)
class ResponseFormat(Shown):
    """What the answer must be: `text`, any `json`, or JSON of a `schema`.

    `way` says how a schema is asked for: in the `schema` field that the wire has for it (as without
    a way), by a `tool` whose arguments are the answer, or told to the model in words, beside the
    field for any `json` or as a `prompt` alone.
    """

    kind: Literal["text", "json", "schema"] = "text"
    schema: JsonObject | None = None
    name: str = "response"
    description: str = ""
    strict: bool | None = None
    way: Way | None = None

    def __post_init__(self) -> None:
        fault = ""
        if self.way is not None and (self.way not in get_args(Way) or self.kind != "schema"):
            fault = f"a way is one of {', '.join(get_args(Way))}, and for the kind schema"
        if self.kind not in ("text", "json", "schema"):
            fault = f"unknown kind {show(self.kind)}"
        elif (self.kind == "schema") != (self.schema is not None):
            fault = "a schema belongs to the kind schema, and the kind schema needs one"
        if fault:
            raise InvalidMessage(fault, path="$.response_format", code="format.kind")
        instance(self.schema, dict, "$.response_format.schema")
        check(self.schema, "$.response_format.schema")
        text(self.name, "$.response_format.name")
        text(self.description, "$.response_format.description")
        instance(self.strict, bool, "$.response_format.strict")

    @classmethod
    def of(cls, value: Any) -> ResponseFormat:
        """A ResponseFormat of `"text"`, `"json"`, a provider's own form, or a type of Python.

        `{"type": "json_object"}`, `{"type": "json_schema", ...}` and their like mean what they mean
        there. A pydantic model, a dataclass, a TypedDict or any other type that has a JSON Schema,
        such as `list[int]`, needs the extra `tools`; many APIs want an object at the root. Raises
        InvalidMessage for what is none of these, ConfigError if a library is missing.
        """
        if isinstance(value, ResponseFormat):
            return value
        if isinstance(value, str) and value in ("text", "json"):
            return cls(value)  # type: ignore[arg-type]  # one of the two
        if isinstance(value, Mapping) and (form := read_form(value)) is not None:
            return cls(*form)  # type: ignore[arg-type]  # one of three kinds
        if not (isinstance(value, type) or get_origin(value) is not None):
            hint = '"json", a type, or ResponseFormat(...)'
            raise is_none("response format", value, "$.response_format", "format.kind", hint)
        described = type_schema(value, "$.response_format")
        return cls("schema", described.schema, described.name or "response", described.description)


ITEM = "item:"  # among fields that name what a provider keeps: a type of messages that does


@dataclass(slots=True, eq=False, repr=False)
class AsRead:
    """The messages and fields of a request as the reader of `protocol` made them.

    `issuer` is whose dialect was read; `model` whom the request asked; `fields` the values of the
    request's fields by name, lists as tuples. `places` walks the body that was read, for the paths
    of losses: (path, node). Nothing is ever written from there, and a copy does without. `state`
    are the fields that name what the provider keeps, such as an earlier answer. Without `keep`
    nothing counts as read: for what goes to another wire in any case. Without `watched` all of it
    does: for what is written before anybody sees it. Such messages may be surveyed by their reader,
    who then leaves in `surveyed` what was found.
    """

    protocol: str
    issuer: str
    messages: Sequence[Msg]
    fields: Mapping[str, Any]
    model: str | None = None
    edited: bool = False  # it was no longer whole when it was stored
    state: tuple[str, ...] = ()
    places: Callable[[], Iterator[tuple[str, object]]] | None = None
    keep: InitVar[bool] = True
    watched: InitVar[bool] = True
    surveyed: object = field(default=None, init=False)
    # message -> what it was made of when it was read; None: all of them count as read
    _seen: dict[int, Sequence[object]] | None = field(default=None, init=False)
    _tools: list[tuple[object, ...]] = field(default_factory=list, init=False)

    def __post_init__(self, keep: bool, watched: bool) -> None:
        if not keep:
            self._seen = {}
        elif watched:
            self._seen = {id(m): _parts(m) for m in self.messages}
            self._tools = [*map(_tool_fields, self.fields.get("tools", ()))]

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy knows its messages by other identities, and only those that nobody edited."""
        unedited = [m for m in self.messages if self.holds(m)]
        edited = self.edited or len(unedited) < len(self.messages)
        kept = {name: self.fields[name] for name in self.kept(self.fields)}
        return AsRead, (self.protocol, self.issuer, unedited, kept, self.model, edited, self.state)

    def holds(self, m: Msg) -> bool:
        """Whether the message is one of those that were read, and nobody has edited it."""
        if self._seen is None:
            return any(m is read for read in self.messages)
        parts_read = self._seen.get(id(m))
        if parts_read is None:
            return False
        try:
            parts = _parts(m)
        except RecursionError:  # arguments that hold themselves were not read so
            return False
        return len(parts) == len(parts_read) and all(map(is_, parts, parts_read))

    def kept(self, fields: Mapping[str, Any]) -> list[str]:
        """The names of those fields that still say what was read."""
        read = self.fields
        if self._seen is None:
            return list(fields)
        names = [
            name
            for name, value in fields.items()
            if name in read and (value is read[name] or _same(value, read[name]))
        ]
        if "tools" in names and not all(map(_same, map(_tool_fields, read["tools"]), self._tools)):
            names.remove("tools")  # one of them was edited in place
        return names

    def grown(self, messages: list[Msg]) -> bool:
        """Whether the list is the one that was read, or that list with messages at its end."""
        return (
            not self.edited
            and len(messages) >= len(self.messages)
            and all(map(is_, self.messages, messages))
            and (self._seen is None or all(map(self.holds, self.messages)))
        )


def _same(value: Any, before: Any) -> bool:
    if type(value) is not type(before):
        return False
    if type(value) is tuple:  # tools, or texts that stop an answer
        return len(value) == len(before) and all(
            a is b or (type(a) is str and a == b) for a, b in zip(value, before, strict=True)
        )
    return bool(value == before)


def _parts(m: Msg) -> Sequence[object]:
    """What a message is made of: another object anywhere is an edit."""
    content = m.content
    if type(content) is str:
        return (m, m.name, m.role, m.extras, m.cache, m.spelling, content)
    parts = [m, m.name, m.role, m.extras, m.cache, m.spelling, *content]
    for block in content:
        # its text goes back as it came, so that what it was parsed to must be looked at too
        if type(block) is ToolUseBlock and block.raw_input is not None:
            _add_values(block.input, parts)
    return parts


def _add_values(value: Json, parts: list[Any]) -> None:
    """Add a JSON value and all that it holds, keys included."""
    parts.append(value)
    if type(value) is dict:
        parts += value
        value = value.values()
    elif type(value) is not list:
        return
    for item in value:
        if type(item) is dict or type(item) is list:
            _add_values(item, parts)
        else:
            parts.append(item)


_TOOL_FIELDS = {cls: attrgetter(*(f.name for f in fields(cls))) for cls in (Tool, ServerTool)}


def _tool_fields(tool: Tool | ServerTool) -> tuple[object, ...]:
    fields_of_tool: tuple[object, ...] = _TOOL_FIELDS[type(tool)](tool)
    return fields_of_tool


# what a request asks for beside its messages, each option on its own
ASKS = (*OPTIONS, "tools", "tool_choice", "response_format", "stream", "model")


@dataclass(slots=True, repr=False)
class ChatRequest(HasExtras, Shown):
    """Everything that one request says. `messages` may be appended to, cut and written again.

    `system` stands before the messages; `agent_name` is whose point of view is formatted;
    `memories` are told in the system prompt; `metadata` and `agent_name` never travel. `read` is
    what a wire that read the request knows of it: what nobody edits is written as it came.
    """

    messages: list[Msg]
    system: str | None = field(default=None, kw_only=True)
    tools: Sequence[Tool | ServerTool] = field(default_factory=list, kw_only=True)
    tool_choice: ToolChoice | None = field(default=None, kw_only=True)
    options: Options = field(default=NO_OPTIONS, kw_only=True)
    response_format: ResponseFormat | None = field(default=None, kw_only=True)
    model: str | None = field(default=None, kw_only=True)
    stream: bool = field(default=False, kw_only=True)
    agent_name: str | None = field(default=None, kw_only=True)
    memories: str | None = field(default=None, kw_only=True)
    metadata: dict[str, Any] | None = field(default=None, kw_only=True)
    extras: Extras | None = field(default=None, kw_only=True)
    read: AsRead | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        # most fields of most requests are not given, and each check costs as much as a message
        self.messages = messages_of(self.messages)
        if self.tools != []:
            self.tools = tools_of(self.tools)
        if self.tool_choice is not None:
            self.tool_choice = ToolChoice.of(self.tool_choice)
        if self.options is not NO_OPTIONS:
            self.options = Options.of(self.options)
        if not (self.system is self.model is self.agent_name is self.memories is None):
            self._heal()
        if self.response_format is not None:
            self.response_format = ResponseFormat.of(self.response_format)
        if type(self.stream) is not bool:
            instance(self.stream, bool, "$.stream")
        if self.metadata is not None:
            instance(self.metadata, dict, "$.metadata")
        if self.extras is not None:
            own_fields(self.extras, "$.extras")

    def _heal(self) -> None:
        healed: list[str] = []
        for name in ("system", "model", "agent_name", "memories"):
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, str):
                raise wrong_type("text", value, f"$.{name}", "request.field")
            setattr(self, name, heal(value, name, healed))
        if healed:
            self.extras = note(self.extras, healed)

    def asks(self) -> dict[str, Any]:
        """What the request asks for beside its messages, by the names of ASKS."""
        return {
            **{name: getattr(self.options, name) for name in OPTIONS},
            "tools": tuple(self.tools),
            "tool_choice": self.tool_choice,
            "response_format": self.response_format,
            "stream": self.stream,
            "model": self.model,
        }


_ONLY_MSG: frozenset[type[object]] = frozenset({Msg})


def messages_of(msgs: object) -> list[Msg]:
    """The list itself if it is one of Msg. Raises NotMessages (a WriteError and TypeError)."""
    if type(msgs) is list and {*map(type, msgs)} <= _ONLY_MSG:  # one look at all
        return msgs
    if isinstance(msgs, (str, bytes, Mapping)) or not isinstance(msgs, Iterable):
        fault = f"the input must be a list of Msg, not {type(msgs).__name__}"
        raise NotMessages(fault, path="$.messages")
    messages = msgs if isinstance(msgs, list) else list(msgs)
    for i, msg in enumerate(messages):
        if not isinstance(msg, Msg):
            text = f"expected a Msg, not {type(msg).__name__}"
            hint = "Msg(name, content, role), or Msg.from_dict(...)"
            if isinstance(msg, Mapping):
                hint = 'wire(...).read_request({"messages": [...]}) reads dicts; an LLM takes them'
            raise NotMessages(text, path=f"$.messages[{i}]", hint=hint)
    return messages


def request_of(req: object) -> ChatRequest:
    """The request itself. Raises NotMessages (a WriteError and TypeError) for what is none."""
    if not isinstance(req, ChatRequest):
        text = f"the input must be a ChatRequest, not {type(req).__name__}"
        hint = "read_request makes one of a body; or ChatRequest(messages)"
        raise NotMessages(text, path="$", hint=hint)
    return req


@dataclass(slots=True, repr=False)
class Written(Shown):
    """A request as one provider takes it: send `body` to `path` below the base URL.

    `headers` hold what the protocol demands, never a key. `ids` maps wire ids to the tree's,
    `names` tool names of the wire to the tools' own, where they differ; `properties`, by such a
    name of the wire, likewise names of arguments; `meant` names of functions to the tools that they
    stand for, where the wire takes functions only.
    """

    body: JsonObject
    path: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    model: str | None = None
    ids: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    properties: dict[str, dict[str, str]] = field(default_factory=dict)
    meant: dict[str, Tool] = field(default_factory=dict)
    report: Report = field(default_factory=Report, repr=False, compare=False)
    bound: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    client: Callable[[], dict[str, Any]] | None = field(default=None, repr=False, compare=False)
    left: Callable[[], JsonObject] | None = field(default=None, repr=False, compare=False)
    sourced: Callable[[], Iterator[tuple[str, object]]] | None = field(
        default=None, repr=False, compare=False
    )  # (path in the body, node or Field of the request) of everything that the body says

    @property
    def losses(self) -> Losses:
        """What could not be said, and what was added."""
        return self.report.losses

    @property
    def added(self) -> Losses:
        """What the request says and nobody wrote: headings, placeholders, required fields."""
        return self.report.added

    @property
    def residue(self) -> JsonObject:
        """What the body does not carry, as plain JSON to keep beside it.

        `read_request(body, residue=...)` puts it back, also behind new turns. Worked out when
        somebody asks, from the history: ask before `detached`.
        """
        return self.left() if self.left is not None else {}

    @property
    def prefix(self) -> str:
        """The hash of tools and messages as they were written: what an answer is bound to."""
        return self.bound() if self.bound is not None else ""

    def sdk(self) -> dict[str, Any]:
        """The keyword arguments for the provider's official client, which then sends `body`.

        What the client has no parameter for stands in its own place for it (`extra_body`), bytes
        are bytes where it encodes them. Which method takes them is in docs/models.md. Raises
        ConfigError for what is no request, or for a field that the client cannot send.
        """
        if self.client is None:
            raise ConfigError("an answer is not sent", hint="sdk() is for what write_request gave")
        try:
            return self.client()
        except DragomanError:
            raise
        except (*FAULTS, RecursionError) as error:  # a body that was read, and is written as it was
            raise ConfigError(
                "the body has not the form that the client takes",
                hint="send path, headers and body with an HTTP client",
                code="sdk.field",
            ) from error

    def detached(self) -> Written:
        """The same, its losses stored as text, so that the history can be let go."""
        kept = [loss.detach() for loss in self.report.losses]
        self.report = Report.of(kept, self.report.target)
        self.bound = partial(str, self.prefix) if self.bound is not None else None
        self.left = self.sourced = None
        return self


_new = object.__new__


def new_message(
    content: str | list[ContentBlock], role: Role, origin: Origin, read_from: Json
) -> Msg:
    """`Msg("", content, role, origin=origin)` of content that is known to be right."""
    message = _new(Msg)
    message.name = ""
    message.content = content
    message.role = role
    message._metadata = message._id = message.timestamp = None
    message.cache = message.extras = message.spelling = None
    message.origin = origin
    message.read_from = read_from
    return message


def new_call(id: str, name: str, arguments: Json, raw: str, read_from: Json) -> ToolUseBlock:
    """`ToolUseBlock(id, name, arguments, raw)`."""
    block = _new(ToolUseBlock)
    block.id = id
    block.name = name
    block.input = arguments
    block.raw_input = raw
    block.cache = block.extras = block.spelling = block.origin = None
    block.unfinished = block.freeform = False
    block.namespace = None
    block.type = "tool_use"
    block.read_from = read_from
    return block


def new_result(
    id: str, name: str, output: str, spelling: str | None, read_from: Json
) -> ToolResultBlock:
    """`ToolResultBlock(id, name, output, spelling=spelling)`."""
    block = _new(ToolResultBlock)
    block.id = id
    block.name = name
    block.output = output
    block.is_error = False
    block.cache = block.extras = block.origin = None
    block.spelling = spelling
    block.type = "tool_result"
    block.read_from = read_from
    return block


def new_request(messages: list[Msg]) -> ChatRequest:
    """`ChatRequest(messages)`, without a look at each of them."""
    req = _new(ChatRequest)
    req.messages = messages
    req.tools = []
    req.options = NO_OPTIONS
    req.stream = False
    req.system = req.tool_choice = req.response_format = req.model = req.agent_name = None
    req.memories = req.metadata = req.extras = req.read = None
    return req


@remember("who wrote an answer", entries=256)
def model_origin(issuer: str, model: str | None) -> Origin:
    """`Origin(issuer, model)`: one for all that the model wrote."""
    return Origin(issuer, model)
