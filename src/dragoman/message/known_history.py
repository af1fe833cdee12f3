"""Histories whose beginning was read before: each turn of a session sends the earlier ones again.

The beginning is known by its bytes, and neither parsed nor read again. The elements of the body and
the messages that were read from them are shared by the requests of one client, and never changed;
no program gets to see them. Nothing else is remembered: which passes change a message, and what is
lost of it, may depend on what comes after it.

Where clients have keys, a gateway checks what a request names before it reads it, and may change
it: what is known then was checked for the same client, and is not checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self, TypeVar
from uuid import uuid4

from ..caches import BoundedCache
from ..errors import InvalidMessage
from ..text.json_pieces import LONG
from ..text.json_text import Json, JsonObject, encode_json, loads
from .known_steps import KnownSteps
from .known_text import KnownText
from .msg import Msg

_FEWEST = 2**10  # bytes of a beginning that is worth being known
_SAMPLE = 64  # bytes before a power of two, by which beginnings of that length are found
_ALIKE = 8  # beginnings that are kept which have the same sample
_OBJECT = 256  # bytes of memory for each sign before a value, and for what steps make of it
_COPIES = 8  # bytes of memory for a byte of text: in texts of Python, and the JSON text itself
_LEFT_OUT = f"messages {uuid4().hex}"  # in the place of known elements, which are not parsed again
_LEFT_OUT_JSON = b'"%b"' % _LEFT_OUT.encode()


class Reading(Protocol):
    """A history that is read in parts, one after the other.

    Attributes:
        msgs: What was read so far.
    """

    msgs: list[Msg]

    def copy(self) -> Self | None:
        """A copy that reads on for itself, and changes no message that this one has read.

        None if a message that was read may change with what comes after it.
        """
        ...

    def feed(self, elements: Sequence[Json]) -> bool:
        """Read the next elements.

        Returns:
            Whether what was read before is what it would be if all had been read at once.
        """
        ...


_Reading = TypeVar("_Reading", bound=Reading)


class ReadSingly:
    """The reading of a history whose elements are each read for itself.

    Args:
        read: Reads one element.
    """

    __slots__ = ("_read", "msgs")

    def __init__(self, read: Callable[[Json], Msg]) -> None:
        self.msgs: list[Msg] = []
        self._read = read

    def copy(self) -> Self | None:
        """A copy that reads on for itself."""
        copy = type(self)(self._read)
        copy.msgs = [*self.msgs]
        return copy

    def feed(self, elements: Sequence[Json]) -> bool:
        """Read the next elements. Returns True."""
        read = self._read
        self.msgs += [read(element) for element in elements]
        return True


class KnownBeginning:
    """The first messages of a history that were read before.

    Attributes:
        room: The protocol that read them.
        known: Their JSON text, with what was found in it.
        elements: The elements of the body, as they were after all checks.
        reading: What was read from them.
        origin: What decides how they are read besides the protocol.
        checked: For what they were checked, if they were.
        steps: What steps of a conversion made of the messages.
        size: The memory that they take, in bytes.
    """

    __slots__ = ("checked", "elements", "known", "origin", "reading", "room", "size", "steps")

    def __init__(
        self,
        room: Any,
        known: KnownText,
        elements: list[Json],
        reading: Reading,
        origin: object,
        checked: object,
        steps: KnownSteps,
        size: int,
    ) -> None:
        self.room = room
        self.known = known
        self.elements = elements
        self.reading = reading
        self.origin = origin
        self.checked = checked
        self.steps = steps
        self.size = size

    @property
    def text(self) -> bytes:
        """The JSON text as it came, without brackets around it."""
        return self.known.text


class Turn:
    """The history of one request in its bytes.

    Args:
        data: The JSON text of the request.
        room: The protocol that will read it.
        scope: Who may share what is known: the name of a client.

    Attributes:
        steps: What steps of a conversion made of known messages, once they are read.
    """

    __slots__ = (
        "_beginning",
        "_checked",
        "_count",
        "_data",
        "_end",
        "_room",
        "_scope",
        "_start",
        "_text",
        "steps",
    )

    def __init__(self, data: bytes, room: Any, scope: str) -> None:
        self._data = data
        self._room = room
        self._scope = scope
        self._beginning: KnownBeginning | None = None
        self._checked: object = None
        self._text: bytes | None = None  # of the elements that are to be remembered
        self._count = 0  # of those elements
        self.steps: KnownSteps | None = None
        sign = b'"%b":[' % self.field.encode()
        at = data.find(sign) if len(data) <= LONG else -1
        self._start = at + len(sign) if at >= 0 else 0
        self._end = 0  # of the beginning in the data
        if self._start:
            self._find()

    @property
    def field(self) -> str:
        """The field of the body that holds the history."""
        name: str = self._room.messages_path
        return name.removeprefix("$.")

    @property
    def place(self) -> tuple[int, int]:
        """Start and end of the known beginning in the data; the same number if none is known."""
        return (self._start, self._end) if self._beginning is not None else (0, 0)

    @property
    def known(self) -> tuple[int, KnownText] | None:
        """The start of the known beginning in the data, and what is known of its text."""
        return None if self._beginning is None else (self._start, self._beginning.known)

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
        elements = body.get(self.field)
        if type(elements) is not list or not elements or elements[0] != _LEFT_OUT:
            return False
        elements[:1] = beginning.elements
        return True

    def give_up(self) -> None:
        """Treat the request as one of which nothing is known."""
        self._beginning, self._start, self._end = None, 0, 0

    def measure(self, body: JsonObject) -> None:
        """Find the text of all messages but the last one, before a check may change them.

        The cache mark of the last one is gone in the next turn.

        Args:
            body: The body, with the known elements in it.
        """
        elements = body.get(self.field)
        if not self._start or type(elements) is not list:
            return
        before, count = self._beginning, len(elements) - 1
        known = 0 if before is None else len(before.elements)
        if count <= 0 or count < known:
            return
        if before is None and not _seen_before(hash(self._key(_FEWEST.bit_length() - 1))):
            return
        text = self._find_text(elements, known, count)
        if text is not None and len(text) >= _FEWEST:
            self._text, self._count = text, count

    def pass_checked(self, checked: object, body: JsonObject) -> int:
        """Return how many of the first messages were checked before for the same.

        What was checked for something else is parsed again: the check may change it.

        Args:
            checked: For what this request is checked.
            body: Its body.
        """
        self._checked = checked
        beginning = self._beginning
        if beginning is None:
            return 0
        if beginning.checked == checked:
            return len(beginning.elements)
        elements = body[self.field]
        assert type(elements) is list  # `fill` put the known ones there
        elements[: len(beginning.elements)] = loads(b"[%b]" % beginning.text)
        self._beginning = None
        return 0

    def read(self, elements: list[Json], origin: object, start: Callable[[], _Reading]) -> _Reading:
        """Read the history with `start()`; what is known is not read again.

        Args:
            elements: The messages of the body.
            origin: What decides how they are read besides the protocol, equal if that is equal.
            start: Begins a reading.
        """
        beginning = self._beginning
        reading: Any = None
        known = 0
        if beginning is not None and beginning.origin == origin:
            reading, known = beginning.reading.copy(), len(beginning.elements)
            self.steps = beginning.steps
        if reading is None:
            reading, known, self.steps = start(), 0, None
        count = self._count
        if count >= known and self._is_new(origin):
            if not reading.feed(elements[known:count]):
                reading, self.steps = self._read_anew(elements[:count], start), None
            self._remember(elements[:count], reading, origin)
            known = count
        if not reading.feed(elements[known:]):
            reading, self.steps = self._read_anew(elements, start), None
        result: _Reading = reading
        return result

    def _read_anew(self, elements: list[Json], start: Callable[[], _Reading]) -> _Reading:
        reading = start()
        reading.feed(elements)
        return reading

    def _is_new(self, origin: object) -> bool:
        """Whether there is a longer beginning to remember than the known one."""
        before = self._beginning
        if self._text is None:
            return False
        return before is None or self._count > len(before.elements) or before.origin != origin

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

    def _remember(self, elements: list[Json], reading: Reading, origin: object) -> None:
        """Remember the elements whose text was found, and what was read from them."""
        before, text, kept = self._beginning, self._text, reading.copy()
        if kept is None or text is None:
            self.steps = None
            return
        if self.steps is None or self.steps.count > 2 * len(kept.msgs):  # of many forks
            self.steps = KnownSteps()
        # a message that may go on is another one in each reading
        self.steps.admit(m for m, own in zip(kept.msgs, reading.msgs, strict=True) if m is own)
        whole = KnownText(text, None if before is None else before.known)
        size = _COPIES * len(text) + _OBJECT * whole.signs
        known = KnownBeginning(
            self._room, whole, elements, kept, origin, self._checked, self.steps, size
        )
        if before is not None:  # the session goes on
            self._put(len(before.text).bit_length() - 1, None, before)
        self._put(len(text).bit_length() - 1, known, before)

    def _find_text(self, elements: list[Json], known: int, count: int) -> bytes | None:
        """The text of the first elements, if their client writes JSON without spaces."""
        text = b"" if self._beginning is None else self._beginning.text
        try:
            more = encode_json(elements[known:count])[1:-1]
        except InvalidMessage:  # nested too deeply to be written
            return None
        comma = b"," if text and more else b""
        text = b"%b%b%b" % (text, comma, more)
        return text if self._data.startswith(text, self._start) else None

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
    turn: Turn | None, elements: list[Json], origin: object, start: Callable[[], _Reading]
) -> _Reading:
    """Read a history with `start()`, where the first elements may be known from an earlier turn.

    Args:
        turn: The request, if it may be a turn of a session.
        elements: The messages of its body.
        origin: What decides how they are read besides the protocol, equal if that is equal.
        start: Begins a reading.
    """
    if turn is not None:
        return turn.read(elements, origin, start)
    reading = start()
    reading.feed(elements)
    return reading


_BEGINNINGS: BoundedCache[tuple[KnownBeginning, ...]] = BoundedCache(
    "dragoman.message.known_history", "beginnings of histories that a gateway has read", 2**26
)
_SEEN: BoundedCache[bool] = BoundedCache(
    "dragoman.message.known_history.seen", "hashes of histories that came once", 2**20
)
