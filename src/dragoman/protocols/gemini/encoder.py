"""How far the stream of one candidate has come. Knows no chunk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import calls
from ..._core.stream.builder import Builder
from ..._core.stream.pieces import End, Failed, Key, Meta, Part, Piece, Raw
from ..._core.stream.steps import Grow, Shut, Step, Steps
from ...losses import Report
from ...message import (
    ChatRequest,
    Citation,
    Finish,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...message.answer import Usage
from .answer import AnswerWriter, error_of, grounding
from .dialect import Dialect

MODEL: JsonObject = {"role": "model"}


@dataclass(slots=True)
class Progress:
    """What is known of one candidate so far.

    `beside`: fields that wait for the next chunk; `content`: what stands beside its parts.
    `settled`: calls that were told whole. `broken`: a call broke off.
    """

    index: int
    steps: Steps
    beside: JsonObject = field(default_factory=dict)
    content: JsonObject = field(default_factory=lambda: MODEL)
    end: Finish | None = None
    said: dict[Key, tuple[list[str], list[Citation]]] = field(default_factory=dict)
    settled: dict[Key, ToolUseBlock] = field(default_factory=dict)
    broken: bool = False

    def texts(self) -> list[TextBlock]:
        """The texts as they stand, with what they cite."""
        return [TextBlock("".join(texts), cited) for texts, cited in self.said.values()]


_Event: TypeAlias = tuple[str | None, Json]


# fields that speak of what was said so far, or grow: they cannot wait for the next chunk
_NOW = ("groundingMetadata", "citationMetadata", "logprobsResult", "urlContextMetadata")


_TEXTS = frozenset({TextBlock, ThinkingBlock, RefusalBlock})


_SILENT = ({"text": ""}, {"text": "", "thought": True})


class GeminiEncoder:
    """Writes one answer."""

    def __init__(self, report: Report, request: ChatRequest | None, dialect: Dialect) -> None:
        self._report = report
        self._say = AnswerWriter(report, dialect.issuers, own=False, streamed=True)
        self._model = request.model if request is not None else None
        self._id: str | None = None
        self._beside: JsonObject = {}  # fields of the answer that wait for the next chunk
        self._figures = Builder(dialect.issuers[0])
        self._candidates: dict[int, Progress] = {}
        self._blocked: Any = None

    def feed(self, piece: Piece) -> list[_Event]:
        """The chunks that the piece makes."""
        if type(piece) is Part:
            candidate = self._candidates.get(piece.key[0]) or self._candidate(piece.key[0])
            if type(piece.block) is ToolUseBlock:
                candidate.settled.pop(piece.key, None)  # it goes on behind what was told whole
                if piece.whole:
                    candidate.settled[piece.key] = piece.block
            return self._steps(candidate, candidate.steps.feed(piece))
        match piece:
            case Meta():
                return self._meta(piece)
            case Usage():
                self._figures.add(piece)
            case End():
                candidate = self._candidate(piece.candidate)
                if candidate.end is None or piece.finish.raw:
                    candidate.end = piece.finish
                return self._steps(candidate, candidate.steps.finish())
            case Failed():
                return [*self._flushed(), (None, {"error": error_of(piece.error)})]
            case Raw():
                self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            case _:
                assert_never(piece)
        return []

    def finish(self) -> list[_Event]:
        """What waited, and the last chunk; it says no end of an answer that broke off."""
        made = self._flushed()
        for candidate in self._candidates.values():
            for block in candidate.steps.untold:
                self._report.lost("answer.unsaid", block, what="what was said otherwise before")
        last = [self._last(one) for _, one in sorted(self._candidates.items())]
        told = [one for one in last if one.keys() - {"index"}]
        figures = self._say.usage(self._figures.finish().usage)
        if told or figures or self._beside:
            made.append(self._chunk(told, figures))
        return made

    def _candidate(self, index: int) -> Progress:
        found = self._candidates.get(index)
        if found is None:
            steps = Steps(self._id or "", self._report)
            found = self._candidates[index] = Progress(index, steps)
        return found

    def _flushed(self) -> list[_Event]:
        made: list[_Event] = []
        for candidate in self._candidates.values():
            made += self._steps(candidate, candidate.steps.finish())
        return made

    def _chunk(self, candidates: list[JsonObject], figures: JsonObject | None = None) -> _Event:
        made: JsonObject = {"candidates": candidates} if candidates else {}
        if figures:
            made["usageMetadata"] = figures
        if self._model is not None:
            made["modelVersion"] = self._model
        if self._id is not None:
            made["responseId"] = self._id
        beside, self._beside = self._beside, {}
        if candidates:
            beside.pop("candidates", None)
        return None, {**made, **beside}

    def _entry(self, candidate: Progress) -> JsonObject:
        """An entry of `candidates`, with the fields that waited for it."""
        if not self._say.own:
            return {"index": candidate.index}
        made = candidate.beside
        candidate.beside = {"index": made["index"]} if "index" in made else {}
        return made if made or not candidate.index else {"index": candidate.index}

    def _last(self, candidate: Progress) -> JsonObject:
        entry = self._entry(candidate)
        if candidate.content is not MODEL:
            entry["content"] = candidate.content
        if told := grounding(candidate.texts()):
            entry["groundingMetadata"] = told
        if candidate.end is None:
            return entry
        end = candidate.end
        word = self._say.reason(end, end, candidate.broken)
        if self._say.own and not entry and end.raw == self._blocked:
            return entry
        return {"finishReason": word, **entry} if word is not None else entry

    def _steps(self, candidate: Progress, steps: Iterable[Step]) -> list[_Event]:
        made: list[_Event] = []
        for step in steps:
            streamed = type(step.block) in _TEXTS
            parts: list[Json] = []
            if type(step) is Grow and streamed:
                parts = self._text(candidate, step)
            elif type(step) is Shut and not streamed:
                parts = self._whole(candidate, step)
            for part in parts:
                content = {"parts": [part], **candidate.content}
                candidate.content = MODEL
                made.append(self._chunk([{"content": content, **self._entry(candidate)}]))
        return made

    def _text(self, candidate: Progress, step: Grow) -> list[Json]:
        """A piece of text; with nothing in it, it is but what stands beside it."""
        block: Any = step.block
        kind = type(block)
        if kind is TextBlock and block.extras is block.spelling is block.citations is None:
            part: Any = {"text": block.text}
        else:
            part = self._say.part(block)
        if kind is not ThinkingBlock and not self._say.own:
            texts, cited = candidate.said.setdefault(step.key, ([], []))
            texts.append(block.text)
            cited += (kind is TextBlock and block.citations) or ()
        return [part] if part and part not in _SILENT else []

    def _whole(self, candidate: Progress, step: Shut) -> list[Json]:
        """What goes out in one piece; a call as it was settled, for nothing of it went out."""
        block = step.block
        blocks: list[Any] = [block]
        if type(block) is ToolUseBlock:
            if (whole := candidate.settled.pop(step.key, None)) is not None:
                candidate.steps.untold = [one for one in candidate.steps.untold if one is not whole]
                block = replace(whole, id=block.id, name=block.name, spelling=block.spelling)
            blocks = [block]
            if block.raw_input is not None:
                blocks = [*calls([block], {}, Finish(), self._id or "")]
            candidate.broken = candidate.broken or any(call.unfinished for call in blocks)
            for call in blocks:
                if call is not step.block:
                    self._report.made(call, step.block)
        open_end = candidate.end is None
        return [part for one in blocks if (part := self._say.part(one, open_end)) is not None]

    def _meta(self, piece: Meta) -> list[_Event]:
        own = piece.issuer in self._say.issuers
        self._say.own = self._say.own or own
        self._model = piece.model or self._model
        self._id = self._id or piece.id
        told = piece.extras or {}
        if not own:
            self._say.foreign(piece, piece.issuer, told)
            return []
        if piece.candidate is None:
            self._beside.update(told)
            feedback = told.get("promptFeedback")
            if isinstance(feedback, dict):
                self._blocked = str(feedback.get("blockReason"))
            return []
        return self._about(self._candidate(piece.candidate), dict(told))

    def _about(self, candidate: Progress, told: JsonObject) -> list[_Event]:
        content: Any = told.pop("content", None)
        if isinstance(content, dict) and content.get("role") != "model":
            candidate.content = content  # of the next part
        elif isinstance(content, dict):
            return [self._chunk([{"content": content, **self._entry(candidate)}])]
        if any(key in told for key in _NOW):
            return [self._chunk([{**self._entry(candidate), **told}])]
        candidate.beside.update(told)
        return []
