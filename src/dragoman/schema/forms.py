"""Which JSON each keyword holds, by the drafts' own schemas; what holds other JSON says nothing.

Older drafts' forms are let pass where they have a meaning that today's can say. Knows no dialect.
Source: JSON Schema draft 2020-12, the meta-schemas of its vocabularies.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..jsontext import Json
from .words import LISTS, MAPS, SINGLES

__all__ = ["formed", "names"]

_TEXTS = ("title", "description", "format", "pattern", "$ref", "$dynamicRef", "$recursiveRef",
          "$id", "$schema", "$anchor", "$dynamicAnchor", "$comment", "contentEncoding",
          "contentMediaType")  # fmt: skip
_FLAGS = ("deprecated", "readOnly", "writeOnly", "uniqueItems")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
           "minContains", "maxContains")  # fmt: skip
_NUMBERS = ("minimum", "maximum", "multipleOf")
_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(_TEXTS, (str,)),
    **dict.fromkeys(_FLAGS, (bool,)),
    **dict.fromkeys((*_COUNTS, *_NUMBERS), (int, float)),
    **dict.fromkeys(MAPS | {"dependentRequired", "dependencies", "$vocabulary"}, (dict,)),
    **dict.fromkeys(LISTS | {"enum", "required", "examples"}, (list,)),
    **dict.fromkeys(SINGLES | {"additionalItems"}, (dict, bool)),
    "items": (dict, bool, list),  # a list in older drafts
    "exclusiveMinimum": (int, float, bool),  # a flag in older drafts
    "exclusiveMaximum": (int, float, bool),
}


def formed(keyword: str, value: Json) -> bool:
    """Whether a keyword holds what some draft lets it hold; of one that no draft knows, anything.

    Schemas inside are not looked at.
    """
    kinds = _KINDS.get(keyword)
    if kinds is None:
        return True
    if type(value) not in kinds:
        return False
    rule = _RULES.get(keyword)
    return rule is None or rule(value)


def names(value: Json) -> bool:
    """Whether it is a list of texts, each once."""
    return (
        type(value) is list
        and all(type(one) is str for one in value)
        and len(set(value)) == len(value)
    )


def _count(value: Json) -> bool:
    return bool(value >= 0 and (isinstance(value, int) or value.is_integer()))


def _some(value: Json) -> bool:
    return bool(value)


def _anchor(value: Json) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_][-A-Za-z0-9._]*", value))


def _named(value: Json) -> bool:
    return all(map(names, value.values()))


def _depended(value: Json) -> bool:
    return all(isinstance(one, (dict, bool)) or names(one) for one in value.values())


_RULES: dict[str, Callable[[Json], bool]] = {
    **dict.fromkeys(_COUNTS, _count),
    **dict.fromkeys(LISTS | {"enum"}, _some),
    "multipleOf": lambda value: value > 0,
    "$vocabulary": lambda value: all(type(one) is bool for one in value.values()),
    "dependentRequired": _named,
    "dependencies": _depended,
    "$id": lambda value: "#" not in value.removesuffix("#"),
    **dict.fromkeys(("$anchor", "$dynamicAnchor"), _anchor),
}
