"""Writes streams of answers: the events of Cohere's chat.

Items, calls and citations have an index each, the plan has none; the reason, the figures and an
error are in the last event. Reference: Cohere API, "Chat with Streaming".
"""

from __future__ import annotations

from ... import message as tree
from ...errors import ProviderError
from ...losses import Report
from ...message import ChatRequest, ContentBlock, Finish
from ...stream.open_block import Grow, Open, Step, Steps, argument_text
from ...stream.pieces import End, Failed, Key, Meta, Part
from ...text.json_text import Json, JsonObject
from ..answers import EVENTS, AnswerEncoder, Event
from .answer_write import CohereWriter, error_type
from .blocks import PLAN
from .dialect import Dialect
from .usage import write_usage

# the blocks that grow: the type of their item, and the key of the text in it
_TEXT_FIELDS: dict[type[ContentBlock], str] = {
    tree.TextBlock: "text",
    tree.RefusalBlock: "text",
    tree.ThinkingBlock: "thinking",
}


class CohereEncoder(AnswerEncoder[CohereWriter]):
    """Writes one answer, with only the first candidate."""

    def __init__(self, report: Report, dialect: Dialect, request: ChatRequest | None) -> None:
        super().__init__(CohereWriter(report, dialect.reads_items_of, own=False), request)
        self._steps = Steps(report=report)
        self._id: str | None = None
        self._begun = False
        self._items = self._calls = self._citations = 0
        self._written: dict[Key, int] = {}  # how many citations of a block were written
        self._end: Finish | None = None
        self._error: ProviderError | None = None

    def part(self, piece: Part) -> list[Event]:
        """Return the events for a part of a block."""
        if piece.key[0] == 0:
            return self._events(self._steps.feed(piece))
        self.writer.lost_once("answer.candidates", piece, what=f"candidate {piece.key[0]}")
        return []

    def write_end(self, piece: End) -> list[Event]:
        """Store the reason, which is in the last event."""
        if piece.candidate == 0:
            self._end = piece.finish
        return []

    def write_failure(self, piece: Failed) -> list[Event]:
        """Store the error, which is in the last event."""
        self._error = self._error or piece.error
        return []

    def meta(self, piece: Meta) -> list[Event]:
        """Store fields of the answer for the last event; those of its message are lost."""
        ours = self.writer.reads(piece.issuer)
        self.writer.own = self.writer.own or ours
        self._id = self._id or piece.id
        if piece.model is not None:
            self.writer.lost_once("answer.unsupported", piece, "model")
        if not ours:
            self.foreign(piece, piece.extras or {})
        elif piece.candidate is None:
            self.about.add(Meta(piece.extras, joined=piece.joined))
        else:
            for key in piece.extras or {}:
                self.writer.lost_once("answer.unsupported", piece, f"extras.{piece.issuer}.{key}")
        return []

    def finish(self) -> list[Event]:
        """Return what was held, why it ended with the figures, and the end of the stream."""
        broken = self._end is None or self._error is not None
        events = self._events(self._steps.finish(broken))
        for block in self._steps.untold:
            self.report.add_loss("answer.unsupported", block, what="what came behind its block")
        if self._end is None and self._error is None:
            return events  # it broke off
        resp = self.about.finish()
        extras = self.writer.fields(resp)
        extras.pop(EVENTS, None)
        reason: str | None = "ERROR"
        if self._end is not None:
            reason = self.writer.finish_reason(self._end, self._end) or "COMPLETE"
        usage = write_usage(resp.usage, self.writer)
        delta = {"finish_reason": reason, "usage": usage, **extras}
        if self._error is not None:
            delta["error"] = self._error.message
            if not self.writer.own:
                delta |= error_type(self._error)
            elif self._error.type:
                delta["error_type"] = self._error.type
        return [*events, *self._start(), _event("message-end", delta=delta), (None, "[DONE]")]

    def _start(self) -> list[Event]:
        """Return the first event, with an empty message; another wire's answer gets an id."""
        if self._begun:
            return []
        self._begun = True
        if self._id is None and not self.writer.own:
            self.writer.lost_once("answer.field", self.about, "id")
            self._id = "unknown"
        self._steps.seed = self._steps.seed or self._id or ""
        id = {} if self._id is None else {"id": self._id}
        message: JsonObject = {
            "role": "assistant",
            "content": [],
            "tool_plan": "",
            "tool_calls": [],
            "citations": [],
        }
        return [_event("message-start", **id, delta={"message": message})]

    def _events(self, steps: list[Step]) -> list[Event]:
        events: list[Event] = []
        for step in steps:
            events += self._start()
            if type(step) is Open:
                events += self._begin(step.block)
            elif type(step) is Grow:
                events += self._grow(step.block, step.key)
            else:
                events += self._finish(step.block)
        return events

    def _is_plan(self, block: ContentBlock) -> bool:
        return self.writer.own and type(block) is tree.TextBlock and block.spelling == PLAN

    def _begin(self, block: ContentBlock) -> list[Event]:
        """Return the start of a text, of thinking or of a call; a plan has none."""
        if type(block) is tree.ToolUseBlock:
            call = self.writer.call(block)
            call["function"] = {**call["function"], "arguments": ""}
            return [_delta("tool-call-start", self._calls, tool_calls=call)]
        kind = _TEXT_FIELDS.get(type(block))
        if kind is None or self._is_plan(block):
            return []
        return [_delta("content-start", self._items, content={"type": kind, kind: ""})]

    def _grow(self, block: ContentBlock, key: Key) -> list[Event]:
        if type(block) is tree.ToolUseBlock:
            if not (text := argument_text(block)):
                return []
            call = {"function": {"arguments": text}}
            return [_delta("tool-call-delta", self._calls, tool_calls=call)]
        kind = _TEXT_FIELDS.get(type(block))
        if kind is None:
            return []
        text = getattr(block, kind)
        if self._is_plan(block):
            event, index = _delta("tool-plan-delta", None, tool_plan=text), -1
        else:
            event, index = _delta("content-delta", self._items, content={kind: text}), self._items
        return ([event] if text else []) + self._cite(block, key, index)

    def _cite(self, block: ContentBlock, key: Key, index: int) -> list[Event]:
        """Write the citations of a piece; pieces of an own answer repeat those of their block."""
        events: list[Event] = []
        citations, written = self.writer.citations(block, index), self._written.get(key, 0)
        if self.writer.own:
            citations = citations[written:]
        self._written[key] = written + len(citations)
        for citation in citations:
            events.append(_delta("citation-start", self._citations, citations=citation))
            events.append(_event("citation-end", index=self._citations))
            self._citations += 1
        return events

    def _finish(self, block: ContentBlock) -> list[Event]:
        """Return the end of a block; one that came in one piece is written here."""
        if type(block) is tree.ToolUseBlock:
            self._calls += 1
            return [_event("tool-call-end", index=self._calls - 1)]
        if self._is_plan(block):
            self.writer.fields(block)
            return []
        item = self.writer.item(block)
        events: list[Event] = []
        if type(block) is tree.RawBlock and item is not None:
            events.append(_delta("content-start", self._items, content=item))
        elif type(block) not in _TEXT_FIELDS:
            return []
        self._items += 1
        return [*events, _event("content-end", index=self._items - 1)]


def _event(kind: str, **fields: Json) -> Event:
    return kind, {"type": kind, **fields}


def _delta(kind: str, index: int | None, **message: Json) -> Event:
    place = {} if index is None else {"index": index}
    return _event(kind, **place, delta={"message": message})
