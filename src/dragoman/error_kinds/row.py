"""One row of the table of errors: how a host words a failure, and what it means.

A pattern is plain text in lower case. `{tokens}`, `{limit}`, `{output}` and `{n}` match numbers:
those of the request, of the model's limit, of the requested answer, any other. `*` matches any text
between, up to 300 characters. Matching takes time in proportion to the text: what has matched is
never tried in another way, and no gap is longer than that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..caches import remember
from .kinds import ErrorKind, plain_word

LONGEST = 4096  # characters of a message that are looked at
_GAP = 300
_NUMBER = "[0-9]{1,15}+(?:[,_][0-9]{3}){0,4}+"
_TOKEN = re.compile(r"\{(tokens|limit|output|n)\}|(\*)")


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """How hosts word one kind of failure. An error matches if it has everything the row names.

    Attributes:
        kind: What it means.
        text: The pattern of the message; see the module.
        hosts: The vendors that were seen to say it. A message means the same from any host, since
            proxies and routers pass it on; codes are matched at the vendor of the row.
        since: When it was seen, or looked up.
        code: The provider's code or type. Differences in spelling (`_`, `-`, capital letters, a
            final `Error`) do not matter.
        status: The HTTP status.
        source: Where it was seen or is documented.
    """

    kind: ErrorKind
    text: str
    hosts: tuple[str, ...]
    since: str
    source: str
    code: str = ""
    status: int = 0

    def matches(self, names: tuple[str, ...], status: int | None, words: str) -> bool:
        """Whether an error matches this row.

        Args:
            names: The error's code and type, as `plain_word` spells them.
            status: The HTTP status, if it is known.
            words: The error's message, in lower case, at most LONGEST characters.
        """
        if self.status and self.status != status:
            return False
        if self.code and plain_word(self.code) not in names:
            return False
        return not self.text or pattern(self.text).search(words) is not None


def code_rows(
    host: str, since: str, source: str, kinds: Mapping[ErrorKind, str]
) -> tuple[ErrorRow, ...]:
    """Rows of codes that have a meaning at one host only.

    Args:
        host: The vendor.
        since: When they were looked up.
        source: Where.
        kinds: The codes that mean a kind, with spaces between.

    >>> [row.code for row in code_rows("x", "2026-11-28", "docs", {"billing": "1008 2056"})]
    ['1008', '2056']
    """
    return tuple(
        ErrorRow(kind, "", (host,), since, source, code)
        for kind, codes in kinds.items()
        for code in codes.split()
    )


class Numbers(NamedTuple):
    """Numbers in an error about length.

    Attributes:
        tokens: The tokens of the request.
        limit: The largest number that is allowed.
        output: The tokens of the answer that was asked for.
    """

    tokens: int | None = None
    limit: int | None = None
    output: int | None = None


@remember("the expressions of rows of errors", entries=512, longest=512, size=2**13)
def pattern(text: str) -> re.Pattern[str]:
    """The expression of a row's pattern.

    >>> pattern("prompt is too long: {tokens} tokens > {limit} maximum").search(
    ...     "prompt is too long: 213462 tokens > 200000 maximum")["limit"]
    '200000'
    """
    parts: list[str] = []
    place = 0
    gaps = 0  # not closed yet
    seen: set[str] = set()

    def add(part: str) -> None:
        nonlocal gaps
        if part:
            parts.append(part + ")" * gaps)  # an atomic group, which is never tried in another way
            gaps = 0

    for match in _TOKEN.finditer(text):
        add(re.escape(text[place : match.start()]))
        place = match.end()
        name = match[1]
        if name is None:
            parts.append(rf"(?>[\s\S]{{0,{_GAP}}}?")
            gaps += 1
        elif name == "n" or name in seen:
            add(_NUMBER)
        else:
            seen.add(name)
            add(f"(?P<{name}>{_NUMBER})")
    add(re.escape(text[place:]))
    return re.compile("".join(parts))


def numbers_in(rows: Iterable[ErrorRow], words: str) -> Numbers:
    """The numbers in an error's message, by the first of the rows that finds any."""
    for row in rows:
        if "{tokens}" not in row.text and "{limit}" not in row.text:
            continue
        if found := pattern(row.text).search(words):
            named = found.groupdict()
            return Numbers(*(_number(named.get(name)) for name in Numbers._fields))
    return Numbers()


def _number(text: str | None) -> int | None:
    return None if text is None else int(text.replace(",", "").replace("_", ""))
