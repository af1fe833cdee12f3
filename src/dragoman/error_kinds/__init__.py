"""What went wrong at a provider, as one of a few kinds that all providers share.

`kinds` has the kinds, and the codes and types that mean them; `rows` the table of error messages,
with the host of each, the date and the source; `row` how one is matched. The table is loaded only
when an error comes whose code is not specific enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..caches import remember
from .kinds import (
    VAGUE,
    WEAK,
    ErrorKind,
    fitting_status,
    kind_of_name,
    kind_of_status,
    plain_word,
    usual_status,
)
from .row import LONGEST, ErrorRow, Numbers, code_rows, numbers_in

__all__ = [
    "ErrorKind",
    "ErrorRow",
    "Numbers",
    "code_rows",
    "error_kind",
    "error_numbers",
    "error_words",
    "fitting_status",
    "host_kind",
    "table",
    "usual_status",
]

# where bodies have more than the message: the text that a router passes on, a reason
_PLACES = frozenset(
    {
        "message",
        "msg",
        "raw",
        "reason",
        "param",
        "detail",
        "error",
        "errors",
        "details",
        "metadata",
        "innererror",
        "code",
        "response",
    }
)
_DEPTH = 6
_NODES = 64


def error_kind(code: str, type: str, status: int | None, message: str = "") -> ErrorKind:
    """The kind of an error, of any host.

    The most specific evidence comes first: rows that name a code, a name that means the same at
    every host, the message, and last a vague name and the status.

    Args:
        code: The provider's code, as text.
        type: The provider's type.
            status: The HTTP status, None if there is none.
            message: The error's message; only its first 4,096 characters count.

    Returns:
        The kind; "other" for an error of no known kind.

    >>> error_kind("context_length_exceeded", "invalid_request_error", 400)
    'context_overflow'
    >>> error_kind("", "invalid_request_error", 400, "prompt is too long: 9 tokens > 8 maximum")
    'context_overflow'
    >>> error_kind("", "ThrottlingException", None, "Too many tokens, please wait")
    'rate_limit'
    """
    names = (plain_word(code), plain_word(type))
    words = message[:LONGEST].lower()
    named, sentences = table() if words else ((), ())
    if found := _first(named, names, status, words):
        return found
    by_status = kind_of_status(status)
    named_kinds = (kind_of_name(word) for word in (code, type))
    known = [kind for kind in named_kinds if kind is not None and _may(kind, by_status)]
    for kind in known:
        if kind not in WEAK and not _is_status(code, kind):
            # some hosts report an empty account as a rate limit, but waiting would not help
            if kind == "rate_limit" and by_status == "billing":
                return "billing"
            unpaid = kind == "rate_limit" and _first(_billing(), names, status, words)
            return unpaid or kind
    for row in sentences:
        if _may(row.kind, by_status) and row.matches(names, status, words):
            return row.kind
    return _vague(known, by_status, status)


def host_kind(
    rows: Sequence[ErrorRow], code: str, type: str, status: int | None, message: str
) -> ErrorKind | None:
    """The kind of an error by the rows of one host, whose codes mean nothing elsewhere.

    Args:
        rows: The rows of the host.
        code: The provider's code, as text.
        type: The provider's type.
        status: The HTTP status, None if there is none.
        message: The error's message.

    Returns:
        The kind; None if no row matches.
    """
    names = (plain_word(code), plain_word(type))
    return _first(rows, names, status, message[:LONGEST].lower())


def error_words(message: str, body: object) -> str:
    r"""The message of an error with further text from its body, at most 4,096 characters.

    A router's body has the text of the host that answered, Google's a reason among its details,
    Xiaomi's the message under `param`. Fields that may repeat the request are not looked at.

    Args:
        message: The error's message.
        body: The error's body, parsed.

    >>> error_words("Provider returned error", {"error": {"metadata": {"raw": "too long"}}})
    'Provider returned error\ntoo long'
    """
    if not isinstance(body, (dict, list)):
        return message[:LONGEST]
    parts = [message]
    size = len(message)
    waiting: list[tuple[object, int]] = [(body, 0)]
    for _ in range(_NODES):
        if not waiting or size > LONGEST:
            break
        node, depth = waiting.pop(0)
        if isinstance(node, str):
            if node not in message:
                parts.append(node[:LONGEST])
                size += len(parts[-1]) + 1
        elif depth < _DEPTH and isinstance(node, dict):
            waiting += [(node[key], depth + 1) for key in node if key in _PLACES]
        elif depth < _DEPTH and isinstance(node, list):
            waiting += [(value, depth + 1) for value in node[:8]]
    return "\n".join(parts)[:LONGEST]


def error_numbers(message: str) -> Numbers:
    """The numbers in an error about a full context: the tokens of the request, and the limit.

    Args:
        message: The error's message.
    """
    named, sentences = table()
    return numbers_in((*named, *sentences), message[:LONGEST].lower())


@remember("the rows of errors, by whether they name a code", entries=1, size=2**14)
def table() -> tuple[tuple[ErrorRow, ...], tuple[ErrorRow, ...]]:
    """The rows that name a code, and those with only a message, each in their order."""
    from .rows import ROWS

    named = tuple(row for row in ROWS if row.code)
    return named, tuple(row for row in ROWS if not row.code)


@remember("the rows of accounts that are empty", entries=1, size=2**12)
def _billing() -> tuple[ErrorRow, ...]:
    return tuple(row for row in table()[1] if row.kind == "billing")


def _first(
    rows: Iterable[ErrorRow], names: tuple[str, ...], status: int | None, words: str
) -> ErrorKind | None:
    return next((row.kind for row in rows if row.matches(names, status, words)), None)


def _is_status(code: str, kind: ErrorKind) -> bool:
    """Whether the code is a status that gives this kind; then the message counts more."""
    return code.isdigit() and kind_of_name(code) == kind


def _may(kind: ErrorKind, by_status: ErrorKind | None) -> bool:
    """Whether a message may mean this kind with such a status: a rate limit is no long request.

    (Cerebras: 429 too_many_tokens_error, of a day's tokens.)
    """
    if kind != "context_overflow":
        return True
    return by_status not in ("rate_limit", "overloaded", "authentication", "billing", "permission")


def _vague(
    known: Sequence[ErrorKind], by_status: ErrorKind | None, status: int | None
) -> ErrorKind:
    specific = [kind for kind in known if kind not in VAGUE]
    if specific:
        return specific[0]
    if by_status is not None and by_status not in VAGUE:
        return by_status
    if known:
        return known[0]
    if by_status is None and status is not None and status >= 400:
        return "invalid" if status < 500 else "server"
    return by_status or "other"
