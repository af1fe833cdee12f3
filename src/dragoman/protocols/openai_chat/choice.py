"""One candidate of an answer of Chat Completions: its message, whole or in deltas.

Text, thinking and calls stand in fields of their own here: blocks come in the order thinking,
text, refusal, media, calls.
"""

from __future__ import annotations

from ...jsontext import Json, JsonObject, canonical
from ...message import Finish, RefusalBlock, TextBlock, ToolUseBlock
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock, noted
from ...pieces import End, Failed, Meta, Part, Piece, fault
from .asked_calls import LEGACY
from .calls import Calls, call
from .content import citation, image, parts, says, sound, text
from .dialect import Dialect
from .thoughts import FIELDS, Thoughts
from .usage import usage

__all__ = ["REASONS", "Choice"]

THINKING, TEXT, REFUSAL, AUDIO, IMAGE, CALL = range(6)  # the order of blocks

REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "refusal": "refusal",
    "model_context_window_exceeded": "context_overflow",
    "error": "error",
    "abort": "error",
    "network_error": "error",
    "insufficient_system_resource": "error",
}
_CHOICE = {"index", "delta", "message", "finish_reason", "logprobs", "usage", "text", "error"}
_ASIDE = {"delta", "text", "usage", "error"}
_MESSAGE = {"role", "content", "refusal", "tool_calls", "function_call", "reasoning_details",
            "audio", "images", "annotations", *FIELDS}  # fmt: skip
_USUAL = {"role", "content", "refusal", "reasoning_details", *FIELDS}
_NONE = object()


class Choice:
    """One candidate of the answer."""

    def __init__(self, index: int, issuer: str, dialect: Dialect) -> None:
        self.index = index
        self.issuer = issuer
        self.calls = Calls(issuer)
        self.thoughts = Thoughts(issuer, dialect.cumulative_details)
        self.said = 0  # characters of text so far, for hosts that repeat all of it
        self.cited: set[str] = set()
        self.seen: JsonObject = {}
        self.broke = ""  # the reason, if it is an error
        self.chunks = False  # whether any delta came

    def read(self, told: JsonObject, nth: int, made: list[Piece], chunk: bool) -> None:
        """Append the pieces of one entry of `choices`; `chunk`: it is one of a stream for sure."""
        delta = told.get("delta")
        message = told.get("message")
        whole = not isinstance(delta, dict)
        if isinstance(message, dict):
            self._message(message, made, whole=True, snapshot=not whole)
        elif isinstance(delta, dict):
            self.chunks = True
            self._message(delta, made, whole=False)
        elif isinstance(told.get("text"), str):
            self._part(TEXT, 0, TextBlock(told["text"]), made)
        if (whole or isinstance(message, dict)) and not chunk:
            self._noted(told, nth, made)
        self._aside(told, made, whole, chunk)
        if told.get("error"):
            made.append(Failed(fault(told)))
        if isinstance(told.get("usage"), dict):
            made.append(usage(told["usage"], self.issuer))
        raw = told.get("finish_reason")
        if raw or (whole and isinstance(message, dict)):
            word = raw if isinstance(raw, str) else None
            reason = REASONS.get(word or "", "other")
            if reason == "error":
                self.broke = word or ""
            made.append(End(Finish(reason, word), self.index))

    def _part(self, rank: int, nth: int, block: ContentBlock, made: list[Piece]) -> None:
        made.append(Part((self.index, rank, nth), block))

    def _noted(self, told: JsonObject, nth: int, made: list[Piece]) -> None:
        """How a whole choice is spelled, where others are not spelled so."""
        message = told.get("message")
        absent = [key for key in ("index", "finish_reason", "message") if key not in told]
        if isinstance(message, dict):
            absent += [key for key in ("role", "content") if key not in message]
        notes: JsonObject = {"absent": absent} if absent else {}
        if "index" in told and (told["index"] != self.index or type(told["index"]) is not int):
            notes["index"] = told["index"]
        if nth != self.index:
            notes["at"] = nth
        if isinstance(message, dict) and isinstance(message.get("content"), list):
            notes["content"] = "list"
        raw = told.get("finish_reason")
        if raw is not None and not isinstance(raw, str):
            notes["finish_reason"] = raw
        if notes:
            made.append(Meta(None, self.index, issuer=self.issuer, notes=notes))

    def _aside(self, told: JsonObject, made: list[Piece], whole: bool, chunk: bool) -> None:
        """Log probabilities, which grow, and the fields that nobody models."""
        full = (whole or "message" in told) and not chunk
        chances = told.get("logprobs")
        if chances is not None or (full and "logprobs" in told):
            made.append(Meta({"logprobs": chances}, self.index, joined=True, issuer=self.issuer))
        new = {}
        for key, value in told.items():
            # beside a message, a delta is none that adds to it
            aside = key not in _CHOICE or (full and key in _ASIDE and "message" in told)
            aside = aside or (full and key == "message" and not isinstance(value, dict))
            said = aside and (full or value is not None)
            if said and self.seen.get(key, _NONE) != value:
                self.seen[key] = new[key] = value
        if new:
            made.append(Meta(new, self.index, issuer=self.issuer))

    def _message(
        self, told: JsonObject, made: list[Piece], whole: bool, snapshot: bool = False
    ) -> None:
        for nth, thought in self.thoughts.read(told):
            self._part(THINKING, nth, thought, made)
        content = told.get("content")
        if type(content) is str:
            new = content[self.said :] if snapshot else content
            if new:
                self.said += len(new)
                self._part(TEXT, 0, TextBlock(new), made)
        elif content is not None:
            for nth, block in enumerate(parts(content, self.issuer)):
                self._part(TEXT, nth, block, made)
        if told.get("refusal"):
            self._part(REFUSAL, 0, RefusalBlock(text(told["refusal"])), made)
        if whole or not told.keys() <= _USUAL:
            self._more(told, made, whole)

    def _more(self, told: JsonObject, made: list[Piece], whole: bool) -> None:
        """What few messages have beside their text."""
        for nth, one in enumerate(told.get("tool_calls") or ()):
            at, block = (nth, call(one, self.issuer, whole)) if whole else self.calls.fragment(one)
            self._part(CALL, at, block, made)
        legacy = told.get("function_call")
        if legacy and says(legacy):
            # in a stream each of its deltas has one of the two
            said = ToolUseBlock("", text(legacy.get("name") or ""), spelling=LEGACY)
            if whole:
                said.extras = {noted(self.issuer): {"field": LEGACY}}
            if (arguments := legacy.get("arguments")) is not None:
                said.raw_input = text(arguments)
            self._part(CALL, 0, said, made)
        audio = told.get("audio")
        if audio and says(audio):
            for nth, block in sound(audio, self.issuer):
                self._part(AUDIO, nth, block, made)
        for nth, one in enumerate(told.get("images") or ()):
            self._part(IMAGE, nth, image(one, self.issuer), made)
        cited = [one for one in told.get("annotations") or () if self._new(one, whole)]
        if cited:
            block = TextBlock("", [citation(one, self.issuer, whole) for one in cited])
            self._part(TEXT, 0, block, made)
        rest = self._rest(told, whole)
        if rest:
            meta = Meta({"message": rest}, self.index, joined=True, issuer=self.issuer)
            made.append(meta)

    def _rest(self, told: JsonObject, whole: bool) -> JsonObject:
        rest = {k: v for k, v in told.items() if k not in _MESSAGE and (whole or v is not None)}
        if whole:
            # what is empty says nothing, but it stood there
            rest |= {
                k: v for k, v in told.items() if k in _MESSAGE and not says(v) and k != "content"
            }
            if told.get("role") != "assistant" and "role" in told:
                rest["role"] = told["role"]
            if "content" in told and not told["content"]:
                rest["content"] = told["content"]
            again = [name for name in FIELDS if told.get(name)]
            if not told.get("reasoning_details"):
                again = again[1:]  # the first of them is the block
            rest |= {name: told[name] for name in again}
        return rest

    def _new(self, annotation: Json, whole: bool) -> bool:
        said = canonical(annotation)
        fresh = said not in self.cited or (whole and not self.chunks)
        self.cited.add(said)
        return fresh
