"""Response formats in the forms of the providers' own SDKs, and what they mean.

Programs bring them along: `{"type": "json_object"}` of Chat Completions, `text={"format": ...}` of
Responses, `output_config={"format": ...}` of Anthropic, Gemini's `response_mime_type` with its
schema. None of them is a JSON Schema, in which `type` is "object" or one of six other words.
Looked up in the SDKs openai 3.57 (`response_format_json_schema.py`, `response_format_text_config`),
anthropic 2.14 (`json_output_format_param.py`) and google-genai 3.4 (`GenerateContentConfig`), and
for `schema` beside `json_object` in the documentation of Together and llama.cpp, November 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import InvalidMessage
from ..text.redaction import show

_PATH = "$.response_format"
_PLAIN = {"text": "text", "json_object": "json", "json": "json"}
_MIME = ("response_mime_type", "responseMimeType")
_GEMINI_SCHEMAS = (
    "response_json_schema",
    "responseJsonSchema",
    "response_schema",
    "responseSchema",
)
_WRAPPERS = (
    "format",
    "text",
    "output_config",
    "response_format",
    "generation_config",
    "generationConfig",
)


class FormatForm(NamedTuple):
    """The meaning of a provider's own form, as the arguments of ResponseFormat."""

    kind: str  # text, json or schema
    schema: dict[str, Any] | None = None
    name: str = "response"
    description: str = ""
    strict: bool | None = None


def read_form(value: Mapping[str, Any], path: str = _PATH) -> FormatForm | None:
    """Read a provider's form; None for a mapping that is a JSON Schema.

    Raises InvalidMessage for a form that lacks a required part.

    >>> read_form({"type": "json_object"}).kind
    'json'
    >>> read_form({"type": "object", "properties": {"text": {"type": "string"}}}) is None
    True
    """
    kind = value.get("type")
    if kind == "json_schema":
        return _named_schema(value, path)
    if isinstance(kind, str) and kind in _PLAIN:
        schema = value.get("schema", value.get("response_schema"))
        if _PLAIN[kind] == "json" and isinstance(schema, Mapping):
            return FormatForm("schema", dict(schema))
        return FormatForm(_PLAIN[kind])
    if kind is not None:
        return None
    if any(key in value for key in (*_MIME, *_GEMINI_SCHEMAS)):
        return _of_gemini(value, path)
    if len(value) == 1 and (key := next(iter(value))) in _WRAPPERS:
        inner = value[key]
        if key == "format" and inner == "json":
            return FormatForm("json")
        if not isinstance(inner, Mapping):
            return None
        form = read_form(inner, f"{path}.{key}")
        # Ollama's `format` holds the schema itself
        is_schema = form is None and key == "format" and "type" in inner
        return FormatForm("schema", dict(inner)) if is_schema else form
    return None


def _named_schema(value: Mapping[str, Any], path: str) -> FormatForm:
    """Read name and schema, which are one level deeper in Chat Completions than elsewhere."""
    inner = value.get("json_schema", value)
    at = f"{path}.json_schema" if inner is not value else path
    schema = inner.get("schema") if isinstance(inner, Mapping) else None
    if not isinstance(schema, Mapping):
        hint = '{"type": "json_schema", "json_schema": {"name": ..., "schema": {...}}}'
        text = f"{show('json_schema')} needs a schema, as an object"
        raise InvalidMessage(text, path=f"{at}.schema", hint=hint, code="format.kind")
    strict = inner.get("strict")
    return FormatForm(
        "schema",
        dict(schema),
        inner.get("name") or "response",
        inner.get("description") or "",
        strict if isinstance(strict, bool) else None,
    )


def _of_gemini(value: Mapping[str, Any], path: str) -> FormatForm | None:
    schemas = [value[key] for key in _GEMINI_SCHEMAS if value.get(key) is not None]
    mime = next((value[key] for key in _MIME if key in value), None)
    if not schemas:
        return FormatForm("json" if mime == "application/json" else "text")
    if not isinstance(schemas[0], Mapping):
        text = "a schema must be an object of JSON"
        hint = "give the type itself: response_format=MyModel"
        raise InvalidMessage(text, path=path, hint=hint, code="format.kind")
    return FormatForm("schema", _lower_types(schemas[0]))


def _lower_types(schema: Any) -> Any:
    """Gemini's own schemas name types in capitals (`OBJECT`), JSON Schema does not."""
    if isinstance(schema, Mapping):
        return {
            key: inner.lower() if key == "type" and isinstance(inner, str) else _lower_types(inner)
            for key, inner in schema.items()
        }
    return [_lower_types(one) for one in schema] if isinstance(schema, list) else schema
