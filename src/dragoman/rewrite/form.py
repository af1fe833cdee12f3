r"""The form of a merged history's lines: what stands before a text and behind it.

Worked out once for each template. `\1` stands for the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter as Parser

from ..errors import ConfigError
from ..shown import shown
from .guard import RARE, Guard
from .looks import BREAKS, alike, look

__all__ = ["Form", "fields_of", "form_of", "known_names", "lead_form", "must_be_text"]


_TAG = re.compile(r"<\s*/?\s*([^\s<>/\\]+)")


@dataclass(frozen=True, slots=True)
class Form:
    """`lead` and `tail` around a text, and what no text may look like."""

    lead: str
    tail: str
    guard: Guard

    def lead_of(self, name: str) -> str:
        """What stands before a text of this speaker."""
        return self.lead.replace("\1", name)

    def tail_of(self, name: str) -> str:
        """What stands behind it."""
        return self.tail.replace("\1", name)


@lru_cache(maxsize=64)
def form_of(opening: str, closing: str, line: str) -> Form:
    """The form of lines like `line` between `opening` and `closing`. Raises ConfigError."""
    fields = fields_of(line)
    if fields.count("text") != 1 or set(fields) - {"name", "text"}:
        raise ConfigError(
            f"the line {line!r} must hold {{text}} once, and may hold {{name}}", code="history.line"
        )
    lead, _, tail = line.format(name="\1", text="\0").partition("\0")
    return _form(lead, tail, f"{opening}\n{closing}")


@lru_cache(maxsize=64)
def lead_form(tag: str) -> Form:
    """The form of texts that only begin with `tag`. Raises ConfigError."""
    if set(fields_of(tag)) - {"name"}:
        raise ConfigError(f"the tag {tag!r} may hold {{name}} alone", code="history.line")
    return _form(tag.format(name="\1"), "", "")


def fields_of(template: str) -> list[str]:
    """The fields of a template. Raises ConfigError if it is none, or wants a field in a format."""
    try:
        parsed = list(Parser().parse(template))
    except ValueError as error:
        raise ConfigError(f"{template!r}: {error}", code="history.template") from None
    if any(spec or conversion for _, _, spec, conversion in parsed):
        raise ConfigError(f"{template!r} must take its fields as they are", code="history.template")
    return [name for _, name, _, _ in parsed if name is not None]


def must_be_text(of: object, *fields: str) -> None:
    """Raise ConfigError unless each of these fields is text."""
    for field in fields:
        if not isinstance(value := getattr(of, field), str):
            raise ConfigError(f"{field} must be text, not {shown(value)}", code="history.value")


def known_names(given: Iterable[str], me: str | None) -> tuple[str, ...]:
    """Names of speakers, one or several. Raises ConfigError for what is no name."""
    names = (given,) if isinstance(given, str) else given
    listed = tuple(names) if isinstance(names, Iterable) else (names,)
    for name in listed if me is None else (me, *listed):
        if not isinstance(name, str):
            raise ConfigError(f"a speaker's name is text, not {shown(name)}", code="history.value")
    return listed


def _form(lead: str, tail: str, frame: str) -> Form:
    guard = _guard(frame, lead)
    if guard.before.startswith("\\"):
        raise ConfigError(
            "a line may not begin with a backslash, which says that it is none",
            code="history.line",
        )
    return Form(lead, tail, guard)


def _guard(frame: str, lead: str) -> Guard:
    r"""The guard of a frame's texts, and of lines that begin with `lead`: `\1` for the name.

    A mark of `frame` is a tag that it holds, opened or closed, or else a whole line of it.
    """
    rests: dict[str, dict[str, None]] = {}
    for line in frame.splitlines():
        tags = [look(tag) for tag in _TAG.findall(line)]
        for tag in tags:
            rests.setdefault("<", {})[f"/?{re.escape(tag)}"] = None
        whole = look(line).lstrip("\\")
        if not tags and len(whole) > 1:
            rests.setdefault(whole[0], {})[re.escape(whole[1:])] = None
    marks = [rf"{re.escape(first)}\\*(?={'|'.join(rest)})" for first, rest in rests.items()]
    firsts = sorted({one for first in rests for one in alike(first)})
    head, named, tail = lead.partition("\1")  # nobody sees this sign, so that it has no look
    before = look(head).rpartition("\n")[2]
    after = look(tail.partition("\1")[0]).partition("\n")[0]
    return Guard(
        re.compile("|".join(marks)) if marks else None,
        tuple(one for one in firsts if one.isascii()),
        (*RARE, *(one for one in firsts if not one.isascii())),
        _lines("\n", after) if named else None,
        _lines(BREAKS, after),
        before,
        after,
        look(tail).endswith("\n"),
        tuple(alike(after[0])) if after else (),
        bool(named) and len(after) == 1 and not before,
        not any(map(str.isalnum, (*firsts, *after))),
    )


def _lines(breaks: str, after: str) -> re.Pattern[str]:
    """What stands at the beginning of a line, up to the first sign that may end a name."""
    if not after:
        return re.compile(f"[{breaks}]()")
    ends = "".join(map(re.escape, alike(after[0])))
    return re.compile(f"[{breaks}]([^{breaks}{ends}]*+)[{ends}]")
