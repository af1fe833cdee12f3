"""Reads answers of Mistral, whole or in chunks, into pieces.

Blocks come in the order of the chunks of a candidate's content, then its calls.
"""

from __future__ import annotations

from typing import Any

from ...message import TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, name_answers
from ...stream.arguments import StreamedCalls
from ...stream.pieces import End, Failed, Meta, Part, Piece, finish_error, provider_error
from ...text.json_text import Json, JsonObject
from ..answers import news
from ..chat_like.messages import UNTYPED, answered_call, require_text
from ..shared_finish_words import read_finish, says_reason
from .answer_write import ABSENT, ANONYMOUS, UNPLACED
from .blocks import CLOSED, REFERENCE, read_part, read_reference, text_pieces
from .dialect import Dialect
from .finish_reasons import FINISH_REASONS
from .usage import read_usage

_CONTENT, _CALL = range(2)  # the kinds of places that blocks of a candidate have

_BODY_FIELDS = {"id", "object", "model", "choices", "usage", "error", "p"}
# a chunk has at least one of these; it may have no choices
_CHUNK_FIELDS = {"choices", "usage", "created"}
_ERROR_FIELDS = {"message", "detail", "error", "errors", "code", "msg"}
_CHOICE_FIELDS = {"index", "delta", "message", "finish_reason", "logprobs"}
_MESSAGE_FIELDS = {"role", "content", "tool_calls"}
_CALL_FIELDS = {"id", "type", "function", "index"}
_NONE = object()


class MistralReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.reads_items_of[0]
        self._seen: JsonObject = {}  # fields of the body that were read before
        self._choices: dict[int, ChoiceState] = {}
        self._first = True

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one chunk, or of a whole answer."""
        pieces: list[Piece] = []
        if not (_CHUNK_FIELDS & payload.keys()):
            if not (_ERROR_FIELDS & payload.keys()):
                raise LookupError("neither a chunk nor an error")  # such as a gateway's ping
            status = payload.get("raw_status_code")
            status = status if type(status) is int else None
            return [Failed(provider_error(payload, status, event))]
        if self._first:  # the issuer of the answer
            self._first = False
            pieces.append(Meta(issuer=self._issuer))
        self._body(payload, pieces)
        for place, entry in enumerate(payload.get("choices") or ()):
            index = entry.get("index")
            index = index if type(index) is int and index >= 0 else place
            choice = self._choices.get(index)
            if choice is None:
                choice = self._choices[index] = ChoiceState(index, self._issuer)
            choice.read(entry, pieces)
        if payload.get("error"):
            pieces.append(Failed(provider_error(payload, name=event)))
        return pieces

    def finish(self) -> list[Piece]:
        """Return nothing, unless the reason was an error without an event of its own."""
        error = next((choice.error for choice in self._choices.values() if choice.error), "")
        return [Failed(finish_error(error))] if error else []

    def _body(self, payload: JsonObject, pieces: list[Piece]) -> None:
        """Read the fields of the whole answer; chunks repeat them, and are padded with `p`."""
        seen = self._seen
        for key, value in payload.items():
            if key == "choices" or seen.get(key, _NONE) == value:
                continue
            if key == "usage" and isinstance(value, dict) and value:
                pieces.append(read_usage(value, self._issuer))
                continue
            if key in ("id", "model") and isinstance(value, str):
                named: JsonObject = {key: value}
                pieces.append(Meta(**named, issuer=self._issuer))
            elif key == "object" and value in ("chat.completion", "chat.completion.chunk"):
                pass
            elif (value is not None and key not in _BODY_FIELDS) or any(
                "delta" not in choice for choice in payload.get("choices") or ()
            ):  # of a whole answer everything is kept
                pieces.append(Meta({key: value}, issuer=self._issuer))
            else:
                continue
            seen[key] = value


class ChoiceState:
    """One candidate of the answer."""

    def __init__(self, index: int, issuer: str) -> None:
        self.error = ""  # the reason, if it is an error
        self._index = index
        self._issuer = issuer
        self._calls = StreamedCalls()
        self._count = 0  # of blocks in the content
        self._open: type[ContentBlock] | None = None  # the kind of the block that may continue
        self._last: type[ContentBlock] | None = None
        self._thoughts: list[Any] = []  # of the open thinking, unchanged
        self._verbatim = False  # whether they are more than text
        self._seen: JsonObject = {}
        self._message_extras: JsonObject = {}

    def read(self, entry: JsonObject, pieces: list[Piece]) -> None:
        """Append the pieces of one entry of `choices`."""
        delta = entry.get("delta")
        whole = not isinstance(delta, dict)
        message: Any = entry.get("message") if whole else delta
        if isinstance(message, dict):
            content = message.get("content")
            if type(content) is str:
                if content:
                    self._grow(TextBlock(content), pieces)
            elif content is not None:
                self._content(content, pieces, whole)
            if len(message) > 1 or "content" not in message:
                self._message(message, pieces, whole)
        self._fields(entry, pieces, whole)
        raw = entry.get("finish_reason")
        if says_reason(raw) or (whole and isinstance(message, dict)):
            finish = read_finish(raw, FINISH_REASONS)
            if finish.reason == "error":
                self.error = finish.raw or ""
            pieces.append(End(finish, self._index))

    def _grow(self, block: ContentBlock, pieces: list[Piece]) -> None:
        """Append a new block, or continue the text or thinking before it."""
        kind = type(block)
        if kind is not self._open:
            self._count += 1
            self._open = kind if kind is TextBlock or kind is ThinkingBlock else None
            self._last = kind
        pieces.append(Part((self._index, _CONTENT, self._count - 1), block))

    def _content(self, chunks: Any, pieces: list[Piece], whole: bool) -> None:
        """Read chunks of the content; empty ones of a delta begin no block."""
        for chunk in chunks if isinstance(chunks, list) else [chunks]:
            block = read_part(chunk, self._issuer)
            kind, previous = type(block), self._last
            empty = type(block) is TextBlock and not block.text
            if whole or block.spelling == REFERENCE:
                self._open = None  # each chunk is a block
            if type(block) is ThinkingBlock:
                empty = not block.thinking
                if not whole:
                    self._thinking(block, chunk)
            if whole or not empty or self._open is kind or block.extras:
                self._grow(block, pieces)
            if block.spelling == REFERENCE:
                self._open = None
            citation = read_reference(chunk)
            if citation is not None and previous is TextBlock:  # it is for the text before it, too
                key = (self._index, _CONTENT, self._count - 2)
                pieces.append(Part(key, TextBlock("", [citation])))

    def _thinking(self, block: ThinkingBlock, chunk: JsonObject) -> None:
        """Keep thinking that is more than text unchanged, also over several deltas."""
        if self._open is not ThinkingBlock:
            self._thoughts, self._verbatim = [], False
        extras = (block.extras or {}).get(self._issuer, {})
        self._thoughts += text_pieces(chunk["thinking"])
        closed = block.spelling is not None and CLOSED in block.spelling.split()
        block.spelling = CLOSED if closed else None
        self._verbatim = self._verbatim or "thinking" in extras
        if self._verbatim:
            block.extras = {self._issuer: {**extras, "thinking": self._thoughts}}

    def _message(self, message: JsonObject, pieces: list[Piece], whole: bool) -> None:
        """Read what only few messages have beside their text: calls and unknown fields."""
        for index, entry in enumerate(message.get("tool_calls") or ()):
            block = _read_call(entry, index, self._issuer, whole)
            place = index
            if not whole:
                text = block.raw_input or ("{}" if block.input else "")
                place = self._calls.call(block.id, block.name, entry.get("index"), text)
            pieces.append(Part((self._index, _CALL, place), block))
        fields = {
            key: value
            for key, value in message.items()
            if key not in _MESSAGE_FIELDS and (whole or value is not None)
        }
        if whole:
            # an empty field has no meaning, but is kept
            fields |= {
                key: message[key]
                for key in ("content", "tool_calls")
                if key in message and not message[key]
            }
            if message.get("role", "assistant") != "assistant":
                fields["role"] = message["role"]
        else:
            fields.pop("index", None)  # the index of the choice, repeated
        if news(self._message_extras, fields):
            extras = {"message": dict(self._message_extras)}
            pieces.append(Meta(extras, self._index, issuer=self._issuer))

    def _fields(self, entry: JsonObject, pieces: list[Piece], whole: bool) -> None:
        """Read log probabilities, which grow, and the fields that no node can hold."""
        if len(entry) == 3 and not whole and "finish_reason" in entry and "index" in entry:
            return
        logprobs = entry.get("logprobs")
        if logprobs is not None or (whole and "logprobs" in entry):
            extras = {"logprobs": logprobs}
            pieces.append(Meta(extras, self._index, joined=True, issuer=self._issuer))
        mistyped = _find_mistyped(entry, self._index) if whole else ()
        fields = {key: value for key, value in entry.items() if whole or value is not None}
        unknown = {k: v for k, v in fields.items() if k not in _CHOICE_FIELDS or k in mistyped}
        for key, value in news(self._seen, unknown).items():
            pieces.append(Meta({key: value}, self._index, issuer=self._issuer))
        if whole and (absent := _absent(entry)):
            pieces.append(Meta(None, self._index, issuer=self._issuer, notes={ABSENT: absent}))


def _absent(entry: JsonObject) -> list[str]:
    """Return missing fields: all recorded choices have them, the SDK's types make them optional."""
    if "message" not in entry:
        return ["message"]
    message = entry["message"]
    return [] if not isinstance(message, dict) or "role" in message else ["role"]


def _find_mistyped(entry: JsonObject, index: int) -> list[str]:
    """Return the fields of a whole choice with an unexpected type or index."""
    types = {"finish_reason": (str, type(None)), "message": (dict,)}
    keys = [key for key in types if key in entry and not isinstance(entry[key], types[key])]
    return keys if entry.get("index", index) == index else [*keys, "index"]


def _read_call(entry: JsonObject, index: int, issuer: str, whole: bool) -> ToolUseBlock:
    """Read one entry of `tool_calls`; an id that is the word null is none."""
    function = entry.get("function") or {}
    id, name = entry.get("id"), function.get("name")
    id = "" if id is None or id == "null" else require_text(id)
    name = "" if name is None else require_text(name)
    block = answered_call(id, name, function.get("arguments"))
    if unknown := {key: value for key, value in entry.items() if key not in _CALL_FIELDS}:
        block.extras = {issuer: unknown}
    if not whole:
        return block
    fields = {
        key: entry[key]
        for key, usual in (("index", index), ("type", "function"))
        if entry.get(key, usual) != usual
    }
    if unknown := {k: v for k, v in function.items() if k not in ("name", "arguments")}:
        fields["function"] = unknown
    if fields:
        block.extras = {**(block.extras or {}), name_answers(issuer): fields}
    # some answers have no type; all have the index of a call
    usual = ((UNTYPED, "type"), (UNPLACED, "index"), (ANONYMOUS, "id"))
    notes = [note for note, key in usual if key not in entry]
    block.spelling = " ".join(notes) or None
    return block
