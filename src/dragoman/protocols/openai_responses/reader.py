"""Answers of the Responses API, whole or in events, as pieces.

Reference: OpenAI API, "The response object" and "Streaming events"; recorded answers of a dozen
hosts. Events tell a text in deltas, then whole, then again in its part, its item and the response:
what is told whole stands for what came before it, and what was missed is there at the end.
"""

from __future__ import annotations

from typing import Any

from ...errors import ProviderError
from ...jsontext import Json, JsonObject
from ...message import Finish, TextBlock, ThinkingBlock
from ...message.answer import FinishReason
from ...pieces import End, Failed, Meta, Part, Piece, fault
from .answers import BESIDE
from .dialect import Dialect
from .settled import Settled
from .slots import Slots
from .streamed import Streamed
from .usage import usage

__all__ = ["ResponsesReader"]

_STARTS = frozenset({"response.created", "response.queued", "response.in_progress"})
_STATUS = {"response.completed": "completed", "response.incomplete": "incomplete",
           "response.failed": "failed", "response.cancelled": "cancelled"}  # fmt: skip
_REASONS: dict[str, FinishReason] = {
    "max_output_tokens": "length",
    "max_tokens": "length",
    "max_messages": "length",
    "content_filter": "content_filter",
    "completed": "stop",
    "complete": "stop",
    "failed": "error",
}
_OPEN = frozenset({"queued", "in_progress", "cancelled"})  # there is no end, or it was broken off
_SAID = {"id", "model", "output", "usage", "object", "status"}  # if they are as documented
_EVENT = {"type", "response", "sequence_number", "stream_id"}
_ERRORS = ("error", "errors", "message", "detail", "code")


class ResponsesReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._slots = Slots()
        self._items = Streamed(self._slots, self._issuer)
        self._settled = Settled(self._slots, self._issuer, dialect.reasoning == "raw")
        self._on = {**self._items.on, "response.output_item.done": self._settled.done}
        self._id: Any = None
        self._model: Any = None
        self._last: JsonObject | None = None  # the response as it was told last, but not its end

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        kind = payload.get("type") or event
        if kind == "response.output_text.delta":
            delta = payload["delta"]
            slot = self._slots.of(payload, "message")
            at = payload.get("content_index") or 0
            if at in slot.grown and not payload.get("logprobs") and type(delta) is str:
                return [Part((0, slot.at, at), TextBlock(delta))] if delta else []
            return self._items.text(slot, at, payload)
        if (take := self._on.get(kind or "")) is not None:
            return take(payload)
        if isinstance(told := payload.get("response"), dict) and isinstance(kind, str):
            return self._lifecycle(kind, payload, told)
        name = kind if isinstance(kind, str) else ""
        if name.startswith("response."):
            return self._items.feed(name, payload)
        if "output" in payload or payload.get("object") == "response":
            return self._closed(payload, payload.get("status", "completed"))
        if _wrong(name, payload):
            return [Failed(fault(payload, name=event))]
        return self._items.feed(name, payload)

    def finish(self) -> list[Piece]:
        """What a stream that broke off had told of itself, and the items it left open."""
        made = self._settled.left()
        if self._last is not None:
            made.append(Meta(self._rest(self._last), issuer=self._issuer))
            self._last = None
        return made

    def _lifecycle(self, kind: str, event: JsonObject, told: JsonObject) -> list[Piece]:
        """`response.created` to `response.completed`, each with the response as it is."""
        made: list[Piece] = []
        rest = {key: value for key, value in event.items() if key not in _EVENT}
        if rest:
            made.append(Meta(rest, issuer=self._issuer))
        if kind in _STATUS:
            return made + self._closed(told, told.get("status") or _STATUS[kind])
        if kind not in _STARTS:
            raise ValueError("no event of this API")
        if kind == "response.created" and self._id not in (None, told.get("id")):
            self._slots.restart()
        self._last = told
        return made + self._named(told)

    def _named(self, told: JsonObject) -> list[Piece]:
        made: list[Piece] = []
        id, model = told.get("id"), told.get("model")
        if isinstance(id, str) and id != self._id:
            self._id = id
            begun = {"created_at": told["created_at"]} if "created_at" in told else None
            made.append(Meta(begun, id=id, issuer=self._issuer))
        if isinstance(model, str) and model != self._model:
            self._model = model
            made.append(Meta(model=model, issuer=self._issuer))
        return made

    def _closed(self, told: JsonObject, status: Any) -> list[Piece]:
        """The pieces of a whole response; of those that a stream has told, what is new."""
        made = self._named(told)
        self._last = None
        thought = told.get("reasoning")
        if isinstance(thought, str):  # a local server; elsewhere what was asked for, an object
            made.append(Part((0, -1, 0), ThinkingBlock(thought, spelling=BESIDE), True))
        made += self._settled.output(told.get("output") or ())
        figures = told.get("usage")
        if isinstance(figures, dict):
            made.append(usage(figures, self._issuer))
        made.append(Meta(self._rest(told), issuer=self._issuer))
        if status == "failed" or (status == "error" and told.get("error")):
            made.append(Failed(_failure(told)))
        if status not in _OPEN:
            made += self._settled.ended()
            made.append(End(_finish(told, status)))
        return made

    def _rest(self, told: JsonObject) -> JsonObject:
        """Fields of the response that nobody models: what was asked for, prices, errors."""
        rest = {key: value for key, value in told.items() if key not in _SAID}
        if isinstance(rest.get("reasoning"), str):
            del rest["reasoning"]
        kept = {
            "id": not _named(told.get("id")),
            "model": not _named(told.get("model")),
            "output": not isinstance(told.get("output"), list),
            "usage": not (isinstance(told.get("usage"), dict) and told["usage"]),
            "object": told.get("object") != "response",
            "status": told.get("status") != "completed",
        }
        return {**rest, **{key: told[key] for key, odd in kept.items() if odd and key in told}}


def _named(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _wrong(name: str, payload: JsonObject) -> bool:
    """Whether what is no event of an item tells of an error."""
    if payload.get("error") or name.endswith("error"):
        return True
    return not name and any(payload.get(key) for key in _ERRORS)


def _finish(told: JsonObject, status: Any) -> Finish:
    """Why it ended: `completed`, or what made it `incomplete`."""
    word = status if isinstance(status, str) else ""
    details = told.get("incomplete_details")
    if word == "incomplete" and isinstance(details, dict):
        reason = details.get("reason")
        word = reason if isinstance(reason, str) else word
    return Finish(_REASONS.get(word, "other"), word if told.get("status") else None)


def _failure(told: JsonObject) -> ProviderError:
    if told.get("error"):
        return fault(told, name="response.failed")
    error = fault({"message": "the response failed"}, name="response.failed")
    error.body = told
    return error
