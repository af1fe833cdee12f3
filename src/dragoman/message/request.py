"""ChatRequest and its parts: options, response format, and which of its nodes were edited.

`Options` has one neutral name for each setting. `AsRead` knows which nodes of a request are
unchanged since a wire read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields
from operator import attrgetter, is_
from typing import Any, Literal, TypeAlias, get_args, get_origin

from .._old_names import keeps_old_names
from ..caches import remember
from ..errors import InvalidMessage, NotMessages
from ..suggestions.keywords import advise, explains_keywords, rename_keywords
from ..suggestions.response_formats import read_form
from ..text.json_text import Json, JsonObject, check
from ..text.redaction import Shown, show
from .blocks import ContentBlock, Extras, HasExtras, Origin, ToolResultBlock, ToolUseBlock
from .check import heal, instance, is_none, note, own_fields, text, wrong_type
from .known_tools import KnownTools
from .msg import Msg, Role
from .python_types import type_schema
from .tools import ServerTool, Tool, ToolChoice, to_tools

_EFFORTS = '"high", "low" or another effort, "on", or "off"; reasoning_budget= takes tokens'

# how much the model thinks, from least to most; with `on` and `auto` it decides
Effort: TypeAlias = Literal[
    "off", "none", "on", "auto", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"
]


@keeps_old_names
@explains_keywords()
@dataclass(frozen=True, slots=True, repr=False)
class Options(Shown):
    """How to generate. None uses the provider's default; every option has one neutral name.

    Attributes:
        max_tokens: The most tokens of the answer, reasoning included.
        temperature: The randomness of sampling.
        top_p: Sampling is restricted to the likeliest tokens of this total probability.
        top_k: Sampling is restricted to this many tokens.
        presence_penalty: Penalizes tokens that have occurred.
        frequency_penalty: Penalizes tokens by how often they have occurred.
        repetition_penalty: Divides the scores of tokens that have occurred.
        seed: The seed of sampling.
        stop: Texts that end the answer.
        n: How many candidates to generate.
        logprobs: Whether to return log probabilities of tokens.
        top_logprobs: For how many of the likeliest tokens.
        reasoning: An effort such as `low`, or `off`.
        reasoning_budget: The most tokens of thinking.
        thoughts: How much of the thinking is returned: `none`, `updates` (short notes between
            calls), `auto`, `concise` or `detailed`.
        service_tier: The provider's name for a class of service.
        user: An id of the end user.

    Each is written by the protocols that have it (`protocols/*/fields.py`, and `keys` of a vendor's
    dialect); it is also an argument of LLM (`llm/settings.py`, `llm/profiles.py`). Those of
    sampling are listed in `losses/loss.py`, too.
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
        for name, value in self.list_values():
            path = f"$.options.{name}"
            check(value, path)
            kinds = OPTION_KINDS.get(name, (int,))
            if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                expected = " or ".join(kind.__name__ for kind in kinds)
                hint = _EFFORTS if name == "reasoning" else ""
                raise wrong_type(expected, value, path, "option.value", hint)

    def list_values(self) -> list[tuple[str, Any]]:
        """Return (name, value) of the options that are set."""
        if self is NO_OPTIONS:
            return []
        return [(name, value) for name in OPTIONS if (value := getattr(self, name)) is not None]

    @classmethod
    def of(cls, value: Options | Mapping[str, Any] | None) -> Options:
        """Return options for a mapping.

        Args:
            value: Options, which are returned as they are, or a mapping of names to values; None
                sets none.

        Returns:
            The options.

        Raises:
            InvalidMessage: There is no such option, or its value is wrong.
        """
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
NO_OPTIONS = Options.__new__(Options)  # initialized below, as `list_values` uses it


Options.__init__(NO_OPTIONS)


# how an answer of a schema is asked for; see `ResponseFormat.way`
Way: TypeAlias = Literal["schema", "tool", "json", "prompt"]


@explains_keywords({"json_schema": "schema"})
@dataclass(frozen=True, slots=True, repr=False)
class ResponseFormat(Shown):
    """What the answer must be: `text`, any `json`, or JSON of a `schema`.

    Attributes:
        kind: Which of the three.
        schema: The JSON Schema.
        name: The name of the format.
        description: What the format is for.
        strict: Whether the provider enforces the schema; None uses its default.
        way: How the schema is asked for: in the `schema` field of the wire (the same as None), by a
            `tool` whose arguments are the answer, or in the prompt, with the field for any JSON
            (`json`) or without (`prompt`).
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
        """Return the ResponseFormat for a plain value or a Python type.

        Args:
            value: `"text"`, `"json"`, a provider's form such as `{"type": "json_object"}` or
                `{"type": "json_schema", ...}`, or a type that has a JSON Schema: a pydantic model,
                a dataclass, a TypedDict, `list[int]` (extra `tools`). Many APIs require an object
                at the root.

        Returns:
            The format.

        Raises:
            InvalidMessage: The value is none of these.
            ConfigError: A library is missing.
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


# the prefix, in AsRead.state, of a type of messages that refers to what a provider stores
ITEM = "item:"


@keeps_old_names
@dataclass(slots=True, eq=False, repr=False)
class AsRead:
    """The messages and fields of a request as the reader of a protocol built them.

    Attributes:
        protocol: The protocol of the reader.
        issuer: The vendor or protocol whose dialect was read.
        messages: The messages.
        fields: The values of the request's fields by name, lists as tuples.
        model: The model that the request asked for.
        edited: Whether some messages had been edited when the request was stored.
        state: The fields that refer to what the provider stores, such as an earlier answer.
        places: Yields (path, node) of the body that was read, for the paths of losses. Nothing is
            written from it, and a copy does not have it.
        keep: False if nothing counts as read, for a request that goes to another wire in any case.
        watched: False if everything counts as read, for a request that is written before a user can
            edit it. The reader may survey such messages, and then stores the result in `surveyed`.
        surveyed: The result of that survey.
    """

    protocol: str
    issuer: str
    messages: Sequence[Msg]
    fields: Mapping[str, Any]
    model: str | None = None
    edited: bool = False
    state: tuple[str, ...] = ()
    places: Callable[[], Iterator[tuple[str, object]]] | None = None
    keep: InitVar[bool] = True
    watched: InitVar[bool] = True
    surveyed: object = field(default=None, init=False)
    # message -> its parts when it was read; None: all messages count as read
    _seen: dict[int, Sequence[object]] | None = field(default=None, init=False)
    _tools: list[tuple[object, ...]] = field(default_factory=list, init=False)

    def __post_init__(self, keep: bool, watched: bool) -> None:
        if not keep:
            self._seen = {}
        elif watched:
            self._seen = {id(m): _parts(m) for m in self.messages}
            self._tools = [*map(_tool_fields, self.fields.get("tools", ()))]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the unedited messages: in a copy, messages have other identities."""
        unedited = [m for m in self.messages if self.holds(m)]
        edited = self.edited or len(unedited) < len(self.messages)
        kept = {name: self.fields[name] for name in self.list_unchanged(self.fields)}
        return AsRead, (self.protocol, self.issuer, unedited, kept, self.model, edited, self.state)

    def holds(self, m: Msg) -> bool:
        """Return whether a message was read and is unedited.

        Args:
            m: A message of the request.

        Returns:
            True if it is one of `messages`, and all its parts are the objects that were read.
        """
        if self._seen is None:
            return any(m is read for read in self.messages)
        parts_read = self._seen.get(id(m))
        if parts_read is None:
            return False
        try:
            parts = _parts(m)
        except RecursionError:  # arguments that contain themselves cannot have been read
            return False
        return len(parts) == len(parts_read) and all(map(is_, parts, parts_read))

    def list_unchanged(self, fields: Mapping[str, Any]) -> list[str]:
        """Return the names of the fields that still have the values that were read."""
        read = self.fields
        if self._seen is None:
            return list(fields)
        names = [
            name
            for name, value in fields.items()
            if name in read and (value is read[name] or _same(value, read[name]))
        ]
        if "tools" in names and not all(map(_same, map(_tool_fields, read["tools"]), self._tools)):
            names.remove("tools")  # a tool was edited in place
        return names

    def has_grown(self, messages: list[Msg]) -> bool:
        """Return whether the list is the one that was read, possibly with messages appended."""
        return (
            not self.edited
            and len(messages) >= len(self.messages)
            and all(map(is_, self.messages, messages))
            and (self._seen is None or all(map(self.holds, self.messages)))
        )


def _same(value: Any, before: Any) -> bool:
    if type(value) is not type(before):
        return False
    if type(value) is tuple:  # tools, or `stop` texts
        return len(value) == len(before) and all(
            a is b or (type(a) is str and a == b) for a, b in zip(value, before, strict=True)
        )
    return bool(value == before)


def _parts(m: Msg) -> Sequence[object]:
    """Return the parts of a message: another object anywhere is an edit."""
    content = m.content
    if type(content) is str:
        return (m, m.name, m.role, m.extras, m.cache, m.spelling, content)
    parts = [m, m.name, m.role, m.extras, m.cache, m.spelling, *content]
    for block in content:
        # its raw text is sent back, so an edit of the parsed arguments must be noticed too
        if type(block) is ToolUseBlock and block.raw_input is not None:
            _add_values(block.input, parts)
    return parts


def _add_values(value: Json, parts: list[Any]) -> None:
    """Append a JSON value and everything in it, keys included."""
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


# what a request asks for besides its messages, each option separately
ASKS = (*OPTIONS, "tools", "tool_choice", "response_format", "stream", "model")


@dataclass(slots=True, repr=False)
class ChatRequest(HasExtras, Shown):
    """One request. `messages` may be appended to, cut and written again.

    Attributes:
        messages: The messages.
        system: A system prompt before the messages.
        tools: The tools that the model may call.
        tool_choice: Whether and what it must call; None uses the provider's default.
        options: How to generate.
        response_format: What the answer must be.
        model: The model to ask.
        stream: Whether the answer is streamed.
        agent_name: The agent whose point of view is written; it is not sent itself.
        memories: Text that is added to the system prompt.
        metadata: The program's own notes, which are never sent.
        extras: Fields that only one provider has, by provider.
        read: What the reader of a wire noted; with it, unedited parts are written as they came.
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
        # most fields of most requests are not set, and each check takes as long as one of a message
        self.messages = check_messages(self.messages)
        if self.tools != [] and type(self.tools) is not KnownTools:
            self.tools = to_tools(self.tools)
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
        """Return what the request asks for besides its messages, by the names of ASKS."""
        return {
            **{name: getattr(self.options, name) for name in OPTIONS},
            "tools": tuple(self.tools),
            "tool_choice": self.tool_choice,
            "response_format": self.response_format,
            "stream": self.stream,
            "model": self.model,
        }


_ONLY_MSG: frozenset[type[object]] = frozenset({Msg})


def check_messages(msgs: object) -> list[Msg]:
    """Check that a value is a list of messages.

    Args:
        msgs: The value.

    Returns:
        The same list.

    Raises:
        NotMessages: It is not a list, or holds something that is not a Msg.
    """
    if type(msgs) is list and {*map(type, msgs)} <= _ONLY_MSG:  # the usual case, checked at once
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


def check_request(req: object) -> ChatRequest:
    """Check that a value is a request.

    Args:
        req: The value.

    Returns:
        The same request.

    Raises:
        NotMessages: It is not a ChatRequest.
    """
    if not isinstance(req, ChatRequest):
        text = f"the input must be a ChatRequest, not {type(req).__name__}"
        hint = "read_request makes one of a body; or ChatRequest(messages)"
        raise NotMessages(text, path="$", hint=hint)
    return req


_new = object.__new__


def new_message(
    content: str | list[ContentBlock], role: Role, origin: Origin, read_from: Json
) -> Msg:
    """Build `Msg("", content, role, origin=origin)` from content that is known to be right."""
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
    """Build `ToolUseBlock(id, name, arguments, raw)` without checks."""
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
    """Build `ToolResultBlock(id, name, output, spelling=spelling)` without checks."""
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
    """Build `ChatRequest(messages)` without checking the messages."""
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
    """Build `Origin(issuer, model)`, one object for all messages of the model."""
    return Origin(issuer, model)
