"""Texts of one seat, to be taken whole or out of a longer one, each character once."""

from __future__ import annotations

from collections import Counter

__all__ = ["Texts"]


class Texts:
    """Texts that stand somewhere; where one is taken out of another, the rest stays."""

    def __init__(self) -> None:
        self._left: Counter[str] = Counter()

    def add(self, text: str) -> None:
        """One more text."""
        self._left[text] += 1

    def take(self, text: str) -> bool:
        """Whether the text is there; it is not any more. The empty one is everywhere."""
        if not text:
            return True
        if self._left[text] > 0:
            self._remove(text)
            return True
        del self._left[text]
        whole = next((one for one in self._left if text in one), None)
        if whole is None:
            return False
        self._remove(whole)
        before, _, after = whole.partition(text)
        for rest in (before, after):
            if rest:
                self.add(rest)
        return True

    def _remove(self, text: str) -> None:
        self._left[text] -= 1
        if not self._left[text]:
            del self._left[text]
