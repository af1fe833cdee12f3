"""What the docstrings of public functions name: their parameters, and the errors they raise.

Public is what a user can import: the names that a package lists in `__all__`, and the public
methods of the classes among them. The docstring of a class speaks for its `__init__`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from .sources import list_nodes, parse

__all__ = [
    "Docstrings",
    "find_mere_references",
    "find_unknown_arguments",
    "public_functions",
    "read_docstrings",
]

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Definition = _Function | ast.ClassDef


@dataclass
class Docstrings:
    """The parameters and the raising functions of a package, as `file:function[:parameter]`."""

    parameters: int = 0
    unnamed: list[str] = field(default_factory=list)
    raising: int = 0
    silent: list[str] = field(default_factory=list)

    @property
    def named_share(self) -> float:
        """The share of the parameters that are named."""
        return 1 - len(self.unnamed) / max(1, self.parameters)

    @property
    def raising_share(self) -> float:
        """The share of the raising functions that say so."""
        return 1 - len(self.silent) / max(1, self.raising)


def read_docstrings(package: Path) -> Docstrings:
    """Read the docstrings of every public function that has one."""
    found = Docstrings()
    for place, function, text in public_functions(package):
        for name in _parameters(function):
            found.parameters += 1
            if not re.search(rf"\b{re.escape(name)}\b", text):
                found.unnamed.append(f"{place}:{name}")
        errors = _raised(function)
        if errors:
            found.raising += 1
            if not re.search(r"\b[Rr]ais(?:es?|ed|ing)\b", text) and not any(
                re.search(rf"\b{name}\b", text) for name in errors
            ):
                found.silent.append(place)
    return found


# "The same without a loop.", or "See `LLM.ask`." and no more than errors behind it
_REFERENCE = re.compile(r"The same\b|See [^.]*(?:\.\w[^.]*)*\.?(?:\s+Raises [^.]*\.?)?\s*\Z")


def find_mere_references(package: Path) -> list[str]:
    """Find public docstrings that say nothing by themselves: a reader has to look elsewhere."""
    found = []
    for path, node in _exported(package):
        if _REFERENCE.match(ast.get_docstring(node) or ""):
            found.append(f"{path.relative_to(package).as_posix()}:{node.name}")
    for place, _, text in public_functions(package):
        if _REFERENCE.match(text):
            found.append(place)
    return sorted(set(found))


def public_functions(package: Path) -> Iterator[tuple[str, _Function, str]]:
    """Each public function that has a docstring: its place, its node, its docstring."""
    for path, node in _exported(package):
        file = path.relative_to(package).as_posix()
        if not isinstance(node, ast.ClassDef):
            if text := ast.get_docstring(node):
                yield f"{file}:{node.name}", node, text
            continue
        for item in node.body:
            if isinstance(item, _Function):
                text = ast.get_docstring(item) or ""
                if item.name == "__init__":
                    text = f"{ast.get_docstring(node) or ''}\n{text}".strip()
                elif item.name.startswith("_"):
                    continue
                if text:
                    yield f"{file}:{node.name}.{item.name}", item, text


@cache
def _exported(package: Path) -> list[tuple[Path, _Definition]]:
    """The functions and classes that packages list, where they are defined, each once."""
    trees = {path: parse(path) for pattern in ("*.py", "*.pyi") for path in package.rglob(pattern)}
    found: dict[tuple[Path, str], _Definition] = {}
    for path, tree in trees.items():
        for name in _listed(tree):
            place = _definition(trees, path, name)
            if place is not None:
                found[place[0], name] = place[1]
    return [(path, found[path, name]) for path, name in sorted(found)]


def _listed(tree: ast.Module) -> list[str]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=elements)):
                return [
                    element.value
                    for element in elements
                    if isinstance(element, ast.Constant) and isinstance(element.value, str)
                ]
            case _:
                pass
    return []


def _definition(
    trees: dict[Path, ast.Module], path: Path, name: str, depth: int = 9
) -> tuple[Path, _Definition] | None:
    """Follow a name through relative imports to the file that defines it."""
    for node in trees[path].body:
        if isinstance(node, _Definition) and node.name == name:
            return path, node
    for imported in list_nodes(path):
        if not isinstance(imported, ast.ImportFrom) or not imported.level or not depth:
            continue
        for alias in imported.names:
            if (alias.asname or alias.name) == name:
                base = path.parents[imported.level - 1].joinpath(
                    *(imported.module or "").split(".")
                )
                for file in (base / "__init__.pyi", base / "__init__.py", base.with_suffix(".py")):
                    if file in trees and file != path:
                        found = _definition(trees, file, alias.name, depth - 1)
                        if found is not None:
                            return found
    return None


def _parameters(function: _Function) -> list[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [item.arg for item in every if item.arg not in {"self", "cls"} and item.arg[0] != "_"]


def _raised(function: _Function) -> set[str]:
    """The names of the errors that the function itself raises, not what it merely passes on."""
    found: set[str] = set()
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            found.add(ast.unparse(error).rsplit(".", 1)[-1])
        if not isinstance(node, _Definition | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return found


def find_unknown_arguments(package: Path) -> list[str]:
    """Arguments that a docstring describes and its function does not take: `file:function:name`.

    Classes with a base are left out: their arguments may be those of the base.
    """
    found: list[str] = []
    for path in sorted(package.rglob("*.py")):
        for node in list_nodes(path):
            function = node
            if isinstance(node, ast.ClassDef):
                inits = [one for one in node.body if getattr(one, "name", "") == "__init__"]
                function = inits[0] if inits and not node.bases else node
            if not isinstance(function, _Function) or not isinstance(node, _Definition):
                continue
            known = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
            place = f"{path.relative_to(package).as_posix()}:{node.name}"
            names = _described(ast.get_docstring(node) or "")
            found += [f"{place}:{name}" for name in names if name.lstrip("*") not in known]
    return found


def _described(text: str) -> list[str]:
    """The names of the section `Args:`."""
    section = re.search(r"^Args:\n((?: {4,}.*\n|\n)+)", text + "\n", re.MULTILINE)
    return (
        re.findall(r"^ {4}(\S[^:(]*?)(?: \([^)]*\))?:", section[1], re.MULTILINE) if section else []
    )
