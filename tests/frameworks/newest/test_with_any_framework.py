"""The programs of docs/with-any-framework.md run as they stand there.

In the place of each provider is a server on loopback that judges its requests, and answers what it
is asked (tests/bridges/provider.py).
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from dragoman.testing import StrictServer
from tests.bridges.provider import answer
from tests.docs.pages import FOLDERS, Block, blocks

PRINTED = re.compile(r"(?m)^# (.+)\n\Z")
SERVED = "127.0.0.1:8080"
PAGES = {name: (folder / "with-any-framework.md").read_text() for name, folder in FOLDERS.items()}
PROGRAMS = [block for block in blocks(PAGES["en"]) if block.info == "python no-run"]
WIRES = {"anthropic": "anthropic", "openai": "openai-chat"}


def _name(block: Block) -> str:
    imports = re.findall(r"^(?:from|import) (\w+)", block.text, re.MULTILINE)
    known = ("asyncio", "openai", "anthropic", "dragoman")
    return str(next(name for name in imports if name not in known))


@pytest.fixture
def providers(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, StrictServer]]:
    with StrictServer("anthropic", answer) as claude, StrictServer("openai-chat", answer) as gpt:
        servers = {"anthropic": claude, "openai": gpt}
        for name, server in servers.items():
            monkeypatch.setenv(f"{name.upper()}_API_KEY", "none")
            row = import_module(f"dragoman.vendors.{name}")
            path = "/v1" if name == "openai" else ""
            monkeypatch.setattr(row, "VENDOR", replace(row.VENDOR, base_url=server.root + path))
        yield servers


@pytest.fixture
def address(providers: dict[str, StrictServer]) -> Iterator[str]:
    """The address of `dragoman serve`, as the page starts it."""
    python = Path(sys.prefix).parent / "bin" / "python"  # of the tests' main environment
    command = [str(python), "-m", "dragoman", "serve", "anthropic/claude-opus-5-5"]
    options = ["--port", "0", "--upstream", providers["anthropic"].root]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        yield line.strip().partition("://")[2].rstrip("/")
        server.terminate()


@pytest.mark.parametrize("block", PROGRAMS, ids=_name)
def test_a_program_calls_its_tool_and_streams(
    block: Block,
    providers: dict[str, StrictServer],
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    [expected] = PRINTED.findall(block.text)
    text = block.text
    is_served = SERVED in text
    if is_served:
        text = text.replace(SERVED, request.getfixturevalue("address"))
    exec(compile(text, f"line {block.line}", "exec"), {"__name__": "page"})
    assert capsys.readouterr().out.strip() == expected
    requests = [one for server in providers.values() for one in server.requests]
    assert all(faults == [] for server in providers.values() for faults in server.judged)
    if not is_served:
        assert [one.stream for one in requests][-1]
        assert requests[-1].messages[-2].calls[0].input == {"city": "Paris"}
        assert len(requests) == 2


def test_both_pages_have_the_same_programs() -> None:
    found = [block.text for block in blocks(PAGES["zh"]) if block.info == "python no-run"]
    assert found == [block.text for block in PROGRAMS]
    assert len({_name(block) for block in PROGRAMS}) >= 6
