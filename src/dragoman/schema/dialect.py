"""SchemaDialect: which JSON Schema a target takes, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

__all__ = ["Demand", "SchemaDialect"]

Demand: TypeAlias = Literal[
    "object root",  # the root says that it is an object, and is no $ref
    "plain root",  # and has no anyOf, oneOf or allOf
    "type",  # every schema says its type, or is a union
    "items",  # every array says its items
    "properties",  # every object names properties
    "known required",  # `required` names properties that are there
    "some required",  # every object requires something
    "all required",  # every property is required; an optional one may be null
    "closed",  # every object refuses other properties
    "lone unions",  # anyOf has nothing beside it
]


@dataclass(frozen=True, slots=True)
class SchemaDialect:
    """What one target takes of JSON Schema (draft 2020-12).

    `takes`: the keywords that are allowed and reach the model, in a `verbatim` one with whatever
    stands inside it; None is all. `root`: those of the root, where they are others. `refs`: they
    may have neighbours (`any`), none (`bare`), or are inlined (`none`); `recursion`: a schema may
    lead back to itself (`any`), in properties that are not required (`optional`), or never.
    `enums`: the kinds of values that an enum may list (string, number, boolean, null, other).
    `formats`: names of formats, None is any. `patterns`: a regular expression that finds what a
    pattern must not hold. `min_items`: the most that minItems may ask. `limits`: how many
    properties, levels (`depth`), enum values (`values`), optional properties and unions.
    """

    name: str
    since: str
    source: str
    takes: frozenset[str] | None = None
    root: frozenset[str] | None = None
    verbatim: frozenset[str] = frozenset()
    demands: frozenset[Demand] = frozenset()
    refs: Literal["any", "bare", "none"] = "any"
    recursion: Literal["any", "optional", "none"] = "any"
    enums: frozenset[str] = frozenset({"string", "number", "boolean", "null", "other"})
    formats: frozenset[str] | None = None
    type_lists: bool = True
    nullable: bool = False  # null is said by the word `nullable`
    upper: bool = False  # types are spelled STRING, OBJECT
    patterns: str = ""
    min_items: int | None = None
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def rule(self) -> str:
        """Where the dialect is written down, and when that was looked up."""
        return f"{self.source} ({self.since})"

    def allowed(self, keyword: str, at_root: bool = False) -> bool:
        """Whether a schema may say `keyword`."""
        takes = self.root if at_root and self.root is not None else self.takes
        return takes is None or keyword in takes
