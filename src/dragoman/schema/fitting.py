"""Whether a value fits a schema, as far as a choice among branches needs to know.

Types, values, required properties and what is inside; no bounds, patterns or counts.
"""

from __future__ import annotations

from ..jsontext import Json, JsonObject, canonical
from .refs import Refs
from .values import of_type
from .words import types_of

__all__ = ["fits", "resolved"]

_HOPS = 20  # references to references


def resolved(schema: Json, refs: Refs) -> Json:
    """The schema behind a lone reference; the schema itself where it says more than that."""
    for _ in range(_HOPS):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            return schema
        if any(not key.startswith("$") and key != "description" for key in schema):
            return schema
        found = refs.target(schema["$ref"])
        if found is None:
            return True
        schema = found[1]
    return True


def fits(schema: Json, value: Json, refs: Refs, hops: int = 0) -> bool:
    """Whether nothing in the schema plainly refuses the value."""
    schema = resolved(schema, refs)
    if not isinstance(schema, dict) or hops > _HOPS:
        return schema is not False
    kinds = types_of(schema.get("type"))
    if kinds and not any(of_type(value, kind) for kind in kinds):
        return False
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(listed, list) and canonical(value) not in {canonical(one) for one in listed}:
        return False
    found = refs.target(schema["$ref"]) if isinstance(schema.get("$ref"), str) else None
    also = [*schema.get("allOf", ()), *([found[1]] if found and found[1] is not schema else ())]
    if not all(fits(one, value, refs, hops + 1) for one in also):
        return False
    unions = [schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema]
    if not all(any(fits(one, value, refs, hops + 1) for one in union) for union in unions):
        return False
    return _inside(schema, value, refs)


def _inside(schema: JsonObject, value: Json, refs: Refs) -> bool:
    if isinstance(value, dict):
        named, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
        if any(name not in value for name in schema.get("required", ())):
            return False
        return all(fits(named.get(name, rest), one, refs) for name, one in value.items())
    if isinstance(value, list):
        first, rest = schema.get("prefixItems", []), schema.get("items", True)
        return all(
            fits(first[i] if i < len(first) else rest, one, refs) for i, one in enumerate(value)
        )
    return True
