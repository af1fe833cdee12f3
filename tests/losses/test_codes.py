"""The table of codes: whole, used, and its fixes name what is really there."""

from __future__ import annotations

import ast
import logging
import re
import sys
from dataclasses import fields, is_dataclass
from inspect import signature
from typing import Any

import pytest

import dragoman
import dragoman.formatter
import dragoman.message
from dragoman._old_names import OLD_CODES
from dragoman.capabilities import Capabilities, override
from dragoman.cli import app
from dragoman.formatter.wire_formatter import FormatterOptions
from dragoman.history.system_prompt import SystemPrompt
from dragoman.history.wording import Wording
from dragoman.losses import Policy, Report
from dragoman.losses.codes import CODES, rename_codes
from dragoman.losses.codes.code import KINDS, Code
from dragoman.losses.loss import load_loss
from dragoman.message import Msg
from tests.each_case import each_case
from tests.house.sources import PACKAGE, modules

ROWS = list(CODES.values())
QUOTED = re.compile(r"`([^`]+)`")
# every way to name a loss in the sources: add_loss("x.y", ...), add_losses("x.y", ...), a literal
LITERAL = re.compile(r'"([a-z_]+\.[a-z_]+)"')
GIVEN = re.compile(r'\.(?:add_loss|add_losses)\(\s*"([^"]+)"')


@each_case("row", ROWS, ids=lambda row: row.name)
def test_codes_are_whole(row: Code) -> None:
    assert CODES[row.name] is row
    assert re.fullmatch(r"[a-z_]+\.[a-z_]+", row.name)
    assert row.kind in KINDS
    assert row.meaning
    assert row.meaning[0].islower()
    assert not row.meaning.endswith(".")
    assert row.fix
    assert row.fix[0].isupper() or row.fix[0] == "`"
    assert row.fix.endswith(".")
    assert len(row.fix) < 300
    assert row.level <= logging.WARNING


@each_case("row", ROWS, ids=lambda row: row.name)
def test_what_decides_a_code_is_a_capability(row: Code) -> None:
    known = {f.name for f in fields(Capabilities)}
    assert [name for name in row.asks if name not in known] == []
    assert len(set(row.asks)) == len(row.asks)


def test_levels_are_those_of_the_kind_or_quieter() -> None:
    usual = {kind: Code("a.b", "x", kind=kind).level for kind in KINDS}
    assert usual["dropped"] == usual["degraded"] == usual["repaired"] == logging.WARNING
    assert usual["moved"] == usual["added"] == logging.INFO
    assert usual["expected"] == logging.DEBUG
    assert [row.name for row in ROWS if row.level > usual[row.kind]] == []


def sources() -> dict[str, str]:
    """The modules that may lose something, by path."""
    return {
        path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
        for path in modules()
        if path.relative_to(PACKAGE).parts[:2] != ("losses", "codes")
    }


def test_every_code_is_produced_somewhere() -> None:
    used = {name for text in sources().values() for name in LITERAL.findall(text)}
    assert sorted(set(CODES) - used) == [], "a code that nothing produces leaves the table"


def test_every_loss_has_its_row() -> None:
    unknown = {
        f"{path}: {name}"
        for path, text in sources().items()
        for name in GIVEN.findall(text)
        if name not in CODES
    }
    assert unknown == set()


# -- what a fix names -----------------------------------------------------------------------------

CLASSES: dict[str, Any] = {
    **{name: getattr(dragoman, name) for name in dragoman.__all__},
    **{name: getattr(dragoman.message, name) for name in dragoman.message.__all__},
    "SystemPrompt": SystemPrompt,
    "Wording": Wording,
}
FIELDS = {
    *FormatterOptions.__annotations__,
    *(f.name for cls in CLASSES.values() if is_dataclass(cls) for f in fields(cls)),
    *(f.name for f in fields(Capabilities)),
    *dragoman.Msg.__slots__,
}
# a loss's own field, values of options, fields of one provider, words of Python
WORDS = {"did", "off", "store", "errors"}
COMMANDS = {command.name for command in app.registered_commands}


def missing(said: str) -> str:
    """What a quoted piece of a fix names and what is not there; empty if all of it is."""
    if said.startswith("dragoman "):
        return "" if said.split()[1] in COMMANDS else said
    if not said[0].isalpha() or (" " in said and "(" not in said and "{" not in said):
        return ""  # signs that a name may hold
    if said in {*dragoman.wires(), "openai-responses"}:
        return ""
    tree = ast.parse(said, mode="exec").body[0]
    if isinstance(tree, ast.Assign):
        [target] = tree.targets
        assert isinstance(target, ast.Name)
        return _keyword(target.id, tree.value)
    assert isinstance(tree, ast.Expr)
    return _expression(tree.value)


def _keyword(name: str, value: ast.expr) -> str:
    if name == "can":
        override(Capabilities(), ast.literal_eval(value))
        return ""
    if name == "policy":
        dragoman.wire("openai-chat", policy=ast.literal_eval(value))
        return ""
    if name.startswith("promote_"):
        dragoman.formatter.OpenAIChatFormatter(**{name: ast.literal_eval(value)})
        return ""
    if name not in FIELDS and name not in WORDS:
        return name
    return _expression(value) if isinstance(value, ast.Call) else ""


def _expression(value: ast.expr) -> str:
    match value:
        case ast.Name(id=name):
            known = name in FIELDS or name in CLASSES or name in WORDS
            return "" if known or hasattr(dragoman.Formatter, name) else name
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return (
                "" if hasattr(CLASSES[owner], name) or name in _fields(owner) else f"{owner}.{name}"
            )
        case ast.Call(func=ast.Name(id=name), keywords=given):
            unknown = [key.arg for key in given if key.arg not in _fields(name)]
            return f"{name}({unknown})" if unknown else ""
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)):
            return "" if hasattr(CLASSES[owner], name) else f"{owner}.{name}"
        case _:
            return ast.unparse(value)


def _fields(name: str) -> set[str]:
    return {*signature(CLASSES[name]).parameters}


@each_case("row", ROWS, ids=lambda row: row.name)
def test_a_fix_names_what_is_there(row: Code) -> None:
    assert [absent for said in QUOTED.findall(row.fix) if (absent := missing(said))] == []


@pytest.mark.parametrize(
    "said",
    ["Wording.nothing", "ByName(head=1)", "dragoman sing", "nothing", "nothing=1", "Msg.sing(x)"],
)
def test_what_is_not_there_is_found(said: str) -> None:
    assert missing(said)


def test_a_capability_that_is_none_is_found() -> None:
    with pytest.raises(dragoman.ConfigError):
        missing('can={"flight": True}')


# -- what the table costs -------------------------------------------------------------------------


def test_no_example_is_read_by_an_import() -> None:
    assert "dragoman.losses.codes" in sys.modules
    for path in (PACKAGE / "losses" / "codes").glob("*.py"):
        text = path.read_text("utf-8")
        assert not re.search(r"import json|jsontext|loads\(", text)
        assert "resources" not in text


def test_policies_take_every_code_by_name() -> None:
    assert Policy(refuse=tuple(CODES)).refuse == tuple(CODES)


@each_case(("old", "new"), OLD_CODES.items())
def test_an_old_code_is_taken_for_the_new_one(old: str, new: str) -> None:
    assert old not in CODES
    assert new in CODES
    with pytest.warns(DeprecationWarning, match=rf"the loss code {old} is {new} now") as caught:
        assert Policy(refuse=(old,)).refuse == (new,)
    assert [one.filename for one in caught] == [__file__]
    report = Report()
    report.add_loss(new, Msg.user("Hi"))
    with pytest.warns(DeprecationWarning, match=new):
        assert report.holds(old)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("extras.*", ("extras.*",)),
        ("*", ("*",)),
        ("dropped", ("dropped",)),
        ("thinking.unsupported", ("thinking.unsupported",)),
        ("nothing.known", ("nothing.known",)),
    ],
)
def test_what_matches_as_before_is_left_alone(pattern: str, names: tuple[str, ...]) -> None:
    assert rename_codes(pattern) == names


def test_a_glob_of_old_codes_matches_what_it_did() -> None:
    with pytest.warns(DeprecationWarning, match="schema"):
        assert rename_codes("schema.t*") == ("schema.described",)
    with pytest.warns(DeprecationWarning, match="unsupported"):
        names = rename_codes("*.unsaid")
    assert set(names) == {code for code in CODES if code.endswith(".unsupported")}
    with pytest.warns(DeprecationWarning, match="summarized"):
        assert rename_codes("history.[ct]*") == ("history.[ct]*", "history.summarized")


def test_a_stored_loss_has_the_code_of_today() -> None:
    stored = {"code": "schema.told", "kind": "moved", "where": "$.tools[0]"}
    assert load_loss(stored).code == "schema.described"
