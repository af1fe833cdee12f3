r"""Reads and writes JSON of many megabytes in pieces.

A parser in C holds the interpreter lock from its first byte to its last: for 64 MB all other
threads of the process, such as the streams of a gateway, wait for a third of a second. JSON longer
than `LONG` goes through the parser in pieces of about `PIECE` bytes, between which the others run.
The brackets are walked here; the text between two commas far enough apart, and the parts of a long
text, become JSON again when brackets or quotes are put around them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from ..errors import ReadError

Json: TypeAlias = Any

PIECE = 2**13  # bytes: a tenth of a millisecond, and a thread of streams may wait at each event
LONG = 2**22
_QUOTE, _BACKSLASH, _COMMA = 0x22, 0x5C, 0x2C
_IN_TEXT = re.compile(rb'(?:[^"\\]++|\\.)++', re.DOTALL)
# everything up to the next bracket: scalars, texts, and the last comma between them
_FLAT = re.compile(rb'(?:[^",{}\[\]]++|"(?:[^"\\]++|\\.)*+"|(,))*+', re.DOTALL)
_BLANK = re.compile(rb"[ \t\r\n]*+")
_GOES_ON = re.compile(rb"\\(?:u.{0,3}|u[dD][89abAB]..)?", re.DOTALL)  # an escape, or a pair of them
_VALUE = 8  # bytes counted for a value besides its text


def end_of_text(data: bytes, at: int) -> int:
    """The index after the quote that ends the text which `at` is inside of; else the data's end."""
    end = data.find(b'"', at) + 1
    if end and data[end - 2] != _BACKSLASH:
        return end
    while match := _IN_TEXT.match(data, at, at + PIECE):  # a text may consist of escaped quotes
        at = match.end()
        if data[at : at + 1] == b'"':
            return at + 1
    return len(data)


def first_in(pattern: re.Pattern[bytes], data: bytes, at: int) -> re.Match[bytes] | None:
    """The first match, at `at` or later, of a pattern of one byte."""
    while at < len(data):
        if (match := pattern.search(data, at, at + PIECE)) is not None:
            return match
        at += PIECE
    return None


def overlapping(data: bytes, longest: int) -> Iterator[bytes]:
    """The bytes in overlapping pieces, so that any `longest` bytes are whole in one of them."""
    if len(data) <= PIECE:
        yield data
        return
    for at in range(0, len(data), PIECE):
        yield data[at : at + PIECE + longest - 1]


def holds(data: bytes, signs: tuple[bytes, ...]) -> bool:
    """Whether the bytes contain one of the signs."""
    if len(data) <= PIECE:
        for sign in signs:  # noqa: SIM110, which takes twice as long for an event of a stream
            if sign in data:
                return True
        return False
    longest = max(map(len, signs))
    return any(sign in piece for piece in overlapping(data, longest) for sign in signs)


# -- reading ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Open:
    """An array or object that is still open; `made` holds the members that are read."""

    at: int  # where its first member begins
    is_object: bool
    start: int  # start of the members that are not read yet
    member: int  # where the current member begins
    made: Any = None
    is_settled: bool = False  # whether the last member is read, without a comma after it


def loads_in_pieces(data: bytes, loads: Callable[[bytes], Json], deepest: int) -> Json:
    """The value of a JSON text; `loads` reads each piece and raises ReadError.

    Raises ReadError for text that is no JSON or is nested deeper, and for a key or a number longer
    than a piece.
    """
    return _Reading(data, loads, deepest).value()


class _Reading:
    def __init__(self, data: bytes, loads: Callable[[bytes], Json], deepest: int) -> None:
        self._data = data
        self._load = loads
        self._deepest = deepest
        self._stack = [_Open(0, False, 0, 0)]  # as if the whole were in brackets

    def value(self) -> Json:
        data, stack, size, at = self._data, self._stack, len(self._data), 0
        while at < size:
            match = _FLAT.match(data, at, at + PIECE)
            assert match is not None  # it may be empty
            top = stack[-1]
            if (comma := match.start(1)) >= 0:
                self._comma(top, comma)
            at = match.end()
            sign = data[at : at + 1]
            if sign == b'"':
                at = self._text(top, at)
            elif sign in (b"{", b"["):
                stack.append(_Open(at + 1, sign == b"{", at + 1, at + 1))
                if len(stack) > self._deepest + 1:
                    raise ReadError(f"nested deeper than {self._deepest}", code="json.deep")
                at += 1
            elif sign in (b"}", b"]"):
                at = self._close(at)
        if len(stack) != 1:
            raise self._fault("an array or object is not closed", size)
        made = self._finish_value(stack[0], size)
        if len(made) != 1:
            raise self._fault("one value is expected", size)
        return made[0]

    def _comma(self, top: _Open, at: int) -> None:
        """Handle the last of several commas between members of an array or object."""
        top.member = at + 1
        if at - top.start > PIECE:
            self._read(top, at)
            top.start = at + 1

    def _text(self, top: _Open, at: int) -> int:
        """Read a text longer than the piece; return the index after it."""
        end = end_of_text(self._data, at + 1)
        if end - at <= PIECE:
            return end
        if self._data[end - 1] != _QUOTE:
            raise self._fault("a text is not closed", at)
        if self._data[(colon := self._blank(end)) : colon + 1] == b":":
            raise self._fault("a key is too long", at)
        self._put(top, at, "".join(self._parts(at + 1, end - 1)))
        return self._behind(top, end)

    def _parts(self, at: int, end: int) -> Iterator[str]:
        """A text in parts, none of which ends inside an escape, a pair of them, or a character."""
        data = self._data
        while at < end:
            cut = min(at + PIECE, end)
            if cut < end:
                cut = self._cut(at, cut)
            part: str = self._loads(b'"%b"' % data[at:cut], at)
            yield part
            at = cut

    def _cut(self, at: int, cut: int) -> int:
        """The last index before `cut` at which the text that `at` is inside of may be cut."""
        data = self._data
        while data[cut] & 0xC0 == 0x80:  # continuation bytes of a character in UTF-8
            cut -= 1
        for _ in range(2):  # half an escape after half a pair
            escape = data.rfind(b"\\", cut - 6, cut)
            if escape < 0 or not _GOES_ON.fullmatch(data, escape, cut):
                break
            before = data[at:escape]
            if (len(before) - len(before.rstrip(b"\\"))) % 2:  # it is escaped itself
                break
            cut = escape
        return cut

    def _put(self, top: _Open, at: int, value: Json) -> None:
        """Add a member that was read by itself and begins at `at`."""
        if top.is_settled:
            raise self._fault("a comma is missing", at)
        if top.start < top.member:
            self._read(top, top.member - 1)
        elif top.made is None:
            top.made = {} if top.is_object else []
        before = self._data[top.member : at]
        if not top.is_object:
            if before.strip():
                raise self._fault("a comma is missing", at)
            top.made.append(value)
            return
        if len(before) > 2 * PIECE:
            raise self._fault("a key is too long", top.member)
        (named,) = self._loads(b"{%b0}" % before, top.member).items()
        top.made[named[0]] = value

    def _behind(self, top: _Open, at: int) -> int:
        """The index after a member that was read by itself, and after its comma."""
        at = self._blank(at)
        if self._data[at : at + 1] == b",":
            at += 1
        else:
            top.is_settled = True
        top.start = top.member = at
        return at

    def _blank(self, at: int) -> int:
        """The index after the white space that begins here."""
        while (match := _BLANK.match(self._data, at, at + PIECE)) and match.end() > at:
            at = match.end()
        return at

    def _close(self, at: int) -> int:
        """End an array or object; return the index after it."""
        stack = self._stack
        if len(stack) == 1:
            raise self._fault("a bracket closes nothing", at)
        top = stack.pop()
        if top.made is None and at - top.at <= PIECE:  # short: read together with what is around it
            return at + 1
        if self._data[at] != (0x7D if top.is_object else 0x5D):
            raise self._fault("a bracket closes another one", at)
        value = self._finish_value(top, at)
        self._put(stack[-1], top.at - 1, value)
        return self._behind(stack[-1], at + 1)

    def _finish_value(self, top: _Open, end: int) -> Any:
        if not top.is_settled:
            self._read(top, end, may_be_empty=top.start == top.at)
        elif self._data[top.start : end].strip():
            raise self._fault("a comma is missing", top.start)
        return top.made

    def _read(self, top: _Open, end: int, may_be_empty: bool = False) -> None:
        """Read the members up to `end`."""
        group = self._data[top.start : end]
        if len(group) > 3 * PIECE and len(group := group.strip()) > 3 * PIECE:
            raise self._fault("a number or a space is too long", top.start)
        made = self._loads((b"{%b}" if top.is_object else b"[%b]") % group, top.start)
        if not made and not may_be_empty:
            raise self._fault("a member is missing", end)
        if top.made is None:
            top.made = made
        elif top.is_object:
            top.made.update(made)
        else:
            top.made += made

    def _loads(self, text: bytes, at: int) -> Any:
        """The value of a piece that begins here."""
        try:
            return self._load(text)
        except ReadError as error:
            told = f"{error.message}, in what begins at byte {at}"
            raise ReadError(told, code=error.code) from error

    def _fault(self, text: str, at: int) -> ReadError:
        return ReadError(f"no JSON: {text} (byte {at})", code="json.invalid")


# -- writing ---------------------------------------------------------------------------------------


def dumps_in_pieces(
    value: Json, dumps: Callable[[Json], bytes], comma: bytes = b",", colon: bytes = b":"
) -> bytes:
    """The JSON text of a value; `dumps` writes each piece, with this comma and this colon."""
    parts: list[bytes] = []
    stack: list[Iterator[Any]] = [iter((value,))]
    while stack:
        item = next(stack[-1], _END)
        if item is _END:
            stack.pop()
        elif type(item) is _Written:
            parts.append(item.data)
        elif type(item) is str and len(item) > PIECE:
            texts = (item[at : at + PIECE] for at in range(0, len(item), PIECE))
            parts += [b'"', *(dumps(text)[1:-1] for text in texts), b'"']
        elif type(item) in (dict, list) and _is_heavy(item):
            stack.append(_members(item, dumps, comma, colon))
        else:
            parts.append(dumps(item))
    return b"".join(parts)


_END: Any = object()


@dataclass(slots=True)
class _Written:
    data: bytes


def _members(
    value: Any, dumps: Callable[[Json], bytes], sign: bytes, colon: bytes
) -> Iterator[Any]:
    """The parts of an array or object: written members, and members to be written in pieces."""
    is_object = type(value) is dict
    light: Any = {} if is_object else []
    weight, comma = 0, b""
    yield _Written(b"{" if is_object else b"[")
    for key, member in value.items() if is_object else enumerate(value):
        own = _weight(member)
        if light and (weight + own > PIECE):
            yield _Written(comma + dumps(light)[1:-1])
            light, weight, comma = ({} if is_object else []), 0, sign
        if own > PIECE:
            yield _Written(comma + (dumps(key) + colon if is_object else b""))
            yield member
            comma = sign
            continue
        weight += own
        if is_object:
            light[key] = member
        else:
            light.append(member)
    if light:
        yield _Written(comma + dumps(light)[1:-1])
    yield _Written(b"}" if is_object else b"]")


def _is_heavy(value: Json) -> bool:
    return _weight(value) > PIECE


def _weight(value: Json) -> int:
    """Roughly how many bytes a value is; counting stops above the size of a piece."""
    weight, stack = 0, [value]
    while stack and weight <= PIECE:
        item = stack.pop()
        kind = type(item)
        if kind is str:
            weight += len(item)
        elif kind is dict:
            weight += sum(map(len, islice(item, PIECE)))
            stack.extend(islice(item.values(), PIECE))
        elif kind is list:
            stack.extend(islice(item, PIECE))
        weight += _VALUE
    return weight
