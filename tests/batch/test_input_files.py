"""Which files are read, and what each becomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman import ConfigError
from dragoman.batch.input_files import find_parts

from .records import line


def parts(*names: str, output: str | None = None) -> tuple[list[tuple[str, str, str]], list[str]]:
    found, notes = find_parts(names, output, Path(), Path("out"))
    return [(part.source, part.output, part.quarantine) for part in found], notes


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("in/b.jsonl", "in/a.ndjson", "in/deep/b.jsonl", "in/.hidden.jsonl", "in/x.txt",
                 "in/a.quarantine.jsonl", "in/c.json"):  # fmt: skip
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(line(1))


def test_a_folder_keeps_its_names_and_says_what_it_leaves_out() -> None:
    found, notes = parts("in")
    assert [row[1] for row in found] == ["a.ndjson", "b.jsonl", "c.json", "deep/b.jsonl"]
    assert found[3] == ("in/deep/b.jsonl", "deep/b.jsonl", "deep/b.quarantine.jsonl")
    assert [note.split(": ")[1][:6] for note in notes] == ["1 quar", "1 file"]


def test_a_pattern_keeps_the_names_below_its_first_star() -> None:
    assert [row[1] for row in parts("in/**/*.jsonl")[0]] == [
        "a.jsonl", "b.jsonl", "deep/b.jsonl",
    ]  # fmt: skip


def test_a_quarantine_becomes_an_output_of_its_own_name() -> None:
    assert parts("in/a.quarantine.jsonl")[0] == [
        ("in/a.quarantine.jsonl", "a.jsonl", "a.quarantine.jsonl")
    ]


def test_an_output_may_be_named_and_packed() -> None:
    assert parts("in/b.jsonl", output="new.jsonl.gz")[0] == [
        ("in/b.jsonl", "new.jsonl.gz", "new.quarantine.jsonl")
    ]


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (("in/b.jsonl", "in/deep/b.jsonl"), "both be written to"),
        (("in/b.jsonl", "in/b.jsonl"), "both be written to"),
        (("missing.jsonl",), "no such file"),
        (("no*",), "no file has such a name"),
        (("empty",), "no file to read"),
        (("-", "-"), "twice"),
        (("long.json",), "one JSON document"),
    ],
)
def test_names_that_cannot_be_meant_are_refused(names: tuple[str, ...], fault: str) -> None:
    Path("empty").mkdir()
    Path("long.json").write_text('{\n  "model": 1\n}\n', "utf-8")
    with pytest.raises(ConfigError, match=fault):
        parts(*names)


def test_files_that_differ_in_their_endings_have_a_quarantine_each() -> None:
    Path("in/b.ndjson").write_bytes(line(1))
    assert [row[1:] for row in parts("in/b.jsonl", "in/b.ndjson")[0]] == [
        ("b.jsonl", "b.jsonl.quarantine.jsonl"),
        ("b.ndjson", "b.ndjson.quarantine.jsonl"),
    ]


def test_outputs_inside_of_the_inputs_are_no_inputs() -> None:
    Path("in/out").mkdir()
    Path("in/out/old.jsonl").write_bytes(line(1))
    found, _ = find_parts(["in"], None, Path(), Path("in/out"))
    assert "out/old.jsonl" not in [part.output for part in found]
