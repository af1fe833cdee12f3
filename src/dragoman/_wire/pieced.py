"""Pieced: a report on an answer that goes out in pieces.

Its places are those that the blocks have in the ChatResponse which the pieces make, counted as they
begin. Costs next to nothing until something is lost.
"""

from __future__ import annotations

from typing import Any

from ..codes import Kind
from ..losses import Report
from ..message import Candidate, Finish, Usage
from ..message.blocks import ContentBlock
from ..pieces import Key, Part, Piece

__all__ = ["Pieced"]

_BESIDE = {Usage: "$.usage", Finish: "$.candidates[0]", Candidate: "$.candidates[0]"}


class Pieced(Report):
    """Knows the first piece of each block, and where the block stands."""

    __slots__ = ("_counts", "_firsts", "_now")

    def __init__(self, target: str) -> None:
        super().__init__(target=target)
        self._firsts: dict[Key, ContentBlock] = {}
        self._counts: dict[int, int] = {}  # blocks of each candidate
        self._now: Part | None = None

    def came(self, piece: Piece) -> None:
        """Take one more piece, before anything is lost of it."""
        if type(piece) is not Part:
            self._now = None
            return
        self._now = piece
        if piece.key not in self._firsts:
            self._begun(piece)
            return
        if piece.whole and piece.block is not self._firsts[piece.key]:
            self.made(piece.block, self._firsts[piece.key])
        if getattr(piece.block, "citations", None):
            self._cited(piece)

    def lost(
        self,
        code: str,
        node: object,
        field: str = "",
        what: str = "",
        did: str = "",
        rule: str = "",
        kind: Kind | None = None,
    ) -> None:
        """Name a loss; one of a piece stands where its block does."""
        now = self._now
        if now is not None and (node is now or node is now.block):
            first = self._firsts[now.key]
            if node is not first:
                self.made(node, first)
        super().lost(code, node, field, what, did, rule, kind)

    def locate(self, node: object, ordinal: int = 0, field: str = "") -> str:
        """The path of a node's field."""
        found = super().locate(node, ordinal, field)
        base = _BESIDE.get(type(node))
        return base + found[1:] if base and not found.startswith(base) else found

    def _begun(self, piece: Part) -> None:
        candidate = piece.key[0]
        nth = self._counts.get(candidate, 0)
        self._counts[candidate] = nth + 1
        self._firsts[piece.key] = piece.block
        self.placed(piece.block, f"$.candidates[{candidate}].msg.content[{nth}]")
        if getattr(piece.block, "citations", None):
            self._cited(piece)

    def _cited(self, piece: Part) -> None:
        block: Any = piece.block
        for one in block.citations:
            self.made(one, self._firsts[piece.key])
