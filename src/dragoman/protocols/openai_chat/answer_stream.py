"""Writes streams of Chat Completions: the deltas of each candidate, in chunks.

Reference: OpenAI API, "Chat completion chunk"; how official clients join the chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...losses import Report
from ...message import ChatRequest, ContentBlock, Finish, ThinkingBlock, ToolUseBlock, Usage
from ...message.answer import join_values, total
from ...message.logprobs import Logprob
from ...stream.open_block import adds_nothing, argument_text, remaining_piece
from ...stream.pieces import End, Failed, Key, Meta, Part, Raw, created_second, without_times
from ...text.json_text import Json, JsonObject
from ..answers import AnswerEncoder, Event
from . import answer_write
from .answer_write import ANSWER_ID, ChatAnswerWriter, TextFlow
from .blocks import LEGACY, make_call_id
from .dialect import Dialect
from .finish_reasons import CUT, write_finish
from .request import asks_usage


class Deltas:
    """The deltas of one candidate: what each part adds to the fields of its message.

    Args:
        writer: Writes the fields of each part.
        seed: Text from which a call of another wire gets an id if it has none.
    """

    def __init__(self, writer: ChatAnswerWriter, dialect: Dialect, seed: str) -> None:
        self.first_parts: list[ContentBlock] = []  # of each block
        self._writer = writer
        self._seed = seed
        self._cumulative = dialect.cumulative_details
        self._flow = TextFlow()
        self._written: dict[Key, list[ContentBlock]] = {}
        self._offsets: dict[Key, int] = {}  # the number of characters of content before each block
        self._calls: dict[Key, int] = {}
        self._ids: set[Key] = set()  # of the calls whose id was sent
        self._freeform: set[Key] = set()  # of the calls that hold text
        self._details: dict[Key, JsonObject] = {}  # the fields that identify each of them
        self._counts = {"annotations": 0, "images": 0, "reasoning_details": 0}
        self._role: JsonObject = {"role": "assistant"}

    def add(self, part: Part) -> list[JsonObject]:
        """Return the deltas for a part: one, or none if it adds nothing."""
        key, block = part.key, part.block
        pieces = self._written.get(key)
        if pieces is None or type(pieces[-1]) is not type(block):
            pieces = self._written[key] = []
            self._offsets[key] = self._flow.length
            self.first_parts.append(block)
        elif part.whole:
            if (remaining := self._remaining(pieces, block)) is None:
                return []
            block = remaining
        pieces.append(block)
        if type(block) is ToolUseBlock:
            delta = self._call(key, block, first=len(pieces) == 1)
        elif self._writer.own and type(block) is ThinkingBlock and _is_detail(pieces[0]):
            delta = self._detail(key, block, pieces)
        else:
            delta = self._index_entries(self._writer.block(block, self._offsets[key]))
        if not (delta := self._flow.join(delta, block, key)):
            return []
        role, self._role = self._role, {}
        return [{**role, **delta}]

    def finish(self) -> list[JsonObject]:
        """Return what calls of another wire lack at their end: at least empty arguments."""
        if self._writer.own:
            return []
        deltas: list[JsonObject] = []
        for key, index in self._calls.items():
            calls = (block for block in self._written[key] if type(block) is ToolUseBlock)
            if key not in self._freeform and not any(map(argument_text, calls)):
                deltas.append({"tool_calls": [{"index": index, "function": {"arguments": "{}"}}]})
        return deltas

    def _index_entries(self, delta: JsonObject) -> JsonObject:
        """Give the entries of a delta's lists an index, by which clients distinguish them."""
        for field in self._counts:
            if field in delta:  # an entry may be the caller's own object
                delta[field] = [self._index_entry(field, entry) for entry in delta[field]]
        if "audio" in delta and not self._writer.own:
            delta["audio"] = answer_write.complete_audio(delta["audio"])
        return delta

    def _index_entry(self, field: str, entry: Json) -> Json:
        index = self._counts[field]
        self._counts[field] += 1
        return (
            entry if not isinstance(entry, dict) or "index" in entry else {**entry, "index": index}
        )

    def _remaining(self, pieces: list[ContentBlock], block: ContentBlock) -> ContentBlock | None:
        """Return what a whole block adds to its pieces; contradicting text comes too late."""
        written = total(pieces)
        if written == block:
            return None
        remaining = remaining_piece(written, block)
        if remaining is None:
            self._writer.report.add_loss(
                "answer.unsupported", block, did="what had gone out stands"
            )
            return None
        self._writer.report.record_copy(remaining, block)
        if adds_nothing(remaining):
            pieces.append(remaining)
            self._writer.block(remaining, 0)
            return None
        return remaining

    def _detail(self, key: Key, block: ThinkingBlock, pieces: list[ContentBlock]) -> JsonObject:
        """Return an entry of `reasoning_details`; its pieces are identified by type and index."""
        spelling = (pieces[0].spelling or "").split()
        detail = self._writer.detail(block, spelling)
        if key in self._details:
            detail = {**detail, **self._details[key]}
        else:
            names = ("type", "index", "id") if "data" in spelling else ("type", "index")
            self._details[key] = {name: detail[name] for name in names if name in detail}
        if self._cumulative and "text" in detail:
            thoughts = (piece for piece in pieces if type(piece) is ThinkingBlock)
            detail["text"] = "".join(thought.thinking for thought in thoughts)
        return {"reasoning_details": [detail]}

    def _call(self, key: Key, block: ToolUseBlock, first: bool) -> JsonObject:
        """Return a call, or a piece of one: the first has id, type and name."""
        own = self._writer.own
        extras = self._writer.fields(block)
        function: JsonObject = {"name": block.name} if block.name else {}
        text = argument_text(block)
        if first and block.freeform:
            self._freeform.add(key)
        kind, text_key = ("custom", "input") if key in self._freeform else ("function", "arguments")
        if text or (first and (block.raw_input is not None or not own)):
            function[text_key] = text
        if block.spelling == LEGACY:
            return {LEGACY: function}
        index = self._calls.setdefault(key, len(self._calls))
        entry: JsonObject = {"index": index}
        id = block.id
        if not id and first and not own:
            id = make_call_id(self._seed, index, block.name)
        if id and (first or own) and key not in self._ids:
            entry["id"] = id  # only once: clients concatenate repeated ids
            self._ids.add(key)
        if first:
            entry["type"] = kind
        if not (function or extras or len(entry) > 1):
            return {}
        # the official client requires the object in each piece
        entry[kind] = {**extras.pop(kind, {}), **function}
        return {"tool_calls": [entry | extras]}


def _is_detail(block: ContentBlock) -> bool:
    return (block.spelling or "").startswith("detail")


DONE = "[DONE]"
_IN_TEXT = ("think_tags", "delta")  # notes on what is in the text of the message


class ChatEncoder(AnswerEncoder[ChatAnswerWriter]):
    """Writes one answer with all its candidates."""

    def __init__(self, report: Report, dialect: Dialect, request: ChatRequest | None) -> None:
        super().__init__(ChatAnswerWriter(report, dialect, own=False), request)
        self._dialect = dialect
        self._apart = request is not None and asks_usage(request)
        self._head: JsonObject = {}
        self._begun = False
        self._fields: JsonObject = {}  # of the next chunk
        self._choice_fields: dict[int, list[JsonObject]] = {}  # of the choices of the next chunk
        self._deltas: dict[int, Deltas] = {}
        self._ends: dict[int, Finish] = {}
        self._failed = False

    def finish(self) -> list[Event]:
        """Return the finish reasons, the usage, and the end marker `[DONE]`.

        An answer that broke off has no end marker, and nothing follows an error.
        """
        if self._failed and not self.writer.own:
            return []
        events: list[Event] = []
        for index, end in sorted(self._ends.items()):
            deltas = self._candidate(index)
            if end.reason not in CUT:
                events += [self._chunk(index, delta) for delta in deltas.finish()]
            reason = write_finish(end, deltas.first_parts, self.writer, end)
            events.append(self._chunk(index, {}, reason))
        usage = self.about.finish().usage
        if usage != Usage():
            self._add_usage(events, self.writer.write_usage(usage))
        events += self._write_remaining()
        return [*events, (None, DONE)] if self._ends else events

    def _add_usage(self, events: list[Event], figures: JsonObject) -> None:
        """Send the usage: in a chunk without choices if the client asked for it, else in the last.

        A client that did not ask would take the first choice of every chunk, and fail without one.
        """
        if self._apart or self.writer.own:
            events.append((None, {**self._chunk_head(), "choices": [], "usage": figures}))
            return
        if not events:
            events.append(self._chunk(0, {}))
        last: Any = events[-1][1]
        last["usage"] = figures

    def part(self, piece: Part) -> list[Event]:
        """A part of a block."""
        index = piece.key[0]
        if piece.block.extras is not None and (tokens := self.writer.tokens(piece)):
            self._add_tokens(index, tokens)
        return [self._chunk(index, delta) for delta in self._candidate(index).add(piece)]

    def write_end(self, piece: End) -> list[Event]:
        """Store why a candidate ended; a last event may repeat the reason, or have none."""
        if piece.candidate not in self._ends or piece.finish.raw:
            self._ends[piece.candidate] = piece.finish
        return []

    def write_failure(self, piece: Failed) -> list[Event]:
        """An error in the middle of the stream."""
        self._failed = True
        body = piece.error.body
        if not (self.writer.own and isinstance(body, dict) and "choices" not in body):
            body = {"error": answer_write.write_error(piece.error)}
        return [*self._write_remaining(), (None, body)]

    def write_unknown(self, piece: Raw) -> list[Event]:
        """An event that no reader knows."""
        own = self.writer.own and not piece.at
        return [(piece.event, piece.payload)] if own else super().write_unknown(piece)

    def meta(self, piece: Meta) -> list[Event]:
        """Take the answer's id and model, and fields that no node can hold."""
        if self.writer.reads(piece.issuer):
            self.writer.own = True
        for key in ("id", "model"):
            value = getattr(piece, key)
            if value is not None and (not self._head.get(key) or piece.instead):
                self._head[key] = value
        fields = piece.extras or {}
        if not self.writer.own:
            if piece.candidate is None and (second := created_second(fields)) is not None:
                self._head.setdefault("created", second)
                fields = without_times(fields)
            if tokens := self.writer.tokens(piece):
                self._add_tokens(piece.candidate or 0, tokens)
            self.writer.foreign(piece, piece.issuer, fields)
        elif piece.candidate is None:
            self._fields.update(fields)
        else:
            self._choice_fields.setdefault(piece.candidate, []).append(fields)
            if tags := fields.get("think_tags"):
                return [self._chunk(piece.candidate, {"content": tags})]
        return []

    def _add_tokens(self, index: int, tokens: Sequence[Logprob]) -> None:
        """Store log probabilities for the next chunk of the candidate."""
        fields = {"logprobs": answer_write.write_logprobs(tokens)}
        self._choice_fields.setdefault(index, []).append(fields)

    def _candidate(self, index: int) -> Deltas:
        if index not in self._deltas:
            self._deltas[index] = Deltas(self.writer, self._dialect, str(self._head.get("id", "")))
        return self._deltas[index]

    def _chunk(self, index: int, delta: JsonObject, reason: str | None = None) -> Event:
        """Return a chunk with one choice, and the fields that have accumulated for it."""
        choice: JsonObject = {"index": index, "delta": delta, "finish_reason": reason}
        fields: Any = join_values(self._choice_fields.pop(index, [])) or {}
        for key, value in fields.items():
            if key == "message":
                delta |= {name: value[name] for name in value if name not in delta}
            elif key not in _IN_TEXT:
                choice[key] = value
        return None, {**self._chunk_head(), "choices": [choice]}

    def _chunk_head(self) -> JsonObject:
        """Return the fields of every chunk, and those for the next one."""
        if not self._begun:
            self._begun = True
            if not self.writer.own:
                defaults = (
                    ("id", ANSWER_ID),
                    ("model", self.requested_model),
                    ("created", self.report.second),
                )
                for key, value in defaults:
                    if key not in self._head:
                        self._head[key] = value
                        self.report.add_loss("answer.field", self._head, key)
        fields, self._fields = self._fields, {}
        if "created" in fields:
            self._head["created"] = fields["created"]
        return {"object": "chat.completion.chunk", **self._head, **fields}

    def _write_remaining(self) -> list[Event]:
        """Return the fields of the answer that no chunk has carried yet."""
        events = [self._chunk(index, {}) for index in [*self._choice_fields]]
        if self._fields:
            events.append((None, {**self._chunk_head(), "choices": []}))
        return events
