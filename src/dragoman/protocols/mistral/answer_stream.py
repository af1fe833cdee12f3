"""Writes streams of answers: chunks with the deltas of each candidate.

Reference: Mistral API, "DeltaMessage": content is text or a list of chunks, calls have an index.
"""

from __future__ import annotations

from ... import message as tree
from ...losses import Report
from ...message import ChatRequest, ContentBlock, Finish, ThinkingBlock
from ...stream.arguments import MADE
from ...stream.open_block import Grow, Open, Step, Steps, argument_text
from ...stream.pieces import End, Failed, Meta, Part, created_second, without_times
from ...text.json_text import Json, JsonObject
from ..answers import AnswerEncoder, Event
from ..chat_like.messages import fill_fields
from .answer_write import MistralWriter, error_body
from .blocks import CHUNK, CLOSED, REFERENCE, text_pieces
from .dialect import Dialect
from .usage import write_usage

# blocks that are sent while they grow
_STREAMED = (tree.TextBlock, ThinkingBlock, tree.ToolUseBlock)


class MistralDeltas:
    """The deltas of one candidate."""

    def __init__(self, index: int, writer: MistralWriter, seed: str) -> None:
        self.end: Finish | None = None  # why it ended, as far as it is known
        self._index = index
        self._writer = writer
        self._steps = Steps(seed, writer.report)
        self._begun = False
        self._calls = 0
        self._thoughts = 0  # how many pieces of the open thinking were written

    def feed(self, part: Part) -> list[JsonObject]:
        """Return the choices for a part of a block."""
        return self._choices(self._steps.feed(part))

    def finish(self) -> list[JsonObject]:
        """Return the choices of the blocks that are held."""
        choices = self._choices(self._steps.finish(broken=self.end is None))
        for block in self._steps.untold:
            self._writer.report.add_loss(
                "answer.unsupported", block, what="what came behind its block"
            )
        return choices

    def choice(self, delta: JsonObject, reason: str | None = None) -> JsonObject:
        """Write `{"index", "delta", "finish_reason"}`; the first delta has the role."""
        if not self._begun:
            self._begun = True
            delta = {"role": "assistant", **delta}
        return {"index": self._index, "delta": delta, "finish_reason": reason}

    def extras(self, fields: JsonObject) -> JsonObject:
        """Return a choice with fields that no node can hold."""
        message = fields.pop("message", None)
        delta = message if isinstance(message, dict) else {"content": ""}
        return {**self.choice(delta), **fields}

    def _choices(self, steps: list[Step]) -> list[JsonObject]:
        choices: list[JsonObject] = []
        for step in steps:
            if type(step) is Open:
                delta = self._begin(step.block)
            elif type(step) is Grow:
                delta = self._grow(step.block)
            else:
                delta = self._end(step.block)
            if delta:
                choices.append(self.choice(delta))
        return choices

    def _begin(self, block: ContentBlock) -> JsonObject:
        """Return the start of a call: its name, and its id unless it is a generated one."""
        self._thoughts = 0
        if type(block) is not tree.ToolUseBlock:
            return {}
        self._calls += 1
        call: JsonObject = {
            "index": self._calls - 1,
            "type": "function",
            "function": {"name": block.name, "arguments": ""},
        }
        if not (self._writer.own and block.spelling == MADE):
            call["id"] = block.id
        extras = (block.extras or {}).get(self._writer.issuer, {})
        return {"content": "", "tool_calls": [fill_fields(call, extras)]}

    def _grow(self, block: ContentBlock) -> JsonObject:
        is_chunk = self._writer.own and block.spelling in (CHUNK, REFERENCE)
        if type(block) is tree.TextBlock and is_chunk:
            return {"content": [self._writer.chunk(block)]}
        if type(block) is tree.TextBlock or type(block) is tree.RefusalBlock:
            return {"content": block.text} if block.text else {}
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is tree.ToolUseBlock and (text := argument_text(block)):
            function = {"name": "", "arguments": text}
            return {"tool_calls": [{"index": self._calls - 1, "function": function}]}
        return {}

    def _thinking(self, block: ThinkingBlock) -> JsonObject:
        extras = dict((block.extras or {}).get(self._writer.issuer, {}))
        pieces = text_pieces(block.thinking) if block.thinking else []
        # all since the start of the block
        if (all_pieces := extras.pop("thinking", None)) is not None:
            pieces = all_pieces[self._thoughts :]
            self._thoughts = len(all_pieces)
        else:
            self._thoughts += len(pieces)
        chunk: Json = {"type": "thinking", "thinking": pieces, **extras}
        if self._writer.own and block.spelling == CLOSED:
            chunk["closed"] = True
        return {"content": [chunk]} if pieces or len(chunk) > 2 else {}

    def _end(self, block: ContentBlock) -> JsonObject:
        """Return the end of a block; one that came in one piece is written here."""
        writer = self._writer
        if type(block) in _STREAMED:
            writer.fields(block)
            if type(block) is ThinkingBlock:
                writer.without_seals(block)
            elif type(block) is tree.TextBlock and not writer.own:
                writer.without_citations(block)
            return {}
        chunk = writer.chunk(block)
        if type(block) is tree.RefusalBlock or type(chunk) is not dict:
            return {}
        return {"content": [chunk]}


class MistralEncoder(AnswerEncoder[MistralWriter]):
    """Writes one answer with all its candidates."""

    def __init__(self, report: Report, dialect: Dialect, request: ChatRequest | None) -> None:
        super().__init__(MistralWriter(report, dialect.reads_items_of, own=False), request)
        self._head: JsonObject = {}  # id, model and time, which each chunk repeats
        self._written_head: JsonObject = {}  # as in the last chunk
        self._fields: JsonObject = {}  # of the answer, for the next chunk
        self._deltas: dict[int, MistralDeltas] = {}

    def part(self, piece: Part) -> list[Event]:
        """Return the chunks for a part of a block."""
        return [self._chunk(choice) for choice in self._candidate(piece.key[0]).feed(piece)]

    def write_end(self, piece: End) -> list[Event]:
        """Store why the candidate ended; content may follow."""
        self._candidate(piece.candidate).end = piece.finish
        return []

    def finish(self) -> list[Event]:
        """Return what was held, each candidate's reason, the figures, and the end of the stream."""
        events: list[Event] = []
        last: list[JsonObject] = []
        for _, deltas in sorted(self._deltas.items()):
            events += [self._chunk(choice) for choice in deltas.finish()]
            if (end := deltas.end) is not None:
                reason = self.writer.finish_reason(end, end) or "stop"
                last.append(deltas.choice({"content": ""}, reason))
        figures = self.about.finish().usage
        usage = write_usage(figures, self.writer) if last or figures != tree.Usage() else {}
        events += [self._chunk(choice) for choice in last[:-1]]
        renamed = self.writer.own and self._head != self._written_head
        if last or usage or self._fields or renamed:
            event = self._chunk(last[-1] if last else None)
            if usage:
                event[1]["usage"] = usage
            events.append(event)
        return [*events, (None, "[DONE]")] if last else events

    def meta(self, piece: Meta) -> list[Event]:
        """Send fields of a candidate in a chunk; those of the answer go with the next one."""
        ours = self.writer.reads(piece.issuer)
        self.writer.own = self.writer.own or ours
        for name in ("id", "model"):
            if (value := getattr(piece, name)) is not None:
                self._head.setdefault(name, value)
        fields = dict(piece.extras or {})
        if not ours:
            if piece.candidate is None and (second := created_second(fields)) is not None:
                self._head.setdefault("created", second)
                fields = without_times(fields)
            self.foreign(piece, fields)
            return []
        if piece.candidate is not None:
            return [self._chunk(self._candidate(piece.candidate).extras(fields))] if fields else []
        if "created" in fields:
            self._head["created"] = fields.pop("created")
        self._fields.update(fields)
        return []

    def write_failure(self, piece: Failed) -> list[Event]:
        """Send an error, unless it is the reason of a candidate."""
        ends = [deltas.end for deltas in self._deltas.values()]
        named = any(end is not None and end.reason == "error" for end in ends)
        if named and self.writer.own and piece.error.body is None:
            return []
        return [(None, error_body(piece.error))]

    def _candidate(self, index: int) -> MistralDeltas:
        if index not in self._deltas:
            self._deltas[index] = MistralDeltas(index, self.writer, str(self._head.get("id", "")))
        return self._deltas[index]

    def _chunk(self, choice: JsonObject | None) -> Event:
        """Return one chunk; the first of another wire's answer fixes its id, model and time."""
        if not self.writer.own:
            model = self.requested_model or "unknown"
            for name, default in (
                ("id", "unknown"),
                ("model", model),
                ("created", self.report.second),
            ):
                if name not in self._head:
                    self._head[name] = default
                    self.writer.lost_once("answer.field", self._head, name)
        self._written_head = dict(self._head)
        chunk: JsonObject = {"object": "chat.completion.chunk", **self._head}
        chunk["choices"] = [] if choice is None else [choice]
        chunk.update(self._fields)
        self._fields = {}
        return None, chunk
