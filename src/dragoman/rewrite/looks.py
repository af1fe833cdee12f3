"""Text as a reader takes it: compatibility forms made one, case, space and the invisible away.

What folds to the same looks the same. Letters of other scripts that only resemble each other stay
apart. Knows no message.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from unicodedata import category, normalize

__all__ = ["BREAK", "BREAKS", "alike", "look", "origins", "visible"]

BREAKS = "\n\v\f\r\x85\u2028\u2029"  # what ends a line for a reader
BREAK = re.compile(f"[{BREAKS}]")

# signs that pass for a colon or a slash, and what Unicode calls a letter or mark but nobody sees
_PASS = {0x2236: ":", 0xA789: ":", 0x2044: "/", 0x2215: "/"}
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0"
                     "\U000e0100-\U000e01ef]")  # fmt: skip
# where Unicode keeps its other forms of punctuation
_FORMS = (range(0x2010, 0x2060), range(0xFE10, 0xFE70), range(0xFF01, 0xFF5F), _PASS)


class _Looks(dict[int, str]):
    """Code point -> what `str.translate` puts in its place, worked out at the first use."""

    def __missing__(self, code: int) -> str:
        made = self[code] = _look(chr(code))
        return made


def _look(char: str) -> str:
    if char in BREAKS:
        return "\n"
    if ord(char) in _PASS:
        return _PASS[ord(char)]
    spelled = normalize("NFKD", normalize("NFKD", char).casefold())
    return "".join(one for one in spelled if not (one.isspace() or _is_unseen(one)))


def _is_unseen(char: str) -> bool:
    return category(char) in ("Cc", "Cf") or _UNSEEN.match(char) is not None


_LOOKS = _Looks()


def look(text: str) -> str:
    """The text as it looks.

    >>> look("Ｆri\u200bday "), look("FRIDAY")
    ('friday', 'friday')
    """
    if text.isascii() and text.isprintable():
        return text.replace(" ", "").lower()
    return text.translate(_LOOKS)


def origins(text: str) -> list[int]:
    """For each character of `look(text)` the index of the one in `text` that it comes from."""
    return [i for i, char in enumerate(text) for _ in _LOOKS[ord(char)]]


def visible(text: str) -> str:
    """The text in its usual characters and without those that nobody sees; case and space stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one for one in normalize("NFKC", text) if not _is_unseen(one))


def alike(char: str) -> str:
    """All characters that look like this one, itself first; of signs, not of letters."""
    return "".join(dict.fromkeys((char, char.upper(), char.lower(), *_forms().get(char, ""))))


@lru_cache(maxsize=1)
def _forms() -> dict[str, str]:
    made: dict[str, str] = {}
    for code in chain(*_FORMS):
        if seen := _LOOKS[code]:
            made[seen[0]] = made.get(seen[0], "") + chr(code)
    return made
