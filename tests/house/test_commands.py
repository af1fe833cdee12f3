"""The commands that the README promises are there, and `.ci/run` runs those and no others."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from .sources import ROOT

COMMAND = re.compile(r"^\s*(?:\$ )?make ([a-z-]+)", re.MULTILINE)


def _makefile() -> str:
    return (ROOT / "Makefile").read_text("utf-8")


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", _makefile(), re.MULTILINE))


def promised(page: str) -> set[str]:
    """The make targets that stand in the code blocks of a page."""
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return {name for block in blocks for name in COMMAND.findall(block)}


def test_the_readme_promises_what_make_has() -> None:
    names = promised((ROOT / "README.md").read_text("utf-8"))
    assert {"demo", "test"} <= names
    assert names <= targets()


def test_contributing_promises_what_make_has() -> None:
    names = promised((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert "test" in names
    assert names <= targets()


def test_ci_runs_the_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert COMMAND.findall(script) == ["demo", "test"]
    assert "DRAGOMAN_CI=1" in script
    assert "set -euo pipefail" in script


def test_promises_are_read_from_code_blocks_only() -> None:
    page = "Say make sense.\n```sh\nmake demo\n$ make test  # all\n```\nmake love\n"
    assert promised(page) == {"demo", "test"}


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.split(r"[<>=\[ ]", text)[0] for group in groups for text in group} - {"dragoman"}
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    assert len(names) > 10
    assert sorted(name for name in names if f"`{name}`" not in page) == []


def test_the_tables_of_a_benchmark_are_printed_without_being_asked(tmp_path: Path) -> None:
    conftest = (ROOT / "benchmarks" / "conftest.py").read_text("utf-8")
    (tmp_path / "conftest.py").write_text(conftest, "utf-8")
    row = 'def test_it(tables):\n    tables.add("Speed", ["who", "ms"], [["ours", "1"]])\n'
    (tmp_path / "test_speed.py").write_text(row, "utf-8")
    line = re.search(r"^bench:.*\n\t\S+/python (.+?) \$\(BENCHMARKS\)", _makefile(), re.MULTILINE)
    assert line is not None
    command = [sys.executable, *line[1].split(), "-p", "no:cacheprovider", "test_speed.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert "### Speed\n\n| who | ms |\n|---|---|\n| ours | 1 |" in ran.stdout
