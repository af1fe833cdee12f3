"""Holds the schemas of a body against the dialect that the provider takes at their place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..codes import CODES
from ..schema import Change, dialect, lowered
from ..schema.sizes import exceeded
from ..shown import clipped, shown
from .check_fields import placed
from .paths import MISSING, Step, spelled
from .refusal import Refusal
from .rules.schemas import OPTIONAL, SCHEMAS, STRICT_TOOLS, SchemaPlace

__all__ = ["schema_refusals"]

_FIXES = {
    "schema.unfit": "Leave `strict` unset for this tool, or split it in two.",
    "schema.size": "Make some of them required, or leave `strict` unset for this tool.",
    "schema.root": 'Say `"type": "object"` at the root, and what it may hold in `properties`.',
    "schema.type": "Give a JSON Schema of an object.",
}
_FIX = "Write the schema as the dialect takes it: `dragoman.schema.lowered(schema, dialect(...))`."


def schema_refusals(body: Any, hosts: tuple[str, ...], *, loose: bool) -> Iterator[Refusal]:
    """What is refused of the schemas, and too many strict ones."""
    for host in hosts:
        for row in SCHEMAS.get(host, ()):
            for home, told in placed(body, row.home, loose=loose):
                if isinstance(told, dict):
                    yield from _held(home, told, row, loose)
        if host in STRICT_TOOLS:
            yield from _crowd(body, *STRICT_TOOLS[host])


def _held(
    home: tuple[Step, ...], told: Any, row: SchemaPlace, loose: bool
) -> Iterator[Refusal]:  # fmt: skip
    for way, schema in placed(told, row.schema, loose=loose):
        strict = not row.when or any(one is True for _, one in placed(told, row.when))
        name = row.dialect if strict else row.plain
        if schema is MISSING or schema is None or not name:
            continue
        yield from _refused((*home, *way), schema, name)


def _refused(way: tuple[Step, ...], schema: Any, name: str) -> Iterator[Refusal]:
    taken = dialect(name)
    here = spelled(way)
    if not isinstance(schema, dict):
        said = f"{way[-1]}: must be a schema of an object, not {shown(schema)}"
        yield Refusal(here, said, taken.source, taken.since, _FIXES["schema.type"], "schema.type")
        return
    if "object root" in taken.demands and not taken.upper and schema.get("type") != "object":
        said = "the root of the schema must say that it is an object"
        fix = _FIXES["schema.root"]
        yield Refusal(here, said, taken.source, taken.since, fix, "schema.root")
    made = lowered(schema, taken, tell=False)
    if made.unfit:
        said = f"{_meaning('schema.unfit')}: {made.unfit}"
        yield Refusal(here, said, taken.source, taken.since, _FIXES["schema.unfit"], "schema.unfit")
    elif name in OPTIONAL and (said := exceeded(made.schema, {"optional": OPTIONAL[name][0]})):
        _, source, since = OPTIONAL[name]
        yield Refusal(here, said.removeprefix("$: "), source, since, _FIXES["schema.size"],
                      "schema.unfit")  # fmt: skip
    for change in made.changes:
        if change.code in ("schema.note", "schema.restated") and change.keyword != "$ref":
            continue
        said = clipped(_said(change))
        yield Refusal(
            f"{here}{change.where[1:]}", said, taken.source, taken.since, _FIX, change.code
        )


def _said(change: Change) -> str:
    if change.did == "dropped":
        return f"this dialect does not take {change.what}"
    name = change.keyword or "the schema"
    return f"{name} ({change.what}) must be said in another way: {change.did}"


def _meaning(code: str) -> str:
    row = CODES.get(code)
    return row.meaning if row else "the target has no true form for the schema"


def _crowd(body: Any, most: int, source: str, since: str) -> Iterator[Refusal]:
    strict = [way for way, one in placed(body, "tools[].strict") if one is True]
    if len(strict) > most:
        said = f"strict: {len(strict)} tools are strict, at most {most}"
        fix = f"Leave `strict` unset from the tool {spelled(strict[most][:-1])} on."
        yield Refusal("$.tools", said, source, since, fix, "schema.crowd")
