"""Files of records for the tests of batches, and the command in a process of its own."""

from __future__ import annotations

import bz2
import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from dragoman.batch import Converter, RecordWork
from dragoman.batch.engines import Task
from dragoman.batch.manifest import FinishedSegment
from dragoman.batch.run import convert_files
from dragoman.batch.segment import convert_segment
from tests.cli.running import environment

__all__ = [
    "REQUEST",
    "InProcess",
    "command",
    "convert",
    "entries",
    "line",
    "start",
    "tree",
    "write_damaged_table",
    "write_logs",
]

REQUEST: dict[str, Any] = {
    "model": "gpt-5.6",
    "max_tokens": 9,
    "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}],
}


def line(number: int = 0, **fields: Any) -> bytes:
    """A request as a line; the number is in its text."""
    messages = [{"role": "user", "content": f"Question {number}"}]
    return json.dumps({**REQUEST, "messages": messages, **fields}).encode() + b"\n"


def convert(
    *names: str | Path, to: str | Path, converter: RecordWork | None = None, **rest: Any
) -> dict[str, Any]:
    """Convert files in this process and those that it starts; the report."""
    work = converter or Converter("openai-chat", "anthropic", policy="ignore")
    return convert_files([*map(str, names)], str(to), work, options={}, **rest)


class InProcess:
    """An engine without processes, for tests of what is read and written alone."""

    is_local = True

    def __init__(self, work: RecordWork, jobs: int | None = None) -> None:
        self._work = work
        self._tasks: list[Task] = []

    def is_free(self) -> bool:
        return not self._tasks

    def begin(self, task: Task) -> None:
        self._tasks.append(task)

    def wait(self, seconds: float) -> Iterator[tuple[Task, FinishedSegment | None]]:
        task = self._tasks.pop()
        yield task, convert_segment(task.segment, self._work, lambda _: None)

    def close(self) -> None:
        self._tasks.clear()


def entries(path: Path) -> list[dict[str, Any]]:
    """The entries of a quarantine."""
    return [json.loads(row) for row in path.read_bytes().splitlines()]


def tree(folder: Path) -> dict[str, bytes]:
    """The files that a run leaves under their names, and their bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".dragoman-batch" not in str(path.relative_to(folder))
    }


def start(*args: str | Path) -> subprocess.Popen[str]:
    """Start `dragoman batch convert` in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "dragoman", "batch", "convert", *map(str, args)],
        env=environment(), text=True, encoding="utf-8", stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def command(*args: str | Path) -> tuple[int, str]:
    """Run it to its end: the exit code, and what it says on stderr."""
    process = start(*args)
    out, err = process.communicate()
    assert out == ""
    return process.returncode, err


def write_damaged_table(path: Path) -> None:
    """Write a table with three groups of requests, the second of which cannot be read."""
    parquet: Any = import_module("pyarrow.parquet")
    table = import_module("pyarrow").table({"record": [line(n).decode() for n in range(90)]})
    parquet.write_table(table, path, row_group_size=30, write_page_checksum=True)
    column = parquet.read_metadata(path).row_group(1).column(0)
    at = (column.dictionary_page_offset or column.data_page_offset) + 60
    data = path.read_bytes()
    path.write_bytes(data[:at] + bytes(20) + data[at + 20 :])


def write_logs(folder: Path) -> Path:
    """Fill a folder with files that have everything that can be wrong with a record."""
    (folder / "deep").mkdir(parents=True)
    rows = [line(n) for n in range(60)]
    rows[10] = b"{broken\n"
    rows[11] = b"\n"
    rows[20] = b"\xff\xfe\n"
    rows[21] = json.dumps({**REQUEST, "messages": [{"role": "user", "content": "\ud83d"}]}).encode()
    rows[21] += b"\n"
    rows[30] = b"x" * 50_000 + b"\n"
    rows[40] = line(40, max_tokens="many")  # another type than in the other records
    rows[50] = line(50, messages=7)
    (folder / "a.jsonl").write_bytes(b"".join(rows).rstrip(b"\n"))
    packed = gzip.compress(b"".join(line(n, user=str(n * n * 7919)) for n in range(400)))
    (folder / "b.jsonl.gz").write_bytes(packed[:-200])
    (folder / "deep" / "c.ndjson.bz2").write_bytes(bz2.compress(line(1) + line(2)))
    (folder / "empty.jsonl").write_bytes(b"")
    return folder
