"""The paths of a source's nodes, by the walk over it: where losses are (`Index`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_HEAD = re.compile(r"\w+")


class Field(NamedTuple):
    """A field of a node whose path `places` yields: it is not `<path of the node>.<name>`.

    Attributes:
        node: The node.
        name: The name of the field.
    """

    node: object
    name: str


class InBody(NamedTuple):
    """A node whose path is that in the body that was read, as are the paths of its own fields.

    Attributes:
        node: The node.
    """

    node: object


class Index:
    """The paths of nodes and fields, from a walk that yields (path, node, Field or InBody).

    `ordinals` are those of losses: which of its node's places each loss has.
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

    def holds(self, node: object, field: str) -> bool:
        """Whether the walk came by a node, or by this field of it."""
        return id(node) in self.paths or (id(node), field) in self.fields

    def count(self, node: object, code: str, field: str) -> None:
        """Assign a place to the next loss; equal losses get the node's places in turn."""
        key = (id(node), code, field)
        self.seen[key] = self.seen.get(key, -1) + 1
        self.ordinals.append(self.seen[key])

    def path(self, node: object, ordinal: int, field: str, placed: str | None) -> str:
        """The path of a node or its field; `ordinal` selects one of several places.

        `placed` is the path of a node that represents a text, which is no node itself.
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
    """A field of extras as it is named in the node's own object: without `extras.<issuer>`."""
    others = field.removeprefix("extras.")
    ends = [at for at in (others.find("."), others.find("[")) if at >= 0]
    return others[min(ends) :] if ends else ""
