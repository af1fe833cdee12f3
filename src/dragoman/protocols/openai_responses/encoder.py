"""An answer's pieces as the events of a stream, from `response.created` to `response.completed`.

Reference: OpenAI API, "Streaming events". The last event tells the whole response again. An answer
that broke off has no such event, and none is invented.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...losses import Report
from ...message import ChatRequest, ChatResponse
from ...pieces import Builder, End, Failed, Meta, Part, Piece, Raw
from ...pieces.moment import moment
from .answer import DEFAULTS, UNTOLD, response
from .dialect import Dialect
from .events import Event, Events
from .replayed import Replayed
from .said import Sayer
from .slots import ID
from .told import Told

__all__ = ["ResponsesEncoder"]

_CLOSING = {"incomplete": "response.incomplete", "failed": "response.failed",
            "cancelled": "response.failed", "error": "response.failed"}  # fmt: skip


class ResponsesEncoder:
    """Writes one answer."""

    def __init__(self, dialect: Dialect, report: Report, request: ChatRequest | None) -> None:
        self._dialect = dialect
        self._report = report
        self._events = Events()
        self._asked = request.model if request is not None else None
        self._builder = Builder(dialect.issuers[0])
        self._here: bool | None = None  # whether this wire's reader made the pieces
        self._says: Replayed | Told | None = None  # once the answer has begun
        self._id: str | None = None
        self._model: str | None = None
        self._created: Any = None
        self._ended = False
        self._broke = False  # with an error of another wire
        self._others: set[int] = set()

    def feed(self, piece: Piece) -> list[Event]:
        """The events that the piece makes."""
        if self._here is None:
            self._begin(piece)
        if type(piece) is Part:
            return self._part(piece)
        other = piece.candidate if isinstance(piece, (Meta, End)) else 0
        if other:
            return self._untold(piece, other)
        if type(piece) is Raw:
            if self._here:
                return [*self._opened(), (piece.event, piece.payload)]
            self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            return []
        self._builder.add(piece)
        if type(piece) is Meta:
            return self._meta(piece)
        if type(piece) is Failed:
            return self._failed(piece)
        if type(piece) is End:
            self._ended = True
        return []

    def _begin(self, piece: Piece) -> None:
        """Look whose pieces these are: this wire's reader names itself with the first of them."""
        issuers = self._dialect.issuers
        issuer = piece.issuer if type(piece) is Meta else ""
        if type(piece) is Part:
            sayer = Sayer(self._dialect, self._report, "")
            note = piece.block.spelling or ""
            issuer = sayer.ours(piece.block) or (issuers[0] if ID in note else "")
        self._here = issuer in issuers
        self._builder = Builder(issuer)

    def _meta(self, piece: Meta) -> list[Event]:
        self._id = self._id or piece.id
        self._model = self._model or piece.model
        told = piece.extras or {}
        if piece.candidate is None and self._created is None:
            self._created = told.get("created_at") if self._here else moment(told)
        timed = self._here or self._created is not None  # else it may come in the next piece
        return self._opened() if self._id and self._model and timed else []

    def _opened(self) -> list[Event]:
        """The first events, once."""
        if self._says is not None:
            return []
        if not self._id:
            self._report.lost("answer.field", self._builder, "id")
        sayer = Sayer(self._dialect, self._report, self._id or UNTOLD, bool(self._here))
        self._says = (Replayed if self._here else Told)(self._events, sayer)
        told: JsonObject = {"id": sayer.seed, "object": "response"}
        if self._created is not None or not self._here:  # else the reader would take it for told
            told["created_at"] = self._created or 0
        told |= {"status": "in_progress", **DEFAULTS}
        told |= {"model": self._model or self._asked or "", "output": [], "usage": None}
        return [self._events.say(f"response.{name}", response=told)
                for name in ("created", "in_progress")]  # fmt: skip

    def _part(self, piece: Part) -> list[Event]:
        if piece.key[0] != 0:
            return self._untold(piece, piece.key[0])
        if self._here and len(piece.key) > 1 and piece.key[1] < 0:  # beside the items
            self._builder.add(piece)
            return []
        made = self._opened()
        assert self._says is not None  # it is open
        return made + self._says.feed(piece)

    def _untold(self, piece: Piece, candidate: int) -> list[Event]:
        """Nothing: a response is one candidate, and ends as that one does."""
        if candidate not in self._others:
            self._report.lost("answer.candidates", piece, what=f"candidate {candidate}")
        self._others.add(candidate)
        return []

    def _failed(self, piece: Failed) -> list[Event]:
        """`error`, in the form that is sent and in that of the SDK's type, which differ."""
        body = piece.error.body
        made = self._opened()
        if self._here and isinstance(body, dict):
            return made if "output" in body or "status" in body else [*made, ("error", body)]
        self._broke = not self._here
        error = piece.error
        told = {"code": error.code or error.type or None, "message": error.message, "param": None}
        inner = {"type": error.type or "server_error", **told}
        return [*made, self._events.say("error", error=inner, **told)]

    def finish(self) -> list[Event]:
        """The ends of the items, and the response as a whole if it came to its end, or failed."""
        if self._says is None and not self._ended:
            return []
        made = self._opened()
        assert self._says is not None
        resp = self._builder.finish()
        made += self._says.finish(self._ended, resp.status == "truncated")
        resp.id = resp.id or (None if self._here else UNTOLD)
        if self._ended or self._broke:
            told = self._told(resp)
            kind = _CLOSING.get(told.get("status", ""), "response.completed")
            made.append(self._events.say(kind, response=told))
        elif self._here:  # what was known when it broke off
            made.append(self._events.say("response.in_progress", response=self._told(resp)))
        return made

    def _told(self, resp: ChatResponse) -> JsonObject:
        assert self._says is not None
        output = self._says.output if self._ended or self._broke else []
        made = response(resp, self._report, self._dialect, output, self._here, self._asked)
        if type(self._says) is Told and self._says.broken and made["status"] == "completed":
            made["status"] = "incomplete"
            self._report.lost("answer.finish", resp, "status", what="a call that breaks off")
        return made
