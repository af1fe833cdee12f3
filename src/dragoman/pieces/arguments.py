"""The arguments of a call, parsed once at its end, and a view of them while they arrive.

Knows no provider: argument text is JSON that may be cut, doubled, wrapped or wrong.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

from ..errors import ReadError
from ..jsontext import Json, loads, too_deep

__all__ = ["Balance", "closing", "cut", "parsed", "partial", "several"]

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


_DEEP = 200  # levels; no tool takes as many
_LENIENT = json.JSONDecoder(strict=False, parse_constant=_number, parse_float=_number)


def parsed(text: str) -> Json:
    """The object that the text spells; the text itself if it spells none, or one too deep for us.

    Blank text and null are no arguments; JSON inside a JSON string is unwrapped; control
    characters inside strings are let pass.
    """
    try:
        value = loads(text)
    except ReadError:
        if not text or text.isspace():
            return {}
        value = _lenient(text)
    if type(value) is dict and len(text) <= _DEEP:
        return value
    if type(value) is str and value is not text:
        try:
            value = loads(value)
        except ReadError:
            return text
    if value is None:
        return {}
    if type(value) is not dict or (_nests(text) and too_deep(value, _DEEP)):
        return text
    return value


def _nests(text: str) -> bool:
    return text.count("{") + text.count("[") > _DEEP


def _lenient(text: str) -> Any:
    try:
        return _LENIENT.decode(text)
    except (ValueError, RecursionError):
        return text


def several(text: str) -> list[str]:
    """The objects of a text that holds more than one of them, each as text; else nothing.

    Equal ones that follow each other are one: some servers send the whole arguments again.
    """
    found: list[str] = []
    at = 0
    try:
        while at < len(text):
            value, end = _LENIENT.raw_decode(text, at)
            if type(value) is not dict:
                return []
            if not found or text[at:end] != found[-1]:
                found.append(text[at:end])
            at = end
            while at < len(text) and text[at].isspace():
                at += 1
    except (ValueError, RecursionError):
        return []
    return found


def cut(text: str) -> bool:
    """Whether the text ends inside a JSON value: an open string, object or list."""
    closing, _, inside = _open(text)
    return inside or bool(closing)


def closing(text: str) -> str:
    """What has to follow for everything to be closed that the text opens."""
    brackets, _, inside = _open(text)
    return f'"{brackets}' if inside else brackets


def partial(text: str) -> Json:
    """What the text says so far: `{"city": "Sam` is `{"city": "Sam"}`. Linear in the text.

    A member whose value has not come is left out; what is no JSON at all stays text.
    """
    closing, safe, inside = _open(text)
    if not (closing or inside):
        return parsed(text)
    if inside:
        text = _without_half(text)
    made = [f'{text}"', f'{_HALF_ESCAPE.sub("", text)}"'] if inside else [text]
    for whole in (*made, text[:safe]):
        try:
            return loads(whole + closing)
        except ReadError:
            continue
    return text


def _without_half(text: str) -> str:
    """The text without the first half of a character whose second has not come."""
    if "\ud800" <= text[-1:] <= "\udbff":
        return text[:-1]
    return _HIGH_ESCAPE.sub(r"\1", text) if text[-6:-4] == "\\u" else text


def _open(text: str) -> tuple[str, int, bool]:
    """(what would close the text, up to where it is whole, whether it ends inside a string)."""
    stack: list[str] = []
    at = safe = 0
    while (found := _TOKEN.search(text, at)) is not None:
        sign = found[0]
        at = found.end()
        if sign == '"':
            end = _STRING_END.match(text, at)
            if end is None:
                return "".join(reversed(stack)), safe, True
            at = end.end()
        elif sign == ",":
            safe = at - 1
        else:
            if sign in "{[":
                stack.append("}" if sign == "{" else "]")
            elif stack:
                stack.pop()
            safe = at
    return "".join(reversed(stack)), safe, False


class Balance:
    """Whether argument text that grows is one whole value by now. Linear, however often asked."""

    __slots__ = ("_at", "_depth", "_escaped", "_inside", "_texts")

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._at = 0  # how many texts were looked at
        self._depth = 0
        self._inside = self._escaped = False

    def add(self, text: str) -> None:
        """One more piece."""
        self._texts.append(text)

    @property
    def whole(self) -> bool:
        """Whether everything that was opened is closed, and something was opened."""
        for text in self._texts[self._at :]:
            self._look(text)
        self._at = len(self._texts)
        return self._depth == 0 and not self._inside and bool(self._texts)

    def _look(self, text: str) -> None:
        if self._escaped and text:
            text = text[1:]
        for sign in _SIGNS.findall(text):
            if sign == '"':
                self._inside = not self._inside
            elif not self._inside:
                self._depth += (sign in "{[") - (sign in "}]")
        self._escaped = self._inside and (len(text) - len(text.rstrip("\\"))) % 2 == 1
