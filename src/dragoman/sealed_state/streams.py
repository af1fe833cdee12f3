"""Seals other providers' state in the pieces of a streamed answer for a client (`Sealing`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from ..losses import Report
from ..message import Origin, TextBlock, ThinkingBlock, ToolUseBlock
from ..message.answer import total
from ..message.blocks import ContentBlock
from ..stream.pieces import End, Key, Meta, Part, Piece
from ..text.json_text import Json, JsonObject
from .seal import (
    CallField,
    Envelope,
    Rider,
    build_row,
    drop_sealed_fields,
    sealed_thought,
    with_fields_of_all,
)

_LAST = 1 << 30  # higher than the index of any block


class Sealing:
    """Takes the pieces of an answer of `origin`, and gives those for a client of `issuer`.

    Args:
        issuer: The protocol of the client.
        origin: The provider that answers.
        envelope: Seals its state; without one, opaque state is reported as lost.
        report: Collects the losses.
        on_calls: The field for envelopes on calls, if the protocol has one: the next call then
            carries the state before it.
        ends_in_text: Whether the client takes the last block for the answer, so that nothing may
            be sealed after a text; state that comes later is reported as lost.
    """

    def __init__(
        self,
        issuer: str,
        origin: Origin,
        envelope: Envelope | None,
        report: Report,
        on_calls: CallField | None = None,
        ends_in_text: bool = False,
    ) -> None:
        self._here = Origin(issuer)
        self._reads = frozenset({issuer})
        self._origin = origin
        self._envelope = envelope
        self._report = report
        self._on_calls = on_calls
        self._ends_in_text = ends_in_text
        self._thought: tuple[Key, list[ThinkingBlock]] | None = None
        self._others: dict[Key, list[ContentBlock]] = {}
        self._gone: dict[Key, ThinkingBlock] = {}  # thoughts that went out, in sealed form
        self._riders: dict[int, Rider] = {}
        self._borne: dict[Key, str] = {}  # the envelopes of calls
        self._seen: Counter[tuple[int, str]] = Counter()  # blocks of each kind
        self._ordinals: dict[Key, int] = {}
        self._fresh: set[Key] = set()  # blocks with fields that have not gone out
        self._sent: dict[Key, Json] = {}  # fields of other issuers that went out
        self._waiting: list[Part] = []  # seals without text after a text that may be the last block
        self._seals = 0

    def feed(self, piece: Piece) -> list[Piece]:
        """Seal what must be sealed of a piece.

        Args:
            piece: The next piece of the answer.

        Returns:
            The pieces to send for it.
        """
        if type(piece) is End:
            return [*self._close_thought(), *self._behind(piece.candidate), piece]
        if type(piece) is Meta and piece.model is not None and self._origin.model is None:
            self._origin = replace(self._origin, model=piece.model)
        if type(piece) is not Part:
            return [piece]
        block = piece.block
        if type(block) is not ThinkingBlock:
            result = self._close_thought()
            if piece.key not in self._others:
                return [*result, *self._begin_block(piece)]
            if block.extras is not None:
                self._others[piece.key].append(block)
                self._fresh.add(piece.key)
                if self._envelope is not None:
                    piece = replace(piece, block=drop_sealed_fields(block, self._reads))
            return [*result, self._bearing(piece) if piece.whole else piece]
        ends = self._thought is not None and self._thought[0] != piece.key
        result = self._close_thought() if ends else []
        if self._thought is None:
            self._thought = (piece.key, [])
        parts = self._thought[1]
        has_words = bool(block.thinking) or (piece.whole and any(one.thinking for one in parts))
        if piece.whole:
            parts.clear()
        parts.append(block)
        # a thought without text begins with its seal: clients may take an empty one for all of it
        return (
            [*result, replace(piece, block=ThinkingBlock(block.thinking))] if has_words else result
        )

    def finish(self) -> list[Piece]:
        """The pieces that are still held when no more will come."""
        return [*self._close_thought(), *self._behind(None)]

    def _begin_block(self, piece: Part) -> list[Piece]:
        """The first piece of a block, after what is sealed for it."""
        block = piece.block
        key = piece.key
        self._others[key] = [block]
        if self._envelope is None:
            return [piece]
        self._ordinals[key] = self._seen[key[0], block.type]
        self._seen[key[0], block.type] += 1
        if block.extras is not None:
            self._fresh.add(key)
        result: list[Piece] = [*self._waiting]
        self._waiting = []
        rider = self._rider(key[0])
        rider.count += 1
        plain = drop_sealed_fields(block, self._reads)
        on_call = self._on_calls is not None and type(plain) is ToolUseBlock
        if on_call or block.type != "text" or block.text:  # the client may not see an empty one
            rows = [row for _, row in self._rows(key[0])]
            rider.rows += rows
            if rows and not on_call:
                result.append(self._seal(key[0], rows))
        if self._on_calls is not None and type(plain) is ToolUseBlock:
            plain = rider.on(plain, self._on_calls)
            if (text := self._on_calls.take(plain)[0]) is not None:
                self._borne[key] = text
        return [*result, piece if plain is block else replace(piece, block=plain)]

    def _bearing(self, piece: Part) -> Part:
        """Replace a call by the whole one, which keeps the envelope of its first piece."""
        text, call = self._borne.get(piece.key), piece.block
        if text is None or self._on_calls is None or type(call) is not ToolUseBlock:
            return piece
        return replace(piece, block=self._on_calls.put(call, text))

    def _rider(self, candidate: int) -> Rider:
        if candidate not in self._riders:
            assert self._envelope is not None  # only used with one
            self._riders[candidate] = Rider(self._envelope, self._reads)
        return self._riders[candidate]

    def _rows(self, candidate: int) -> Iterator[tuple[Key, list[Json]]]:
        """The fields that have not gone out yet, in the order of their blocks."""
        for key in sorted(key for key in self._fresh if key[0] == candidate):
            self._fresh.discard(key)
            row = build_row(with_fields_of_all(self._others[key]), self._ordinals[key], self._reads)
            if row is not None and self._sent.get(key) != row[3]:
                self._sent[key] = row[3]
                yield key, row

    def _seal(self, candidate: int, rows: list[list[Json]]) -> Part:
        """A block with the fields of other issuers in an envelope."""
        assert self._envelope is not None  # only called with one
        self._seals += 1
        state = self._envelope.seal({"blocks": rows})
        block = ThinkingBlock("", redacted=state, origin=self._here)
        return Part((candidate, _LAST + self._seals), block)

    def _close_thought(self) -> list[Piece]:
        if self._thought is None:
            return []
        (key, parts), self._thought = self._thought, None
        whole: Any = total(parts)
        whole = replace(whole, origin=self._origin)
        self._report.record_copy(whole, parts[0])
        if (gone := self._gone.setdefault(key, whole)) is not whole:
            # a provider repeats it at the end; the client has its signature already
            if (gone.signature, gone.redacted) != (whole.signature, whole.redacted):
                self._report.add_loss(
                    "answer.unsupported", whole, "signature", what="a later proof"
                )
            return []
        if self._envelope is None:
            for name in ("signature", "redacted"):
                if getattr(whole, name):
                    self._report.add_loss("answer.unsupported", whole, name, what="sealed thinking")
            return []
        self._rider(key[0]).thought(whole)
        result = sealed_thought(whole, self._here, frozenset(), self._envelope)
        piece = Part(key, replace(result, thinking=""))
        if self._ends_in_text and not whole.thinking and self._others:
            self._waiting.append(piece)
            return []
        return [piece]

    def _behind(self, candidate: int | None) -> list[Piece]:
        """The state that came too late to precede its block."""
        if self._envelope is None:
            return []
        candidates = sorted({key[0] for key in self._others}) if candidate is None else [candidate]
        rows = [(key, row) for one in candidates for key, row in self._rows(one)]
        waiting, self._waiting = self._waiting, []
        last = max(self._others, default=None)
        if self._ends_in_text and last is not None and type(self._others[last][0]) is TextBlock:
            for piece in waiting:
                self._report.add_loss(
                    "answer.unsupported", piece.block, "redacted", what="a late proof"
                )
            for key, row in rows:
                for who, fields in cast("dict[str, JsonObject]", row[3]).items():
                    self._report.add_extras_losses(self._others[key][0], who, fields)
            return []
        sealed_rows = [self._seal(rows[0][0][0], [row for _, row in rows])] if rows else []
        return [*waiting, *sealed_rows]
