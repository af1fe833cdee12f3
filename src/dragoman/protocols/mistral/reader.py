"""One candidate of an answer of Mistral's: its message, whole or in deltas.

Blocks come in the order of the chunks of its content, then its calls.
"""

from __future__ import annotations

from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import Fragments
from ..._core.stream.pieces import End, Failed, Meta, Part, Piece, ended_by, fault
from ...message import Finish, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered
from ..chat_shape import UNTYPED
from .answer import REASONS, usage
from .blocks import CLOSED, block_of, reference
from .dialect import Dialect

CONTENT, CALL = range(2)


_CHOICE = {"index", "delta", "message", "finish_reason", "logprobs"}


_MESSAGE = {"role", "content", "tool_calls"}


_CALL = {"id", "type", "function", "index"}


_NONE = object()


class Choice:
    """One candidate of the answer."""

    def __init__(self, index: int, issuer: str) -> None:
        self._index = index
        self._issuer = issuer
        self._fragments = Fragments()
        self._count = 0  # of blocks in the content
        self._open: type[ContentBlock] | None = None  # what may go on
        self._last: type[ContentBlock] | None = None
        self._thoughts: list[Any] = []  # of the thinking that is open, as they came
        self._odd = False  # whether it is more than text
        self._seen: JsonObject = {}
        self._beside: JsonObject = {}  # what messages have that nobody models
        self.broke = ""  # the reason, if it is an error

    def read(self, told: JsonObject, made: list[Piece]) -> None:
        """Append the pieces of one entry of `choices`."""
        delta = told.get("delta")
        whole = not isinstance(delta, dict)
        message: Any = told.get("message") if whole else delta
        if isinstance(message, dict):
            content = message.get("content")
            if type(content) is str:
                if content:
                    self._grow(TextBlock(content), made)
            elif content is not None:
                self._chunks(content, made, whole)
            if len(message) > 1 or "content" not in message:
                self._more(message, made, whole)
        self._aside(told, made, whole)
        raw = told.get("finish_reason")
        if raw or (whole and isinstance(message, dict)):
            word = raw if isinstance(raw, str) else None
            reason = REASONS.get(word or "", "other")
            if reason == "error":
                self.broke = word or ""
            made.append(End(Finish(reason, word), self._index))

    def _grow(self, block: ContentBlock, made: list[Piece]) -> None:
        """A block of its own, unless it goes on with the text or thinking before it."""
        kind = type(block)
        if kind is not self._open:
            self._count += 1
            self._open = kind if kind is TextBlock or kind is ThinkingBlock else None
            self._last = kind
        made.append(Part((self._index, CONTENT, self._count - 1), block))

    def _chunks(self, chunks: Any, made: list[Piece], whole: bool) -> None:
        """Chunks of the content; those of a delta that say nothing begin nothing."""
        for chunk in chunks if isinstance(chunks, list) else [chunks]:
            block = block_of(chunk, self._issuer)
            kind, before = type(block), self._last
            if whole:
                self._open = None  # each stands for itself
            if type(block) is ThinkingBlock and not whole:
                self._thought(block, chunk)
            empty = (type(block) is TextBlock and not block.text) or (
                type(block) is ThinkingBlock and not block.thinking
            )
            if whole or not empty or self._open is kind or block.extras:
                self._grow(block, made)
            cited = reference(chunk)
            if cited is not None and before is TextBlock:  # said of the text before it, as well
                key = (self._index, CONTENT, self._count - 2)
                made.append(Part(key, TextBlock("", [cited])))

    def _thought(self, block: ThinkingBlock, chunk: JsonObject) -> None:
        """Thinking that is more than text is kept as it came, also over several deltas."""
        if self._open is not ThinkingBlock:
            self._thoughts, self._odd = [], False
        own = (block.extras or {}).get(self._issuer, {})
        said = chunk["thinking"]
        self._thoughts += [{"type": "text", "text": said}] if isinstance(said, str) else said
        closed = block.spelling is not None and CLOSED in block.spelling.split()
        block.spelling = CLOSED if closed else None
        self._odd = self._odd or "thinking" in own
        if self._odd:
            block.extras = {self._issuer: {**own, "thinking": self._thoughts}}

    def _more(self, told: JsonObject, made: list[Piece], whole: bool) -> None:
        """What few messages have beside their text."""
        for nth, one in enumerate(told.get("tool_calls") or ()):
            block = _call(one, nth, self._issuer, whole)
            at = nth
            if not whole:
                text = block.raw_input or ("{}" if block.input else "")
                at = self._fragments.call(block.id, block.name, one.get("index"), text)
            made.append(Part((self._index, CALL, at), block))
        rest = {k: v for k, v in told.items() if k not in _MESSAGE and (whole or v is not None)}
        if whole:
            # what is empty says nothing, but it stood there
            rest |= {k: told[k] for k in ("content", "tool_calls") if k in told and not told[k]}
            if told.get("role", "assistant") != "assistant":
                rest["role"] = told["role"]
        else:
            rest.pop("index", None)  # of the choice, once more
        new = {k: v for k, v in rest.items() if self._beside.get(k, _NONE) != v}
        if new:
            self._beside = {**self._beside, **new}
            beside = {"message": self._beside}
            made.append(Meta(beside, self._index, issuer=self._issuer))

    def _aside(self, told: JsonObject, made: list[Piece], whole: bool) -> None:
        """Log probabilities, which grow, and the fields that nobody models."""
        if len(told) == 3 and not whole and "finish_reason" in told and "index" in told:
            return
        chances = told.get("logprobs")
        if chances is not None or (whole and "logprobs" in told):
            made.append(Meta({"logprobs": chances}, self._index, joined=True, issuer=self._issuer))
        odd = _odd(told, self._index) if whole else ()
        for key, value in told.items():
            if (key in _CHOICE and key not in odd) or (value is None and not whole):
                continue
            if self._seen.get(key, _NONE) != value:
                self._seen[key] = value
                made.append(Meta({key: value}, self._index, issuer=self._issuer))


def _odd(told: JsonObject, index: int) -> list[str]:
    """The fields of a whole choice that say something else than they should."""
    kinds = {"finish_reason": (str, type(None)), "message": (dict,)}
    odd = [key for key, of in kinds.items() if key in told and not isinstance(told[key], of)]
    return odd if told.get("index", index) == index else [*odd, "index"]


def _call(told: JsonObject, nth: int, issuer: str, whole: bool) -> ToolUseBlock:
    """One entry of `tool_calls`; an id that is the word null is none."""
    function = told.get("function") or {}
    id, name, said = told.get("id"), function.get("name"), function.get("arguments")
    block = ToolUseBlock("" if id == "null" else _text(id), _text(name))
    if isinstance(said, str):
        block.raw_input = said
    elif isinstance(said, dict):
        block.input = said
    elif said is not None:
        raise TypeError("arguments are text or an object")
    if rest := {key: value for key, value in told.items() if key not in _CALL}:
        block.extras = {issuer: rest}
    if not whole:
        return block
    aside: JsonObject = {}
    if told.get("index", nth) != nth:
        aside["index"] = told["index"]
    if told.get("type", "function") != "function":
        aside["type"] = told["type"]
    if more := {k: v for k, v in function.items() if k not in ("name", "arguments")}:
        aside["function"] = more
    # a part of the answers name no type; all of them say where a call stands
    missing = [word for word, key in ((UNTYPED, "type"), ("unplaced", "index")) if key not in told]
    block.spelling = " ".join(missing) or None
    if aside:
        block.extras = {**(block.extras or {}), answered(issuer): aside}
    return block


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("a name or id is text")
    return value


_BODY = {"id", "object", "model", "choices", "usage", "error", "p"}


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
