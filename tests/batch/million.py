"""Runs too large for the tests: a million lines, packed data that breaks off, much memory.

    python -m tests.batch.million

Memory is that of the largest process of the command, by the system's account. Each run has a
process of its own: what this one has had before would count for all that it starts.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from .records import command, entries, line

_LINES = 1_000_000
_ROWS = 20_000  # of a table
_WIRES = ("--from", "openai-chat", "--to", "anthropic", "--policy", "ignore")
_MOST = 150 * 1024  # KiB
_peak: list[int] = []


def run(*args: str | Path) -> str:
    """Run the command, which leaves something in quarantine; what it says."""
    code, said = command(*args)
    assert code == 3, said
    _peak.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    assert _peak[0] < _MOST, _peak
    return said


def convert_cut_gzip(folder: Path) -> str:
    """A million lines, of which the packed data ends in the middle."""
    file, out = folder / "cut.jsonl.gz", folder / "cut"
    with gzip.open(file, "wb", 1) as lines:
        for number in range(_LINES):
            lines.write(line(number))
    with file.open("rb+") as packed:
        packed.truncate(file.stat().st_size // 2)
    run(file, "-o", out, *_WIRES, "--report", folder / "cut.json")
    report = json.loads((folder / "cut.json").read_text("utf-8"))
    [entry] = entries(out / "cut.quarantine.jsonl")
    with gzip.open(out / "cut.jsonl.gz") as lines:
        assert sum(1 for _ in lines) == report["out"]
    assert report["in"] == report["out"] + 1
    assert (entry["code"], entry["line"]) == ("input.broken", report["out"] + 1)
    return f"gzip that breaks off: {report['out']:,} of {_LINES:,} lines, then {entry['words']}"


def convert_long_line(folder: Path) -> str:
    """A line of 100 MB between others, over the bound and then within it."""
    file = folder / "long.jsonl"
    with file.open("wb") as lines:
        lines.write(line(0))
        lines.write(line(1, user="")[:-3])
        for _ in range(100):
            lines.write(b"x" * 1_000_000)
        lines.write(b'"}\n')
        lines.write(line(2))
    run(file, "-o", folder / "long", *_WIRES, "--jobs", "1")
    [entry] = entries(folder / "long" / "long.quarantine.jsonl")
    assert entry["code"] == "line.long"
    assert len(entry["record"]) > 100_000_000
    assert len((folder / "long" / "long.jsonl").read_bytes().splitlines()) == 2
    return f"a line of 100 MB: {entry['words']}"


def convert_million(folder: Path) -> str:
    """A million lines in one file, of which some are bad."""
    file, out = folder / "million.jsonl", folder / "million"
    bad = {10: b"{broken\n", 500_000: b"\xff\n", 999_999: line(0, messages=7)}
    with file.open("wb") as lines:
        for number in range(_LINES):
            lines.write(bad.get(number) or line(number))
    said = run(file, "-o", out, *_WIRES, "--jobs", "2")
    found = entries(out / "million.quarantine.jsonl")
    assert [row["line"] for row in found] == [number + 1 for number in sorted(bad)]
    with (out / "million.jsonl").open("rb") as written:
        wanted = (number for number in range(_LINES) if number not in bad)
        for row, number in zip(written, wanted, strict=True):
            assert b'"Question %d"' % number in row
    [sums] = [row for row in said.splitlines() if " in = " in row]
    return f"a million lines: {sums}"


def convert_tables(folder: Path) -> str:
    """Lines to a table of columns, and that table to another."""
    file = folder / "chats.jsonl"
    answer = {"role": "assistant", "content": "x" * 1_000}
    with file.open("wb") as lines:
        lines.write(b"{broken\n")
        for number in range(_ROWS):
            turns = [{"role": "user", "content": f"{number}"}, answer] * 8
            lines.write(json.dumps({"messages": turns, "label": number}).encode() + b"\n")
    to = ("--to", "hf-messages", "--form", "hf-messages", "--jobs", "1", "--policy", "ignore")
    run(file, "-o", folder / "a.parquet", *to)
    code, said = command(folder / "a.parquet", "-o", folder / "b.parquet", *to)
    assert code == 0, said
    _peak.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    assert _peak[1] < _MOST, _peak
    [sums] = [row for row in said.splitlines() if " in = " in row]
    return f"tables: {sums}"


def convert_hungry(folder: Path) -> str:
    """A record that needs more memory than a process may have, among others."""
    rows = [line(n) for n in range(30)]
    rows[17] = b'{"model": "m", "messages": [' + b"[]," * 4_000_000 + b"[]]}\n"
    file, out = folder / "hungry.jsonl", folder / "hungry"
    file.write_bytes(b"".join(rows))
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (400 * 2**20, before[1]))  # of what is started, too
    code, said = command(file, "-o", out, *_WIRES, "--jobs", "1")
    resource.setrlimit(resource.RLIMIT_AS, before)
    assert code == 3, said
    [entry] = entries(out / "hungry.quarantine.jsonl")
    assert entry["line"] == 18
    assert entry["code"] in ("worker.died", "record.memory")
    assert len((out / "hungry.jsonl").read_bytes().splitlines()) == 29
    _peak.append(0)  # the limit is that of addresses
    return f"too little memory for a record of 12 MB: {entry['code']}, 29 others converted"


def _told(run_one: Callable[[Path], str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(f"{run_one(Path(folder))}; ")
    sys.stdout.write(f"largest process {max(_peak) / 1024:.0f} MB\n")
    sys.stdout.flush()


def main() -> None:
    """Run all."""
    for one in (
        convert_long_line,
        convert_cut_gzip,
        convert_tables,
        convert_hungry,
        convert_million,
    ):
        process = multiprocessing.get_context("spawn").Process(target=_told, args=(one,))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(1)


if __name__ == "__main__":
    main()
