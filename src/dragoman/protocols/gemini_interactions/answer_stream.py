"""Writes streams of answers: the events of an interaction and of its steps.

A step begins, grows and ends before the next one begins. The last event has the state and the
figures, and `[DONE]` follows it. Reference: google-genai 3.4, `InteractionSSEEvent`.
"""

from __future__ import annotations

from ... import message as tree
from ...errors import ProviderError
from ...losses import Report
from ...message import (
    ChatRequest,
    ContentBlock,
    Finish,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...stream.open_block import Grow, Open, Shut, Step, Steps, argument_text
from ...stream.pieces import TIMES, End, Failed, Meta, Part, created_second, iso_date
from ...text.json_text import Json, JsonObject
from ..answers import AnswerEncoder, Event
from . import blocks as wire_blocks
from .answer_write import InteractionWriter, error_fields, is_said
from .blocks import OUTPUT
from .dialect import Dialect


class InteractionEncoder(AnswerEncoder[InteractionWriter]):
    """Writes one answer, with only the first candidate."""

    single = True

    def __init__(self, report: Report, dialect: Dialect, request: ChatRequest | None) -> None:
        super().__init__(InteractionWriter(report, dialect.reads_items_of, own=False), request)
        self._steps = Steps(report=report)
        self._id: str | None = None
        self._model: str | None = None
        self._created: int | None = None
        self._begun = False
        self._count = 0  # of the steps that have ended
        # the position of the open `model_output`; -1 if its step is unknown
        self._output: int | None = None
        self._thinking = False  # a thought was announced
        self._end: Finish | None = None
        self._error: ProviderError | None = None

    def part(self, piece: Part) -> list[Event]:
        """Return the events for a part of a block."""
        return self._events(self._steps.feed(piece))

    def write_end(self, piece: End) -> list[Event]:
        """Store why the answer ended: the state is in the last event."""
        self.about.add(piece)
        self._end = piece.finish
        return []

    def write_failure(self, piece: Failed) -> list[Event]:
        """Send an error outside of an interaction; one inside of it is in the last event."""
        self.about.add(piece)
        body = piece.error.body
        if self.writer.own and isinstance(body, dict) and "status" in body:
            return []
        self._error = piece.error
        error = body.get("error") if self.writer.own and isinstance(body, dict) else None
        fields = error if isinstance(error, dict) else error_fields(piece.error)
        return [*self._start(), _event("error", error=fields)]

    def meta(self, piece: Meta) -> list[Event]:
        """Store fields of the answer, which are in the last event."""
        ours = self.writer.reads(piece.issuer)
        self.writer.own = self.writer.own or ours
        self._id = self._id or piece.id
        if piece.model is not None and (piece.instead or self._model is None):
            self._model = piece.model
        fields = piece.extras or {}
        if ours:
            self.about.add(piece)
            return []
        if self._created is None:
            self._created = created_second(fields)
        self.foreign(piece, {key: fields[key] for key in fields if key not in TIMES})
        self.about.add(Meta(id=piece.id, model=piece.model, instead=piece.instead))
        return []

    def finish(self) -> list[Event]:
        """Return what was held, the finished interaction, and the end of the stream."""
        broken = self._end is None or self._error is not None
        events = self._events(self._steps.finish(broken)) + self._close()
        for block in self._steps.untold:
            self.report.add_loss("answer.unsupported", block, what="what came behind its block")
        if self._end is None and self._error is None:
            return events  # it broke off
        events += self._start()
        if self._end is not None and (self._error is None or self.writer.own):
            resp = self.about.finish()
            resp.candidates[0].finish = self._end  # which no content bears out there
            resp.id, resp.model = self._id, self._model
            body = self.writer.envelope(resp, self._shown_model, None)
            if self._created is not None:
                body["created"] = body["updated"] = iso_date(self._created)
            events.append(_event("interaction.completed", interaction=body))
        return [*events, ("done", "[DONE]")]

    @property
    def _shown_model(self) -> str:
        return "" if self.writer.own else self.requested_model

    def _start(self) -> list[Event]:
        """Return the first events, once; another wire's answer gets an id."""
        if self._begun:
            return []
        self._begun = True
        if self._id is None:
            if not self.writer.own:
                self.writer.lost_once("answer.field", self.about, "id")
            self._id = "v1_unknown" if not self.writer.own else None
        self._steps.seed = self._steps.seed or self._id or ""
        body: JsonObject = {} if self._id is None else {"id": self._id}
        body |= {"status": "in_progress", "object": "interaction"}
        if name := self._model or self._shown_model:
            body["model"] = name
        update = _event(
            "interaction.status_update", interaction_id=self._id or "", status="in_progress"
        )
        return [_event("interaction.created", interaction=body), update]

    def _events(self, steps: list[Step]) -> list[Event]:
        events: list[Event] = []
        for step in steps:
            events += self._start()
            if is_said(step.block):
                events += self._write_content(step)
                continue
            if type(step) is Open:
                events += self._close()
            if type(step.block) is ThinkingBlock:
                events += self._thought(step, step.block)
            elif type(step.block) is ToolUseBlock:
                events += self._call(step, step.block)
            elif type(step) is Shut and (data := self.writer.step(step.block)) is not None:
                events += self._whole(data)
        return events

    def _whole(self, step: Json) -> list[Event]:
        """Return the events of a step in one piece."""
        return [self._step("start", step=step), *self._stop()]

    def _step(self, kind: str, **fields: Json) -> Event:
        return _event(f"step.{kind}", index=self._count, **fields)

    def _stop(self) -> list[Event]:
        event = self._step("stop")
        self._count += 1
        return [event]

    def _close(self) -> list[Event]:
        """End the `model_output`, if one is open."""
        if self._output is None:
            return []
        self._output = None
        return self._stop()

    def _write_content(self, step: Step) -> list[Event]:
        """Write a content of a `model_output`; in an own answer, of the one that it came in."""
        block = step.block
        grows = type(block) is TextBlock or type(block) is tree.RefusalBlock
        if type(step) is Open:
            return []
        content: Json = None
        if not grows:
            if type(step) is Grow or (content := self.writer.content(block)) is None:
                return []
        elif type(step) is Grow and not (getattr(block, "text", "") or self._begins(step)):
            return []
        elif type(step) is Shut and self._output is None and not self.writer.own:
            return self._shut(block)
        events = [] if type(step) is Shut and grows else self._begin(step)
        if not grows and isinstance(content, dict):
            events.append(self._step("delta", delta=content))
        elif type(step) is Grow:
            delta = {"type": "text", "text": getattr(block, "text", "")}
            events += [self._step("delta", delta=delta)] if delta["text"] else []
        else:
            events += self._shut(block)
        return events + ([] if self.writer.own or type(step) is Grow else self._close())

    def _begins(self, step: Step) -> bool:
        """Whether an empty text of this wire begins a step."""
        return self.writer.own and self._output != step.key[1]

    def _begin(self, step: Step) -> list[Event]:
        """Open a `model_output`, unless this content belongs to the open one."""
        position = step.key[1] if self.writer.own and len(step.key) > 1 else -1
        if self._output == position:
            return []
        events = self._close()
        self._output = position
        fields = self.writer.step_fields(step.block)
        return [*events, self._step("start", step={"type": OUTPUT, **fields})]

    def _shut(self, block: ContentBlock) -> list[Event]:
        """Return the citations of a text that has ended."""
        content = self.writer.content(block)
        entries = content.get("annotations") if isinstance(content, dict) else None
        if not entries:
            return []
        delta = {"type": "text_annotation_delta", "annotations": entries}
        events = [] if self._output is not None else self._begin_untold()
        return [*events, self._step("delta", delta=delta)]

    def _begin_untold(self) -> list[Event]:
        self._output = -1
        return [self._step("start", step={"type": OUTPUT})]

    def _thought(self, step: Step, block: ThinkingBlock) -> list[Event]:
        """Write thinking; nothing is sent while it has neither readable nor sealed data."""
        if type(step) is Open:
            return []
        mine = self.writer.mine(block.origin)
        signature = (block.signature or block.redacted) if mine else None
        events: list[Event] = []
        if type(step) is Grow:
            fields = self.writer.fields(block) if self.writer.own else {}
            begins = not self._thinking
            if not self._thinking and (block.thinking or signature or self.writer.own):
                self._thinking = True
                events.append(self._step("start", step={"type": "thought"}))
            for content in _contents(block.thinking, fields.get("summary"), begins):
                delta: JsonObject = {"type": "thought_summary", "content": content}
                events.append(self._step("delta", delta=delta))
            if signature:
                delta = {"type": "thought_signature", "signature": signature}
                events.append(self._step("delta", delta=delta))
            return events
        self.writer.step(block)  # reports what is lost of it
        if not self._thinking:
            return []
        self._thinking = False
        return self._stop()

    def _call(self, step: Step, block: ToolUseBlock) -> list[Event]:
        if type(step) is Open:
            own = {**self.writer.fields(block)} if self.writer.own else {}
            data = {"type": "function_call", "id": block.id, "name": block.name, "arguments": {}}
            return [self._step("start", step={**data, **own})]
        if type(step) is Grow:
            if not (text := argument_text(block)):
                return []
            delta = {"type": "arguments_delta", "arguments": text}
            return [self._step("delta", delta=delta)]
        self.writer.fields(block)
        return self._stop()


def _contents(text: str, summary: Json, begins: bool) -> list[Json]:
    """Return the new contents of a summary: a text, and contents that hold more than text.

    A list after the start that adds no text is the sum of what was sent before.
    """
    contents = summary if isinstance(summary, list) else []
    texts = "".join(wire_blocks.summary_texts(contents))
    if texts == text and (begins or text or len(contents) == 1):
        return contents or ([{"type": "text", "text": text}] if text else [])
    plain: list[Json] = [{"type": "text", "text": text}] if text else []
    if not (begins or text):
        return plain
    return plain + [item for item in contents if not (isinstance(item, dict) and "text" in item)]


def _event(kind: str, **fields: Json) -> Event:
    return kind, {**fields, "event_type": kind}
