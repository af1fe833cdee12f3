"""How the program ends: exit codes, one line for each error, pipes that close, an interrupt."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import dragoman

from .running import CHAT, environment, run, shell, widest, written
from .scripted import scripted, text

ANSWER = {"id": "m1", "type": "message", "role": "assistant", "model": "m-1", "content": [],
          "stop_reason": "end_turn", "usage": {"output_tokens": 0}}  # fmt: skip
REQUEST = {"model": "m-1", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and pipes as POSIX has them")


@pytest.mark.parametrize("args", [["--help"], ["-h"], ["demo", "-h"], ["format", "--help"],
                                  ["read", "--help"], ["wires", "--help"], ["check", "-h"],
                                  ["convert", "-h"], ["diff", "-h"], ["fidelity", "-h"],
                                  ["plan", "-h"], ["ask", "-h"], ["chat", "-h"],
                                  ["matrix", "-h"], ["serve", "-h"], ["keys", "-h"],
                                  ["keys", "new", "-h"]])  # fmt: skip
def test_help_fits_80_columns(args: list[str]) -> None:
    ran = run(*args)
    assert ran.exit_code == 0
    assert ran.stdout.startswith("Usage: ")
    assert widest(ran.stdout) <= 80


def test_help_names_the_commands_and_gives_examples() -> None:
    shown = run("--help").stdout
    for word in (
        "ask ",
        "chat ",
        "check ",
        "convert ",
        "demo ",
        "diff ",
        "fidelity ",
        "keys ",
        "matrix ",
        "plan ",
        "explain ",
        "format ",
        "read ",
        "serve ",
        "wires ",
        "dragoman format chat.json --to anthropic",
    ):
        assert word in shown


def test_the_examples_of_the_help_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "chat.json", [msg.to_dict() for msg in CHAT])
    written(tmp_path / "answer.json", ANSWER)
    written(tmp_path / "stream.sse", f"data: {json.dumps(ANSWER)}\n\n")
    written(tmp_path / "request.json", REQUEST)
    written(tmp_path / "requests.jsonl", json.dumps(REQUEST))
    (tmp_path / "logs").mkdir()
    written(tmp_path / "logs" / "requests.jsonl", json.dumps(REQUEST))
    written(tmp_path / "logs.jsonl", json.dumps({"request": REQUEST, "response": ANSWER}))
    examples = run("--help").stdout.partition("Examples:")[2]
    commands = [shlex.split(line)[1:] for line in examples.splitlines() if "dragoman" in line]
    assert len(commands) == 21
    with scripted(text("Light is scattered.")) as script:
        for words in commands:
            if words[0] == "view":  # until Ctrl-C
                continue
            further = {"ask": ("--base-url", script.url), "chat": ("--base-url", script.url),
                       "serve": ("--check",)}.get(words[0], ())  # fmt: skip
            ran = run(*words, *further, DEEPSEEK_API_KEY="none")
            assert ran.exit_code == 0, words
        assert script.answers == []


def test_without_a_command_there_is_help_and_a_usage_error() -> None:
    ran = run()
    assert ran.exit_code == 2
    assert ran.stdout.startswith("Usage: ")


def test_the_version() -> None:
    ran = run("--version")
    assert ran.exit_code == 0
    assert ran.stdout.startswith("dragoman ")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["form"], "error: No such command 'form'"),
        (["format", "--to", "x", "--wat"], "error: No such option"),
        (["format"], "error: Missing option '--to' / '-t'"),
        (["format", "--to", "gemini", "--max-tokens", "0"],
         "error: Invalid value for '--max-tokens': "),
        (["format", "--to", "gemini", "--policy", "x"], "error: Invalid value for '--policy'"),
        (["format", "--to", "gemni"], "error: unknown wire 'gemni' (did you mean gemini?)"),
        (["format", "--to", "zzz"], "error: unknown wire 'zzz' (one of openai-chat, "),
        (["format", "--to", "deepseek/gemini"], "error: deepseek does not speak 'gemini' (it "),
        (["format", "--to", "gemini", "--speakers", "x"],
         "error: unknown --speakers x (role, name, tagged:ME or namefield)"),
        (["format", "--to", "gemini", "--speakers", "tagged:"], "error: unknown --speakers tagged"),
        (["format", "--to", "gemini", "--speakers", "role", "--multi-agent"],
         "error: --multi-agent contradicts --speakers role (give one of them)"),
        (["format", "--to", "gemini", "--max-tokens", "9", "--counter", "hf"],
         "error: unknown --counter hf (char, hf:NAME_OR_FOLDER, openai:MODEL, mistral:"),
        (["format", "--to", "gemini", "--allow", "x.y"],
         "error: the policy names 'x.y', which is neither a kind nor a known code (kinds: "),
        (["format", "--to", "gemini", "--facts", "x"],
         "error: 'x' is no file and no profile of facts"),
        (["format", "--to", "gemini", "no/such/file"],
         "error: no/such/file: No such file or directory"),
        (["format", "--to", "gemini", "{empty}"],
         "error: {empty}: there is no file to read in this folder"),
    ],
)  # fmt: skip
def test_a_usage_error_is_one_line_and_exit_code_2(
    args: list[str], told: str, tmp_path: Path
) -> None:
    ran = run(*(arg.replace("{empty}", str(tmp_path)) for arg in args))
    assert ran.exit_code == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith(told.replace("{empty}", str(tmp_path)))
    assert ran.stderr.count("\n") == 1


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    chat = written(tmp_path / "chat.json", [])
    ran = run("format", chat, "--to", "gemini", "-o", "no/such/folder.json")
    assert ran.exit_code == 2
    assert ran.stderr == "error: no/such/folder.json: No such file or directory\n"
    ran = run("format", chat, "--to", "gemini", "-o", str(tmp_path))
    assert ran.exit_code == 2
    assert ran.stderr.startswith(f"error: {tmp_path}: ")
    assert [path.name for path in tmp_path.parent.glob("*.part")] == []


def test_nothing_to_send_is_refused() -> None:
    ran = run("format", "--to", "anthropic", "--request", input="[]")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == (
        "error: stdin: $.messages: there is nothing to send (add a user message)\n"
    )


def test_a_mistake_of_ours_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("a\nb")

    monkeypatch.setattr(importlib.import_module("dragoman.cli.demo"), "library", broken)
    ran = run("demo")
    assert (ran.exit_code, ran.stdout) == (70, "")
    assert ran.stderr == (
        "error: a mistake in dragoman, RuntimeError: a b (`dragoman --debug` shows where)\n"
    )
    for traced in (run("--debug", "demo"), run("demo", DRAGOMAN_DEBUG="1")):
        assert traced.exit_code == 70
        assert "Traceback (most recent call last)" in traced.stderr
        assert traced.stderr.endswith("error: a mistake in dragoman, RuntimeError: a b\n")


def test_debug_shows_where_an_error_of_the_user_is_found() -> None:
    ran = run("--debug", "format", "--to", "gemini", input="[7]")
    assert ran.exit_code == 2
    assert "Traceback (most recent call last)" in ran.stderr


def test_python_m_dragoman_ends_with_the_same_codes(tmp_path: Path) -> None:
    chat = written(tmp_path / "chat.json", [msg.to_dict() for msg in CHAT])
    assert shell("format", chat, "--to", "openai-chat").returncode == 0
    refused = shell("format", chat, "--to", "deepseek", "--policy", "refuse")
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert shell("format", chat).returncode == 2


def test_a_refusal_of_much_text_stays_short() -> None:
    value = [{"name": "", "role": "x" * 100_000, "content": ""}]
    ran = run("format", "--to", "gemini", input=json.dumps(value))
    assert ran.exit_code == 2
    assert len(ran.stderr) < 1000


def test_nothing_else_imports_typer_and_rich() -> None:
    package = Path(dragoman.__file__).parent
    files = [file for file in package.rglob("*.py") if "cli" not in file.parts]
    assert len(files) > 50
    imports = re.compile(r"^\s*(?:import|from) (?:typer|click|rich)\b", re.MULTILINE)
    assert [file for file in files if imports.search(file.read_text("utf-8"))] == []


def test_json_can_be_piped_on(tmp_path: Path) -> None:
    chat = written(tmp_path / "chat.json", [msg.to_dict() for msg in CHAT])
    ran = shell("format", chat, "--to", "gemini")
    assert json.loads(ran.stdout)[-1] == {"role": "user", "parts": [{"text": "Thanks!"}]}
    assert "name.unsupported" in ran.stderr


def test_the_library_s_log_does_not_tell_losses_a_second_time(tmp_path: Path) -> None:
    chat = written(tmp_path / "chat.json", [msg.to_dict() for msg in CHAT])
    args = ("format", chat, "--to", "deepseek", "--model", "deepseek-chat")
    assert shell(*args).stderr.count("block.unsupported") == 1
    assert shell(*args, "--json").stderr == ""


@POSIX
@pytest.mark.parametrize("args", [["demo"], ["wires"], ["wires", "--json"], ["format"], ["read"]])
def test_a_closed_pipe_is_quiet(args: list[str], tmp_path: Path) -> None:
    if args == ["format"]:
        one = json.dumps([msg.to_dict() for msg in CHAT])
        file = written(tmp_path / "many.jsonl", f"{one}\n" * 500)
        args = ["format", file, "--to", "openai-chat", "--policy", "ignore"]
    elif args == ["read"]:
        args = ["read", written(tmp_path / "answer.json", ANSWER)]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        ran = subprocess.run(
            [sys.executable, "-m", "dragoman", *args], env=environment(), check=False,
            stdin=subprocess.DEVNULL, stdout=closed, stderr=subprocess.PIPE, timeout=60,
        )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (141, b"")


@POSIX
def test_ctrl_c_ends_quietly() -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "dragoman", "format", "--to", "gemini"], env=environment(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # a shell starts what runs in the background with the signal ignored
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )  # fmt: skip
    with running:
        _wait_until_it_reads(running)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 130
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.read() == b""
        assert b"Traceback" not in running.stderr.read()


def _wait_until_it_reads(running: subprocess.Popen[bytes]) -> None:
    """Until the process has taken what is in its stdin: then it has started."""
    assert running.stdin is not None
    running.stdin.write(b"[")
    running.stdin.flush()
    import array
    import fcntl
    import termios

    left = array.array("i", [1])
    deadline = time.monotonic() + 60
    while left[0] and time.monotonic() < deadline:
        time.sleep(0.05)
        fcntl.ioctl(running.stdin, termios.FIONREAD, left)
    assert left[0] == 0
