"""The public surface is a list: what the root offers is written down and all of it is there."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import dragoman

from .sources import PACKAGE


def written_names(source: str) -> list[str] | None:
    """The names of a literal `__all__` in a module's source; None if there is no such list."""
    for node in ast.parse(source).body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                | ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value)
            ):
                try:
                    return list(ast.literal_eval(value))
                except ValueError:
                    return None
            case _:
                pass
    return None


def shadowed(root: Any, submodules: set[str]) -> list[str]:
    """Names of the root that a submodule would take over as soon as somebody imports it."""
    return [
        name
        for name in root.__all__
        if name in submodules and not isinstance(getattr(root, name), ModuleType)
    ]


def submodules() -> set[str]:
    return {module.name for module in pkgutil.iter_modules([str(PACKAGE)])}


def test_the_root_lists_its_names() -> None:
    names = written_names((PACKAGE / "__init__.py").read_text("utf-8"))
    assert names is not None, "dragoman/__init__.py needs a literal __all__"
    assert names == dragoman.__all__
    assert len(names) == len(set(names))
    missing = [name for name in names if not hasattr(dragoman, name)]
    assert missing == []
    assert set(names) <= set(dir(dragoman))


def test_the_fixed_entry_points_are_at_the_root() -> None:
    assert {"Msg", "DragomanError", "formatter", "message", "wire", "wires"} <= set(
        dragoman.__all__
    )


def test_no_submodule_has_the_name_of_a_root_function() -> None:
    assert {"message", "cli"} <= submodules()
    assert shadowed(dragoman, submodules()) == []


def test_names_stay_after_every_submodule_was_imported() -> None:
    before = {name: getattr(dragoman, name) for name in dragoman.__all__}
    for name in sorted(submodules() - {"__main__"}):
        importlib.import_module(f"dragoman.{name}")
    changed = [name for name, value in before.items() if getattr(dragoman, name) is not value]
    assert changed == []


def test_a_shadowed_function_is_found() -> None:
    class Root:
        __all__ = ("wire", "message", "Msg")
        message = importlib.import_module("dragoman.message")

        @staticmethod
        def wire() -> None: ...

        Msg = int

    assert shadowed(Root, {"wire", "message", "msg"}) == ["wire"]


def test_types_are_checked_of_every_name_of_the_root() -> None:
    source = (Path(__file__).parent / "public_use.py").read_text("utf-8")
    used = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.Name, ast.Attribute))
    }
    assert sorted(set(dragoman.__all__) - used) == []


_PUBLIC = ("", *(f".{name}" for name in (
    "capabilities", "formatter", "losses", "message", "history", "schema",
    "stream.framing", "analysis", "tokens", "toolkit", "vendors",
)))  # fmt: skip
# what any number of is meant; AgentScope's keywords, which its counters and formatters ignore;
# and keywords that there are not, which are taken to say what is meant
_MANY = {"*kinds", "*tools", "*args", "**client_kwargs", "**tokenizer_kwargs", "**kwargs",
         "**unknown"}  # fmt: skip


def callables(module: Any) -> list[tuple[str, Any]]:
    """The functions and classes that a module lists, and the methods of these."""
    found: list[tuple[str, Any]] = []
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) and not getattr(value, "_is_protocol", False):
            methods = inspect.getmembers(value, inspect.isroutine)
            found += [(f"{name}.{n}", m) for n, m in methods if not n.startswith("_")]
            found.append((name, value))
        elif inspect.isfunction(value):
            found.append((name, value))
    return [(name, value) for name, value in found if not inspect.ismethoddescriptor(value)]


@pytest.mark.parametrize("module", _PUBLIC)
def test_help_shows_what_each_public_name_takes(module: str) -> None:
    loose = [
        f"{name}({parameter})"
        for name, function in callables(importlib.import_module(f"dragoman{module}"))
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and str(parameter).partition(":")[0] not in _MANY
    ]
    assert loose == []


def test_a_computed_list_does_not_count() -> None:
    assert written_names("__all__ = ['a', 'b']") == ["a", "b"]
    assert written_names("__all__ = [*names()]") is None
    assert written_names("x = 1") is None
