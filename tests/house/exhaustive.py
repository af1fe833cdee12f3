"""Plants a block class nobody knows into a copy of a package and asks mypy who must answer.

Knows that the union is an assignment to `ContentBlock` in `message/blocks.py`, and that what
answers for every member ends in `assert_never`; knows no block by name.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["NEW", "copy", "plant", "unanswered"]

NEW = "PlantedBlock"
_TAG = "planted"
_ASKED = re.compile(r"\b(ContentBlock|assert_never)\b")
_ERROR = re.compile(r"^(?P<path>[^:]+):\d+: error: .*")


def plant(package: Path) -> None:
    """Add a member to the union: the bases of the last one, and nothing of its own but `type`."""
    path = package / "message" / "blocks.py"
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    union = next(value for node in tree.body if (value := _union(node)) is not None)
    model = _class(tree, _last_member(union))
    model.name = NEW
    model.body = ast.parse(f'type: Literal["{_TAG}"] = "{_TAG}"').body
    lines = source.splitlines(keepends=True)
    assert union.end_lineno is not None
    assert union.end_col_offset is not None
    last = lines[union.end_lineno - 1].encode("utf-8")  # ast counts columns in bytes
    head, tail = last[: union.end_col_offset], last[union.end_col_offset :]
    lines[union.end_lineno - 1] = f"{head.decode('utf-8')} | {NEW}{tail.decode('utf-8')}"
    lines.insert(model.end_lineno or 0, f"\n\n{ast.unparse(model)}\n")
    path.write_text("".join(lines), "utf-8")


def unanswered(package: Path) -> dict[str, list[str]]:
    """Run mypy over the package: its errors about the planted block, by file.

    Only files that name the union, or end in `assert_never`, are checked; of all others mypy needs
    the signatures alone, which takes half of the time.
    """
    asked = [
        path.relative_to(package.parent).as_posix()
        for path in sorted(package.rglob("*.py"))
        if _ASKED.search(path.read_text("utf-8"))
    ]
    command = [
        sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull,
        "--no-site-packages", "--ignore-missing-imports", "--no-error-summary",
        "--no-color-output", "--hide-error-context", "--no-pretty",
        "--cache-dir", os.devnull, "--follow-imports", "silent", *asked,
    ]  # fmt: skip
    environment = {key: value for key, value in os.environ.items() if key != "MYPYPATH"}
    ran = subprocess.run(
        command, cwd=package.parent, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode in {0, 1}, ran.stdout + ran.stderr
    found: dict[str, list[str]] = {}
    for line in ran.stdout.splitlines():
        match = _ERROR.match(line)
        if match and NEW in line:
            name = Path(match["path"]).relative_to(package.name).as_posix()
            found.setdefault(name, []).append(line)
    return found


def copy(package: Path, into: Path) -> Path:
    """A copy of the package's sources, to be changed at will."""
    target = into / package.name
    shutil.copytree(package, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def _union(node: ast.stmt) -> ast.expr | None:
    match node:
        case (
            ast.AnnAssign(target=ast.Name(id="ContentBlock"), value=ast.expr() as value)
            | ast.Assign(targets=[ast.Name(id="ContentBlock")], value=value)
        ):
            return value
        case _:
            return None


def _last_member(union: ast.expr) -> str:
    match union:
        case ast.BinOp(right=ast.Name(id=name)):
            return name
        case _:
            raise AssertionError(f"ContentBlock is no union of class names: {ast.unparse(union)}")


def _class(tree: ast.Module, name: str) -> ast.ClassDef:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node
    raise AssertionError(f"message/blocks.py has no class {name}")
