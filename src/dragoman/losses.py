"""What could not be said: Loss, the Report that collects it, and the Policy that judges it.

Nodes travel by reference and a path is computed only when somebody reads it. Knows no message:
the walk over a source comes in as a function.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal, TypeAlias

from .codes import CODES, KINDS, Kind
from .errors import ConfigError, LossRefused

__all__ = ["Loss", "Places", "Policy", "PolicyLike", "Report", "policy"]

_log = logging.getLogger("dragoman")
_CAP = 80

Places: TypeAlias = Callable[[Sequence[Any], Any], Iterator[tuple[str, object]]]


class Loss:
    """One thing that the target does not say as it was given, or that was added.

    `code` and `kind` are stable; `where` is a path into the input (`$.messages[3].content[0]`);
    `what` names the thing (capped, never base64), `did` says what was done instead, `rule` why.
    """

    __slots__ = ("_node", "_ordinal", "_report", "_where", "code", "did", "field", "kind", "rule",
                 "target", "what")  # fmt: skip

    def __init__(
        self,
        report: Report,
        code: str,
        kind: Kind,
        node: object,
        field: str = "",
        what: str = "",
        did: str = "",
        rule: str = "",
    ) -> None:
        self._report: Report | None = report
        self._node: object = node
        self._ordinal = 0
        self._where: str | None = None
        self.code = code
        self.kind = kind
        self.field = field
        self.what = str(what)[:_CAP] if what else _name(node)
        self.did = did
        self.rule = rule
        self.target = report.target

    @property
    def where(self) -> str:
        """Path into the input, e.g. `$.messages[3].content[0].source`."""
        if self._where is None:
            report = self._report
            base = report.locate(self._node, self._ordinal) if report is not None else "$"
            self._where = f"{base}.{self.field}" if self.field else base
        return self._where

    @property
    def meaning(self) -> str:
        """What the code means, in a sentence."""
        row = CODES.get(self.code)
        return row.meaning if row else ""

    def detach(self) -> Loss:
        """Store the path as text and let go of the history."""
        _ = self.where
        self._report = None
        self._node = None
        return self

    def to_dict(self) -> dict[str, str]:
        """The loss as JSON."""
        keys = ("code", "kind", "where", "target", "what", "did", "rule")
        return {key: text for key in keys if (text := getattr(self, key))}

    def __repr__(self) -> str:
        return f"Loss({self.kind} {self.code} at {self.where}: {self.what})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loss) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.code, self.where))

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (self.to_dict() | {"field": self.field},)


def _name(node: object) -> str:
    kind = getattr(node, "type", None)
    return kind if isinstance(kind, str) else type(node).__name__


def _revive(stored: dict[str, Any]) -> Loss:
    where = stored.pop("where")
    target = stored.pop("target", "")
    loss = Loss(Report(target=target), stored.pop("code"), stored.pop("kind"), None, **stored)
    loss._where = where
    return loss.detach()


class Report:
    """Collects the losses of one pass through the house; cheap until somebody reads a path.

    `messages` and `request` are the source; `places(messages, request)` walks it and yields
    (path, node). The list is kept as it was at the first loss.
    """

    __slots__ = (
        "_groups",
        "_index",
        "_losses",
        "_made",
        "_messages",
        "_placed",
        "_places",
        "_request",
        "kinds",
        "target",
    )

    def __init__(
        self,
        messages: Sequence[Any] = (),
        request: Any = None,
        places: Places | None = None,
        target: str = "",
    ) -> None:
        self._messages = messages
        self._request = request
        self._places = places
        self._losses: list[Loss] = []
        self._groups: list[tuple[str, Iterable[tuple[object, str, str]]]] = []
        self._made: dict[int, tuple[object, tuple[object, ...]]] = {}
        self._index: dict[int, list[str]] | None = None
        self._placed: dict[int, tuple[object, str]] = {}
        self.target = target
        self.kinds: set[Kind] = set()

    @classmethod
    def of(cls, losses: list[Loss], target: str = "") -> Report:
        """A report of losses that were detached from their history."""
        made = cls(target=target)
        made._losses = losses
        made.kinds = {loss.kind for loss in losses}
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy holds the losses as text: in another process nobody finds the nodes again."""
        return Report.of, (self.losses, self.target)

    def trial(self) -> Report:
        """A report on the same source for a try that may be thrown away."""
        return Report(self._messages, self._request, self._places, self.target)

    def lost(
        self,
        code: str,
        node: object,
        field: str = "",
        what: str = "",
        did: str = "",
        rule: str = "",
        kind: Kind | None = None,
    ) -> None:
        """Name what `node` (or its `field`) loses; `code` decides the kind unless it is given."""
        kind = kind or CODES[code].kind
        if not self.kinds:
            self._messages = tuple(self._messages)
        self.kinds.add(kind)
        self._losses.append(Loss(self, code, kind, node, field, what, did, rule))

    def each(self, code: str, nodes: Iterable[tuple[object, str, str]]) -> None:
        """The same loss for many nodes, (node, field, what), walked only when losses are read."""
        if not self.kinds:
            self._messages = tuple(self._messages)
        self.kinds.add(CODES[code].kind)
        self._groups.append((code, nodes))

    def made(self, new: object, of: object | Sequence[object]) -> None:
        """Remember that `new` was made of a node (or of several): its losses are found there."""
        origin = tuple(of) if isinstance(of, (list, tuple)) else (of,)
        self._made[id(new)] = (new, origin)

    def placed(self, node: object, path: str) -> None:
        """Remember that `node` stands for the text at `path`, which can be no node itself."""
        self._placed[id(node)] = (node, path)

    def source(self, new: object) -> object:
        """The node of the input that `new` was (first) made of; `new` itself if it stands there."""
        while (entry := self._made.get(id(new))) is not None:
            new = entry[1][0]
        return new

    @property
    def losses(self) -> list[Loss]:
        """All losses so far, in the order in which they were found."""
        if self._groups:
            groups, self._groups = self._groups, []
            for code, nodes in groups:
                kind = CODES[code].kind
                self._losses.extend(Loss(self, code, kind, *row) for row in nodes)
        seen: dict[tuple[int, str, str], int] = {}
        for loss in self._losses:
            key = (id(loss._node), loss.code, loss.field)
            loss._ordinal = seen.get(key, 0)
            seen[key] = loss._ordinal + 1
        return list(self._losses)

    def locate(self, node: object, ordinal: int = 0) -> str:
        """The path of a node; of the `ordinal`-th place where it stands more than once."""
        if self._index is None:
            self._index = {}
            if self._places is not None:
                for path, found in self._places(self._messages, self._request):
                    self._index.setdefault(id(found), []).append(path)
        node = self.source(node)
        if (entry := self._placed.get(id(node))) is not None:
            return entry[1]
        paths = self._index.get(id(node))
        return paths[min(ordinal, len(paths) - 1)] if paths else "$"


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be lost: kinds or code globs to refuse, and those to allow all the same.

    `allow` wins over `refuse`. `log` logs each kind once per formatter or wire at its level;
    `collect` takes every loss, detached from the history.
    """

    refuse: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    log: bool = False
    collect: Callable[[Loss], object] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for key in ("refuse", "allow"):
            given = getattr(self, key)
            object.__setattr__(self, key, (given,) if isinstance(given, str) else tuple(given))
        for name in (*self.refuse, *self.allow):
            if name not in KINDS and not any(fnmatchcase(code, name) for code in CODES):
                raise ConfigError(
                    f"the policy names {name!r}, which is neither a kind nor a known code",
                    hint=f"kinds: {', '.join(KINDS)}; codes such as name.*",
                )

    def refuses(self, loss: Loss) -> bool:
        """Whether this loss may not happen."""
        return _hit(loss, self.refuse) and not _hit(loss, self.allow)

    def judge(self, report: Report, logged: set[str]) -> None:
        """Refuse, collect and log; `logged` remembers the kinds that were logged before.

        Raises LossRefused.
        """
        if not report.kinds:
            return
        if self.refuse:
            refused = [loss for loss in report.losses if self.refuses(loss)]
            if refused:
                raise LossRefused(refused)
        if self.collect is not None:
            for loss in report.losses:
                self.collect(loss.detach())
        if self.log and not report.kinds <= logged:
            _write_log(report, logged)


def _hit(loss: Loss, patterns: tuple[str, ...]) -> bool:
    return any(loss.kind == p or fnmatchcase(loss.code, p) for p in patterns)


def _write_log(report: Report, logged: set[str]) -> None:
    for kind in [kind for kind in KINDS if kind in report.kinds and kind not in logged]:
        logged.add(kind)
        losses = [loss for loss in report.losses if loss.kind == kind]
        if not losses:
            continue
        level = max(CODES[loss.code].level for loss in losses)
        if not _log.isEnabledFor(level):
            continue
        first = max(losses, key=lambda loss: CODES[loss.code].level)
        more = f" and {len(losses) - 1} more" if len(losses) > 1 else ""
        _log.log(
            level,
            "%s: %s %s at %s (%s)%s; further ones of this kind are not logged",
            report.target, kind, first.code, first.where, first.meaning, more,
        )  # fmt: skip


PolicyLike: TypeAlias = Policy | Literal["log", "ignore", "refuse"]

_NAMED = {
    "log": Policy(log=True),
    "ignore": Policy(),
    "refuse": Policy(refuse=("dropped", "degraded", "repaired")),
}


def policy(value: PolicyLike) -> Policy:
    """A policy by name: `log`, `ignore`, or `refuse` (dropped, degraded and repaired)."""
    if isinstance(value, Policy):
        return value
    try:
        return _NAMED[value]
    except (KeyError, TypeError):
        raise ConfigError(
            f"no policy {value!r}", hint='use "log", "ignore", "refuse" or Policy(...)'
        ) from None
