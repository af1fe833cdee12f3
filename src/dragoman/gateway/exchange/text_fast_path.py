"""Events that differ in their text alone: converted by what stands around the text.

Most events of a stream are one more piece of text, and alike but for it. Once a few of them went
the usual way, and what came of them was alike too, the next is made by putting its text, which is
the same JSON in both protocols, between what stands around it. All else takes the usual way, which
first learns of the texts that it has not seen, as of one: so the answer is known as a whole.

Sans-IO, and without any knowledge of a protocol: what is not borne out by events is not done.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ...message import TextBlock, ThinkingBlock
from ...stream.pieces import Part, Piece
from ...text.json_text import encode_json

_ENOUGH = 3  # events that bear a shape out
_END = b"\n\n"
# JSON text without halves of surrogate pairs, which may have been cut in two
_PLAIN = rb'[^"\\\x00-\x1f]*'
_ESCAPE = rb'\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})'
_is_json_text = re.compile(rb"%s(?:%s%s)*" % (_PLAIN, _ESCAPE, _PLAIN)).fullmatch
# what is different in each event of OpenAI's, and says nothing
_NUMBER = re.compile(rb'(?<="sequence_number":)\d+')
_PADDING = re.compile(rb'(?<="obfuscation":")[0-9A-Za-z]+')

Usual = Callable[[bytes], tuple[list[Piece], bytes]]


@dataclass(slots=True)
class _Shape:
    """What stands around the text in an event (`head`, `tail`) and in what comes of it.

    `number` and `padding` are how `head` and `tail` go on behind a part that differs each time.
    """

    head: bytes
    number: bytes
    tail: bytes
    padding: bytes
    before: bytes
    after: bytes
    last: bytes
    seen: int = 1  # texts that it was borne out by

    def place(self, chunk: bytes) -> tuple[int, int] | None:
        """Where the text stands in an event that has this shape; None for any other."""
        if not (chunk.startswith(self.head) and chunk.endswith(self.padding or self.tail)):
            return None
        start, end = len(self.head), len(chunk) - len(self.tail)
        if self.number:
            at = chunk.find(self.number, start)
            if at < 0 or not chunk[start:at].isdigit():
                return None
            start = at + len(self.number)
        if self.padding:
            end = chunk.rfind(self.tail, start)
            differs = chunk[end + len(self.tail) : len(chunk) - len(self.padding)]
            if end < 0 or not differs.isalnum():
                return None
        text = chunk[start:end]
        return (start, end) if end > start and _is_json_text(text) and _is_utf8(text) else None


class TextFastPath:
    """Makes the client's bytes of chunks; `usual` gives the pieces of a chunk and its bytes.

    Raises what `usual` raises.
    """

    __slots__ = ("_around", "_is_between", "_shape", "_texts", "_usual", "events")

    def __init__(self, usual: Usual) -> None:
        self._usual = usual
        self._shape: _Shape | None = None
        self._texts: list[bytes] = []  # that went out, and that the usual way has not seen
        self._around = (b"", b"")  # what stood around the first of them
        self._is_between = True  # no event is begun
        self.events = 0  # how many took the short way

    def feed(self, chunk: bytes) -> bytes:
        """The client's bytes of a chunk."""
        shape = self._shape
        place = shape.place(chunk) if shape is not None and self._is_between else None
        if shape is None or place is None:
            return self._learn_shape(chunk)
        start, end = place
        text = chunk[start:end]
        made = shape.before + text + shape.after
        if shape.seen >= _ENOUGH:
            if not self._texts:
                self._around = chunk[:start], chunk[end:]
            self._texts.append(text)
            self.events += 1
            return made
        _, data = self._usual(chunk)
        shape.seen += text != shape.last
        shape.last = text
        if data != made:
            self._shape = None
        return data

    def settle(self) -> None:
        """Let the usual way know of the texts that it has not seen, as of one."""
        if self._texts:
            event = b"".join([self._around[0], *self._texts, self._around[1]])
            self._texts.clear()
            self.events -= 1  # which is counted there
            self._usual(event)  # what comes of it went out already, in pieces

    def _learn_shape(self, chunk: bytes) -> bytes:
        """The client's bytes by the usual way, and the shape of an event that is one more text."""
        self.settle()
        pieces, data = self._usual(chunk)
        self._shape = _find_shape(chunk, pieces, data) if self._is_between else None
        self._is_between = chunk.endswith(_END)
        return data


def _find_shape(chunk: bytes, pieces: list[Piece], data: bytes) -> _Shape | None:
    """The shape of a chunk that is one event and one more piece of text; None for any other."""
    text = _read_text(pieces)
    if text is None or chunk.count(_END) != 1 or not chunk.endswith(_END):
        return None
    written = encode_json(text)[1:-1]
    if chunk.count(written) != 1 or data.count(written) != 1:
        return None
    head, _, tail = chunk.partition(written)
    before, _, after = data.partition(written)
    number = padding = b""
    if differs := _NUMBER.search(head):
        head, number = head[: differs.start()], head[differs.end() :]
    if differs := _PADDING.search(tail):
        tail, padding = tail[: differs.start()], tail[differs.end() :]
    return _Shape(head, number, tail, padding, before, after, written)


def _read_text(pieces: list[Piece]) -> str | None:
    """What one plain piece of text or thinking says; None for anything else."""
    if len(pieces) != 1 or type(piece := pieces[0]) is not Part or piece.whole:
        return None
    block = piece.block
    if type(block) is TextBlock and block == TextBlock(block.text):
        return block.text or None
    if type(block) is ThinkingBlock and block == ThinkingBlock(block.thinking):
        return block.thinking or None
    return None


def _is_utf8(text: bytes) -> bool:
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
