"""MCP sessions that a server has forgotten, and tools that change while it is open."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman import Toolkit
from dragoman.message import ToolResultBlock, ToolUseBlock
from dragoman.toolkit import McpServer

from .test_mcp import COMMAND, GUARD, wait_for

pytest.importorskip("mcp")

FORGETFUL = str(Path(__file__).with_name("mcp_forgetful.py"))


@pytest.fixture(params=["sessions", "none"])
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server: of the protocol with sessions, or of that of 2026-07-28."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen(
        [sys.executable, FORGETFUL, str(port), request.param],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def forget(place: str) -> int:
    """How many sessions the server has forgotten."""
    request = urllib.request.Request(f"{place}/forget", method="POST")
    with urllib.request.urlopen(request, timeout=GUARD) as answer:
        return int(answer.read())


def outputs(toolkit: Toolkit, *names: str) -> list[str]:
    calls = [ToolUseBlock(str(n), name, {"a": n} if name == "add" else {})
             for n, name in enumerate(names)]  # fmt: skip
    blocks = [msg.blocks[0] for msg in toolkit.run(calls)]
    return [str(block.output) for block in blocks if isinstance(block, ToolResultBlock)]


def test_a_session_that_the_server_forgot_is_begun_anew_and_each_call_runs_once(
    place: str, request: pytest.FixtureRequest
) -> None:
    has_sessions = request.node.callspec.params["place"] == "sessions"
    with McpServer(url=f"{place}/mcp", timeout=GUARD) as server:
        toolkit = Toolkit([server])
        assert outputs(toolkit, "add") == ["1"]
        for round_ in range(2):
            assert (forget(place) > 0) is has_sessions
            # several at once find it gone, and one new session does for all of them
            assert sorted(outputs(toolkit, "add", "add", "add")) == [
                str(2 + 3 * round_ + n) for n in range(3)
            ]


def test_tools_that_change_are_there_without_opening_anew(place: str) -> None:
    with McpServer(url=f"{place}/mcp", timeout=GUARD) as server:
        toolkit = Toolkit([server])
        assert [tool.name for tool in toolkit.tools] == ["add", "change"]
        assert outputs(toolkit, "change") == ["changed"]
        until = time.monotonic() + GUARD
        while "late" not in [tool.name for tool in toolkit.tools] and time.monotonic() < until:
            time.sleep(0.05)
        assert sorted(tool.name for tool in toolkit.tools) == ["change", "late"]
        assert sorted(tool.tool.name for tool in server.tools) == ["change", "late"]
        assert outputs(toolkit, "late") == ["late"]
        assert "there is no tool add here" in outputs(toolkit, "add")[0]


def test_a_tool_that_was_taken_out_stays_out_while_nothing_changes() -> None:
    with McpServer(COMMAND, timeout=GUARD) as server:
        toolkit = Toolkit([server])
        toolkit.remove("add")
        assert "add" not in [tool.name for tool in toolkit.tools]
        assert "there is no tool add" in outputs(toolkit, "add")[0]
