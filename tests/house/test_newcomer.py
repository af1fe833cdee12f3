"""tests/newcomer.sh runs the commands of the README, all of them, and fails when they do.

Here it runs in repositories of one page. In this one it would install the package anew; what it
would end with is run with the package that is here.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .needs import program
from .sources import ROOT

SCRIPT = ROOT / "tests" / "newcomer.sh"
WRITES = "echo '{\"messages\": []}'"


def newcomer(root: Path, *arguments: str, seconds: int = 60) -> subprocess.CompletedProcess[str]:
    """The script run in the repository that it stands in."""
    bash = program("bash", "tests/newcomer.sh is run")
    return subprocess.run(
        [bash, str(root / "tests" / SCRIPT.name), *arguments],
        capture_output=True, text=True, check=False,
        env={**os.environ, "NEWCOMER_SECONDS": str(seconds)},
    )  # fmt: skip


def repository(folder: Path, *commands: str) -> Path:
    """One whose README begins with these commands; what is not committed is not in a clone."""
    git = program("git", "tests/newcomer.sh clones the repository that it stands in")
    (folder / "tests").mkdir()
    shutil.copy(SCRIPT, folder / "tests")
    blocks = ["```python\nno = 1\n```", "```sh", *commands, "```", "```sh\nexit 9\n```", ""]
    (folder / "README.md").write_text("\n".join(blocks), "utf-8")
    who = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
    for call in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "-m", "A page"]):
        subprocess.run([git, *call], cwd=folder, check=True)
    (folder / "README.md").write_text("```sh\nexit 8\n```\n", "utf-8")
    return folder


def test_it_runs_the_commands_of_the_readme_in_a_clone(tmp_path: Path) -> None:
    ran = newcomer(repository(tmp_path, "test -d .git  # a remark", "touch made", WRITES))
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert lines[0].endswith(", A page")
    assert lines[1:6:2] == ["$ test -d .git", "$ touch made", f"$ {WRITES}"]
    assert all(line.endswith(" s") and float(line[:-2]) < 60 for line in lines[2:7:2])
    assert lines[-1].endswith(" s from nothing to a first converted request (limit 60)")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        (("echo broken >&2; false", WRITES), "broken\nnewcomer: failed"),
        (("false | true", WRITES), "newcomer: failed"),
        ((WRITES, "echo nothing"), "newcomer: the last command wrote no request"),
        ((), "newcomer: README.md has no sh block"),
    ],
)
def test_it_fails(commands: tuple[str, ...], said: str, tmp_path: Path) -> None:
    ran = newcomer(repository(tmp_path, *commands))
    assert ran.returncode == 1
    assert ran.stderr.startswith(said)


def test_it_fails_when_it_takes_too_long(tmp_path: Path) -> None:
    ran = newcomer(repository(tmp_path, "sleep 2", WRITES), seconds=1)
    assert ran.returncode == 1
    assert "more than the 1 seconds" in ran.stderr or "more than 1 seconds" in ran.stderr


def test_the_readme_ends_in_a_request_that_is_converted() -> None:
    first, *_, last = newcomer(ROOT, "--list").stdout.splitlines()
    assert first == "make demo"
    command, *arguments = shlex.split(last)
    assert command == ".venv/bin/dragoman"
    ran = subprocess.run(
        [sys.executable, "-m", "dragoman", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["messages"][0]["role"] == "user"
    assert "dropped" in ran.stderr
