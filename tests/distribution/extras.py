"""Which extras users have, and what a release consists of, read from pyproject.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["DEVELOPMENT", "EXTRAS", "fault_of_names", "read_project", "read_version"]

# for work on the project; all others are for users
DEVELOPMENT = {"test", "dev", "mutants", "bench", "bench-gateway", "release"}


def read_project() -> dict[str, Any]:
    """The table `project` of pyproject.toml."""
    file = Path(__file__).resolve().parents[2] / "pyproject.toml"
    project: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))["project"]
    return project


def read_version() -> str:
    """The version of this tree."""
    return str(read_project()["version"])


def fault_of_names(names: Iterable[str], version: str) -> str | None:
    """What is wrong with the files of a release, or None.

    Args:
        names: The names of all files in its folder.
        version: The version that they must have.
    """
    found = sorted(names)
    wanted = sorted([f"dragoman-{version}-py3-none-any.whl", f"dragoman-{version}.tar.gz"])
    return None if found == wanted else f"holds {', '.join(found) or 'nothing'}, not {wanted}"


# the bare wheel first, all together last: one alone says more about what is wrong
EXTRAS = [
    "nothing",
    *sorted(set(read_project()["optional-dependencies"]) - DEVELOPMENT - {"all"}),
    "all",
]
