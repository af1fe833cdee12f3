"""The second layer for Bedrock: botocore's service model, walked as closed types.

botocore's own validator checks keys, required members, unions, kinds and minima; here maxima,
patterns and enums count too. Blobs are base64 text on the wire. Knows no rule of Bedrock's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from .fault import Fault, Json, Path, brief
from .media import base64_fault

NUMBERS = ("float", "double")
WHOLES = ("integer", "long")


@cache
def _input(operation: str) -> Any:
    import botocore.loaders
    import botocore.model

    described = botocore.loaders.Loader().load_service_model("bedrock-runtime", "service-2")
    model = botocore.model.ServiceModel(described, "bedrock-runtime")
    return model.operation_model(operation).input_shape


def shape_faults(body: Json, operation: str, *, whole: bool) -> Iterator[Fault]:
    """Every mismatch with the operation's body; the members of its path are not looked for."""
    shape = _input(operation)
    if whole:
        yield from _structure(shape, body, ())
    else:
        yield from _faults(shape.members["messages"], body.get("messages"), ("messages",))


def _faults(shape: Any, value: Json, at: Path) -> Iterator[Fault]:
    kind = shape.type_name
    if kind == "structure":
        if not shape.is_document_type:
            yield from _structure(shape, value, at)
    elif kind == "list":
        yield from _list(shape, value, at)
    elif kind == "map":
        yield from _map(shape, value, at)
    elif wrong := _leaf(shape, kind, value):
        yield Fault("types.value", at, wrong)


def _structure(shape: Any, value: Json, at: Path) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault("types.value", at, f"{brief(value)} is no {shape.name}")
        return
    members = {k: m for k, m in shape.members.items() if "location" not in m.serialization}
    for key in value:
        if key not in members:
            yield Fault("types.unknown_key", (*at, key), "unknown key")
    for key in shape.required_members:
        if key in members and key not in value:
            yield Fault("types.missing", (*at, key), "required key is missing")
    if getattr(shape, "is_tagged_union", False) and len(value) != 1:
        yield Fault("types.kind", at, f"{shape.name} holds exactly one member, not {len(value)}")
    for key, member in members.items():
        if key in value:
            yield from _faults(member, value[key], (*at, key))


def _list(shape: Any, value: Json, at: Path) -> Iterator[Fault]:
    if not isinstance(value, list):
        yield Fault("types.value", at, f"{brief(value)} is no list")
        return
    if wrong := _size(shape, len(value)):
        yield Fault("types.value", at, wrong)
    for index, item in enumerate(value):
        yield from _faults(shape.member, item, (*at, index))


def _map(shape: Any, value: Json, at: Path) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault("types.value", at, f"{brief(value)} is no map")
        return
    if wrong := _size(shape, len(value)):
        yield Fault("types.value", at, wrong)
    for key, item in value.items():
        yield from _faults(shape.key, key, at)
        yield from _faults(shape.value, item, (*at, key))


def _size(shape: Any, size: float) -> str | None:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if (least is not None and size < least) or (most is not None and size > most):
        return f"{size} is not from {least} to {most}"
    return None


def _leaf(shape: Any, kind: str, value: Json) -> str | None:
    if kind == "string":
        return _text(shape, value)
    if kind == "blob":
        return base64_fault(value)
    if kind == "boolean":
        return None if isinstance(value, bool) else f"{brief(value)} is no boolean"
    wanted: Any = int if kind in WHOLES else (int, float) if kind in NUMBERS else None
    if wanted is None:
        return f"a {kind}, which this judge does not know"
    if isinstance(value, bool) or not isinstance(value, wanted):
        return f"{brief(value)} is no {kind}"
    return _size(shape, value)


def _text(shape: Any, value: Json) -> str | None:
    if not isinstance(value, str):
        return f"{brief(value)} is no text"
    if shape.enum and value not in shape.enum:
        return f"{brief(value)} is not one of {', '.join(shape.enum)}"
    pattern = shape.metadata.get("pattern")
    if pattern and not re.fullmatch(pattern, value):
        return f"{brief(value)} does not match {pattern[:60]}"
    return _size(shape, len(value))
