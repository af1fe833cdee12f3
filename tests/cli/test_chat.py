"""`dragoman chat`: line by line from a pipe, and in a terminal of its own."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dragoman.cli.chat_view import find_last_paragraph
from dragoman.message import ChatRequest, load
from tests.servers.real import SENTENCE

from .running import environment, run
from .scripted import call, scripted, text, thought

MODEL = "llamacpp/m"
MCP = Path(__file__).parents[1] / "toolkit" / "mcp_server.py"

WEATHER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("weather")


@server.tool(structured_output=False)
def warmth(city: str) -> str:
    return f"31 degrees in {city}"


server.run("stdio")
"""


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No profile and no variable of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("DRAGOMAN_MODEL", "DRAGOMAN_PROFILES"):
        monkeypatch.delenv(name, raising=False)


# -- from a pipe -----------------------------------------------------------------------------------


def test_a_real_server_over_two_protocols(llamacpp_server: str) -> None:
    lines = (
        "How warm is it?",
        f"/model llamacpp/anthropic/bigrams {llamacpp_server}",
        "And now?",
        f"/model llamacpp/openai-responses/bigrams {llamacpp_server}/v1",
        "And now?",
        "/tokens",
    )
    ran = run("chat", "llamacpp/bigrams", "--base-url", f"{llamacpp_server}/v1",
              input="\n".join(lines))  # fmt: skip
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert ran.stdout.splitlines().count(SENTENCE) == 3
    assert "llamacpp/anthropic/bigrams from here on - losses: 1 added\n" in ran.stdout
    assert re.search(r"used so far: \d+ input, .*\d+ output", ran.stdout)


def test_another_server_and_another_wire(aimock_server: str) -> None:
    args = ("chat", "gemini/m", "--base-url", f"{aimock_server}/v1beta")
    ran = run(*args, input="Hi\n/quit\nHi\n", GEMINI_API_KEY="none")
    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, f"{SENTENCE}\n", "")


def test_tools_of_an_mcp_server() -> None:
    answers = [call("add", a=40, b=2), text("It is 42.")]
    with scripted(*answers) as script:
        args = ("chat", MODEL, "--base-url", script.url, "--mcp", f"{sys.executable} {MCP}")
        ran = run(*args, input="What is 40 + 2?\ny\n")
        names = [tool["function"]["name"] for tool in script.asked[0]["tools"]]
        assert "add" in names
        assert "clock" not in names
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert 'calls add {"a": 40, "b": 2}' in ran.stdout
    assert "gives: 42\n" in ran.stdout
    assert ran.stdout.endswith("It is 42.\n")


def test_a_script_whose_answer_fails_is_exit_code_1() -> None:
    with scripted(429, text("Yes.")) as script:
        args = ("chat", MODEL, "--option", "retries=0", "--base-url", script.url)
        ran = run(*args, input="One\nTwo\n")
    assert ran.exit_code == 1
    assert ran.stderr == "error: RateLimited: slow down\n"
    assert ran.stdout.endswith("Yes.\n")


def test_the_call_of_a_real_server(aimock_server: str, tmp_path: Path) -> None:
    server = tmp_path / "weather.py"
    server.write_text(WEATHER, "utf-8")
    args = ("chat", "openai/m", "--base-url", f"{aimock_server}/v1", "--yes")
    ran = run(*args, "--mcp", f"{sys.executable} {server}", input="How warm is it?\n",
              OPENAI_API_KEY="none")  # fmt: skip
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        'calls warmth {"city": "Samarkand"}', "gives: 31 degrees in Samarkand", SENTENCE,
    ]  # fmt: skip


def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    ran = run("chat", "deepseek/m", input="Hi\n")
    assert ran.exit_code == 1
    assert "set DEEPSEEK_API_KEY, or" in ran.stderr


def test_the_model_of_the_environment_or_of_the_default_profile(tmp_path: Path) -> None:
    with scripted(text("One."), text("Two.")) as script:
        profile = f'[profiles.default]\nmodel = "llamacpp/p"\nbase_url = "{script.url}"\n'
        own = tmp_path / ".config" / "dragoman"  # tmp_path is the home here
        own.mkdir(parents=True)
        (own / "dragoman.toml").write_text(profile, "utf-8")
        assert run("chat", input="Hi\n").stdout == "One.\n"
        assert script.asked[-1]["model"] == "p"
        ran = run("chat", "--base-url", script.url, input="Hi\n", DRAGOMAN_MODEL="llamacpp/v")
        assert ran.stdout == "Two.\n"
        assert script.asked[-1]["model"] == "v"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([], "error: no model is named (dragoman chat vendor/model, or set DRAGOMAN_MODEL, or"),
        (["nobody/m"], "error: 'nobody/m' begins with no vendor ("),
        ([MODEL, "--option", "x=1"], "error: --option x: there is no such option"),
        ([MODEL, "--mcp", ""], "error: --mcp names no server (a command, or a URL)"),
        ([MODEL, "--mcp", "'"], "error: --mcp ': No closing quotation"),
        ([MODEL, "--mcp", "/no/such/program"], "error: McpServer('/no/such/program') cannot be"),
    ],
)
def test_a_usage_error_is_one_line_and_exit_code_2(args: list[str], told: str) -> None:
    ran = run("chat", *args)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(told)
    assert ran.stderr.count("\n") == 1


def test_lines_that_are_no_text() -> None:
    ran = run("chat", MODEL, input=b"\xff\n")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr == "error: stdin is no UTF-8 (messages are text)\n"


# -- in a terminal ---------------------------------------------------------------------------------

STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")


class Terminal:
    """A process in a terminal: what it has written, and keys for it."""

    def __init__(self, screen: int) -> None:
        self.screen = screen
        self.raw = ""
        self._seen = 0

    def until(self, words: str, interrupting: bool = False) -> str:
        """What has come since the last time, up to these words, without what steers a terminal.

        `interrupting` presses Ctrl-C, and again where nothing follows: Python's readline misses one
        that comes while it works on a key. Wait for the echo of what was typed first: Ctrl-C makes
        the terminal forget keys that were not read yet, and readline then waits for another key.
        """
        if interrupting:
            self.type("\x03")
        deadline = time.monotonic() + 60
        while words not in (shown := STEERING.sub("", self.raw)[self._seen :]):
            assert time.monotonic() < deadline, f"{words!r} has not come: {shown!r}"
            if not select.select([self.screen], [], [], 3 if interrupting else 60)[0]:
                if interrupting:
                    self.type("\x03")
                continue
            try:
                self.raw += os.read(self.screen, 65536).decode("utf-8", "replace")
            except OSError as error:  # the other side is closed
                raise AssertionError(f"{words!r} has not come: {shown!r}") from error
        end = shown.index(words) + len(words)
        self._seen += end
        return shown[:end]

    def type(self, keys: str) -> None:
        os.write(self.screen, keys.encode())

    def line(self, text: str) -> None:
        self.until("> ")
        self.type(f"{text}\n")


@contextmanager
def terminal(*args: str, **env: str) -> Iterator[tuple[Terminal, subprocess.Popen[bytes]]]:
    import fcntl
    import pty
    import struct
    import termios

    def begin() -> None:
        """Let Ctrl-C reach the process, also where a shell runs the tests in the background."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    screen, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    running = subprocess.Popen(
        [sys.executable, "-m", "dragoman", *args], env=environment(TERM="xterm", **env),
        stdin=inside, stdout=inside, stderr=inside, start_new_session=True,
        preexec_fn=begin,  # noqa: PLW1509
    )  # fmt: skip
    os.close(inside)
    try:
        yield Terminal(screen), running
    finally:
        running.kill()
        running.wait()
        os.close(screen)


POSIX = pytest.mark.skipif(os.name != "posix", reason="pseudo terminals as POSIX has them")


@POSIX
def test_a_conversation_in_a_terminal(tmp_path: Path) -> None:
    answers: list[Any] = [
        [*thought("They count.")[:1], *call("calculator", expression="6 * 7")],
        text("It is **42**.\n\n", "- one\n", "- two\n"),
        text("Still ", "`42`."),
        [{"content": "A long"}, {"content": " tale"}, "hang"],
        text("At your service."),
    ]
    with scripted(*answers) as script:
        args = ("chat", MODEL, "--tools", "--base-url", script.url)
        with terminal(*args) as (shown, running):
            shown.until(f"{MODEL} - /help lists the commands, Ctrl-D leaves")
            shown.line("What is 6 * 7?")
            assert "They count." in shown.until("run calculator? [y/N] ")
            shown.type("y\n")
            shown.until("gives: 42")
            assert "It is 42." in shown.until("• two")  # Markdown, laid out
            assert "\x1b[1m42" in shown.raw
            shown.line("/model llamacpp/other")
            shown.until("llamacpp/other from here on - ")
            shown.line("Sure?")
            shown.until("Still 42.")
            assert script.asked[-1]["model"] == "other"
            assert [one["role"] for one in script.last] == ["user", "assistant", "tool",
                                                            "assistant", "user"]  # fmt: skip
            shown.line("A tale")
            assert script.hanging.wait(60)
            shown.until("A long")
            shown.until("stopped: what had come is kept", interrupting=True)
            shown.line("/save talk.json")
            shown.until("saved 8 messages to talk.json")
            shown.until("> ")
            shown.type("\x04")
            assert running.wait(timeout=60) == 0
        stored = load(json.loads((tmp_path / "talk.json").read_text("utf-8")))
        assert isinstance(stored, ChatRequest)
        assert stored.messages[-1].text.startswith("A long")
        with terminal(*args) as (shown, running):
            shown.line("/load talk.json")
            shown.until("loaded 8 messages from talk.json")
            shown.line("Go on")
            shown.until("At your service.")
            assert len(script.last) == 9
            shown.line("/quit")
            assert running.wait(timeout=60) == 0


@POSIX
def test_of_a_paragraph_that_outgrows_the_terminal_the_end_is_seen() -> None:
    words = [{"content": f"word{n} "} for n in range(400)]
    with (
        scripted([*words, "hang"]) as script,
        terminal("chat", MODEL, "--base-url", script.url) as (shown, running),
    ):
        shown.line("Talk")
        shown.until("word399")
        assert not script.go.is_set()  # while it still grows
        stayed = shown.until("stopped: what had come is kept", interrupting=True)
        assert "word0 word1 " in stayed
        shown.line("/quit")
        assert running.wait(timeout=60) == 0


@POSIX
def test_ctrl_c_at_the_prompt_ends_nothing() -> None:
    with scripted(text("Yes.")) as script, terminal("chat", MODEL, "--base-url", script.url) as (
        shown, running,
    ):  # fmt: skip
        shown.until("> ")
        shown.type("half a ques")
        shown.until("half a ques")
        shown.until("(Ctrl-D leaves)", interrupting=True)
        shown.line("Is it?")
        shown.until("Yes.")
        assert script.last == [{"role": "user", "content": "Is it?"}]
        shown.line("/quit")
        assert running.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("growing", "end"),
    [
        ("One", 0),
        ("One.\n\nTwo.\n\nThr", 12),
        ("```python\na\n\nb", 0),
        ("```\na\n\n```\n\nAnd", 12),
        ("~~~\n```\n\n", 0),
        ("| a |\n|---|\n| b |", 0),
    ],
)
def test_only_paragraphs_that_are_whole_stay(growing: str, end: int) -> None:
    assert find_last_paragraph(growing) == end
