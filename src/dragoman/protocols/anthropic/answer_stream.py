"""Writes streams: the events of one content block, and those of the answer around its blocks.

Data that other wires send at the end of a block, such as citations and signatures, comes at the end
here, too. Reference: Anthropic API, "Streaming messages".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...losses import Report
from ...message import ChatRequest, Finish, RawBlock, RefusalBlock, TextBlock, Usage
from ...message.blocks import ContentBlock, ThinkingBlock, ToolUseBlock, name_answers
from ...stream.arguments import breaks_off
from ...stream.open_block import Open, Shut, Step, Steps, argument_text
from ...stream.pieces import End, Failed, Meta, Part, Piece, Raw
from ...text.json_text import JsonObject
from ..answers import AnswerEncoder, Event
from . import answer_write
from .blocks import write_call, write_thinking
from .dialect import Dialect
from .usage import write_figures

_TOKENS = "estimated_tokens"  # of thinking: each event has the increment


def _event(kind: str, /, **fields: Any) -> Event:
    """Return an event with its name: `{"type": kind, ...}`."""
    return kind, {"type": kind, **fields}


class _BlockEvents:
    """The events of one block. An empty text of another wire is not sent at all."""

    __slots__ = ("_citations", "_complete", "_tokens", "_writer", "begun", "index")

    def __init__(self, index: int, writer: answer_write.MessagesWriter) -> None:
        self.index = index
        self.begun = False
        self._writer = writer
        self._citations = 0  # how many the start has
        self._tokens = 0
        self._complete = False  # the start had everything

    def open(self, block: ContentBlock) -> list[Event]:
        """Return the start, unless the block is still empty."""
        writer = self._writer
        if type(block) is TextBlock:
            return self._open_text(block) if writer.own or block.text else []
        if type(block) is ThinkingBlock:
            return self._open_thinking(block)
        if type(block) is ToolUseBlock:
            self._complete = writer.own and block.raw_input is None and bool(block.input)
            data = write_call(block, block.input if self._complete else {}) | self._fields(block)
            return self._start(data | self._fields(block, of_delta=True))
        self._complete = True
        raw = writer.raw(block) if type(block) is RawBlock else writer.block(block)
        return self._start(raw) if type(block) is RawBlock and raw is not None else []

    def grow(self, block: ContentBlock) -> list[Event]:
        """Return the deltas for one more piece."""
        if type(block) is TextBlock and block.text:
            if self.begun and block.extras is None:  # by far the most of all pieces
                delta = {"type": "text_delta", "text": block.text}
                kind = "content_block_delta"
                return [(kind, {"type": kind, "index": self.index, "delta": delta})]
            events = [] if self.begun else self._open_text(TextBlock(""))
            fields = self._fields(block, of_delta=True)
            return [*events, self._delta("text_delta", text=block.text, **fields)]
        if type(block) is ThinkingBlock:
            fields = self._fields(block, of_delta=True)
            if not block.thinking and not fields:
                return []
            if type(fields.get(_TOKENS)) is int:
                fields[_TOKENS], self._tokens = fields[_TOKENS] - self._tokens, fields[_TOKENS]
            events = self._begin_thinking()
            return [*events, self._delta("thinking_delta", thinking=block.thinking, **fields)]
        if type(block) is ToolUseBlock and not self._complete and (text := argument_text(block)):
            return [self._delta("input_json_delta", partial_json=text)]
        return []

    def shut(self, block: ContentBlock) -> list[Event]:
        """Return the deltas that need the whole block, and the stop."""
        events: list[Event] = []
        writer = self._writer
        if type(block) is TextBlock:
            citations = writer.citations(block, writer.fields(block))[self._citations :]
            if citations and not self.begun:
                events += self._open_text(TextBlock(""))
            events += [self._delta("citations_delta", citation=entry) for entry in citations]
        elif type(block) is ThinkingBlock:
            writer.fields(block)
            mine = writer.mine(block.origin)
            if writer.is_readable(block, mine) and mine and block.signature:
                events += self._begin_thinking()
                events.append(self._delta("signature_delta", signature=block.signature))
        elif type(block) is ToolUseBlock:
            writer.fields(block)
        elif type(block) is RawBlock and self.begun and block.extras:
            text = block.extras.get(name_answers(block.issuer), {}).get("input")
            if isinstance(text, str):
                events.append(self._delta("input_json_delta", partial_json=text))
        if self.begun:
            events.append(_event("content_block_stop", index=self.index))
        return events

    def _start(self, data: JsonObject) -> list[Event]:
        self.begun = True
        return [_event("content_block_start", index=self.index, content_block=data)]

    def _delta(self, kind: str, /, **fields: Any) -> Event:
        return _event("content_block_delta", index=self.index, delta={"type": kind, **fields})

    def _open_text(self, block: TextBlock) -> list[Event]:
        fields = self._fields(block)
        if isinstance(fields.get("citations"), list):
            self._citations = len(fields["citations"])
        return self._start({"type": "text", "text": "", **fields})

    def _open_thinking(self, block: ThinkingBlock) -> list[Event]:
        is_own = self._writer.own
        if block.redacted is not None:
            if not self._writer.mine(block.origin):
                return []
        elif not is_own and not block.thinking:
            return []  # nothing visible so far
        else:
            is_null = block.signature is None or block.spelling == "null"
            block = replace(block, thinking="", signature=None if is_null else "")
        return self._start({**write_thinking(block, as_read=is_own), **self._fields(block)})

    def _begin_thinking(self) -> list[Event]:
        """Return the start of thinking that has no text yet."""
        if self.begun:
            return []
        return self._start(write_thinking(ThinkingBlock(""), as_read=False))

    def _fields(self, block: ContentBlock, of_delta: bool = False) -> JsonObject:
        """Return the fields of a start or a delta besides the growing text."""
        fields: JsonObject = {}
        for issuer in self._writer.issuers if block.extras else ():
            key = name_answers(issuer) if of_delta else issuer
            fields.update((block.extras or {}).get(key, {}))
        return fields


# fields of the message's delta; beside it, the last three would be fields of the event
_DELTA_FIELDS = ("stop_sequence", answer_write.DETAILS, "container", "type", "delta", "usage")


class MessagesEncoder(AnswerEncoder[answer_write.MessagesWriter]):
    """Encodes one answer; what its first events lack, such as figures, comes with the last ones."""

    def __init__(self, report: Report, dialect: Dialect, request: ChatRequest | None) -> None:
        super().__init__(
            answer_write.MessagesWriter(report, dialect.reads_items_of, own=False), request
        )
        self._request = request
        self._fields: JsonObject = {}  # of the message, not written yet
        self._usage: JsonObject = {}
        self._last_usage = Usage()
        self._id: str | None = None
        self._model: str | None = None
        self._steps: Steps | None = None  # once the message has begun
        self._block: _BlockEvents | None = None
        self._count = 0
        self._finish: Finish | None = None
        self._refusals: list[RefusalBlock] = []
        self._has_news = False  # after the start, something came that only the end can carry
        self._breaks_off: bool | None = None  # whether a call broke off, if there was one
        self._failed = False
        self._candidates: list[int] = []  # the candidate that is written, then the ignored ones
        self._first_part: Part | None = None  # held until the answer has its id and model
        self._foreign_fields: set[tuple[str, str]] = set()

    def feed(self, piece: Piece) -> list[Event]:
        """Return the events that the piece completes."""
        if self._failed:
            return []
        if type(piece) is Part:
            return self.part(piece)
        if type(piece) is Usage:
            self._add_usage(piece)
            return []
        return super().feed(piece)

    def finish(self) -> list[Event]:
        """Return the end of the message; an answer that broke off gets none."""
        if self._failed or (self._finish is None and not self._has_anything()):
            return []
        events = self._end_blocks(broken=self._finish is None)
        if self._finish is not None or self._has_news:
            events.append(self._message_delta())
        if self._finish is not None:
            events.append(_event("message_stop"))
        return events

    def _has_anything(self) -> bool:
        """Whether anything is known of the answer so far."""
        parts = (self._steps, self._first_part, self._id, self._model)
        return any(part is not None for part in parts) or bool(self._fields or self._usage)

    def part(self, piece: Part) -> list[Event]:
        """Write a part of a block; nothing is sent before the answer has its id and model."""
        if not self._is_written(piece.key[0], piece):
            return []
        if self._steps is not None:
            return self._block_events(self._steps.feed(piece))
        if not self._is_named() and self._first_part is None:
            self._first_part = piece  # the same event's fields of the answer come after it
            return []
        events = self._begin()
        return events + self.part(piece)

    def _is_named(self) -> bool:
        return self._id is not None and self._model is not None

    def _is_written(self, candidate: int, node: object) -> bool:
        """Whether it belongs to the candidate that came first; a message has no others."""
        if candidate not in self._candidates:
            self._candidates.append(candidate)
            if len(self._candidates) > 1:
                self.report.add_loss("answer.candidates", node, what=f"candidate {candidate}")
        return candidate == self._candidates[0]

    def meta(self, piece: Meta) -> list[Event]:
        """Take the id, the model, and fields of the message."""
        self._id = self._id or piece.id
        self._model = self._model or piece.model
        if self.writer.reads(piece.issuer):
            self.writer.own = True
            self._fields.update(piece.extras or {})
            self._has_news = self._has_news or bool(piece.extras)
        elif piece.extras:
            self._report_foreign(piece, piece.issuer, piece.extras)
        return self._begin() if self._is_named() and self._first_part is not None else []

    def write_end(self, piece: End) -> list[Event]:
        """Store why the answer ended: the first reason, or a later one in the provider's words."""
        if self._is_written(piece.candidate, piece) and (self._finish is None or piece.finish.raw):
            self._finish = piece.finish
        return []

    def write_unknown(self, piece: Raw) -> list[Event]:
        """An event that no reader knows."""
        self.report.add_loss(
            "answer.unsupported", piece, what=piece.at or f"event {piece.event or ''}"
        )
        return []

    def write_failure(self, piece: Failed) -> list[Event]:
        """Send the error after all that came before it; nothing follows."""
        events = self._end_blocks(broken=True) if self._has_anything() else []
        self._failed = True
        return [*events, ("error", answer_write.write_error(piece.error))]

    def _add_usage(self, piece: Usage) -> None:
        is_empty = not (piece.input or piece.output or piece.cache_read)
        if is_empty and self._usage and not self.writer.own:
            return  # zeros at the end replace nothing
        own_fields: JsonObject = {}
        for issuer, fields in (piece.extras or {}).items():
            if self.writer.reads(issuer):
                own_fields.update(fields)
            else:
                self._report_foreign(piece, issuer, fields)
        self._usage.update(write_figures(piece, own_fields))
        self._last_usage, self._has_news = piece, True

    def _report_foreign(self, node: object, issuer: str, fields: JsonObject) -> None:
        """Report the fields of another issuer, each once, since events repeat them."""
        new = {key: fields[key] for key in fields if (issuer, key) not in self._foreign_fields}
        self._foreign_fields.update((issuer, key) for key in new)
        if new:
            self.report.add_extras_losses(node, issuer, new)

    def _begin(self) -> list[Event]:
        """Send `message_start` with the figures that are known; the others begin with zero."""
        id = self._id
        model = self._model or self.requested_model or answer_write.UNKNOWN_MODEL
        if not self.writer.own:
            id = answer_write.message_id(id, self._digest_text(model))
            for name, value, did in (("id", self._id, id), ("model", self._model, model)):
                if value is None:
                    self.report.add_loss("answer.field", None, name, what="the answer", did=did)
        self._steps = Steps(id or "", self.report)
        message: JsonObject = {
            "id": id,
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": model,
            "stop_reason": None,
        }
        if not self.writer.own:
            message.update({"stop_sequence": None, answer_write.DETAILS: None})
        message.update(self._fields)
        message["usage"] = {"input_tokens": 0, "output_tokens": 0, **self._usage}
        self._fields, self._has_news = {}, False
        part, self._first_part = self._first_part, None
        steps = [] if part is None else self._steps.feed(part)
        return [_event("message_start", message=message), *self._block_events(steps)]

    def _digest_text(self, model: str) -> str:
        """Return text that identifies an answer without an id: its start, and the request."""
        messages = self._request.messages if self._request is not None else []
        last = messages[-1].get_text_content() if messages else ""
        parts = [] if self._first_part is None else [self._first_part]
        return f"{model}\0{parts!r}\0{len(messages)}\0{last}"

    def _end_blocks(self, broken: bool) -> list[Event]:
        """Send the parts that were held, and end the open block, unless a call broke off in it."""
        events = self._begin() if self._steps is None else []
        assert self._steps is not None  # the message has begun
        events += self._block_events(self._steps.finish(broken))
        for block in self._steps.untold:
            self.report.add_loss("answer.unsupported", block, what="what came too late")
        return events

    def _block_events(self, steps: list[Step]) -> list[Event]:
        return [event for step in steps for event in self._step(step)]

    def _step(self, step: Step) -> list[Event]:
        if type(refusal := step.block) is RefusalBlock:
            if self.writer.is_in_details(refusal):
                return []
            text = TextBlock(refusal.text, extras=refusal.extras)
            if type(step) is Shut:
                self._refusals.append(refusal)
                text = self.writer.refusal_text(refusal)
            step = replace(step, block=text)
        if type(step) is Open:
            self._block = _BlockEvents(self._count, self.writer)
            return self._block.open(step.block)
        block = self._block
        assert block is not None  # the step is of a block that was opened
        if type(step) is Shut:
            if type(step.block) is ToolUseBlock:
                self._breaks_off = self._breaks_off or breaks_off(step.block.raw_input or "")
            events = block.shut(step.block)
            self._count += block.begun  # some blocks start only at their end
            return events
        return block.grow(step.block)

    def _message_delta(self) -> Event:
        """Return `message_delta`: why the message ends, its fields, and the current figures."""
        writer, finish, fields = self.writer, self._finish, self._fields
        delta: JsonObject = {"stop_reason": None}
        if not writer.own:
            delta["stop_sequence"] = None
        if finish is not None and not (writer.own and finish == answer_write.NO_REASON):
            delta["stop_reason"] = writer.stop_reason(finish, self._breaks_off, finish)
        if self._refusals:
            delta[answer_write.DETAILS] = writer.stop_details(self._refusals)
        delta.update({key: fields[key] for key in _DELTA_FIELDS if key in fields})
        event_fields = {key: fields[key] for key in fields if key not in _DELTA_FIELDS}
        writer.check_figures(dict(self._usage), self._last_usage)
        usage = {"output_tokens": 0, **self._usage}
        return _event("message_delta", delta=delta, usage=usage, **event_fields)
