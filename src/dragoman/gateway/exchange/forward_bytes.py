"""Forwarding over the same wire: the model's name changed in place, all other bytes as they are.

Of an answer that is passed on, this module reads only whether an event is complete, whether the
stream has ended, and how many tokens were used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from ...codec.wire import Wire
from ...errors import ReadError
from ...stream.builder import Builder
from ...stream.framing import Framing
from ...stream.framing.decoder import JSONArray
from ...text.hidden_keys import HiddenKey
from ...text.json_pieces import PIECE, end_of_text, first_in, overlapping
from ...text.json_text import Json, encode_json, loads
from ..surfaces import Surface
from ..surfaces.base import MODEL
from .off_loop import LARGE, LongEvent

_KEY = b'"model"'
_HIDDEN = re.compile(rb"\\u00(?:6[dfDF45cC])")  # a letter of `model` as an escape
_ESCAPE = 6  # bytes of it
_SHORT_KEY = re.compile(rb'("(?:[^"\\]|\\.){0,40}")[ \t\r\n]*:', re.DOTALL)
_SIGNS = re.compile(rb'["{}\[\]]')

_NEAR = 32  # how many elements in a row may be missing from the other list


def written_anew(body: Json, read: bytes) -> bytes:
    """The JSON that was read from these bytes, written again, so that every key occurs once."""
    if b"\\ud" in read or b"\\uD" in read:  # half a surrogate pair, which needs an escape
        return json.dumps(body, separators=(",", ":")).encode()
    return encode_json(body, len(read))


def with_model(body: bytes, asked: str, model: str) -> bytes:
    r"""The body with `model` as the value of every top-level `model`; the last one is `asked`.

    Raises ReadError for such a key in a spelling with escapes (`"\u006dodel"`). If there are two
    keys, parsers disagree about which one counts, and the provider must not get a model that was
    not checked.
    """
    hidden = any(_HIDDEN.search(piece) for piece in overlapping(body, _ESCAPE))
    fault = ReadError(
        "the key of the model is spelled with escapes",
        path="$.model",
        hint='write "model"',
        code="model.spelling",
    )
    named, at, is_named = encode_json(model), 0, False
    only = _find_only_key(body) if asked and not hidden else None
    if only is not None:  # it is the one that was read
        if asked == model:
            return body
        if (match := MODEL.match(body, only)) is not None:
            return b"".join((body[: match.start(1)], named, body[match.end(1) :]))
    changed: list[bytes] = []
    for place in _top_level(body):  # a generator, as a body may consist of keys alone
        if hidden and _is_hidden(body, place):
            raise fault
        if (match := MODEL.match(body, place)) is None:
            continue
        is_named = True
        if loads(match[1]) != model:  # compared as text, in whatever spelling
            changed += (body[at : match.start(1)], named)
            at = match.end(1)
    if not is_named and asked:
        raise fault
    return b"".join((*changed, body[at:])) if changed else body


def _find_only_key(body: bytes) -> int | None:
    """Where the key "model" is, if it is nowhere else, neither in a list of tools nor in a text."""
    found: int | None = None
    for number, piece in enumerate(overlapping(body, len(_KEY))):
        if (count := piece.count(_KEY)) > 1 or (count and found is not None):
            return None
        if count:
            found = number * PIECE + piece.index(_KEY)
    return found


def _is_hidden(body: bytes, at: int) -> bool:
    """Whether the text that begins here is the key "model" in a spelling with escapes."""
    match = _SHORT_KEY.match(body, at)
    return match is not None and b"\\" in match[1] and bool(loads(match[1]) == "model")


def reorder_like(sent: Any, body: Any) -> Any:
    """The JSON value with all keys in the order of the client's request, and new keys at the end.

    So an unchanged message is written as the client wrote it, and a provider's cache finds it.
    """
    if isinstance(sent, dict) and isinstance(body, dict):
        kept = {key: reorder_like(sent[key], body[key]) for key in sent if key in body}
        return {**kept, **{key: value for key, value in body.items() if key not in kept}}
    if not (isinstance(sent, list) and isinstance(body, list)):
        return body
    made: list[Any] = []
    at = 0
    for one in body:
        near = range(at, min(at + _NEAR, len(sent)))
        found = next((nth for nth in near if sent[nth] == one), None)
        at = at if found is None else found + 1
        made.append(one if found is None else reorder_like(sent[found], one))
    return made


def _top_level(body: bytes) -> Iterator[int]:
    """Where the texts of the outermost object begin."""
    depth = at = 0
    while (match := first_in(_SIGNS, body, at)) is not None:
        at = match.end()
        sign = body[at - 1]
        if sign in b"{[":
            depth += 1
        elif sign in b"}]":
            depth -= 1
        else:
            if depth == 1:
                yield at - 1
            at = end_of_text(body, at)


def event_too_large(most: int) -> ReadError:
    """The error for an event beyond the bound, which is not read to its end."""
    text = f"an event of the provider's is larger than {most} bytes"
    return ReadError(text, hint="raise limits.event", code="stream.event_size")


def answer_too_large(most: int) -> ReadError:
    """The error for an answer beyond the bound, which is not read to its end."""
    text = f"it is larger than {most} bytes"
    return ReadError(text, hint="raise limits.answer", code="answer.size")


class Passing:
    """A stream that is passed on unchanged, in whole events: an incomplete one waits for its end.

    So a provider that breaks off leaves no half event at the client, and an error event that is
    added then stays readable.

    Attributes:
        ended: Whether the provider has given the reason why the answer ended; that event is `last`.
        last: The event that ended the answer.
        over: Whether the last event of the answer has come; what follows it is left out. The
            bracket that closes a JSON array is returned by `rest`.
        events: How many events were passed on.
        leaves_long: Whether `feed` raises LongEvent for a chunk that completes a large event, and
            takes nothing of it.
    """

    __slots__ = (
        "_array",
        "_candidates",
        "_ends",
        "_erred",
        "_event_end",
        "_first",
        "_framing",
        "_held",
        "_hidden",
        "_last",
        "_mark",
        "_marking",
        "_most",
        "_size",
        "_surface",
        "_tail",
        "ended",
        "events",
        "last",
        "leaves_long",
        "over",
    )

    def __init__(
        self,
        surface: Surface,
        framing: Framing,
        most: int,
        candidates: int = 1,
        hidden: HiddenKey | None = None,
        marking: Callable[[bytes], bytes] | None = None,
    ) -> None:
        self._marking = marking  # marks the ids for a tenant
        self.ended = self.over = self.leaves_long = False
        self.last = b""
        self.events = 0
        self._framing = framing
        self._event_end = b"\n" if framing == "ndjson" else b"\n\n"
        self._array = JSONArray() if framing == "json-array" else None
        self._surface = surface
        self._hidden = hidden or HiddenKey("")  # the provider's key, which no answer may quote
        self._candidates = candidates  # how many answers the client asked for
        self._ends: frozenset[int] = frozenset()  # the candidates that ended, if several are asked
        self._erred = False  # whether an error event has come, which one more event may repeat
        self._tail = b""  # the last three bytes of what is held back
        self._mark = surface.usage_mark
        self._held: list[bytes] = []
        self._size = 0
        self._most = most
        self._first: bytes | None = None
        self._last: bytes | None = None

    def feed(self, chunk: bytes) -> bytes:
        """The bytes to pass on now. Raises ReadError for an event beyond the bound."""
        if self._array is not None:
            self._leave_long(len(chunk))
            cut, chunk = self._element(self._array, chunk)
        elif not self._held and chunk.endswith(self._event_end):  # the usual case
            return self._look(chunk)
        else:
            cut = self._border(chunk)
            self._leave_long(cut)
        if cut == 0:
            self._hold(chunk)
            return b""
        if self._held:
            self._held.append(chunk[:cut])
            whole = b"".join(self._held)
            self._held.clear()
            self._size, self._tail = 0, b""
        else:
            whole = chunk if cut == len(chunk) else chunk[:cut]
        if cut < len(chunk):
            self._hold(chunk[cut:])
        return self._look(whole)

    def _leave_long(self, size: int) -> None:
        if self.leaves_long and size and self._size + size > LARGE:
            raise LongEvent

    @property
    def usage_size(self) -> int:
        """The bytes of the events that `read_usage` reads."""
        return len(self._first or b"") + len(self._last or b"")

    @property
    def held_size(self) -> int:
        """The bytes of the event that is not complete."""
        return self._size

    def rest(self) -> bytes:
        """The remaining bytes at a regular end: an event without a closing line counts as one.

        For an array they are the bracket that closes it, and nothing if it has not come.
        """
        whole = b"".join(self._held)
        self._held.clear()
        return self._look(whole) if whole and self.over == (self._array is not None) else b""

    def read_usage(self, wire: Wire) -> Builder:
        """The usage that the events of this stream report, with model and finish reasons."""
        decoder = wire.stream_decoder()
        decoder.framing = self._framing
        for data in (self._first, self._last):
            if data is not None:
                decoder.feed_bytes(data)
        decoder.rest()
        return decoder.builder

    def _border(self, chunk: bytes) -> int:
        """Where the last event that ends in the chunk has its end; 0 if none ends there."""
        if self._framing == "ndjson":
            return chunk.rfind(b"\n") + 1
        at = chunk.rfind(b"\n\n") + 2
        if b"\r" in chunk:
            at = max(at, chunk.rfind(b"\r\n\r\n") + 4 if b"\r\n\r\n" in chunk else 0)
        if at >= 2:
            return at
        before = self._tail
        seam = before + chunk[:3]
        for border in (b"\n\n", b"\r\n\r\n"):
            found = seam.find(border)
            if found >= 0 and found + len(border) > len(before):
                return found + len(border) - len(before)
        return 0

    def _element(self, array: JSONArray, chunk: bytes) -> tuple[int, bytes]:
        """(the end of the last element that ends in the chunk, the part that is the array)."""
        self.events += len(array.feed(chunk))
        if not array.closed:
            return array.end, chunk
        self.over = True
        # one object alone, as errors are, is no element: it is held for the reader of the error
        return array.end if array.end < array.closed else 0, chunk[: array.closed]

    def _hold(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > self._most:
            raise event_too_large(self._most)
        self._held.append(data)
        self._tail = (self._tail + data)[-3:]

    def _look(self, whole: bytes) -> bytes:
        """Look in whole events for the end of the stream; the bytes that belong to the answer."""
        if self._hidden:
            whole = self._hidden.data(whole)
        if self._marking is not None:
            whole = self._marking(whole)
        if not self.ended or self._erred:
            if self._erred or self._surface.ends(whole, self._framing):
                whole = self._until_end(whole)
        elif self._array is None:
            whole = self._until_last(whole)
        if self._array is None:
            self.events += whole.count(self._event_end)
        if self._mark in whole:
            if self._first is None:
                self._first = whole
            else:
                self._last = whole
        return whole

    def _until_end(self, whole: bytes) -> bytes:
        """Handle whole events of which one gives the reason why a candidate ended."""
        if self._candidates > 1:
            ends, is_last = self._surface.read(whole, self._framing)
            self._ends |= ends
            self.ended = is_last or len(self._ends) >= self._candidates
        else:
            self.ended = True
        if not self.last:
            self.last = whole
        if self._array is not None:
            return whole
        if self._erred:
            return self._told_again(whole)
        if (place := self._surface.herald(whole)) is not None:
            self._erred = True
            self.last = whole[place[0] : place[1]]
            return whole[: place[1]] + self._told_again(whole[place[1] :])
        return self._until_last(whole)

    def _until_last(self, whole: bytes) -> bytes:
        """The events up to the last one of the answer."""
        place = self._surface.last(whole, self._framing)
        if place is None:
            return whole
        self.over = self.ended = True
        self.last = whole[place[0] : place[1]]
        self._drop()
        return whole[: place[1]]

    def _told_again(self, whole: bytes) -> bytes:
        """The event that repeats an error, if it directly follows it."""
        if not whole.strip():
            return b""
        self.over = True
        self._drop()
        place = self._surface.last(whole, self._framing)
        if place is None or place[0] or b"response.failed" not in whole[: place[1]]:
            return b""
        return whole[: place[1]]

    def _drop(self) -> None:
        """Discard the bytes that came after the last event."""
        self._held.clear()
        self._size, self._tail = 0, b""
