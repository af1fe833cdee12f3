"""Writes answers of the Responses API as a stream of events.

`ItemEvents` in `item_events` has the events of one item: its announcement, its growing texts, its
end. An answer of another wire is written item by item (`_Composed`). One that was read from this
wire is written in the order of its own events (`ReplayedItems` in `replayed_items`), where pieces
of several items may alternate. `ResponsesEncoder` opens and closes the response.

Reference: OpenAI API, "Streaming events". Clients find an item by `output_index`, its parts by
`content_index`, and expect an item to keep the id that it was announced with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from ...losses import Report
from ...message import ChatRequest, ContentBlock, ImageBlock
from ...message.blocks import RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.client_tools import item_of_call, item_spelled
from ...stream.arguments import breaks_off
from ...stream.builder import Builder
from ...stream.open_block import Grow, Open, Shut, Step, Steps, argument_text
from ...stream.pieces import End, Failed, Meta, Part, Piece, Raw, created_second
from ...text.json_text import Json, JsonObject
from ..answers import OPENAI_ERRORS, OPENAI_OVERFLOW, AnswerEncoder, Event
from . import composed_items
from .answer_read import ID
from .answer_write import UNNAMED, ItemWriter, answer_seed
from .dialect import Dialect
from .item_events import ItemEvents, MakeEvent
from .replayed_items import ReplayedItems

# status of a response -> its last event; others end with `response.completed`
_CLOSING = {
    "incomplete": "response.incomplete",
    "failed": "response.failed",
    "cancelled": "response.failed",
    "error": "response.failed",
}


def _number_event(numbers: Iterator[int], kind: str, **fields: Any) -> Event:
    """Return one event of a stream, with its number."""
    return kind, {"type": kind, "sequence_number": next(numbers), **fields}


class _Composed:
    """The items of an answer of another wire, one after the other."""

    def __init__(self, make: MakeEvent, writer: ItemWriter) -> None:
        self._make = make
        self._writer = writer
        self._steps = Steps(writer.seed, writer.report)
        self._line: ItemEvents | None = None  # of the open item
        self._parts: list[JsonObject] | None = None  # of the open message
        # whether the open call holds text, and whether it has a form of its own
        self._freeform = self._own_form = False
        self.output: list[Json] = []
        self.call_broke = False
        self._broken = False  # the answer broke off

    def feed(self, part: Part) -> list[Event]:
        """Return the events for the piece."""
        return [event for step in self._steps.feed(part) for event in self._step(step)]

    def finish(self, ended: bool, truncated: bool, failed: bool) -> list[Event]:
        """Return the events that were held back, and the end of the open item.

        A call that is open when the answer failed, or was cut, gets no end.

        Args:
            ended: Whether the answer ended, and did not break off.
            truncated: Whether a limit ended the answer.
            failed: Whether the answer failed.
        """
        self._broken = truncated or not ended
        steps = self._steps.finish(broken=failed or not ended)
        events = [event for step in steps for event in self._step(step)]
        events += self._end_message("incomplete" if self._broken else "completed")
        for block in self._steps.untold:
            self._writer.report.add_loss("answer.unsupported", block)
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

    def _begin(self, prefix: str, item: JsonObject) -> tuple[ItemEvents, list[Event]]:
        """Begin an item: return its stream, and the event that announces it."""
        index = len(self.output)
        id = self._writer.id(prefix, index)
        self._line = line = ItemEvents(self._make, index, id, self._writer.raw)
        return line, line.begin_item(item)

    def _end(self, line: ItemEvents, item: Json) -> list[Event]:
        self._line = None
        self.output.append(item)
        return [line.event("output_item.done", item=item)]

    def _text(self, step: Step, block: TextBlock | RefusalBlock) -> list[Event]:
        """Write a text; nothing is sent before its first word, or an end that has fields."""
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
        """End the message, if one is open."""
        parts, self._parts = self._parts, None
        if parts is None or self._line is None:
            return []
        item = composed_items.answer_message(self._line.id or "", parts, {}, status)
        return self._end(self._line, item)

    def _thought(self, step: Step, block: ThinkingBlock) -> list[Event]:
        """Write thinking; nothing is sent while it has no readable text."""
        if type(step) is Open:  # the first piece comes again, as a step that grows
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
            item = {**composed_items.tool_call(block, ""), "status": "in_progress"}
            return self._begin("ctc" if block.freeform else "fc", item)[1]
        text = argument_text(block)
        if type(step) is Grow:
            return line.grow_block(0, replace(block, freeform=self._freeform), text)
        # arguments might still have come
        if (self._broken and not text) or (not block.freeform and breaks_off(text)):
            block = replace(block, unfinished=True)
            self.call_broke = True
        item = self._writer.call(line.id or "", block)
        whole: str = item["input" if block.freeform else "arguments"]
        events = line.grow_block(0, block, "" if text else whole)
        return [*events, line.call_done(block, whole), *self._end(line, item)]

    def _item_of_client(self, block: ToolUseBlock) -> list[Event]:
        """Write a call in a form of its own in one piece: no recorded events carry parts of it."""
        text = argument_text(block)
        if (self._broken and not text) or breaks_off(text):
            block = replace(block, unfinished=True)
            self.call_broke = True
        prefix = composed_items.call_prefix(block)
        item = self._writer.call(self._writer.id(prefix, len(self.output)), block)
        order = item_of_call(block, None) if item["type"] == item_spelled(block) else item
        line, events = self._begin(prefix, {**(order or item), "status": "in_progress"})
        return events + self._end(line, item)

    def _other(self, block: ContentBlock) -> list[Event]:
        """Write an item of this wire's own in one piece; any other is a loss."""
        own = type(block) is RawBlock and self._writer.reader_issuer(block)
        item = block.data if type(block) is RawBlock and own else None
        if type(block) is ImageBlock:
            item = self._writer.drawing(block, len(self.output))
        if not isinstance(item, dict):
            self._writer.report.add_loss("answer.unsupported", block)
            return []
        id = item["id"] if isinstance(item.get("id"), str) else None
        line = ItemEvents(self._make, len(self.output), id, self._writer.raw)
        return line.begin_item(item) + self._end(line, item)


class ResponsesEncoder(AnswerEncoder[ItemWriter]):
    """Writes one answer."""

    def __init__(self, report: Report, dialect: Dialect, request: ChatRequest | None) -> None:
        super().__init__(ItemWriter(dialect, report, ""), request)
        self._dialect = dialect
        # no bound method, which the writer of the items would hold: each would keep the other alive
        self._event: MakeEvent = partial(_number_event, count())
        self._begun = False  # a piece has shown which wire the answer was read from
        self._items: ReplayedItems | _Composed | None = None  # once the answer is open
        self._id: str | None = None
        self._model: str | None = None
        self._created: Any = None
        self._ended = False
        self._failed = False  # with an error of another wire

    def feed(self, piece: Piece) -> list[Event]:
        """Return the events for the piece: a response has one candidate, and ends with it."""
        if not self._begun:
            self._begin(piece)
        candidate = piece.key[0] if type(piece) is Part else getattr(piece, "candidate", None)
        if candidate:
            self.writer.lost_once("answer.candidates", piece, what=f"candidate {candidate}")
            return []
        return self.part(piece) if type(piece) is Part else super().feed(piece)

    def _begin(self, piece: Piece) -> None:
        """Find out whether this wire's reader read the answer: it marks the first piece."""
        issuers = self.writer.issuers
        issuer = piece.issuer if type(piece) is Meta else ""
        if type(piece) is Part:
            note = piece.block.spelling or ""
            issuer = self.writer.reader_issuer(piece.block) or (issuers[0] if ID in note else "")
        self._begun = True
        self.writer.own = issuer in issuers
        self.about = Builder(issuer, beside=True)

    def part(self, piece: Part) -> list[Event]:
        """Write a part of a block; in an own answer, a part outside of the items has no event."""
        if self.writer.own and len(piece.key) > 1 and piece.key[1] < 0:
            self.about.add(piece)
            return []
        events, items = self._open()
        return events + items.feed(piece)

    def meta(self, piece: Meta) -> list[Event]:
        """Take the answer's id, model and time; the response opens once these are known."""
        self.about.add(piece)
        self._id = self._id or piece.id
        self._model = self._model or piece.model
        fields = piece.extras or {}
        self.writer.pending.extend(self.writer.tokens(piece))
        if piece.candidate is None and self._created is None:
            self._created = fields.get("created_at") if self.writer.own else created_second(fields)
        # otherwise it may come with the next piece
        timed = self.writer.own or self._created is not None
        return self._open()[0] if self._id and self._model and timed else []

    def write_end(self, piece: End) -> list[Event]:
        """Store why the answer ended, for its last event."""
        self.about.add(piece)
        self._ended = True
        return []

    def write_failure(self, piece: Failed) -> list[Event]:
        """Send `error` in the form of the API and in that of the SDK's type, which differ."""
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
        """Send an unknown event of this wire unchanged; one of another wire is a loss."""
        if self.writer.own and not piece.at:
            return [*self._open()[0], (piece.event, piece.payload)]
        return super().write_unknown(piece)

    def _open(self) -> tuple[list[Event], ReplayedItems | _Composed]:
        """Open the response: return its first events, once, and the writer of its items."""
        if self._items is not None:
            return [], self._items
        own = self.writer.own
        if not self._id:
            self.report.add_loss("answer.field", self.about, "id")
        self.writer.seed = self._id or UNNAMED
        self._items = (ReplayedItems if own else _Composed)(self._event, self.writer)
        response: JsonObject = {"id": self.writer.seed, "object": "response"}
        # otherwise the reader would take a made-up time for the provider's
        if self._created is not None or not own:
            response["created_at"] = self._created or self.report.second
        response |= {"status": "in_progress", **self.writer.defaults}
        response |= {"model": self._model or self.requested_model, "output": [], "usage": None}
        names = ("response.created", "response.in_progress")
        return [self._event(name, response=response) for name in names], self._items

    def finish(self) -> list[Event]:
        """Return the ends of the items, and the whole response if it is complete or failed."""
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
                self.report.add_loss("answer.finish", resp, "status", what="a call that breaks off")
            kind = _CLOSING.get(response.get("status", ""), "response.completed")
            events.append(self._event(kind if whole else "response.in_progress", response=response))
        end = whole and self._dialect.form == "open"  # "Streaming HTTP Responses": it MUST be
        return [*events, (None, "[DONE]")] if end else events
