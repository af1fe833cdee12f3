"""Answers of Chat Completions, whole or in chunks, as pieces.

Reference: OpenAI API, "The chat completion object" and "Chat completion chunk"; recorded answers
of some forty hosts.
"""

from __future__ import annotations

from ...jsontext import Json, JsonObject
from ...pieces import Failed, Meta, Piece, ended_by, fault, unwell
from .choice import Choice
from .dialect import Dialect
from .usage import usage

__all__ = ["ChatReader"]

_BODY = {"id", "object", "model", "choices", "usage", "error", "obfuscation"}
_CHUNKS = ("chat.completion.chunk", "chat.completion.done")
_OBJECTS = ("chat.completion", *_CHUNKS, "")
# of errors that are not wrapped
_WORDS = {"message", "msg", "Message", "detail", "errors", "error_message", "error_msg", "code"}
_NONE = object()
_NOTHING: JsonObject = {}


class ChatReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._issuer = dialect.issuers[0]
        self._own = dialect.own_field
        self._seen: JsonObject = {}  # fields of the body that were told already
        self._choices: dict[int, Choice] = {}

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one chunk, or of a whole answer."""
        choices = payload.get("choices")
        made: list[Piece] = []
        own = (payload.get(self._own) if self._own else None) or _NOTHING
        # a chunk may come without choices, what is no chunk at all is an error
        known = "choices" in payload or "usage" in payload or payload.get("object") in _OBJECTS
        wrong = payload.get("error") or own.get("error")
        wrong = wrong or ("base_resp" in payload and unwell(payload))
        if wrong or not known:
            words = _WORDS & payload.keys()
            if not (wrong or words) or isinstance(payload.get("message"), dict):
                raise LookupError("neither a chunk nor an error")  # a ping of the host's own
            made.append(_failed(payload, own, event))
        kind = payload.get("object")
        whole, chunk = kind == "chat.completion", kind in _CHUNKS
        for nth, told in enumerate(choices or ()):
            index = told.get("index")
            at = index if type(index) is int and index >= 0 else nth
            choice = self._choices.get(at)
            if choice is None:
                choice = self._choices[at] = Choice(at, self._issuer, self._dialect)
            choice.read(told, nth, made, chunk)
            whole = whole or "delta" not in told
        whole = whole and not chunk
        if about := self._told(payload, whole, full=whole or (choices is None and not chunk)):
            made[:0] = about
        figures = payload.get("usage") or own.get("usage")
        if isinstance(figures, dict):
            made.append(usage(figures, self._issuer, whole))
        return made

    def finish(self) -> list[Piece]:
        """Nothing, unless a host gave an error for a reason: it may never have said which."""
        broke = next((choice.broke for choice in self._choices.values() if choice.broke), "")
        return [Failed(ended_by(broke))] if broke else []

    def _told(self, payload: JsonObject, whole: bool, full: bool) -> list[Piece]:
        """What the body says of the whole answer; chunks repeat it. `full`: nulls count, too."""
        made: list[Piece] = []
        seen = self._seen
        new: JsonObject = {}
        for key, value in payload.items():
            if key in ("id", "model"):
                if value != seen.get(key, _NONE):
                    seen[key] = value
                    if not isinstance(value, str) or (full and not value):
                        new[key] = value
                    else:
                        named = Meta(id=value) if key == "id" else Meta(model=value)
                        named.issuer = self._issuer
                        made.append(named)
            elif key in _BODY:
                if full and _odd(key, value, whole):
                    new[key] = value
            elif (value is not None or full) and seen.get(key, _NONE) != value:
                seen[key] = new[key] = value
        notes = _notes(payload) if whole else None
        if new or notes:
            made.append(Meta(new, issuer=self._issuer, notes=notes))
        return made


def _odd(key: str, value: Json, whole: bool) -> bool:
    """Whether a field says something else than every answer has there."""
    if key == "object":
        return bool(value != "chat.completion")
    if key == "usage":
        return not isinstance(value, dict) or not value
    return whole and key == "error"


def _notes(payload: JsonObject) -> JsonObject | None:
    """What a whole answer has otherwise than others: fields that are not there, no choices."""
    notes: JsonObject = {}
    if absent := [key for key in ("object", "usage") if key not in payload]:
        notes["absent"] = absent
    if "choices" not in payload:
        notes.setdefault("absent", []).append("choices")
    elif not payload["choices"]:
        notes["choices"] = payload["choices"]
    return notes or None


def _failed(payload: JsonObject, own: JsonObject, event: str | None) -> Failed:
    """The error that a chunk tells of, or the host's own object in it."""
    told = own if own.get("error") and not payload.get("error") else payload
    made = fault(told, name=event)
    made.body = payload
    return Failed(made)
