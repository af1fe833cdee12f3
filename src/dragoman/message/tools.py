"""The tools that a model may call: Tool, Parameter, ServerTool, and ToolChoice.

A tool's parameters are a JSON Schema object; `Parameter` describes one without writing JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

from .._old_names import keeps_old_names
from ..errors import InvalidMessage
from ..suggestions.import_names import ExplainsNames
from ..suggestions.keywords import explains_keywords
from ..text.json_text import JsonObject, check, check_text
from ..text.redaction import Shown, show
from .blocks import CacheHint, Extras, HasExtras, ReadFrom
from .check import (
    bridge_to,
    build,
    build_unknown_error,
    instance,
    is_none,
    optional_text,
    own_fields,
    text,
    wrong_type,
)
from .python_types import describes_fields, function_schema, type_schema


@dataclass(slots=True, repr=False)
class Parameter(Shown):
    """One parameter of a tool.

    >>> Parameter("tags", "string[]", "labels").schema()
    {'type': 'array', 'items': {'type': 'string'}, 'description': 'labels'}

    Attributes:
        name: The name.
        type: A JSON Schema type, or one with `[]` for an array.
        description: What it is for.
        required: Whether a call must have it.
        enum: The allowed values.
        children: The properties of an object, or of the objects in an array.
        default: The default, None if there is none.
    """

    name: str
    type: str = "string"
    description: str = ""
    required: bool = False
    enum: Sequence[Any] | None = None
    children: Sequence[Parameter] = ()
    default: Any = None

    def schema(self) -> JsonObject:
        """Return the JSON Schema of this parameter."""
        result = self._shape()
        if self.description:
            result["description"] = self.description
        if self.default is not None:
            result["default"] = self.default
        return result

    def _shape(self) -> JsonObject:
        kind = self.type
        if kind == "array":
            kind = "string[]"
        if kind.endswith("[]"):
            item = replace(self, type=kind[:-2], description="", default=None)
            return {"type": "array", "items": item.schema()}
        if kind == "object" or self.children:
            return object_schema(self.children)
        result: JsonObject = {"type": kind}
        if self.enum is not None:
            result["enum"] = list(self.enum)
        return result


def object_schema(parameters: Iterable[Parameter]) -> JsonObject:
    """Return the schema of an object with these properties.

    Args:
        parameters: The properties.

    Returns:
        A JSON Schema object.
    """
    parameters = list(parameters)
    result: JsonObject = {"type": "object", "properties": {p.name: p.schema() for p in parameters}}
    if required := [p.name for p in parameters if p.required]:
        result["required"] = required
    return result


@dataclass(frozen=True, slots=True, repr=False)
class Grammar(Shown):
    """The form of the text for a freeform tool.

    Attributes:
        definition: The grammar.
        syntax: `lark` or `regex`.
    """

    definition: str
    syntax: str = "lark"

    def __post_init__(self) -> None:
        text(self.definition, "$.tools.grammar.definition")
        text(self.syntax, "$.tools.grammar.syntax")


@dataclass(frozen=True, slots=True, repr=False)
class Namespace(Shown):
    """A group of tools; tool names are unique only within it.

    Attributes:
        name: The name of the group.
        description: What its tools are for.
    """

    name: str
    description: str | None = None

    def __post_init__(self) -> None:
        text(self.name, "$.tools.namespace.name")
        optional_text(self.description, "$.tools.namespace.description")


@explains_keywords(
    {"input_schema": "parameters", "inputSchema": "parameters", "args_schema": "parameters"}
)
@dataclass(slots=True, repr=False)
class Tool(HasExtras, ReadFrom, Shown, metaclass=ExplainsNames):
    """A function the model may call, or a `freeform` tool, whose calls hold text.

    Attributes:
        name: The name.
        description: What it does.
        parameters: A JSON Schema with an object at its root, or a list of Parameter; a freeform
            tool has none.
        strict: Whether the provider enforces the schema; None uses its default.
        cache: A prompt-cache breakpoint after the tool.
        extras: Fields that only one provider has, by provider.
        freeform: Whether the tool takes text instead of arguments.
        grammar: The form of that text, None if any text is allowed.
        namespace: The group of the tool.

    Raises:
        InvalidMessage: A field is wrong, or `parameters` is not a schema.
    """

    name: str
    description: str = ""
    parameters: JsonObject | Sequence[Parameter] | None = None
    strict: bool | None = None
    cache: CacheHint | None = None
    extras: Extras | None = None
    freeform: bool = False
    grammar: Grammar | None = None
    namespace: Namespace | None = None
    type: Literal["function"] = "function"

    def __post_init__(self) -> None:
        path = f"$.tools[{self.name!r}]"
        if not isinstance(self.name, str) or not self.name:
            hint = "dragoman.tool(function)" if callable(self.name) else ""
            fault = "a tool needs a name"
            raise InvalidMessage(fault, path="$.tools", code="tool.name", hint=hint)
        check_text(self.name, f"{path}.name")
        if not isinstance(self.description, str):
            raise InvalidMessage("must be text", path=f"{path}.description", code="tool.field")
        check_text(self.description, f"{path}.description")
        parameters = self.parameters
        if isinstance(parameters, Mapping):
            self.parameters = parameters if isinstance(parameters, dict) else dict(parameters)
        elif parameters is not None:
            self.parameters = object_schema(_parameters(parameters, f"{path}.parameters"))
        check(self.parameters, f"{path}.parameters")
        instance(self.strict, bool, f"{path}.strict")
        instance(self.cache, CacheHint, f"{path}.cache")
        own_fields(self.extras, f"{path}.extras")
        instance(self.freeform, bool, f"{path}.freeform")
        instance(self.grammar, Grammar, f"{path}.grammar")
        instance(self.namespace, Namespace, f"{path}.namespace")
        if not self.freeform and self.grammar is not None:
            fault = "a grammar belongs to a freeform tool"
            raise InvalidMessage(fault, path=f"{path}.grammar", code="tool.field")
        if self.freeform and self.parameters is not None:
            fault = "a freeform tool takes text, and no parameters"
            raise InvalidMessage(fault, path=f"{path}.parameters", code="tool.field")

    @property
    def schema(self) -> JsonObject | None:
        """Return the JSON Schema of the parameters, None for a tool that declares none."""
        parameters = self.parameters
        return parameters if parameters is None or isinstance(parameters, dict) else None

    @classmethod
    def of(
        cls, value: Tool | Mapping[str, Any] | Callable[..., Any], path: str = "$.tools"
    ) -> Tool:
        """Return a Tool for a value.

        Nothing is called: the program runs what the model asks for.

        Args:
            value: A Tool, its plain fields, or (extra `tools`) a function, pydantic model,
                dataclass or TypedDict. Plain fields may name the parameters `input_schema`,
                `inputSchema` and the like. The name, docstring and annotations of a function are
                the tool's; the fields of a class are the arguments.
            path: Where the value is in the input, for errors.

        Returns:
            The tool.

        Raises:
            InvalidMessage: The value is none of these.
            ConfigError: A library is missing.
        """
        if isinstance(value, Tool):
            return value
        if isinstance(own := getattr(value, "tool", None), Tool):
            return own  # the value was built by `dragoman.tool`
        if describes_fields(value):
            return cls(*type_schema(value, path))
        if (bridge := bridge_to(value)).endswith(".langchain"):  # whose tools are objects
            raise is_none("tool", value, path, "tool.type", f"{bridge}.read_tools(tools)")
        if callable(value) and not isinstance(value, type):
            return cls(*function_schema(value, path))
        if callable(dump_fields := getattr(value, "model_dump", None)):
            value = dump_fields()  # an object of an SDK, such as a tool that an MCP session lists
        if not isinstance(value, Mapping):
            hint = "use Tool, a function, or a dict with name and parameters"
            raise is_none("tool", value, path, "tool.type", hint)
        return cls._of_fields(value, path)

    @classmethod
    def _of_fields(cls, value: Mapping[str, Any], path: str) -> Tool:
        """Build a tool from plain fields, under the names of this class or of another library."""
        item = value.get("function", value.get("toolSpec", value))
        if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
            hint = "a tool that the provider runs: dragoman.ServerTool"
            raise InvalidMessage("a tool needs a name", path=path, code="tool.name", hint=hint)
        schema = next((item[key] for key in _SCHEMAS if item.get(key) is not None), None)
        if isinstance(schema, Mapping) and schema.keys() == {"json"}:  # one wire wraps it again
            schema = schema["json"]
        known = {k: v for k, v in {**value, **item}.items() if k not in _KNOWN and v is not None}
        others = {k: v for k, v in known.items() if k not in _SCHEMAS}
        fields = {name: others.pop(name) for name in _PLAIN if name in others}
        kind = value.get("type")
        if kind not in (None, "function", "custom"):
            others["type"] = kind
        if kind == "custom" and schema is None:  # its calls hold text
            form = others.pop("format", None)
            fields.setdefault("freeform", True)
            if isinstance(form, Mapping) and form.get("type") == "grammar":
                fields["grammar"] = {key: form.get(key) for key in ("syntax", "definition")}
        for name, node in (("grammar", Grammar), ("namespace", Namespace)):
            if isinstance(fields.get(name), Mapping):
                fields[name] = build(node, fields[name], f"{path}.{name}")
        hint = others.pop("cache_control", None)
        cache = CacheHint(hint.get("ttl")) if isinstance(hint, Mapping) else None
        return cls(
            item["name"],
            item.get("description") or "",
            schema,
            item.get("strict"),
            cache,
            {"": others} if others else None,
            **fields,
        )


_PLAIN = ("freeform", "grammar", "namespace")
_KNOWN = frozenset({"type", "function", "toolSpec", "name", "description", "strict"})
# the names of the schema of arguments on the wires, in MCP and in libraries;
# tests/first_hour/test_foreign_forms.py lists the source of each, with versions
_SCHEMAS = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "args_schema",
    "schema",
)


def _parameters(values: object, path: str) -> list[Parameter]:
    """Check a list of parameters, at every level."""
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes)):
        raise wrong_type("a JSON Schema or a list of Parameter", values, path, "tool.field")
    parameters = list(values)
    for i, value in enumerate(parameters):
        item_path = f"{path}[{i}]"
        if not isinstance(value, Parameter):
            raise is_none("Parameter", value, item_path, "tool.field")
        text(value.name, f"{item_path}.name")
        text(value.type, f"{item_path}.type")
        text(value.description, f"{item_path}.description")
        instance(value.enum, (list, tuple), f"{item_path}.enum")
        if value.children:
            _parameters(value.children, f"{item_path}.children")
    return parameters


@keeps_old_names
@explains_keywords(
    {"allowed_domains": "domains", "user_location": "location", "vector_store_ids": "stores"}
)
@dataclass(slots=True, repr=False)
class ServerTool(HasExtras, ReadFrom, Shown):
    """A tool that the provider runs itself: a search, a page that it fetches, code that it runs.

    Attributes:
        kind: `web_search`, `web_fetch` (pages at addresses in the conversation, also called URL
            context), `code_execution`, `file_search`, or `own`, a tool that only its provider knows
            and that is described by `extras` alone.
        domains: The domains that are searched or fetched; empty for all.
        blocked_domains: The domains that are not.
        stores: The ids of the stores that a file search looks through.
        max_uses: How often the tool may run in one answer.
        location: Where a search is made from: `country`, `region`, `city`, `timezone`.
        extras: Fields that only one provider has, by provider.
    """

    kind: Literal["web_search", "web_fetch", "code_execution", "file_search", "own"]
    domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    max_uses: int | None = None
    location: dict[str, str] | None = None
    extras: Extras | None = None
    type: Literal["server"] = "server"

    def __post_init__(self) -> None:
        path = f"$.tools[{self.kind!r}]"
        if self.kind not in SERVER_TOOLS:
            raise build_unknown_error(
                "kind of server tool", self.kind, "$.tools", SERVER_TOOLS, "tool.type"
            )
        for name in ("domains", "blocked_domains", "stores"):
            values = getattr(self, name)
            instance(values, (list, tuple), f"{path}.{name}")
            for i, item in enumerate(values):
                text(item, f"{path}.{name}[{i}]")
            setattr(self, name, tuple(values))
        instance(self.max_uses, int, f"{path}.max_uses")
        if self.max_uses is not None and (self.max_uses is True or self.max_uses < 1):
            raise InvalidMessage("must be 1 or more", path=f"{path}.max_uses", code="block.field")
        instance(self.location, dict, f"{path}.location")
        check(self.location, f"{path}.location")
        own_fields(self.extras, f"{path}.extras")

    def list_values(self) -> list[tuple[str, Any]]:
        """Return (name, value) of the fields that are set, without the kind."""
        names = ("domains", "blocked_domains", "stores", "max_uses", "location")
        return [(name, value) for name in names if (value := getattr(self, name))]

    @classmethod
    def of(cls, value: object, path: str = "$.tools") -> ServerTool | None:
        """Return a ServerTool for its plain form.

        Args:
            value: A ServerTool, its plain form, or any other tool.
            path: Where the value is in the input, for errors.

        Returns:
            The tool, or None if the value is another tool.

        Raises:
            InvalidMessage: A field of the plain form is missing, unknown or wrong.
        """
        if isinstance(value, ServerTool):
            return value
        if not isinstance(value, Mapping) or value.get("type") != "server":
            return None
        names = {f.name for f in fields(cls)}
        if unknown := sorted(str(name) for name in value if name not in names):
            raise InvalidMessage(f"unknown field {show(unknown[0])}", path=path, code="tool.field")
        if "kind" not in value:
            raise InvalidMessage("kind is missing", path=path, code="tool.field")
        return cls(**value)


ToolLike: TypeAlias = Tool | ServerTool | Mapping[str, Any] | Callable[..., Any]
ToolList: TypeAlias = Sequence[ToolLike] | None


def to_tools(values: Iterable[ToolLike] | None) -> list[Tool | ServerTool]:
    """Return tools for values of any form.

    Args:
        values: Tools, plain forms, functions or types; None is no tools.

    Returns:
        A new list.

    Raises:
        InvalidMessage: This is not a list, or one of the values is not a tool.
        ConfigError: A library is missing.
    """
    if values is None:
        return []
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes, Mapping)):
        raise wrong_type("a list of tools", values, "$.tools", "tool.type")
    items: Iterable[tuple[int, Any]] = enumerate(values)
    return [ServerTool.of(v, f"$.tools[{i}]") or Tool.of(v, f"$.tools[{i}]") for i, v in items]


@explains_keywords({"type": "mode", "allowed_tools": "allowed", "parallel_tool_calls": "parallel"})
@dataclass(frozen=True, slots=True, repr=False)
class ToolChoice(Shown):
    """Whether and what the model must call.

    Attributes:
        mode: `auto`, `none`, `required`, or `tool` for the tool `name`.
        name: The tool that must be called.
        allowed: The tools that may be called; empty for all.
        parallel: False asks for one call at a time.
    """

    mode: Literal["auto", "none", "required", "tool"] = "auto"
    name: str | None = None
    allowed: tuple[str, ...] = ()
    parallel: bool | None = None

    def __post_init__(self) -> None:
        if self.mode not in ("auto", "none", "required", "tool"):
            fault = f"unknown mode {show(self.mode)}"
            hint = "auto, none, required, or tool with a name"
            raise InvalidMessage(fault, path="$.tool_choice", hint=hint, code="tool_choice.mode")
        optional_text(self.name, "$.tool_choice.name")
        instance(self.parallel, bool, "$.tool_choice.parallel")
        instance(self.allowed, (list, tuple), "$.tool_choice.allowed")
        object.__setattr__(self, "allowed", tuple(self.allowed or ()))
        for i, name in enumerate(self.allowed):
            text(name, f"$.tool_choice.allowed[{i}]")
        if (self.mode == "tool") != (self.name is not None):
            fault = "a name belongs to the mode tool, and the mode tool needs one"
            raise InvalidMessage(fault, path="$.tool_choice", code="tool_choice.mode")

    @classmethod
    def of(cls, value: ToolChoice | str | Mapping[str, Any] | None) -> ToolChoice | None:
        """Return a ToolChoice for a plain value.

        Args:
            value: `auto`, `none`, `required` (or `any`), a tool's name, or a dict: the plain form
                of this class, or the form of a wire, such as `{"type": "function", "function":
                {"name": ...}}`, `{"type": "tool", "name": ...}` or `{"tool": {"name": ...}}`.

        Returns:
            The choice; None of None.

        Raises:
            InvalidMessage: The value is none of these.
        """
        if value is None or isinstance(value, ToolChoice):
            return value
        if isinstance(value, Mapping):
            return _choice_of_dict(value)
        if not isinstance(value, str):
            raise is_none("tool choice", value, "$.tool_choice", "tool_choice.mode", _CHOICES)
        if value in ("auto", "none", "required"):
            return cls(value)  # type: ignore[arg-type]  # one of the three literals
        return cls("required") if value == "any" else cls("tool", value)


_CHOICES = '"auto", "none", "required", or the name of a tool'
_OWN_CHOICE = frozenset(f.name for f in fields(ToolChoice))
# the keys around the name of a chosen tool on the wires
_ONE_TOOL = ("function", "custom", "tool")


def _choice_of_dict(value: Mapping[str, Any]) -> ToolChoice:
    """Read a choice from a dict in one of the forms of the wires."""
    if value.keys() <= _OWN_CHOICE:
        return ToolChoice(**value)
    parallel = False if value.get("disable_parallel_tool_use") is True else None
    kind = value.get("type", next(iter(value), None))
    inner = value.get(kind) if isinstance(kind, str) else None
    rest: Mapping[str, Any] = inner if isinstance(inner, Mapping) else value
    if kind in _ONE_TOOL and isinstance(rest.get("name"), str):
        return ToolChoice("tool", rest["name"], parallel=parallel)
    if kind in ("auto", "none", "required", "any"):
        mode: Any = "required" if kind == "any" else kind
        return ToolChoice(mode, parallel=parallel)
    tools = rest.get("tools")
    if kind == "allowed_tools" and isinstance(tools, list):
        mode = rest.get("mode", "auto")
        return ToolChoice(mode, allowed=tuple(map(_name_within, tools)), parallel=parallel)
    text = f"{show(dict(value))} is no tool choice"
    raise InvalidMessage(text, path="$.tool_choice", hint=_CHOICES, code="tool_choice.mode")


def _name_within(tool: Any) -> str:
    """Return the name of a tool in a list of allowed ones."""
    inner = tool.get("function", tool) if isinstance(tool, Mapping) else tool
    name = inner.get("name") if isinstance(inner, Mapping) else inner
    text(name, "$.tool_choice.allowed_tools")
    return str(name)


SERVER_TOOLS = ("web_search", "web_fetch", "code_execution", "file_search", "own")
