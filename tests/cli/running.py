"""Runs the command for the tests: in this process, or as a shell would. Knows no command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import typer.testing
from rich.cells import cell_len
from typer.testing import CliRunner, Result

from dragoman import Msg
from dragoman.cli import app
from dragoman.message import ImageBlock, TextBlock, ToolResultBlock, ToolUseBlock, URLSource

__all__ = ["CHAT", "environment", "run", "shell", "widest", "written"]

# a program makes its commands once; the runner does it for each line, in two thirds of the time
typer.testing._get_command = cache(typer.testing._get_command)  # type: ignore[attr-defined]

_UNSET = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "DRAGOMAN_DEBUG", "PYTHONIOENCODING", "TERM")

CHAT = [
    Msg("system", "Be kind.", "system"),
    Msg("Bob", [TextBlock("Hi, 你好"), ImageBlock(URLSource("https://x.example/y.png"))], "user"),
    Msg("Friday", [ToolUseBlock("1", "look", {"at": [1, 2]})], "assistant"),
    Msg("", [ToolResultBlock("1", "look", [TextBlock("a cat")])], "tool"),
    Msg("Friday", "A cat.", "assistant"),
    Msg("Bob", "Thanks!", "user"),
]


def run(*args: str, input: str | bytes | None = None, width: int = 80, **env: str) -> Result:
    """One command line in this process, on a screen of this width that is no terminal."""
    clean: dict[str, str | None] = {**dict.fromkeys(_UNSET), "COLUMNS": str(width), **env}
    return CliRunner(env=clean).invoke(app, list(args), input=input)


def environment(**env: str) -> dict[str, str]:
    """The environment of a shell of 80 columns, without what would change the output."""
    rest = {key: value for key, value in os.environ.items() if key not in _UNSET}
    return {**rest, "COLUMNS": "80", "PYTHONUTF8": "1", **env}


def shell(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """One command line in a process of its own, with an empty stdin."""
    return subprocess.run(
        [sys.executable, "-m", "dragoman", *args], env=environment(**env), text=True,
        encoding="utf-8", stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip


def widest(text: str) -> int:
    """Columns of the widest line; Chinese characters take two."""
    return max(cell_len(line) for line in text.split("\n"))


def written(path: Path, value: Any) -> str:
    """Write JSON text (or a list of lines) to a file; its name."""
    lines = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    path.write_text(lines, "utf-8")
    return str(path)
