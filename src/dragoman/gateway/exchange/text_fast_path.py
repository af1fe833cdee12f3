"""A fast path for streams: events that differ only in their text are converted by a template.

Most events of a stream are one more piece of text, and equal but for it. Once a few of them were
converted in the full way, and the results also differed only in the text, the next one is made by
putting its text, which is the same JSON in both protocols, into the frame of the last result. All
other events are converted in full; before that, the converter gets the texts that it has not seen
as one event, so that the answer as a whole is known.

Sans-IO, and without any knowledge of a protocol: a template is used only after events confirmed it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ...message import TextBlock, ThinkingBlock
from ...stream.pieces import Part, Piece
from ...text.json_text import encode_json

_ENOUGH = 3  # events that must confirm a shape before it is used
_END = b"\n\n"
# JSON text without halves of surrogate pairs, which may have been cut in two
_PLAIN = rb'[^"\\\x00-\x1f]*'
_ESCAPE = rb'\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})'
_is_json_text = re.compile(rb"%s(?:%s%s)*" % (_PLAIN, _ESCAPE, _PLAIN)).fullmatch
# the parts that differ in each event of OpenAI's, and mean nothing
_NUMBER = re.compile(rb'(?<="sequence_number":)\d+')
_PADDING = re.compile(rb'(?<="obfuscation":")[0-9A-Za-z]+')

Usual = Callable[[bytes], tuple[list[Piece], bytes]]


@dataclass(slots=True)
class _Shape:
    """The bytes around the text of an event (`head`, `tail`) and of its result.

    `number` and `padding` are the bytes of `head` and `tail` after a part that differs each time.
    """

    head: bytes
    number: bytes
    tail: bytes
    padding: bytes
    before: bytes
    after: bytes
    last: bytes
    seen: int = 1  # how many texts confirmed it

    def place(self, chunk: bytes) -> tuple[int, int] | None:
        """Where the text of an event of this shape begins and ends; None for any other event."""
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
    """Makes the client's bytes of chunks.

    Its methods are given `usual`, which converts a chunk in full and gives its pieces and the
    client's bytes; they raise what it raises. Kept here, the method of an answer would close a
    cycle around all that the answer holds, and the garbage collector would stop every other stream
    to find it.
    """

    __slots__ = ("_around", "_is_between", "_shape", "_texts", "events")

    def __init__(self) -> None:
        self._shape: _Shape | None = None
        self._texts: list[bytes] = []  # texts that were sent, and that `usual` has not seen
        self._around = (b"", b"")  # the bytes around the first of them
        self._is_between = True  # whether the last event is complete
        self.events = 0  # how many were converted by the template

    def feed(self, chunk: bytes, usual: Usual) -> bytes:
        """The client's bytes of a chunk."""
        shape = self._shape
        place = shape.place(chunk) if shape is not None and self._is_between else None
        if shape is None or place is None:
            return self._learn_shape(chunk, usual)
        start, end = place
        text = chunk[start:end]
        made = shape.before + text + shape.after
        if shape.seen >= _ENOUGH:
            if not self._texts:
                self._around = chunk[:start], chunk[end:]
            self._texts.append(text)
            self.events += 1
            return made
        _, data = usual(chunk)
        shape.seen += text != shape.last
        shape.last = text
        if data != made:
            self._shape = None
        return data

    def settle(self, usual: Usual) -> None:
        """Give the texts that the converter has not seen to it, as one event."""
        if self._texts:
            event = b"".join([self._around[0], *self._texts, self._around[1]])
            usual(event)  # its result was sent already, in pieces
            self._texts.clear()  # only now: a long event may have to be read in another thread
            self.events -= 1  # the full conversion counts this event

    def _learn_shape(self, chunk: bytes, usual: Usual) -> bytes:
        """Convert a chunk in full, and learn the shape of an event that is one more text."""
        self.settle(usual)
        pieces, data = usual(chunk)
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
    """The text of one plain piece of text or thinking; None for anything else."""
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
