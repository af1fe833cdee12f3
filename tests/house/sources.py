"""Where the project's files are: what the tests of the house walk over. Knows no rule."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

__all__ = [
    "PACKAGE",
    "ROOT",
    "drop_trees",
    "list_nodes",
    "modules",
    "parse",
    "project_files",
    "top",
]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "dragoman"

_NOT_OURS = {"build", "dist", "htmlcov", "__pycache__"}


def modules(package: Path = PACKAGE) -> list[Path]:
    """All Python files of the package; a package without any is an error, not a clean one."""
    found = sorted(package.rglob("*.py"))
    assert found, f"no Python file under {package}"
    return found


def parse(path: Path) -> ast.Module:
    """The tree of a Python file, which all who ask share: nobody may change it."""
    return _parse(path.read_text("utf-8"))[0]


def list_nodes(path: Path) -> list[ast.AST]:
    """Each node of that tree, in the order of `ast.walk`."""
    return _parse(path.read_text("utf-8"))[1]


@cache
def _parse(source: str) -> tuple[ast.Module, list[ast.AST]]:
    tree = ast.parse(source)
    return tree, [*ast.walk(tree)]


def drop_trees() -> None:
    """Give up the trees: 200 MB for the package."""
    _parse.cache_clear()


def top(path: Path, package: Path = PACKAGE) -> str:
    """The name of the module or folder under the package that a file is in."""
    return path.relative_to(package).parts[0].removesuffix(".py")


def project_files(root: Path = ROOT) -> list[Path]:
    """What is, or is about to be, in the repository; without git, all that is not hidden."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if name]
        return sorted(root / name for name in set(names) if (root / name).is_file())
    return sorted(path for path in root.rglob("*") if path.is_file() and _ours(path, root))


def _ours(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts
    hidden = any(part.startswith(".") and part != ".ci" for part in parts[:-1])
    return not hidden and not _NOT_OURS.intersection(parts)
