"""Answers of the Responses API as a stream of events.

`_Line` has the events of one item: its announcement, its texts as they grow, its end. An answer of
another wire is written item after item (`_Composed`); one that was read from this wire is written
as its own events told it (`_Replayed`), where the pieces of several items may mix. Around them
`ResponsesEncoder` opens and closes the response.

Reference: OpenAI API, "Streaming events". Clients find an item by `output_index`, its parts by
`content_index`, and want an item to keep the id that it was announced with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, TypeAlias

from ...losses import Report
from ...message import AudioBlock, ChatRequest, ContentBlock, ImageBlock
from ...message.answer import total
from ...message.blocks import RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.client_tools import item_of_call, item_spelled
from ...message.media import Base64Source
from ...stream.arguments import breaks_off
from ...stream.builder import Builder
from ...stream.open_block import Grow, Open, Shut, Step, Steps, argument_text
from ...stream.pieces import End, Failed, Meta, Part, Piece, Raw, created_second
from ...text.json_text import Json, JsonObject
from ..answers import OPENAI_ERRORS, OPENAI_OVERFLOW, AnswerEncoder, Event
from . import blocks as wire_blocks
from .answer_read import ID
from .answer_write import UNNAMED, ItemWriter, answer_seed
from .dialect import Dialect

# of blocks that grow, but not in `text`
_TEXT_FIELDS = {"thinking": "thinking", "tool_use": "raw_input"}

_Make: TypeAlias = Callable[..., Event]  # an event of a kind, with its fields and its number

# type of a part that grows -> the field of its index, the events of the part and of its text
_PART_EVENTS = {
    "output_text": ("content_index", "content_part", "output_text"),
    "refusal": ("content_index", "content_part", "refusal"),
    "reasoning_text": ("content_index", "content_part", "reasoning_text"),
    "summary_text": ("summary_index", "reasoning_summary_part", "reasoning_summary_text"),
}


def _call_event(block: ToolUseBlock) -> str:
    """What the events of the text of a call begin with."""
    return "custom_tool_call_input" if block.freeform else "function_call_arguments"


def _number_event(numbers: Iterator[int], kind: str, **fields: Any) -> Event:
    """One event of a stream, with its number."""
    return kind, {"type": kind, "sequence_number": next(numbers), **fields}


class _Line:
    """The events of one item of the output; `raw`: thoughts are text of their own."""

    def __init__(self, make: _Make, index: int, id: str | None, raw: bool) -> None:
        self.id = id
        self._index = index
        self._make = make
        self._indexes: dict[int, int] = {}  # of a block -> its part's in the content
        self._annotations: dict[int, int] = {}  # index of a block -> how many it has
        self._thought = "reasoning_text" if raw else "summary_text"

    def begin_item(self, item: JsonObject) -> list[Event]:
        """The item begins."""
        id = {"id": self.id} if self.id is not None else {}
        return [self.event("output_item.added", item={**item, **id})]

    def grow_block(
        self, index: int, block: ContentBlock, text: str, logprobs: Json = ()
    ) -> list[Event]:
        """A piece of a block; the part of a text or a thought begins with its first one."""
        fields: JsonObject = {"delta": text}
        if type(block) is TextBlock:
            kind = "output_text"
            fields["logprobs"] = list(logprobs)
        elif type(block) is ThinkingBlock:
            kind, index = self._thought, next(iter(self._indexes), 0)
        elif type(block) is RefusalBlock:
            kind = "refusal"
        else:
            if type(block) is not ToolUseBlock or not text:
                return []
            return [self.part(f"{_call_event(block)}.delta", **fields)]
        field, part_event, text_event = _PART_EVENTS[kind]
        events: list[Event] = []
        is_first = index not in self._indexes
        place = {field: self._indexes.setdefault(index, len(self._indexes))}
        if is_first:
            part: JsonObject = {"type": kind, "refusal" if kind == "refusal" else "text": ""}
            part |= {"annotations": [], "logprobs": []} if kind == "output_text" else {}
            events.append(self.part(f"{part_event}.added", **place, part=part))
        if text or logprobs:
            events.append(self.part(f"{text_event}.delta", **place, **fields))
        return events

    def annotation(self, index: int, annotation: Json) -> Event:
        """One more annotation of a text."""
        count = self._annotations.get(index, 0)
        self._annotations[index] = count + 1
        place = {"content_index": self._indexes[index], "annotation_index": count}
        return self.part("output_text.annotation.added", **place, annotation=annotation)

    def part_done(self, index: int, part: Json) -> list[Event]:
        """A part is whole."""
        kind = part["type"] if part["type"] in _PART_EVENTS else "output_text"
        field, part_event, text_event = _PART_EVENTS[kind]
        key = "refusal" if kind == "refusal" else "text"
        fields = {field: self._indexes[index], key: part[key]}
        if kind == "output_text":
            fields["logprobs"] = part.get("logprobs") or []
        done = self.part(f"{text_event}.done", **fields)
        return [done, self.part(f"{part_event}.done", **{field: fields[field]}, part=part)]

    def call_done(self, block: ToolUseBlock, text: str) -> Event:
        """All of the text of a call."""
        whole = {"input": text} if block.freeform else {"arguments": text, "name": block.name}
        return self.part(f"{_call_event(block)}.done", **whole)

    def thought_done(self, text: str) -> list[Event]:
        """All of the thinking, if any was told."""
        part = {"type": self._thought, "text": text}
        return self.part_done(next(iter(self._indexes)), part) if self._indexes else []

    def event(self, kind: str, **fields: Any) -> Event:
        """An event of the item."""
        return self._make(f"response.{kind}", output_index=self._index, **fields)

    def part(self, kind: str, **fields: Any) -> Event:
        """An event of what is in the item."""
        return self.event(kind, item_id=self.id or "", **fields)


class _Composed:
    """The items of an answer of another wire, one after the other."""

    def __init__(self, make: _Make, writer: ItemWriter) -> None:
        self._make = make
        self._writer = writer
        self._steps = Steps(writer.seed, writer.report)
        self._line: _Line | None = None  # of the item that is open
        self._parts: list[JsonObject] | None = None  # of the message that is open
        self._freeform = self._own_form = False  # of the call that is open: text, or of its own
        self.output: list[Json] = []
        self.call_broke = False
        self._broken = False  # the answer broke off

    def feed(self, part: Part) -> list[Event]:
        """The events that the piece makes."""
        return [event for step in self._steps.feed(part) for event in self._step(step)]

    def finish(self, ended: bool, truncated: bool, failed: bool) -> list[Event]:
        """What waited, and the end of the open item; `truncated`: a limit ended the answer.

        A call that is open when the answer failed, or was cut, has no end.
        """
        self._broken = truncated or not ended
        steps = self._steps.finish(broken=failed or not ended)
        events = [event for step in steps for event in self._step(step)]
        events += self._end_message("incomplete" if self._broken else "completed")
        for block in self._steps.untold:
            self._writer.report.lost("answer.unsaid", block)
        self._steps.untold.clear()
        return events

    def _step(self, step: Step) -> list[Event]:
        block = step.block
        if type(block) is TextBlock or type(block) is RefusalBlock:
            return self._text(step, block)
        events = self._end_message("completed") if type(step) is Open else []
        if type(block) is ThinkingBlock:
            return events + self._thought(step, block)
        if type(block) is ToolUseBlock:
            return events + self._call(step, block)
        return events + (self._other(block) if type(step) is Shut else [])

    def _begin(self, prefix: str, item: JsonObject) -> tuple[_Line, list[Event]]:
        """(the line of an item, the event that announces it)."""
        index = len(self.output)
        id = self._writer.id(prefix, index)
        self._line = line = _Line(self._make, index, id, self._writer.raw)
        return line, line.begin_item(item)

    def _end(self, line: _Line, item: Json) -> list[Event]:
        self._line = None
        self.output.append(item)
        return [line.event("output_item.done", item=item)]

    def _text(self, step: Step, block: TextBlock | RefusalBlock) -> list[Event]:
        """Nothing, until there is a word, or an end that says something."""
        part = self._writer.part(block) if type(step) is Shut else None
        if part is None and not (type(step) is Grow and block.text):
            return []
        line = self._line
        events: list[Event] = []
        if self._parts is None or line is None:  # no message is open
            self._parts = []
            item = {"type": "message", "status": "in_progress", "role": "assistant", "content": []}
            line, events = self._begin("msg", item)
        if part is None:
            return events + line.grow_block(step.index, block, block.text)
        self._parts.append(part)
        events += line.grow_block(step.index, block, "")
        events += [line.annotation(step.index, entry) for entry in part.get("annotations", ())]
        return events + line.part_done(step.index, part)

    def _end_message(self, status: str) -> list[Event]:
        """The end of the message, if one is open."""
        parts, self._parts = self._parts, None
        if parts is None or self._line is None:
            return []
        item = wire_blocks.answer_message(self._line.id or "", parts, {}, status)
        return self._end(self._line, item)

    def _thought(self, step: Step, block: ThinkingBlock) -> list[Event]:
        """Nothing, as long as nothing can be read."""
        if type(step) is Open:  # the first piece is told once more, as it grows
            return []
        line = self._line
        events: list[Event] = []
        readable = (
            block.thinking if type(step) is Grow else self._writer.read_seal(block) is not None
        )
        if line is None and readable:
            line, events = self._begin("rs", {"type": "reasoning", "summary": []})
        if type(step) is Grow:
            return events + (line.grow_block(0, block, block.thinking) if line is not None else [])
        item = self._writer.reasoning(line.id or "" if line is not None else "", block)
        if item is None or line is None:
            return []
        return events + line.thought_done(block.thinking) + self._end(line, item)

    def _call(self, step: Step, block: ToolUseBlock) -> list[Event]:
        line = self._line
        if type(step) is Open:
            self._own_form = item_spelled(block) is not None
        if self._own_form:
            return self._item_of_client(block) if type(step) is Shut else []
        if type(step) is Open or line is None:
            self._freeform = block.freeform
            item = {**wire_blocks.tool_call(block, ""), "status": "in_progress"}
            return self._begin("ctc" if block.freeform else "fc", item)[1]
        text = argument_text(block)
        if type(step) is Grow:
            return line.grow_block(0, replace(block, freeform=self._freeform), text)
        # there may have been arguments to come
        if (self._broken and not text) or (not block.freeform and breaks_off(text)):
            block = replace(block, unfinished=True)
            self.call_broke = True
        item = self._writer.call(line.id or "", block)
        whole: str = item["input" if block.freeform else "arguments"]
        events = line.grow_block(0, block, "" if text else whole)
        return [*events, line.call_done(block, whole), *self._end(line, item)]

    def _item_of_client(self, block: ToolUseBlock) -> list[Event]:
        """A call in a form of its own, in one piece: recorded ones grow in no events."""
        text = argument_text(block)
        if (self._broken and not text) or breaks_off(text):
            block = replace(block, unfinished=True)
            self.call_broke = True
        prefix = wire_blocks.call_prefix(block)
        item = self._writer.call(self._writer.id(prefix, len(self.output)), block)
        order = item_of_call(block, None) if item["type"] == item_spelled(block) else item
        line, events = self._begin(prefix, {**(order or item), "status": "in_progress"})
        return events + self._end(line, item)

    def _other(self, block: ContentBlock) -> list[Event]:
        """An item of this wire's own, in one piece; anything else is a loss."""
        own = type(block) is RawBlock and self._writer.reader_issuer(block)
        item = block.data if type(block) is RawBlock and own else None
        if type(block) is ImageBlock:
            item = self._writer.drawing(block, len(self.output))
        if not isinstance(item, dict):
            self._writer.report.lost("answer.unsaid", block)
            return []
        id = item["id"] if isinstance(item.get("id"), str) else None
        line = _Line(self._make, len(self.output), id, self._writer.raw)
        return line.begin_item(item) + self._end(line, item)


class _OpenItem:
    """One item: the pieces of its blocks, and what went out of them."""

    def __init__(self, line: _Line) -> None:
        self.line = line
        self.pieces: dict[int, list[ContentBlock]] = {}  # by the index of the block
        self.texts: dict[int, list[str]] = {}
        self.complete = False  # its end was told
        self.closed = False

    @property
    def is_call(self) -> bool:
        """Whether it is one that clients run."""
        return any(type(pieces[0]) is ToolUseBlock for pieces in self.pieces.values())

    @property
    def has_own_form(self) -> bool:
        """Whether it is a call in a form of its own, which grows in no events."""
        firsts = (pieces[0] for pieces in self.pieces.values())
        return any(type(one) is ToolUseBlock and item_spelled(one) for one in firsts)

    @property
    def blocks(self) -> dict[int, ContentBlock]:
        """The blocks so far, in their order."""
        return {index: total(self.pieces[index]) for index in sorted(self.pieces)}

    def add_text(self, index: int, part: Part) -> bool:
        """Keep one more piece of a text that says no more than that."""
        block, pieces = part.block, self.pieces.get(index)
        if pieces is None or type(block) is not TextBlock or type(pieces[0]) is not TextBlock:
            return False
        if part.whole or self.complete or block.extras is not None or block.spelling is not None:
            return False
        pieces.append(block)
        return True


class _Replayed:
    """The items of an answer that was read from this wire."""

    def __init__(self, make: _Make, writer: ItemWriter) -> None:
        self._make = make
        self._writer = writer
        self._items: dict[int, _OpenItem] = {}
        self._sounds: set[int] = set()  # positions of sound, which is no item

    def _sound(self, part: Part) -> list[Event]:
        """The event of a piece of sound, or of what is said in it, which no response has whole."""
        block = part.block
        self._sounds.add(part.key[1])
        if type(block) is AudioBlock and type(block.source) is Base64Source:
            return [self._make("response.audio.delta", delta=block.source.data)]
        return [self._make("response.audio.transcript.delta", delta=getattr(block, "text", ""))]

    def feed(self, part: Part) -> list[Event]:
        """The events that the piece makes."""
        block, position = part.block, part.key[1]
        index = part.key[2] if len(part.key) > 2 else 0
        item = self._items.get(position)
        if item is not None and item.add_text(index, part):
            return self._grow_item(item, index, part)  # the usual piece of a text
        if type(block) is AudioBlock or position in self._sounds:
            return self._sound(part)
        events: list[Event] = []
        if item is None:
            for other in self._items.values():
                if other.complete and not other.closed:
                    events += self._close(other)
            item = self._items[position] = _OpenItem(self._line(position, block))
            events += item.line.begin_item(self._announcement(block))
        pieces = item.pieces.get(index)
        if pieces is not None and not part.whole and type(pieces[0]) is type(block):
            pieces.append(block)
        else:
            item.pieces[index] = [block]
        item.complete = item.complete or self._completes(block)
        if not item.closed:
            events += self._grow_item(item, index, part)
            # of a message more parts may be told
            if item.complete and block.type not in ("text", "refusal"):
                events += self._close(item)
        return events

    def finish(self, ended: bool, truncated: bool, failed: bool) -> list[Event]:
        """The ends of the items; if the answer broke off, of those whose end was told.

        Whether it was `truncated` the items say themselves. No call ends because it `failed`.
        """
        items = [
            item
            for item in self._items.values()
            if item.complete or (ended and not (failed and item.is_call))
        ]
        return [event for item in items if not item.closed for event in self._close(item)]

    @property
    def output(self) -> list[Json]:
        """All items, as they are at last."""
        return [self._data(self._items[position]) for position in sorted(self._items)]

    def _fields(self, block: ContentBlock) -> JsonObject:
        return (block.extras or {}).get(self._issuer(block), {})

    def _issuer(self, block: ContentBlock) -> str:
        return self._writer.reader_issuer(block) or self._writer.issuer

    def _line(self, position: int, block: ContentBlock) -> _Line:
        notes = wire_blocks.spellings(block)
        note = next((note for note in notes if note.startswith(ID)), "")
        fields: Any = self._fields(block) if type(block) is not RawBlock else block.data
        id = note.removeprefix(ID) or (fields.get("id") if isinstance(fields, dict) else None)
        return _Line(self._make, position, id if isinstance(id, str) else None, self._writer.raw)

    def _announcement(self, block: ContentBlock) -> JsonObject:
        """The item as it is announced."""
        if type(block) is RawBlock:
            return block.data if isinstance(block.data, dict) else {}
        if type(block) is ThinkingBlock:
            return {"type": "reasoning", "summary": []}
        if type(block) is ImageBlock:
            return {**self._fields(block), "status": "in_progress", "result": None}
        if type(block) is ToolUseBlock:
            if (own := item_of_call(block, None)) is not None:
                return {**own, "status": "in_progress"}
            [item] = wire_blocks.items_as_read([block], self._issuer(block), self._writer.raw)
            text_key = "input" if block.freeform else "arguments"
            return {**item, "status": "in_progress", text_key: ""}
        fields = self._fields(block)
        phase = {"phase": fields["phase"]} if "phase" in fields else {}
        return {
            "type": "message",
            "status": "in_progress",
            **phase,
            "role": "assistant",
            "content": [],
        }

    def _completes(self, block: ContentBlock) -> bool:
        """Whether the piece tells of the end of its item: only then its own fields are known."""
        if type(block) is RawBlock or type(block) is ImageBlock:
            return True
        fields = self._fields(block)
        return "id" in fields or "status" in fields or "item" in wire_blocks.spellings(block)

    def _grow_item(self, item: _OpenItem, index: int, part: Part) -> list[Event]:
        block = part.block
        text: str = getattr(block, _TEXT_FIELDS.get(block.type, "text"), None) or ""
        texts = item.texts.setdefault(index, [])
        if part.whole:
            previous = "".join(texts)
            if not text.startswith(previous):
                return []  # its end will say so
            text = text[len(previous) :]
        if text:
            texts.append(text)
        if item.has_own_form or (type(block) is ThinkingBlock and not texts):
            return []
        if type(block) is not TextBlock or part.whole:
            return item.line.grow_block(index, block, text)
        logprobs: Sequence[Json] = ()
        if block.extras is not None and not self._completes(block):
            logprobs = self._fields(block).get("logprobs", ())
        events = item.line.grow_block(index, block, text, logprobs)
        for citation in block.citations or ():
            data = wire_blocks.write_citation(citation, (self._issuer(block),), as_read=True)
            events.append(item.line.annotation(index, data))
        return events

    def _close(self, item: _OpenItem) -> list[Event]:
        item.closed = True
        data = self._data(item)
        events: list[Event] = []
        for index, block in item.blocks.items():
            if type(block) is ThinkingBlock:
                events += item.line.thought_done(block.thinking)
            elif type(block) is ToolUseBlock:
                text = data.get("input" if block.freeform else "arguments")
                if isinstance(text, str) and not item.has_own_form:
                    events.append(item.line.call_done(block, text))
            elif block.type in ("text", "refusal"):
                part = wire_blocks.output_part_as_read(block, self._issuer(block))
                events += item.line.part_done(index, part)
        return [*events, item.line.event("output_item.done", item=data)]

    def _data(self, item: _OpenItem) -> Json:
        blocks = [*item.blocks.values()]
        issuer = self._issuer(blocks[0])
        data = wire_blocks.items_as_read(blocks, issuer, self._writer.raw)[0]
        if item.line.id is None or not isinstance(data, dict) or data.get("id") == item.line.id:
            return data
        if "id" in data:  # a host that calls the item otherwise in every event: clients would not
            self._writer.report.lost("answer.unsaid", blocks[0], f"extras.{issuer}.id")
        return {**data, "id": item.line.id}


_CLOSING = {
    "incomplete": "response.incomplete",
    "failed": "response.failed",
    "cancelled": "response.failed",
    "error": "response.failed",
}


class ResponsesEncoder(AnswerEncoder[ItemWriter]):
    """Writes one answer."""

    def __init__(self, report: Report, dialect: Dialect, request: ChatRequest | None) -> None:
        super().__init__(ItemWriter(dialect, report, ""), request)
        self._dialect = dialect
        # no method, for what writes the items holds it: each would keep the other alive
        self._event: _Make = partial(_number_event, count())
        self._begun = False  # a piece showed whose answer it is
        self._items: _Replayed | _Composed | None = None  # once the answer is open
        self._id: str | None = None
        self._model: str | None = None
        self._created: Any = None
        self._ended = False
        self._failed = False  # with an error of another wire

    def feed(self, piece: Piece) -> list[Event]:
        """The events that the piece makes: a response has one candidate, and ends as it does."""
        if not self._begun:
            self._begin(piece)
        candidate = piece.key[0] if type(piece) is Part else getattr(piece, "candidate", None)
        if candidate:
            self.writer.lost_once("answer.candidates", piece, what=f"candidate {candidate}")
            return []
        return self.part(piece) if type(piece) is Part else super().feed(piece)

    def _begin(self, piece: Piece) -> None:
        """Look whose pieces these are: this wire's reader names itself with the first of them."""
        issuers = self.writer.issuers
        issuer = piece.issuer if type(piece) is Meta else ""
        if type(piece) is Part:
            note = piece.block.spelling or ""
            issuer = self.writer.reader_issuer(piece.block) or (issuers[0] if ID in note else "")
        self._begun = True
        self.writer.own = issuer in issuers
        self.about = Builder(issuer, beside=True)

    def part(self, piece: Part) -> list[Event]:
        """A part of a block; in an answer of this wire, one beside the items has no event."""
        if self.writer.own and len(piece.key) > 1 and piece.key[1] < 0:
            self.about.add(piece)
            return []
        events, items = self._open()
        return events + items.feed(piece)

    def meta(self, piece: Meta) -> list[Event]:
        """What the answer is called; it opens once its id, model and time are known."""
        self.about.add(piece)
        self._id = self._id or piece.id
        self._model = self._model or piece.model
        fields = piece.extras or {}
        self.writer.pending.extend(self.writer.tokens(piece))
        if piece.candidate is None and self._created is None:
            self._created = fields.get("created_at") if self.writer.own else created_second(fields)
        timed = self.writer.own or self._created is not None  # else it may come in the next piece
        return self._open()[0] if self._id and self._model and timed else []

    def write_end(self, piece: End) -> list[Event]:
        """Why the answer ended: its last event says so."""
        self.about.add(piece)
        self._ended = True
        return []

    def write_failure(self, piece: Failed) -> list[Event]:
        """`error`, in the form that is sent and in that of the SDK's type, which differ."""
        self.about.add(piece)
        events, _ = self._open()
        error, body = piece.error, piece.error.body
        if self.writer.own and isinstance(body, dict):
            return events if "output" in body or "status" in body else [*events, ("error", body)]
        self._failed = not self.writer.own
        kind, code = OPENAI_ERRORS.get(error.kind, (error.type or "server_error", ""))
        code = code or error.code or error.type
        fields = {"code": code or None, "message": OPENAI_OVERFLOW.message(error), "param": None}
        sent = {"type": kind, **fields}
        return [*events, self._event("error", error=sent, **fields)]

    def write_unknown(self, piece: Raw) -> list[Event]:
        """An event that no reader knows: in an answer of this wire, as it came."""
        if self.writer.own and not piece.at:
            return [*self._open()[0], (piece.event, piece.payload)]
        return super().write_unknown(piece)

    def _open(self) -> tuple[list[Event], _Replayed | _Composed]:
        """(the first events, once; what writes the items)."""
        if self._items is not None:
            return [], self._items
        own = self.writer.own
        if not self._id:
            self.report.lost("answer.field", self.about, "id")
        self.writer.seed = self._id or UNNAMED
        self._items = (_Replayed if own else _Composed)(self._event, self.writer)
        response: JsonObject = {"id": self.writer.seed, "object": "response"}
        if self._created is not None or not own:  # else the reader would take it for told
            response["created_at"] = self._created or self.report.second
        response |= {"status": "in_progress", **self.writer.defaults}
        response |= {"model": self._model or self.requested_model, "output": [], "usage": None}
        names = ("response.created", "response.in_progress")
        return [self._event(name, response=response) for name in names], self._items

    def finish(self) -> list[Event]:
        """The ends of the items, and the response as a whole if it came to its end, or failed."""
        if self._items is None and not self._ended:
            return []
        events, items = self._open()
        resp = self.about.finish()
        failed = self._failed or resp.finish.reason == "error"
        events += items.finish(self._ended, resp.status == "truncated", failed)
        resp.id = resp.id or (None if self.writer.own else UNNAMED)
        whole = self._ended or self._failed
        if whole or self.writer.own:  # what was known when it broke off
            writer = ItemWriter(self._dialect, self.report, answer_seed(resp), self.writer.own)
            output = items.output if whole else []
            response = writer.response(resp, output, self.requested_model)
            broke = type(items) is _Composed and items.call_broke
            if broke and response["status"] == "completed":
                response["status"] = "incomplete"
                self.report.lost("answer.finish", resp, "status", what="a call that breaks off")
            kind = _CLOSING.get(response.get("status", ""), "response.completed")
            events.append(self._event(kind if whole else "response.in_progress", response=response))
        end = whole and self._dialect.form == "open"  # "Streaming HTTP Responses": it MUST be
        return [*events, (None, "[DONE]")] if end else events
