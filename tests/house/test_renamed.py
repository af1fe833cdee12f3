"""No docstring, comment or page names what has another name now, as far as that can be decided.

`Class.old`, `module.old` and `old` alone are found in backticks: the last where nothing in the
sources is called so, or in a file of its class or module that has no such name of its own.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from dragoman._old_names import OLD_ARGUMENTS, OLD_ATTRIBUTES, OLD_MODULES, OLD_NAMES
from tests.each_case import each_case

from .sources import PACKAGE, ROOT, list_nodes, modules, project_files

_CODE = re.compile(r"`([A-Za-z_][\w.]*)(?=[`(])")
_TELL_OF_THEM = ("CHANGELOG.md", "versions.md")
OWNERS = {**OLD_NAMES, **OLD_ATTRIBUTES}
FILES = [path for path in modules() if path.name != "_old_names.py"]
PAGES = [
    path
    for path in project_files()
    if path.suffix == ".md" and path.name not in _TELL_OF_THEM and "tests" not in path.parts
]


@cache
def _identifiers(path: Path) -> frozenset[str]:
    """Every name that a file defines, takes or reads."""
    found: set[str] = set()
    for node in list_nodes(path):
        for field in ("id", "attr", "arg", "name", "asname"):
            if isinstance(value := getattr(node, field, None), str):
                found.add(value)
    return frozenset(found)


@cache
def _all_identifiers() -> frozenset[str]:
    return frozenset().union(*(_identifiers(path) for path in FILES))


@cache
def _old_alone() -> frozenset[str]:
    """Old names that nothing in the sources is called by."""
    return frozenset(old for names in OWNERS.values() for old in names) - _all_identifiers()


def _classes(path: Path) -> set[str]:
    return {node.name for node in list_nodes(path) if isinstance(node, ast.ClassDef)}


def _of_file(path: Path) -> set[str]:
    """The old names that can mean nothing else in a file: of its classes and of its modules."""
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    owners = _classes(path) | {one for one in OLD_NAMES if f"{module}.".startswith(f"{one}.")}
    names = {old for owner in owners for old in OWNERS.get(owner, ())}
    return names - _identifiers(path)


def faults(text: str, own: frozenset[str] | set[str] = frozenset()) -> list[str]:
    """The old names that a text has in backticks.

    Args:
        text: A page, or a file of the sources.
        own: Old names that can mean nothing else in it.
    """
    alone = _old_alone() | own
    found = []
    for word in _CODE.findall(text):
        owner, _, name = word.rpartition(".")
        table = OWNERS.get(owner) or OWNERS.get(owner.removeprefix("dragoman.")) or {}
        old_module = word.removeprefix("dragoman.") in OLD_MODULES and word.startswith("dragoman.")
        table = table or OLD_ATTRIBUTES.get(owner.capitalize(), {})  # `report.lost(...)`
        if name in table or old_module or (not owner and name in alone):
            found.append(word)
    for owner, arguments in OLD_ARGUMENTS.items():
        found += re.findall(rf"\b{owner}\((?:{'|'.join(arguments)})=", text)
    return found


@each_case("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_file_names_what_has_another_name_now(path: Path) -> None:
    assert faults(path.read_text("utf-8"), _of_file(path)) == []


@each_case("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_names_what_has_another_name_now(path: Path) -> None:
    assert faults(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "use it before `Written.detached`", "`report` and `pair_of(llm)`", "`dragoman.study`",
        "`analysis.hashed`", "`report.made(copy, of)`",
        "`LLM(told=words)`", "`dragoman.schema.checked(arguments)`",
    ],
)  # fmt: skip
def test_an_old_name_is_found(text: str) -> None:
    assert faults(text)


def test_an_old_name_alone_is_found_beside_its_class() -> None:
    own = _of_file(PACKAGE / "message" / "written.py")
    assert faults("use it before `detached`", own) == ["detached"]
    assert faults("the `given` values are `made`") == []
