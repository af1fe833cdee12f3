"""Long texts, which are cut from what is sent to the page and fetched when they are shown.

A picture of two megabytes is in the chat and in the JSON of ten wires, but is sent once.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, TypeAlias

from ..text.json_text import Json

Way: TypeAlias = list[str | int]

SHOWN = 4_000  # characters of a text in the chat
_IN_JSON = 400  # characters of a text in a body
_HEAD = 160  # characters of a cut text that a body still has


class LongTexts:
    """Texts by a key, which is a hash of the text."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def __getitem__(self, key: str) -> str:
        return self._texts[key]

    def __contains__(self, key: str) -> bool:
        return key in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def keep(self, text: str) -> str:
        """Keep a text; returns its key."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        self._texts[key] = text
        return key

    def text(self, text: str, most: int = SHOWN) -> Json:
        """The text as it is, or `{"head", "key", "size"}` for a longer one."""
        if len(text) <= most:
            return text
        return {"head": text[:most], "key": self.keep(text), "size": len(text)}

    def body(self, value: Json) -> tuple[Json, list[list[Any]]]:
        """A copy of the JSON with its long texts cut, and [way, key, size] of each of these.

        >>> LongTexts().body({"model": "m", "input": "a" * 500})[1][0][0]
        ['input']
        """
        cut: list[list[Any]] = []
        return self._cut(value, [], cut), cut

    def _cut(self, value: Any, way: Way, cut: list[list[Any]]) -> Json:
        if isinstance(value, str):
            if len(value) <= _IN_JSON:
                return value
            cut.append([way, self.keep(value), len(value)])
            return value[:_HEAD]
        if not isinstance(value, (dict, list)):
            return value
        # no comprehensions: each would take one more level of the stack, which is limited
        copy = value.copy()
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            copy[key] = self._cut(item, [*way, key], cut)
        return copy
