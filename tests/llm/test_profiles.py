"""A `dragoman.toml` that somebody else made decides nothing about where keys and prompts go."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, ConfigError
from dragoman.llm.profiles import UNTRUSTED, distrust, find_untrusted, profile, trust
from dragoman.llm.settings import LLMSettings
from tests.cli.running import environment, run
from tests.cli.scripted import scripted, text

ADDRESS = 'base_url = "https://elsewhere.example/v1"'
WHO = 'model = "openai/gpt-5.6"'

# what a profile could use to send the key of the environment, or the prompt, to another place
DECISIVE = [
    ADDRESS,
    'headers = {x-forward-to = "elsewhere.example"}',
    'places = {region = "elsewhere"}',
    'transport = "aiohttp"',
    'tools = [{type = "mcp", server_url = "https://elsewhere.example"}]',
    'extras = {openai = {tools = [{type = "mcp", server_url = "https://elsewhere.example"}]}}',
    f"fallbacks = [{{{WHO}, {ADDRESS}}}]",
    'facts = "facts.toml"',
    'some_setting_of_a_later_version = "x"',
]

# what says whom to ask, and how
FREE = ["temperature = 0.5", 'fallbacks = ["anthropic/claude-haiku-5-5"]', "timeout = 3",
        'system = "Be brief."', 'reasoning = "low"', "metadata = {team = '7'}",
        "max_answer_bytes = 1000000", "max_event_bytes = 100000"]  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without any files, in a folder that somebody else made."""
    folder, home = tmp_path / "theirs", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user")
    for name in ("DRAGOMAN_PROFILES", "DRAGOMAN_MODEL", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


def write(*lines: str, file: Path = Path("dragoman.toml"), name: str = "fast") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join([f"[profiles.{name}]", *lines]), "utf-8")
    return file


@pytest.mark.parametrize("door", [LLM, AsyncLLM, profile])
@pytest.mark.parametrize("line", DECISIVE)
def test_what_decides_where_a_key_goes_is_refused(line: str, door: Callable[[str], Any]) -> None:
    write(WHO, line)
    with pytest.raises(ConfigError) as raised:
        door("fast")
    assert raised.value.code == UNTRUSTED
    assert raised.value.path == f"$.profiles.fast.{line.split(maxsplit=1)[0]}"
    assert "dragoman trust" in raised.value.hint


@pytest.mark.parametrize("line", FREE)
def test_whom_to_ask_and_how_is_free(line: str) -> None:
    write(WHO, line)
    assert profile("fast") is not None
    assert find_untrusted("fast") is None
    LLM("fast", key="k")


def test_every_keyword_of_a_connection_is_decisive() -> None:
    from dragoman.llm.profiles import _FREE
    from dragoman.model.endpoint import ConnectionOptions

    bounds = {"timeout", "retries", "max_answer_bytes", "max_event_bytes"}  # how, and never whom
    assert bounds <= _FREE
    assert bounds < ConnectionOptions.__annotations__.keys()
    assert not _FREE & (ConnectionOptions.__annotations__.keys() - bounds)
    assert not _FREE - LLMSettings.__annotations__.keys() - {"model"} - bounds


# -- whose file it is --------------------------------------------------------------------------


def test_a_file_of_the_users_own_is_trusted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(WHO, ADDRESS, file=home / ".config" / "dragoman" / "dragoman.toml")
    assert profile("fast") is not None
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    assert profile("fast") is None
    write(WHO, ADDRESS, file=home / "xdg" / "dragoman" / "dragoman.toml")
    assert profile("fast") is not None


def test_a_relative_folder_of_configuration_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", ".config")
    write(WHO, ADDRESS, file=Path(".config/dragoman/dragoman.toml"))
    assert profile("fast") is None


def test_a_file_that_the_program_or_the_user_names_is_trusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = write(WHO, ADDRESS)
    assert profile("fast", file) is not None
    LLM("fast", key="k", profiles=file)
    LLM("fast", key="k", profiles="dragoman.toml")
    monkeypatch.setenv("DRAGOMAN_PROFILES", str(file))
    assert profile("fast") is not None


def test_trust_ends_with_the_next_change(home: Path) -> None:
    file = write(WHO, ADDRESS)
    trust(file)
    assert profile("fast") is not None
    stored = home / ".local" / "state" / "dragoman" / "trusted.json"
    assert stored.stat().st_mode & 0o077 == 0
    assert list(json.loads(stored.read_text("utf-8"))) == [str(file.resolve())]
    write(WHO, 'base_url = "https://other.example/v1"')
    with pytest.raises(ConfigError) as raised:
        profile("fast")
    assert raised.value.code == UNTRUSTED
    trust(file)
    assert distrust(file)
    assert not distrust(file)
    with pytest.raises(ConfigError):
        profile("fast")


def test_trust_is_that_of_the_content_that_was_shown() -> None:
    file = write(WHO, ADDRESS)
    shown = find_untrusted("fast")
    assert shown is not None
    write(WHO, 'base_url = "https://swapped.example/v1"')
    trust(file, shown.digest)
    with pytest.raises(ConfigError):
        profile("fast")


def test_the_same_content_in_another_folder_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust(write(WHO, ADDRESS))
    other = tmp_path / "other"
    write(WHO, ADDRESS, file=other / "dragoman.toml")
    monkeypatch.chdir(other)
    with pytest.raises(ConfigError):
        profile("fast")


def test_what_is_shown_cannot_steer_a_terminal() -> None:
    write(WHO, r'base_url = "https://x.example/\u001b[2J\n\u202e"')
    shown = find_untrusted("fast")
    assert shown is not None
    assert all(line.isprintable() for line in shown.settings)


# -- the commands ------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("ask", "fast", "Hi"), ("chat", "fast"), ("chat",)])
def test_nothing_is_sent_until_the_user_has_said_so(command: tuple[str, ...]) -> None:
    with scripted(text("One."), text("Two.")) as script:
        name = "fast" if "fast" in command else "default"
        write('model = "openai/gpt-5.6"', f'base_url = "{script.url}"', name=name)
        ran = run(*command, input="Hi\n")
        assert ran.exit_code != 0
        assert "dragoman trust" in ran.stderr
        assert script.asked == []
        trusted = run("trust")
        assert trusted.exit_code == 0
        assert f"{name}: base_url = {script.url}" in trusted.stdout
        assert run(*command, input="Hi\n").exit_code == 0
        assert len(script.asked) == 1
        assert run("trust", "--forget").exit_code == 0
        assert run(*command, input="Hi\n").exit_code != 0
        assert len(script.asked) == 1


def test_trust_names_what_it_cannot_find() -> None:
    ran = run("trust")
    assert (ran.exit_code, "there is no file" in ran.stderr) == (2, True)
    write(WHO)
    assert "trusted already, or says nothing that needs it" in run("trust").stdout


@pytest.mark.parametrize("answer", ["y", "n", ""])
def test_at_a_terminal_the_user_is_asked_once(answer: str) -> None:
    with scripted(text("One."), text("Two.")) as script:
        write('model = "openai/gpt-5.6"', f'base_url = "{script.url}"')
        shown = typed("ask", "fast", "Hi", answer=answer)
        assert f"fast: base_url = {script.url}" in shown
        assert "Trust this file as it is now? [y/N]" in shown
        assert len(script.asked) == (answer == "y")
        if answer == "y":
            assert "Trust" not in typed("ask", "fast", "Hi", answer="")
            assert len(script.asked) == 2


def typed(*args: str, answer: str) -> str:
    """What a command shows on a terminal, on which this is typed."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, f"{answer}\n".encode())
        command = [sys.executable, "-m", "dragoman", *args]
        with subprocess.Popen(
            command, env=environment(), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs
        ) as process:
            process.communicate(timeout=60)
        os.set_blocking(ours, False)
        return os.read(ours, 65536).decode()
    finally:
        os.close(ours)
        os.close(theirs)
