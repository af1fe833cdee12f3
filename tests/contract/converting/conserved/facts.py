"""A body taken apart: what it says, each with the path of the leaf that says it.

A table maps patterns (`messages[].content[].text`) to kinds. What no pattern knows is a fact of
the kind `leaf`, under its key; null and what is empty is one of the kind `empty`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .spelled import SPELLED, Fact

__all__ = ["Body", "Fact", "Table", "facts", "joined"]

Body: TypeAlias = Any  # JSON
Seat: TypeAlias = Callable[[Any], str | None]


@dataclass(frozen=True, slots=True)
class Table:
    """Where one wire says what: pattern -> `kind` or `kind:scope`.

    `seats`: at which patterns who speaks is seen, and how. `camel`: keys may be in snake_case.
    `quiet`: pattern -> values that only repeat the structure; None means any value. `unset`: null
    and an empty list or text are what an absent key is, as in all JSON of protocol buffers;
    `hollow`: keys of objects that say nothing when they are empty.
    """

    rows: Mapping[str, str]
    seats: Mapping[str, Seat] = field(default_factory=dict)
    quiet: Mapping[str, frozenset[Any] | None] = field(default_factory=dict)
    camel: bool = False
    unset: bool = False
    hollow: frozenset[str] = frozenset()
    trees: dict[str, Any] = field(default_factory=dict)

    def tree(self) -> dict[str, Any]:
        """The patterns as a tree of steps; `=`, `seat` and `quiet` hold what stands at a step."""
        if not self.trees:
            for mark, rows in (("=", self.rows), ("@", self.seats), ("~", self.quiet)):
                for pattern, value in rows.items():
                    node = self.trees
                    for step in pattern.replace("[]", ".[]").split("."):
                        node = node.setdefault(step, {})
                    node[mark] = value
        return self.trees


# of these null and the empty text say nothing at all; elsewhere they are leaves like others
SILENT = frozenset(
    {
        "text",
        "thinking",
        "call",
        "schema",
        "result",
        "cited_result",
        "tool_description",
        "format_description",
    }
)
# of these the whole value is one fact, however deep it is
WHOLE = frozenset({"call", "schema", "result", "cited_result", "picked"})


def facts(table: Table, body: Body) -> list[Fact]:
    """Everything that a body says."""
    return list(_facts(table, body, table.tree(), "$", "", ""))


def _facts(
    table: Table, value: Any, node: Mapping[str, Any] | None, path: str, seat: str, key: str
) -> Iterator[Fact]:
    row: str = "" if node is None else node.get("=", "")
    kind, _, scope = row.partition(":")
    if node is not None and "@" in node and isinstance(value, dict):
        seat = node["@"](value) or seat
    if kind == "server" and value is not None:
        yield Fact(kind, "", scope, path)
        yield from () if not value else _inside(table, value, node, path, seat, key)
    elif value is None or value == "" or (kind not in WHOLE and value in ([], {})):
        absent = (table.unset and value != {}) or (value == {} and key in table.hollow)
        if kind not in SILENT and not absent:
            yield Fact("empty", key, value, path)
    elif row and not _descends(kind, value):
        yield from _said(kind, scope, value, path, seat)
    elif isinstance(value, (dict, list)):
        yield from _inside(table, value, node, path, seat, key)
    elif not _is_quiet(node, value):
        yield Fact("leaf", key, value, path)


def _descends(kind: str, value: Any) -> bool:
    """Whether the facts are inside of the value: of a result if it is a list of contents."""
    if kind == "result" and isinstance(value, list):
        return all(isinstance(item, dict) and "type" in item for item in value)
    return kind not in WHOLE and isinstance(value, (dict, list))


def _inside(
    table: Table, value: Any, node: Mapping[str, Any] | None, path: str, seat: str, key: str
) -> Iterator[Fact]:
    """The facts of what a container holds."""
    if isinstance(value, dict):
        for name, inner in value.items():
            known = _camel(name) if table.camel and node is not None else name
            then = None if node is None else node.get(known)
            yield from _facts(table, inner, then, joined(path, name), seat, known)
    elif isinstance(value, list):
        then = None if node is None else node.get("[]")
        for nth, inner in enumerate(value):
            yield from _facts(table, inner, then, f"{path}[{nth}]", seat, key)


def _is_quiet(node: Mapping[str, Any] | None, value: Any) -> bool:
    if node is None or "~" not in node:
        return False
    return node["~"] is None or value in node["~"]


def _said(kind: str, scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """The facts of a value that a row knows."""
    if kind in ("speaker", "call_name") and seat == "tool":
        yield Fact("result_name", "", value, path)
    elif kind == "speaker" and value == seat:
        return  # a user who is called so
    elif kind in SPELLED:
        yield from SPELLED[kind](scope, value, path, seat)
    elif kind in ("text", "label", "result", "speaker"):
        yield Fact(kind, scope or seat, value, path)
    else:
        yield Fact(kind, scope, value, path)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest) if head and rest else name


def joined(path: str, name: str) -> str:
    """The path of a key below a path; a `$` in front makes no other name of it."""
    plain = name.removeprefix("$").isidentifier()
    return f"{path}.{name}" if plain else f'{path}["{name}"]'
