"""Every keyword that a dialect lacks: in its other words, told in the description, or left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from .._core.jsontext import Json, JsonObject, arguments
from ..losses import Report
from .dialects import SchemaDialect, dialect
from .keywords import (
    ANNOTATIONS,
    LENIENT,
    LISTS,
    MAPS,
    SINGLES,
    accepts_any,
    below,
    inner,
    named,
    types_of,
)
from .merge import settle
from .normalize import DEEPEST, normalised
from .unions import alone, collapsed, flattened, united
from .values import (
    bounded,
    closed,
    completed,
    inferred,
    listed,
    open_ended,
    patterned,
    positions,
    typed,
)
from .work import UNFIT, Change, Lowered, Run, Work, plain, verdict_of

_DEFINITIONS = ("$defs", "definitions")


_CONSTRAINTS = frozenset({
    *MAPS, *LISTS, *SINGLES, "type", "enum", "const", "$ref", "$dynamicRef", "required", "format",
    "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minContains",
    "maxContains", "minProperties", "maxProperties", "dependentRequired",
}) - {*_DEFINITIONS}  # fmt: skip


def said(work: Work, run: Run, *, at_root: bool) -> None:
    """Put the schema into the words of the dialect; what it can't say at all is told."""
    kw, spoken = work.kw, run.dialect
    patterned(work, run)
    positions(work, run)
    bounded(work, run)
    inferred(work, run, at_root)
    if spoken.takes is not None:
        typed(work, run)
    closed(work, run)
    alone(work, run)
    _worded(work, run)
    open_ended(work, run)
    for keyword in [key for key in kw if not spoken.allowed(key, at_root)]:
        if keyword in _DEFINITIONS and spoken.refs == "none":
            del kw[keyword]
            run.changed(work, keyword, "definitions", "inlined")
        else:
            _unsaid(work, keyword, run)
    tell(work, run, at_root=at_root)


def _worded(work: Work, run: Run) -> None:
    """Formats and patterns that the dialect does not know."""
    kw, spoken = work.kw, run.dialect
    named, pattern = kw.get("format"), kw.get("pattern")
    if isinstance(named, str) and spoken.formats is not None and named not in spoken.formats:
        run.drop(work, "format")
    if spoken.patterns and isinstance(pattern, str) and _finder(spoken.patterns).search(pattern):
        run.drop(work, "pattern")


@cache
def _finder(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _unsaid(work: Work, keyword: str, run: Run) -> None:
    value = work.kw[keyword]
    if keyword in ANNOTATIONS or keyword not in _CONSTRAINTS:
        helps = keyword in ("default", "example", "examples")
        run.drop(work, keyword, "equal", quietly=not helps)
    elif keyword in LENIENT and accepts_any(value):
        run.drop(work, keyword, "equal", quietly=True)
    else:
        run.drop(work, keyword, quietly=keyword == "$ref")


def tell(work: Work, run: Run, *, at_root: bool) -> None:
    """The description, with what the schema itself does not say any more."""
    if not work.told:
        return
    bare = run.dialect.refs == "bare" and "$ref" in work.kw
    lone = run.demands("lone unions") and "anyOf" in work.kw
    if bare or lone or not run.dialect.allowed("description", at_root):
        run.untold(work)
        return
    before = work.kw.get("description")
    words = f"({'; '.join(work.told)})"
    work.kw["description"] = f"{before} {words}" if isinstance(before, str) and before else words
    work.told.clear()


def exceeded(schema: Json, limits: Mapping[str, int]) -> str:
    """The first limit that the schema exceeds, in a sentence; empty where it keeps to all."""
    if not limits:
        return ""
    found = _sizes(schema)
    for name, most in limits.items():
        if found[name] > most:
            return f"$: {found[name]} {name}, at most {most}"
    return ""


def _sizes(schema: Json) -> Counter[str]:
    """Properties, optional ones, enum values, unions, and the most levels of objects (`depth`)."""
    found: Counter[str] = Counter()
    stack: list[tuple[Json, int]] = [(schema, 0)]
    while stack:
        node, depth = stack.pop()
        if not isinstance(node, dict):
            continue
        properties = node.get("properties")
        if isinstance(properties, dict):
            depth += 1
            needed = node.get("required", ())
            found["properties"] += len(properties)
            found["optional"] += sum(name not in needed for name in properties)
        found["depth"] = max(found["depth"], depth)
        found["values"] += len(node.get("enum", ()))
        found["unions"] += "anyOf" in node or len(types_of(node.get("type"))) > 1
        stack.extend((one, depth) for one in inner(node))
    return found


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


_MOST = 512


_known: dict[tuple[str, str], tuple[Lowered, bool]] = {}  # and whether the schema stays


def lowered_once(schema: JsonObject, name: str) -> Lowered:
    """The schema in the dialect of this name, worked out once; the very object if it fits."""
    key = (name, arguments(schema))
    found = _known.get(key)
    if found is None:
        if len(_known) >= _MOST:  # whoever sends schemas may send any number of them
            _known.clear()
        made = lowered(schema, dialect(name))
        found = _known[key] = made, made.schema is schema
    made, stays = found
    return replace(made, schema=schema) if stays and made.schema is not schema else made


def report_changes(made: Lowered, report: Report, node: object, field: str, name: str) -> None:
    """Name every change in a report: `field` holds the schema of `node`, `name` is the tool's.

    The loss is found at `<path of the field>.properties.age.minimum`; the rule is the dialect's.
    """
    for change in made.changes:
        report.lost(
            change.code,
            node,
            f"{field}{change.where[1:]}",
            what=f"{name}: {change.what}",
            did="in the description" if change.told else change.did,
            rule=made.rule,
        )
    if made.unfit:
        report.lost(UNFIT, node, field, f"{name}: {made.unfit}", rule=made.rule)
