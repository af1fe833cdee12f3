"""The pieces of an answer as the chunks of a stream of Mistral's chat completions.

Every candidate has a delta of its own; the reason and the figures stand in the last chunk, behind
which the stream says that it is over. Reference: Mistral API, "CompletionChunk".
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import ChatRequest, Finish, Usage
from ...pieces import Builder, End, Failed, Meta, Part, Piece, Raw
from ...pieces.moment import moment, timeless
from .answer import EVENTS, error_body, finish_reason
from .deltas import Deltas
from .said import Sayer
from .usage import said_usage

__all__ = ["MistralEncoder"]

Event: TypeAlias = tuple[str | None, Json]
_DONE = "[DONE]"
_UNKNOWN = "unknown"


class MistralEncoder:
    """Writes one answer with all its candidates."""

    def __init__(
        self, report: Report, issuers: tuple[str, ...], request: ChatRequest | None
    ) -> None:
        self._report = report
        self._say = Sayer(report, issuers, own=False)
        self._about = Builder(issuers[0])  # its figures, and what stands beside the choices
        self._head: JsonObject = {}  # id, model and time, which each chunk repeats
        self._asked = (request.model if request is not None else None) or _UNKNOWN
        self._sent: JsonObject = {}  # as the last chunk had it
        self._beside: JsonObject = {}  # for the next chunk
        self._deltas: dict[int, Deltas] = {}
        self._named: set[str] = set()  # losses that are told once
        self._failed = False

    def feed(self, piece: Piece) -> list[Event]:
        """The chunks that the piece makes."""
        match piece:
            case Part():
                candidate = self._candidate(piece.key[0])
                return [self._chunk(one) for one in candidate.feed(piece)]
            case Meta():
                return self._meta(piece)
            case Usage():
                self._about.add(piece)
            case End():
                self._candidate(piece.candidate).end = piece.finish
            case Failed():
                return self._error(piece)
            case Raw():
                self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            case _:
                assert_never(piece)
        return []

    def finish(self) -> list[Event]:
        """What still waits, why each candidate ended, the figures, and the end of the stream."""
        made: list[Event] = []
        last: list[JsonObject] = []
        for index in sorted(self._deltas):
            one = self._deltas[index]
            made += [self._chunk(choice) for choice in one.finish()]
            if one.end is not None:
                last.append(self._last(one, one.end))
        resp = self._about.finish()
        beside = self._say.fields(resp)
        beside.pop(EVENTS, None)
        usage = said_usage(resp.usage, self._say) if last or resp.usage != Usage() else {}
        more = {**({"usage": usage} if usage else {}), **beside}
        made += [self._chunk(choice) for choice in last[:-1]]
        if last or more or self._beside or (self._say.own and self._head != self._sent):
            event = self._chunk(last[-1] if last else None)
            event[1].update(more)
            made.append(event)
        return [*made, (None, _DONE)] if last else made

    def _last(self, one: Deltas, end: Finish) -> JsonObject:
        """The delta with the reason."""
        word = finish_reason(end, self._say, end)
        return one.choice({"content": ""}, word or "stop")

    def _candidate(self, index: int) -> Deltas:
        if index not in self._deltas:
            self._deltas[index] = Deltas(index, self._say, str(self._head.get("id", "")))
        return self._deltas[index]

    def _meta(self, piece: Meta) -> list[Event]:
        own = self._say.reads(piece.issuer)
        self._say.own = self._say.own or own
        for name in ("id", "model"):
            if (value := getattr(piece, name)) is not None:
                self._head.setdefault(name, value)
        told = piece.extras or {}
        if own and piece.candidate is None and "created" in told:
            self._head["created"] = told["created"]
        if not own:
            if piece.candidate is None and (at := moment(told)) is not None:
                self._head.setdefault("created", at)
                told = timeless(told)
            for key in told:
                self._once("extras.foreign", piece, f"extras.{piece.issuer or 'nobody'}.{key}")
            return []
        if piece.candidate is not None:
            return [self._chunk(self._candidate(piece.candidate).beside(told))] if told else []
        self._beside.update((key, value) for key, value in told.items() if key != "created")
        return []

    def _chunk(self, choice: JsonObject | None) -> Event:
        """One chunk; the first of another wire's answer settles what it must be called."""
        made: JsonObject = {"object": "chat.completion.chunk"}
        if not self._say.own:
            for name, usual in (("id", _UNKNOWN), ("model", self._asked), ("created", 0)):
                if name not in self._head:
                    self._head[name] = usual
                    self._once("answer.field", self._head, name)
        self._sent = dict(self._head)
        made.update(self._head)
        made["choices"] = [] if choice is None else [choice]
        made.update(self._beside)
        self._beside = {}
        return None, made

    def _error(self, piece: Failed) -> list[Event]:
        ended = any(one.end is not None and one.end.reason == "error"
                    for one in self._deltas.values())  # fmt: skip
        if ended and self._say.own and piece.error.body is None:
            return []  # the reason has said it
        return [(None, error_body(piece.error))]

    def _once(self, code: str, node: object, field: str) -> None:
        if (name := f"{code} {field}") not in self._named:
            self._named.add(name)
            self._report.lost(code, node, field)
