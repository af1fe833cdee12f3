"""Modules under the names that they had before 0.1.0: they work, and say what they are called."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dragoman
from dragoman._old_names import OLD_MODULES

ROOT = Path(dragoman.__file__).parent


@pytest.mark.parametrize(
    ("old", "new"), [*OLD_MODULES.items(), ("rewrite.truncate", "history.truncate")]
)
def test_an_old_module_is_the_new_one(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"dragoman.{old}", raising=False)
    if old.startswith("rewrite."):
        monkeypatch.setitem(sys.modules, "dragoman.rewrite", import_module("dragoman.history"))
    with pytest.warns(DeprecationWarning, match=f"dragoman.{old} is dragoman.{new} now"):
        module = import_module(f"dragoman.{old}")
    assert module is import_module(f"dragoman.{new}")


def test_an_old_name_of_the_package_warns_where_it_is_used() -> None:
    program = "import dragoman\nprint(dragoman.sse.__name__)"
    told = subprocess.run(
        [sys.executable, "-W", "default", "-c", program],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.strip() == "dragoman.stream.framing"
    assert "<string>:2: DeprecationWarning: dragoman.sse is dragoman.stream.framing" in told.stderr


def test_names_of_an_old_module_can_be_imported() -> None:
    program = "from dragoman.token import CharTokenCounter\nprint(CharTokenCounter.__module__)"
    told = subprocess.run(
        [sys.executable, "-W", "default", "-c", program],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.strip() == "dragoman.tokens.cached"
    assert "<string>:1: DeprecationWarning" in told.stderr


def test_no_module_shadows_one_of_the_standard_library() -> None:
    program = "import inspect, ssl, sqlite3; print(inspect.__name__)"
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (told.stdout.strip(), told.stderr) == ("inspect", "")


def test_a_name_that_never_was_stays_an_error() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"dragoman\.nothing"):
        import_module("dragoman.nothing")
