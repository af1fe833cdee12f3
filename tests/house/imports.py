"""Which module of the package imports which, and where that goes round. Knows no rule.

Imports under `if TYPE_CHECKING` count, those inside functions do not: the import contracts leave
out the first, and a reader who follows a file upwards does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from .sources import modules, parse

__all__ = ["Graph", "back_edges", "circles", "folder_imports", "module_imports"]

Graph = dict[str, set[str]]


def module_imports(package: Path) -> Graph:
    """Each module (`losses.report`; the root is an empty string) with the modules it imports."""
    paths = {_dotted(path, package): path for path in modules(package)}
    found: Graph = {}
    for name, path in paths.items():
        parts = name.split(".") if name else []
        folder = parts if path.name == "__init__.py" else parts[:-1]
        found[name] = set()
        for node in _imports(parse(path).body):
            above = folder[: len(folder) - node.level + 1]
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}".lstrip(".")
                target = inner if inner in paths else base
                if target in paths and target != name:
                    found[name].add(target)
    return found


def folder_imports(imports: Graph) -> Graph:
    """The same between what stands at the top of the package; the root itself is left out."""
    found: Graph = {}
    for name, targets in imports.items():
        if name:
            tops = {target.split(".")[0] for target in targets if target}
            found.setdefault(name.split(".")[0], set()).update(tops - {name.split(".")[0]})
    return found


def circles(graph: Graph) -> list[list[str]]:
    """Groups of modules each of which reaches every other one of its group."""
    reached = {name: _reach(graph, name) for name in graph}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached.get(other, ())))
        for name in graph
        if name in reached[name]
    }
    return [list(group) for group in sorted(groups)]


def back_edges(graph: Graph) -> list[tuple[str, str]]:
    """The imports that run back up if the folders stand on floors, in the best order found.

    The order is the one of Eades, Lin and Smyth: folders that import nothing more go to the bottom,
    those that nothing more imports to the top, and in between the one that imports the most for
    how much it is imported comes next.
    """
    rest = {*graph, *(name for names in graph.values() for name in names)}
    upper: list[str] = []
    lower: list[str] = []
    while rest:
        ends = [name for name in sorted(rest) if not graph.get(name, set()) & rest]
        starts = [name for name in sorted(rest) if not any(name in graph.get(o, ()) for o in rest)]
        if ends:
            lower[:0] = ends
        elif starts:
            upper += starts
        else:
            upper.append(max(sorted(rest), key=lambda name: _surplus(graph, name, rest)))
        rest -= {*upper, *lower}
    floor = {name: number for number, name in enumerate([*upper, *lower])}
    return sorted(
        (name, target)
        for name, targets in graph.items()
        for target in targets
        if floor[target] < floor[name]
    )


def _surplus(graph: Graph, name: str, rest: set[str]) -> int:
    imported = sum(name in graph.get(other, ()) for other in rest)
    return len(graph.get(name, set()) & rest) - imported


def _reach(graph: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [*graph[start]]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph.get(name, ())
    return seen


def _imports(body: Iterable[ast.stmt]) -> Iterator[ast.ImportFrom]:
    for node in body:
        match node:
            case ast.ImportFrom(level=level) if level:
                yield node
            case ast.If() | ast.Try():
                yield from _imports([*node.body, *node.orelse])
            case _:
                pass


def _dotted(path: Path, package: Path) -> str:
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")
