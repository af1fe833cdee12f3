"""What the events between the first and the last say of the items, as pieces.

Reference: OpenAI API, "Streaming events". An event that tells a text whole, behind its deltas,
stands for them: some of them may have been missed.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import AudioBlock, Base64Source, RefusalBlock, TextBlock, ToolUseBlock
from ...pieces import Part, Piece
from .answers import call, part
from .cited import citation
from .growth import GROWTH, idle
from .slots import Slot, Slots, begun
from .thoughts import thinks, thought, thought_whole

__all__ = ["Streamed"]

_PREFIX = "response."


class Streamed:
    """The items of one answer as they come; `on` names who takes which event."""

    def __init__(self, slots: Slots, issuer: str) -> None:
        self._slots = slots
        self._issuer = issuer
        taking = {
            "output_item.added": self._added,
            "content_part.added": self._part,
            "content_part.done": self._part_done,
            "reasoning_part.added": self._part,
            "reasoning_part.done": self._part_done,
            "reasoning_summary_part.added": self._part,
            "reasoning_summary_part.done": self._part_done,
            "output_text.done": self._text_done,
            "output_text.annotation.added": self._noted,
            "refusal.delta": self._refusal,
            "refusal.done": self._text_done,
            "function_call_arguments.delta": self._arguments,
            "function_call_arguments.done": self._arguments_done,
            "reasoning_summary_text.delta": self._thought,
            "reasoning_summary_text.done": self._thought_done,
            "reasoning_text.delta": self._thought,
            "reasoning_text.done": self._thought_done,
            "audio.delta": self._audio,
            "audio.transcript.delta": self._transcript,
        }
        # by the full name, as every event asks
        self.on = {_PREFIX + name: take for name, take in taking.items()}

    def feed(self, kind: str, event: JsonObject) -> list[Piece]:
        """What says nothing by itself. Raises ValueError for an event that nobody knows."""
        if (growth := GROWTH.get(kind.removeprefix(_PREFIX))) is not None:
            growth.grow(self._slots.of(event, growth.kind), event)
            return []
        if idle(event):
            return []
        raise ValueError("no event of this API")

    def text(self, slot: Slot, at: Any, event: JsonObject) -> list[Piece]:
        """A piece of a text: the first one, or one with probabilities."""
        return self._words(slot, at, event, TextBlock(_text(event["delta"])))

    def _words(
        self, slot: Slot, at: Any, event: JsonObject, block: TextBlock | RefusalBlock
    ) -> list[Piece]:
        where = _index(at)
        if event.get("logprobs"):
            slot.chances.setdefault(where, []).extend(event["logprobs"])
        if not block.text:
            return []
        phase = slot.item.get("phase")
        if not slot.grown:
            block.spelling = begun(slot)
            if phase is not None:
                block.extras = {self._issuer: {"phase": phase}}
        slot.grown.add(where)
        return [Part((0, slot.at, where), block)]

    def _refusal(self, event: JsonObject) -> list[Piece]:
        slot, at = self._place(event)
        return self._words(slot, at, event, RefusalBlock(_text(event["delta"])))

    def _noted(self, event: JsonObject) -> list[Piece]:
        told = event["annotation"]
        block = TextBlock("", [citation(told, self._issuer)])
        slot, at = self._place(event)
        slot.marks.setdefault(at, []).append(told)
        slot.grown.add(at)
        return [Part((0, slot.at, at), block)]

    def _text_done(self, event: JsonObject) -> list[Piece]:
        """`output_text.done`, `refusal.done`."""
        slot, at = self._place(event)
        key, kind = ("refusal", "refusal") if "refusal" in event else ("text", "output_text")
        if not event.get(key):
            return []
        return self._whole(slot, at, {"type": kind, key: _text(event[key])})

    def _part(self, event: JsonObject) -> list[Piece]:
        """A part that begins; mostly it is empty so far."""
        told = event["part"]
        kind = told.get("type")
        if thinks(event, kind):
            return thought(self._slots.of(event, "reasoning"), event, _text(told.get("text") or ""))
        said = told.get("refusal" if kind == "refusal" else "text")
        if not said:
            return []
        made = {**event, "delta": said, "logprobs": None}
        if kind == "refusal":
            return self._refusal(made)
        return self.text(*self._place(event), made)

    def _part_done(self, event: JsonObject) -> list[Piece]:
        told = event["part"]
        if thinks(event, told.get("type")):
            return self._thought_done({**event, "text": told.get("text")})
        return self._whole(*self._place(event), told)

    def _whole(self, slot: Slot, at: int, told: JsonObject) -> list[Piece]:
        block = part(slot.noted(at, told), self._issuer)
        if block is None or (not block.text and at in slot.grown):
            return []
        phase = slot.item.get("phase")
        if phase is not None and not any(one < at for one in slot.grown):
            own = (block.extras or {}).get(self._issuer, {})
            block.extras = {**(block.extras or {}), self._issuer: {**own, "phase": phase}}
        if not slot.grown:
            block.spelling = " ".join(filter(None, (block.spelling, begun(slot))))
        slot.grown.add(at)
        return [Part((0, slot.at, at), block, True)]

    def _arguments(self, event: JsonObject) -> list[Piece]:
        slot = self._slots.of(event, "function_call")
        slot.grown.add(0)
        return [Part((0, slot.at, 0), ToolUseBlock("", "", raw_input=_text(event["delta"])))]

    def _arguments_done(self, event: JsonObject) -> list[Piece]:
        slot = self._slots.of(event, "function_call")
        said = event.get("arguments")
        if not isinstance(said, str) or (not said and 0 in slot.grown):
            return []
        named = {"name": event["name"]} if event.get("name") else {}
        slot.item = {**named, **slot.item, "arguments": said}
        return [Part((0, slot.at, 0), self._begun(slot.item), True)]

    def _begun(self, item: JsonObject) -> ToolUseBlock:
        known = {key: value for key, value in item.items() if key not in ("id", "status")}
        return call(known, self._issuer)

    def _thought(self, event: JsonObject) -> list[Piece]:
        return thought(self._slots.of(event, "reasoning"), event, _text(event["delta"]))

    def _thought_done(self, event: JsonObject) -> list[Piece]:
        said = event.get("text")
        return thought_whole(self._slots.of(event, "reasoning"), event, _text(said or ""))

    def _audio(self, event: JsonObject) -> list[Piece]:
        slot = self._slots.of(event, "audio")
        source = Base64Source("audio/pcm", _text(event["delta"]))
        return [Part((0, slot.at, 1), AudioBlock(source))]

    def _transcript(self, event: JsonObject) -> list[Piece]:
        slot = self._slots.of(event, "audio")
        block = TextBlock(_text(event["delta"]), spelling="transcript")
        return [Part((0, slot.at, 0), block)]

    def _added(self, event: JsonObject) -> list[Piece]:
        item = event.get("item")
        if not isinstance(item, dict):
            return []  # a place that stays empty
        slot = self._slots.added(event, item)
        if slot.kind != "function_call":
            return []
        if item.get("arguments"):
            slot.grown.add(0)
        made = self._begun(item)
        if made.spelling is None:
            made.spelling = begun(slot)
        return [Part((0, slot.at, 0), made, True)]

    def _place(self, event: JsonObject) -> tuple[Slot, int]:
        return self._slots.of(event, "message"), _index(event.get("content_index") or 0)


def _index(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("a place is a number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
