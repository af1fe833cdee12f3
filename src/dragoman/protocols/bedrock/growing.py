"""Blocks of a stream while they grow: where each delta belongs, and what only its end makes whole.

Reference: Amazon Bedrock API reference, "ContentBlockDelta". Only tools, results and images are
begun by an event of their own; text, thinking and citations begin with their first delta.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import ImageBlock, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered
from ...pieces import Key, Part, Piece
from ...pieces.arguments import parsed
from .content import block, citation, plain, sealed

__all__ = ["Growing"]


_EMPTY: dict[str, JsonObject] = {"toolUse": {"input": {}}, "toolResult": {"content": []}}


class _Slot:
    """One block that grows. What is held here is told at its end."""

    __slots__ = ("cited", "given", "key", "kind", "parts", "text", "whole")

    def __init__(self, key: Key, kind: type[Any]) -> None:
        self.key = key
        self.kind = kind
        self.cited: list[JsonObject] = []
        # of what only its end makes whole: how it began, the text of its input, its content
        self.given: JsonObject = {}
        self.text: list[str] = []
        self.parts: list[Json] = []
        self.whole = True


class Growing:
    """The blocks of one answer, by their index."""

    def __init__(self, issuer: str) -> None:
        self.slots: dict[int, _Slot] = {}
        self._issuer = issuer

    def _slot(self, index: Any, kind: type[Any], made: list[Piece], anew: bool = False) -> _Slot:
        """The slot at this index; another one behind it where the kind is not the same."""
        if type(index) is not int:
            raise TypeError("an index is a number")
        slot = self.slots.get(index)
        if slot is not None and slot.kind is kind and not anew:
            return slot
        key: Key = (0, index)
        if slot is not None:
            made += self._told(slot)
            nth = slot.key[2] if len(slot.key) > 2 else 0
            key = (0, index, nth + 1)
        slot = self.slots[index] = _Slot(key, kind)
        return slot

    def start(self, told: JsonObject) -> list[Piece]:
        """`contentBlockStart`: `{"toolUse"}`, `{"toolResult"}`, `{"image"}`; empty says nothing."""
        begun = told.get("start") or {}
        if not begun:
            return []
        made: list[Piece] = []
        if isinstance(begun.get("image"), dict):  # its bytes come next
            slot = self._slot(told["contentBlockIndex"], ImageBlock, made, anew=True)
            slot.given = begun["image"]
            return made
        for key in ("toolUse", "toolResult"):
            if isinstance(begun.get(key), dict):
                begun = {**begun, key: {**_EMPTY[key], **begun[key]}}
        first = block(begun, self._issuer)
        slot = self._slot(told["contentBlockIndex"], type(first), made, anew=True)
        if type(first) is RawBlock:
            slot.given = first.data
        return [*made, Part(slot.key, first)]

    def grow(self, told: JsonObject) -> list[Piece]:
        """What a `contentBlockDelta` adds. Raises TypeError where it fits no block."""
        index, delta = told["contentBlockIndex"], told["delta"]
        made: list[Piece] = []
        if len(delta) != 1:
            raise TypeError("a delta has one member")
        ((kind, said),) = delta.items()
        if kind == "text":
            slot = self._slot(index, TextBlock, made)
            made.append(Part(slot.key, TextBlock(_text(said))))
        elif kind == "reasoningContent":
            thought = self._thought(said)
            slot = self._slot(index, ThinkingBlock, made)
            made.append(Part(slot.key, thought))
        elif kind == "citation":
            cited = citation(said)
            slot = self._slot(index, TextBlock, made)
            slot.cited.append(said)
            made.append(Part(slot.key, TextBlock("", [cited])))
        else:
            made += self._more(self.slots.get(index), kind, said)
        return made

    def _thought(self, said: JsonObject) -> ThinkingBlock:
        if said.keys() == {"redactedContent"}:
            return sealed(said["redactedContent"], self._issuer)
        signature = said.get("signature")
        made = ThinkingBlock(_text(said.get("text", "")))
        made.signature = None if signature is None else _text(signature)
        rest = {key: value for key, value in said.items() if key not in ("text", "signature")}
        if rest:
            made.extras = {answered(self._issuer): {"reasoningText": plain(rest)}}
        return made

    def _more(self, slot: _Slot | None, kind: str, said: Any) -> list[Piece]:
        """Input of a call, content of a result, bytes of an image."""
        if slot is not None and kind == "toolUse" and slot.kind is ToolUseBlock:
            text = _text(said["input"])
            return [Part(slot.key, ToolUseBlock("", "", raw_input=text))] if text else []
        begun = slot.given.get(kind) if slot is not None else None
        if slot is not None and kind == "toolUse" and isinstance(begun, dict):
            slot.text.append(_text(said["input"]))
            slot.whole = False
            return []
        if slot is not None and kind == "toolResult" and isinstance(begun, dict):
            if not isinstance(said, list) or not isinstance(begun["content"], list):
                raise TypeError("the content of a result is a list")
            slot.parts += plain(said)
            slot.whole = False
            return []
        if slot is not None and kind == "image" and slot.kind is ImageBlock:
            return [Part(slot.key, block({"image": {**slot.given, **said}}, self._issuer))]
        raise TypeError("a delta that fits no block")

    def stop(self, told: JsonObject) -> list[Piece]:
        """`contentBlockStop`: what the block held back."""
        slot = self.slots.get(told["contentBlockIndex"])
        return self._told(slot) if slot is not None else []

    def finish(self) -> list[Piece]:
        """The same for all blocks whose end did not come."""
        return [piece for slot in self.slots.values() for piece in self._told(slot)]

    def _told(self, slot: _Slot) -> list[Piece]:
        made: list[Piece] = []
        if slot.cited:
            own = {self._issuer: {"citations": slot.cited}}
            made.append(Part(slot.key, TextBlock("", extras=own)))
            slot.cited = []
        if not slot.whole:
            made.append(Part(slot.key, self._whole(slot), whole=True))
            slot.whole = True
        return made

    def _whole(self, slot: _Slot) -> ContentBlock:
        """The object as it stands in a whole answer; input that breaks off is kept as text."""
        began = slot.given
        if "toolResult" in began:
            result = began["toolResult"]
            content = [*result["content"], *slot.parts]
            return block({**began, "toolResult": {**result, "content": content}}, self._issuer)
        text = "".join(slot.text)
        given = parsed(text) if text else began["toolUse"]["input"]
        if isinstance(given, dict):
            call = {**began["toolUse"], "input": given}
            return block({**began, "toolUse": call}, self._issuer)
        made = block(began, self._issuer)
        made.extras = {answered(self._issuer): {"input": text}}
        return made


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
