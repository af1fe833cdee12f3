"""ResponseFormat: what an answer must be: text, any JSON, or JSON of a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args, get_origin

from ..errors import InvalidMessage
from ..suggestions.keywords import explains_keywords
from ..suggestions.response_formats import read_form
from ..text.json_text import JsonObject, check
from ..text.redaction import Shown, show
from .check import instance, is_none, text
from .python_types import type_schema

# how an answer of a schema is asked for; see `ResponseFormat.way`
Way: TypeAlias = Literal["schema", "tool", "json", "prompt"]


@explains_keywords({"json_schema": "schema"})
@dataclass(frozen=True, slots=True, repr=False)
class ResponseFormat(Shown):
    """What the answer must be: `text`, any `json`, or JSON of a `schema`.

    Attributes:
        kind: Which of the three.
        schema: The JSON Schema.
        name: The name of the format.
        description: What the format is for.
        strict: Whether the provider enforces the schema; None uses its default.
        way: How the schema is asked for: in the `schema` field of the wire (the same as None), by a
            `tool` whose arguments are the answer, or in the prompt, with the field for any JSON
            (`json`) or without (`prompt`).
    """

    kind: Literal["text", "json", "schema"] = "text"
    schema: JsonObject | None = None
    name: str = "response"
    description: str = ""
    strict: bool | None = None
    way: Way | None = None

    def __post_init__(self) -> None:
        fault = ""
        if self.way is not None and (self.way not in get_args(Way) or self.kind != "schema"):
            fault = f"a way is one of {', '.join(get_args(Way))}, and for the kind schema"
        if self.kind not in ("text", "json", "schema"):
            fault = f"unknown kind {show(self.kind)}"
        elif (self.kind == "schema") != (self.schema is not None):
            fault = "a schema belongs to the kind schema, and the kind schema needs one"
        if fault:
            raise InvalidMessage(fault, path="$.response_format", code="format.kind")
        instance(self.schema, dict, "$.response_format.schema")
        check(self.schema, "$.response_format.schema")
        text(self.name, "$.response_format.name")
        text(self.description, "$.response_format.description")
        instance(self.strict, bool, "$.response_format.strict")

    @classmethod
    def of(cls, value: Any) -> ResponseFormat:
        """Return the ResponseFormat for a plain value or a Python type.

        Args:
            value: `"text"`, `"json"`, a provider's form such as `{"type": "json_object"}` or
                `{"type": "json_schema", ...}`, or a type that has a JSON Schema: a pydantic model,
                a dataclass, a TypedDict, `list[int]` (extra `tools`). Many APIs require an object
                at the root.

        Returns:
            The format.

        Raises:
            InvalidMessage: The value is none of these.
            ConfigError: A library is missing.
        """
        if isinstance(value, ResponseFormat):
            return value
        if isinstance(value, str) and value in ("text", "json"):
            return cls(value)  # type: ignore[arg-type]  # one of the two
        if isinstance(value, Mapping) and (form := read_form(value)) is not None:
            return cls(*form)  # type: ignore[arg-type]  # one of three kinds
        if not (isinstance(value, type) or get_origin(value) is not None):
            hint = '"json", a type, or ResponseFormat(...)'
            raise is_none("response format", value, "$.response_format", "format.kind", hint)
        described = type_schema(value, "$.response_format")
        return cls("schema", described.schema, described.name or "response", described.description)
