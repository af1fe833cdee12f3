"""The arguments of a call, parsed once at its end, and a view of them while they arrive.

Knows no provider: argument text is JSON that may be cut, doubled, wrapped or wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import isfinite

from ..errors import ReadError
from ..message import Finish, ToolUseBlock
from ..message.blocks import ContentBlock
from ..message.ending import CUTS_CALLS
from ..text.json_text import Json, canonical, loads, too_deep

_TOKEN = re.compile(r'["{}\[\],]')
_SIGNS = re.compile(r'\\.|["{}\[\]]', re.DOTALL)
_STRING_END = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_HALF_ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?\\(?:u[0-9a-fA-F]{0,3})?\Z")
_HIGH_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


def _number(text: str) -> float:
    value = float(text)
    if not isfinite(value):  # NaN, or a number beyond all floats
        raise ValueError(f"{text} is no JSON value")
    return value


NO_ARGUMENTS = "{}"
_DEEP = 200  # levels; no tool takes as many
_LENIENT = json.JSONDecoder(strict=False, parse_constant=_number, parse_float=_number)


def parse_arguments(text: str) -> Json:
    """The object that the text spells; the text itself if it spells none, or one too deep for us.

    Blank text, also inside of a JSON string, and null are no arguments; JSON inside a JSON string
    is unwrapped; control characters inside strings are let pass.
    """
    try:
        value = loads(text)
    except ReadError:
        if not text or text.isspace():
            return {}
        try:
            value = _LENIENT.decode(text)
        except (ValueError, RecursionError):
            value = text
    if type(value) is dict and len(text) <= _DEEP:
        return value
    if type(value) is str and value and value is not text:
        try:
            value = loads(value)
        except ReadError:
            return text
    if value is None or value == "":
        return {}
    nests = text.count("{") + text.count("[") > _DEEP
    return text if type(value) is not dict or (nests and too_deep(value, _DEEP)) else value


def split_objects(text: str) -> list[str]:
    """The objects of a text that holds more than one of them, each as text; else nothing.

    Equal ones that follow each other are one: some servers send the whole arguments again. An empty
    one before others is none: Bedrock through some proxies begins with `{}` and then sends them
    (openai/openai-agents-js pull request 712, looked up on 2026-11-28).
    """
    objects: list[str] = []
    position = 0
    try:
        while position < len(text):
            value, end = _LENIENT.raw_decode(text, position)
            if type(value) is not dict:
                return []
            if not objects or text[position:end] != objects[-1]:
                objects.append(text[position:end])
            position = end
            while position < len(text) and text[position].isspace():
                position += 1
    except (ValueError, RecursionError):
        return []
    said = [text for text in objects if text[1:-1].strip()]
    return said or objects[:1]


def breaks_off(text: str) -> bool:
    """Whether the text ends inside a JSON value: an open string, object or list."""
    return bool(closing_signs(text))


def closing_signs(text: str) -> str:
    """What has to follow for everything to be closed that the text opens."""
    brackets, _, inside = _open(text)
    return f'"{brackets}' if inside else brackets


def parse_partial(text: str) -> Json:
    """Parse the text as far as it came: `{"city": "Sam` is `{"city": "Sam"}`. Linear in the text.

    A member whose value has not come is left out; what is no JSON at all stays text.
    """
    closing, safe, inside = _open(text)
    if not (closing or inside):
        return parse_arguments(text)
    if inside and "\ud800" <= text[-1:] <= "\udbff":
        text = text[:-1]  # the first half of a character whose second has not come
    elif inside and text[-6:-4] == "\\u":
        text = _HIGH_ESCAPE.sub(r"\1", text)
    candidates = [f'{text}"', f'{_HALF_ESCAPE.sub("", text)}"'] if inside else [text]
    for candidate in (*candidates, text[:safe]):
        try:
            return loads(candidate + closing)
        except ReadError:
            continue
    return text


def _open(text: str) -> tuple[str, int, bool]:
    """(what would close the text, up to where it is whole, whether it ends inside a string)."""
    stack: list[str] = []
    position = safe = 0
    while (match := _TOKEN.search(text, position)) is not None:
        sign = match[0]
        position = match.end()
        if sign == '"':
            end = _STRING_END.match(text, position)
            if end is None:
                return "".join(reversed(stack)), safe, True
            position = end.end()
        elif sign == ",":
            safe = position - 1
        else:
            if sign in "{[":
                stack.append("}" if sign == "{" else "]")
            elif stack:
                stack.pop()
            safe = position
    return "".join(reversed(stack)), safe, False


class Balance:
    """Whether argument text that grows is one whole value by now. Linear, however often asked."""

    __slots__ = ("_depth", "_escaped", "_inside", "_position", "_texts")

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._position = 0  # how many texts were looked at
        self._depth = 0
        self._inside = self._escaped = False

    def add(self, text: str) -> None:
        """One more piece."""
        self._texts.append(text)

    @property
    def begun(self) -> bool:
        """Whether there is any."""
        return bool(self._texts)

    def equals(self, text: str) -> bool:
        """Whether this is the whole text."""
        return "".join(self._texts) == text

    @property
    def whole(self) -> bool:
        """Whether everything that was opened is closed, and something was opened."""
        for piece in self._texts[self._position :]:
            text = piece[1:] if self._escaped else piece
            for sign in _SIGNS.findall(text):
                if sign == '"':
                    self._inside = not self._inside
                elif not self._inside:
                    self._depth += (sign in "{[") - (sign in "}]")
            self._escaped = self._inside and (len(text) - len(text.rstrip("\\"))) % 2 == 1
        self._position = len(self._texts)
        return self._depth == 0 and not self._inside and bool(self._texts)


MADE = "made"  # the spelling of a call whose id is ours


def parse_calls(
    blocks: Sequence[ContentBlock], names: Mapping[str, str], end: Finish | None, seed: str
) -> list[ContentBlock]:
    """The blocks, each call of them with its input; `seed` makes one answer's ids unlike another's.

    A call is unfinished if its text breaks off, if a limit ended the answer, or if the provider
    calls it malformed, or the answer an error.
    """
    parsed: list[ContentBlock] = []
    limited = end is not None and end.reason in CUTS_CALLS
    open_end = end is None  # there may have been arguments to come
    for block in blocks:
        if type(block) is not ToolUseBlock:
            parsed.append(block)
            continue
        for index, text in enumerate(argument_texts(block)):
            cut_short = limited or (open_end and not (text or "").strip() and not block.input)
            call = _call(block, text, names, cut_short)
            if index > 0:  # run together with the first, whose id it is
                call.id, call.extras = "", None
            if not call.id:
                content = call.raw_input or canonical(call.input)
                call.id = derived_id(f"{seed}\0{len(parsed)}\0{call.name}\0{content}")
                call.spelling = f"{MADE} {call.spelling}" if call.spelling else MADE
            parsed.append(call)
    return parsed


def argument_texts(block: ToolUseBlock) -> list[str | None]:
    """The argument text; several where a server runs calls together, none if it sent a value."""
    text = block.raw_input
    if text is None or block.freeform:
        return [text]
    # one object is the rule, and only a closing brace before an opening one can be two
    if "}" not in text[:-1] or breaks_off(text) or parse_arguments(text) is not text:
        return [text]
    return [*split_objects(text)] or [text]


def _call(
    block: ToolUseBlock, text: str | None, names: Mapping[str, str], cut_short: bool
) -> ToolUseBlock:
    name = names.get(block.name, block.name)
    if block.freeform:
        value: Json = text if text is not None else block.input or ""
        text, unfinished = None, cut_short
    else:
        value = block.input if text is None else parse_arguments(text)
        unfinished = cut_short or (text is not None and type(value) is str and breaks_off(text))
    unfinished = unfinished or block.unfinished
    call = ToolUseBlock(block.id, name, value, text, block.cache, unfinished)
    call.freeform, call.namespace = block.freeform, block.namespace
    call.extras, call.spelling, call.origin = block.extras, block.spelling, block.origin
    return call


def derived_id(source: str) -> str:
    """An id for a call that has none: the same for the same source."""
    return f"call_{blake2b(source.encode('utf-8', 'surrogatepass'), digest_size=9).hexdigest()}"


@dataclass(slots=True)
class _StreamedCall:
    """One call that is being streamed."""

    place: int
    index: int | None
    id: str = ""
    name: str = ""
    balance: Balance = field(default_factory=Balance)

    def takes(self, id: str, name: str, index: int | None, text: str) -> bool:
        """Whether a fragment may go on with the call: its id, name, index and more arguments.

        Only a call with a name can run, so a fragment without one goes on: some hosts give a call
        a second id, or invent one for each chunk. A name with more arguments after whole ones
        begins the next call, whatever its id; so does a name with another id, unless it can only
        repeat the same call.
        """
        if index is not None and self.index is not None and index != self.index:
            return False
        if not name:
            if index is not None:  # nearly all fragments
                return True
            return not (id and self.id and id != self.id and self.balance.whole)
        whole = self.balance.whole
        if not (id and self.id):
            return bool(id) or not (self.name and whole)
        if id == self.id:  # what came already may come once more, whole
            return not (whole and text.strip()) or (index is not None and self.balance.equals(text))
        again = index is not None and (self.balance.begun or bool(text))
        return again and name == self.name and not whole


class StreamedCalls:
    """The calls of one candidate, in the order in which they began."""

    def __init__(self) -> None:
        self._slots: list[_StreamedCall] = []
        self._by_index: dict[int, _StreamedCall] = {}
        self._by_id: dict[str, _StreamedCall] = {}

    def has(self, index: int) -> bool:
        """Whether a call with this index has begun."""
        return index in self._by_index

    def says_nothing(self, id: str, name: str, index: object, text: str) -> bool:
        """Whether a fragment begins no call and goes on with none: some hosts end with such a one.

        (trpc-group/trpc-agent-go pull request 745, openclaw/openclaw pull request 34143: a call
        without a name, an id and arguments was run, failed, and the model asked again.)
        """
        known = type(index) is int and index in self._by_index
        return not (id or name or text.strip() or known)

    def call(self, id: str, name: str, index: object, text: str) -> int:
        """The place of the call that goes on; empty texts do not count, an index may be missing.

        `text` is what the fragment adds to the arguments, `{}` for arguments that came whole.
        """
        slot = self._slot(id, name, index if type(index) is int else None, text)
        slot.id = slot.id or id
        slot.name = slot.name or name
        if id:
            self._by_id[id] = slot
        if text:
            slot.balance.add(text)
        return slot.place

    def _slot(self, id: str, name: str, index: int | None, text: str) -> _StreamedCall:
        slot = self._by_id.get(id) if id else None
        if slot is None or not slot.takes(id, name, index, text):
            slot = self._by_index.get(index) if index is not None else None
            if slot is None and index is None and self._slots:
                slot = self._slots[-1]
            if slot is not None and not slot.takes(id, name, index, text):
                slot = None
        if slot is None:
            slot = _StreamedCall(len(self._slots), index)
            self._slots.append(slot)
            if index is not None:
                self._by_index[index] = slot
        return slot
