"""The items of a streamed answer: which event belongs to which, and what was told of each.

An event names its item by its place; some hosts give an item another id in every event, others
count all items as the first or leave the place out. Makes no pieces.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.pieces import End, Failed, Meta, Part, Piece, fault
from ...errors import ProviderError
from ...message import (
    AudioBlock,
    Base64Source,
    Finish,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock
from .answer import usage
from .blocks import BESIDE, BREAK, blocks, call, citation, part, told_raw
from .dialect import Dialect

ID = "id:"  # begins the note on a first piece of how its item is called


Path: TypeAlias = tuple[str | int, ...]


class Slot:
    """One item: its place among the blocks of the message, and what is known of it."""

    __slots__ = ("at", "chances", "grown", "id", "item", "kind", "marks", "said", "settled",
                 "texts", "whole")  # fmt: skip

    def __init__(self, at: int, kind: str, id: str | None, item: JsonObject) -> None:
        self.at = at
        self.kind = kind
        self.id = id
        self.item = item  # as it was announced, or is by now
        self.whole = False  # its end was told
        self.grown: set[int] = set()  # places of its texts of which something was told
        self.texts: dict[tuple[str, int], list[str]] = {}  # thoughts: the paragraphs of each field
        self.said: dict[Path, list[str]] = {}  # what grows in an item that stays as it is
        self.marks: dict[int, list[Json]] = {}  # annotations of its texts
        self.chances: dict[int, list[Json]] = {}  # and their log probabilities
        self.settled: dict[int, ContentBlock] = {}  # blocks that were told whole

    def filled(self) -> JsonObject:
        """The item so far, with what has grown."""
        made: JsonObject = self.item
        for path, texts in self.said.items():
            made = _with(made, path, "".join(texts))
        return made

    def completed(self, item: JsonObject) -> JsonObject:
        """A whole item, with the annotations and probabilities that only the stream told."""
        content = item.get("content")
        if not (self.marks or self.chances) or not isinstance(content, list):
            return item
        parts = [
            self.noted(at, told) if isinstance(told, dict) else told
            for at, told in zip(self.places(len(content)), content, strict=True)
        ]
        return {**item, "content": parts}

    def places(self, count: int) -> list[int]:
        """The places of an item's parts; some servers count them on from item to item."""
        told = sorted(self.grown)
        if not told or told[-1] < count:
            return list(range(count))
        return [*told, *range(told[-1] + 1, told[-1] + 1 + count)][:count]

    def noted(self, at: int, told: JsonObject) -> JsonObject:
        """The same for one part of a message."""
        streamed = {"annotations": self.marks.get(at), "logprobs": self.chances.get(at)}
        more = {key: value for key, value in streamed.items() if value and not told.get(key)}
        return {**told, **more} if more else told


def begun(slot: Slot) -> str:
    """The note on the first piece of an item: who writes it on needs its id before its end."""
    return f"{ID}{slot.id or ''}"


class Slots:
    """The items of one answer, in the order of their places."""

    def __init__(self) -> None:
        self._all: list[Slot] = []
        self._by_index: dict[Any, Slot] = {}
        self._by_id: dict[str, Slot] = {}
        self._base = 0  # of the places of this response, where it follows another one
        self._taken: set[int] = set()
        self._end = 0  # behind all places that are taken
        self._shared = False  # two items said that they stand in one place

    def __iter__(self) -> Iterator[Slot]:
        return iter(sorted(self._all, key=lambda slot: slot.at))

    def restart(self) -> None:
        """Another response begins in the same stream: its items stand behind."""
        self._base = self._end
        self._by_index.clear()
        self._by_id.clear()
        self._all.clear()

    def of(self, event: JsonObject, kind: str) -> Slot:
        """The item of this kind that an event speaks of; one that nobody announced is new."""
        index = event.get("output_index")
        slot = self._by_index.get(index)
        if slot is not None and slot.kind == kind and not self._shared:
            return slot
        id = event.get("item_id")
        named = self._by_id.get(id) if isinstance(id, str) else None
        if named is not None and named.kind == kind:
            return named
        if slot is not None and slot.kind == kind:
            return slot
        if index is None and (last := self._last(kind)) is not None:
            return last
        return self._open(index, kind, id, {})

    def added(self, event: JsonObject, item: JsonObject) -> Slot:
        """The item that an event announces."""
        index, id, kind = event.get("output_index"), item.get("id"), str(item.get("type"))
        slot = self._by_index.get(index)
        if slot is not None and slot.kind == kind and not slot.whole and slot.id in (None, id):
            slot.item = item
            self._name(slot, id)
            return slot
        return self._open(index, kind, id, item)

    def done(self, event: JsonObject, item: JsonObject) -> Slot:
        """The item whose end an event tells."""
        index, id, kind = event.get("output_index"), item.get("id"), str(item.get("type"))
        slot = self._by_index.get(index)
        named = self._by_id.get(id) if isinstance(id, str) else None
        if slot is None or slot.kind != kind or self._shared:
            if named is not None and named.kind == kind:
                slot = named
            elif slot is None or slot.kind != kind:
                slot = self._last(kind) if index is None else None
        if slot is None or (slot.whole and slot.id != id):
            slot = self._open(index, kind, id, {})
        self._name(slot, id)
        slot.item, slot.whole = item, True
        return slot

    def matched(self, output: list[Any]) -> list[tuple[Slot, Any]]:
        """(slot, item) of a whole answer: by id, else by place, else by order, else new."""
        left = {slot.at: slot for slot in self}
        ids = {id for item in output if isinstance(id := _get(item, "id"), str)}
        named: dict[Any, deque[Slot]] = {}
        others: dict[Any, deque[Slot]] = {}  # of each kind those that no item names
        for slot in left.values():
            named.setdefault((slot.kind, slot.id), deque()).append(slot)
            if slot.id not in ids:
                others.setdefault(slot.kind, deque()).append(slot)
        made: list[tuple[Slot, Any]] = []
        for at, item in enumerate(output):
            kind, id = str(_get(item, "type")), _get(item, "id")
            found = _first(named.get((kind, id)), left) if isinstance(id, str) else None
            if found is None:
                there = left.get(self._base + at)
                found = there if there is not None and there.kind == kind else None
            found = found or _first(others.get(kind), left) or self._open(at, kind, id, {})
            left.pop(found.at, None)
            found.whole = True
            made.append((found, item))
        return made

    def _last(self, kind: str) -> Slot | None:
        return next((one for one in self._all if one.kind == kind and not one.whole), None)

    def _open(self, index: Any, kind: str, id: Any, item: JsonObject) -> Slot:
        known = type(index) is int and index >= 0
        at = self._base + index if known else max(self._end, self._base)
        if at in self._taken:
            self._shared = True
            at = self._end
        slot = Slot(at, kind, None, item)
        self._taken.add(at)
        self._end = max(self._end, at + 1)
        self._all.append(slot)
        if known:
            self._by_index[index] = slot
        self._name(slot, id)
        return slot

    def _name(self, slot: Slot, id: Any) -> None:
        if isinstance(id, str) and id:
            slot.id = id
            self._by_id[id] = slot


def _get(item: Any, key: str) -> Any:
    return item.get(key) if isinstance(item, dict) else None


def _first(slots: deque[Slot] | None, left: dict[int, Slot]) -> Slot | None:
    """The first of the slots that no item has taken."""
    while slots:
        if slots[0].at in left:
            return slots[0]
        slots.popleft()
    return None


def _with(told: Any, path: Path, text: str) -> Any:
    """The value with the text at the path, and with the objects and lists on the way."""
    if not path:
        return text
    step, *rest = path
    made: Any
    if isinstance(step, int):
        made = list(told) if isinstance(told, list) else []
        made.extend("" for _ in range(step + 1 - len(made)))
        there = made[step]
    else:
        made = dict(told) if isinstance(told, dict) else {}
        there = made.get(step)
    made[step] = _with(there, tuple(rest), text)
    return made


_MOST = 10_000  # commands of one call, for a number of somebody else's makes a list of ours


_COUNTED = {"command_index", "output_index", "content_index", "summary_index"}


_PLACE = {"type", "sequence_number", "item_id", "obfuscation", "stream_id", *_COUNTED}


@dataclass(frozen=True, slots=True)
class Growth:
    """The item's kind, where in it the text grows, and the field of the event that has it."""

    kind: str
    path: Path
    field: str = "delta"

    def grow(self, slot: Slot, event: JsonObject) -> None:
        """Note what the event says; a `delta` adds, any other field replaces."""
        told = event.get(self.field)
        index = _index(event)
        if self.path == ("output",):
            self._heard(slot, told, index or 0)
        elif isinstance(told, str):
            path = self.path if index is None else (*self.path, index)
            if self.field == "delta":
                slot.said.setdefault(path, []).append(told)
            elif told:
                slot.said[path] = [told]
        elif told is not None:
            raise TypeError("text was expected")

    def _heard(self, slot: Slot, told: Any, index: int) -> None:
        """What a command printed: `{"stdout": ..., "stderr": ...}`, or a list of those at last."""
        if isinstance(told, list):
            slot.item = {**slot.item, "output": told}
            slot.said = {path: said for path, said in slot.said.items() if path[0] != "output"}
            return
        for name in ("stdout", "stderr"):
            if isinstance(said := told.get(name), str):
                path: Path = ("output", index, name)
                slot.said.setdefault(path, []).append(said)


def _index(event: JsonObject) -> int | None:
    """Which command of a shell's."""
    value = event.get("command_index")
    if value is not None and not (type(value) is int and 0 <= value < _MOST):
        raise TypeError("a place is a small number")
    return value


def _both(name: str, kind: str, path: Path, field: str) -> dict[str, Growth]:
    return {f"{name}.delta": Growth(kind, path), f"{name}.done": Growth(kind, path, field)}


GROWTH: dict[str, Growth] = {
    **_both("custom_tool_call_input", "custom_tool_call", ("input",), "input"),
    **_both("mcp_call_arguments", "mcp_call", ("arguments",), "arguments"),
    **_both("mcp_call.arguments", "mcp_call", ("arguments",), "arguments"),
    **_both("code_interpreter_call_code", "code_interpreter_call", ("code",), "code"),
    **_both("apply_patch_call_operation_diff", "apply_patch_call", ("operation", "diff"), "diff"),
    **_both("shell_call_command", "shell_call", ("action", "commands"), "command"),
    "shell_call_command.added": Growth("shell_call", ("action", "commands"), "command"),
    **_both("shell_call_output_content", "shell_call_output", ("output",), "output"),
    "image_generation_call.partial_image": Growth(
        "image_generation_call", ("partial_image_b64",), "partial_image_b64"
    ),
}


def idle(event: JsonObject) -> bool:
    """Whether an event names a place and says nothing of it: that a search has begun, or ended."""
    return event.keys() <= _PLACE


def thinks(event: JsonObject, kind: Any) -> bool:
    """Whether an event of a part of this kind is about thinking."""
    return "summary_index" in event or kind in ("reasoning_text", "summary_text")


def thought(slot: Slot, event: JsonObject, said: str) -> list[Piece]:
    """A piece of thinking. Each paragraph is counted on its own."""
    if not said:
        return []
    where = _paragraph(event)
    texts = slot.texts.get(where)
    if texts is None:
        first = not slot.texts
        slot.texts[where] = [said]
        slot.grown.add(0)
        block = ThinkingBlock(said, spelling=begun(slot)) if first else ThinkingBlock(BREAK + said)
        return [Part((0, slot.at, 0), block)]
    texts.append(said)
    return [Part((0, slot.at, 0), ThinkingBlock(said))]


def thought_whole(slot: Slot, event: JsonObject, said: str) -> list[Piece]:
    """A whole paragraph: nothing, if its pieces said all of it."""
    where = _paragraph(event)
    if not said or "".join(slot.texts.get(where, ())) == said:
        return []
    slot.texts[where] = [said]
    slot.grown.add(0)
    told = BREAK.join("".join(texts) for texts in slot.texts.values())
    return [Part((0, slot.at, 0), ThinkingBlock(told, spelling=begun(slot)), True)]


def _paragraph(event: JsonObject) -> tuple[str, int]:
    field = "summary" if "summary_index" in event else "content"
    at = event.get("summary_index" if field == "summary" else "content_index") or 0
    if type(at) is not int:
        raise TypeError("a place is a number")
    return field, at


_GROWING = ("message", "reasoning", "function_call", "audio")  # as blocks; others come whole


class Settled:
    """The items of one answer as they are at last."""

    def __init__(self, slots: Slots, issuer: str, raw: bool) -> None:
        self._slots = slots
        self._issuer = issuer
        self._raw = raw

    def done(self, event: JsonObject) -> list[Piece]:
        """`response.output_item.done`."""
        item = event["item"]
        return self._told(self._slots.done(event, item), item)

    def output(self, output: Sequence[Any]) -> list[Piece]:
        """The items of a whole response: those that are new, or otherwise than was told."""
        if isinstance(output, (str, dict)):
            raise TypeError("output is a list")
        made: list[Piece] = []
        for slot, item in self._slots.matched(list(output)):
            made += self._told(slot, item)
        return made

    def ended(self) -> list[Piece]:
        """The items that the end of the answer makes whole, as nothing else did."""
        made: list[Piece] = []
        for slot in self._slots:
            if not slot.whole and slot.kind not in _GROWING:
                slot.whole = True
                made += self._told(slot, slot.filled())
        return made

    def left(self) -> list[Piece]:
        """What a stream that broke off began: items that nobody could use, and probabilities."""
        made: list[Piece] = []
        begun = [slot for slot in self._slots if not slot.whole]
        for slot in begun:
            for at, chances in slot.chances.items():
                block = TextBlock("", extras={self._issuer: {"logprobs": chances}})
                made.append(Part((0, slot.at, at), block))
        if items := [slot.filled() for slot in begun if slot.kind not in _GROWING]:
            made.append(Meta({"unfinished": items}, issuer=self._issuer))
        return made

    def _told(self, slot: Slot, item: Json) -> list[Piece]:
        if isinstance(item, dict):
            listed = blocks(slot.completed(item), self._issuer, self._raw)
        else:
            listed = [(0, told_raw(item, self._issuer))]
        places = slot.places(listed[-1][0] + 1)
        made: list[Piece] = []
        for nth, block in listed:
            at = places[nth]
            if slot.settled.get(at) != block:
                made.append(self._settled(slot, at, block))
        return made

    def _settled(self, slot: Slot, at: int, block: ContentBlock) -> Piece:
        key = (0, slot.at, at)
        before = slot.settled.get(at)
        slot.settled[at] = block
        if at not in slot.grown or not _wordless(block):
            return Part(key, block, True)
        # a host that does not say it again: what was streamed stays, with the item's fields
        if type(block) is ThinkingBlock and before is not None:
            block = replace(block, signature=None, redacted=None)  # told once, or they would add up
        return Part(key, block)


def _wordless(block: ContentBlock) -> bool:
    if type(block) is ThinkingBlock:
        return not block.thinking
    if type(block) is ToolUseBlock:
        return not block.raw_input and not block.input
    return (type(block) is TextBlock or type(block) is RefusalBlock) and not block.text


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
        where = _streamed_index(at)
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
        return self._slots.of(event, "message"), _streamed_index(event.get("content_index") or 0)


def _streamed_index(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("a place is a number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value


_STARTS = frozenset({"response.created", "response.queued", "response.in_progress"})


_STATUS = {"response.completed": "completed", "response.incomplete": "incomplete",
           "response.failed": "failed", "response.cancelled": "cancelled"}  # fmt: skip


_REASONS: dict[str, FinishReason] = {
    "max_output_tokens": "length",
    "max_tokens": "length",
    "max_messages": "length",
    "content_filter": "content_filter",
    "completed": "stop",
    "complete": "stop",
    "failed": "error",
}


_OPEN = frozenset({"queued", "in_progress", "cancelled"})  # there is no end, or it was broken off


_SAID = {"id", "model", "output", "usage", "object", "status"}  # if they are as documented


_EVENT = {"type", "response", "sequence_number", "stream_id"}


_ERRORS = ("error", "errors", "message", "detail", "code")


class ResponsesReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._slots = Slots()
        self._items = Streamed(self._slots, self._issuer)
        self._settled = Settled(self._slots, self._issuer, dialect.reasoning == "raw")
        self._on = {**self._items.on, "response.output_item.done": self._settled.done}
        self._id: Any = None
        self._model: Any = None
        self._last: JsonObject | None = None  # the response as it was told last, but not its end

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        kind = payload.get("type") or event
        if kind == "response.output_text.delta":
            delta = payload["delta"]
            slot = self._slots.of(payload, "message")
            at = payload.get("content_index") or 0
            if at in slot.grown and not payload.get("logprobs") and type(delta) is str:
                return [Part((0, slot.at, at), TextBlock(delta))] if delta else []
            return self._items.text(slot, at, payload)
        if (take := self._on.get(kind or "")) is not None:
            return take(payload)
        if isinstance(told := payload.get("response"), dict) and isinstance(kind, str):
            return self._lifecycle(kind, payload, told)
        name = kind if isinstance(kind, str) else ""
        if name.startswith("response."):
            return self._items.feed(name, payload)
        if "output" in payload or payload.get("object") == "response":
            return self._closed(payload, payload.get("status", "completed"))
        if _wrong(name, payload):
            return [Failed(fault(payload, name=event))]
        return self._items.feed(name, payload)

    def finish(self) -> list[Piece]:
        """What a stream that broke off had told of itself, and the items it left open."""
        made = self._settled.left()
        if self._last is not None:
            made.append(Meta(self._rest(self._last), issuer=self._issuer))
            self._last = None
        return made

    def _lifecycle(self, kind: str, event: JsonObject, told: JsonObject) -> list[Piece]:
        """`response.created` to `response.completed`, each with the response as it is."""
        made: list[Piece] = []
        rest = {key: value for key, value in event.items() if key not in _EVENT}
        if rest:
            made.append(Meta(rest, issuer=self._issuer))
        if kind in _STATUS:
            return made + self._closed(told, told.get("status") or _STATUS[kind])
        if kind not in _STARTS:
            raise ValueError("no event of this API")
        if kind == "response.created" and self._id not in (None, told.get("id")):
            self._slots.restart()
        self._last = told
        return made + self._named(told)

    def _named(self, told: JsonObject) -> list[Piece]:
        made: list[Piece] = []
        id, model = told.get("id"), told.get("model")
        if isinstance(id, str) and id != self._id:
            self._id = id
            begun = {"created_at": told["created_at"]} if "created_at" in told else None
            made.append(Meta(begun, id=id, issuer=self._issuer))
        if isinstance(model, str) and model != self._model:
            self._model = model
            made.append(Meta(model=model, issuer=self._issuer))
        return made

    def _closed(self, told: JsonObject, status: Any) -> list[Piece]:
        """The pieces of a whole response; of those that a stream has told, what is new."""
        made = self._named(told)
        self._last = None
        thought = told.get("reasoning")
        if isinstance(thought, str):  # a local server; elsewhere what was asked for, an object
            made.append(Part((0, -1, 0), ThinkingBlock(thought, spelling=BESIDE), True))
        made += self._settled.output(told.get("output") or ())
        figures = told.get("usage")
        if isinstance(figures, dict):
            made.append(usage(figures, self._issuer))
        made.append(Meta(self._rest(told), issuer=self._issuer))
        if status == "failed" or (status == "error" and told.get("error")):
            made.append(Failed(_failure(told)))
        if status not in _OPEN:
            made += self._settled.ended()
            made.append(End(_finish(told, status)))
        return made

    def _rest(self, told: JsonObject) -> JsonObject:
        """Fields of the response that nobody models: what was asked for, prices, errors."""
        rest = {key: value for key, value in told.items() if key not in _SAID}
        if isinstance(rest.get("reasoning"), str):
            del rest["reasoning"]
        kept = {
            "id": not _named(told.get("id")),
            "model": not _named(told.get("model")),
            "output": not isinstance(told.get("output"), list),
            "usage": not (isinstance(told.get("usage"), dict) and told["usage"]),
            "object": told.get("object") != "response",
            "status": told.get("status") != "completed",
        }
        return {**rest, **{key: told[key] for key, odd in kept.items() if odd and key in told}}


def _named(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _wrong(name: str, payload: JsonObject) -> bool:
    """Whether what is no event of an item tells of an error."""
    if payload.get("error") or name.endswith("error"):
        return True
    return not name and any(payload.get(key) for key in _ERRORS)


def _finish(told: JsonObject, status: Any) -> Finish:
    """Why it ended: `completed`, or what made it `incomplete`."""
    word = status if isinstance(status, str) else ""
    details = told.get("incomplete_details")
    if word == "incomplete" and isinstance(details, dict):
        reason = details.get("reason")
        word = reason if isinstance(reason, str) else word
    return Finish(_REASONS.get(word, "other"), word if told.get("status") else None)


def _failure(told: JsonObject) -> ProviderError:
    if told.get("error"):
        return fault(told, name="response.failed")
    error = fault({"message": "the response failed"}, name="response.failed")
    error.body = told
    return error
