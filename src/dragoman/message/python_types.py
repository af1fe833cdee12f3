"""JSON Schemas of Python functions, pydantic models, dataclasses, TypedDicts, and other types.

pydantic builds the JSON Schema of a type, and docstring_parser finds the descriptions of parameters
in a docstring; both are loaded at the first use (extra `tools`). Functions are not called, and
values are not checked.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from ..errors import ConfigError, InvalidMessage
from ..text.json_text import Json, JsonObject

_HINT = "pip install 'dragoman[tools]'"


class Described(NamedTuple):
    """A function or a type as described to a model: its name, what it is, and its JSON Schema."""

    name: str
    description: str
    schema: JsonObject


def describes_fields(value: object) -> bool:
    """Return whether the value is a class with named fields: a model, dataclass or TypedDict."""
    return isinstance(value, type) and (
        is_dataclass(value)
        or callable(getattr(value, _OF_MODEL, None))
        or hasattr(value, "__required_keys__")  # a TypedDict, of typing or typing_extensions
    )


_OF_MODEL = "model_json_schema"


def function_schema(function: Callable[..., Any], path: str) -> Described:
    """Describe a function as a tool: its parameters are the properties of the schema.

    Descriptions are taken from `Annotated[..., Field(description=...)]`, from a text in
    `Annotated`, or from the docstring, in this order.

    Raises:
        InvalidMessage: A parameter cannot be named by a JSON object, or its type has no schema.
        ConfigError: A library is missing.
    """
    named: Any = function.func if isinstance(function, partial) else function
    name = getattr(named, "__name__", "") or type(named).__name__
    if not inspect.isroutine(named):
        function = named = named.__call__  # of a callable object
    if not name.isidentifier():
        hint = "def a function, or Tool(name, description, parameters)"
        raise InvalidMessage("a lambda has no name", path=path, code="tool.name", hint=hint)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            fault = f"{name}({parameter}): a model gives arguments by name"
            raise InvalidMessage(fault, path=path, code="tool.field")
    schema = _schema(function, name, path)
    if (context := context_parameter(function)) is not None:
        schema.get("properties", {}).pop(context, None)
        required = [one for one in schema.pop("required", ()) if one != context]
        schema |= {"required": required} if required else {}
    if schema.get("additionalProperties") is False:
        del schema["additionalProperties"]  # only a strict tool has it
    summary, about = _docstring(inspect.getdoc(named))
    _describe(schema, {**about, **_read_annotations(named)})
    return Described(name, summary, schema)


def context_parameter(function: Callable[..., Any]) -> str | None:
    """Return the parameter for the program's context of a call, which the model does not fill.

    Its annotation is a class with a true `IS_CONTEXT`, or a union with one.
    """
    named: Any = function.func if isinstance(function, partial) else function
    named = named if inspect.isroutine(named) else named.__call__
    try:
        hints = get_type_hints(named)
    except (NameError, TypeError, AttributeError):  # a name that only type checkers import
        hints = {
            name: hint
            for name, hint in getattr(named, "__annotations__", {}).items()
            if not isinstance(hint, str)
        }
    for name, hint in hints.items():
        kinds = [hint, get_origin(hint), *(get_origin(one) or one for one in get_args(hint))]
        if name != "return" and any(getattr(kind, "IS_CONTEXT", False) for kind in kinds):
            return name
    return None


def type_schema(value: Any, path: str) -> Described:
    """Describe a type: what a tool takes, or what an answer must be.

    Raises:
        InvalidMessage: The type has no schema.
        ConfigError: A library is missing.
    """
    name: str = value.__name__ if describes_fields(value) else ""
    schema = _schema(value, name, path)
    summary, about = _docstring(_own_docstring(value) if name else None)
    _describe(schema, about)
    if summary:
        schema.pop("description", None)
    return Described(name, summary, schema)


def _schema(value: Any, name: str, path: str) -> JsonObject:
    pydantic = library("pydantic")
    try:
        of_model = getattr(value, _OF_MODEL, None)
        make = of_model if callable(of_model) else pydantic.TypeAdapter(value).json_schema
        schema: JsonObject = make()
    except (pydantic.PydanticUserError, NameError) as error:
        text = f"{name or value} has no JSON Schema: {str(error).partition(chr(10))[0]}"
        hint = "annotate it with types that JSON has, or give the schema itself"
        raise InvalidMessage(text, path=path, code="tool.type", hint=hint) from error
    named = schema.get("$defs", {}).get(str(schema.get("$ref")).removeprefix("#/$defs/"))
    if named is not None:  # a type that refers to itself; APIs require an object at the root
        schema = {**named, "$defs": schema["$defs"]}
    _untitle(schema, name)
    return schema


def library(name: str) -> Any:
    """Import a library of the extra `tools`.

    Raises:
        ConfigError: The library is missing; the error names it.
    """
    try:
        return import_module(name)
    except ImportError as error:
        text = f"{name} reads functions and types, and is not installed"
        raise ConfigError(text, hint=_HINT, code="tool.no_library") from error


def _untitle(schema: Json, name: str) -> None:
    """Remove the titles that pydantic derives from names; they add nothing to the names."""
    if not isinstance(schema, dict):
        return
    if schema.get("title") in (name, name.title().replace("_", " ").strip()):
        del schema["title"]
    for inner_name, inner in _inner(schema):
        _untitle(inner, inner_name)


def _inner(schema: JsonObject) -> Iterator[tuple[str, Json]]:
    """Yield the schemas within a schema, each with its name, if it has one."""
    for keyword in ("properties", "$defs", "patternProperties"):
        if isinstance(named := schema.get(keyword), dict):
            yield from named.items()
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if isinstance(several := schema.get(keyword), list):
            yield from (("", item) for item in several)
    for keyword in ("items", "additionalProperties"):
        yield "", schema.get(keyword)


def _describe(schema: JsonObject, descriptions: Mapping[str, str]) -> None:
    """Add descriptions of properties where their types have none."""
    properties = schema.get("properties")
    for name, text in descriptions.items():
        inner = properties.get(name) if isinstance(properties, dict) else None
        if text and isinstance(inner, dict):
            inner.setdefault("description", text)


def _read_annotations(function: Callable[..., Any]) -> dict[str, str]:
    """Return the text in `Annotated`, or that of its `Doc`, by parameter."""
    texts: dict[str, str] = {}
    for name, hint in get_type_hints(function, include_extras=True).items():
        for note in getattr(hint, "__metadata__", ()):
            text = note if isinstance(note, str) else getattr(note, "documentation", None)
            if isinstance(text, str):
                texts[name] = text
    return texts


def _own_docstring(cls: Any) -> str | None:
    """Return the docstring written for this class, not a generated or inherited one."""
    text: str | None = cls.__dict__.get("__doc__")
    if not text or (hasattr(cls, "__dataclass_fields__") and text.startswith(f"{cls.__name__}(")):
        return None
    return inspect.cleandoc(text)


def _docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """Parse a docstring in any of the usual styles: (description, descriptions of parameters)."""
    if not text:
        return "", {}
    parser = library("docstring_parser")
    try:
        parsed = parser.parse(text)
    except parser.ParseError:
        return text, {}
    about = {each.arg_name: (each.description or "").strip() for each in parsed.params}
    parts = (parsed.short_description, parsed.long_description)
    return "\n\n".join(part.strip() for part in parts if part), about
