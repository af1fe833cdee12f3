"""One choice of an answer, or of an event of it: text, media, thinking and calls as pieces.

Blocks come in the order thinking, content, sound, calls; the wire keeps no other.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...media import read_url
from ...message import (
    AudioBlock,
    Finish,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    VideoBlock,
)
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock, answered
from ...pieces import End, Meta, Part, Piece
from .calls import Calls

__all__ = ["FIELD", "PART", "REASONS", "ChoiceReader"]

THINKING, CONTENT, CALL = 0, 1, 3  # sound lies between them

REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
}
_CHOICE = {"index", "message", "finish_reason", "logprobs"}
_MESSAGE = {"role", "content", "reasoning_content", "tool_calls"}
PART, FIELD = "part", "text"  # how a text stood on the wire
_MEDIA: dict[str, Any] = {"image": ImageBlock, "audio": AudioBlock, "video": VideoBlock}


class ChoiceReader:
    """Reads what each event says of one choice."""

    def __init__(self, index: int, issuer: str) -> None:
        self._index = index
        self._issuer = issuer
        self._calls = Calls(issuer)
        self._said: dict[tuple[int, int], str] = {}  # of each text, while events may be snapshots
        self._places: dict[tuple[int, str], int] = {}  # of the parts of the content
        self._count = 0
        self._seen: JsonObject = {}

    def read(
        self, told: JsonObject, made: list[Piece], snapshot: bool, whole: bool, bare: bool
    ) -> None:
        """Append the pieces. `bare`: `{"text", "finish_reason"}`, an answer without messages."""
        if bare:
            text = told.get("text")
            if text:
                self._text(CONTENT, 0, TextBlock(_str(text), spelling=FIELD), made, snapshot)
        else:
            if len(told) > 2 or whole:
                self._aside(told, made, snapshot, whole)
            message = told.get("message")
            if isinstance(message, dict):
                self._message(message, made, snapshot, whole)
        raw = told.get("finish_reason")
        if raw is not None and raw != "null":
            made.append(End(Finish(REASONS.get(_str(raw), "other"), raw), self._index))

    def _message(self, told: JsonObject, made: list[Piece], snapshot: bool, whole: bool) -> None:
        thinking = told.get("reasoning_content")
        if thinking:
            self._text(THINKING, 0, ThinkingBlock(_str(thinking)), made, snapshot)
        content = told.get("content")
        unsaid: Json = None
        if type(content) is str:
            if content:
                self._text(CONTENT, 0, TextBlock(content), made, snapshot)
        elif content is not None:
            unsaid = self._parts(content, made, snapshot)
        calls = told.get("tool_calls")
        for place, one in enumerate(calls or ()):
            nth, call, again = self._calls.read(one, place, snapshot)
            made.append(Part((self._index, CALL, nth), call, again))
        if len(told) > 2 or whole:
            self._rest(told, made, snapshot, whole, unsaid)

    def _text(
        self, rank: int, nth: int, block: TextBlock | ThinkingBlock, made: list[Piece],
        snapshot: bool,
    ) -> None:  # fmt: skip
        again = False
        if snapshot:
            name = "thinking" if type(block) is ThinkingBlock else "text"
            text = getattr(block, name)
            before = self._said.get((rank, nth), "")
            self._said[rank, nth] = text
            if text == before:
                return
            again = not text.startswith(before)
            if not again:
                setattr(block, name, text[len(before) :])
        made.append(Part((self._index, rank, nth), block, again))

    def _parts(self, content: Json, made: list[Piece], snapshot: bool) -> Json:
        """Content that is a list; gives back the parts that say nothing, others as null."""
        empty: list[Json] = []
        for place, part in enumerate(content):
            block = self._part(part)
            kind = block.type
            if type(block) is TextBlock and not block.text and not block.extras:
                empty.append(part)
                continue
            empty.append(None)
            nth = self._places.get((place, kind))
            if nth is None or (kind != "text" and not snapshot):
                nth = self._places[place, kind] = self._count
                self._count += 1
                if kind != "text" and not snapshot:  # text that comes behind is another block
                    self._places = {(place, kind): nth}
            if type(block) is TextBlock:
                self._text(CONTENT, nth, block, made, snapshot)
            else:
                made.append(Part((self._index, CONTENT, nth), block, snapshot))
        return empty if any(empty) else None

    def _part(self, part: JsonObject) -> ContentBlock:
        """One key says what it is; what stands beside it belongs to answers alone."""
        block: ContentBlock
        text = part.get("text")
        kind = next((name for name in _MEDIA if name in part), "")
        bare = part.keys() == {"text"} and text is None
        # an empty text has no block to which its fields could belong
        if bare or (isinstance(text, str) and (text or len(part) == 1)):
            block, kind = TextBlock(text or "", spelling=PART), "text"
        elif kind and isinstance(part[kind], str):
            source, head = read_url(part[kind])
            block = _MEDIA[kind](source, spelling=head)
        else:
            return RawBlock(self._issuer, part)
        rest = {key: value for key, value in part.items() if key != kind}
        if rest:
            block.extras = {answered(self._issuer): rest}
        return block

    def _rest(
        self, told: JsonObject, made: list[Piece], snapshot: bool, whole: bool, unsaid: Json
    ) -> None:
        """The fields that nobody models; of a whole answer also what stood there and is empty."""
        rest = {k: v for k, v in told.items() if k not in _MESSAGE and (whole or v is not None)}
        if whole:
            rest |= {k: v for k, v in told.items() if k in _MESSAGE and not v}
            if told.get("role") != "assistant" and "role" in told:
                rest["role"] = told["role"]
            if unsaid:
                rest["content"] = unsaid
        if rest:
            joined = not snapshot
            made.append(Meta({"message": rest}, self._index, joined=joined, issuer=self._issuer))

    def _aside(self, told: JsonObject, made: list[Piece], snapshot: bool, whole: bool) -> None:
        """Log probabilities, and what else stands beside the message."""
        chances = told.get("logprobs")
        if chances is not None or (whole and "logprobs" in told):
            said, joined = {"logprobs": chances}, not snapshot
            made.append(Meta(said, self._index, joined=joined, issuer=self._issuer))
        new = {}
        for key, value in told.items():
            known = key in _CHOICE and key != "index"  # which stands there where tools are declared
            fresh = not known and (whole or value is not None)
            if fresh and self._seen.get(key, _NONE) != value:
                self._seen[key] = new[key] = value
        if new:
            made.append(Meta(new, self._index, issuer=self._issuer))


_NONE = object()


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
