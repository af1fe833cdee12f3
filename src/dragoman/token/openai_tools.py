"""What tool schemas add to a prompt of OpenAI's models.

The models see functions as a few lines of declarations, not as JSON. The overheads are those of
OpenAI's cookbook ("How to count tokens with tiktoken", tool calls), whose figures agree with the
API for its examples. The cookbook stops at the first level; properties below are counted alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from .chat import as_json
from .schemas import function_tools

__all__ = ["tools_tokens"]

Tokens: TypeAlias = Callable[[str], int]

_PROPERTIES = 3
_PROPERTY = 3
_ENUM = -3
_ENUM_ITEM = 3
_END = 12
_DEPTH = 12  # a schema may hold itself by $ref, but never by nesting; this is a guard


def tools_tokens(tools: list[dict[str, Any]], tokens: Tokens, each: int) -> int:
    """Tokens of the schemas; `each` is what a function costs before its first word."""
    return _END + sum(_tool(view, tokens, each) for view in function_tools(tools))


def _tool(view: dict[str, Any], tokens: Tokens, each: int) -> int:
    function = view.get("function")
    if not isinstance(function, dict):  # a server tool, or one that takes free text
        return each + tokens(as_json(view))
    name, said = str(function.get("name", "")), _sentence(function.get("description"))
    return each + tokens(f"{name}:{said}") + _schema(function.get("parameters"), tokens, _DEPTH)


def _schema(schema: Any, tokens: Tokens, depth: int) -> int:
    """What is declared inside a schema: its properties, and those of its items and choices."""
    if not isinstance(schema, dict) or not depth:
        return 0
    total = 0
    if isinstance(properties := schema.get("properties"), dict) and properties:
        total += _PROPERTIES
        total += sum(_property(key, value, tokens, depth) for key, value in properties.items())
    inner = [schema.get("items"), schema.get("additionalProperties")]
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if isinstance(choices := schema.get(key), list):
            inner += choices
    for key in ("$defs", "definitions"):
        if isinstance(definitions := schema.get(key), dict):
            inner += definitions.values()
    return total + sum(_schema(part, tokens, depth - 1) for part in inner)


def _property(key: str, schema: Any, tokens: Tokens, depth: int) -> int:
    if not isinstance(schema, dict):
        return _PROPERTY + tokens(f"{key}::")
    total = _PROPERTY
    if isinstance(choices := schema.get("enum"), list):
        texts = [item if isinstance(item, str) else as_json(item) for item in choices]
        total += _ENUM + sum(_ENUM_ITEM + tokens(text) for text in texts)
    kind = schema.get("type", "")
    kind = "|".join(map(str, kind)) if isinstance(kind, list) else str(kind)
    total += tokens(f"{key}:{kind}:{_sentence(schema.get('description'))}")
    return total + _schema(schema, tokens, depth - 1)


def _sentence(description: Any) -> str:
    """A description as the cookbook counts it: without its last full stop."""
    return str(description or "").removesuffix(".")
