"""Writes streams: the events of content blocks, and those of the answer around them.

Reference: Amazon Bedrock API reference, "ContentBlockStart", "ContentBlockDelta",
"ConverseStreamOutput".
"""

from __future__ import annotations

from ... import message as tree
from ...error_kinds import fitting_status
from ...errors import ProviderError
from ...losses import Report
from ...message import ContentBlock, RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...stream.open_block import Open, Shut, Step, Steps, argument_text
from ...stream.pieces import End, Failed, Meta, Part, Piece
from ...text.json_text import Json, JsonObject, arguments
from ..answers import EVENTS, AnswerEncoder, Event
from ..context_full_sentence import OverflowWords
from .answer_read import FAULTS
from .answer_write import ConverseWriter, missing_metrics, request_ids
from .blocks import TYPED, issuer_fields, write_thinking
from .dialect import Dialect
from .usage import write_usage

_BY_STATUS = {status: name for name, status in FAULTS.items()}
_GROWING = {"image": "source", "toolUse": "input", "toolResult": "content"}


def split_block(data: JsonObject) -> tuple[JsonObject, list[JsonObject]]:
    """Split an image or a server's call or result into the start of the block and its deltas."""
    key, fields = next(iter(data.items())) if len(data) == 1 else ("", None)
    name = _GROWING.get(key)
    if name is None or not isinstance(fields, dict):
        return data, []  # streams have no deltas for it, so all of it is in the start
    value: Json = fields.get(name)
    start = {key: {field: fields[field] for field in fields if field != name}}
    if not value:
        return start, []
    if key == "toolResult":
        return start, [{key: value}]
    if key == "toolUse" and not isinstance(value, str):  # interrupted input is text already
        value = arguments(value)
    return start, [{key: {name: value}}]


OVERFLOW = OverflowWords(
    "Input is too long for requested model.",
    "Input is too long for requested model.",
    (
        "prompt is too long: {tokens} tokens > {limit} maximum",
        "number of input tokens exceeds maximum length",
        "maximum context length is {limit}",
    ),
)


def write_exception(error: ProviderError) -> tuple[str, Json]:
    """Return the exception by its own name, or by its HTTP status."""
    is_own = error.type in FAULTS
    status = fitting_status(error.kind, error.status)
    name = error.type if is_own else _BY_STATUS.get(status, "internalServerException")
    body = error.body
    if is_own and isinstance(body, dict) and isinstance(body.get("message"), str):
        return name, body
    return name, {"message": OVERFLOW.message(error)}


_STOP_FIELD = "additionalModelResponseFields"


class ConverseEncoder(AnswerEncoder[ConverseWriter]):
    """Writes one answer, with its first candidate."""

    single = True

    def __init__(self, report: Report, dialect: Dialect, request: tree.ChatRequest | None) -> None:
        super().__init__(ConverseWriter(report, dialect.reads_items_of, own=False))
        self._steps = Steps(report=report)
        self._begun = False
        self._finish: tree.Finish | None = None
        self._index = 0  # of the next block with content
        self._open = False  # whether the open block has content

    def feed(self, piece: Piece) -> list[Event]:
        """Return the events that the piece completes."""
        events = super().feed(piece)
        if not self._begun and type(piece) is not Failed:
            self._begun = True
            events.insert(0, ("messageStart", {"role": "assistant"}))
        return events

    def finish(self) -> list[Event]:
        """Return the end of the last block, why the answer ended, and its figures."""
        events = self._block_events(self._steps.finish(broken=self._finish is None))
        for block in self._steps.untold:
            self.report.add_loss("answer.unsupported", block, what="what came behind its block")
        resp = self.about.finish()
        fields = self.writer.fields(resp)
        fields.pop(EVENTS, None)
        if self._finish is not None:
            word = self.writer.finish_reason(self._finish, resp.candidates[0])
            stop: JsonObject = {} if word is None else {"stopReason": word}
            if _STOP_FIELD in fields:
                stop[_STOP_FIELD] = fields.pop(_STOP_FIELD)
            events.append(("messageStop", stop))
        metadata = self._metadata(resp, fields)
        return [*events, ("metadata", metadata)] if metadata else events

    def _metadata(self, resp: tree.ChatResponse, fields: JsonObject) -> JsonObject:
        """Return the figures; another wire's answer gets all that the event must have."""
        if not (self.writer.own or self._finish is not None or resp.usage != tree.Usage()):
            return fields
        usage = write_usage(resp.usage, self.writer)
        metadata = {"usage": usage, **fields} if usage else fields
        if not self.writer.own:
            metadata["metrics"] = missing_metrics(resp, self.report)
        return metadata

    def part(self, piece: Part) -> list[Event]:
        """Write a part of a block."""
        return self._block_events(self._steps.feed(piece))

    def meta(self, piece: Meta) -> list[Event]:
        """Take the answer's fields; no event has a place for its id and model."""
        is_own = self.writer.reads(piece.issuer)
        self.writer.own = self.writer.own or is_own
        if piece.id is not None and piece.id not in request_ids(piece.extras or {}):
            self.writer.lost_once("answer.unsupported", piece, "id")
        if piece.model is not None:
            self.writer.lost_once("answer.unsupported", piece, "model")
        if is_own and not piece.candidate:
            self.about.add(Meta(piece.extras, joined=piece.joined))
        else:
            self.foreign(piece, piece.extras or {})
        return []

    def write_end(self, piece: End) -> list[Event]:
        """Store why the answer ended, for the end of the stream."""
        self._finish = piece.finish
        return []

    def write_failure(self, piece: Failed) -> list[Event]:
        """Send the error after what came before it."""
        return [*self._block_events(self._steps.finish(broken=True)), write_exception(piece.error)]

    def _block_events(self, steps: list[Step]) -> list[Event]:
        events: list[Event] = []
        for step in steps:
            start: JsonObject | None = None
            deltas: list[JsonObject] = []
            if type(step) is Open:
                start = self._start(step.block)
            elif type(step) is Shut:
                start, deltas = self._remainder(step.block)
            else:
                events += [self._event("Delta", delta=delta) for delta in self._deltas(step.block)]
                continue
            if start is not None:
                events.append(self._event("Start", start=start))
            events += [self._event("Delta", delta=delta) for delta in deltas]
            if type(step) is Shut and self._open:
                events.append(self._event("Stop"))
                self._open = False
                self._index += 1
        return events

    def _event(self, kind: str, **fields: Json) -> Event:
        self._open = True
        return f"contentBlock{kind}", {"contentBlockIndex": self._index, **fields}

    def _start(self, block: ContentBlock) -> JsonObject | None:
        """Return the start of a call; anything else begins with its first delta."""
        if type(block) is not ToolUseBlock:
            return None
        call: JsonObject = {"toolUseId": block.id, "name": block.name}
        if self.writer.own and block.spelling == TYPED:
            call["type"] = TYPED
        return {"toolUse": {**call, **issuer_fields(block, self.writer.issuer)}}

    def _deltas(self, block: ContentBlock) -> list[JsonObject]:
        """Return the deltas of a piece. Citations follow their text: see `_remainder`."""
        if type(block) is TextBlock or type(block) is RefusalBlock:
            return [{"text": block.text}] if block.text else []
        if type(block) is ToolUseBlock:
            text = argument_text(block)
            return [{"toolUse": {"input": text}}] if text else []
        if type(block) is not ThinkingBlock:
            return []
        fields = issuer_fields(block, self.writer.issuer)
        deltas = [{"text": block.thinking}] if block.thinking else []
        if self.writer.mine(block.origin):
            if block.signature is not None:
                deltas.append({"signature": block.signature})
            if block.redacted is not None:
                deltas.append({**write_thinking(block), **fields})
        if unknown := fields.get("reasoningText"):
            deltas.append(unknown)
        return [{"reasoningContent": delta} for delta in deltas]

    def _remainder(self, block: ContentBlock) -> tuple[JsonObject | None, list[JsonObject]]:
        """Return what comes at the end of a block; all of it, if it came in one piece.

        An empty block of an own answer is sent now; any other empty block is left out.
        """
        writer = self.writer
        writer.fields(block)
        deltas: list[JsonObject] = []
        is_silent = writer.own and not self._open
        if type(block) is TextBlock:
            fields = issuer_fields(block, writer.issuer)
            citations = writer.citations(block) or fields.get("citations", [])
            deltas = [{"citation": citation} for citation in citations]
            if is_silent and not deltas:
                deltas = [{"text": ""}]
        elif type(block) is ThinkingBlock:
            writer.drop_foreign_seals(block)
            if is_silent:
                deltas = [{"reasoningContent": {"text": ""}}]
        elif type(block) is RefusalBlock:
            self.report.add_loss("answer.unsupported", block, did="said as text", kind="degraded")
        elif type(block) is tree.ImageBlock or (
            type(block) is RawBlock and writer.reads(block.issuer)
        ):
            data = writer.block(block)
            if isinstance(data, dict):
                return split_block(data)
            if type(block) is RawBlock:  # an image without a place is reported already
                self.report.add_loss("answer.unsupported", block)
        elif type(block) is not ToolUseBlock:
            self.report.add_loss("answer.unsupported", block)
        return None, deltas
