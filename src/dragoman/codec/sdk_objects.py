"""Answers as plain JSON, out of the objects of official SDKs; dicts pass unchanged.

The JSON is what the provider sent, as far as the SDK keeps it: fields that the SDK adds for
convenience are left out, and bytes are base64 again.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from enum import Enum
from typing import Any

from ..errors import ReadError
from ..message.known_tools import ParsedBody, ToolEntries
from ..text.json_text import Json, JsonObject, loads

_DUMP = {"by_alias": True, "exclude_unset": True, "warnings": False}


def plain(raw: Any) -> Json:
    """The JSON of an answer or event, given as a dict, a list, or an SDK's object.

    Raises ReadError for anything else.
    """
    if type(raw) is dict or isinstance(raw, list):
        return raw
    dump = getattr(raw, "model_dump", None)
    if callable(dump):  # pydantic: openai, anthropic, google-genai, ollama, mistralai, cohere
        return _dump_object(raw, dump)
    if isinstance(raw, Mapping):
        return _answer(_exact(raw))
    text = f"{type(raw).__name__} is no answer"
    hint = "give the parsed JSON, its text, or the object of the official SDK"
    raise ReadError(text, hint=hint, code="answer.type")


def _dump_object(raw: Any, dump: Any) -> Json:
    value = dump(mode="json", **_DUMP)
    if getattr(type(raw), "model_config", {}).get("ser_json_bytes") == "base64":
        # pydantic's base64 is the one for URLs, the wire's is not
        value = _with_bytes(value, dump(mode="python", **_DUMP))
    if isinstance(value, dict) and value.keys() == {"data"} and isinstance(value["data"], dict):
        return value["data"]  # an SDK that keeps the server event around its data
    return value


def _with_bytes(value: Json, origin: Any) -> Json:
    """The value, with what are bytes in its origin as standard base64."""
    if isinstance(origin, bytes):
        return b64encode(origin).decode()
    if isinstance(value, dict) and isinstance(origin, Mapping):
        return {key: _with_bytes(item, origin.get(key)) for key, item in value.items()}
    if isinstance(value, list) and isinstance(origin, (list, tuple)):
        return [_with_bytes(*pair) for pair in zip(value, origin, strict=False)]
    return value


def _exact(value: Any) -> Json:
    """Mappings of any class as dicts."""
    if isinstance(value, Mapping):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_exact(item) for item in value]
    return b64encode(value).decode() if isinstance(value, bytes) else value


def _answer(value: JsonObject) -> JsonObject:
    """The body, from an object that also holds other parts of the HTTP answer (dashscope).

    Such an object has every field that its class knows, even if the server did not send it.
    """
    if not {"status_code", "output"} <= value.keys():
        return value
    body = {key: item for key, item in value.items() if key != "headers" and item is not None}
    if isinstance(body.get("output"), dict):
        body["output"] = {k: item for k, item in body["output"].items() if item is not None}
    if body.get("code"):  # an error, which the status describes better
        return body
    added = ("status_code", "code", "message")
    return {key: item for key, item in body.items() if key not in added}


def decode_text(data: str | bytes) -> str:
    """Text unchanged; bytes as UTF-8, with U+FFFD for invalid ones."""
    return data if isinstance(data, str) else data.decode("utf-8", "replace")


def parse_values(text: str) -> list[Json]:
    """Parse text whose bytes were no UTF-8 or that holds one JSON value on each line.

    Some hosts leave out the blank line between two events, whose data is then read as one. The
    list is empty if any line is no JSON.
    """
    lines = [line for line in text.split("\n") if line.strip() not in ("", "[DONE]")]
    for texts in ([text], lines):
        try:
            return [loads(candidate) for candidate in texts]
        except ReadError:
            continue
    return []


def copy_bytes(chunk: Any) -> bytes:
    """Copy a buffer, which its owner may fill again. Raises ReadError for anything else."""
    if isinstance(chunk, (bytes, bytearray, memoryview)):
        return bytes(chunk)
    text = f"{type(chunk).__name__} is no bytes of a body"
    hint = "iter_bytes() of the HTTP client gives them; events go into feed"
    raise ReadError(text, hint=hint, code="stream.text")


_LEAVES = frozenset({str, int, float, bool, type(None)})
_JSON = _LEAVES | {dict, list}
_FIELDS = _JSON | {ToolEntries}
_BODIES = (dict, ParsedBody)
_TEXT = frozenset({str})
_WORDS = ("role", "type")  # defaults, which are not "set" in an object built by hand


def parse_body(value: Any, kind: str = "request") -> JsonObject:
    """The JSON object given as parsed JSON, as its text, or as an SDK's object.

    Raises ReadError for anything else; `kind` names in its text what was expected.
    """
    if isinstance(value, (str, bytes)):
        value = loads(value)
    elif type(value) not in _BODIES and (
        isinstance(value, Mapping) or hasattr(value, "model_dump")
    ):
        value = plain(value)
    if not isinstance(value, dict):
        text = f"a {kind} is a JSON object, not {type(value).__name__}"
        raise ReadError(text, path="$", code="request.shape")
    if kind == "request" and "questions" in value and asks_decisions(value):
        text = (
            "this is a request of the decisions API, which answers questions about an input"
            " with choices, scores and probabilities, and not with a message"
        )
        hint = "client.decisions.create of the provider's own SDK, or an enum as response_format"
        raise ReadError(text, path="$.questions", code="request.decisions", hint=hint)
    return value


# fields of a body of questions: openai 3.57, `DecisionCreateParams`; google-genai 3.6.1,
# `Question`; openrouter 1.3.84, `DecisionsRequest` (looked up 2026-11-28)
_QUESTIONS = frozenset({"choice", "score", "predicate", "noul", "box"})


def asks_decisions(body: JsonObject) -> bool:
    """Whether a body is one of `POST /decisions`, which looks like one of Responses.

    It has an `input` (OpenAI, Google) or a `state` (OpenRouter), and questions about it.
    """
    questions = body["questions"]
    rows = list(questions.values()) if isinstance(questions, dict) else questions
    return (
        isinstance(rows, list)
        and bool(rows)
        and all(isinstance(row, dict) and row.get("type") in _QUESTIONS for row in rows)
        and ("input" in body or "state" in body)
    )


def is_plain(body: JsonObject) -> bool:
    """Whether a body's fields, keys and tools are JSON; its messages are not looked at."""
    tools = body.get("tools")
    return (
        _FIELDS.issuperset(map(type, body.values()))
        and _TEXT.issuperset(map(type, body))
        and (type(tools) is not list or _JSON.issuperset(map(type, tools)))
    )


def all_plain(value: Any) -> Json:
    """The JSON of a value: of SDK objects their own, of tuples lists, of bytes base64.

    Raises ReadError with the path for a value without JSON, and for one nested too deeply.
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
        return [_plain(item, f"{path}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    if isinstance(value, Enum):
        return _plain(value.value, path)
    if isinstance(value, Mapping):
        return {_key(key, path): _plain(item, f"{path}.{key}") for key, item in value.items()}
    if isinstance(value, (str, int, float)):
        return value
    try:
        return _with_type_keys(plain(value), value)
    except ReadError as error:
        text = f"{kind.__name__} is no JSON"
        hint = "give parsed JSON, or the objects of the official SDK"
        raise ReadError(text, path=path, code="json.value", hint=hint) from error


def _key(key: object, path: str) -> str:
    if isinstance(key, (str, int)):
        return key if isinstance(key, str) else str(key)  # as JSON writers do
    raise ReadError(f"the key {key!r:.40} is no text", path=path, code="json.value")


def _with_type_keys(data: Json, origin: Any) -> Json:
    """The JSON of an SDK's object, with the fields that identify its kind."""
    dump = getattr(origin, "model_dump", None)
    return (
        data
        if dump is None
        else _fill_missing(data, dump(mode="json", by_alias=True, warnings=False))
    )


def _fill_missing(data: Json, full: Json) -> Json:
    if isinstance(data, dict) and isinstance(full, dict):
        merged = {key: _fill_missing(item, full.get(key)) for key, item in data.items()}
        missing = [word for word in _WORDS if merged.get(word) is None and full.get(word)]
        return merged | {word: full[word] for word in missing}
    if isinstance(data, list) and isinstance(full, list):
        return [_fill_missing(*pair) for pair in zip(data, full, strict=False)]
    return data
