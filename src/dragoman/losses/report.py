"""Report: collects the losses of one pass through the house, and finds their places on request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..codes import CODES, Kind
from .loss import Loss

__all__ = ["Field", "InBody", "Places", "Report"]

_HEAD = re.compile(r"\w+")
Places: TypeAlias = Callable[[Sequence[Any], Any], Iterator[tuple[str, object]]]


class Field(NamedTuple):
    """One field of a node, where `places` knows its path: it is not `<path of the node>.<name>`."""

    node: object
    name: str


class InBody(NamedTuple):
    """A node that stands at its path in the body that was read: so do the fields of its issuer."""

    node: object


class Report:
    """Collects the losses of one pass through the house; cheap until somebody reads a path.

    `messages` and `request` are the source; `places(messages, request)` walks it and yields
    (path, node). The list is kept as it was at the first loss. `rules(code, field, kind)` gives the
    rule that decides a loss on this field of this type of node, with its source and date; it is
    asked when somebody reads `Loss.rule`.
    """

    __slots__ = (
        "_detached",
        "_fields",
        "_groups",
        "_in_body",
        "_index",
        "_made",
        "_messages",
        "_ordinals",
        "_placed",
        "_places",
        "_request",
        "_rows",
        "_rules",
        "_seen",
        "edits",
        "kinds",
        "rules",
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
        # values, no losses: those point back here, and a circle is freed late
        self._rows: list[tuple[str, Kind, object, str, str, str, str]] = []
        self._detached: list[Loss] = []
        self._groups: list[tuple[str, Iterable[tuple[object, str, str]]]] = []
        self._ordinals: list[int] = []  # of the rows, which of the places of its node is its own
        self._seen: dict[tuple[int, str, str], int] = {}
        self._made: dict[int, tuple[object, tuple[object, ...]]] = {}
        self._index: dict[int, list[str]] | None = None
        self._fields: dict[tuple[int, str], str] = {}
        self._in_body: set[int] = set()
        self._placed: dict[int, tuple[object, str]] = {}
        self._rules: dict[tuple[str, str, str], str] = {}
        self.target = target
        self.kinds: set[Kind] = set()
        self.edits: list[tuple[str, object, object]] = []
        self.rules: Callable[[str, str, str], str] | None = None

    @classmethod
    def of(cls, losses: list[Loss], target: str = "") -> Report:
        """A report of losses that were detached from their history."""
        made = cls(target=target)
        made._detached = losses
        made.kinds = {loss.kind for loss in losses}
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy holds the losses as text: in another process nobody finds the nodes again."""
        return Report.of, (self.losses, self.target)

    def trial(self) -> Report:
        """A report on the same source for a try that may be thrown away."""
        made = Report(self._messages, self._request, self._places, self.target)
        made.rules = self.rules
        return made

    def rule(self, code: str, field: str = "", kind: str = "") -> str:
        """The rule that decides a loss, with its source and date; empty if none is known."""
        if self.rules is None:
            return ""
        key = (code, field, kind)
        if key not in self._rules:
            self._rules[key] = self.rules(*key)
        return self._rules[key]

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
        self._rows.append((code, kind, node, field, what, did, rule))

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

    def touched(self, by: str, node: object, until: object = None) -> None:
        """Remember that a pass changed what stands before `node`, as it was said to the model.

        `until`: only for what stands before that node, which has seen the change already.
        """
        self.edits.append((by, node, until))

    def origins(self, new: object) -> Iterator[object]:
        """The node itself, and everything that it was made of, in turn."""
        waiting = [new]
        while waiting:
            node = waiting.pop()
            yield node
            if (entry := self._made.get(id(node))) is not None:
                waiting.extend(entry[1])

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
                self._rows.extend((code, kind, *row, "", "") for row in nodes)
        return [*self._detached, *(Loss(self, nth, *row) for nth, row in enumerate(self._rows))]

    def place(self, nth: int) -> str:
        """Where the `nth` loss is: a node may stand, and be lost, in several places."""
        ordinals, seen = self._ordinals, self._seen
        for code, _, node, field, *_ in self._rows[len(ordinals) : nth + 1]:
            key = (id(node), code, field)
            seen[key] = seen.get(key, -1) + 1
            ordinals.append(seen[key])
        _, _, node, field, *_ = self._rows[nth]
        return self.locate(node, ordinals[nth], field)

    def holds(self, code: str) -> bool:
        """Whether a loss of this code was named."""
        return any(one[0] == code for one in (*self._rows, *self._groups))

    @property
    def added(self) -> list[Loss]:
        """What the target says and nobody wrote: headings, placeholders, required fields."""
        return [loss for loss in self.losses if loss.kind == "added"]

    def foreign(self, node: object, issuer: str, own: Mapping[str, Any]) -> None:
        """Name each field of another issuer, which `node` carries and this target does not."""
        for field in _fields(own, f"extras.{issuer}".rstrip(".")):
            self.lost("extras.foreign", node, field, f"a field of {issuer or 'nobody'}")

    def take(self, other: Report, but: Report) -> None:
        """Take over the losses of a trial that another trial did not have."""
        there = {(code, field) for code, _, _, field, *_ in but._rows}
        for code, kind, node, field, what, did, rule in other._rows:
            if (code, field) not in there:
                self.lost(code, node, field, what, did, rule, kind)
        for code, nodes in other._groups:
            self.each(code, nodes)
        self._made.update(other._made)
        self.edits += other.edits

    def locate(self, node: object, ordinal: int = 0, field: str = "") -> str:
        """The path of a node's field; of the `ordinal`-th place where it stands more than once."""
        if self._index is None:
            self._index = {}
            self._walk(self._index)
        node = self.source(node)
        if (path := self._fields.get((id(node), field))) is not None:
            return path
        inner = _HEAD.match(field)
        if inner and (path := self._fields.get((id(node), inner[0]))) is not None:
            return path + field[len(inner[0]) :]
        inner = getattr(node, field, None) if field == "source" else None
        if inner is not None and (paths := self._index.get(id(inner))):
            return paths[0]
        if (entry := self._placed.get(id(node))) is not None:
            base = entry[1]
        else:
            paths = self._index.get(id(node))
            base = paths[min(ordinal, len(paths) - 1)] if paths else "$"
        if id(node) in self._in_body and field.startswith("extras."):
            return base + _own(field)
        return f"{base}.{field}" if field else base

    def _walk(self, index: dict[int, list[str]]) -> None:
        if self._places is None:
            return
        for path, found in self._places(self._messages, self._request):
            if type(found) is Field:
                self._fields.setdefault((id(found.node), found.name), path)
                continue
            node = found.node if type(found) is InBody else found
            if node is not found:
                self._in_body.add(id(node))
            index.setdefault(id(node), []).append(path)


def _fields(own: Mapping[str, Any], path: str) -> Iterator[str]:
    """The paths of the fields, down to those that are no objects."""
    for key, value in own.items():
        here = f"{path}.{key}" if key.isidentifier() else f'{path}["{key}"]'
        if isinstance(value, Mapping) and value:
            yield from _fields(value, here)
        else:
            yield here


def _own(field: str) -> str:
    """Where a field of extras stands in its node's own object: `extras.<issuer>` is left out."""
    rest = field.removeprefix("extras.")
    ends = [at for at in (rest.find("."), rest.find("[")) if at >= 0]
    return rest[min(ends) :] if ends else ""
