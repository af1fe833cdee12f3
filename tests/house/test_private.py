"""What begins with an underscore is its module's own, and only packages list what they export."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from .sources import PACKAGE, list_nodes, modules, parse


def private_imports(package: Path) -> list[str]:
    """`file:line name` of every private name of another module that is imported or reached."""
    found = []
    for path in modules(package):
        where = path.relative_to(package).as_posix()
        imported: set[str] = set()  # names of modules, or what could be one
        reached: list[tuple[str, str, int]] = []
        for node in list_nodes(path):
            match node:
                case ast.ImportFrom(names=names):
                    imported |= {name.asname or name.name for name in names}
                    private = [name.name for name in names if _is_private(name.name)]
                    found += [f"{where}:{node.lineno} {name}" for name in private]
                case ast.Attribute(value=ast.Name(id=owner), attr=attr) if _is_private(attr):
                    reached.append((owner, attr, node.lineno))
                case _:
                    pass
        found += [
            f"{where}:{line} {owner}.{attr}"
            for owner, attr, line in reached
            if owner in imported and owner.islower()
        ]
    return found


def lists_of_exports(package: Path) -> list[str]:
    """The modules that are no packages and define `__all__`."""
    return [
        path.relative_to(package).as_posix()
        for path in modules(package)
        if path.name != "__init__.py"
        for node in parse(path).body
        if isinstance(node, ast.Assign)
        and any(isinstance(name, ast.Name) and name.id == "__all__" for name in node.targets)
    ]


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def test_no_module_takes_the_private_names_of_another() -> None:
    assert private_imports(PACKAGE) == []


def test_only_packages_list_what_they_export() -> None:
    assert lists_of_exports(PACKAGE) == []


@pytest.mark.parametrize("line", ["from .b import _hidden", "from . import b\n\nb._hidden()"])
def test_a_private_name_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.py").write_text(line + "\n", "utf-8")
    assert len(private_imports(tmp_path)) == 1


def test_a_list_of_exports_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('__all__ = ["b"]\n', "utf-8")
    (tmp_path / "__init__.py").write_text('__all__ = ["b"]\n', "utf-8")
    assert lists_of_exports(tmp_path) == ["a.py"]
