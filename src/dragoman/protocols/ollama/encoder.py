"""The pieces of an answer as the lines of a stream of `/api/chat`.

Text and thinking go out as they come. A call is whole on this wire, so calls wait for the end of
the answer; the last line has why it ended and what it cost. Reference: ollama docs/api.md, "Chat".
"""

from __future__ import annotations

from typing import Any, TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import calls, texts
from ..._core.stream.builder import Builder
from ..._core.stream.pieces import End, Failed, Key, Meta, Part, Piece, Raw, dated, moment, timeless
from ..._core.stream.think_tags import glued
from ...losses import Report
from ...message import ChatRequest, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from ...message.answer import total
from ...message.blocks import ContentBlock
from .answer import EPOCH, AnswerWriter, figures, reason

_FIELD = 3  # so long is the key of what stands in a field of its own, and not in the text


Line: TypeAlias = tuple[str | None, Json]


class OllamaEncoder:
    """Writes one answer, its first candidate."""

    def __init__(
        self, report: Report, request: ChatRequest | None, issuers: tuple[str, ...]
    ) -> None:
        self._report = report
        self._say = AnswerWriter(report, issuers, own=False)
        self._model = (request.model if request is not None else None) or ""
        self._created = EPOCH
        self._about = Builder(issuers[0])  # of what stands beside the message
        self._end: End | None = None
        self._held: dict[Key, list[ContentBlock]] = {}
        self._text: dict[Key, list[str]] = {}  # what went out, by key
        self._thought: Key | None = None  # the one that was said last
        self._count = 0
        self._failed = False
        self._tagged: list[ContentBlock] = []  # thinking that stood in tags, up to their end
        self._named: set[str] = set()  # losses that are told once

    def feed(self, piece: Piece) -> list[Line]:
        """The lines that the piece makes."""
        if type(piece) is Part:
            return self._part(piece)
        match piece:
            case Meta():
                return self._meta(piece)
            case Usage():
                self._about.add(piece)
            case End():
                if piece.candidate == 0:
                    self._about.add(piece)
                    self._end = piece
                    return self._flushed()
            case Failed():
                self._failed = True
                return [(None, _error(piece))]
            case Raw():
                self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            case _:
                assert_never(piece)
        return []

    def finish(self) -> list[Line]:
        """The calls that waited, and the last line, if the answer has ended."""
        made = self._flushed()
        resp = self._about.finish()
        if self._end is None or self._end.finish.reason == "error":
            beside = {} if not self._say.own else self._say.fields(resp)
            if beside.keys() - {"created_at"}:
                made.append((None, {**beside, **self._line({})}))
            if self._end is not None and not self._failed:
                made.append((None, {"error": self._end.finish.raw or "error"}))
            return made
        timed = self._say.own or self._created != EPOCH
        for known, name in ((self._model, "model"), (timed, "created_at")):
            if not known:
                self._report.lost("answer.field", resp, name)
        last: JsonObject = {**self._line({}), "done": True}
        if self._say.own:
            last |= self._say.fields(resp)
        word = reason(resp.finish, self._say, resp.candidates[0])
        if word is not None:
            last["done_reason"] = word
        made.append((None, {**last, **figures(resp.usage, self._say)}))
        return made

    def _line(self, message: JsonObject) -> JsonObject:
        said: JsonObject = {"role": "assistant", "content": "", **message}
        return {"model": self._model, "created_at": self._created, "message": said, "done": False}

    def _part(self, piece: Part) -> list[Line]:
        key, block = piece.key, piece.block
        if key[0] != 0:
            self._once("answer.candidates", piece, what=f"candidate {key[0]}")
            return []
        if self._say.own and type(block) is ThinkingBlock and len(key) > _FIELD:
            self._tagged.append(block)
            if not block.spelling:  # which comes with the closing tag
                return []
            block, self._tagged = total(self._tagged), []
        if self._say.own:
            [block] = glued([block])
        if type(block) is TextBlock or type(block) is RefusalBlock:
            return self._said("content", key, self._say.text(block), piece)
        if type(block) is ThinkingBlock:
            return self._said("thinking", key, self._say.thought(block), piece)
        if piece.whole:
            self._held.pop(key, None)
        self._held.setdefault(key, []).append(block)
        return []

    def _said(self, field: str, key: Key, text: str, piece: Part) -> list[Line]:
        before = self._text.setdefault(key, [])
        if piece.whole and before:
            old = "".join(before)
            if not text.startswith(old):
                self._report.lost("answer.unsaid", piece, what="text in the place of other text")
                return []
            text = text[len(old) :]
        if not text:
            return []
        before.append(text)
        if field == "thinking":
            if not self._say.own and self._thought not in (None, key):
                text = f"\n{text}"
            self._thought = key
        return [(None, self._line({field: text}))]

    def _meta(self, piece: Meta) -> list[Line]:
        if piece.model is not None:
            self._model = piece.model
        if piece.id is not None and not self._say.own:
            self._once("answer.unsaid", piece, "id")
        told = piece.extras or {}
        if piece.issuer in self._say.issuers:
            self._say.own = True
            if isinstance(told.get("created_at"), str) and piece.candidate is None:
                self._created = told["created_at"]
        if self._say.own and piece.candidate == 0 and "think_tags" in told:
            return [(None, self._line({"content": told["think_tags"]}))]
        if piece.issuer not in self._say.issuers or piece.candidate:
            if piece.candidate is None and (at := moment(told)) is not None:
                self._created = dated(at) if self._created == EPOCH else self._created
                told = timeless(told)
            for key in told:
                self._once("extras.foreign", piece, f"extras.{piece.issuer or 'nobody'}.{key}")
            return []
        if piece.candidate is None and not piece.joined:
            self._about.add(piece)
            return []
        if piece.candidate is None:
            return [(None, {**self._line({}), **told})]
        inner = told.get("message")
        return [(None, self._line(inner if isinstance(inner, dict) else {}))]

    def _flushed(self) -> list[Line]:
        """What waited for its end: calls, each on a line of its own, and media."""
        made: list[Line] = []
        for block in self._waited():
            if type(block) is ToolUseBlock:
                message: JsonObject = {"tool_calls": [self._say.call(block, self._count)]}
                self._count += 1
            else:
                data = self._say.data(block)
                message = {} if data is None else {"images": [data]}
            if message:
                made.append((None, self._line(message)))
        return made

    def _waited(self) -> list[ContentBlock]:
        """The blocks that waited, each made of its first piece for whoever asks where it stood."""
        held = [self._held[key] for key in sorted(self._held)]
        self._held = {}
        blocks = [total(pieces) for pieces in held]
        end = self._end.finish if self._end is not None else None
        made = calls(blocks, {}, end, self._model)
        firsts = [
            pieces[0]
            for block, pieces in zip(blocks, held, strict=True)
            # one can hold several calls that a server ran together
            for _ in (texts(block) if type(block) is ToolUseBlock else [None])
        ]
        for block, first in zip(made, firsts, strict=True):
            if block is not first:
                self._report.made(block, first)
        return made

    def _once(self, code: str, piece: Any, field: str = "", what: str = "") -> None:
        if (name := f"{code} {field or what}") not in self._named:
            self._named.add(name)
            self._report.lost(code, piece, field, what)


def _error(piece: Failed) -> JsonObject:
    """`{"error": "text"}`: the very line where it is one of this wire."""
    body = piece.error.body
    plain = isinstance(body, dict) and isinstance(body.get("error"), str)
    if isinstance(body, dict) and plain and "message" not in body:
        return body
    return {"error": piece.error.message}
