"""The core does no I/O: it opens no file and no socket; what it needs, it is given as a value.

import-linter sees imported packages; this walk over the syntax trees sees the rest. The two lists
of what is core must agree.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from .sources import PACKAGE, ROOT, list_nodes, modules, top

# Edges and programs, today's and those to come: everything else is core.
MAY_TOUCH_THE_WORLD = {
    "media_fetch", "transport", "tokens", "cli", "__main__", "toolkit", "vendors", "_old_names",
    "model", "llm", "agent", "agent_logs", "testing", "gateway", "page", "batch",
}  # fmt: skip

# The tables of models that installed packages carry are files of theirs.
READS_PACKAGES = {"capabilities/limit_tables.py"}

WORLD = {
    "urllib.request", "urllib3", "http.client", "http.server", "socket", "ssl", "requests",
    "httpx", "httpx2", "aiohttp", "websockets", "subprocess", "tempfile", "shutil", "sqlite3",
}  # fmt: skip
# What these open is no file: an envelope around somebody's state, a block of a stream.
OPENING_NO_FILE = {"envelope", "_block"}
FILE_METHODS = {"read_text", "read_bytes", "write_text", "write_bytes", "urlopen", "iterdir"}


def breaches(package: Path) -> list[str]:
    """Every place in the core that reaches for a file or a socket, as `path:line: what`."""
    found = []
    for path in modules(package):
        name = path.relative_to(package)
        if top(path, package) in MAY_TOUCH_THE_WORLD or name.as_posix() in READS_PACKAGES:
            continue
        for node in list_nodes(path):
            if isinstance(node, ast.Call | ast.Attribute | ast.Import | ast.ImportFrom):
                found += [f"{name}:{node.lineno}: {what}" for what in _reaches(node)]
    return found


def _reaches(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(
            func=ast.Attribute(
                attr="open", value=ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name)
            )
        ) if name in OPENING_NO_FILE:
            pass
        case ast.Call(func=ast.Name(id="open") | ast.Attribute(attr="open")):
            yield "open("
        case ast.Attribute(attr=attr) if attr in FILE_METHODS:
            yield f".{attr}"
        case ast.Import(names=names):
            yield from (alias.name for alias in names if _of_the_world(alias.name))
        case ast.ImportFrom(module=str(module), names=names, level=0):
            full = [module, *(f"{module}.{alias.name}" for alias in names)]
            yield from (name for name in full if _of_the_world(name))
        case _:
            pass


def _of_the_world(name: str) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:end]) in WORLD for end in range(1, len(parts) + 1))


def test_the_core_touches_no_file_and_no_socket() -> None:
    assert breaches(PACKAGE) == []


@pytest.mark.parametrize(
    "line",
    [
        'open("x")',
        'io.open("x")',
        'Path("x").open()',
        'Path("x").read_text()',
        'Path("x").read_bytes()',
        'Path("x").write_text("y")',
        "import urllib.request",
        "from urllib import request",
        "from urllib.request import urlopen",
        "import socket as s",
        "import httpx",
        "from requests.adapters import HTTPAdapter",
    ],
)
def test_a_planted_breach_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "fit.py").write_text(f"def f():\n    {line}\n", "utf-8")
    assert {breach.split(": ")[0] for breach in breaches(tmp_path)} == {"fit.py:2"}


@pytest.mark.parametrize(
    "line",
    ["from urllib.parse import quote", "opened(x)", "x.opening", "envelope.open(signature)",
     "self._block.open(step)"],
)  # fmt: skip
def test_what_is_no_breach_is_let_through(tmp_path: Path, line: str) -> None:
    (tmp_path / "fit.py").write_text(f"{line}\n", "utf-8")
    assert breaches(tmp_path) == []


def test_edges_may_touch_the_world(tmp_path: Path) -> None:
    (tmp_path / "media_fetch").mkdir()
    (tmp_path / "media_fetch" / "local_files.py").write_text('open("x")\n', "utf-8")
    assert breaches(tmp_path) == []


def test_the_import_contract_covers_the_same_core() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    [contract] = [
        contract
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["name"] == "Sockets and SDKs stay out of the core"
    ]
    core = {top(path) for path in modules()} - {"__init__"}
    names = {f"dragoman.{name.replace('/', '.')}" for name in core - MAY_TOUCH_THE_WORLD}
    assert set(contract["source_modules"]) == names
