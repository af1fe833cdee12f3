"""Damaged Parquet and Arrow files: each row is converted, in quarantine, or said to be unread."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from dragoman.batch import Converter
from dragoman.batch.table_reading import TableReader, find_groups
from dragoman.batch.tables import FILE, PARQUET, STREAM
from tests.each_case import each_case

from .deadly import Limited
from .records import InProcess, command, convert, entries, tree

arrow: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")

_GROUP = 600  # rows in each of three groups
_FLIPPED = 40  # bytes


def chats(rows: int = 3 * _GROUP) -> list[dict[str, Any]]:
    """Rows with texts that no compression makes small."""
    rng = random.Random(3)
    return [
        {"messages": [{"role": "user", "content": f"{number}: {rng.randbytes(90).hex()}"},
                      {"role": "assistant", "content": "Yes."}],
         "label": number}
        for number in range(rows)
    ]  # fmt: skip


def flip(path: Path, at: int) -> None:
    """Turn the bits of some bytes of a file over."""
    data = bytearray(path.read_bytes())
    for place in range(at, at + _FLIPPED):
        data[place] ^= 0xFF
    path.write_bytes(data)


def damage_group(path: Path, group: int) -> None:
    """Damage the texts of a group of rows in its middle."""
    with parquet.ParquetFile(path) as file:
        rows = file.metadata.row_group(group)
        columns = [rows.column(number) for number in range(rows.num_columns)]
        column = max(columns, key=lambda column: column.total_compressed_size)
        begin = column.dictionary_page_offset or column.data_page_offset
        at = begin + column.total_compressed_size // 2
    flip(path, at)


def write_parquet(path: Path, **options: Any) -> Path:
    parquet.write_table(arrow.Table.from_pylist(chats()), path, row_group_size=_GROUP, **options)
    return path


def write_arrow(path: Path, kind: str, **options: Any) -> Path:
    table = arrow.Table.from_pylist(chats())
    make = arrow.ipc.new_file if kind == FILE else arrow.ipc.new_stream
    with make(str(path), table.schema, options=arrow.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=_GROUP)
    return path


def labels(out: Path) -> list[int]:
    """The labels of the records that came out, in their order."""
    return [json.loads(row)["label"] for row in out.read_bytes().splitlines()]


def run(path: Path, to: Path, **rest: Any) -> dict[str, Any]:
    work = Converter("auto", "hf-messages", policy="ignore")
    return convert(path, to=to, converter=work, ending=".jsonl", engine=InProcess, **rest)


@pytest.fixture
def places(tmp_path: Path) -> Callable[[], Path]:
    """Makes a folder for each case."""
    numbers = count()

    def make() -> Path:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        return folder

    return make


@each_case(
    ("options", "before"),
    [
        ({"compression": "snappy"}, 0),
        ({"compression": "snappy", "write_page_checksum": True}, 0),
        ({"compression": "zstd", "write_page_checksum": True}, 0),
        ({"compression": "none", "write_page_checksum": True}, 0),
        # without a checksum a row that can be read is taken
        ({"compression": "none", "use_dictionary": False}, None),
        # the pages before the damaged one are whole
        ({"compression": "snappy", "write_page_checksum": True, "data_page_size": 4096,
          "write_batch_size": 16, "use_dictionary": False}, 1),
    ],
)  # fmt: skip
def test_a_damaged_group_of_rows_is_counted(
    options: dict[str, Any], before: int | None, places: Callable[[], Path]
) -> None:
    tmp_path = places()
    file = write_parquet(tmp_path / "a.parquet", **options)
    damage_group(file, 1)
    reports = [
        run(file, to=tmp_path / name, segment=segment)
        for name, segment in (("one", 2**30), ("many", 1))
    ]
    assert tree(tmp_path / "one") == tree(tmp_path / "many")
    report = reports[0]
    assert (report["in"], report["lines"], report["unread"]) == (1800, 1800, 0)
    assert report["out"] + report["quarantined"] == 1800
    assert report["faults"] == reports[1]["faults"]
    quarantined = entries(tmp_path / "one/a.quarantine.jsonl")
    found = labels(tmp_path / "one/a.jsonl")
    missing = [
        number - 1
        for entry in quarantined
        for number in range(entry["line"], entry["line"] + entry.get("rows", 1))
    ]
    assert found == [number for number in range(1800) if number not in missing]
    assert all(600 <= number < 1200 for number in missing)
    assert sum(fault["count"] for fault in report["faults"]) == len(missing) > 0
    if before is None:
        return
    [entry] = quarantined
    first, rows = entry["line"], entry["rows"]
    assert (entry["code"], first + rows) == ("input.broken", 1201)
    assert f"{rows} rows of the table are broken here: " in entry["words"]
    assert (first > 601) is (before > 0)
    again = run(tmp_path / "one/a.quarantine.jsonl", to=tmp_path / "again")
    assert (again["in"], again["out"]) == (1, 0)
    [entry] = entries(tmp_path / "again/a.quarantine.jsonl")
    assert (entry["code"], entry["first"]["rows"]) == ("input.broken", rows)


@each_case("kind", [FILE, STREAM])
@each_case("compression", ["lz4", None])
def test_a_damaged_batch_is_counted(
    kind: str, compression: str | None, places: Callable[[], Path]
) -> None:
    tmp_path = places()
    file = write_arrow(tmp_path / "a.arrow", kind, compression=compression)
    flip(file, file.stat().st_size // 2)
    report = run(file, to=tmp_path / "out")
    assert (report["in"], report["unread"]) == (1800, 0)
    found = labels(tmp_path / "out/a.jsonl")
    quarantined = entries(tmp_path / "out/a.quarantine.jsonl")
    assert sum(entry.get("rows", 1) for entry in quarantined) == 1800 - len(found) > 0
    assert found[:600] == [*range(600)]
    assert found[-600:] == [*range(1200, 1800)]


def test_offsets_that_point_elsewhere_are_not_followed(tmp_path: Path) -> None:
    texts = arrow.array([f"text {number}" for number in range(100)])
    _, offsets, data = texts.buffers()
    wrong = bytearray(offsets)
    wrong[200:204] = (2**30).to_bytes(4, "little")  # the end of row 49, and the beginning of 50
    column = arrow.Array.from_buffers(arrow.string(), 100, [None, arrow.py_buffer(wrong), data])
    batch = arrow.record_batch({"text": column, "n": arrow.array(range(100))})
    with arrow.ipc.new_file(str(tmp_path / "a.arrow"), batch.schema) as writer:
        writer.write_batch(batch)
    with (tmp_path / "a.arrow").open("rb") as file:
        rows = [*TableReader(file, FILE, find_groups(tmp_path / "a.arrow", FILE))]
    assert sum(row.rows for row in rows) == 100
    [broken] = [row for row in rows if row.fault]
    assert (broken.number, broken.rows) == (50, 2)
    assert [json.loads(row.data)["n"] for row in rows if not row.fault] == [
        *range(49), *range(51, 100),
    ]  # fmt: skip


def test_what_begins_otherwise_is_read_by_its_index(tmp_path: Path) -> None:
    file = write_parquet(tmp_path / "a.parquet")
    flip(file, 0)
    report = run(file, to=tmp_path / "out")
    assert (report["in"], report["out"], report["unread"]) == (1800, 1200, 0)


def _cut(share: float) -> Callable[[Path], None]:
    def cut(path: Path) -> None:
        os.truncate(path, int(path.stat().st_size * share))

    return cut


@each_case(
    ("kind", "damage", "out"),
    [
        (PARQUET, _cut(0.99), 0),
        (PARQUET, _cut(0), 0),
        (PARQUET, lambda path: flip(path, path.stat().st_size - _FLIPPED), 0),
        (
            FILE,
            lambda path: os.truncate(path, path.stat().st_size - 20),
            1800,
        ),  # the index at the end is cut alone
        (FILE, _cut(0.6), 600),
        (FILE, _cut(0), 0),
        (STREAM, _cut(0.6), 600),
        (STREAM, lambda path: flip(path, 20), 0),
    ],
)
def test_what_breaks_off_is_said_to_be_unread(
    kind: str, damage: Callable[[Path], None], out: int, places: Callable[[], Path]
) -> None:
    tmp_path = places()
    folder = tmp_path / "in"
    folder.mkdir()
    suffix = {PARQUET: ".parquet", FILE: ".arrow", STREAM: ".arrows"}[kind]
    file = folder / f"a{suffix}"
    if kind == PARQUET:
        write_parquet(file, compression="zstd")
    else:
        write_arrow(file, kind)
    damage(file)
    # the same column with another type
    rows = [{**row, "label": str(row["label"])} for row in chats(2)]
    parquet.write_table(arrow.Table.from_pylist(rows), folder / "b.parquet")
    report = run(folder, to=tmp_path / "out")
    assert (report["in"], report["out"], report["unread"]) == (out + 3, out + 2, 1)
    assert [part.get("unread") for part in report["parts"]] == [1, None]
    [entry] = entries(tmp_path / "out/a.quarantine.jsonl")
    assert (entry["line"], entry["unread"], entry["code"]) == (out + 1, True, "input.broken")
    assert "the table is broken here, and what follows is not read: " in entry["words"]
    assert labels(tmp_path / "out/a.jsonl") == [*range(out)]
    assert [*map(str, labels(tmp_path / "out/b.jsonl"))] == ["0", "1"]


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    file = write_parquet(tmp_path / "a.parquet", compression="snappy", write_page_checksum=True)
    damage_group(file, 1)
    whole = run(file, to=tmp_path / "whole", segment=1)
    for calls in (1, 2, 3):
        left = iter([None] * calls)

        def stop(_: object) -> None:
            try:
                next(left)  # noqa: B023  # called in this turn alone
            except StopIteration:
                raise KeyboardInterrupt from None

        to = tmp_path / str(calls)
        with pytest.raises(KeyboardInterrupt):
            run(file, to=to, segment=1, watch=stop)
        report = run(file, to=to, segment=1)
        assert tree(to) == tree(tmp_path / "whole")
        for sums in (report, whole):
            sums.pop("parts", None)
        assert report == whole


def test_the_command_tells_of_it(tmp_path: Path) -> None:
    _cut(0.9)(write_parquet(tmp_path / "a.parquet"))
    code, said = command(tmp_path / "a.parquet", "-o", tmp_path / "out", "--to", "hf-messages")
    assert code == 3
    assert "1 in = 0 out + 1 in quarantine + the unread rest of 1 file(s), uncounted" in said


def test_a_group_for_which_the_memory_is_too_small(tmp_path: Path) -> None:
    rows = chats()
    rows[900]["messages"][0]["content"] = "x" * (50 * 2**20)  # a page of its own
    table = arrow.Table.from_pylist(rows)
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=_GROUP, use_dictionary=False)
    work = Limited(spare=40 * 2**20, home=os.getpid())
    report = convert(tmp_path / "a.parquet", to=tmp_path / "out", converter=work, ending=".jsonl")
    assert (report["in"], report["unread"]) == (1800, 0)
    [entry] = entries(tmp_path / "out/a.quarantine.jsonl")
    assert entry["code"] == "worker.died"
    assert entry["line"] <= 901 < entry["line"] + entry["rows"] == 1201
    assert labels(tmp_path / "out/a.jsonl") == [*range(entry["line"] - 1), *range(1200, 1800)]
