"""The two spellings of Gemini's keys, and which keys of a part hold its data. Knows no rule."""

from __future__ import annotations

import re

from .fault import Json

DATA = (
    "text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode",
    "codeExecutionResult", "toolCall", "toolResponse",
)  # fmt: skip
HUMP = re.compile(r"(?<!^)(?=[A-Z])")


def snake(key: str) -> str:
    return HUMP.sub("_", key).lower()


def either(value: dict[str, Json], key: str) -> Json:
    """A value under its camelCase key, or under the snake_case one."""
    found = value.get(key)
    return value.get(snake(key)) if found is None else found


def data_keys(part: dict[str, Json]) -> list[str]:
    return [key for key in DATA if either(part, key) is not None]
