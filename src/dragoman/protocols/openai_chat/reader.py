"""Tool calls, whole and in fragments.

Reference: OpenAI API, "Chat completion chunk", `delta.tool_calls`; recorded streams.
"""

from __future__ import annotations

from typing import Any

from ..._core.jsontext import Json, JsonObject, canonical
from ..._core.stream.arguments import Fragments
from ..._core.stream.pieces import End, Failed, Meta, Part, Piece, ended_by, fault, unwell
from ...message import Finish, RawBlock, RefusalBlock, TextBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered, noted
from .answer import REASONS, usage
from .blocks import FIELDS, LEGACY, Thoughts, citation, image, parts, says, sound, text
from .dialect import Dialect

_KNOWN = {"id", "type", "function", "index"}


class Calls:
    """The calls of one candidate, in the order in which they began."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._fragments = Fragments()

    def fragment(self, told: dict[str, Any]) -> tuple[int, ContentBlock]:
        """(which call, what the fragment adds to it)."""
        block = call(told, self._issuer, whole=False)
        index = told.get("index")
        if type(block) is not ToolUseBlock:
            return self._fragments.call(str(told.get("id") or ""), "", index, ""), block
        text = block.raw_input or ("{}" if block.input else "")
        return self._fragments.call(block.id, block.name, index, text), block


def call(told: dict[str, Any], issuer: str, whole: bool) -> ContentBlock:
    """One entry of `tool_calls`: a function call, or a custom tool's as it came."""
    function = told.get("function")
    if not isinstance(function, dict):
        if "function" in told and function is not None:
            raise TypeError("a call's function is an object")
        if whole or "custom" in told:
            id = told.get("id")
            return RawBlock(issuer, told, "call", id if isinstance(id, str) else None, "client")
        function = {}
    said = function.get("arguments")
    block = ToolUseBlock(_text(told.get("id")), _text(function.get("name")))
    if isinstance(said, str):
        block.raw_input = said
    elif isinstance(said, dict):
        block.input = said
    elif said is not None:
        raise TypeError("arguments are text")
    rest = {key: value for key, value in told.items() if key not in _KNOWN}
    if rest:
        block.extras = {issuer: rest}  # such as a signature, which has to come back
    aside: dict[str, Any] = {}
    if more := {k: v for k, v in function.items() if k not in ("name", "arguments")}:
        aside["function"] = more
    if whole:
        _spelled(told, function, aside, block, issuer)
    if aside:
        block.extras = {**(block.extras or {}), answered(issuer): aside}
    return block


def _spelled(
    told: dict[str, Any],
    function: dict[str, Any],
    aside: dict[str, Any],
    block: ToolUseBlock,
    issuer: str,
) -> None:
    """What a whole call has otherwise than others: an index, no id, no type, no text."""
    aside |= {key: told[key] for key in ("index",) if key in told}
    if "type" in told and told["type"] != "function":
        aside["type"] = told["type"]
    if "id" in told and not told["id"]:
        aside["id"] = told["id"]
    absent = [key for key in ("id", "type", "function") if key not in told]
    absent += [key for key in ("name", "arguments") if key not in function]
    empty = {key: function[key] for key in ("name", "arguments")
             if key in function and function[key] in (None, {}) and key not in absent}  # fmt: skip
    if empty:
        aside["function"] = {**aside.get("function", {}), **empty}
    if absent:
        block.extras = {**(block.extras or {}), noted(issuer): {"absent": absent}}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("a name or id is text")
    return value


THINKING, TEXT, REFUSAL, AUDIO, IMAGE, CALL = range(6)  # the order of blocks


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


_BODY = {"id", "object", "model", "choices", "usage", "error", "obfuscation"}


_CHUNKS = ("chat.completion.chunk", "chat.completion.done")


_OBJECTS = ("chat.completion", *_CHUNKS, "")


# of errors that are not wrapped
_WORDS = {"message", "msg", "Message", "detail", "errors", "error_message", "error_msg", "code"}


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
