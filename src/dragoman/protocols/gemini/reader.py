"""Answers of generateContent and events of streamGenerateContent, which are the same objects.

Reference: Gemini API, "GenerateContentResponse" and "Thought signatures"; recorded answers of both
of its hosts. The parts of all chunks are one list: a text goes on with the text
before it, a part with a signature stands alone, a call is whole unless it says that it continues.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Finish
from ...pieces import End, Failed, Meta, Piece, fault
from .candidate import Candidate
from .dialect import Dialect
from .keys import camel, nulls, plain
from .usage import usage

__all__ = ["GeminiReader"]

_BODY = {"candidates", "usageMetadata", "modelVersion", "responseId", "createTime",
         "promptFeedback", "modelStatus"}  # fmt: skip
# what the objects of google-genai add to an answer
_SDK = {"sdkHttpResponse", "automaticFunctionCallingHistory", "parsed"}
_NONE = object()


class GeminiReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._chunks = 0
        self._seen: JsonObject = {}  # fields of the body that were told already
        self._nulls: JsonObject = {}
        self._spent: list[JsonObject] = []  # figures that nobody has been told yet
        self._candidates: dict[int, Candidate] = {}

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one chunk, or of a whole answer; a list holds several."""
        made: list[Piece] = []
        if type(payload) is list:
            for one in payload:
                made += self.feed(one, event)
            return made
        candidates: Any = None
        seen = self._seen
        told: Any = payload
        if "modelVersion" not in payload:
            payload = _body(payload)
        self._chunks += 1
        if self._chunks == 1:
            made.append(Meta(issuer=self._issuer))  # whose the parts are
            self._nulls = nulls(told)
        for key, value in payload.items():
            if key == "candidates":
                candidates = value
            elif key == "usageMetadata" and type(value) is dict and value:
                self._spent.append(value)
            elif seen.get(key, _NONE) != value:
                self._told(key, value, made)
        ended = False
        for nth, one in enumerate(candidates or ()):
            ended = self._candidate(one, nth).read(one, made, self._chunks == 1) or ended
        if not candidates:
            self._without(payload, candidates, made)
        if ended or not candidates:
            self._spend(made)
        return made

    def _candidate(self, told: JsonObject, nth: int) -> Candidate:
        index = told.get("index")
        at = index if type(index) is int and index >= 0 else nth
        candidate = self._candidates.get(at)
        if candidate is None:
            candidate = self._candidates[at] = Candidate(at, self._issuer)
        return candidate

    def finish(self) -> list[Piece]:
        """What the only chunk of a whole answer leaves open, and figures of an unended stream."""
        made: list[Piece] = []
        if self._chunks == 1:
            for candidate in self._candidates.values():
                candidate.whole(made)
            if self._nulls:
                made.append(Meta(self._nulls, issuer=self._issuer))
        self._spend(made)
        return made

    def _told(self, key: str, value: Json, made: list[Piece]) -> None:
        """What the body says of the whole answer; chunks repeat it."""
        if value is None or key in _SDK:
            return
        self._seen[key] = value
        if key == "modelVersion" and isinstance(value, str):
            made.append(Meta(model=value, issuer=self._issuer))
        elif key == "responseId" and isinstance(value, str):
            made.append(Meta(id=value, issuer=self._issuer))
        elif key == "error":
            made.append(Failed(fault({key: value})))
        else:
            made.append(Meta({key: value}, issuer=self._issuer))

    def _without(self, payload: JsonObject, candidates: Any, made: list[Piece]) -> None:
        """A body without candidates: the prompt may have been blocked."""
        if candidates is not None and self._chunks == 1:
            made.append(Meta({"candidates": candidates}, issuer=self._issuer))
        feedback = payload.get("promptFeedback")
        if isinstance(feedback, dict):
            reason = plain(feedback).get("blockReason")
            if reason and not self._candidates:
                made.append(End(Finish("content_filter", str(reason))))

    def _spend(self, made: list[Piece]) -> None:
        """The figures so far, each the last that was said: they are told of the whole answer."""
        spent: JsonObject = {}
        for told in self._spent:
            said = camel(told)
            spent |= {key: n for key, n in said.items() if n is not None or key not in spent}
        self._spent = []
        if spent:
            made.append(usage(spent, self._issuer))


def _body(payload: Any) -> JsonObject:
    """A body in camelCase. Raises LookupError for what is none."""
    told = plain(payload)
    if not ("candidates" in told or "promptFeedback" in told or "error" in told):
        strange = told.keys() - _BODY
        if strange or not told:
            raise LookupError("no answer of generateContent")
    return told
