"""Policy: which losses may happen, and what becomes of the others: logged, collected, refused."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from math import inf
from time import monotonic
from typing import Literal, TypeAlias

from ..errors import ConfigError, LossRefused
from ..text.redaction import show
from .codes import CODES
from .codes.code import KINDS, LEVELS, Kind
from .loss import Loss, Report, by_weight

_log = logging.getLogger("dragoman")


# what a history must be without that needs no repair; turns that are made up are `added`
_STRICT = ("repaired", "turn.first", "turn.last", "turn.bridged")


_PAUSE = 3600.0  # seconds between two lines of one code: a service runs for weeks


class LossLog:
    """When each code was logged last, and in how many requests it was lost since. For threads."""

    __slots__ = ("_counts", "_due")

    def __init__(self) -> None:
        self._due: dict[str, float] = {}  # code -> the second from which on it is logged again
        self._counts: dict[str, int] = {}

    def take(self, codes: Iterable[str]) -> dict[str, int]:
        """Those that are to be logged now, each with the requests that were counted since."""
        now = monotonic()
        due: dict[str, int] = {}
        for code in codes:
            if now < self._due.get(code, -inf):
                self._counts[code] = self._counts.get(code, 0) + 1
            else:
                self._due[code] = now + _PAUSE
                due[code] = self._counts.pop(code, 0)
        return due


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be lost: kinds or code globs to refuse, and those to allow all the same.

    `allow` wins over `refuse`. `log` logs each code once an hour per formatter or wire, with a
    count of the requests since, at the level of its kind, but for the codes and kinds of `quiet`;
    `collect` takes every loss, detached from the history. `append_only` refuses what would change a
    history that signed thinking is bound to. All of it happens before anything is returned.
    """

    refuse: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    log: bool = False
    collect: Callable[[Loss], object] | None = field(default=None, compare=False)
    append_only: bool = False
    quiet: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for key in ("refuse", "allow", "quiet"):
            object.__setattr__(self, key, _patterns(key, getattr(self, key)))
        for key in ("log", "append_only"):
            if not isinstance(getattr(self, key), bool):
                raise ConfigError(f"{key} is true or false, not {show(getattr(self, key))}")
        if self.collect is not None and not callable(self.collect):
            raise ConfigError(f"collect is called with each loss; {show(self.collect)} cannot be")

    def strictly(self) -> Policy:
        """The same, and nothing is repaired: neither pairs, ids and blanks, nor who may speak."""
        return replace(self, refuse=(*self.refuse, *_STRICT))

    def refuses(self, loss: Loss) -> bool:
        """Whether this loss may not happen."""
        bound = self.append_only and loss.code == "thinking.unbound"
        return (bound or _hit(loss, self.refuse)) and not self.allows(loss)

    def allows(self, loss: Loss) -> bool:
        """Whether this loss may happen whatever refuses it."""
        return _hit(loss, self.allow)

    def judge(self, report: Report, logged: LossLog | set[str]) -> None:
        """Refuse, collect and log; `logged` remembers which codes were logged, and when.

        With a plain set each code is logged once.

        Raises LossRefused.
        """
        if not report.kinds:
            return
        if self.refuse or self.append_only:
            refused = [loss for loss in report.losses if self.refuses(loss)]
            if refused:
                raise LossRefused(by_weight(refused))
        if self.collect is not None:
            for loss in report.losses:
                self.collect(loss.detach())
        if not self.log:
            return
        if isinstance(logged, LossLog):
            due = logged.take(report.codes)
        else:
            due = dict.fromkeys(report.codes - logged, 0)
            logged.update(due)
        if due:
            self._write_log(report, due)

    def _write_log(self, report: Report, codes: Mapping[str, int]) -> None:
        """A line for each of the codes: its first loss, and how many more there are.

        `codes`: in how many requests each was lost since its last line.
        """
        first: dict[tuple[Kind, str], list[Loss]] = {}
        for loss in by_weight(report.losses):
            if loss.code in codes and not _hit(loss, self.quiet):
                first.setdefault((loss.kind, loss.code), []).append(loss)
        for (kind, code), losses in first.items():
            row = CODES[code]
            level = row.level if kind == row.kind else LEVELS[kind]
            more = f" and {len(losses) - 1} more" if len(losses) > 1 else ""
            since = f"; {codes[code]} more requests since the last line" if codes[code] else ""
            _log.log(
                level,
                "%s: %s %s at %s (%s)%s%s; further ones of this code are counted for an hour",
                report.target,
                kind,
                code,
                losses[0].where,
                row.meaning,
                more,
                since,
            )


def _patterns(key: str, value: object) -> tuple[str, ...]:
    """Kinds and code globs, each of which some loss bears."""
    codes = (value,) if isinstance(value, str) else value
    if not isinstance(codes, (tuple, list, set, frozenset)):
        raise ConfigError(f"{key} names kinds or codes, not {show(value)}")
    for name in codes:
        if not isinstance(name, str) or not (
            name in KINDS or any(fnmatchcase(code, name) for code in CODES)
        ):
            text = f"the policy names {show(name)}, which is neither a kind nor a known code"
            raise ConfigError(text, hint=f"kinds: {', '.join(KINDS)}; codes such as name.*")
    return tuple(codes)


def _hit(loss: Loss, patterns: tuple[str, ...]) -> bool:
    return any(loss.kind == p or fnmatchcase(loss.code, p) for p in patterns)


PolicyLike: TypeAlias = Policy | Literal["log", "ignore", "refuse", "append_only"]


_NAMED = {
    "log": Policy(log=True),
    "ignore": Policy(),
    "refuse": Policy(refuse=("dropped", "degraded", "repaired")),
    "append_only": Policy(log=True, append_only=True),
}


def policy(value: PolicyLike, strict: bool = False) -> Policy:
    """A policy by name: `log`, `ignore`, `refuse` (dropped, degraded and repaired), `append_only`.

    `append_only` logs as `log` does, and refuses to change a history that thinking is bound to.
    `strict` refuses repairs beside what the policy refuses already.
    """
    if not isinstance(strict, bool):
        raise ConfigError(f"strict is true or false, not {show(strict)}")
    result = value if isinstance(value, Policy) else _find_policy(value)
    return result.strictly() if strict else result


def _find_policy(value: object) -> Policy:
    try:
        return _NAMED[value]  # type: ignore[index]  # or it is no name
    except (KeyError, TypeError):
        hint = 'use "log", "ignore", "refuse", "append_only" or Policy(...)'
        raise ConfigError(f"no policy {show(value)}", hint=hint) from None
