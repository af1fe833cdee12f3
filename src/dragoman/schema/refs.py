"""Where `$ref` leads, and which of them lead back to themselves.

JSON pointers into the schema itself (`#`, `#/$defs/Node`) and anchors; nothing is fetched.
"""

from __future__ import annotations

from urllib.parse import unquote

from ..jsontext import Json
from .words import below, inner

__all__ = ["Refs", "named"]


def named(ref: str) -> tuple[str, str] | None:
    """The keyword and name of a definition that `ref` names, if it names one at the root."""
    keyword, _, name = ref.removeprefix("#/").partition("/")
    if ref.startswith("#/") and keyword in ("$defs", "definitions") and name and "/" not in name:
        return keyword, _unquoted(name)
    return None


class Refs:
    """The references of one schema, looked up once each."""

    __slots__ = ("_anchors", "_cyclic", "_found", "root")

    def __init__(self, root: Json) -> None:
        self.root = root
        self._found: dict[str, tuple[str, Json] | None] = {}
        self._anchors: dict[str, Json] | None = None
        self._cyclic: frozenset[str] | None = None

    def target(self, ref: str) -> tuple[str, Json] | None:
        """The path and the schema that a reference leads to; None if it leads nowhere here."""
        if ref not in self._found:
            self._found[ref] = self._look_up(ref)
        return self._found[ref]

    def _look_up(self, ref: str) -> tuple[str, Json] | None:
        if not ref.startswith("#"):
            return None
        if ref != "#" and not ref.startswith("#/"):
            node = self._anchored().get(ref[1:])
            return None if node is None else ("$", node)
        path, node = "$", self.root
        for part in ref.split("/")[1:]:
            name = _unquoted(part)
            if isinstance(node, dict) and name in node:
                path, node = below(path, name), node[name]
            elif isinstance(node, list) and name.isdecimal() and int(name) < len(node):
                path, node = below(path, int(name)), node[int(name)]
            else:
                return None
        return (path, node) if isinstance(node, (dict, bool)) else None

    def _anchored(self) -> dict[str, Json]:
        if self._anchors is None:
            self._anchors = {}
            stack = [self.root]
            while stack:
                node = stack.pop()
                if isinstance(node, dict) and isinstance(anchor := node.get("$anchor"), str):
                    self._anchors.setdefault(anchor, node)
                stack.extend(inner(node))
        return self._anchors

    @property
    def endless(self) -> frozenset[str]:
        """The references that lead to schemas that lead back to them."""
        if self._cyclic is None:
            self._cyclic = self._cycles()
        return self._cyclic

    def _cycles(self) -> frozenset[str]:
        """References that have others before and behind them for ever: by taking off both ends."""
        leads: dict[str, set[str]] = {}
        waiting = list(self.inside(self.root))
        while waiting:
            ref = waiting.pop()
            if ref not in leads:
                found = self.target(ref)
                leads[ref] = set() if found is None else self.inside(found[1])
                waiting.extend(leads[ref])
        backward: dict[str, set[str]] = {ref: set() for ref in leads}
        for ref, others in leads.items():
            for other in others:
                backward[other].add(ref)
        return frozenset(_on_the_way(leads, backward) & _on_the_way(backward, leads))

    @staticmethod
    def inside(node: Json) -> set[str]:
        """The references that stand anywhere inside a schema."""
        found: set[str] = set()
        stack = [node]
        while stack:
            one = stack.pop()
            if isinstance(one, dict) and isinstance(ref := one.get("$ref"), str):
                found.add(ref)
            stack.extend(inner(one))
        return found


def _on_the_way(leads: dict[str, set[str]], back: dict[str, set[str]]) -> set[str]:
    """The nodes from which one can go on for ever."""
    open_ = {ref: len(others) for ref, others in leads.items()}
    ends = [ref for ref, count in open_.items() if not count]
    while ends:
        end = ends.pop()
        del open_[end]
        for before in back[end]:
            open_[before] -= 1
            if not open_[before]:
                ends.append(before)
    return set(open_)


def _unquoted(part: str) -> str:
    return unquote(part).replace("~1", "/").replace("~0", "~")
