"""Find text that looks like a mark of a history or like the line of another speaker.

Texts are compared as a reader sees them: `fold_text` unites compatibility forms and removes case,
space and invisible characters. Letters of other scripts that only resemble each other stay
different. Knows no message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from unicodedata import category, normalize

from ..caches import CACHES, Cache, remember

BREAKS = "\n\v\f\r\x85\u2028\u2029"  # what ends a line for a reader
BREAK = re.compile(f"[{BREAKS}]")


# signs that pass for a colon or a slash
_PASS = {0x2236: ":", 0xA789: ":", 0x2044: "/", 0x2215: "/"}


# What Unicode calls a letter or mark but renderers do not show, unassigned code points among it
# (Unicode 16.0, DerivedCoreProperties.txt, Default_Ignorable_Code_Point).
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0"
    "\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


# where Unicode keeps its other forms of punctuation
_FORMS = (range(0x2010, 0x2060), range(0xFE10, 0xFE70), range(0xFF01, 0xFF5F), _PASS)


_MOST_FOLDED = 2**15  # of the million code points


class _Folding(dict[int, str]):
    """Code point -> what `str.translate` puts in its place, worked out at the first use."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_FOLDED:
            self.clear()
        looks_like = self[code] = _folded_sign(chr(code))
        return looks_like


def _folded_sign(char: str) -> str:
    if char in BREAKS:
        return "\n"
    if ord(char) in _PASS:
        return _PASS[ord(char)]
    folded = normalize("NFKD", normalize("NFKD", char).casefold())
    return "".join(sign for sign in folded if not (sign.isspace() or _is_unseen(sign)))


def _is_unseen(char: str) -> bool:
    return category(char) in ("Cc", "Cf") or _UNSEEN.match(char) is not None


_FOLDED = _Folding()
CACHES["dragoman.history.lookalikes"] = Cache(
    "dragoman.history.lookalikes",
    "what characters look like",
    _MOST_FOLDED * 256,
    _FOLDED.__len__,
    _FOLDED.clear,
)


def fold_text(text: str) -> str:
    """Fold the text so that texts which look the same become equal.

    >>> fold_text("Ｆri\u200bday "), fold_text("FRIDAY")
    ('friday', 'friday')
    """
    if text.isascii() and text.isprintable():
        return text.replace(" ", "").lower()
    return text.translate(_FOLDED)


def origins(text: str) -> list[int]:
    """For each character of `fold_text(text)` the index of the one in `text` it comes from."""
    return [i for i, char in enumerate(text) for _ in _FOLDED[ord(char)]]


def visible(text: str) -> str:
    """The text in its usual characters and without invisible ones; case and space stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(sign for sign in normalize("NFKC", text) if not _is_unseen(sign))


def lookalikes(char: str) -> str:
    """All characters that look like this one, itself first; of signs, not of letters."""
    return "".join(dict.fromkeys((char, char.upper(), char.lower(), *_forms().get(char, ""))))


@remember("the punctuation that looks like a sign of ASCII", entries=1, size=2**16)
def _forms() -> dict[str, str]:
    forms: dict[str, str] = {}
    for code in chain(*_FORMS):
        if looks_like := _FOLDED[code]:
            forms[looks_like[0]] = forms.get(looks_like[0], "") + chr(code)
    return forms


_SHAPE = 64  # text in the place of a name may be a name up to this length
RARE = BREAKS[4:]  # the line breaks beyond ASCII


class KnownNames:
    """Names that a line may begin with -> the message where each first spoke, -1 if before all.

    The names of roles are always among them.
    """

    __slots__ = ("first",)

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.first = dict.fromkeys(("system", "user", "assistant", "tool", "developer"), -1)
        for name in names:
            self.add(name, -1)

    def add(self, name: str, index: int) -> None:
        """`name` speaks in message `index`; the first time counts."""
        self.first.setdefault(fold_text(name).lstrip("\\"), index)

    def of(self, head: str, exact: bool, hostile: bool) -> str | None:
        """The name that `head` is, or begins with unless `exact`; None if it is no known name.

        A text that forges a mark is `hostile`: there any short head counts as a name.
        """
        if head in self.first:
            return head
        if not exact:
            sizes = range(min(len(head), max(map(len, self.first))), 0, -1)
            name = next((head[:size] for size in sizes if head[:size] in self.first), None)
            if name is not None:
                return name
            head = head[:_SHAPE]
        return head if hostile and len(head) <= _SHAPE else None


@dataclass(frozen=True, slots=True)
class LookalikeGuard:
    """Finds marks and lines that name a speaker: `before` the name and `after` it, as folded.

    `opens`: a text begins on a line of its own.
    """

    marks: re.Pattern[str] | None
    firsts: tuple[str, ...]  # what a mark may begin with, in ASCII
    others: tuple[str, ...]  # what it may begin with beyond ASCII, and the line breaks there
    lines: re.Pattern[str] | None  # where a line may begin that names somebody; None: none does
    any_lines: re.Pattern[str]  # the same where lines end otherwise than with a newline
    before: str
    after: str
    opens: bool
    ends: tuple[str, ...]  # what may end a name
    simple: bool  # there is nothing before a name and one sign after it
    signs: bool  # no letter ends a name or begins a mark

    def calm(self, text: str) -> bool:
        """Whether a search for a few characters shows that there is nothing to escape."""
        if "\n" in text or "\r" in text or "\v" in text or "\f" in text:
            return False
        return not (_any(self.firsts, text) or (not text.isascii() and _any(self.others, text)))

    def find_marks(self, text: str) -> list[tuple[int, bool]]:
        """For each mark the index after its first character, and whether a backslash is there."""
        if self.marks is None or not (_any(self.firsts, text) or _any(self.others, text)):
            return []
        marks = list(self.marks.finditer(fold_text(text)))
        indexes = origins(text) if marks else []
        found = ((indexes[mark.start()] + 1, len(mark[0]) > 1) for mark in marks)
        return [(start, long and text.startswith("\\", start)) for start, long in found]

    def steady(self, text: str, known: KnownNames, count: int) -> bool:
        """Whether in `count` joined texts no more lines than that begin with a known name."""
        return (
            self.simple
            and not (_any(self.firsts, text) or _any(self.others, text) or self._odd(text))
            and self._naming(f"\n{text}", known) == count
        )

    def find_names(
        self, text: str, known: KnownNames, opens: bool, hostile: bool
    ) -> list[tuple[int, str]]:
        """Where a line begins as if it named somebody, and whom."""
        if self.lines is None or (self.ends and not _any(self.ends, text)):
            return []
        lines = f"\n{text}" if opens else text
        if self.simple and not hostile and not self._odd(text) and not self._naming(lines, known):
            return []
        scan = self.any_lines if self._odd(text) else self.lines
        names = []
        for line in scan.finditer(lines):
            start = line.start(1) - opens
            head = self._head(text, start)
            name = None if head is None else known.of(head, bool(self.after), hostile)
            if name is not None:
                names.append((start, name))
        return names

    def _odd(self, text: str) -> bool:
        """Whether anything but a newline ends a line."""
        if "\r" in text or "\v" in text or "\f" in text:
            return True
        return not text.isascii() and _any(RARE, text)

    def _naming(self, lines: str, known: KnownNames) -> int:
        """How many lines begin with a known name, or with a backslash; all heads in one look."""
        assert self.lines is not None
        heads = self.lines.findall(lines)
        looks = fold_text(self.after.join(heads)).split(self.after) if heads else ()
        return len([head for head in looks if head in known.first or head.startswith("\\")])

    def _head(self, text: str, start: int) -> str | None:
        """What is in the name's place of the line that begins at `start`; None if nothing is."""
        line_end = BREAK.search(text, start)
        line = fold_text(text[start : line_end.start() if line_end else len(text)]).lstrip("\\")
        if not line.startswith(self.before):
            return None
        line = line[len(self.before) :]
        end = line.find(self.after) if self.after else len(line)
        return line[:end] if end >= 0 else None

    def find_places(self, text: str, known: KnownNames, opens: bool) -> tuple[list[int], list[str]]:
        """(the indexes where a backslash belongs, the names that lines begin with)."""
        marks = [index for index, _ in self.find_marks(text)]
        names = self.find_names(text, known, opens, bool(marks))
        if not names:
            return marks, []
        return sorted([*marks, *(start for start, _ in names)]), [name for _, name in names]

    def plain(self, text: str, known: KnownNames, opens: bool) -> str:
        """The text without the backslashes at the places that `find_places` returns."""
        marks = self.find_marks(text)
        text = _without(text, [at for at, escaped in marks if escaped])
        names = self.find_names(text, known, opens, bool(marks))
        return _without(text, [start for start, _ in names if text.startswith("\\", start)])

    def clean_name(self, name: str) -> str:
        """The name without what ends a name, a line or the frame."""
        if name.isalnum() and name.isascii() and self.signs:
            return name
        clean = BREAK.sub("_", name)
        if clean.startswith("\\") and not self.before:
            clean = f"_{clean[1:]}"
        looks_like = fold_text(clean)
        bad = [mark.start() for mark in self.marks.finditer(looks_like)] if self.marks else []
        if self.after:
            ended = looks_like + self.after
            bad += [i for i in range(len(looks_like)) if ended.startswith(self.after, i)]
        chars = list(clean)
        indexes = origins(clean) if bad else []
        for i in bad:
            chars[indexes[i]] = next(sign for sign in "_- " if sign not in self.after)
        return "".join(chars)


def _any(signs: Iterable[str], text: str) -> bool:
    """Whether any of the signs is in the text."""
    for sign in signs:  # noqa: SIM110 - any(...) would cost more than the looking
        if sign in text:
            return True
    return False


def with_backslashes(text: str, indexes: list[int]) -> str:
    """The text with a backslash before each of these indexes, which are in order."""
    return "\\".join(_parts(text, indexes, 0))


def _without(text: str, indexes: list[int]) -> str:
    """The text without the characters at these indexes, which are in order."""
    return "".join(_parts(text, indexes, 1)) if indexes else text


def _parts(text: str, indexes: list[int], skipped: int) -> list[str]:
    """The parts between these indexes, at which so many characters are left out."""
    starts = [0, *(index + skipped for index in indexes)]
    return [text[start:end] for start, end in zip(starts, [*indexes, len(text)], strict=True)]
