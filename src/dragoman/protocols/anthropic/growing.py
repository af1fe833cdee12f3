"""Blocks of a stream while they grow: where each delta belongs, and what only its end makes whole.

Reference: Anthropic API, "Streaming messages"; gateways send deltas of another kind than their
block's. Knows content blocks and their deltas, nothing else of the stream.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Origin, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered
from ...pieces import Key, Part, Piece
from ...pieces.arguments import parsed
from .content import block, citation

__all__ = ["Growing"]

_TAKERS: dict[str, type[Any]] = {
    "text_delta": TextBlock,
    "citations_delta": TextBlock,
    "thinking_delta": ThinkingBlock,
    "signature_delta": ThinkingBlock,
}
_SAID = {"text_delta": "text", "citations_delta": "citation", "thinking_delta": "thinking",
         "signature_delta": "signature"}  # fmt: skip


class _Slot:
    """One block that grows. What is held here is told at its end."""

    __slots__ = ("beside", "changed", "cited", "given", "key", "kind", "said", "signature", "text",
                 "texts", "tokens")  # fmt: skip

    def __init__(self, key: Key, made: ContentBlock) -> None:
        self.key = key
        self.kind: type[Any] = type(made)
        self.texts = self.kind is TextBlock
        self.said = True
        self.beside = 0  # how many blocks stand at this index before it
        self.cited: list[JsonObject] = []
        self.signature: str | None = None  # each replaces the one before
        self.tokens = 0
        # of a block that only its end makes whole: what it is, and what grows of it
        self.given: JsonObject = {}
        self.text: list[str] = []
        self.changed = False
        if type(made) is TextBlock:
            self.said = bool(made.text or made.citations)
            own = next(iter(made.extras.values())) if made.extras else {}
            cited = own.get("citations")
            self.cited = [*cited] if isinstance(cited, list) else []
        elif type(made) is ThinkingBlock:
            self.said = bool(made.thinking or made.signature or made.redacted is not None)
            if made.redacted is not None:
                self.kind = RawBlock  # nothing is added to what is sealed
        elif type(made) is RawBlock and isinstance(made.data, dict):
            self.given = made.data


class Growing:
    """The blocks of one answer, by their index. An index that comes again begins a new count."""

    def __init__(self, issuer: str) -> None:
        self.slots: dict[int, _Slot] = {}
        self._issuer = issuer
        self._shift = 0
        self._top = -1

    def anew(self) -> list[Piece]:
        """What comes now stands behind all that came; what was held of that."""
        held = self.finish()
        self._shift = self._top + 1
        self.slots.clear()
        return held

    def whole(self, made: ContentBlock) -> list[Piece]:
        """A block that comes in one piece."""
        self._top += 1
        self._shift = self._top + 1
        return [Part((0, self._top), made)]

    def start(self, payload: JsonObject) -> list[Piece]:
        """`content_block_start`; some hosts give the whole input of a call here."""
        index = _index(payload["index"])
        made = block(payload["content_block"], self._issuer)
        held: list[Piece] = []
        if index in self.slots:
            held = self.anew()
            self._shift -= index
        slot = self._open(index, made)
        if type(made) is ThinkingBlock and made.signature:
            slot.signature, made.signature = made.signature, ""
        return [*held, Part(slot.key, made)]

    def _open(self, index: int, made: ContentBlock) -> _Slot:
        at = index + self._shift
        self._top = max(self._top, at)
        slot = self.slots[index] = _Slot((0, at), made)
        return slot

    def grow(self, index: int, delta: JsonObject) -> list[Piece]:
        """What a `content_block_delta` adds. Raises TypeError where it fits no block."""
        kind = delta["type"]
        taker = _TAKERS.get(kind)
        slot = self.slots.get(_index(index))
        if taker is None:
            return self._added(slot, delta)
        said = delta[_SAID[kind]]
        made: list[Piece] = []
        if slot is None or slot.kind is not taker:
            slot = self._turned(index, slot, taker, made)
        slot.said = True
        more = self._more(slot, delta)
        if kind == "text_delta":
            made.append(Part(slot.key, TextBlock(_text(said), extras=more)))
        elif kind == "citations_delta":
            made.append(Part(slot.key, TextBlock("", [citation(said)], extras=more)))
            slot.cited.append(said)
        elif kind == "signature_delta":
            slot.signature = _text(said)
        else:
            made.append(Part(slot.key, ThinkingBlock(_text(said), extras=more)))
        return made

    def _more(self, slot: _Slot, delta: JsonObject) -> dict[str, JsonObject] | None:
        known = ("type", _SAID[delta["type"]])
        rest = {k: v for k, v in delta.items() if k not in known and v is not None}
        if type(rest.get("estimated_tokens")) is int:  # what is told are increments
            slot.tokens += rest["estimated_tokens"]
            rest["estimated_tokens"] = slot.tokens
        return {answered(self._issuer): rest} if rest else None

    def _turned(self, index: int, slot: _Slot | None, taker: type[Any], made: list[Piece]) -> _Slot:
        """The slot of a block that nobody began: in the place of an empty one, or behind it."""
        fresh: ContentBlock = taker("")
        if slot is None:
            return self._open(index, fresh)
        key, beside = slot.key, slot.beside
        if slot.said:
            made += self._told(slot)
            beside += 1
            key = (*key[:2], beside)
        else:
            made.append(Part(key, fresh, whole=True))
        slot = self.slots[index] = _Slot(key, fresh)
        slot.beside = beside
        return slot

    def _added(self, slot: _Slot | None, delta: JsonObject) -> list[Piece]:
        """Argument text of a call, or what grows in a block that this wire alone has."""
        kind = delta["type"]
        if slot is None:
            raise TypeError("a delta without its block")
        if kind == "input_json_delta" and slot.kind is ToolUseBlock:
            text = _text(delta["partial_json"])
            return [Part(slot.key, ToolUseBlock("", "", raw_input=text))] if text else []
        if kind == "input_json_delta" and "input" in slot.given:
            slot.text.append(_text(delta["partial_json"]))
            slot.changed = True
            return []
        if kind == "compaction_delta" and slot.given.get("type") == "compaction":
            if delta.get("content") is not None:
                slot.text.append(_text(delta["content"]))
            more = {k: v for k, v in delta.items() if k not in ("type", "content")}
            slot.given = {**slot.given, **{k: v for k, v in more.items() if v is not None}}
            slot.changed = True
            return []
        raise TypeError("a delta that fits no block")

    def stop(self, payload: JsonObject) -> list[Piece]:
        """`content_block_stop`: what the block held back."""
        slot = self.slots.get(_index(payload["index"]))
        return self._told(slot) if slot is not None else []

    def finish(self) -> list[Piece]:
        """The same for all blocks whose end did not come."""
        return [piece for slot in self.slots.values() for piece in self._told(slot)]

    def _told(self, slot: _Slot) -> list[Piece]:
        made: list[Piece] = []
        if slot.signature is not None:
            origin = Origin(self._issuer)
            made.append(Part(slot.key, ThinkingBlock("", slot.signature, origin=origin)))
            slot.signature = None
        if slot.cited:
            own = {self._issuer: {"citations": slot.cited}}
            made.append(Part(slot.key, TextBlock("", extras=own)))
            slot.cited = []
        if slot.changed:
            made.append(Part(slot.key, self._whole(slot), whole=True))
            slot.changed = False
        return made

    def _whole(self, slot: _Slot) -> RawBlock:
        """The object as it stands in a whole answer; input that breaks off is kept as text."""
        text, told = "".join(slot.text), slot.given
        if told.get("type") == "compaction":
            before = told.get("content")
            summary = (before if isinstance(before, str) else "") + text
            return _raw({**told, "content": summary} if text else told, self._issuer)
        given = parsed(text) if text else told["input"]
        if isinstance(given, dict):
            return _raw({**told, "input": given}, self._issuer)
        made = _raw(told, self._issuer)
        made.extras = {answered(self._issuer): {"input": text}}
        return made


def _raw(told: JsonObject, issuer: str) -> RawBlock:
    made = block(told, issuer)
    if type(made) is not RawBlock:
        raise TypeError("a block of another kind")
    return made


def _index(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("an index is a number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
