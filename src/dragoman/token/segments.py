"""Tokens of a text that a chat template wrote, counted in segments so that only new ones cost.

A tokenizer takes its special tokens out of a text before it looks at anything else, so what
stands between two of them is tokenized alone: the sum over the segments is exact. Where that is
not sure (tokens that reach over their borders, words marked by their place), the text stays whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .kept import Kept

__all__ = ["Segments"]

_SIZE = 16_384
_TRIES = 4  # texts that are looked at for a border
_LONG = 256  # what is longer is known by its length and hash, so that no long text is kept


class Segments:
    """Counts the tokens of texts with `count`, and remembers what stands between borders.

    The border is the special token that the first texts have most of.
    """

    def __init__(self, tokenizer: Any, count: Callable[[str], int]) -> None:
        self._count = count
        self._kept = Kept(_SIZE)
        self._added, self._clean = _tokens(tokenizer)
        self._border = ""
        self._tries = _TRIES

    def tokens(self, text: str) -> int:
        """The tokens of the whole text, exactly."""
        if not self._border and self._tries:
            self._border = self._found(text)
        if not self._border:
            return self._count(text)
        segments = text.split(self._border)
        return len(segments) - 1 + sum(self._one(segment) for segment in segments if segment)

    def _found(self, text: str) -> str:
        self._tries -= 1
        counts = {border: text.count(border) for border in self._clean}
        likely = sorted((border for border in counts if counts[border] > 1), key=counts.__getitem__)
        return next((border for border in likely[::-1] if _alone(border, self._added)), "")

    def _one(self, segment: str) -> int:
        size = len(segment)
        key = segment if size <= _LONG else (size, hash(segment), segment[:16])
        known = self._kept.get(key)
        return self._kept.put(key, self._count(segment)) if known is None else known


def _tokens(tokenizer: Any) -> tuple[list[str], list[str]]:
    """(all added tokens, those that are found wherever they stand and eat nothing beside them)."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or backend.truncation or backend.padding or backend.encode_special_tokens:
        return [], []
    # it may mark the beginning of a text, which a segment is not
    if backend.pre_tokenizer is not None and "Metaspace" in repr(backend.pre_tokenizer):
        return [], []
    added = list(backend.get_added_tokens_decoder().values())
    clean = [
        token.content
        for token in added
        if token.special
        and not (token.normalized or token.lstrip or token.rstrip or token.single_word)
    ]
    return [token.content for token in added], clean


def _alone(border: str, others: list[str]) -> bool:
    """Whether no token holds the border or ends in its beginning, and no word reaches over it."""
    if border[0].isalnum() or border[-1].isalnum() or "_" in (border[0], border[-1]):
        return False
    return not any(
        _overlaps(other, border) or (other != border and border in other) for other in others
    )


def _overlaps(other: str, border: str) -> bool:
    """Whether the border can begin inside the other: the same word may stand before itself."""
    return border[0] in other[1:] and any(
        border.startswith(other[start:]) for start in range(1, len(other))
    )
