"""Files are named for what they hold, short enough to read, and free of anybody's machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .sources import PACKAGE, ROOT, project_files

LONGEST = 600  # with docstrings; `make count` counts code
DRAWERS = {"util", "utils", "helper", "helpers", "common", "misc"}

# Put together here, so that this file does not hold what it looks for.
_PLACES = ("work", "root", "tmp/v", "Users")
MACHINE = re.compile(rf"(?<![\w.:/-])/(?:{'|'.join(_PLACES)})(?![\w.-])|{'index' + '-url'}")


def junk_drawers(files: list[Path]) -> list[Path]:
    """Files and folders whose name says nothing about what they hold."""
    return [path for path in files if DRAWERS & {part.split(".")[0] for part in path.parts}]


def too_long(files: list[Path]) -> list[str]:
    """Files of Python and JavaScript over the limit, with their lengths."""
    sources = [path for path in files if path.suffix in (".py", ".js")]
    lengths = [(path, path.read_text("utf-8").count("\n")) for path in sources]
    return [f"{path}: {length} lines" for path, length in lengths if length > LONGEST]


def machine_paths(files: list[Path]) -> list[str]:
    """Lines that name a folder of somebody's machine or point pip somewhere."""
    found = []
    for path in files:
        text = path.read_text("utf-8", errors="ignore")
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE.search(line):
                found.append(f"{path}:{number}: {line.strip()[:80]}")
    return found


def test_no_junk_drawers() -> None:
    assert junk_drawers([path.relative_to(ROOT) for path in project_files()]) == []


def test_no_file_is_too_long() -> None:
    files = project_files()
    assert PACKAGE / "__init__.py" in files
    assert too_long(files) == []


def test_the_repository_speaks_of_the_project_alone() -> None:
    assert machine_paths(project_files()) == []


def test_the_package_ships_its_types() -> None:
    assert (PACKAGE / "py.typed").is_file()


@pytest.mark.parametrize("name", ["utils.py", "a/helpers.py", "common/x.py", "a/utils/__init__.py"])
def test_a_junk_drawer_is_found(name: str) -> None:
    assert junk_drawers([Path(name), Path("a/commonground.py")]) == [Path(name)]


def test_a_long_file_is_found(tmp_path: Path) -> None:
    long, page, short = tmp_path / "long.py", tmp_path / "long.js", tmp_path / "short.py"
    for file in (long, page):
        file.write_text("x = 1\n" * (LONGEST + 1))
    short.write_text("x = 1\n" * LONGEST)
    lengths = [f"{file}: {LONGEST + 1} lines" for file in (long, page)]
    assert too_long([long, page, short]) == lengths


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("see /" + "work/main", True),
        ('open("/' + 'root/x")', True),
        ("pip --extra-index" + "-url x", True),
        ("https://example.com/work/x", False),
        ("docs/work/x", False),
        ("/workers/x", False),
        ("cd /" + "work && ls", True),
    ],
)
def test_a_machine_path_is_found(tmp_path: Path, line: str, told: bool) -> None:
    path = tmp_path / "x.md"
    path.write_text(f"one\n{line}\n")
    assert [found.split(": ")[0] for found in machine_paths([path])] == [f"{path}:2"] * told
