"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib

from tests.each_case import each_case

from .sources import PACKAGE, modules


def _with_examples() -> list[str]:
    found = []
    for path in modules():
        if ">>> " in path.read_text("utf-8"):
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            found.append(".".join(parts).removesuffix(".__init__"))
    return found


@each_case("name", _with_examples())
def test_examples_in_docstrings_run(name: str) -> None:
    ran = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert ran.attempted > 0
    assert ran.failed == 0


def test_there_are_examples() -> None:
    assert _with_examples() != []
