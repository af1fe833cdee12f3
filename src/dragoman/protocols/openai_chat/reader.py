"""Answers of Chat Completions, whole or in chunks, as pieces.

Reference: OpenAI API, "The chat completion object" and "Chat completion chunk"; recorded answers
of some forty hosts. Text, thinking and calls stand in fields of their own here: blocks come in
the order thinking, text, refusal, media, calls.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject, canonical
from ...media import source_of
from ...message import (
    AudioBlock,
    Base64Source,
    Citation,
    Finish,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock
from ...pieces import End, Failed, Meta, Part, Piece, fault
from .calls import Calls, call
from .dialect import Dialect
from .thoughts import FIELDS, Thoughts
from .usage import usage

__all__ = ["ChatReader"]

THINKING, TEXT, REFUSAL, AUDIO, IMAGE, CALL = range(6)

_REASONS: dict[str, FinishReason] = {
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
_BODY = {"id", "object", "model", "choices", "usage", "error", "obfuscation"}
_CHOICE = {"index", "delta", "message", "finish_reason", "logprobs", "usage", "text", "error"}
_MESSAGE = {"role", "content", "refusal", "tool_calls", "function_call", "reasoning_details",
            "audio", "images", "annotations", *FIELDS}  # fmt: skip
_USUAL = {"role", "content", "refusal", "reasoning_details", *FIELDS}
_OBJECTS = ("chat.completion", "chat.completion.chunk", "chat.completion.done", "")
_SOUNDS = {"UklGR": "audio/wav", "SUQz": "audio/mpeg", "//": "audio/mpeg", "T2dn": "audio/ogg",
           "ZkxhQ": "audio/flac"}  # fmt: skip


class ChatReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._issuer = dialect.issuers[0]
        self._seen: JsonObject = {}  # fields of the body that were told already
        self._choices: dict[int, _Choice] = {}

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one chunk, or of a whole answer."""
        choices = payload.get("choices")
        made: list[Piece] = []
        error = payload.get("error")
        # a chunk may come without choices, what is no chunk at all is an error
        chunk = "choices" in payload or "usage" in payload or payload.get("object") in _OBJECTS
        if error or not chunk:
            made.append(Failed(fault(payload, name=event)))
        whole = False
        for nth, told in enumerate(choices or ()):
            index = told.get("index")
            at = index if type(index) is int and index >= 0 else nth
            choice = self._choices.get(at)
            if choice is None:
                choice = self._choices[at] = _Choice(at, self._issuer, self._dialect)
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


_NONE = object()


class _Choice:
    """One candidate of the answer."""

    def __init__(self, index: int, issuer: str, dialect: Dialect) -> None:
        self.index = index
        self.issuer = issuer
        self.calls = Calls(issuer)
        self.thoughts = Thoughts(issuer, dialect.cumulative_details)
        self.said = 0  # characters of text so far, for hosts that repeat all of it
        self.cited: set[str] = set()
        self.seen: JsonObject = {}

    def read(self, told: JsonObject, made: list[Piece]) -> None:
        """Append the pieces of one entry of `choices`."""
        delta = told.get("delta")
        message = told.get("message")
        whole = not isinstance(delta, dict)
        if isinstance(message, dict):
            self._message(message, made, whole=True, snapshot=not whole)
        elif isinstance(delta, dict):
            self._message(delta, made, whole=False)
        elif isinstance(told.get("text"), str):
            self._part(TEXT, 0, TextBlock(told["text"]), made)
        self._aside(told, made, whole)
        if told.get("error"):
            made.append(Failed(fault(told)))
        if isinstance(told.get("usage"), dict):
            made.append(usage(told["usage"], self.issuer))
        raw = told.get("finish_reason")
        if raw or (whole and isinstance(message, dict)):
            word = raw if isinstance(raw, str) else None
            made.append(End(Finish(_REASONS.get(word or "", "other"), word), self.index))

    def _part(self, rank: int, nth: int, block: ContentBlock, made: list[Piece]) -> None:
        made.append(Part((self.index, rank, nth), block))

    def _aside(self, told: JsonObject, made: list[Piece], whole: bool) -> None:
        """Log probabilities, which grow, and the fields that nobody models."""
        chances = told.get("logprobs")
        if chances is not None or (whole and "logprobs" in told):
            made.append(Meta({"logprobs": chances}, self.index, joined=True))
        new = {}
        for key, value in told.items():
            # a delta beside a message is none that adds to it
            aside = key not in _CHOICE or (key == "delta" and "message" in told)
            said = aside and (whole or value is not None)
            if said and self.seen.get(key, _NONE) != value:
                self.seen[key] = new[key] = value
        if new:
            made.append(Meta(new, self.index))

    def _message(
        self, told: JsonObject, made: list[Piece], whole: bool, snapshot: bool = False
    ) -> None:
        for nth, thought in self.thoughts.read(told):
            self._part(THINKING, nth, thought, made)
        content = told.get("content")
        if type(content) is str:
            text = content[self.said :] if snapshot else content
            if text:
                self.said += len(text)
                self._part(TEXT, 0, TextBlock(text), made)
        elif content is not None:
            for nth, block in enumerate(_parts(content, self.issuer)):
                self._part(TEXT, nth, block, made)
        if told.get("refusal"):
            self._part(REFUSAL, 0, RefusalBlock(_text(told["refusal"])), made)
        if whole or not told.keys() <= _USUAL:
            self._more(told, made, whole)

    def _more(self, told: JsonObject, made: list[Piece], whole: bool) -> None:
        """What few messages have beside their text."""
        for nth, one in enumerate(told.get("tool_calls") or ()):
            at, block = (nth, call(one, self.issuer, whole)) if whole else self.calls.fragment(one)
            self._part(CALL, at, block, made)
        legacy = told.get("function_call")
        if legacy and _says(legacy):
            said = ToolUseBlock("", _text(legacy.get("name")), spelling="function_call")
            said.raw_input = _text(legacy.get("arguments"))
            self._part(CALL, 0, said, made)
        audio = told.get("audio")
        if audio and _says(audio):
            self._audio(audio, made)
        for nth, image in enumerate(told.get("images") or ()):
            self._part(IMAGE, nth, _image(image, self.issuer), made)
        cited = [one for one in told.get("annotations") or () if self._new(one)]
        if cited:
            block = TextBlock("", [_citation(one, self.issuer) for one in cited])
            self._part(TEXT, 0, block, made)
        rest = self._rest(told, whole)
        if rest:
            made.append(Meta({"message": rest}, self.index, joined=True))

    def _rest(self, told: JsonObject, whole: bool) -> JsonObject:
        rest = {k: v for k, v in told.items() if k not in _MESSAGE and (whole or v is not None)}
        if whole:
            # what is empty says nothing, but it stood there
            rest |= {
                k: v for k, v in told.items() if k in _MESSAGE and not _says(v) and k != "content"
            }
            if told.get("role") != "assistant" and "role" in told:
                rest["role"] = told["role"]
            if "content" in told and not told["content"]:
                rest["content"] = told["content"]
            plain = next((name for name in FIELDS if told.get(name)), None)
            if plain is not None and told.get("reasoning_details"):
                rest[plain] = told[plain]
        return rest

    def _audio(self, told: JsonObject, made: list[Piece]) -> None:
        spoken = told.get("transcript")
        if spoken:
            self._part(AUDIO, 0, TextBlock(_text(spoken), spelling="transcript"), made)
        data = _text(told.get("data") or "")
        rest = {k: v for k, v in told.items() if k not in ("data", "transcript")}
        if data or rest:
            kind = next((v for k, v in _SOUNDS.items() if data.startswith(k)), "audio/pcm")
            block = AudioBlock(Base64Source(kind, data))
            if rest:
                block.extras = {self.issuer: rest}
            self._part(AUDIO, 1, block, made)

    def _new(self, annotation: Json) -> bool:
        said = canonical(annotation)
        fresh = said not in self.cited
        self.cited.add(said)
        return fresh


def _parts(content: Json, issuer: str) -> list[ContentBlock]:
    """Content that is a list, as some hosts have it."""
    made: list[ContentBlock] = []
    for part in content:
        kind = part.get("type")
        if kind == "text" and isinstance(part.get("text"), str):
            block: ContentBlock = TextBlock(part["text"])
            if rest := {k: v for k, v in part.items() if k not in ("type", "text")}:
                block.extras = {issuer: rest}
        elif kind == "image_url":
            block = _image(part, issuer)
        elif kind == "refusal":
            block = RefusalBlock(_text(part.get("refusal")))
        elif kind == "reasoning" and isinstance(part.get("summary"), list):
            text = "".join(_text(one.get("text")) for one in part["summary"])
            block = ThinkingBlock(text, extras={issuer: part})
        else:
            block = RawBlock(issuer, part)
        made.append(block)
    return made


def _image(told: JsonObject, issuer: str) -> ContentBlock:
    where = told.get("image_url")
    url = where.get("url") if isinstance(where, dict) else where
    if not isinstance(url, str):
        return RawBlock(issuer, told)
    block = ImageBlock(source_of(url))
    rest = {k: v for k, v in told.items() if k not in ("type", "image_url")}
    if isinstance(where, dict) and len(where) > 1:
        rest["image_url"] = {k: v for k, v in where.items() if k != "url"}
    if rest:
        block.extras = {issuer: rest}
    return block


def _citation(told: JsonObject, issuer: str) -> Citation:
    """`{"type": "url_citation", "url_citation": {start_index, end_index, url, title}}`."""
    kind = told.get("type")
    inner = told.get("url_citation")
    if kind != "url_citation" or not isinstance(inner, dict):
        return Citation(extras={issuer: told})
    start, end = inner.get("start_index"), inner.get("end_index")
    url, title = inner.get("url"), inner.get("title")
    made = Citation(
        start if type(start) is int else None,
        end if type(end) is int else None,
        url if isinstance(url, str) else None,
        title if isinstance(title, str) else None,
    )
    known = {"start_index": made.start, "end_index": made.end, "url": made.url,
             "title": made.title}  # fmt: skip
    rest = {k: v for k, v in inner.items() if k not in known or known[k] is None}
    more: JsonObject = {k: v for k, v in told.items() if k not in ("type", "url_citation")}
    if rest:
        more["url_citation"] = rest
    if more:
        made.extras = {issuer: more}
    return made


def _says(value: Any) -> bool:
    """Whether there is anything in it: some hosts send calls whose every field is empty."""
    return any(value.values()) if isinstance(value, dict) else bool(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
