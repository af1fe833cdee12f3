"""checked(): arguments that a model gave, against the schema that was meant, not the lowered one.

The checking itself is jsonschema-rs' (the extra `schema`), loaded on first use. It never fetches
what a schema refers to elsewhere.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from ..errors import ConfigError, InvalidMessage
from ..jsontext import Json, JsonObject, canonical, loads, too_deep
from ..message import Tool
from ..shown import clipped
from .normal import normalised
from .words import below

__all__ = ["Violation", "checked"]

_DEEPEST = 200  # the library recurses; no arguments are nested so deeply
_WORDS = 240


class Violation(NamedTuple):
    """One place where arguments break the schema: `$.days[1]`, what is wrong, and the keyword."""

    path: str
    message: str
    keyword: str


def checked(
    schema: Tool | JsonObject | None, arguments: Json, *, formats: bool = False
) -> list[Violation]:
    """Where the arguments break the schema of a tool, or a schema; empty if they keep to it.

    `formats`: check formats such as `date-time`, too. Raises ConfigError without the extra
    `schema`, InvalidMessage for what is no schema or refers to something elsewhere.
    """
    told = schema.schema if isinstance(schema, Tool) else schema
    if told is None:
        return []
    if too_deep(arguments, _DEEPEST):
        return [Violation("$", f"nested deeper than {_DEEPEST}", "")]
    try:
        judge = _judge(canonical(normalised(told)), formats)
    except RecursionError as error:
        raise InvalidMessage("a schema nested too deeply", code="schema.invalid") from error
    found = [
        Violation(
            below("$", *error.instance_path),
            clipped(error.message, _WORDS),
            next((str(part) for part in reversed(error.schema_path) if isinstance(part, str)), ""),
        )
        for error in judge.iter_errors(arguments)
    ]
    return sorted(found)


@lru_cache(maxsize=256)
def _judge(text: str, formats: bool) -> Any:
    """The validator of a schema, which takes longer to build than to use."""
    library = _library()
    try:
        return library.Draft202012Validator(
            loads(text), validate_formats=formats, retriever=_nowhere
        )
    except (ValueError, library.ReferencingError) as error:
        raise InvalidMessage(
            f"no JSON Schema: {clipped(str(getattr(error, 'message', error)), _WORDS)}",
            hint="mend the schema of the tool; it must hold all that it refers to",
            code="schema.invalid",
        ) from error


def _nowhere(uri: str) -> Json:
    raise ValueError(f"{clipped(uri)} is elsewhere")


def _library() -> Any:
    """By name: only who checks arguments needs it."""
    try:
        return import_module("jsonschema_rs")
    except ImportError as error:
        raise ConfigError(
            f"arguments are checked by jsonschema-rs, which cannot be imported: {error}",
            hint="pip install 'dragoman[schema]'",
            code="schema.no_library",
        ) from error
