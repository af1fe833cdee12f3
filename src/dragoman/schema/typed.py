"""JSON from a model as values of Python types, validated by pydantic (extra `tools`).

JSON that does not fit raises InvalidOutput, which names every place by its path in that JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import InvalidMessage, InvalidOutput
from ..message.python_types import library
from ..text.json_text import Json, arguments, member
from .arguments import Declared, check_arguments


def type_adapter(of: Any) -> Any:
    """A pydantic TypeAdapter of a type, or of a function's arguments."""
    return library("pydantic").TypeAdapter(of)


def typed_value(adapter: Any, value: Json, what: str, text: str = "") -> Any:
    """The JSON value as the adapter's type. `what` begins the sentence of the error.

    It is validated as JSON, not as Python: types without JSON, such as dates, come as text. Raises
    InvalidOutput, whose cause is pydantic's error.
    """
    try:
        json_text = arguments(value).encode()
    except (InvalidMessage, UnicodeEncodeError) as error:
        raise InvalidOutput(f"{what} is no JSON: {error}", text=text, code="output.json") from error
    try:
        return adapter.validate_json(json_text)
    except library("pydantic").ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        faults = [(_path(value, item["loc"]), item["msg"]) for item in details]
        raise _unfit(what, faults, text) from error


def keep_to_schema(schema: Declared, value: Json, what: str, text: str = "") -> None:
    """Raise InvalidOutput if the JSON value violates a schema, or that of a tool."""
    if violations := check_arguments(schema, value):
        raise _unfit(what, [(item.path, item.message) for item in violations], text)


def _unfit(what: str, faults: Sequence[tuple[str, str]], text: str) -> InvalidOutput:
    hint = "give it again, so that it fits its schema"
    return InvalidOutput(
        f"{what} does not fit its schema",
        text=text,
        faults=[*dict.fromkeys(faults)],
        hint=hint,
        code="output.schema",
    )


def _path(value: Json, parts: Sequence[str | int]) -> str:
    """The path into the value, without the names of a union's branches, which pydantic adds."""
    path = "$"
    last = len(parts) - 1
    for i, part in enumerate(parts):
        if isinstance(value, list) and isinstance(part, int) and part < len(value):
            path, value = f"{path}[{part}]", value[part]
        elif isinstance(value, dict) and isinstance(part, str) and (part in value or i == last):
            path, value = member(path, part), value.get(part)
    return path
