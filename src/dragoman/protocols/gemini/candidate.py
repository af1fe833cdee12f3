"""One candidate of an answer: its parts in order, and what stands beside them.

Reference: Gemini API, "Candidate".
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject, canonical
from ...message import Finish, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...pieces import End, Key, Meta, Part, Piece
from .arguments import Arguments
from .grounding import Texts, cited, recited
from .keys import nulls, plain
from .parts import block_of, undressed
from .reasons import REASONS, UNSAID

__all__ = ["Candidate"]

# fields that grow from chunk to chunk, and those of which each chunk may know a part
_GROWING = ("citationMetadata", "logprobsResult")
_FILLED = ("groundingMetadata", "urlContextMetadata")
_ARRIVING = ("partialArgs", "willContinue")
_NONE = object()


class _Call:
    """A call whose arguments arrive leaf by leaf."""

    __slots__ = ("arguments", "block", "key")

    def __init__(self, key: Key, block: ToolUseBlock) -> None:
        self.key = key
        self.block = block
        self.arguments = Arguments()


class Candidate:
    """Reads what chunks say of one candidate."""

    def __init__(self, index: int, issuer: str) -> None:
        self._index = index
        self._issuer = issuer
        self._count = 0  # of blocks
        self._open: type[ContentBlock] | None = None  # of the text that may go on
        self._key: Key = ()
        self._texts: list[tuple[Key, list[str]]] = []  # what may be cited
        self._call: _Call | None = None
        self._held: list[Part] = []  # empty texts: a whole answer has them, a stream does not
        self._nulls: JsonObject = {}
        self._seen: JsonObject = {}
        self._cited: set[str] = set()

    def read(self, told: JsonObject, made: list[Piece], first: bool) -> bool:
        """Append the pieces of one entry of `candidates`; whether it says how it ended."""
        content = told.get("content")
        index = told.get("index")
        if index is not None and self._seen.get("index", _NONE) != index:
            self._aside("index", index, made)
        if content is not None:
            parts = content.get("parts")
            if not parts or len(content) != 2 or content.get("role") != "model":
                self._content(content, bool(parts), made, first)
            if parts:
                self._parts(parts if type(parts) is list else [parts], made, first)
        if len(told) == (content is not None) + (index is not None):
            return False
        if first and None in told.values():
            self._nulls = nulls(told)
        told = plain(told)
        for key, value in told.items():
            if key not in ("content", "finishReason") and self._seen.get(key, _NONE) != value:
                self._aside(key, value, made)
        return self._ended(told.get("finishReason"), made)

    def whole(self, made: list[Piece]) -> None:
        """What stands in a whole answer only: texts that say nothing, and nulls."""
        made += self._held
        self._held = []
        if self._nulls:
            made.append(Meta(self._nulls, self._index, issuer=self._issuer))

    def _parts(self, parts: list[Any], made: list[Piece], first: bool) -> None:
        if len(parts) == 1 == len(parts[0]) and type(text := parts[0].get("text")) is str:
            self._text(TextBlock, text, made, first)  # most of a stream
            return
        lengths: list[int] = []  # of neighbours that become one text, for a whole answer has them
        start = len(made)
        for part in parts:
            text = part.get("text")
            thought = part.get("thought") is True
            if type(text) is not str or len(part) != 1 + thought:
                self._cut(made, start, lengths)
                self._other(part, made)
                start, lengths = len(made), []
                continue
            kind = ThinkingBlock if thought else TextBlock
            if kind is not self._open and lengths:
                self._cut(made, start, lengths)
                start, lengths = len(made), []
            self._text(kind, text, made, first)
            if first:
                lengths.append(len(text))
        self._cut(made, start, lengths)

    def _cut(self, made: list[Piece], start: int, lengths: list[int]) -> None:
        """Note in the first of neighbouring texts where the parts of this chunk ended."""
        if len(lengths) < 2:
            return
        piece = made[start] if start < len(made) else self._held[-1]
        if type(piece) is Part:
            note = type(piece.block)("", spelling=" ".join(map(str, lengths)))  # type: ignore[call-arg, arg-type]  # a text
            self._held.append(Part(piece.key, note))

    def _text(
        self, kind: type[TextBlock | ThinkingBlock], text: str, made: list[Piece], first: bool
    ) -> None:
        """More of the text that is open, or a new one; nothing opens none."""
        if self._open is not kind:
            if not (text or first):
                return
            self._next()
            self._open = kind
            if kind is TextBlock:
                self._texts.append((self._key, []))
            if not text:
                self._held.append(Part(self._key, kind("")))
        if text:
            if kind is TextBlock:
                self._texts[-1][1].append(text)
            made.append(Part(self._key, kind(text)))

    def _next(self) -> Key:
        self._key = (self._index, self._count)
        self._count += 1
        self._open = None
        return self._key

    def _other(self, part: JsonObject, made: list[Piece]) -> None:
        """A part that is more than text: a block of its own, or more of the call that is open."""
        told = undressed(part)
        call = told.get("functionCall")
        said = plain(call) if call is not None else {}
        if call is not None and "name" not in said and "args" not in said:
            self._more(said, made)
            return
        if self._call is not None:
            self._complete(made)
        going = said.get("willContinue") or "partialArgs" in said
        if going or "willContinue" in said:  # how it arrives is over when it is whole
            begun = {name: value for name, value in said.items() if name not in _ARRIVING}
            told = {**told, "functionCall": begun}
        block = block_of(told, self._issuer)
        key = self._next()
        made.append(Part(key, block))
        if type(block) is TextBlock:
            self._texts.append((key, [block.text]))
        if type(block) is ToolUseBlock and going and "args" not in said:
            block.spelling = None  # it is not told yet that it has no arguments
            self._call = _Call(key, block)
            self._more(said, made)

    def _more(self, said: JsonObject, made: list[Piece]) -> None:
        """More arguments of the call that is open, or its end."""
        call = self._call
        if call is None:
            if said.get("partialArgs"):
                raise ValueError("arguments of no call")
            return  # the end of a call that has ended
        text = call.arguments.add(said.get("partialArgs") or [])
        if text:
            made.append(Part(call.key, ToolUseBlock("", "", raw_input=text)))
        if not said.get("willContinue"):
            self._complete(made)

    def _complete(self, made: list[Piece]) -> None:
        """The call with its arguments as a value; half of one stays text that breaks off."""
        call, self._call = self._call, None
        if call is None:
            return
        if call.arguments.broken:
            if not call.arguments.begun:
                made.append(Part(call.key, ToolUseBlock("", "", raw_input="{")))
            return
        call.arguments.close()
        old = call.block
        block = ToolUseBlock(old.id, old.name, call.arguments.value, extras=old.extras)
        made.append(Part(call.key, block, whole=True))

    def _content(self, content: JsonObject, said: bool, made: list[Piece], first: bool) -> None:
        """What a content has beside its parts, or has in their place."""
        rest = {key: value for key, value in content.items() if not (said and key == "parts")}
        if first or rest.keys() - {"parts", "role"}:
            made.append(Meta({"content": rest}, self._index, issuer=self._issuer))

    def _ended(self, reason: Any, made: list[Piece]) -> bool:
        if reason is None:
            return False
        if reason in UNSAID or not isinstance(reason, (str, int)):
            made.append(Meta({"finishReason": reason}, self._index, issuer=self._issuer))
            return False
        self._complete(made)
        if not isinstance(reason, str):
            made.append(Meta({"finishReason": reason}, self._index, issuer=self._issuer))
        made.append(End(Finish(REASONS.get(reason, "other"), str(reason)), self._index))
        return True

    def _aside(self, key: str, value: Json, made: list[Piece]) -> None:
        """Fields that nobody models, and the citations that some of them hold."""
        if key in _GROWING:
            made.append(Meta({key: value}, self._index, joined=True, issuer=self._issuer))
        else:
            if key in _FILLED and isinstance(value, dict):
                known = self._seen.get(key)
                value = {**(known or {}), **value}
                if value == known:
                    return
            self._seen[key] = value
            made.append(Meta({key: value}, self._index, issuer=self._issuer))
        if key in ("groundingMetadata", "citationMetadata") and value and self._texts:
            if not isinstance(value, dict):
                raise TypeError("metadata is an object")
            find = cited if key == "groundingMetadata" else recited
            for where, citation in find(value, Texts(self._texts)):
                mark = canonical([where, citation.start, citation.end, citation.url,
                                  citation.title, citation.quote])  # fmt: skip
                if mark not in self._cited:
                    self._cited.add(mark)
                    made.append(Part(where, TextBlock("", [citation])))
