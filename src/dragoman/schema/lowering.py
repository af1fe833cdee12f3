"""lowered(): one walk over a schema that says it as a dialect takes it, and notes every change.

The original is read as draft 2020-12 and never touched; where nothing changes the very object
comes back. Linear in the schema, and in what its references write out up to a limit.
"""

from __future__ import annotations

from ..jsontext import Json, JsonObject
from .dialect import SchemaDialect
from .lowered import Change, Lowered, verdict_of
from .normal import DEEPEST, normalised
from .refs import named
from .saying import said
from .settling import settle
from .shapes import completed
from .sizes import exceeded
from .unions import alone, collapsed, flattened, united
from .values import listed, typed
from .words import LISTS, MAPS, SINGLES, below, types_of
from .work import Run, Work, plain

__all__ = ["lowered"]

_DEFINITIONS = ("$defs", "definitions")
# Where less inside is more outside: where a dialect takes these, they stay as they are.
_TURNING = frozenset({"not", "if", "then", "else", "contains", "propertyNames"})

_EASY = frozenset({"type", "title", "description", "default"})
_SCALARS = frozenset({"string", "integer", "number", "boolean"})


def lowered(schema: JsonObject, dialect: SchemaDialect, *, tell: bool = True) -> Lowered:
    """The schema as the dialect takes it, with a verdict and every change.

    `tell`: constraints that it cannot say are told in the descriptions, for the model to read.

    >>> from dragoman.schema import DIALECTS
    >>> made = lowered({"type": "object", "properties": {"n": {"const": "A"}}}, DIALECTS["gemini"])
    >>> made.schema["properties"], made.verdict
    ({'n': {'enum': ['A']}}, 'equal')
    """
    changes: list[Change] = []
    root = normalised(schema, changes, known_types=True)
    run = Run(dialect, root, tell)
    run.changes.update(dict.fromkeys(changes))
    made = _Walk(run).root(root)
    unfit = run.unfit or exceeded(made, dialect.limits)
    if _alike(made, schema):
        return Lowered(schema, unfit=unfit, rule=dialect.rule)
    found = tuple(run.changes)
    return Lowered(made, verdict_of(found), found, unfit, dialect.rule)


def _alike(a: Json, b: Json) -> bool:
    """Whether two values are the same JSON: to Python 1, 1.0 and true are equal."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_alike(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(_alike, a, b))
    return bool(a == b)


class _Walk:
    """The walk of one lowering."""

    __slots__ = ("easy", "run", "spoken", "turning")

    def __init__(self, run: Run) -> None:
        self.run = run
        self.spoken = run.dialect
        self.easy = _EASY if run.dialect.takes is None else _EASY & run.dialect.takes
        self.turning = "#" in run.refs.endless  # inside a schema that leads back to itself

    def root(self, schema: JsonObject) -> JsonObject:
        """The whole schema."""
        spoken = self.spoken
        rules = spoken.demands & {"type", "closed"}  # for every object, not the root alone
        if spoken.takes is None and not rules and self._stands(schema):
            return schema
        made = self.schema(schema, "$", 0)
        assert isinstance(made, dict)
        for keyword in _DEFINITIONS:
            if made.get(keyword) == {} and schema.get(keyword):
                made = {key: value for key, value in made.items() if key != keyword}
        used = {key: value for key, value in made.items() if key not in _DEFINITIONS}
        if spoken.refs == "none" and len(used) != len(made) and not self.run.refs.inside(used):
            self.run.changed(Work({}, "$"), "$defs", "definitions", "inlined")
            return used
        return made

    def _stands(self, schema: JsonObject) -> bool:
        """Whether the root is as a dialect wants it that has rules for the root alone."""
        if not self.run.demands("object root"):
            return True
        if schema.keys() & {"anyOf", "oneOf", "allOf"} and self.run.demands("plain root"):
            return False
        return schema.get("type") == "object" and "$ref" not in schema

    def schema(self, node: Json, at: str, level: int) -> Json:
        """One schema, at its place in the original, and those inside it."""
        run = self.run
        if type(node) is dict and level and node.keys() <= self.easy:
            kind = node.get("type")
            if type(kind) is str and kind in _SCALARS:  # most schemas are
                return {**node, "type": kind.upper()} if self.spoken.upper else node
        if not isinstance(node, (dict, Work)):
            node = {"not": {}} if node is False else {}
        if level > DEEPEST:
            run.changed(Work({}, at), "", "a schema nested too deeply", "dropped", "wider")
            return {}
        if run.opened:
            run.left -= 1
        work = node.copied() if isinstance(node, Work) else Work(node, at)
        opened = self._restated(work, at_root=level == 0)
        said(work, run, at_root=level == 0)
        self._inside(work, level)
        made = completed(_unchanged(work, node), work, run, at_root=level == 0)
        run.close(opened)
        return self._spelled(made)

    def _restated(self, work: Work, *, at_root: bool) -> list[str]:
        """References, unions, values and types in the dialect's forms, until none is left over.

        The references that were opened for it come back.
        """
        run = self.run
        opened: list[str] = []
        kept = {key: work.kw[key] for key in work.kw if at_root and key in _DEFINITIONS}
        for _ in range(8):
            before = [(key, id(value)) for key, value in work.kw.items()]
            opened += settle(work, run, at_root)
            if at_root and run.demands("plain root"):
                flattened(work, run)
            united(work, run, at_root)
            collapsed(work, run, at_root=at_root)
            if run.dialect.takes is not None:
                listed(work, run)
                typed(work, run)
            alone(work, run)
            if before == [(key, id(value)) for key, value in work.kw.items()]:
                break
        work.kw.update(kept)
        return opened

    def _inside(self, work: Work, level: int) -> None:
        """The schemas inside, each lowered; those in verbatim keywords stay as they are."""
        kw, open_ = work.kw, self.spoken.takes is None
        for keyword in list(kw):
            value, place = kw[keyword], below(work.home(keyword), keyword)
            if keyword in self.spoken.verbatim or (open_ and keyword in _TURNING):
                kw[keyword] = plain(value)
            elif keyword in MAPS and isinstance(value, dict):
                kw[keyword] = self._mapped(keyword, value, place, level)
            elif keyword in LISTS and isinstance(value, list):
                made = [self.schema(one, below(place, i), level + 1) for i, one in enumerate(value)]
                same = all(a is b for a, b in zip(made, value, strict=True))
                kw[keyword] = value if same else made
                if not same and keyword == "oneOf":  # two branches may meet now, or part
                    self.run.changed(work, keyword, "its schemas", "changed", "wider")
                    self.run.changed(work, keyword, "its schemas", "changed", "narrower")
            elif keyword in SINGLES and not isinstance(value, bool):
                kw[keyword] = self.schema(value, place, level + 1)
        if self.spoken.recursion == "optional" and "required" in kw:
            self._no_endless(work)

    def _mapped(self, keyword: str, value: JsonObject, place: str, level: int) -> JsonObject:
        made: JsonObject = {}
        for name, one in value.items():
            if keyword in _DEFINITIONS and self._gone(keyword, name):
                self.run.changed(Work({}, place), name, "a schema in itself", "inlined")
            elif keyword == "properties" and one is False and self.spoken.takes is not None:
                self.run.changed(Work({}, place), name, "false", "dropped", "wider")
            else:
                outside = self.turning
                self.turning |= keyword in _DEFINITIONS and self._endless(keyword, name)
                made[name] = self.schema(one, below(place, name), level + 1)
                self.turning = outside
        same = len(made) == len(value) and all(made[name] is value[name] for name in made)
        return value if same else made

    def _gone(self, keyword: str, name: str) -> bool:
        """Whether a definition leads back to itself where that is not allowed: it is inlined."""
        return self.spoken.recursion == "none" and self._endless(keyword, name)

    def _endless(self, keyword: str, name: str) -> bool:
        return any(named(ref) == (keyword, name) for ref in self.run.refs.endless)

    def _no_endless(self, work: Work) -> None:
        """A required property that leads back to its own schema could never end: not required."""
        refs, kw = self.run.refs, work.kw
        if not self.turning:
            return
        endless = [
            name for name in kw["required"]
            if refs.inside(kw.get("properties", {}).get(name)) & refs.endless
        ]  # fmt: skip
        for name in endless:
            self.run.changed(work, "required", name, "dropped", "wider")
        if endless:
            kw["required"] = [name for name in kw["required"] if name not in endless]
            if not kw["required"]:
                del kw["required"]

    def _spelled(self, made: JsonObject) -> JsonObject:
        """Types and null as the dialect spells them."""
        if self.spoken.nullable:
            made = _with_word(made)
        if self.spoken.upper and isinstance(made.get("type"), str):
            made = {**made, "type": made["type"].upper()}
        return made


def _unchanged(work: Work, node: Json) -> JsonObject:
    """The node itself if the work holds just what it holds."""
    kw = work.kw
    if not isinstance(node, dict) or len(kw) != len(node):
        return kw
    return node if all(key in node and node[key] is value for key, value in kw.items()) else kw


def _with_word(made: JsonObject) -> JsonObject:
    """`nullable` for the type null, and for null among the values."""
    kinds = types_of(made.get("type"))
    values = made.get("enum")
    holds = isinstance(values, list) and None in values
    if "null" not in kinds and not holds:
        return made
    if kinds == ("null",):
        return {**made, "type": "null"}
    rest = [kind for kind in kinds if kind != "null"]
    made = {**made, **({"type": rest[0]} if rest else {}), "nullable": True}
    if holds and isinstance(values, list):
        made["enum"] = [one for one in values if one is not None]
    return made
