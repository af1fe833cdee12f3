"""Answers of Chat Completions, whole or in chunks, as pieces.

Reference: OpenAI API, "The chat completion object" and "Chat completion chunk"; recorded answers
of some forty hosts.
"""

from __future__ import annotations

from ...jsontext import Json, JsonObject
from ...pieces import Failed, Meta, Piece, fault
from .choice import Choice
from .dialect import Dialect
from .usage import usage

__all__ = ["ChatReader"]

_BODY = {"id", "object", "model", "choices", "usage", "error", "obfuscation"}
_OBJECTS = ("chat.completion", "chat.completion.chunk", "chat.completion.done", "")
# of errors that are not wrapped
_WORDS = {"message", "msg", "Message", "detail", "errors", "error_message", "error_msg", "code"}
_NONE = object()


class ChatReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._issuer = dialect.issuers[0]
        self._seen: JsonObject = {}  # fields of the body that were told already
        self._choices: dict[int, Choice] = {}

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one chunk, or of a whole answer."""
        choices = payload.get("choices")
        made: list[Piece] = []
        error = payload.get("error")
        # a chunk may come without choices, what is no chunk at all is an error
        chunk = "choices" in payload or "usage" in payload or payload.get("object") in _OBJECTS
        if error or not chunk:
            if not (error or _WORDS & payload.keys()):
                raise LookupError("neither a chunk nor an error")  # a ping of the host's own
            made.append(Failed(fault(payload, name=event)))
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
        if isinstance(payload.get("usage"), dict):
            made.append(usage(payload["usage"], self._issuer))
        return made

    def finish(self) -> list[Piece]:
        """Nothing: every chunk says what it has to say."""
        return []

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
