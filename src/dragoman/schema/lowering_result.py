"""The data of a lowering: its result, every change with its verdict, and the node in progress."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from .._old_names import keeps_old_names
from ..text.json_text import Json, JsonObject, canonical, member
from ..text.redaction import clip_text
from .dialects import SchemaDialect
from .keywords import Refs, below, same_or

Verdict: TypeAlias = Literal["equal", "wider", "narrower"]
UNFIT = "schema.unfit"


_CODES: dict[Verdict, str] = {
    "equal": "schema.restated",
    "wider": "schema.wider",
    "narrower": "schema.narrower",
}


# the restriction of a closed schema, which an open one does not state
_STRICTNESS = {("not said", "false"), ("optional", "required"), ("optional", "or null")}


_PROPERTY = "properties."  # prefix of a changed property's name


@keeps_old_names
class Change(NamedTuple):
    """One thing that the target's schema expresses differently, or not at all.

    Attributes:
        path: The schema's place in the original (`$.properties.age`, `$.$defs.Node`).
        keyword: The keyword that changed.
        what: Its value in a few words.
        did: What was done; `described`
    means that the description states it, for the model to read.
        verdict: Whether this change lets more in, or
    less.
    """

    path: str
    keyword: str
    what: str
    did: str
    verdict: Verdict

    @property
    def where(self) -> str:
        """The path of the keyword itself."""
        if self.keyword.startswith(_PROPERTY):
            return member(f"{self.path}.properties", self.keyword.removeprefix(_PROPERTY))
        return member(self.path, self.keyword) if self.keyword else self.path

    @property
    def code(self) -> str:
        """The code of the loss that reports this change."""
        if self.is_described:
            return "schema.described"
        if self.did == "dropped":
            return "schema.note" if self.verdict == "equal" else "schema.dropped"
        return _CODES[self.verdict]

    @property
    def demanded(self) -> bool:
        """Whether every schema of a strict dialect has to change so."""
        return (self.what, self.did) in _STRICTNESS

    @property
    def is_described(self) -> bool:
        """Whether the description states it now."""
        return self.did == "described"


@dataclass(frozen=True, slots=True)
class LoweredSchema:
    """A schema as one dialect takes it.

    Attributes:
        schema: The schema for the target.
        verdict: Whether it accepts the same as the original, more (`wider`), or less (`narrower`).
            If both, it is `wider`, because arguments may come that the original refuses.
        changes: Each change with its own verdict.
        unfit: Why the dialect has no true form for the schema (a free map that must be closed, an
            exceeded limit); empty if it has. `schema` is then the nearest form, and a looser
            dialect would be better.
        rule: The dialect's source and date.
    """

    schema: JsonObject
    verdict: Verdict = "equal"
    changes: tuple[Change, ...] = ()
    unfit: str = ""
    rule: str = ""


def combine_verdicts(changes: Iterable[Change]) -> Verdict:
    """The verdict of several changes together."""
    verdicts = {change.verdict for change in changes}
    if "wider" in verdicts:
        return "wider"
    return "narrower" if "narrower" in verdicts else "equal"


MOST = 4000  # schemas written for one, since inlined references multiply
_ROOM = 2**20  # characters beyond the schema's own that inlining may write
_TELLABLE = 300  # characters of a constraint that a description may take


class SchemaNode:
    """A schema while it is lowered: its keywords, its path, and the paths of borrowed keywords."""

    __slots__ = ("at", "grown", "homes", "joined", "kw", "told")

    def __init__(
        self, kw: Mapping[str, Any], path: str, homes: Mapping[str, str] | None = None
    ) -> None:
        self.kw: JsonObject = dict(kw)
        self.at = path
        self.homes = dict(homes or {})
        self.told: dict[str, None] = {}  # ordered, each once
        self.joined: JsonObject | None = None  # `properties`, if this node owns that dict
        # keyword -> (a list that this node owns and may extend, the names in it)
        self.grown: dict[str, tuple[list[Any], set[str]]] = {}

    def home(self, keyword: str) -> str:
        """The path of the schema from which a keyword comes."""
        return self.homes.get(keyword, self.at)

    def only(self, keywords: Mapping[str, Any]) -> SchemaNode:
        """A node with only some of these keywords, or with others instead."""
        return SchemaNode(keywords, self.at, self.homes)

    def copy(self) -> SchemaNode:
        """A copy with the same keywords."""
        result = self.only(self.kw)
        result.told = dict(self.told)
        return result

    def tell_for(self, other: SchemaNode) -> None:
        """Take over the notes of another node that are not in a description yet."""
        self.told |= other.told
        other.told.clear()


def node_at(schema: Json, home: str, *names: str | int) -> Json:
    """An inner schema as a node with its path; true, false and nodes unchanged."""
    return SchemaNode(schema, below(home, *names)) if isinstance(schema, dict) else schema


def read_keywords(schema: Json) -> JsonObject:
    """The keywords of a schema or a node; none for true and false."""
    keywords = schema.kw if isinstance(schema, SchemaNode) else schema
    return keywords if isinstance(keywords, dict) else {}


class Lowering:
    """One lowering: the dialect, the references, the changes, and how much may be written."""

    __slots__ = (
        "_room",
        "_sizes",
        "_told",
        "changes",
        "dialect",
        "left",
        "opened",
        "refs",
        "tell",
        "unfit",
    )

    def __init__(self, dialect: SchemaDialect, root: Json, tell: bool) -> None:
        self.dialect = dialect
        self.refs = Refs(root)
        self.tell = tell
        self.changes: dict[Change, None] = {}  # in order, each once
        self.left = MOST
        self._room = _ROOM
        self._sizes: dict[str, int] = {}
        self._told: dict[str, list[Change]] = {}  # by path
        self.opened: dict[str, int] = {}  # references on the way down that were inlined
        self.unfit = ""

    def demands(self, demand: Any) -> bool:
        """Whether the dialect makes this demand."""
        return demand in self.dialect.demands

    def note_change(
        self, node: SchemaNode | str, keyword: str, what: str, did: str, verdict: Verdict = "equal"
    ) -> None:
        """Record one change of a node or at a path; of several equal ones the first."""
        path = node if isinstance(node, str) else node.home(keyword)
        change = Change(path, keyword, what, did, verdict)
        if did == "described" and change not in self.changes:
            self._told.setdefault(path, []).append(change)
        self.changes.setdefault(change)

    def repeats(self, schema: Json, times: int = 1, ref: str | None = None) -> bool:
        """Whether the content of the schema may be written so many more times.

        `ref`: the reference that leads to it, by which its size is cached.
        """
        size = self._sizes.get(ref) if ref is not None else None
        if size is None:
            size = len(canonical(plain_schema(schema)))
            if ref is not None:
                self._sizes[ref] = size
        if size * times > self._room:
            return False
        self._room -= size * times
        return True

    def unrequire(self, node: SchemaNode, names: Collection[str]) -> None:
        """Remove names from `required`, so that more values fit."""
        for name in names:
            self.note_change(node, "required", name, "dropped", "wider")
        if names:
            gone = set(names)
            node.kw["required"] = [name for name in node.kw["required"] if name not in gone]
            if not node.kw["required"]:
                del node.kw["required"]

    def drop(
        self, node: SchemaNode, keyword: str, verdict: Verdict = "wider", *, quietly: bool = False
    ) -> None:
        """Remove a keyword; what the model should know of it is noted for the description."""
        value = node.kw.pop(keyword)
        text = f"{keyword}: {as_text(value)}"
        if self.tell and not quietly and len(text) <= _TELLABLE and text not in node.told:
            node.told[text] = None
            self.note_change(node, keyword, clip_text(text), "described", verdict)
        else:
            self.note_change(node, keyword, clip_text(text), "dropped", verdict)

    def close(self, opened: Iterable[str]) -> None:
        """Note that the walk has left what these references led into."""
        for ref in opened:
            self.opened[ref] -= 1
            if not self.opened[ref]:
                del self.opened[ref]

    def drop_told(self, node: SchemaNode) -> None:
        """Report notes as dropped, since there is no description for them after all."""
        for path in dict.fromkeys((node.at, *node.homes.values())):
            for change in self._told.pop(path, ()):
                del self.changes[change]
                self.changes[change._replace(did="dropped")] = None
        node.told.clear()

    def misfit(self, path: str, why: str) -> None:
        """Record that the dialect has no true form for the schema; the first reason counts."""
        self.unfit = self.unfit or f"{path}: {why}"


def as_text(value: Json) -> str:
    """A value as a description shows it: texts as they are, the rest as JSON."""
    return value if isinstance(value, str) else canonical(plain_schema(value))


def plain_schema(value: Json) -> Json:
    """JSON with the nodes in it as plain schemas; the same object if there are none."""
    if isinstance(value, SchemaNode):
        return plain_schema(value.kw)
    if isinstance(value, dict):
        return same_or({key: plain_schema(item) for key, item in value.items()}, value)
    if isinstance(value, list):
        return same_or([plain_schema(item) for item in value], value)
    return value
