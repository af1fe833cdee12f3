"""Policy: which losses may happen, and whether the others are logged, collected or refused."""

from __future__ import annotations

import fnmatch
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from math import inf
from time import monotonic
from typing import Literal, TypeAlias

from ..errors import ConfigError, LossRefused
from ..text.redaction import show
from .codes import CODES, rename_codes
from .codes.code import KINDS, LEVELS, WEIGHTS, Kind
from .loss import Loss
from .report import Report

_log = logging.getLogger("dragoman")


# the kinds of losses by which a history is repaired; invented turns are `added`
_STRICT = ("repaired", "turn.first", "turn.last", "turn.bridged")


_PAUSE = 3600.0  # seconds between two lines of one code in the log


class LossLog:
    """When each code was logged last, and in how many requests it occurred since; thread-safe."""

    __slots__ = ("_counts", "_due")

    def __init__(self) -> None:
        self._due: dict[str, float] = {}  # code -> the second from which it is logged again
        self._counts: dict[str, int] = {}

    def take(self, codes: Iterable[str]) -> dict[str, int]:
        """The codes to log now, each with the number of requests since its last line."""
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
    """Which losses may happen. All is judged before anything is returned.

    Args:
        refuse: Kinds or code globs to refuse.
        allow: Kinds or code globs to allow even if `refuse` has them.
        log: Whether to log each code once an hour per formatter or wire, with a count of the
            requests since, at the level of its kind.
        collect: Called with every loss, detached from the history.
        append_only: Whether to refuse what would change a history to which signed thinking is
            bound.
        quiet: Kinds or code globs that are not logged.

    Raises:
        ConfigError: A kind or glob matches no loss.
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
        """A copy that also refuses every repair: of pairs, ids, blanks, and of speakers."""
        return replace(self, refuse=(*self.refuse, *_STRICT))

    def refuses(self, loss: Loss) -> bool:
        """Whether a loss is refused.

        Args:
            loss: The loss.
        """
        bound = self.append_only and loss.code == "thinking.unbound"
        return (bound or _hit(loss, self.refuse)) and not self.allows(loss)

    def allows(self, loss: Loss) -> bool:
        """Whether a loss is allowed even if something refuses it.

        Args:
            loss: The loss.
        """
        return _hit(loss, self.allow)

    def judge(self, report: Report, logged: LossLog | set[str]) -> None:
        """Refuse, collect and log losses.

        Args:
            report: The losses.
            logged: Which codes were logged, and when; with a plain set each code is logged once.

        Raises:
            LossRefused: A loss is refused.
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
        """Log a line for each of the codes: its first loss, and how many more there are.

        `codes` maps each to the number of requests in which it occurred since its last line.
        """
        first: dict[tuple[Kind, str], list[Loss]] = {}
        for loss in by_weight(report.losses):
            if loss.code in codes and not _hit(loss, self.quiet):
                first.setdefault((loss.kind, loss.code), []).append(loss)
        for (kind, code), losses in first.items():
            row = CODES[code]
            level = row.level if kind == row.kind else LEVELS[kind]
            if not _log.isEnabledFor(level):  # to find where a loss is takes time
                continue
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
    """Check kinds and code globs: each must match some loss."""
    codes = (value,) if isinstance(value, str) else value
    if not isinstance(codes, (tuple, list, set, frozenset)):
        raise ConfigError(f"{key} names kinds or codes, not {show(value)}")
    renamed: list[str] = []
    for name in codes:
        names = rename_codes(name) if isinstance(name, str) else ()
        renamed += names
        if not names or not (names[0] in KINDS or fnmatch.filter(CODES, names[0])):
            text = f"the policy names {show(name)}, which is neither a kind nor a known code"
            raise ConfigError(text, hint=f"kinds: {', '.join(KINDS)}; codes such as name.*")
    return tuple(renamed)


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
    """A policy by name.

    Args:
        value: `log`, `ignore`, `refuse` (dropped, degraded and repaired), or `append_only`, which
            logs as `log` does, and refuses to change a history to which thinking is bound; or a
            Policy.
        strict: Whether to refuse repairs, too.

    Raises:
        ConfigError: It is no policy.
    """
    if not isinstance(strict, bool):
        raise ConfigError(f"strict is true or false, not {show(strict)}")
    result = value if isinstance(value, Policy) else _find_policy(value)
    return result.strictly() if strict else result


def _find_policy(value: object) -> Policy:
    try:
        return _NAMED[value]  # type: ignore[index]  # a wrong value raises
    except (KeyError, TypeError):
        hint = 'use "log", "ignore", "refuse", "append_only" or Policy(...)'
        raise ConfigError(f"no policy {show(value)}", hint=hint) from None


def by_weight(losses: Iterable[Loss]) -> list[Loss]:
    """Sort losses by weight, then by kind; equal ones stay in their order.

    Args:
        losses: The losses.

    Returns:
        A new list, with the weightiest losses first.
    """
    return sorted(losses, key=_rank)


def _rank(loss: Loss) -> tuple[int, int]:
    return WEIGHTS.index(loss.weight), KINDS.index(loss.kind)
