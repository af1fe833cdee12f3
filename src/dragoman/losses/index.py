"""Index: where the nodes of the source stand, walked once when somebody reads a loss's place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Field", "InBody", "Index"]

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
        for path, found in places:
            if type(found) is Field:
                self.fields.setdefault((id(found.node), found.name), path)
                continue
            node = found.node if type(found) is InBody else found
            if node is not found:
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
            paths = self.paths.get(id(node))
            base = paths[min(ordinal, len(paths) - 1)] if paths else "$"
        if id(node) in self.in_body and field.startswith("extras."):
            return base + _own(field)
        return f"{base}.{field}" if field else base


def _own(field: str) -> str:
    """Where a field of extras stands in its node's own object: `extras.<issuer>` is left out."""
    rest = field.removeprefix("extras.")
    ends = [at for at in (rest.find("."), rest.find("[")) if at >= 0]
    return rest[min(ends) :] if ends else ""
