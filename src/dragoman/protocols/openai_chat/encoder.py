"""The pieces of an answer as chunks of Chat Completions.

Texts, thoughts and calls go out as they come, each in its field of the delta; calls may come
interleaved here. Why it ended and what it cost stand at the end. Reference: OpenAI API, "Chat
completion chunk".
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import ChatRequest, Finish, Usage
from ...message.total import joined
from ...pieces import Builder, End, Failed, Meta, Part, Piece, Raw
from ...pieces.moment import moment, timeless
from .answer import CUT, ID, fault_of, reason
from .deltas import Deltas
from .dialect import Dialect
from .said import Sayer
from .usage import told_usage

__all__ = ["ChatEncoder"]

Event: TypeAlias = tuple[str | None, Json]
DONE = "[DONE]"
_SAID = ("think_tags", "delta")  # what stands in the text of the message


class ChatEncoder:
    """Writes one answer, all candidates of it."""

    def __init__(self, report: Report, request: ChatRequest | None, dialect: Dialect) -> None:
        self._report = report
        self._dialect = dialect
        self._say = Sayer(report, dialect, own=False)
        self._head: JsonObject = {}
        self._asked = (request.model if request is not None else None) or ""
        self._begun = False
        self._about: JsonObject = {}  # fields of the next chunk, and of its choices
        self._beside: dict[int, list[JsonObject]] = {}
        self._deltas: dict[int, Deltas] = {}
        self._ends: dict[int, Finish] = {}
        self._figures = Builder(dialect.issuers[0])

    def feed(self, piece: Piece) -> list[Event]:
        """The chunks that the piece makes."""
        if type(piece) is Part:
            return self._part(piece)
        match piece:
            case Meta():
                return self._meta(piece)
            case Usage():
                self._figures.add(piece)
            case End():
                # a closing event may repeat the reason, or come without one
                if piece.candidate not in self._ends or piece.finish.raw:
                    self._ends[piece.candidate] = piece.finish
            case Failed():
                return [*self._left(), (None, self._failed(piece))]
            case Raw():
                if self._say.own:
                    return [(piece.event, piece.payload)]
                self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            case _:
                assert_never(piece)
        return []

    def finish(self) -> list[Event]:
        """Why each candidate ended, what the answer cost, and the sign of the end: `[DONE]`.

        An answer that broke off has no such sign.
        """
        made: list[Event] = []
        for index, end in sorted(self._ends.items()):
            if end.reason not in CUT:
                made += [self._chunk(index, delta) for delta in self._of(index).finish()]
            word = reason(end, self._of(index).kinds, self._say, end)
            made.append(self._chunk(index, {}, word))
        usage = self._figures.finish().usage
        if usage != Usage():
            made.append((None, {**self._named(), "choices": [],
                                "usage": told_usage(usage, self._say)}))  # fmt: skip
        made += self._left()
        return [*made, (None, DONE)] if self._ends else made

    def _part(self, piece: Part) -> list[Event]:
        index = piece.key[0]
        return [self._chunk(index, delta) for delta in self._of(index).said(piece)]

    def _of(self, index: int) -> Deltas:
        if index not in self._deltas:
            self._deltas[index] = Deltas(self._say, self._dialect, str(self._head.get("id", "")))
        return self._deltas[index]

    def _meta(self, piece: Meta) -> list[Event]:
        if piece.issuer in self._dialect.issuers:
            self._say.own = True
        for key in ("id", "model"):
            value = getattr(piece, key)
            if value is not None and (not self._head.get(key) or piece.instead):
                self._head[key] = value
        told = piece.extras or {}
        if not self._say.own:
            if piece.candidate is None and (at := moment(told)) is not None:
                self._head.setdefault("created", at)
                told = timeless(told)
            self._report.foreign(piece, piece.issuer, told)
        elif piece.candidate is not None:
            self._beside.setdefault(piece.candidate, []).append(told)
            tags = told.get("think_tags")
            if tags:
                return [self._chunk(piece.candidate, {"content": tags})]
        else:
            self._about.update(told)
        return []

    def _chunk(self, index: int, delta: JsonObject, word: str | None = None) -> Event:
        """One chunk with one choice, and what stands beside it by now."""
        choice: JsonObject = {"index": index, "delta": delta, "finish_reason": word}
        more = joined(self._beside.pop(index, [])) or {}
        for key, value in more.items():
            if key == "message":
                delta |= {k: v for k, v in value.items() if k not in delta}
            elif key not in _SAID:
                choice[key] = value
        return None, {**self._named(), "choices": [choice]}

    def _named(self) -> JsonObject:
        """What every chunk says of the answer."""
        if not self._begun:
            self._begun = True
            if not self._say.own:
                for key, value in (("id", ID), ("model", self._asked), ("created", 0)):
                    if key not in self._head:
                        self._head[key] = value
                        self._report.lost("answer.field", self._head, key)
        about, self._about = self._about, {}
        if "created" in about:
            self._head["created"] = about["created"]
        return {"object": "chat.completion.chunk", **self._head, **about}

    def _failed(self, piece: Failed) -> JsonObject:
        body = piece.error.body
        if self._say.own and isinstance(body, dict) and "choices" not in body:
            return body
        return {"error": fault_of(piece.error)}

    def _left(self) -> list[Event]:
        """What was told beside the answer and found no chunk."""
        made = [self._chunk(index, {}) for index in [*self._beside]]
        if self._about:
            made.append((None, {**self._named(), "choices": []}))
        return made
