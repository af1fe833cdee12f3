"""What AWS's own SDK makes of a body: its service model, its validator and its serializer."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

import pytest

__all__ = ["faults"]


@cache
def _operation(name: str) -> Any:
    loaders = pytest.importorskip("botocore.loaders", reason="the extra `bedrock` is missing")
    model = pytest.importorskip("botocore.model")
    loaded = loaders.Loader().load_service_model("bedrock-runtime", "service-2")
    return model.ServiceModel(loaded, "bedrock-runtime").operation_model(name)


def faults(body: dict[str, Any], path: str) -> list[str]:
    """What the SDK would not send: wrong members, types, ranges, patterns, unions and paths."""
    validate = pytest.importorskip("botocore.validate")
    serialize = pytest.importorskip("botocore.serialize")
    model, _, verb = path.removeprefix("/model/").rpartition("/")
    operation = _operation({"converse": "Converse", "converse-stream": "ConverseStream"}[verb])
    shape = operation.input_shape
    given = {**_decoded(body, shape), "modelId": unquote(model)}
    found = validate.ParamValidator().validate(given, shape)
    if found.has_errors():
        return [str(found.generate_report())]
    sent = serialize.create_serializer("rest-json").serialize_to_request(given, operation)
    made = [*_limits(body, shape, "$")]
    if json.loads(sent["body"]) != body:
        made.append("the SDK would send another body")
    if sent["url_path"] != path:
        made.append(f"the SDK would call {sent['url_path']}")
    return made


def _decoded(value: Any, shape: Any) -> Any:
    """The value with bytes where the service model has blobs: on the wire they are base64."""
    if shape.type_name == "blob":
        return base64.b64decode(value, validate=True)
    if shape.type_name == "list":
        return [_decoded(inner, shape.member) for inner in value]
    if shape.type_name == "structure" and not shape.is_document_type:
        return {
            key: _decoded(inner, shape.members[key]) if key in shape.members else inner
            for key, inner in value.items()
        }
    return value


def _limits(value: Any, shape: Any, path: str) -> Iterator[str]:
    """Enums, patterns and lengths, which the SDK leaves to the service."""
    if shape.type_name == "structure" and not shape.is_document_type:
        for key, inner in value.items():
            yield from _limits(inner, shape.members[key], f"{path}.{key}")
    elif shape.type_name == "list":
        for i, inner in enumerate(value):
            yield from _limits(inner, shape.member, f"{path}[{i}]")
    elif shape.type_name == "string":
        limits = shape.metadata
        if limits.get("enum") and value not in limits["enum"]:
            yield f"{path}: {value!r} is none of {limits['enum']}"
        if limits.get("pattern") and not re.fullmatch(limits["pattern"], value):
            yield f"{path}: {value!r} does not match {limits['pattern']}"
        if not limits.get("min", 0) <= len(value) <= limits.get("max", len(value)):
            yield f"{path}: {len(value)} characters"
    elif shape.type_name in ("float", "integer"):
        limits = shape.metadata
        if not limits.get("min", value) <= value <= limits.get("max", value):
            yield f"{path}: {value} is out of range"
