"""Loss: one thing that a target does not say as it was given, or that was added.

Its words are cut and its place is computed when somebody reads them, not when it happens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple, TypeAlias, TypeVar

from ..text.json_text import member
from ..text.redaction import clip_text, one_line, shorten_path
from .codes import CODES
from .codes.code import KINDS, WEIGHTS, Kind, Weight

# code, kind, node, field, what, did, rule: a plain tuple, for most of them are never read
Row: TypeAlias = tuple[str, Kind, object, str, str, str, str]


# options that `can={"options": ...}` is about
_SAMPLERS = frozenset(
    {
        "temperature",
        "top_p",
        "top_k",
        "seed",
        "stop",
        "frequency_penalty",
        "presence_penalty",
        "repetition_penalty",
        "logprobs",
        "top_logprobs",
        "n",
        "user",
        "service_tier",
    }
)
_MEDIA = frozenset({"image", "audio", "video", "document"})


class Loss:
    """One thing that the target does not say as it was given, or that was added.

    `code` and `kind` are stable, and so is `target`, the name of the wire.
    """

    __slots__ = (
        "_did",
        "_field",
        "_node",
        "_nth",
        "_report",
        "_rule",
        "_what",
        "_where",
        "code",
        "kind",
        "target",
    )

    def __init__(self, report: Report, ordinal: int, row: Row) -> None:
        self._report: Report | None = report
        self._nth = ordinal
        self._where: str | None = None
        self._node: object
        self.code, self.kind, self._node, self._field, self._what, self._did, self._rule = row
        self.target = report.target

    @property
    def where(self) -> str:
        """Path into the input, e.g. `$.messages[3].content[0].source`."""
        if self._where is None:
            report = self._report
            self._where = one_line(shorten_path(report.place(self._nth) if report else "$"))
        return self._where

    @property
    def field(self) -> str:
        """The field of the node at `where` that the loss is about, if it is about one."""
        return one_line(shorten_path(self._field))

    @property
    def what(self) -> str:
        """What it is about, in a word or a name: at most 80 characters, and never base64."""
        return one_line(clip_text(str(self._what))) if self._what else _name(self._node)

    @property
    def did(self) -> str:
        """What was done instead; at most 80 characters."""
        return one_line(clip_text(self._did))

    @property
    def rule(self) -> str:
        """Why: the rule with its source and its date, where a rule decided."""
        if not self._rule and self._report is not None:
            self._rule = self._report.rule(self.code, self._field, _name(self._node))
        return self._rule

    @property
    def weight(self) -> Weight:
        """How much it matters.

        `major`: the model is told less, or may do less; `minor`: it may answer otherwise, or cost
        more; `trivial`: nobody would miss it.
        """
        row = CODES.get(self.code)
        return row.weight_of(self._field) if row else "major"

    @property
    def meaning(self) -> str:
        """What the code means, in a sentence."""
        row = CODES.get(self.code)
        return row.meaning if row else ""

    @property
    def fix(self) -> str:
        """What can be done about it, in a sentence or two."""
        row = CODES.get(self.code)
        text = row.fix if row else ""
        if '{"' not in text:
            return text
        if self.code == "option.refused":
            if self._field in _SAMPLERS:
                return text.replace('"temperature"', f'"{self._field}"')
            return text.partition(" For a host")[0]  # no table of options holds it
        if self.code not in ("block.unsaid", "media.type", "media.as_reference", "media.saved"):
            return text
        # the row shows how to say it of an image
        word = self.what.partition(" ")[0]
        named = word if "/" in word else f"{word}/*"
        kind = {"application": "document", "text": "document"}.get(named.partition("/")[0])
        kind = kind or named.partition("/")[0]
        if kind not in _MEDIA:
            return text
        return text.replace('"image"', f'"{kind}"').replace('"image/*"', f'"{named}"')

    def detach(self) -> Loss:
        """Store place, words and rule as text and let go of the history."""
        _ = self.where
        self._what = self.what
        self._rule = self.rule
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


class Losses(list[Loss]):
    """A list of losses, one a line in the terminal, a table in a notebook."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = (f"  {loss.kind} {loss.code} at {loss.where}: {_words(loss)}\n" for loss in self)
        return "[\n" + "".join(lines) + "]" if self else "[]"

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        rows = [("kind", "code", "where", "what")]
        rows += [(loss.kind, loss.code, loss.where, _words(loss)) for loss in self]
        cells = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in rows)
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def _words(loss: Loss) -> str:
    return f"{loss.what} -> {loss.did}" if loss.did else loss.what


def by_weight(losses: Iterable[Loss]) -> list[Loss]:
    """The losses with what matters most first: by weight, then by kind, else as they came."""
    return sorted(losses, key=_rank)


def _rank(loss: Loss) -> tuple[int, int]:
    return WEIGHTS.index(loss.weight), KINDS.index(loss.kind)


def _name(node: object) -> str:
    kind = getattr(node, "type", None)
    return kind if isinstance(kind, str) else type(node).__name__


def _revive(stored: dict[str, Any]) -> Loss:
    loss = Loss.__new__(Loss)
    loss._report = loss._node = None
    loss._nth = 0
    loss.code, loss.kind = stored["code"], stored["kind"]
    loss.target = stored.get("target", "")
    loss._where = stored["where"]
    for key in ("field", "what", "did", "rule"):
        setattr(loss, f"_{key}", stored.get(key, ""))
    return loss


Places: TypeAlias = Callable[[Sequence[Any], Any], Iterator[tuple[str, object]]]
_Node = TypeVar("_Node")


class Report:
    """Collects the losses of one pass through the house; cheap until somebody reads a path.

    `messages` and `request` are the source; `places(messages, request)` walks it and yields
    (path, node). The list is kept as it was at the first loss. `rules(code, field, kind)` gives the
    rule that decides a loss on this field of this type of node, with its source and date; it is
    asked when somebody reads `Loss.rule`.
    """

    __slots__ = (
        "_detached",
        "_groups",
        "_index",
        "_made",
        "_messages",
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
        self._rows: list[Row] = []
        self._detached: list[Loss] = []
        self._groups: list[tuple[str, Iterable[tuple[object, str, str]]]] = []
        self._made: dict[int, tuple[object, tuple[object, ...]]] = {}
        self._index: Index | None = None
        self._placed: dict[int, tuple[object, str]] = {}
        self._rules: dict[tuple[str, str, str], str] = {}
        self.target = target
        self.second = 0  # of the Unix clock: what an answer is dated that does not tell when it was
        self.kinds: set[Kind] = set()
        self.edits: list[tuple[str, object, object]] = []
        self.called: dict[str, str] = {}  # issuer -> as it is called where losses are found
        self.rules: Callable[[str, str, str], str] | None = None

    @classmethod
    def of(cls, losses: list[Loss], target: str = "") -> Report:
        """A report of losses that were detached from their history."""
        report = cls(target=target)
        report._detached = losses
        report.kinds = {loss.kind for loss in losses}
        return report

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy holds the losses as text: in another process nobody finds the nodes again."""
        return Report.of, (self.losses, self.target)

    def trial(self) -> Report:
        """A report on the same source for a try that may be thrown away."""
        report = Report(self._messages, self._request, self._places, self.target)
        report.rules = self.rules
        return report

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

    def made(self, copy: _Node, of: object | Sequence[object]) -> _Node:
        """The copy, which was made of a node (or of several): its losses are found there."""
        origin = tuple(of) if isinstance(of, (list, tuple)) else (of,)
        self._made[id(copy)] = (copy, origin)
        return copy

    def placed(self, node: object, path: str) -> None:
        """Remember that `node` stands for the text at `path`, which can be no node itself."""
        self._placed[id(node)] = (node, path)

    def touched(self, by: str, node: object, until: object = None) -> None:
        """Remember that a pass changed what stands before `node`, as it was said to the model.

        `until`: only for what stands before that node, which has seen the change already.
        """
        self.edits.append((by, node, until))

    def origins(self, copy: object) -> Iterator[object]:
        """The node itself, and everything that it was made of, in turn."""
        waiting = [copy]
        while waiting:
            node = waiting.pop()
            yield node
            if (entry := self._made.get(id(node))) is not None:
                waiting.extend(entry[1])

    def source(self, copy: object) -> object:
        """The node of the input that `copy` was first made of; `copy` itself if it stands there."""
        while (entry := self._made.get(id(copy))) is not None:
            copy = entry[1][0]
        return copy

    @property
    def losses(self) -> Losses:
        """All losses so far, in the order in which they were found."""
        if self._groups:
            groups, self._groups = self._groups, []
            for code, nodes in groups:
                kind = CODES[code].kind
                self._rows.extend((code, kind, *row, "", "") for row in nodes)
        losses = Losses(self._detached)
        losses += (Loss(self, ordinal, row) for ordinal, row in enumerate(self._rows))
        return losses

    def place(self, ordinal: int) -> str:
        """Where the `ordinal` loss is: a node may stand, and be lost, in several places."""
        index = self._build_index()
        for code, _, node, field, *_ in self._rows[len(index.ordinals) : ordinal + 1]:
            index.count(node, code, field)
        _, _, node, field, *_ = self._rows[ordinal]
        return self.locate(node, index.ordinals[ordinal], field)

    @property
    def codes(self) -> set[str]:
        """The codes of the losses so far."""
        codes = {row[0] for row in self._rows}
        if self._groups or self._detached:
            codes.update(group[0] for group in self._groups)
            codes.update(loss.code for loss in self._detached)
        return codes

    def holds(self, code: str) -> bool:
        """Whether a loss of this code was named."""
        return any(item[0] == code for item in (*self._rows, *self._groups))

    @property
    def added(self) -> Losses:
        """What the target says and nobody wrote: headings, placeholders, required fields."""
        return Losses(loss for loss in self.losses if loss.kind == "added")

    def foreign(self, node: object, issuer: str, fields: Mapping[str, Any]) -> None:
        """Name each field of another issuer, which `node` carries and this target does not."""
        issuer = self.called.get(issuer, issuer)
        for field, value in _fields(fields, f"extras.{issuer}".rstrip(".")):
            code = "extras.empty" if value is None or value in _EMPTY else "extras.foreign"
            # ids, status and the like of an answer that came back: nobody would miss them
            is_trivial = CODES[code].weight_of(field) == "trivial"
            kind: Kind | None = "expected" if is_trivial else None
            self.lost(code, node, field, f"a field of {issuer or 'nobody'}", kind=kind)

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

    def include(self, other: Report) -> None:
        """Name all that another report names, which stays as it is."""
        _ = other.losses  # whoever asks for losses makes rows of groups
        self._rows.extend(other._rows)
        self.kinds |= other.kinds
        self._made.update(other._made)
        self._placed.update(other._placed)

    def locate(self, node: object, ordinal: int = 0, field: str = "") -> str:
        """The path of a node's field; of the `ordinal`-th place where it stands more than once."""
        node = self.source(node)
        entry = self._placed.get(id(node))
        return self._build_index().path(node, ordinal, field, None if entry is None else entry[1])

    def _build_index(self) -> Index:
        if self._index is None:
            walk = self._places(self._messages, self._request) if self._places else ()
            self._index = Index(walk)
        return self._index


# What says no more than an absent field; the texts, in plain and in base64, stand where an API
# wants a signature and nobody made one (Gemini API docs, "Thought signatures").
_EMPTY: tuple[Any, ...] = (
    [],
    {},
    "skip_thought_signature_validator",
    "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
)


def _fields(fields: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    """(path, value) of the fields, down to those that are no objects, however deep they are."""
    waiting: list[tuple[str, Any]] = [(path, fields)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Mapping) and (value or value is fields):
            inner = [(member(path, str(key)), item) for key, item in value.items()]
            waiting += reversed(inner)
        else:
            yield path, value


_HEAD = re.compile(r"\w+")


class Field(NamedTuple):
    """One field of a node, where `places` knows its path: it is not `<path of the node>.<name>`."""

    node: object
    name: str


class InBody(NamedTuple):
    """A node that stands at its path in the body that was read: so do the fields of its issuer."""

    node: object


class Index:
    """The paths of nodes and of fields, of a walk that yields (path, node, Field or InBody).

    `ordinals` are those of losses: which of the places of its node each has.
    """

    __slots__ = ("fields", "in_body", "ordinals", "paths", "seen")

    def __init__(self, places: Iterable[tuple[str, object]]) -> None:
        self.paths: dict[int, list[str]] = {}
        self.fields: dict[tuple[int, str], str] = {}
        self.in_body: set[int] = set()
        self.ordinals: list[int] = []
        self.seen: dict[tuple[int, str, str], int] = {}
        for path, entry in places:
            if type(entry) is Field:
                self.fields.setdefault((id(entry.node), entry.name), path)
                continue
            node = entry.node if type(entry) is InBody else entry
            if node is not entry:
                self.in_body.add(id(node))
            self.paths.setdefault(id(node), []).append(path)

    def count(self, node: object, code: str, field: str) -> None:
        """Give the next loss its place: as many losses of one kind, as many places."""
        key = (id(node), code, field)
        self.seen[key] = self.seen.get(key, -1) + 1
        self.ordinals.append(self.seen[key])

    def path(self, node: object, ordinal: int, field: str, placed: str | None) -> str:
        """The path of a node's field; of the `ordinal`-th place where it stands more than once.

        `placed` is the path of a node that stands for a text, which can be none itself.
        """
        if (path := self.fields.get((id(node), field))) is not None:
            return path
        inner = _HEAD.match(field)
        if inner and (path := self.fields.get((id(node), inner[0]))) is not None:
            return path + field[len(inner[0]) :]
        source = getattr(node, field, None) if field == "source" else None
        if source is not None and (paths := self.paths.get(id(source))):
            return paths[0]
        base = placed
        if base is None:
            paths = self.paths.get(id(node), ["$"])
            base = paths[min(ordinal, len(paths) - 1)]
        if id(node) in self.in_body and field.startswith("extras."):
            return base + _own(field)
        return f"{base}.{field}" if field else base


def _own(field: str) -> str:
    """Where a field of extras stands in its node's own object: `extras.<issuer>` is left out."""
    others = field.removeprefix("extras.")
    ends = [at for at in (others.find("."), others.find("[")) if at >= 0]
    return others[min(ends) :] if ends else ""
