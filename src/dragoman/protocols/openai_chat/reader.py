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
_OBJECTS = ("chat.completion", "chat.completion.chunk", "chat.completion.done", "")
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
        chunk = "choices" in payload or "usage" in payload or payload.get("object") in _OBJECTS
        wrong = payload.get("error") or own.get("error")
        wrong = wrong or ("base_resp" in payload and unwell(payload))
        if wrong or not chunk:
            words = _WORDS & payload.keys()
            if not (wrong or words) or isinstance(payload.get("message"), dict):
                raise LookupError("neither a chunk nor an error")  # a ping of the host's own
            made.append(_failed(payload, own, event))
        whole = False
        for nth, told in enumerate(choices or ()):
            index = told.get("index")
            at = index if type(index) is int and index >= 0 else nth
            choice = self._choices.get(at)
            if choice is None:
                choice = self._choices[at] = Choice(at, self._issuer, self._dialect)
            choice.read(told, made)
            whole = whole or "delta" not in told
        self._told(payload, made, whole or choices is None)
        figures = payload.get("usage") or own.get("usage")
        if isinstance(figures, dict):
            made.append(usage(figures, self._issuer))
        return made

    def finish(self) -> list[Piece]:
        """Nothing, unless a host gave an error for a reason: it may never have said which."""
        broke = next((choice.broke for choice in self._choices.values() if choice.broke), "")
        return [Failed(ended_by(broke))] if broke else []

    def _told(self, payload: JsonObject, made: list[Piece], whole: bool) -> None:
        """What the body says of the whole answer; chunks repeat it."""
        seen = self._seen
        new: JsonObject = {}
        for key, value in payload.items():
            if key in ("id", "model"):
                if value != seen.get(key, _NONE):
                    seen[key] = value
                    if not isinstance(value, str) or (whole and not value):
                        new[key] = value
                    else:
                        made.append(Meta(id=value) if key == "id" else Meta(model=value))
            elif key in _BODY:
                odd = key == "object" and value not in _OBJECTS
                if whole and (odd or (key == "usage" and not isinstance(value, dict))):
                    new[key] = value
            elif (value is not None or whole) and seen.get(key, _NONE) != value:
                seen[key] = new[key] = value
        if new:
            made.append(Meta(new))


def _failed(payload: JsonObject, own: JsonObject, event: str | None) -> Failed:
    """The error that a chunk tells of, or the host's own object in it."""
    told = own if own.get("error") and not payload.get("error") else payload
    made = fault(told, name=event)
    made.body = payload
    return Failed(made)
