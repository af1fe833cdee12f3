"""How large a schema may be: what a dialect counts, and which of its limits is exceeded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..jsontext import Json
from .words import inner, types_of

__all__ = ["exceeded"]


def exceeded(schema: Json, limits: Mapping[str, int]) -> str:
    """The first limit that the schema exceeds, in a sentence; empty where it keeps to all."""
    if not limits:
        return ""
    found = _sizes(schema)
    for name, most in limits.items():
        if found[name] > most:
            return f"$: {found[name]} {name}, at most {most}"
    return ""


def _sizes(schema: Json) -> Counter[str]:
    """Properties, optional ones, enum values, unions, and the most levels of objects (`depth`)."""
    found: Counter[str] = Counter()
    stack: list[tuple[Json, int]] = [(schema, 0)]
    while stack:
        node, depth = stack.pop()
        if not isinstance(node, dict):
            continue
        properties = node.get("properties")
        if isinstance(properties, dict):
            depth += 1
            needed = node.get("required", ())
            found["properties"] += len(properties)
            found["optional"] += sum(name not in needed for name in properties)
        found["depth"] = max(found["depth"], depth)
        found["values"] += len(node.get("enum", ()))
        found["unions"] += "anyOf" in node or len(types_of(node.get("type"))) > 1
        stack.extend((one, depth) for one in inner(node))
    return found
