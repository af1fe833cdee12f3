"""Histories whose beginning was read before: each turn of a session sends the earlier ones again.

The beginning is known by its bytes, and neither parsed nor read again. The elements of the body and
the messages that were read from them are shared by the requests of one client, and never changed;
no program gets to see them. Nothing else is remembered: which passes change a message, and what is
lost of it, may depend on what comes after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from ..caches import BoundedCache
from ..errors import InvalidMessage
from ..text.json_pieces import LONG
from ..text.json_text import Json, JsonObject, encode_json
from .msg import Msg

_FEWEST = 2**10  # bytes of a beginning that is worth being known
_SAMPLE = 64  # bytes before a power of two, by which beginnings of that length are found
_ALIKE = 8  # beginnings that are kept which have the same sample
_OBJECT = 128  # bytes of memory for each sign before a value, and for what is read from it
_COPIES = 6  # bytes of memory for a byte of text: in a text of Python, and the JSON text itself
_LEFT_OUT = f"messages {uuid4().hex}"  # in the place of known elements, which are not parsed again
_LEFT_OUT_JSON = b'"%b"' % _LEFT_OUT.encode()


class KnownBeginning:
    """The first messages of a history that were read before.

    Attributes:
        room: The protocol that read them.
        text: Their JSON text, without brackets around it.
        elements: The elements of the body.
        msgs: What was read from each of them.
        origin: What decides how they are read besides the protocol.
        size: The memory that they take, in bytes.
    """

    __slots__ = ("elements", "msgs", "origin", "room", "size", "text")

    def __init__(
        self,
        room: Any,
        text: bytes,
        elements: list[Json],
        msgs: list[Msg],
        origin: object,
        size: int,
    ) -> None:
        self.room = room
        self.text = text
        self.elements = elements
        self.msgs = msgs
        self.origin = origin
        self.size = size


class Turn:
    """The history of one request in its bytes.

    Args:
        data: The JSON text of the request.
        room: The protocol that will read it.
        scope: Who may share what is known: the name of a client.
    """

    __slots__ = ("_beginning", "_data", "_end", "_room", "_scope", "_start")

    def __init__(self, data: bytes, room: Any, scope: str) -> None:
        self._data = data
        self._room = room
        self._scope = scope
        self._beginning: KnownBeginning | None = None
        field = room.messages_path.removeprefix("$.").encode()
        sign = b'"%b":[' % field
        at = data.find(sign) if len(data) <= LONG else -1
        self._start = at + len(sign) if at >= 0 else 0
        self._end = 0  # of the beginning in the data
        if self._start:
            self._find()

    @property
    def place(self) -> tuple[int, int]:
        """Start and end of the known beginning in the data; the same number if none is known."""
        return (self._start, self._end) if self._beginning is not None else (0, 0)

    @property
    def cut(self) -> tuple[int, int, bytes] | None:
        """(start, end, text in its place) of the beginning in the data, if it is known."""
        return (*self.place, _LEFT_OUT_JSON) if self._beginning is not None else None

    def fill(self, body: JsonObject) -> bool:
        """Put the known elements into a body that was parsed without them.

        Args:
            body: The body.

        Returns:
            Whether they were left out there and nowhere else.
        """
        beginning = self._beginning
        if beginning is None:
            return True
        elements = body.get(self._room.messages_path.removeprefix("$."))
        if type(elements) is not list or not elements or elements[0] != _LEFT_OUT:
            return False
        elements[:1] = beginning.elements
        return True

    def give_up(self) -> None:
        """Treat the request as one of which nothing is known."""
        self._beginning, self._start, self._end = None, 0, 0

    def read(
        self, elements: list[Json], origin: object, read: Callable[[Sequence[Json]], list[Msg]]
    ) -> list[Msg]:
        """Return `read(elements)`; what is known is not read again.

        Args:
            elements: The messages of the body.
            origin: What decides how they are read besides the protocol, equal if that is equal.
            read: Reads some of them, each for itself.
        """
        beginning = self._beginning
        known = [] if beginning is None or beginning.origin != origin else beginning.msgs
        msgs = [*known, *read(elements[len(known) :])]
        if self._start:
            self._remember(elements, msgs, origin)
        return msgs

    def _find(self) -> None:
        """Look for the longest known beginning."""
        data, start = self._data, self._start
        for power in range((len(data) - start).bit_length() - 1, _FEWEST.bit_length() - 2, -1):
            for beginning in _BEGINNINGS.get(self._key(power)) or ():
                end = start + len(beginning.text)
                if data.startswith(beginning.text, start) and data[end : end + 1] in _AFTER:
                    self._beginning, self._end = beginning, end
                    return

    def _key(self, power: int) -> tuple[str, int, int, bytes]:
        end = self._start + (1 << power)
        return self._scope, id(self._room), power, self._data[end - _SAMPLE : end]

    def _remember(self, elements: list[Json], msgs: list[Msg], origin: object) -> None:
        """Remember all messages but the last one, whose cache mark is gone in the next turn."""
        before, count = self._beginning, len(elements) - 1
        known = 0 if before is None else len(before.elements)
        if before is not None and count <= known and before.origin == origin:
            return
        text = self._text(elements, min(known, count), count)
        if text is None or len(text) < _FEWEST:
            return
        power = len(text).bit_length() - 1
        if before is None and not _seen_before(hash(self._key(_FEWEST.bit_length() - 1))):
            return
        signs = text.count(b",") + text.count(b"[") + text.count(b"{")
        size = _COPIES * len(text) + _OBJECT * signs
        beginning = KnownBeginning(self._room, text, elements[:count], msgs[:count], origin, size)
        if before is not None:  # the session goes on
            self._put(len(before.text).bit_length() - 1, None, before)
        self._put(power, beginning, before)

    def _text(self, elements: list[Json], known: int, count: int) -> bytes | None:
        """The text of the first elements, if their client writes JSON without spaces."""
        data, start, before = self._data, self._start, self._beginning
        text = before.text if before is not None and known == len(before.elements) else b""
        if count <= 0:
            return None
        try:
            more = encode_json(elements[known if text else 0 : count])[1:-1]
        except InvalidMessage:  # nested too deeply to be written
            return None
        comma = b"," if text and more else b""
        text = b"%b%b%b" % (text, comma, more)
        return text if data.startswith(text, start) else None

    def _put(
        self, power: int, beginning: KnownBeginning | None, before: KnownBeginning | None
    ) -> None:
        """Store a beginning in the place of the one that it goes on from."""
        key = self._key(power)
        rows = [row for row in _BEGINNINGS.get(key) or () if row is not before]
        if beginning is not None:
            rows = [row for row in rows if row.text != beginning.text]
            # the longest that fits is looked for
            rows = sorted([beginning, *rows[: _ALIKE - 1]], key=lambda row: -len(row.text))
        _BEGINNINGS.put(key, tuple(rows), sum(row.size for row in rows))


_AFTER = (b",", b"]")


def _seen_before(number: int) -> bool:
    """Whether a history with this hash of its first bytes came before."""
    is_known = _SEEN.get(number) is not None
    if not is_known:
        _SEEN.put(number, True, 0)
    return is_known


def read_elements(
    turn: Turn | None,
    elements: list[Json],
    origin: object,
    read: Callable[[Sequence[Json]], list[Msg]],
) -> list[Msg]:
    """Return `read(elements)`, where the first ones may be known from an earlier turn.

    Args:
        turn: The request, if it may be a turn of a session.
        elements: The messages of its body.
        origin: What decides how they are read besides the protocol, equal if that is equal.
        read: Reads some of them, each for itself.
    """
    return read(elements) if turn is None else turn.read(elements, origin, read)


_BEGINNINGS: BoundedCache[tuple[KnownBeginning, ...]] = BoundedCache(
    "dragoman.message.known_history", "beginnings of histories that a gateway has read", 2**26
)
_SEEN: BoundedCache[bool] = BoundedCache(
    "dragoman.message.known_history.seen", "hashes of histories that came once", 2**20
)
