"""Which files are read, and what each becomes."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
from pathlib import Path

import pytest

from dragoman import ConfigError
from dragoman.batch.input_files import find_parts
from dragoman.batch.output_files import OutputFile
from tests.each_case import each_case

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
        (("",), "is empty"),
        (("loop.jsonl",), "this link leads to no file"),
        (("in", "loop.jsonl"), "this link leads to no file"),
    ],
)
def test_names_that_cannot_be_meant_are_refused(names: tuple[str, ...], fault: str) -> None:
    Path("empty").mkdir()
    Path("loop.jsonl").symlink_to("loop.jsonl")
    Path("long.json").write_text('{\n  "model": 1\n}\n', "utf-8")
    with pytest.raises(ConfigError, match=fault):
        parts(*names)


@each_case(
    ("data", "fault"),
    [
        (lzma.compress(line(1)), "xz data"),
        (b"PK\x03\x04" + b"\0" * 40, "ZIP"),
        (line(1).decode().encode("utf-16"), "UTF-16"),
        (line(1).decode().encode("utf-16-le"), "UTF-16"),
        (b"\xfe\xff" + line(1).decode().encode("utf-16-be"), "UTF-16"),
        (gzip.compress(line(1).decode().encode("utf-16")), "UTF-16"),
        (gzip.compress(gzip.compress(line(1))), "in the packed data there is gz data"),
        (bz2.compress(b"PAR1" + b"\0" * 40), "in the packed data there is parquet data"),
        (gzip.compress(b"[\n 1\n]\n"), "one JSON document"),
        (b"{\n}\n", "one JSON document"),
    ],
)
def test_data_of_which_each_line_would_fail_is_refused(data: bytes, fault: str) -> None:
    Path("data.jsonl").write_bytes(data)
    with pytest.raises(ConfigError, match=fault) as caught:
        parts("data.jsonl")
    assert caught.value.hint


def test_damaged_data_is_not_refused() -> None:
    for number, data in enumerate((b"\x1f\x8b", b"BZh9", b"\x28\xb5\x2f\xfd\xff", b"\x1f\x8b" * 9)):
        Path(f"{number}.jsonl").write_bytes(data)
        assert parts(f"{number}.jsonl")[0]


def test_links_to_folders_are_said_to_be_left_out() -> None:
    Path("other").mkdir()
    Path("in/up").symlink_to("..")
    Path("in/other").symlink_to("../other")
    found, notes = parts("in")
    assert [row[1] for row in found] == ["a.ndjson", "b.jsonl", "c.json", "deep/b.jsonl"]
    assert "in: 2 link(s) to folders left out; name them to read them" in notes


def test_a_folder_that_cannot_be_read_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refuse(path: str) -> object:  # root may read every folder
        if str(path).endswith("deep"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(PermissionError, match="deep"):
        parts("in")


def test_a_table_is_not_packed_once_more() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(ConfigError, match="packs its columns itself"):
        parts("in/b.jsonl", output="new.parquet.gz")


def test_a_full_disk_is_told_with_the_name_of_the_file() -> None:
    Path("full").symlink_to("/dev/full")
    output = OutputFile(Path("full"))
    output.file.write(line(1))
    with pytest.raises(OSError, match="full") as caught:
        output.close()
    output.discard()
    assert caught.value.errno == errno.ENOSPC


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
