"""Events of a stream for user interfaces: blocks that begin, grow and end.

They are built from the pieces that the answer is built from; knows no provider.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias, cast

from ..message import ChatResponse, Origin, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ..message.answer import total
from ..message.blocks import ContentBlock
from ..suggestions.import_names import OF_EVENTS, explains_attributes
from ..text.redaction import Shown
from .arguments import argument_texts
from .pieces import End, Key, Meta, Part, Piece


@explains_attributes(OF_EVENTS)
@dataclass(slots=True, repr=False)
class StartEvent(Shown):
    """A text, a thought or a refusal begins; `key` is that of its block."""

    type: Literal["text-start", "thinking-start", "refusal-start"]
    key: Key
    text: ClassVar[str] = ""
    block: ClassVar[None] = None
    response: ClassVar[None] = None
    whole: ClassVar[bool] = False


@explains_attributes(OF_EVENTS)
@dataclass(slots=True, repr=False)
class DeltaEvent(Shown):
    """A block grows by `text`; that of a call is more of the JSON of its arguments."""

    type: Literal["text-delta", "thinking-delta", "refusal-delta", "tool-delta"]
    key: Key
    text: str
    block: ClassVar[None] = None
    response: ClassVar[None] = None
    whole: ClassVar[bool] = False


@explains_attributes(OF_EVENTS)
@dataclass(slots=True, repr=False)
class EndEvent(Shown):
    """A text, a thought or a refusal ends; it may begin again later, under its key.

    `block` holds what had arrived besides the text, such as the signature of a thought, the
    citations of a text and the provider's ids; None if nothing had.
    """

    type: Literal["text-end", "thinking-end", "refusal-end"]
    key: Key
    block: TextBlock | ThinkingBlock | RefusalBlock | None = None
    text: ClassVar[str] = ""
    response: ClassVar[None] = None
    whole: ClassVar[bool] = False


@explains_attributes(OF_EVENTS)
@dataclass(slots=True, repr=False)
class ToolEvent(Shown):
    """A call begins, with its name and its id if that came by then; or ends, parsed."""

    type: Literal["tool-start", "tool-end"]
    key: Key
    block: ToolUseBlock
    text: ClassVar[str] = ""
    response: ClassVar[None] = None
    whole: ClassVar[bool] = False


@explains_attributes(OF_EVENTS)
@dataclass(slots=True, repr=False)
class BlockEvent(Shown):
    """Anything else, such as media or sealed thinking, in one piece or several.

    A `whole` one replaces everything that came under its key.
    """

    type: Literal["block"]
    key: Key
    block: ContentBlock
    whole: bool = False
    text: ClassVar[str] = ""
    response: ClassVar[None] = None


@explains_attributes(OF_EVENTS)
@dataclass(slots=True, repr=False)
class FinishEvent(Shown):
    """The last event: `response` is the answer."""

    type: Literal["finish"]
    response: ChatResponse
    key: ClassVar[Key] = ()
    text: ClassVar[str] = ""
    block: ClassVar[None] = None
    whole: ClassVar[bool] = False


# `type` distinguishes them. `key` is the block of an event, its first number the candidate; fields
# that an event does not use are empty or None, so that every event has them.
StreamEvent: TypeAlias = StartEvent | DeltaEvent | EndEvent | ToolEvent | BlockEvent | FinishEvent


_HALF = re.compile("[\ud800-\udfff]")

_KINDS = {
    TextBlock: "text",
    ThinkingBlock: "thinking",
    ToolUseBlock: "tool",
    RefusalBlock: "refusal",
}


class EventView:
    """Turns pieces into events.

    Of a candidate's texts one is open at a time, calls stay open to the end: they may come
    interleaved. A text that grows again after its end starts again, under its key.
    """

    def __init__(
        self, names: Mapping[str, str] | None = None, origin: Origin | None = None
    ) -> None:
        self._names = names or {}
        self._origin = origin
        self._model: str | None = None  # as the provider names it
        self._open: dict[Key, str] = {}  # in the order of their beginning
        self._sent: dict[Key, list[str]] = {}  # the texts that went out of each block
        self._calls: dict[Key, list[ToolUseBlock]] = {}  # the parts of each call
        self._half_characters: dict[Key, tuple[str, str]] = {}  # kind and half of a character
        self._candidates: set[int] = set()
        self._besides: dict[Key, list[ContentBlock]] = {}  # parts with more than a text
        self._sealed: set[Key] = set()  # thinking that went out although it has no text

    def feed(self, piece: Piece) -> list[StreamEvent]:
        """The events that one piece makes."""
        if type(piece) is not Part:
            if isinstance(piece, (End, Meta)):
                if piece.candidate is not None:
                    self._candidates.add(piece.candidate)
                elif type(piece) is Meta and piece.model is not None:
                    self._model = piece.model
            return []
        key = piece.key
        block: Any = piece.block
        self._candidates.add(key[0])
        kind = _KINDS.get(type(block))
        if kind is None:
            event = BlockEvent("block", key, block, piece.whole)
            return [*self._end_open(key), event]
        if kind == "tool":
            return self._call(key, block, piece.whole)
        text = _text(block)
        is_thinking = kind == "thinking"
        if block.extras is not None or (
            (block.signature or block.redacted)
            if is_thinking
            else kind == "text" and block.citations
        ):
            before = [] if piece.whole else self._besides.get(key, [])
            self._besides[key] = [*before, block]
        if is_thinking and not text and self._is_sealed(key, block):
            self._sealed.add(key)  # nothing can be shown of it but that it is there
            sealed = replace(block, origin=self._name_origin(block))
            return [*self._end_open(key), BlockEvent("block", key, sealed)]
        if piece.whole:
            return self._replace(kind, key, text, block)
        deltas = self._delta(kind, key, text)
        if not deltas or self._open.get(key) == kind:
            return deltas
        return [*self._start(key, kind), *deltas]

    def _name_origin(self, block: ContentBlock) -> Origin | None:
        """Who wrote a block, as far as it is known by now."""
        if block.origin is not None or self._origin is None:
            return block.origin
        return replace(self._origin, model=self._model or self._origin.model)

    def _is_sealed(self, key: Key, block: Any) -> bool:
        """Whether this is thinking whose text the provider keeps to itself."""
        if key in self._sealed:
            return False
        is_alone = block.signature and key not in self._sent and not self._open_texts(key)
        return bool(block.redacted or is_alone)

    def _call(self, key: Key, block: ToolUseBlock, whole: bool) -> list[StreamEvent]:
        parts = self._calls.setdefault(key, [])
        if whole:
            parts.clear()
        parts.append(block)
        text = block.raw_input or ""
        if key in self._open:
            if whole:
                return self._replace("tool", key, text, self._named_call(key)) if text else []
            return self._delta("tool", key, text)
        # a call is shown when its name is there; some servers send it after the first fragment
        if not block.name:
            return []
        return [*self._start(key, "tool"), *self._delta("tool", key, _all(parts))]

    def _named_call(self, key: Key) -> ToolUseBlock:
        """The call without its input, which is text so far."""
        parts = self._calls[key]
        name = next((part.name for part in parts if part.name), "")
        id = next((part.id for part in parts if part.id), "")
        return ToolUseBlock(id, self._names.get(name, name), {})

    def _delta(self, kind: str, key: Key, text: str) -> list[StreamEvent]:
        if not text.isascii() or key in self._half_characters:
            text = self._with_other_half(kind, key, text)
        if not text:
            return []  # nothing to show yet
        self._sent.setdefault(key, []).append(text)
        return [_delta(kind, key, text)]

    def _with_other_half(self, kind: str, key: Key, text: str) -> str:
        """Text that has a UTF-8 form: half a surrogate pair waits for the other half."""
        if key in self._half_characters and text:
            text = self._half_characters.pop(key)[1] + text
        elif _HALF.search(text) is None:
            return text
        if "\ud800" <= text[-1] <= "\udbff":
            self._half_characters[key] = (kind, text[-1])
            text = text[:-1]
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _replace(self, kind: str, key: Key, text: str, block: ContentBlock) -> list[StreamEvent]:
        """A block that comes whole: what is new of it, or all of it where earlier parts differ."""
        self._half_characters.pop(key, None)
        sent_text = "".join(self._sent.get(key, ()))
        if not text.startswith(sent_text):
            self._sent[key] = [text]
            return [*self._start(key, kind), BlockEvent("block", key, block, True)]
        deltas = self._delta(kind, key, text[len(sent_text) :])
        return [*self._start(key, kind), *deltas] if deltas else []

    def _start(self, key: Key, kind: str) -> list[StreamEvent]:
        if self._open.get(key) == kind:
            return []
        ended = self._end_open(key)
        self._open[key] = kind
        if kind == "tool":
            return [*ended, ToolEvent("tool-start", key, self._named_call(key))]
        type: Any = f"{kind}-start"
        return [*ended, StartEvent(type, key)]

    def _end_open(self, key: Key) -> list[StreamEvent]:
        """The ends of the candidate's texts, of which only one is written at a time."""
        return [self._end(self._open.pop(other), other) for other in self._open_texts(key)]

    def _open_texts(self, key: Key) -> list[Key]:
        items = self._open.items()
        return [other for other, kind in items if other[0] == key[0] and kind != "tool"]

    def _end(self, kind: str, key: Key) -> EndEvent:
        type: Any = f"{kind}-end"
        if key not in self._besides:
            return EndEvent(type, key)
        block: Any = total([_without_text(part) for part in self._besides[key]])
        block.origin = self._name_origin(block)
        return EndEvent(type, key, block)

    def finish(self, response: ChatResponse) -> list[StreamEvent]:
        """The ends of what is still open, with the calls as they are now, and `finish`."""
        events: list[StreamEvent] = []
        for key, (kind, _) in self._half_characters.items():
            events += [*self._start(key, kind), _delta(kind, key, "\ufffd")]
        for key in self._calls:
            if key not in self._open:  # its name never came
                events += self._start(key, "tool")
                events += self._delta("tool", key, _all(self._calls[key]))
        calls_by_key = dict(self._finished_calls(response))
        for key, kind in self._open.items():
            if kind != "tool":
                events.append(self._end(kind, key))
                continue
            first, *others = calls_by_key.get(key) or [self._named_call(key)]
            events.append(ToolEvent("tool-end", key, first))
            events += [BlockEvent("block", key, call) for call in others]
        self._open.clear()
        return [*events, FinishEvent("finish", response)]

    def _finished_calls(self, response: ChatResponse) -> Iterator[tuple[Key, list[ToolUseBlock]]]:
        """The calls of the answer that the parts of each key made: mostly one, in their order."""
        for index, candidate in zip(sorted(self._candidates), response.candidates, strict=False):
            keys = [key for key in sorted(self._calls) if key[0] == index]
            calls = list(candidate.msg.calls)
            single = len(calls) == len(keys)
            for key in keys:
                call = cast("ToolUseBlock", total(self._calls[key]))
                count = 1 if single else len(argument_texts(call))
                yield key, calls[:count]
                del calls[:count]


def _text(block: ContentBlock) -> str:
    if type(block) is ThinkingBlock:
        return block.thinking
    return block.text if type(block) is TextBlock or type(block) is RefusalBlock else ""


def _all(parts: list[ToolUseBlock]) -> str:
    return "".join(part.raw_input or "" for part in parts)


def _delta(kind: str, key: Key, text: str) -> DeltaEvent:
    type: Any = f"{kind}-delta"
    return DeltaEvent(type, key, text)


def _without_text(block: ContentBlock) -> ContentBlock:
    if type(block) is ThinkingBlock:
        return replace(block, thinking="")
    assert type(block) is TextBlock or type(block) is RefusalBlock
    return replace(block, text="")
