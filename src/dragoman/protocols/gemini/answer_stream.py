"""Writes streams of generateContent as chunks: texts grow, calls are sent as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ... import message as tree
from ...losses import Report
from ...message import ChatRequest, Citation, Finish, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.logprobs import RESULT, Logprob, write_result
from ...stream.arguments import parse_calls
from ...stream.open_block import Grow, Shut, Step, Steps
from ...stream.pieces import End, Failed, Key, Meta, Part
from ...text.json_text import Json, JsonObject
from ..answers import AnswerEncoder, Event
from .answer_write import GeminiWriter, error_body, grounding
from .dialect import Dialect

_MODEL: JsonObject = {"role": "model"}


@dataclass(slots=True)
class _CandidateProgress:
    """The state of one candidate of a stream.

    Attributes:
        index: The candidate's index.
        steps: Turns its parts into steps of blocks.
        fields: Fields for the next chunk.
        content: The fields of the content beside its parts.
        end: The finish reason, once it is known.
        texts: The texts that citations may refer to.
        whole_calls: Complete calls, which replace the pieces that came before.
        broken: Whether a call broke off.
        held: The chunks from the first call on, which are held until the end of the answer.
    """

    index: int
    steps: Steps
    fields: JsonObject = field(default_factory=dict)
    content: JsonObject = field(default_factory=lambda: _MODEL)
    end: Finish | None = None
    texts: dict[Key, tuple[list[str], list[Citation]]] = field(default_factory=dict)
    whole_calls: dict[Key, ToolUseBlock] = field(default_factory=dict)
    broken: bool = False
    held: list[Event] = field(default_factory=list)
    calls: list[ToolUseBlock] = field(default_factory=list)  # the calls that are held


# fields that refer to the text so far, or grow: they cannot wait for the next chunk
_IMMEDIATE = ("groundingMetadata", "citationMetadata", "logprobsResult", "urlContextMetadata")
_TEXTS = frozenset({TextBlock, ThinkingBlock, tree.RefusalBlock})
# Chats of google-genai drop a turn if one of its chunks has no part (3.4.0); Gemini's last chunk
# mostly has an empty text (recorded until 2026-11)
_REGULAR = ("STOP", "MAX_TOKENS")
_EMPTY_PARTS = ({"text": ""}, {"text": "", "thought": True})


class GeminiEncoder(AnswerEncoder[GeminiWriter]):
    """Writes one answer as chunks without event names."""

    def __init__(self, report: Report, dialect: Dialect, request: ChatRequest | None) -> None:
        super().__init__(
            GeminiWriter(report, dialect.reads_items_of, own=False, streamed=True), request
        )
        self._model = request.model if request is not None else None
        self._id: str | None = None
        self._fields: JsonObject = {}  # of the answer, for the next chunk
        self._candidates: dict[int, _CandidateProgress] = {}
        self._blocked: Any = None  # why the prompt was blocked
        self._failed = False

    def part(self, piece: Part) -> list[Event]:
        """Return the chunks of a growing text, or of what came before this part."""
        candidate = self._candidates.get(piece.key[0]) or self._candidate(piece.key[0])
        if piece.block.extras is not None and (tokens := self.writer.tokens(piece)):
            return [
                *self._steps(candidate, candidate.steps.feed(piece)),
                self._tokens(candidate, tokens),
            ]
        if type(piece.block) is ToolUseBlock:
            candidate.whole_calls.pop(piece.key, None)  # the call continues after a complete one
            if piece.whole:
                candidate.whole_calls[piece.key] = piece.block
        return self._steps(candidate, candidate.steps.feed(piece))

    def write_end(self, piece: End) -> list[Event]:
        """Send what is open; the finish reason is kept for the last chunk."""
        candidate = self._candidate(piece.candidate)
        if candidate.end is None or piece.finish.raw:
            candidate.end = piece.finish
        events = self._steps(candidate, candidate.steps.finish())
        held, candidate.held, candidate.calls = [*candidate.held, *events], [], []
        return held

    def write_failure(self, piece: Failed) -> list[Event]:
        """Send an error in the middle of the stream; a call that is held is dropped.

        Gemini CLI 0.61 asks again, and would run the calls of both answers (seen on 2026-11-24).
        """
        events = self._flush_candidates()
        self._failed = not self.writer.own
        return [*events, (None, {"error": error_body(piece.error)})]

    def finish(self) -> list[Event]:
        """Return what was held, and the last chunk, without a reason if the answer broke off."""
        if self._failed:
            return []
        events = self._flush_candidates()
        for candidate in self._candidates.values():
            for block in candidate.steps.untold:
                self.report.add_loss(
                    "answer.unsupported", block, what="what was said otherwise before"
                )
        entries = [self._last_entry(candidate) for _, candidate in sorted(self._candidates.items())]
        entries = [entry for entry in entries if entry.keys() - {"index"}]
        usage = self.writer.usage(self.about.finish().usage)
        if entries or usage or self._fields:
            events.append(self._chunk(entries, usage))
        return events

    def _candidate(self, index: int) -> _CandidateProgress:
        if index not in self._candidates:
            self._candidates[index] = _CandidateProgress(index, Steps(self._id or "", self.report))
        return self._candidates[index]

    def _flush_candidates(self) -> list[Event]:
        events: list[Event] = []
        for candidate in self._candidates.values():
            broken = candidate.end is None and not self.writer.own
            events += self._steps(candidate, candidate.steps.finish(broken))
            unsaid = [*candidate.calls, *candidate.steps.unended] if broken else []
            for call in unsaid:
                self.report.add_loss(
                    "answer.unsupported", call, what="a call before the answer broke off"
                )
            candidate.held, candidate.calls, candidate.steps.unended = [], [], []
        return events

    def _chunk(self, entries: Sequence[JsonObject], usage: JsonObject | None = None) -> Event:
        body = {
            "candidates": entries or None,
            "usageMetadata": usage or None,
            "modelVersion": self._model,
            "responseId": self._id,
        }
        fields, self._fields = self._fields, {}
        if entries:
            fields.pop("candidates", None)
        return None, {key: value for key, value in body.items() if value is not None} | fields

    def _entry(self, candidate: _CandidateProgress) -> JsonObject:
        """Return an entry of `candidates`, with the fields that were waiting for it."""
        if not self.writer.own:
            return {"index": candidate.index}
        entry = candidate.fields
        candidate.fields = {"index": entry["index"]} if "index" in entry else {}
        return entry if entry or not candidate.index else {"index": candidate.index}

    def _last_entry(self, candidate: _CandidateProgress) -> JsonObject:
        entry = self._entry(candidate)
        if candidate.content is not _MODEL:
            entry["content"] = candidate.content
        texts = [TextBlock("".join(text), cites) for text, cites in candidate.texts.values()]
        if metadata := grounding(texts):
            entry["groundingMetadata"] = metadata
        end = candidate.end
        if end is None:
            return entry
        reason = self.writer.reason(end, end, candidate.broken)
        if self.writer.own and not entry and end.raw == self._blocked:
            return entry
        if reason in _REGULAR and "content" not in entry:
            entry["content"] = {"parts": [{"text": ""}], **_MODEL}
        return {"finishReason": reason, **entry} if reason is not None else entry

    def _steps(self, candidate: _CandidateProgress, steps: Iterable[Step]) -> list[Event]:
        events: list[Event] = []
        for step in steps:
            streamed = type(step.block) in _TEXTS
            parts: list[Json] = []
            if type(step) is Grow and streamed:
                parts = self._text(candidate, step)
            elif type(step) is Shut and not streamed:
                parts = self._whole(candidate, step)
            for part in parts:
                content = {"parts": [part], **candidate.content}
                candidate.content = _MODEL
                chunk = self._chunk([{"content": content, **self._entry(candidate)}])
                waits = candidate.held or (parts and type(step.block) is ToolUseBlock)
                (candidate.held if waits and self._holds(candidate) else events).append(chunk)
            if parts and type(step.block) is ToolUseBlock and self._holds(candidate):
                candidate.calls.append(step.block)
        return events

    def _holds(self, candidate: _CandidateProgress) -> bool:
        """Whether a call is held: in another wire's answer, until that has ended."""
        return candidate.end is None and not self.writer.own

    def _text(self, candidate: _CandidateProgress, step: Grow) -> list[Json]:
        """Write a piece of text; an empty piece carries only the fields beside it."""
        block: Any = step.block
        kind = type(block)
        if kind is TextBlock and block.extras is block.spelling is block.citations is None:
            part: Any = {"text": block.text}
        else:
            part = self.writer.part(block)
        if kind is not ThinkingBlock and not self.writer.own:
            texts, citations = candidate.texts.setdefault(step.key, ([], []))
            texts.append(block.text)
            citations += (kind is TextBlock and block.citations) or ()
        return [part] if part and part not in _EMPTY_PARTS else []

    def _whole(self, candidate: _CandidateProgress, step: Shut) -> list[Json]:
        """Write a block in one piece; a complete call replaces its pieces, which were not sent."""
        block = step.block
        blocks: list[Any] = [block]
        if type(block) is ToolUseBlock:
            if (call := candidate.whole_calls.pop(step.key, None)) is not None:
                untold = candidate.steps.untold
                candidate.steps.untold = [other for other in untold if other is not call]
                block = replace(call, id=block.id, name=block.name, spelling=block.spelling)
            blocks = [block]
            end = None if candidate.end is None else Finish()  # None: more may follow
            if block.raw_input is not None:
                blocks = [*parse_calls([block], {}, end, self._id or "")]
            candidate.broken = candidate.broken or any(call.unfinished for call in blocks)
            blocks = [call for call in blocks if not self._looks_whole(call, candidate.end)]
            for call in blocks:
                if call is not step.block:
                    self.report.record_copy(call, step.block)
        open_end = candidate.end is None
        parts = [self.writer.part(item, open_end) for item in blocks]
        return [part for part in parts if part is not None]

    def _looks_whole(self, call: Any, end: Finish | None) -> bool:
        """Whether an interrupted call would look complete, as the finish reason shows nothing."""
        filtered = end is not None and end.reason in ("content_filter", "refusal")
        if self.writer.own or not (call.unfinished and filtered):
            return False
        self.report.add_loss("answer.unsupported", call, what="a call that breaks off")
        return True

    def meta(self, piece: Meta) -> list[Event]:
        """Take the answer's id and model, and fields that no node can hold."""
        own = self.writer.reads(piece.issuer)
        self.writer.own = self.writer.own or own
        self._model = piece.model or self._model
        self._id = self._id or piece.id
        fields = piece.extras or {}
        if not own:
            self.writer.foreign(piece, piece.issuer, fields)
            tokens = self.writer.tokens(piece)
            index = piece.candidate or 0
            return [self._tokens(self._candidate(index), tokens)] if tokens else []
        if piece.candidate is not None:
            return self._candidate_fields(self._candidate(piece.candidate), dict(fields))
        self._fields.update(fields)
        feedback = fields.get("promptFeedback")
        if isinstance(feedback, dict):
            self._blocked = str(feedback.get("blockReason"))
        return []

    def _tokens(self, candidate: _CandidateProgress, tokens: Sequence[Logprob]) -> Event:
        return self._chunk([{**self._entry(candidate), RESULT: write_result(tokens)}])

    def _candidate_fields(self, candidate: _CandidateProgress, fields: JsonObject) -> list[Event]:
        content: Any = fields.pop("content", None)
        if isinstance(content, dict) and content.get("role") != "model":
            candidate.content = content  # of the next part
        elif isinstance(content, dict):
            return [self._chunk([{"content": content, **self._entry(candidate)}])]
        if any(key in fields for key in _IMMEDIATE):
            return [self._chunk([{**self._entry(candidate), **fields}])]
        candidate.fields.update(fields)
        return []
