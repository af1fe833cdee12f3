"""Pieces of one provider's answer on their way to another protocol's client.

Proofs and sealed thoughts of a provider are nothing to any other: they are held back, and go out
in an envelope behind what they belong to, or not at all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..losses import Report
from ..message import Origin, ThinkingBlock
from ..message.blocks import ContentBlock
from ..message.total import total
from ..pieces import End, Key, Meta, Part, Piece
from .state import Envelope, hung_of, sealed_thought, unhung

__all__ = ["Sealing"]

_LAST = 1 << 30  # behind every block of a candidate


class Sealing:
    """Takes the pieces of an answer of `origin`; gives those for a client of `issuer`.

    Without an envelope what is opaque is named as lost, and goes nowhere.
    """

    def __init__(
        self, issuer: str, origin: Origin, envelope: Envelope | None, report: Report
    ) -> None:
        self._here = Origin(issuer)
        self._reads = frozenset({issuer})
        self._origin = origin
        self._envelope = envelope
        self._report = report
        self._thought: tuple[Key, list[ContentBlock]] | None = None
        self._others: dict[Key, list[ContentBlock]] = {}
        self._gone: dict[Key, ThinkingBlock] = {}  # thoughts that went out, as they were sealed

    def feed(self, piece: Piece) -> list[Piece]:
        """What goes out for the piece."""
        if type(piece) is End:
            return [*self._closed(), *self._behind(piece.candidate), piece]
        if type(piece) is Meta and piece.model is not None and self._origin.model is None:
            self._origin = replace(self._origin, model=piece.model)
        if type(piece) is not Part:
            return [piece]
        block = piece.block
        if type(block) is not ThinkingBlock:
            made = self._closed()
            if piece.key not in self._others or block.extras is not None:
                self._others.setdefault(piece.key, []).append(block)
                if self._envelope is not None and block.extras is not None:
                    piece = replace(piece, block=unhung(block, self._reads))
            return [*made, piece]
        made = self._closed() if self._thought is not None and self._thought[0] != piece.key else []
        if self._thought is None:
            self._thought = (piece.key, [])
        if piece.whole:
            self._thought[1].clear()
        self._thought[1].append(block)
        plain = ThinkingBlock(block.thinking)
        return [*made, replace(piece, block=plain)] if block.thinking or piece.whole else made

    def finish(self) -> list[Piece]:
        """What is still held when no more will come."""
        return [*self._closed(), *self._behind(None)]

    def _closed(self) -> list[Piece]:
        if self._thought is None:
            return []
        (key, parts), self._thought = self._thought, None
        whole: Any = total(parts)
        whole = replace(whole, origin=self._origin)
        self._report.made(whole, parts[0])
        if (gone := self._gone.setdefault(key, whole)) is not whole:
            # a provider tells it once more at the end; the proof of it is with the client
            if (gone.signature, gone.redacted) != (whole.signature, whole.redacted):
                self._report.lost("answer.unsaid", whole, "signature", what="a later proof")
            return []
        if self._envelope is None:
            if whole.redacted is not None:
                self._report.lost("answer.unsaid", whole, "redacted", what="sealed thinking")
            return []
        made = sealed_thought(whole, self._here, frozenset(), self._envelope)
        return [Part(key, replace(made, thinking=""))]

    def _behind(self, candidate: int | None) -> list[Piece]:
        keys = sorted(key for key in self._others if candidate is None or key[0] == candidate)
        blocks = [total(self._others.pop(key)) for key in keys]
        hung = list(hung_of(blocks, self._reads))
        if self._envelope is None or not hung:
            return []
        sealed = self._envelope.seal({"blocks": hung})
        return [Part((keys[0][0], _LAST), ThinkingBlock("", redacted=sealed, origin=self._here))]
