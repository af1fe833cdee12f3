"""Answers of Mistral's chat completions, whole or in chunks, as pieces.

Reference: Mistral API, "ChatCompletionResponse" and "CompletionChunk"; recorded answers. Content
is text or a list of chunks, in deltas as well; blocks come in the order of the chunks, then calls.
"""

from __future__ import annotations

from ...jsontext import Json, JsonObject
from ...pieces import Failed, Meta, Piece, ended_by, fault
from .choice import Choice
from .dialect import Dialect
from .usage import usage

__all__ = ["MistralReader"]

_BODY = {"id", "object", "model", "choices", "usage", "error", "p"}
_NONE = object()
_CHUNK = {"choices", "usage", "created"}  # any of these; a chunk may come without choices
_WORDS = {"message", "detail", "error", "errors", "code", "msg"}  # of errors


class MistralReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._seen: JsonObject = {}  # fields of the body that were told already
        self._choices: dict[int, Choice] = {}
        self._first = True

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one chunk, or of a whole answer."""
        choices = payload.get("choices")
        made: list[Piece] = []
        if not (_CHUNK & payload.keys()):
            if not (_WORDS & payload.keys()):
                raise LookupError("neither a chunk nor an error")  # a ping of some gateway
            status = payload.get("raw_status_code")
            known = status if type(status) is int else None
            return [Failed(fault(payload, known, event))]
        if self._first:  # says whose answer it is
            self._first = False
            made.append(Meta(issuer=self._issuer))
        self._told(payload, made)
        for nth, told in enumerate(choices or ()):
            index = told.get("index")
            at = index if type(index) is int and index >= 0 else nth
            choice = self._choices.get(at)
            if choice is None:
                choice = self._choices[at] = Choice(at, self._issuer)
            choice.read(told, made)
        if payload.get("error"):
            made.append(Failed(fault(payload, name=event)))
        return made

    def finish(self) -> list[Piece]:
        """Nothing, unless the reason was an error: nobody may have said which."""
        broke = next((choice.broke for choice in self._choices.values() if choice.broke), "")
        return [Failed(ended_by(broke))] if broke else []

    def _told(self, payload: JsonObject, made: list[Piece]) -> None:
        """What the body says of the whole answer; chunks repeat it, and pad it with `p`."""
        seen = self._seen
        for key, value in payload.items():
            if key == "choices" or seen.get(key, _NONE) == value:
                continue
            if key == "usage" and isinstance(value, dict) and value:
                made.append(usage(value, self._issuer))
            elif key in ("id", "model") and isinstance(value, str):
                seen[key] = value
                named = Meta(id=value) if key == "id" else Meta(model=value)
                named.issuer = self._issuer
                made.append(named)
            elif key == "object" and value in ("chat.completion", "chat.completion.chunk"):
                seen[key] = value
            elif (value is not None and key not in _BODY) or _whole(payload):
                seen[key] = value
                made.append(Meta({key: value}, issuer=self._issuer))


def _whole(payload: JsonObject) -> bool:
    """Whether it is a whole answer, of which everything is kept."""
    return any("delta" not in choice for choice in payload.get("choices") or ())
