"""Reads answers of the Responses API, whole ones and streams, into pieces.

An event of a stream names its item by its index in the output. Some hosts give an item another id
in every event, others give every item the first index or none, so `_Items` finds the item that an
event belongs to.

Reference: OpenAI API, "Streaming events" and "The response object".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from ...message import AudioBlock, Base64Source
from ...message.blocks import ContentBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...stream.pieces import End, Failed, Meta, Part, Piece, provider_error
from ...text.json_text import Json, JsonObject
from ..chat_like.messages import require_text
from . import blocks as wire_blocks
from .answer_write import GROWTH, GrowingItem, read_extras, read_failure
from .blocks import BESIDE, BREAK
from .dialect import Dialect
from .finish_reasons import read_finish
from .raw_items import raw_item
from .usage import read_usage

ID = "id:"  # first part of the note on a first piece that holds the id of its item


class _Item(GrowingItem):
    """One item: its position among the blocks of the message, and its data so far."""

    __slots__ = (
        "blocks",
        "call_id",
        "complete",
        "id",
        "kind",
        "late",
        "paragraphs",
        "position",
        "streamed",
    )

    def __init__(self, position: int, kind: str, data: JsonObject) -> None:
        super().__init__(data)
        self.position = position
        self.kind = kind
        self.id: str | None = None
        self.call_id = ""  # of a call: the first that was sent
        self.complete = False  # its end has come
        self.streamed: set[int] = set()  # indexes of the parts that have sent any event
        # paragraphs of thinking, by field and index
        self.paragraphs: dict[tuple[str, int], list[str]] = {}
        # what the stream adds to a text besides its words, by the index of the part
        self.late: dict[str, dict[int, list[Json]]] = {"annotations": {}, "logprobs": {}}
        self.blocks: dict[int, ContentBlock] = {}  # the blocks that came as a whole

    def merge_late(self, data: JsonObject) -> JsonObject:
        """Return the whole item, with annotations and probabilities that only the stream had."""
        content = data.get("content")
        if not any(self.late.values()) or not isinstance(content, list):
            return data
        parts = [
            self.completed_part(index, part) if isinstance(part, dict) else part
            for index, part in zip(self.part_indexes(len(content)), content, strict=True)
        ]
        return {**data, "content": parts}

    def completed_part(self, index: int, part: JsonObject) -> JsonObject:
        """Return one part of a message, with what `merge_late` adds."""
        late = {key: rows[index] for key, rows in self.late.items() if index in rows}
        return part | {key: rows for key, rows in late.items() if rows and not part.get(key)}

    def part_indexes(self, count: int) -> list[int]:
        """Return the indexes of an item's parts; some servers count them on from item to item."""
        streamed = sorted(self.streamed)
        if not streamed or streamed[-1] < count:
            return list(range(count))
        return [*streamed, *range(streamed[-1] + 1, streamed[-1] + 1 + count)][:count]

    def part(self, index: int, block: ContentBlock, whole: bool = False) -> list[Piece]:
        """Return a piece of the block at this index."""
        return [Part((0, self.position, index), block, whole)]

    @property
    def id_note(self) -> str:
        """Return the note with the item's id, which an encoder needs before the end of the item."""
        return f"{ID}{self.id or ''}"


_Place: TypeAlias = tuple[_Item, int]  # of a part: its item, and its index in the item


class _Items:
    """The items of one answer, in the order of their positions."""

    def __init__(self) -> None:
        self._all: list[_Item] = []
        self._by_index: dict[Any, _Item] = {}
        self._by_id: dict[str, _Item] = {}
        self._base = 0  # the first position of this response, if it follows another one
        self._positions: set[int] = set()
        self._end = 0  # the first position after all that are taken
        self._shared = False  # two items had the same index

    def __iter__(self) -> Iterator[_Item]:
        return iter(sorted(self._all, key=lambda item: item.position))

    def restart(self) -> None:
        """Begin another response in the same stream: its items follow those of the previous one."""
        self._base = self._end
        self._by_index.clear()
        self._by_id.clear()
        self._all.clear()

    def find(self, event: JsonObject, kind: str) -> _Item:
        """Return the item of this kind that an event belongs to; a new one if none is announced."""
        index, id = event.get("output_index"), event.get("item_id")
        return self._find_item(index, id, kind) or self._open(index, kind, id, {})

    def is_reasoning(self, event: JsonObject) -> bool:
        """Whether an event belongs to an announced item of thinking."""
        index = event.get("output_index")
        known = index is not None and self._find_item(index, event.get("item_id"), "reasoning")
        return bool(known)

    def _find_item(self, index: Any, id: Any, kind: str) -> _Item | None:
        """Find the item of a kind: by its index, if no two share one, else by its id."""
        item = self._by_index.get(index)
        if item is not None and item.kind != kind:
            item = None
        if item is None or self._shared:
            named = self._by_id.get(id) if isinstance(id, str) else None
            item = named if named is not None and named.kind == kind else item
        if item is None and index is None:  # the first that is open
            items = (item for item in self._all if item.kind == kind and not item.complete)
            item = next(items, None)
        return item

    def add_item(self, event: JsonObject, data: JsonObject) -> _Item:
        """Return the item that an event announces."""
        index, id, kind = event.get("output_index"), data.get("id"), str(data.get("type"))
        item = self._by_index.get(index)
        same = item is not None and item.kind == kind and not item.complete
        if item is not None and same and item.id in (None, id):
            item.data = data
            self._name(item, id)
            return item
        return self._open(index, kind, id, data)

    def finish_item(self, event: JsonObject, data: JsonObject) -> _Item:
        """Return the item that an event ends."""
        index, id, kind = event.get("output_index"), data.get("id"), str(data.get("type"))
        item = self._find_item(index, id, kind)
        if item is None or (item.complete and item.id != id):
            item = self._open(index, kind, id, {})
        self._name(item, id)
        item.data, item.complete = data, True
        return item

    def match_items(self, output: list[Any]) -> list[tuple[_Item, Any]]:
        """Pair items with the data of a whole answer: by id, index or order, else a new item."""
        unmatched = {item.position: item for item in self}
        ids = {id for data in output if isinstance(id := _get(data, "id"), str)}
        by_id: dict[Any, deque[_Item]] = {}
        others: dict[Any, deque[_Item]] = {}  # for each kind, the items that no data names
        for item in unmatched.values():
            by_id.setdefault((item.kind, item.id), deque()).append(item)
            if item.id not in ids:
                others.setdefault(item.kind, deque()).append(item)
        rows: list[tuple[_Item, Any]] = []
        for index, data in enumerate(output):
            kind, id = str(_get(data, "type")), _get(data, "id")
            match = _first(by_id.get((kind, id)), unmatched) if isinstance(id, str) else None
            if match is None:
                by_index = unmatched.get(self._base + index)
                match = by_index if by_index is not None and by_index.kind == kind else None
            match = match or _first(others.get(kind), unmatched) or self._open(index, kind, id, {})
            unmatched.pop(match.position, None)
            match.complete = True
            rows.append((match, data))
        return rows

    def _open(self, index: Any, kind: str, id: Any, data: JsonObject) -> _Item:
        counted = type(index) is int and index >= 0
        position = self._base + index if counted else max(self._end, self._base)
        if position in self._positions:
            self._shared = True
            position = self._end
        item = _Item(position, kind, data)
        self._positions.add(position)
        self._end = max(self._end, position + 1)
        self._all.append(item)
        if counted:
            self._by_index[index] = item
        self._name(item, id)
        return item

    def _name(self, item: _Item, id: Any) -> None:
        if isinstance(id, str) and id:
            item.id = id
            self._by_id[id] = item


def _get(data: Any, key: str) -> Any:
    return data.get(key) if isinstance(data, dict) else None


def _first(items: deque[_Item] | None, unmatched: dict[int, _Item]) -> _Item | None:
    """Return the first of the items that has no data yet."""
    while items:
        if items[0].position in unmatched:
            return items[0]
        items.popleft()
    return None


# events without fields of their own that only report progress, such as the start of a search
_PLACE_FIELDS = {
    "type",
    "sequence_number",
    "item_id",
    "obfuscation",
    "stream_id",
    "command_index",
    "output_index",
    "content_index",
    "summary_index",
}

_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}  # and the key of its text
_STREAMED_KINDS = ("message", "reasoning", "audio", *_CALLS)  # others come whole


class ResponsesReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self.items = _Items()
        self._issuer = dialect.reads_items_of[0]
        self._raw = dialect.raw
        self._id: Any = None
        self._model: Any = None
        self._latest: JsonObject | None = None  # the latest state of the response, except its end

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one event, or of a whole answer."""
        kind = payload.get("type") or event
        if kind == "response.output_text.delta":
            delta = payload["delta"]
            item = self.items.find(payload, "message")
            index = payload.get("content_index") or 0
            if index in item.streamed and not payload.get("logprobs") and type(delta) is str:
                return [Part((0, item.position, index), TextBlock(delta))] if delta else []
            block = TextBlock(require_text(delta))
            return self._delta((item, _index(index)), block, payload.get("logprobs"))
        if (handler := _HANDLERS.get(kind or "")) is not None:
            return handler(self, payload)
        if isinstance(response := payload.get("response"), dict) and isinstance(kind, str):
            return self._lifecycle(kind, payload, response)
        name = kind if isinstance(kind, str) else ""
        if not name.startswith("response."):
            if "output" in payload or payload.get("object") == "response":
                return self._read_closed(payload, payload.get("status", "completed"))
            bare = not name and any(payload.get(key) for key in _ERROR_FIELDS)
            if bare or payload.get("error") or name.endswith("error"):
                return [Failed(provider_error(payload, name=event))]
        return self._other(name, payload)

    def finish(self) -> list[Piece]:
        """Return what an interrupted stream has begun: unfinished items, and the response."""
        pieces: list[Piece] = []
        items = [item for item in self.items if not item.complete]
        for item in items:
            for index, logprobs in item.late["logprobs"].items():
                block = TextBlock("", extras={self._issuer: {"logprobs": logprobs}})
                pieces += item.part(index, block)
        if unusable := [item.build_item() for item in items if item.kind not in _STREAMED_KINDS]:
            pieces.append(Meta({"unfinished": unusable}, issuer=self._issuer))
        if self._latest is not None:
            pieces.append(Meta(read_extras(self._latest), issuer=self._issuer))
            self._latest = None
        return pieces

    def _lifecycle(self, kind: str, event: JsonObject, response: JsonObject) -> list[Piece]:
        """Read `response.created` to `response.completed`, each with the response so far."""
        pieces: list[Piece] = []
        if extras := {key: value for key, value in event.items() if key not in _EVENT_FIELDS}:
            pieces.append(Meta(extras, issuer=self._issuer))
        if kind in _ENDS:
            return pieces + self._read_closed(response, response.get("status") or _ENDS[kind])
        if kind not in _STARTS:
            raise ValueError("no event of this API")
        if kind == "response.created" and self._id not in (None, response.get("id")):
            self.items.restart()
        self._latest = response
        return pieces + self._read_names(response)

    def _read_names(self, response: JsonObject) -> list[Piece]:
        pieces: list[Piece] = []
        id, model = response.get("id"), response.get("model")
        if isinstance(id, str) and id != self._id:
            self._id = id
            times = {"created_at": response["created_at"]} if "created_at" in response else None
            pieces.append(Meta(times, id=id, issuer=self._issuer))
        if isinstance(model, str) and model != self._model:
            self._model = model
            pieces.append(Meta(model=model, issuer=self._issuer))
        return pieces

    def _read_closed(self, response: JsonObject, status: Any) -> list[Piece]:
        """Return the pieces of a whole response; after a stream, only those that are new."""
        pieces = self._read_names(response)
        self._latest = None
        reasoning = response.get("reasoning")
        # a local server; elsewhere this is an object, with what was asked for
        if isinstance(reasoning, str):
            pieces.append(Part((0, -1, 0), ThinkingBlock(reasoning, spelling=BESIDE), True))
        pieces += self._output(response.get("output") or ())
        if isinstance(usage := response.get("usage"), dict):
            pieces.append(read_usage(usage, self._issuer))
        pieces.append(Meta(read_extras(response), issuer=self._issuer))
        if status == "failed" or (status == "error" and response.get("error")):
            pieces.append(Failed(read_failure(response)))
        if status not in _OPEN:
            pieces += self._complete_others()
            pieces.append(End(read_finish(response, status)))
        return pieces

    def _other(self, kind: str, event: JsonObject) -> list[Piece]:
        """Read an event that adds no piece of a block by itself.

        Raises:
            ValueError: For an unknown event.
        """
        growth = GROWTH.get(kind.removeprefix("response."))
        if growth is not None:
            self.items.find(event, growth.kind).grow(growth, event)
        elif not event.keys() <= _PLACE_FIELDS:
            raise ValueError("no event of this API")
        return []

    def _output(self, output: Sequence[Any]) -> list[Piece]:
        """Return the items of a whole response that are new or differ from those in the stream."""
        if isinstance(output, (str, dict)):
            raise TypeError("output is a list")
        rows = self.items.match_items(list(output))
        return [piece for item, data in rows for piece in self._complete(item, data)]

    def _complete_others(self) -> list[Piece]:
        """Complete the items that only the end of the answer completes."""
        pieces: list[Piece] = []
        for item in self.items:
            if not item.complete and item.kind not in _STREAMED_KINDS:
                item.complete = True
                pieces += self._complete(item, item.build_item())
        return pieces

    def _complete(self, item: _Item, data: Json) -> list[Piece]:
        if isinstance(data, dict):
            blocks = wire_blocks.read_item(item.merge_late(data), self._issuer, self._raw)
        else:
            blocks = [(0, raw_item(data, self._issuer))]
        indexes = item.part_indexes(blocks[-1][0] + 1)
        pieces: list[Piece] = []
        for i, block in blocks:
            index = indexes[i]
            if type(block) is ToolUseBlock:
                # a server may end with another id (a test with such a stream names it), but
                # programs that read events have seen the first
                item.call_id = block.id = item.call_id or block.id
            previous = item.blocks.get(index)
            if previous == block:
                continue
            item.blocks[index] = block
            whole = index not in item.streamed or not _has_no_text(block)
            # the host does not repeat it: the streamed text stays, with the item's fields
            piece = block
            if not whole and type(block) is ThinkingBlock and previous is not None:
                # sealed data came in the stream already, and would be added twice
                piece = replace(block, signature=None, redacted=None)
            pieces += item.part(index, piece, whole)
        return pieces

    def _read_added(self, event: JsonObject) -> list[Piece]:
        data = event.get("item")
        if not isinstance(data, dict):
            return []  # an index that stays empty
        item = self.items.add_item(event, data)
        if item.kind not in _CALLS:
            return []
        if data.get(_CALLS[item.kind]):
            item.streamed.add(0)
        call = self._open_call(data)
        item.call_id = call.id
        call.spelling = call.spelling or item.id_note
        # a call without arguments has only begun; it must not be run if the stream breaks off here
        return item.part(0, call, 0 in item.streamed and not call.freeform)

    def _read_done(self, event: JsonObject) -> list[Piece]:
        return self._complete(self.items.finish_item(event, event["item"]), event["item"])

    def _open_call(self, data: JsonObject) -> ToolUseBlock:
        fields = {key: value for key, value in data.items() if key not in ("id", "status")}
        return wire_blocks.read_call(fields, self._issuer)

    def _call_text(self, event: JsonObject, kind: str = "function_call") -> list[Piece]:
        """Read a piece of the text of a call."""
        item = self.items.find(event, kind)
        item.streamed.add(0)
        call = ToolUseBlock("", "", raw_input=require_text(event["delta"]))
        call.freeform = kind != "function_call"
        return item.part(0, call)

    def _call_text_done(self, event: JsonObject, kind: str = "function_call") -> list[Piece]:
        """Read the complete text of a call."""
        item, key = self.items.find(event, kind), _CALLS[kind]
        text = event.get(key)
        if not isinstance(text, str) or (not text and 0 in item.streamed):
            return []
        name = {"name": event["name"]} if event.get("name") else {}
        item.data = {**name, "type": kind, **item.data, key: text}
        return item.part(0, self._open_call(item.data), True)

    def _refusal(self, event: JsonObject) -> list[Piece]:
        place = self._place(event)
        return self._delta(place, RefusalBlock(require_text(event["delta"])), event.get("logprobs"))

    def _delta(self, place: _Place, block: TextBlock | RefusalBlock, logprobs: Any) -> list[Piece]:
        """Return a piece of a part, if it is the first one or one with probabilities."""
        item, index = place
        if logprobs:
            item.late["logprobs"].setdefault(index, []).extend(logprobs)
        if not block.text:
            return []
        if not item.streamed:
            block.spelling = item.id_note
            if (phase := item.data.get("phase")) is not None:
                block.extras = {self._issuer: {"phase": phase}}
        item.streamed.add(index)
        return item.part(index, block)

    def _annotation(self, event: JsonObject) -> list[Piece]:
        data = event["annotation"]
        block = TextBlock("", [wire_blocks.read_citation(data, self._issuer)])
        item, index = self._place(event)
        item.late["annotations"].setdefault(index, []).append(data)
        item.streamed.add(index)
        return item.part(index, block)

    def _text_done(self, event: JsonObject) -> list[Piece]:
        """Read `output_text.done` and `refusal.done`."""
        item, index = self._place(event)
        key, kind = ("refusal", "refusal") if "refusal" in event else ("text", "output_text")
        if not event.get(key):
            return []
        return self._whole_part(item, index, {"type": kind, key: require_text(event[key])})

    def _part_added(self, event: JsonObject) -> list[Piece]:
        """Read the start of a part, which mostly is empty."""
        part = event["part"]
        kind = part.get("type")
        if self._is_thought(event, kind):
            return self._thought({**event, "delta": part.get("text") or ""})
        text = part.get("refusal" if kind == "refusal" else "text")
        if not text:
            return []
        cls = RefusalBlock if kind == "refusal" else TextBlock
        return self._delta(self._place(event), cls(require_text(text)), None)

    def _part_done(self, event: JsonObject) -> list[Piece]:
        part = event["part"]
        if self._is_thought(event, part.get("type")):
            return self._thought_done({**event, "text": part.get("text")})
        return self._whole_part(*self._place(event), part)

    def _whole_part(self, item: _Item, index: int, part: JsonObject) -> list[Piece]:
        block = wire_blocks.read_output_part(item.completed_part(index, part), self._issuer)
        if block is None or (not block.text and index in item.streamed):
            return []
        phase = item.data.get("phase")
        if phase is not None and not any(other < index for other in item.streamed):
            wire_blocks.add_extras(block, self._issuer, {"phase": phase})
        if not item.streamed:
            wire_blocks.add_spelling(block, item.id_note)
        item.streamed.add(index)
        return item.part(index, block, True)

    def _thought(self, event: JsonObject) -> list[Piece]:
        """Read a piece of thinking; each paragraph is counted separately."""
        item, text = self.items.find(event, "reasoning"), require_text(event["delta"])
        if not text:
            return []
        place = _paragraph(event)
        if place in item.paragraphs:
            item.paragraphs[place].append(text)
            return item.part(0, ThinkingBlock(text))
        block = ThinkingBlock(BREAK + text) if item.paragraphs else ThinkingBlock(text)
        block.spelling = None if item.paragraphs else item.id_note
        item.paragraphs[place] = [text]
        item.streamed.add(0)
        return item.part(0, block)

    def _thought_done(self, event: JsonObject) -> list[Piece]:
        """Read a whole paragraph of thinking; nothing remains if its pieces had all of it."""
        item, text = self.items.find(event, "reasoning"), require_text(event.get("text") or "")
        place = _paragraph(event)
        if not text or "".join(item.paragraphs.get(place, ())) == text:
            return []
        item.paragraphs[place] = [text]
        item.streamed.add(0)
        thinking = BREAK.join("".join(texts) for texts in item.paragraphs.values())
        return item.part(0, ThinkingBlock(thinking, spelling=item.id_note), True)

    def _audio(self, event: JsonObject) -> list[Piece]:
        item = self.items.find(event, "audio")
        return item.part(1, AudioBlock(Base64Source("audio/pcm", require_text(event["delta"]))))

    def _transcript(self, event: JsonObject) -> list[Piece]:
        item = self.items.find(event, "audio")
        return item.part(0, TextBlock(require_text(event["delta"]), spelling="transcript"))

    def _is_thought(self, event: JsonObject, kind: Any) -> bool:
        """Whether an event of a part of this kind is about thinking, which may be in any text."""
        if "summary_index" in event or kind in ("reasoning_text", "summary_text"):
            return True
        return self.items.is_reasoning(event)

    def _place(self, event: JsonObject) -> _Place:
        return self.items.find(event, "message"), _index(event.get("content_index") or 0)


def _has_no_text(block: ContentBlock) -> bool:
    if type(block) is ThinkingBlock:
        return not block.thinking
    if type(block) is ToolUseBlock:
        return not block.raw_input and not block.input
    return (type(block) is TextBlock or type(block) is RefusalBlock) and not block.text


def _paragraph(event: JsonObject) -> tuple[str, int]:
    """Return the field of a paragraph of thinking, and its index."""
    field = "summary" if "summary_index" in event else "content"
    return field, _index(event.get(f"{field}_index") or 0)


def _index(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("a place is a number")
    return value


_STARTS = frozenset({"response.created", "response.queued", "response.in_progress"})

# some backends of OpenAI's end with `done` (earendil-works/pi, openai-codex, 2026-11-28)
_ENDS = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.done": "completed",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}

_OPEN = frozenset({"queued", "in_progress", "cancelled"})  # no end yet, or an interrupted answer

_EVENT_FIELDS = {"type", "response", "sequence_number", "stream_id"}

_ERROR_FIELDS = ("error", "errors", "message", "detail", "code")
_PARTS = ("content_part", "reasoning_part", "reasoning_summary_part")
_THOUGHTS = ("reasoning_text", "reasoning_summary_text", "reasoning")  # the last: Open Responses
_HANDLERS: dict[str, Callable[[ResponsesReader, JsonObject], list[Piece]]] = {
    "response.output_item.added": ResponsesReader._read_added,
    "response.output_item.done": ResponsesReader._read_done,
    "response.output_text.done": ResponsesReader._text_done,
    "response.output_text.annotation.added": ResponsesReader._annotation,
    "response.refusal.delta": ResponsesReader._refusal,
    "response.refusal.done": ResponsesReader._text_done,
    "response.function_call_arguments.delta": ResponsesReader._call_text,
    "response.function_call_arguments.done": ResponsesReader._call_text_done,
    "response.custom_tool_call_input.delta": partial(
        ResponsesReader._call_text, kind="custom_tool_call"
    ),
    "response.custom_tool_call_input.done": partial(
        ResponsesReader._call_text_done, kind="custom_tool_call"
    ),
    "response.audio.delta": ResponsesReader._audio,
    "response.audio.transcript.delta": ResponsesReader._transcript,
    **{f"response.{name}.added": ResponsesReader._part_added for name in _PARTS},
    **{f"response.{name}.done": ResponsesReader._part_done for name in _PARTS},
    **{f"response.{name}.delta": ResponsesReader._thought for name in _THOUGHTS},
    **{f"response.{name}.done": ResponsesReader._thought_done for name in _THOUGHTS},
}
