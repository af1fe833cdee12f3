"""What goes out of each text of a stream: pieces as they come, and what a whole one adds to them.

All that it says is one text, in pieces; each thought begins a new line.
"""

from __future__ import annotations

from ...losses import Report
from ...pieces import Part
from ...pieces.piece import Key

__all__ = ["Texts"]


class Texts:
    """The texts of one answer."""

    __slots__ = ("_fields", "_report", "_said")

    def __init__(self, report: Report) -> None:
        self._report = report
        self._said: dict[Key, list[str]] = {}
        self._fields: dict[tuple[int, str], Key] = {}  # of each field, whose text was said last

    def grown(self, field: str, piece: Part, text: str, own: bool) -> str:
        """What goes out; of an answer of this wire (`own`) every text as it came."""
        key = piece.key
        before = self._said.setdefault(key, [])
        if piece.whole and before:
            old = "".join(before)
            if not text.startswith(old):
                self._report.lost("answer.unsaid", piece, what="text in the place of other text")
                return ""
            text = text[len(old) :]
        if not text:
            return ""
        before.append(text)
        if field == "content":
            return text
        other = self._fields.get((key[0], field), key)
        self._fields[key[0], field] = key
        return f"\n{text}" if other != key and not own else text
