"""How errors, losses and reprs show the user's data: shortened, and never base64.

Knows no messages: a class declares which of its fields hold opaque data (`_sealed`), and what to
show of it if it is no dataclass (`_parts`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, ClassVar

CAP = 80
_WINDOW = 4 * CAP
_DEPTH = 6


# Compiled on first use, because most programs import this and never see an error.
_RUN = r"[A-Za-z0-9+/_=-]{40,}"
_TAIL = r"[A-Za-z0-9+/_=-]*\Z"
_NAME = 64  # longer than any name of people or providers
_VEIL = "<opaque text>"


def mask(text: str) -> str:
    """The text with everything that looks like base64 replaced: long runs of its characters.

    >>> mask("see " + "QUJD01" * 20), mask("get_the_weather_of_tomorrow_in_the_city_of_paris")
    ('see <opaque text>', 'get_the_weather_of_tomorrow_in_the_city_of_paris')
    """
    return text if len(text) < 40 else re.sub(_RUN, _veil, text)


def _veil(match: re.Match[str]) -> str:
    run = match[0]
    mixed = any(map(str.isupper, run)) and any(map(str.isdigit, run))
    if not (mixed or len(run) > _NAME):
        return run
    # paths of files and URLs consist of short words, unlike base64
    return _VEIL if any(map(_opaque, re.split("[/_-]", run))) else run


def _opaque(word: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    return len(word) >= 20 or (len(word) > 8 and all(any(map(kind, word)) for kind in kinds))


def shorten_path(path: str) -> str:
    """A path into JSON, whose keys may be anything; a long one is shortened to both its ends."""
    text = mask(path)
    return text if len(text) <= 120 else f"{text[:60]}...{text[-20:]}"


def one_line(text: str) -> str:
    r"""The text with line breaks and other control characters escaped, for a log or a terminal.

    >>> one_line("a key\nERROR forged")
    'a key\\nERROR forged'
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else _escape_sign(sign) for sign in text)


def _escape_sign(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


def clip_text(text: str, most: int = CAP) -> str:
    """The text shortened to `most` characters, without anything that looks like base64.

    >>> clip_text("Where is Paris?", 12), clip_text("see " + "QUJD" * 50)
    ('Where is ...', 'see <opaque text>')
    """
    if len(text) < min(most, 40):
        return text
    head = mask(text[:_WINDOW])
    if len(text) > _WINDOW:
        head = re.sub(_TAIL, "", head)  # it may be the beginning of a longer run
    return head if len(head) <= most and len(text) <= _WINDOW else f"{head[: most - 3]}..."


def show(value: object, most: int = CAP) -> str:
    """The `repr` of a value, with at most `most` characters of its texts.

    >>> show({"city": "Paris", "days": [1, 2, 3]}, 12)
    "{'city': 'Paris', 'da...': [...]}"
    """
    return _Teller(most).tell(value, 0)


class Shown:
    """Gives dataclasses a `repr` of the fields that are not at their default, each shortened."""

    __slots__ = ()
    _sealed: ClassVar[frozenset[str]] = frozenset()

    def __repr__(self) -> str:
        """The fields that are not empty, without long prompts and base64."""
        text = ", ".join(f"{name}={_Teller(CAP).field(self, name)}" for name in _saying(self))
        return f"{type(self).__name__}({text})"


def _saying(value: Any) -> Iterable[str]:
    """The names of a dataclass's fields that are neither empty nor only its type.

    A field named in `_told_as` is replaced by the property that is named there.
    """
    told_as = getattr(value, "_told_as", {})
    for f in fields(value):
        if f.repr and (f.name != "type" or f.default is MISSING):
            name = told_as.get(f.name, f.name)
            text = getattr(value, name, None)
            empty = isinstance(text, (str, list, tuple, dict)) and not text
            if text is not None and text is not False and not empty:
                yield name


class _Teller:
    """Writes one value, and counts how many characters of text are still free."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def tell(self, value: object, depth: int) -> str:
        if isinstance(value, str):
            return self._spend(clip_text(value, max(self.left, 4)), quoted=True)
        if isinstance(value, (bytes, bytearray)):
            return f"<{len(value)} bytes>"
        if isinstance(value, int) and value.bit_length() > 256:
            return f"<an integer of {value.bit_length()} bits>"
        if isinstance(value, Mapping):
            return self._many("{", value.items(), "}", depth)
        if isinstance(value, (list, tuple, set, frozenset)):
            opening, closing = "[]" if isinstance(value, list) else "()"
            return self._many(opening, value, closing, depth)
        if is_dataclass(value) and not isinstance(value, type):
            return self._fields(value, depth)
        # a method of our classes; pathlib has an attribute of that name that is no method
        if callable(parts := getattr(type(value), "_parts", None)):
            text = ", ".join(self.tell(part, depth + 1) for part in parts(value))
            return f"{type(value).__name__}({text})"
        return self._spend(clip_text(repr(value), max(self.left, 20)), quoted=False)

    def field(self, owner: Any, name: str, depth: int = 0) -> str:
        """One field of a dataclass; of a sealed one only its length."""
        value = getattr(owner, name)
        if name in getattr(owner, "_sealed", ()) and isinstance(value, str):
            return f"<{len(value)} characters>"
        return self.tell(value, depth)

    def _fields(self, value: Any, depth: int) -> str:
        text = []
        for name in _saying(value) if depth < _DEPTH else ():
            if self.left <= 0:
                text.append("...")
                break
            text.append(f"{name}={self.field(value, name, depth + 1)}")
        return f"{type(value).__name__}({', '.join(text)})"

    def _many(self, opening: str, items: Iterable[Any], closing: str, depth: int) -> str:
        text = []
        for item in items:
            if self.left <= 0 or depth >= _DEPTH:
                text.append("...")
                break
            if opening == "{":
                text.append(f"{self.tell(item[0], depth + 1)}: {self.tell(item[1], depth + 1)}")
            else:
                text.append(self.tell(item, depth + 1))
        return f"{opening}{', '.join(text)}{closing}"

    def _spend(self, text: str, quoted: bool) -> str:
        self.left -= max(1, len(text))
        return repr(text) if quoted else text
