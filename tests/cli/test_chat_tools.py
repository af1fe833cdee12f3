"""The tools that a chat offers: they compute and read, and do nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dragoman import Toolkit
from dragoman.cli.chat_tools import EXAMPLES, calculator, clock, read_file


def test_what_the_model_is_told_of_them() -> None:
    told = {tool.name: tool for tool in Toolkit(EXAMPLES)}
    assert list(told) == ["clock", "calculator", "read_file"]
    assert told["clock"].schema is not None
    assert "required" not in told["clock"].schema
    assert told["calculator"].schema is not None
    assert told["calculator"].schema["required"] == ["expression"]
    assert all(tool.description for tool in told.values())


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 * (3 + sqrt(16)) ** 2", "98.0"),
        ("7 // 2 - -1", "4"),
        (" max(1, 2, 3) % 2 ", "1"),
        ("2 ** 100", str(2**100)),
        ("2 ** -1", "0.5"),
        ("round(pi, 2)", "3.14"),
        ("+5", "5"),
    ],
)
def test_arithmetic(expression: str, value: str) -> None:
    assert calculator(expression) == value


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("__import__('os').system('true')", "is no arithmetic that this calculator knows"),
        ("open('x')", "is no arithmetic"),
        ("(1).real", "is no arithmetic"),
        ("[x for x in (1, 2)]", "is no arithmetic"),
        ("'a' * 9", "is no arithmetic"),
        ("True + 1", "is no arithmetic"),
        ("round(pi, ndigits=2)", "is no arithmetic"),
        ("1 +", "this is no arithmetic expression"),
        ("a = 1", "this is no arithmetic expression"),
        ("9 ** 9 ** 9", "the power is too large"),
        ("(-1) ** 0.5", "the power is no real number"),
        ("1" * 201, "an expression has at most 200 characters"),
    ],
)
def test_anything_else_is_refused(expression: str, told: str) -> None:
    with pytest.raises(ValueError, match=told.replace("(", r"\(")):
        calculator(expression)


def test_the_time_in_a_zone_and_here() -> None:
    there = datetime.fromisoformat(clock("Asia/Samarkand"))
    assert there.utcoffset() == timedelta(hours=5)
    assert abs(there - datetime.fromisoformat(clock())) < timedelta(hours=1)
    assert abs(there - datetime.now(UTC)) < timedelta(hours=1)


@pytest.mark.parametrize("name", ["Nowhere/Land", "../../etc/passwd", "/etc/passwd"])
def test_a_zone_that_there_is_none_of(name: str) -> None:
    with pytest.raises(ValueError, match="no time zone is called"):
        clock(name)


def test_files_below_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    (here / "notes").mkdir(parents=True)
    (here / "notes" / "a.txt").write_text("Grüße", "utf-8")
    (here / "raw").write_bytes(b"\xff")
    (here / "long").write_bytes(b"x" * 200_001)
    (here / ".env").write_text("KEY=1")
    (tmp_path / "secret").write_text("no")
    (here / "link").symlink_to(tmp_path / "secret")
    monkeypatch.chdir(here)
    assert read_file("notes/a.txt") == "Grüße"
    assert read_file(str(here / "notes" / "a.txt")) == "Grüße"
    for path in ("../secret", "link", str(tmp_path / "secret"), "notes/../../secret"):
        with pytest.raises(PermissionError, match="not below the current directory"):
            read_file(path)
    for path in (".env", "notes/../.env"):
        with pytest.raises(PermissionError, match="hidden files are not read"):
            read_file(path)
    with pytest.raises(FileNotFoundError, match="there is no file notes"):
        read_file("notes")
    with pytest.raises(ValueError, match="raw is no text"):
        read_file("raw")
    with pytest.raises(ValueError, match="long has 200001 bytes"):
        read_file("long")
