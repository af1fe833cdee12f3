"""Bodies with SDK objects inside: a list of messages that an answer's message was appended to.

Every provider's documentation does so. Only what is no JSON is turned into it, and nothing here
runs for a body that is JSON throughout.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from enum import Enum
from typing import Any

from ..errors import ReadError
from ..jsontext import Json, JsonObject, loads
from .plain import plain

__all__ = ["all_plain", "body_of", "is_plain"]

_LEAVES = frozenset({str, int, float, bool, type(None)})
_JSON = _LEAVES | {dict, list}
_TEXT = frozenset({str})
_WORDS = ("role", "type")  # an object made by hand has them as defaults, which are not "set"


def body_of(given: Any, what: str = "request") -> JsonObject:
    """The JSON object that was given as parsed JSON, as its text, or as an SDK's object.

    Raises ReadError for anything else; `what` it should have been is part of the text.
    """
    if isinstance(given, (str, bytes)):
        given = loads(given)
    elif type(given) is not dict and (isinstance(given, Mapping) or hasattr(given, "model_dump")):
        given = plain(given)
    if not isinstance(given, dict):
        raise ReadError(
            f"a {what} is a JSON object, not {type(given).__name__}",
            path="$", code="request.shape",
        )  # fmt: skip
    return given


def is_plain(body: JsonObject) -> bool:
    """Whether the fields of a body, its keys and its tools are JSON; messages are not looked at."""
    tools = body.get("tools")
    return (
        _JSON.issuperset(map(type, body.values()))
        and _TEXT.issuperset(map(type, body))
        and (type(tools) is not list or _JSON.issuperset(map(type, tools)))
    )


def all_plain(value: Any) -> Json:
    """The JSON of a value: SDK objects give theirs, tuples are lists, bytes are base64.

    Raises ReadError for what has none, with its path, and for what is nested too deeply.
    """
    try:
        return _plain(value, "$")
    except RecursionError as error:
        raise ReadError("nested too deeply", path="$", code="json.deep") from error


def _plain(value: Any, path: str) -> Json:
    kind = type(value)
    if kind in _LEAVES:
        return value
    if kind is list or kind is tuple:
        return [_plain(inner, f"{path}[{i}]") for i, inner in enumerate(value)]
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    if isinstance(value, Enum):
        return _plain(value.value, path)
    if isinstance(value, Mapping):
        return {_key(key, path): _plain(inner, f"{path}.{key}") for key, inner in value.items()}
    if isinstance(value, (str, int, float)):
        return value
    try:
        return _worded(plain(value), value)
    except ReadError as error:
        raise ReadError(
            f"{kind.__name__} is no JSON", path=path, code="json.value",
            hint="give parsed JSON, or the objects of the official SDK",
        ) from error  # fmt: skip


def _key(key: object, path: str) -> str:
    if isinstance(key, (str, int)):
        return key if isinstance(key, str) else str(key)  # as JSON writers do
    raise ReadError(f"the key {key!r:.40} is no text", path=path, code="json.value")


def _worded(told: Json, origin: Any) -> Json:
    """The JSON of an SDK's object, with the words by which its kind is known."""
    dump = getattr(origin, "model_dump", None)
    return told if dump is None else _filled(told, dump(mode="json", by_alias=True, warnings=False))


def _filled(told: Json, whole: Json) -> Json:
    if isinstance(told, dict) and isinstance(whole, dict):
        made = {key: _filled(inner, whole.get(key)) for key, inner in told.items()}
        lacking = [word for word in _WORDS if made.get(word) is None and whole.get(word)]
        return made | {word: whole[word] for word in lacking}
    if isinstance(told, list) and isinstance(whole, list):
        return [_filled(one, other) for one, other in zip(told, whole, strict=False)]
    return told
