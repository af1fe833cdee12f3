"""Writes an answer as the lines of a stream of `/api/chat`.

Text and thinking are sent at once. A call is always whole on this wire, so calls are held until the
end of the answer; the last line has its reason and figures. Reference: ollama docs/api.md, "Chat".
"""

from __future__ import annotations

from ...losses import Report
from ...message import ChatRequest, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.answer import total
from ...message.blocks import ContentBlock
from ...message.logprobs import write_list
from ...stream import pieces
from ...stream.arguments import argument_texts, parse_calls
from ...stream.pieces import End, Failed, Key, Meta, Part
from ...stream.think_tags import join_think_tags
from ...text.json_text import JsonObject
from ..answers import AnswerEncoder, Event, StreamedTexts
from .answer_write import OVERFLOW, OllamaWriter
from .dialect import Dialect

_FIELD_KEY = 3  # the length of the key of a block with a field of its own, outside of the text


class OllamaEncoder(AnswerEncoder[OllamaWriter]):
    """Writes one answer, with its first candidate."""

    single = True

    def __init__(self, report: Report, dialect: Dialect, request: ChatRequest | None) -> None:
        super().__init__(OllamaWriter(report, dialect.reads_items_of, own=False), request)
        self._model = self.requested_model
        self._created = pieces.iso_date(report.second)
        self._dated = False  # the provider gave the time
        self._end: End | None = None
        self._waiting: dict[Key, list[ContentBlock]] = {}  # until their end
        self._texts = StreamedTexts(self.writer)
        self._count = 0  # of calls
        self._call_broke = False
        self._failed = False
        self._tagged: list[ContentBlock] = []  # thinking from tags, until its end

    def write_end(self, piece: End) -> list[Event]:
        """Return the lines of calls and media, which were held until the end."""
        self.about.add(piece)
        self._end = piece
        return self._write_waiting()

    def write_failure(self, piece: Failed) -> list[Event]:
        """Send `{"error": "text"}` after the calls: the original line if it is one of this wire."""
        waiting = self._write_waiting()
        self._failed = True
        body = piece.error.body
        if isinstance(body, dict) and isinstance(body.get("error"), str) and "message" not in body:
            return [*waiting, (None, body)]
        return [*waiting, (None, {"error": OVERFLOW.message(piece.error)})]

    def finish(self) -> list[Event]:
        """Return the calls that were held, and the last line, if the answer has ended."""
        lines = self._write_waiting()
        resp = self.about.finish()
        if self._end is None or self._end.finish.reason == "error":
            fields = self.writer.fields(resp) if self.writer.own else {}
            if "done_reason" in fields:  # the empty reason of a closed connection
                usage = self.writer.usage(resp.usage)
                lines.append((None, {**self._line({}), "done": True, **fields, **usage}))
            elif fields.keys() - {"created_at"}:
                lines.append((None, {**fields, **self._line({})}))
            if self._end is not None and not self._failed:
                lines.append((None, {"error": self._end.finish.raw or "error"}))
            return lines
        has_time = self.writer.own or self._dated
        for is_known, name in ((self._model, "model"), (has_time, "created_at")):
            if not is_known:
                self.report.add_loss("answer.field", resp, name)
        last: JsonObject = {**self._line({}), "done": True}
        if self.writer.own:
            last |= self.writer.fields(resp)
        reason = self.writer.finish_reason(resp.finish, resp.candidates[0])
        if reason is not None:
            last["done_reason"] = reason
        # beside calls, clients read it as another reason
        if self._call_broke and resp.finish.reason == "stop":
            self.report.add_loss("answer.finish", resp, "finish", what="a call that breaks off")
        lines.append((None, {**last, **self.writer.usage(resp.usage)}))
        return lines

    def _line(self, message: JsonObject) -> JsonObject:
        message = {"role": "assistant", "content": "", **message}
        return {
            "model": self._model,
            "created_at": self._created,
            "message": message,
            "done": False,
        }

    def part(self, piece: Part) -> list[Event]:
        """Return the line of a text; calls and media are held until their end."""
        return [*self._tokens(piece), *self._part(piece)]

    def _part(self, piece: Part) -> list[Event]:
        key, block, own = piece.key, piece.block, self.writer.own
        if own and type(block) is ThinkingBlock and len(key) > _FIELD_KEY:
            self._tagged.append(block)
            if not block.spelling:  # it comes with the closing tag
                return []
            block, self._tagged = total(self._tagged), []
        if own:
            [block] = join_think_tags([block])
        if type(block) is TextBlock or type(block) is RefusalBlock:
            text = self._texts.add_text(piece, self.writer.text(block))
            return [(None, self._line({"content": text}))] if text else []
        if type(block) is ThinkingBlock:
            text = self._texts.add_text(piece, self.writer.thought(block), is_thinking=True)
            return [(None, self._line({"thinking": text}))] if text else []
        if piece.whole:
            self._waiting.pop(key, None)
        self._waiting.setdefault(key, []).append(block)
        return []

    def meta(self, piece: Meta) -> list[Event]:
        """Send fields that no node can hold, unless they belong in the last line."""
        if piece.model is not None:
            self._model = piece.model
        if piece.id is not None and not self.writer.own:
            self.writer.lost_once("answer.unsupported", piece, "id")
        fields = piece.extras or {}
        is_own = self.writer.reads(piece.issuer)
        if is_own:
            self.writer.own = True
            if isinstance(fields.get("created_at"), str) and piece.candidate is None:
                self._created = fields["created_at"]
        if self.writer.own and piece.candidate == 0 and "think_tags" in fields:
            return [(None, self._line({"content": fields["think_tags"]}))]
        if not is_own or piece.candidate:
            if piece.candidate is None and (second := pieces.created_second(fields)) is not None:
                self._created = self._created if self._dated else pieces.iso_date(second)
                self._dated = True
                fields = pieces.without_times(fields)
            self.foreign(piece, fields)
            return self._tokens(piece)
        if piece.candidate is None and not piece.joined:
            self.about.add(piece)
            return []
        if piece.candidate is None:
            return [(None, {**self._line({}), **fields})]
        message = fields.get("message")
        return [(None, self._line(message if isinstance(message, dict) else {}))]

    def _tokens(self, piece: Part | Meta) -> list[Event]:
        """Return the line with the log probabilities of a text."""
        if not piece.block.extras if type(piece) is Part else not piece.extras:
            return []
        tokens = self.writer.tokens(piece)
        logprobs = write_list(tokens, with_bytes=True)
        return [(None, {**self._line({}), "logprobs": logprobs})] if tokens else []

    def _write_waiting(self) -> list[Event]:
        """Return what was held: calls, each in a line of its own, and media."""
        lines: list[Event] = []
        for block in self._take_waiting():
            if type(block) is ToolUseBlock and self._is_cut(block):
                self.report.add_loss("answer.unsupported", block, what="a call that breaks off")
            elif type(block) is ToolUseBlock:
                self._call_broke |= not isinstance(block.input, dict)
                call = self.writer.call(block, self._count)
                lines.append((None, self._line({"tool_calls": [call]})))
                self._count += 1
            elif (data := self.writer.data(block)) is not None:
                lines.append((None, self._line({"images": [data]})))
        return lines

    def _is_cut(self, call: ToolUseBlock) -> bool:
        """Whether the call has no known end."""
        return self._end is None and (call.unfinished or not self.writer.own)

    def _take_waiting(self) -> list[ContentBlock]:
        """Return the blocks that were held, each with the spelling of its first piece."""
        waiting = [self._waiting[key] for key in sorted(self._waiting)]
        self._waiting = {}
        sums = [total(parts) for parts in waiting]
        finish = self._end.finish if self._end is not None else None
        blocks = parse_calls(sums, {}, finish, self._model)
        firsts = [
            parts[0]
            for block, parts in zip(sums, waiting, strict=True)
            # one line can hold several calls that a server sent together
            for _ in (argument_texts(block) if type(block) is ToolUseBlock else [None])
        ]
        for block, first in zip(blocks, firsts, strict=True):
            if block is not first:
                self.report.record_copy(block, first)
        return blocks
