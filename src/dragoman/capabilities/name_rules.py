"""Which ids and names a wire accepts, and how others are respelled: a pure, reversible map.

A rule has the characters and the length; a longer name is cut and gets a hash. Values that a rule
accepts are unchanged, and two values never become one. Knows no wire: the rules of each protocol
(how long a tool name may be, which characters an id has) are in `protocols/*/capabilities.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from .._old_names import keeps_old_names
from ..caches import remember

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PAIRS = [first + second for second in _ALPHABET for first in _ALPHABET]
_NINE = 62**9


@keeps_old_names
@dataclass(frozen=True, slots=True)
class IdRule:
    """Which call ids a wire accepts.

    Args:
        chars: A regex class of the characters that it accepts, or with a leading `^` refuses;
            empty: it accepts all.
        max: The largest number of characters; 0: any.
        min: The smallest number of characters.
        exact: The only number of characters; 0: any.
        unique: Whether an id may be used once per request only.
        start: The characters that the first one may be.
        blank: Whether a call may have no id.
        form: How a model spells the ids that it reads, with the tool's `{name}` and the number
            `{n}` of its call in the history.
    """

    chars: str = ""
    max: int = 0
    min: int = 0
    exact: int = 0
    unique: bool = False
    start: str = ""
    blank: bool = False
    form: str = ""

    def matches_form(self, values: Iterable[str]) -> bool:
        """Whether every id has the rule's form, with any name and number.

        Args:
            values: The ids.
        """
        return not self.form or all(map(_compile_form(self.form).fullmatch, values))

    def fits(self, values: Iterable[str]) -> bool:
        """Whether every value may be sent unchanged; all are checked in one pass, joined.

        Args:
            values: The ids or names.
        """
        listed = values if isinstance(values, list) else list(values)
        sizes = {*map(len, listed)}
        if 0 in sizes or (self.max and sizes and max(sizes) > self.max):
            return False
        if self.exact and not sizes <= {self.exact}:
            return False
        if self.min and sizes and min(sizes) < self.min:
            return False
        if self.start and not _only(self.start).match("".join(value[0] for value in listed)):
            return False
        return not self.chars or _only(self.chars).match("".join(listed)) is not None

    def takes(self, value: str) -> bool:
        """Whether one value may be sent unchanged.

        Args:
            value: The id or name.
        """
        if not value or (self.max and len(value) > self.max) or len(value) < self.min:
            return False
        if self.exact and len(value) != self.exact:
            return False
        if self.start and not _only(self.start).match(value[0]):
            return False
        return not self.chars or _only(self.chars).match(value) is not None


@dataclass(frozen=True, slots=True)
class NameRule(IdRule):
    """Which names a wire accepts; the defaults are what nearly all wires take for tools."""

    chars: str = r"a-zA-Z0-9_\-"
    max: int = 64


@remember("patterns of the characters of names and ids", entries=64, size=8192)
def _only(chars: str) -> re.Pattern[str]:
    return re.compile(rf"[{chars}]*\Z")


@remember("patterns of the forms of ids", entries=64, size=8192)
def _compile_form(form: str) -> re.Pattern[str]:
    pattern = re.escape(form).replace(r"\{name\}", "[^:]+").replace(r"\{n\}", "[0-9]+")
    return re.compile(pattern)


@remember("patterns of what names and ids may not hold", entries=64, size=8192)
def _others(chars: str) -> re.Pattern[str]:
    return re.compile(rf"[{chars[1:]}]" if chars.startswith("^") else rf"[^{chars}]")


def mapping(
    values: Iterable[str], rule: IdRule, taken: Iterable[str] = (), *, ordered: bool = False
) -> dict[str, str]:
    """Value -> spelling, for the values that the rule refuses or that are `taken`.

    Other values are unchanged. But if the values are `ordered`, one may have to give way to the
    spelling of an earlier value, so that no spelling depends on what follows.

    >>> mapping(["a.b c", "a_b_c"], NameRule())
    {'a.b c': 'a_b_c_mjWMZH'}
    >>> mapping(["a.b c", "a_b_c"], NameRule(), ordered=True)
    {'a.b c': 'a_b_c', 'a_b_c': 'a_b_c_rOkpxG'}
    """
    listed = values if isinstance(values, list) else list(values)
    used_names = set(taken)
    if rule.fits(listed) and (not used_names or used_names.isdisjoint(listed)):
        return {}
    distinct = list(dict.fromkeys(listed))
    if rule.exact and not used_names and rule.exact not in {*map(len, distinct)}:
        # all are hashes, which are almost never alike
        spellings = [_digest(value, rule.exact) for value in distinct]
        if len({*spellings}) == len(spellings) and rule.fits(spellings):
            return dict(zip(distinct, spellings, strict=True))
    fitting = {value for value in distinct if rule.takes(value)}
    if not ordered:
        distinct.sort(key=lambda value: value not in fitting)
    spelled: dict[str, str] = {}
    for value in distinct:
        spelling = value if value in fitting else _spell_value(value, rule)
        salt = value
        while spelling in used_names or not rule.takes(spelling):
            spelling = _add_hash(value, salt, rule)
            salt += "\0"
        used_names.add(spelling)
        if spelling != value:
            spelled[value] = spelling
    return spelled


def number_value(value: str, number: int, taken: set[str], rule: IdRule) -> tuple[str, int]:
    """Another spelling for the `number` use of a value that the rule accepts only once.

    Returns it with its number, the first free one from `number` on. The value itself may be one
    that the rule refuses, such as an id from its provider.
    """
    base = _clean(value or "call", rule)
    while (spelled := _nth(base, number, rule)) in taken or not rule.takes(spelled):
        number += 1
    return spelled, number


def _nth(value: str, number: int, rule: IdRule) -> str:
    tail = f"_{number}"
    if rule.takes(f"{value}{tail}"):
        return f"{value}{tail}"
    if rule.exact or rule.min or (rule.chars and not _only(rule.chars).match(tail)):
        return _digest(f"{value}\0{number}", rule.exact or rule.min or rule.max or 12)
    return f"{value[: rule.max - len(tail) if rule.max else None]}{tail}"


def format_id(name: str, number: int, taken: set[str], rule: IdRule) -> tuple[str, int]:
    """The id of the `number` call in the form of the rule, or of the next free number."""
    while (spelled := rule.form.format(name=name, n=number)) in taken:
        number += 1
    return spelled, number


def _spell_value(value: str, rule: IdRule) -> str:
    if rule.exact or len(value) < rule.min:
        return _digest(value, rule.exact or rule.min)
    spelling = _clean(value, rule)
    # a name without any accepted character gets a hash, which distinguishes it from others
    return spelling if any(map(str.isalnum, spelling)) else ""


def _clean(value: str, rule: IdRule) -> str:
    clean = _others(rule.chars).sub("_", value) if rule.chars else value
    return f"_{clean}" if rule.start and not _only(rule.start).match(clean[:1]) else clean


def _add_hash(value: str, salt: str, rule: IdRule) -> str:
    clean = _clean(value, rule)
    tail = _digest(salt, 6)
    if rule.exact or rule.min:
        return _digest(f"{salt}\0", rule.exact or rule.min)
    return f"{clean[: rule.max - 7] if rule.max else clean}_{tail}"


@remember("hashes of ids and names", entries=4096, longest=64, size=64)
def _digest(value: str, length: int) -> str:
    digest = blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    # only so much of the number is used, and small numbers divide faster
    if length == 9:  # the ids of a whole history, one by one
        number, first = divmod(int.from_bytes(digest) % _NINE, 3844)
        number, second = divmod(number, 3844)
        number, third = divmod(number, 3844)
        last, fourth = divmod(number, 3844)
        return _PAIRS[first] + _PAIRS[second] + _PAIRS[third] + _PAIRS[fourth] + _ALPHABET[last]
    number = int.from_bytes(digest) % 62**length
    text = ""
    for _ in range(length >> 1):
        number, rest = divmod(number, 3844)
        text += _PAIRS[rest]
    return text + _ALPHABET[number] if length & 1 else text
