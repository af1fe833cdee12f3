"""The report that collects the losses of one conversion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, repeat
from typing import Any, TypeAlias, TypeVar

from .._old_names import OLD_CODES, keeps_old_names
from .codes import CODES, rename_codes
from .codes.code import Kind
from .extras import list_extras
from .index import Index
from .loss import Loss, Losses, Row

Places: TypeAlias = Callable[[Sequence[Any], Any], Iterator[tuple[str, object]]]
_Node = TypeVar("_Node")


@keeps_old_names
class Report:
    """Collects the losses of one conversion; paths are computed only when they are read.

    The messages are copied at the first loss.

    Args:
        messages: The messages of the source.
        request: The request of the source.
        places: `places(messages, request)` walks the source and yields (path, node).
        target: The name of the wire.

    Attributes:
        rules: `rules(code, field, kind)` gives the rule, with source and date, that decides a loss
            on this field of this type of node; it is called when `Loss.rule` is read.
        shared: What the writer of a body got of others' to put into it.
        steps: What steps made of the messages that a session remembers, if it does.
    """

    __slots__ = (
        "_copied",
        "_detached",
        "_groups",
        "_index",
        "_messages",
        "_originals",
        "_placed",
        "_places",
        "_request",
        "_rows",
        "_rules",
        "called",
        "edits",
        "kinds",
        "rules",
        "second",
        "shared",
        "steps",
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
        # rows instead of losses: those refer to the report, and a cycle is freed late
        self._rows: list[Row] = []
        self._detached: list[Loss] = []
        self._groups: list[tuple[str, Iterable[tuple[object, str, str]]]] = []
        self._copied: list[tuple[Sequence[object], Sequence[object]]] = []  # not in there yet
        self._originals: dict[int, tuple[object, tuple[object, ...]]] = {}
        self._index: Index | None = None
        self._placed: dict[int, tuple[object, str]] = {}
        self._rules: dict[tuple[str, str, str], str] = {}
        self.target = target
        self.second = 0  # of the Unix clock: the date of an answer without one
        self.kinds: set[Kind] = set()
        self.edits: list[tuple[str, object, object]] = []
        self.called: dict[str, str] = {}  # issuer -> its name in the paths of losses
        self.rules: Callable[[str, str, str], str] | None = None
        self.shared: list[object] = []
        self.steps: Any = None

    @classmethod
    def of(cls, losses: list[Loss], target: str = "") -> Report:
        """A report of losses that were detached from their history.

        Args:
            losses: The losses.
            target: The name of the wire.
        """
        report = cls(target=target)
        report._detached = losses
        report.kinds = {loss.kind for loss in losses}
        return report

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy holds the losses as text, since nodes have another identity in its process."""
        return Report.of, (self.losses, self.target)

    def trial(self) -> Report:
        """A report on the same source, for an attempt that may be discarded."""
        report = Report(self._messages, self._request, self._places, self.target)
        report.rules = self.rules
        return report

    def rule(self, code: str, field: str = "", kind: str = "") -> str:
        """The rule that decides a loss, with its source and date; empty if none is known.

        Args:
            code: The code of the loss.
            field: The field that is lost.
            kind: The `type` of the node.
        """
        if self.rules is None:
            return ""
        key = (code, field, kind)
        if key not in self._rules:
            self._rules[key] = self.rules(*key)
        return self._rules[key]

    def add_loss(
        self,
        code: str,
        node: object,
        field: str = "",
        what: str = "",
        did: str = "",
        rule: str = "",
        kind: Kind | None = None,
    ) -> None:
        """Add a loss.

        Args:
            code: Its code.
            node: What loses something.
            field: The field of the node that is lost; empty if it is the node.
            what: What is lost, in a few words.
            did: What was done instead.
            rule: The rule that decided; by default `rules` is asked.
            kind: The kind of the loss, if it is not that of the code.
        """
        kind = kind or CODES[code].kind
        if not self.kinds:
            self._messages = tuple(self._messages)
        self.kinds.add(kind)
        self._rows.append((code, kind, node, field, what, did, rule))

    def add_losses(self, code: str, nodes: Iterable[tuple[object, str, str]]) -> None:
        """Add the same loss for many nodes; they are walked only when losses are read.

        Args:
            code: The code of the losses.
            nodes: (node, field, what) of each.
        """
        if not self.kinds:
            self._messages = tuple(self._messages)
        self.kinds.add(CODES[code].kind)
        self._groups.append((code, nodes))

    def add_changes(
        self, code: str, field: str, nodes: Sequence[object], values: Sequence[str]
    ) -> None:
        """Add the loss of a field that was changed in many nodes.

        Args:
            code: The code of the losses.
            field: The field.
            nodes: The nodes, at least one.
            values: What the field of each is now.
        """
        self.add_loss(code, nodes[0], field, did=values[0])
        code, kind, *_ = self._rows.pop()
        rows = zip(nodes, values, strict=True)
        self._rows += [(code, kind, node, field, "", value, "") for node, value in rows]

    def record_copy(self, copy: _Node, original: object | Sequence[object]) -> _Node:
        """Record from what a node was made: its losses get the path of the original.

        Args:
            copy: The new node.
            original: The node, or a sequence of the nodes, from which it was made.

        Returns:
            The copy.
        """
        origins = tuple(original) if isinstance(original, (list, tuple)) else (original,)
        self._originals[id(copy)] = (copy, origins)
        return copy

    def record_copies(self, copies: Sequence[object], originals: Sequence[object]) -> None:
        """Record from what many nodes were made, each from one; see `record_copy`.

        Args:
            copies: The new nodes.
            originals: The node from which each was made.
        """
        self._copied.append((copies, originals))

    @property
    def _made_from(self) -> dict[int, tuple[object, tuple[object, ...]]]:
        while self._copied:  # few reports are asked for the places of their losses
            pairs = zip(*self._copied.pop(), strict=True)
            self._originals.update((id(copy), (copy, (node,))) for copy, node in pairs)
        return self._originals

    def set_place(self, node: object, path: str) -> None:
        """Record the path of a node that represents a text, which is no node of the input.

        Args:
            node: The node.
            path: The path of the text.
        """
        self._placed[id(node)] = (node, path)

    def note_edit(self, by: str, node: object, until: object = None) -> None:
        """Record that a pass changed the history before a node, as it is sent to the model.

        Args:
            by: What changed it.
            node: The first node after the change.
            until: A node that already takes the change into account, as do those after it.
        """
        self.edits.append((by, node, until))

    def origins(self, copy: object) -> Iterator[object]:
        """The node itself, and then everything from which it was made.

        Args:
            copy: The node.
        """
        waiting = [copy]
        while waiting:
            node = waiting.pop()
            yield node
            if (entry := self._made_from.get(id(node))) is not None:
                waiting.extend(entry[1])

    def source(self, copy: object) -> object:
        """The node of the input from which a node was made.

        Args:
            copy: The node; returned itself if it is in the input.
        """
        while (entry := self._made_from.get(id(copy))) is not None:
            copy = entry[1][0]
        return copy

    @property
    def losses(self) -> Losses:
        """All losses so far, in the order in which they were found."""
        self._collect()
        losses = Losses(self._detached)
        losses += map(Loss, repeat(self), count(), self._rows)
        return losses

    def _collect(self) -> None:
        """Make rows of all that was reported so far."""
        groups, self._groups = self._groups, []
        for code, nodes in groups:
            kind = CODES[code].kind
            self._rows.extend((code, kind, *row, "", "") for row in nodes)

    def locate_loss(self, ordinal: int) -> str:
        """The path of a loss, whose node may be in several places.

        Args:
            ordinal: The number of the loss in this report.
        """
        index = self._build_index()
        for code, _, node, field, *_ in self._rows[len(index.ordinals) : ordinal + 1]:
            index.count(node, code, field)
        _, _, node, field, *_ = self._rows[ordinal]
        return self.locate(node, index.ordinals[ordinal], field)

    def locate_few(self, ordinals: Sequence[int]) -> list[str]:
        """The paths of a few losses, for which not the whole source is walked if that can be.

        Args:
            ordinals: The numbers of the losses in this report.
        """
        read = getattr(self._request, "read", None)
        walk_some = getattr(getattr(read, "places", None), "walk_some", None)
        if self._index is None and walk_some is not None:
            rows = [self._rows[ordinal] for ordinal in ordinals]
            places = [(self.source(row[2]), row[3]) for row in rows]
            index = Index(walk_some({id(node) for node, _ in places}, self._request))
            if all(index.holds(node, field) for node, field in places):
                self._index = index  # it knows these losses alone
                try:
                    return [self._locate_one(ordinal) for ordinal in ordinals]
                finally:
                    self._index = None
        return [self.locate_loss(ordinal) for ordinal in ordinals]

    def _locate_one(self, ordinal: int) -> str:
        code, _, node, field, *_ = self._rows[ordinal]
        alike = (r[2] is node and r[3] == field and r[0] == code for r in self._rows[:ordinal])
        return self.locate(node, sum(alike), field)

    @property
    def codes(self) -> set[str]:
        """The codes of the losses so far."""
        codes = {row[0] for row in self._rows}
        if self._groups or self._detached:
            codes.update(group[0] for group in self._groups)
            codes.update(loss.code for loss in self._detached)
        return codes

    def holds(self, code: str) -> bool:
        """Whether there is a loss with a code.

        Args:
            code: The code.
        """
        if code in OLD_CODES:
            (code,) = rename_codes(code)
        return any(item[0] == code for item in (*self._rows, *self._groups))

    @property
    def added(self) -> Losses:
        """Additions that are not in the source: headings, placeholders, required fields."""
        return Losses(loss for loss in self.losses if loss.kind == "added")

    def add_extras_losses(self, node: object, issuer: str, fields: Mapping[str, Any]) -> None:
        """Add a loss for each field of another issuer that the target does not have.

        Args:
            node: The node with the fields.
            issuer: The provider whose fields they are.
            fields: The fields, which may be nested.
        """
        issuer = self.called.get(issuer, issuer)
        what = f"a field of {issuer or 'nobody'}"
        rows = list_extras(issuer, fields)
        if rows and not self.kinds:
            self._messages = tuple(self._messages)
        for code, kind, field in rows:
            self.kinds.add(kind)
            self._rows.append((code, kind, node, field, what, "", ""))

    def include_new(self, other: Report, baseline: Report) -> None:
        """Add the losses of one trial that another trial does not have.

        Args:
            other: The trial with the losses.
            baseline: The trial whose losses are left out.
        """
        there = {(code, field) for code, _, _, field, *_ in baseline._rows}
        for code, kind, node, field, what, did, rule in other._rows:
            if (code, field) not in there:
                self.add_loss(code, node, field, what, did, rule, kind)
        for code, nodes in other._groups:
            self.add_losses(code, nodes)
        self._originals.update(other._made_from)
        self.edits += other.edits

    def include(self, other: Report) -> None:
        """Add all losses of another report, which is not changed.

        Args:
            other: The report with the losses.
        """
        other._collect()
        if other.kinds and not self.kinds:
            self._messages = tuple(self._messages)
        self._rows.extend(other._rows)
        self.kinds |= other.kinds
        self._originals.update(other._made_from)
        self._placed.update(other._placed)

    def is_empty(self) -> bool:
        """Whether nothing was reported or recorded."""
        origins = self._originals or self._copied
        return not (self._rows or self._groups or origins or self._placed or self.edits)

    def locate(self, node: object, ordinal: int = 0, field: str = "") -> str:
        """The path of a node or its field.

        Args:
            node: The node.
            ordinal: Selects one of several places of the node.
            field: The field; empty for the node itself.
        """
        node = self.source(node)
        entry = self._placed.get(id(node))
        return self._build_index().path(node, ordinal, field, None if entry is None else entry[1])

    def _build_index(self) -> Index:
        if self._index is None:
            walk = self._places(self._messages, self._request) if self._places else ()
            self._index = Index(walk)
        return self._index
