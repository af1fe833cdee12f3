"""Schemas that a target says in its own dialect: which leaves of the source's are not in it.

A leaf is known by its key and the one above it, wherever it stands: references may be replaced by
what they name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from .facts import joined
from .pool import Pool
from .spelled import Fact, canonical

__all__ = ["lacking"]

# the numbers that protocol buffers give to the types of a schema
_TYPES: dict[Any, str] = {
    1: "string", 2: "number", 3: "integer", 4: "boolean", 5: "array", 6: "object",
}  # fmt: skip
_NAMED = ("$defs", "definitions")
Leaf = tuple[str, str, str]


def lacking(pool: Pool, fact: Fact, told: Callable[[str], bool]) -> list[tuple[str, str]]:
    """(path, key and value) of what the likest schema does not say; that one is used up.

    Nothing is asked of it at paths that are `told` as lost.
    """
    if fact.value == {"type": "object", "properties": {}} and not pool.left("schema", fact.scope):
        return []  # no parameters, and none are said
    leaves = _leaves(fact.value, fact.path, "", "")
    wanted = [(path, leaf) for path, leaf in leaves if not told(path)]
    best: list[tuple[str, str]] = [(path, f"{leaf[1]} {leaf[2]}") for path, leaf in wanted]
    chosen = None
    for schema in pool.left("schema", fact.scope):
        there = Counter(leaf for _, leaf in _leaves(schema, "$", "", ""))
        loose = Counter(leaf[1:] for leaf in there.elements())
        missing = [(path, f"{leaf[1]} {leaf[2]}") for path, leaf in wanted
                   if not _took(leaf, there, loose)]  # fmt: skip
        if chosen is None or len(missing) < len(best):
            best, chosen = missing, schema
    if chosen is not None:
        pool.one("schema", fact.scope, chosen)
    return best


def _took(leaf: Leaf, there: Counter[Leaf], loose: Counter[tuple[str, str]]) -> bool:
    """Whether the leaf is there; what stood right in a definition may stand under any key."""
    if leaf[0] == "":
        found = loose[leaf[1:]] > 0
        loose[leaf[1:]] -= found
        return found
    if not there[leaf] and leaf[1] == "description":  # what else has no place is told behind it
        longer = (one for one in there if one[:2] == leaf[:2] and leaf[2][1:-1] in one[2])
        leaf = next(longer, leaf)
    found = there[leaf] > 0
    there[leaf] -= found
    return found


def _leaves(value: Any, path: str, above: str, key: str) -> Iterator[tuple[str, Leaf]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            if key not in _NAMED or above == "properties":
                yield from _leaves(inner, joined(path, name), key, name)
            else:  # a definition: its name is nobody's key
                yield from _leaves(inner, joined(path, name), "", "")
    elif isinstance(value, list) and value:
        for nth, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{nth}]", above, key)
    elif key == "type":
        yield path, (above, key, _TYPES.get(value, str(value).lower()))
    elif key != "$ref":
        yield path, (above, key, canonical(value))
