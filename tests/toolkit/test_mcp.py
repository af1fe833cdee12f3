"""MCP servers of the official package, over stdio and HTTP: their tools, calls and results."""

from __future__ import annotations

import asyncio
import os
import pickle
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman import ConfigError, Msg, Toolkit
from dragoman.message import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.message.media import Base64Source, TextSource
from dragoman.toolkit import McpServer

pytest.importorskip("mcp")

SERVER = str(Path(__file__).with_name("mcp_server.py"))
COMMAND = [sys.executable, SERVER]
GUARD = 60  # seconds, for a machine that is busy


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The server over HTTP, on a free port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen(
        [*COMMAND, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


def wait_for(port: int) -> None:
    for _ in range(GUARD * 20):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("the server does not come up")


@pytest.fixture(params=["stdio", "http"])
def server(request: pytest.FixtureRequest) -> McpServer:
    if request.param == "stdio":
        return McpServer(COMMAND, env={"WHO": "Tony's"}, timeout=GUARD)
    return McpServer(url=request.getfixturevalue("url"), timeout=GUARD)


def run(toolkit: Toolkit, name: str, arguments: dict[str, Any]) -> ToolResultBlock:
    return result(toolkit.run([ToolUseBlock("1", name, arguments)]))


def result(msgs: list[Msg]) -> ToolResultBlock:
    [[block]] = [m.blocks for m in msgs]
    assert isinstance(block, ToolResultBlock)
    return block


def test_its_tools_are_tools(server: McpServer) -> None:
    with server:
        toolkit = Toolkit([server], timeout=GUARD)
        assert [told.name for told in toolkit.tools] == [
            "add", "whose", "fail", "wait", "show", "measure",
        ]  # fmt: skip
        add = toolkit.tools[0]
        assert add.description == "Add two numbers."
        assert add.schema is not None
        assert add.schema["properties"]["a"]["type"] == "integer"
        assert add.schema["required"] == ["a"]
        assert run(toolkit, "add", {"a": "2"}).output == "3"
        assert toolkit.parse(ToolUseBlock("1", "add", {"a": "2"})) == {"a": 2}


def test_results_become_blocks(server: McpServer) -> None:
    with server:
        toolkit = Toolkit([server], timeout=GUARD)
        assert run(toolkit, "show", {}).output == [
            TextBlock("One photo."),
            ImageBlock(Base64Source("image/png", "iVBORw0KGgo=")),
            AudioBlock(Base64Source("audio/wav", "UklGRg==")),
            DocumentBlock(TextSource(["A note."]), "file:///a.txt"),
            DocumentBlock(Base64Source("application/pdf", "JVBERi0="), "file:///b.pdf"),
            TextBlock("c: file:///c.txt\nA third."),
        ]
        assert run(toolkit, "measure", {}).output == [
            TextBlock("Warm."), TextBlock('{"degrees": 18}'),
        ]  # fmt: skip


def test_errors_stay_errors(server: McpServer) -> None:
    with server:
        toolkit = Toolkit([server], timeout=GUARD)
        failed = run(toolkit, "fail", {})
        assert failed.is_error
        assert "fail" in str(failed.output)
        wrong = run(toolkit, "add", {"b": "x"})
        assert wrong.is_error
        assert "$.b: " in str(wrong.output)


def test_a_call_has_its_time_and_the_next_one_works(server: McpServer) -> None:
    with server:
        toolkit = Toolkit([server], timeout=0.2)
        late = run(toolkit, "wait", {"seconds": GUARD * 10})
        assert (late.is_error, str(late.output).startswith("TimeoutError")) == (True, True)
        toolkit.timeout = GUARD
        assert run(toolkit, "wait", {"seconds": 0}).output == "done"


def test_async_programs_use_it_too(server: McpServer) -> None:
    async def ask() -> list[Msg]:
        async with server as opened:
            calls = [ToolUseBlock(str(n), "add", {"a": n}) for n in range(4)]
            return await Toolkit([opened]).arun(calls)

    found = asyncio.run(asyncio.wait_for(ask(), GUARD))
    assert [result([m]).output for m in found] == ["1", "2", "3", "4"]
    assert server._connection is None


def test_what_it_is_given() -> None:
    with McpServer(COMMAND, env={"WHO": "ours"}, only=["whose"], prefix="shelf.") as server:
        toolkit = Toolkit([server], timeout=GUARD)
        assert [told.name for told in toolkit.tools] == ["shelf.whose"]
        assert run(toolkit, "shelf.whose", {"name": "WHO"}).output == "ours"
        os.environ["DRAGOMAN_SECRET"] = "x"
        try:
            assert run(toolkit, "shelf.whose", {"name": "DRAGOMAN_SECRET"}).output == "nobody's"
        finally:
            del os.environ["DRAGOMAN_SECRET"]


def test_a_server_opens_once_and_again_after_it_was_closed() -> None:
    server = McpServer(COMMAND, timeout=GUARD)
    with pytest.raises(ConfigError, match="is not open"):
        Toolkit([server])
    with server:
        toolkit = Toolkit([server], timeout=GUARD)
        with pytest.raises(ConfigError, match="open already"):
            server.open()
    server.close()
    closed = run(toolkit, "add", {"a": 1})
    assert (closed.is_error, "is not open" in str(closed.output)) == (True, True)
    with server:
        assert run(toolkit, "add", {"a": 1}).output == "2"


SILENT = "import time; time.sleep(600)"


@pytest.mark.parametrize(
    ("server", "told"),
    [
        (McpServer(["no-such-program-here"]), "No such file"),
        (McpServer([sys.executable, "-c", "pass"]), "cannot be opened"),
        (
            McpServer([sys.executable, "-c", SILENT], timeout=0.5),
            "has not answered for 0.5 seconds",
        ),
        (McpServer(url="http://127.0.0.1:9/mcp"), "connection"),
    ],
)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_what_cannot_be_opened_says_why(server: McpServer, told: str, way: str) -> None:
    with pytest.raises(ConfigError) as caught:
        server.open() if way == "sync" else asyncio.run(server.aopen())
    assert told in str(caught.value)
    assert caught.value.code == "mcp.open"
    assert server._connection is None


def test_how_it_is_named() -> None:
    secret = McpServer(url="https://mcp.example/x?key=secret", headers={"authorization": "secret"})
    assert repr(secret) == "McpServer('https://mcp.example/x')"
    assert "secret" not in repr(McpServer(["serve", "--key", "secret"], env={"KEY": "secret"}))
    wrong: list[dict[str, Any]] = [{}, {"command": ["a"], "url": "b"}, {"command": "python x.py"}]
    for given in wrong:
        with pytest.raises(ConfigError):
            McpServer(**given)


def test_its_keys_are_not_copied() -> None:
    with pytest.raises(ConfigError, match="holds a connection"):
        pickle.dumps(McpServer(url="https://mcp.example", headers={"authorization": "secret"}))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(ConfigError, match=r"dragoman\[mcp\]"):
        McpServer(COMMAND).open()
