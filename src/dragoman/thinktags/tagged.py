"""A reader around a reader: its texts split at the tags, everything else as it is."""

from __future__ import annotations

from typing import Protocol

from ..jsontext import Json
from ..message import TextBlock, ThinkingBlock
from ..pieces import End, Key, Part, Piece
from .tags import TagForm
from .text import Text

__all__ = ["Tagged"]


class _Reads(Protocol):
    def feed(self, payload: Json, event: str | None = None) -> list[Piece]: ...

    def finish(self) -> list[Piece]: ...


class Tagged:
    r"""A reader whose texts are split at the tags.

    An answer that has thinking in a field of its own keeps tags as text, except for a section that
    says the same again. Blanks next to a tag belong to it: they stand in the `spelling` of the
    thinking (`<think>\n|\n</think>\n\n`). A section that is empty, or said again, stands in the
    `spelling` of the text behind it.
    """

    def __init__(self, reader: _Reads, form: TagForm) -> None:
        self._reader = reader
        self._form = form
        self._texts: dict[Key, Text] = {}
        self._fields: dict[int, list[str]] = {}  # of candidates with thinking in a field
        self._begun: set[int] = set()  # candidates of whose text the first block is known
        self._stopped: set[int] = set()

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        return self._split(self._reader.feed(payload, event))

    def finish(self) -> list[Piece]:
        """What was held back for a tag that did not come."""
        made = self._split(self._reader.finish())
        for key, text in self._texts.items():
            text.finish(made, key[0] in self._stopped)
        return made

    def _split(self, pieces: list[Piece]) -> list[Piece]:
        if len(pieces) == 1:  # the usual piece is one more of a text that has no tags any more
            text = self._texts.get(getattr(pieces[0], "key", ()))
            if text is not None and text.plain and not pieces[0].whole:  # type: ignore[union-attr]
                return pieces
        made: list[Piece] = []
        for piece in pieces:
            if type(piece) is Part and type(piece.block) is TextBlock:
                self._text(piece).feed(piece, piece.block, made)
                continue
            if type(piece) is Part and type(piece.block) is ThinkingBlock:
                self._thought(piece.key[0], piece.block.thinking)
            elif type(piece) is End and piece.finish.reason in ("stop", "tool_calls"):
                self._stopped.add(piece.candidate)
            made.append(piece)
        return made

    def _text(self, piece: Part) -> Text:
        text = self._texts.get(piece.key)
        if text is None or piece.whole:
            candidate = piece.key[0]
            first = text is not None or candidate not in self._begun
            self._begun.add(candidate)
            form = self._form if first or self._form == "sections" else ""
            field = self._fields.get(candidate)
            text = self._texts[piece.key] = Text(piece.key, form, piece.whole, field)
        return text

    def _thought(self, candidate: int, thinking: str) -> None:
        field = self._fields.get(candidate)
        if field is None:
            field = self._fields[candidate] = []
            for key, text in self._texts.items():
                if key[0] == candidate:
                    text.off(field)
        field.append(thinking)
