"""A name of another library is answered with ours, however it is asked for."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import pytest

import dragoman
from dragoman import toolkit
from dragoman.suggestions.import_names import HINTS
from tests.each_case import each_case

# the root, and every public module and package but the commands and the server
MODULES = ("dragoman", *(f"dragoman.{m}" for m in (
    "agent", "agent_logs", "analysis", "capabilities", "errors", "formatter", "gateway", "history",
    "llm", "losses", "message", "model", "protocols", "schema", "sealed_state", "stream.framing",
    "structured_output", "testing", "tokens", "toolkit", "vendors",
)))  # fmt: skip
OURS = re.compile(r"\bdragoman(?:\.\w+)+")


@each_case("module", MODULES)
def test_a_foreign_name_is_answered_with_ours(module: str) -> None:
    for name in ("FormatContext", "UserMessage", "GenerateOptions", "MsgRole"):
        with pytest.raises(ImportError, match=rf"{name}' from '{module}' \(here: ") as refused:
            exec(f"from {module} import {name}", {})
        assert HINTS[name] in str(refused.value)
        with pytest.raises(AttributeError, match=rf"{name}' \(here: "):
            getattr(import_module(module), name)
        assert not hasattr(import_module(module), name)


def found(path: str) -> bool:
    """Whether a dotted path leads from the package through its modules to what is there."""
    node: object = dragoman
    home, names = "dragoman", path.split(".")[1:]
    for name in names:
        home = f"{home}.{name}"
        if isinstance(node, ModuleType) and find_spec(home) is not None:
            node = import_module(home)
        elif hasattr(node, name):
            node = getattr(node, name)
        else:
            return False
    return True


def test_a_path_that_leads_nowhere_is_not_found() -> None:
    assert found("dragoman.tokens.CharTokenCounter")
    assert found("dragoman.AudioBlock.from_url")
    for path in ("dragoman.AudioBlock.from_nowhere", "dragoman.Nonsense", "dragoman.tokens.Msg"):
        assert not found(path)


@each_case("name", sorted(HINTS))
def test_what_a_hint_names_is_there_and_the_foreign_name_is_not(name: str) -> None:
    assert not any(name in getattr(import_module(m), "__all__", ()) for m in MODULES)
    for ours in OURS.findall(HINTS[name]):
        assert found(ours), ours
    for maker in re.findall(r"\bMsg\.(\w+)", HINTS[name]):
        assert hasattr(dragoman.Msg, maker)


@pytest.mark.parametrize(
    ("module", "name", "home"),
    [
        ("dragoman", "ToolUseBlock", "dragoman.message.ToolUseBlock"),
        ("dragoman", "ChatMessageSerializer", "dragoman.toolkit.ChatMessageSerializer"),
        ("dragoman.message", "ChatConfig", "dragoman.ChatConfig"),
        ("dragoman.toolkit", "Msg", "dragoman.Msg"),
        ("dragoman.message", "OpenAIChatModel", "dragoman.model.OpenAIChatModel"),
        ("dragoman", "ChatModelBase", "dragoman.model.ChatModelBase"),
        ("dragoman.toolkit", "SqliteMemory", "dragoman.agent.SqliteMemory"),
        ("dragoman.tokens", "DashScopeChatFormatter", "dragoman.formatter.DashScopeChatFormatter"),
        ("dragoman", "OpenAIChatModel", "dragoman.model.OpenAIChatModel"),
        ("dragoman.formatter", "ChatModelBase", "dragoman.model.ChatModelBase"),
    ],
)
def test_our_own_name_in_another_module_is_found(module: str, name: str, home: str) -> None:
    with pytest.raises(ImportError, match=re.escape(f"(here: {home})")):
        exec(f"from {module} import {name}", {})


def test_what_nobody_knows_and_modules_are_as_ever() -> None:
    for name in ("Nonsense", "nonsense", "_private"):
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}'$"):
            getattr(dragoman, name)
    with pytest.raises(ImportError, match="cannot import name 'Nonsense' from 'dragoman'"):
        exec("from dragoman import Nonsense", {})
    exec("from dragoman import analysis, cli\nfrom dragoman.message import check, blocks", {})


def test_the_toolkit_is_reachable_from_the_root() -> None:
    code = "import dragoman, sys; assert 'dragoman.toolkit' not in sys.modules; dragoman.toolkit"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert dragoman.toolkit is toolkit
