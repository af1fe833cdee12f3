"""What a user interface wants to know of a stream: blocks that begin, grow and end.

Made of the same pieces as the answer; knows no provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..message import ChatResponse, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ..message.blocks import ContentBlock
from ..shown import Shown
from .piece import Key, Part, Piece

__all__ = ["EventType", "EventView", "StreamEvent"]

EventType: TypeAlias = Literal[
    "text-start", "text-delta", "text-end",
    "thinking-start", "thinking-delta", "thinking-end",
    "tool-start", "tool-delta", "tool-end",
    "refusal-start", "refusal-delta", "refusal-end",
    "block", "finish",
]  # fmt: skip


@dataclass(slots=True, repr=False)
class StreamEvent(Shown):
    """One event: `text` is what a delta adds, `block` a whole block, `response` the answer.

    Of a call, `block` holds id and name from `tool-start` on, and its input at `tool-end`;
    `tool-delta` adds argument text. What comes in one piece (media, raw items) is a `block`.
    """

    type: EventType
    key: Key = ()
    text: str = ""
    block: ContentBlock | None = None
    response: ChatResponse | None = None


_KINDS = {TextBlock: "text", ThinkingBlock: "thinking", ToolUseBlock: "tool",
          RefusalBlock: "refusal"}  # fmt: skip


class EventView:
    """Turns pieces into events. A block that grows again after its end starts again."""

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self._names = names or {}
        self._open: dict[Key, str] = {}  # in the order of their beginning
        self._held: dict[Key, list[ToolUseBlock]] = {}  # calls whose name has not come yet

    def feed(self, piece: Piece) -> list[StreamEvent]:
        """The events that one piece makes."""
        if type(piece) is not Part:
            return []
        kind = _KINDS.get(type(piece.block))
        if kind is None:
            ended = self._ended(piece.key)
            return [*ended, StreamEvent("block", piece.key, block=piece.block)]
        if kind == "tool":
            return self._call(piece.key, piece.block)  # type: ignore[arg-type]  # a call
        text = _text(piece.block)
        if not text and piece.key not in self._open:
            return []  # nothing to show yet
        return [*self._begun(piece.key, kind, None), *_delta(kind, piece.key, text)]

    def _call(self, key: Key, block: ToolUseBlock) -> list[StreamEvent]:
        if key not in self._open:
            held = self._held.setdefault(key, [])
            held.append(block)
            name = next((one.name for one in held if one.name), "")
            if not name:
                return []
            id = next((one.id for one in held if one.id), "")
            named = ToolUseBlock(id, self._names.get(name, name), {})
            text = "".join(one.raw_input or "" for one in self._held.pop(key))
            return [*self._begun(key, "tool", named), *_delta("tool", key, text)]
        return _delta("tool", key, block.raw_input or "")

    def _begun(self, key: Key, kind: str, block: ContentBlock | None) -> list[StreamEvent]:
        if key in self._open:
            return []
        ended = self._ended(key)
        self._open[key] = kind
        return [*ended, _event(f"{kind}-start", key, block=block)]

    def _ended(self, key: Key) -> list[StreamEvent]:
        """The ends of the candidate's texts, of which only one is written at a time."""
        over = [old for old, kind in self._open.items() if old[0] == key[0] and kind != "tool"]
        return [_event(f"{self._open.pop(old)}-end", old) for old in over if old != key]

    def finish(self, response: ChatResponse) -> list[StreamEvent]:
        """The ends of what is still open, with the calls as they are now, and `finish`."""
        made: list[StreamEvent] = []
        calls = {c: list(one.msg.calls) for c, one in enumerate(response.candidates)}
        for key, kind in self._open.items():
            mine = calls.get(key[0], []) if kind == "tool" else []
            made.append(_event(f"{kind}-end", key, block=mine.pop(0) if mine else None))
        self._open.clear()
        return [*made, StreamEvent("finish", response=response)]


def _text(block: ContentBlock) -> str:
    if type(block) is ThinkingBlock:
        return block.thinking
    return block.text if type(block) is TextBlock or type(block) is RefusalBlock else ""


def _delta(kind: str, key: Key, text: str) -> list[StreamEvent]:
    return [_event(f"{kind}-delta", key, text)] if text else []


def _event(type: str, key: Key, text: str = "", block: ContentBlock | None = None) -> StreamEvent:
    return StreamEvent(type, key, text, block)  # type: ignore[arg-type]  # made of known words
