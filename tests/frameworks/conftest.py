"""Tests beside libraries that cannot be installed beside ours: `make frameworks` runs them.

In the environment of the other tests they are not collected.
"""

from __future__ import annotations

from importlib.util import find_spec

ENVIRONMENTS = {"newest": "smolagents", "older": "google.adk"}  # a package that only it has


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


collect_ignore = [folder for folder, package in ENVIRONMENTS.items() if not _is_installed(package)]
