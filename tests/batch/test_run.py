"""Whole runs in real processes: counted, in order, resumed after any end, one bad record found."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dragoman import ConfigError
from dragoman.batch.run import Progress

from .deadly import Deadly
from .records import command, convert, entries, line, start, tree, write_logs

WIRES = ("--from", "openai-chat", "--to", "anthropic", "--policy", "ignore")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder of files with everything that can be wrong with a record."""
    return write_logs(tmp_path / "logs")


def test_every_record_is_converted_or_in_quarantine(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = convert(logs, to=out, jobs=2, segment=4_000, max_line=10_000)
    assert report["in"] == report["out"] + report["quarantined"]
    assert [Path(part["output"]).relative_to(out).as_posix() for part in report["parts"]] == [
        "a.jsonl", "b.jsonl.gz", "empty.jsonl", "deep/c.ndjson.bz2",
    ]  # fmt: skip
    first = report["parts"][0]
    assert (first["in"], first["out"] + first["quarantined"]) == (59, 59)  # one is blank

    found = entries(out / "a.quarantine.jsonl")
    data = (logs / "a.jsonl").read_bytes()
    assert {11, 21, 31, 51} <= {row["line"] for row in found}
    for row in found:
        assert row["source"] == str(logs / "a.jsonl")
        own = data[row["offset"] :].split(b"\n")[0]
        assert own == data.split(b"\n")[row["line"] - 1]
        assert row["code"]
        assert row["words"]
        assert row.get("record", "").encode() == own or "base64" in row
    codes = {row["line"]: row["code"] for row in found}
    assert (codes[11], codes[21], codes[31]) == ("json.invalid", "json.invalid", "line.long")

    bodies = [json.loads(row) for row in (out / "a.jsonl").read_bytes().splitlines()]
    texts = [body["messages"][0]["content"] for body in bodies]
    bad = {row["line"] for row in found}
    wanted = [f"Question {n}" for n in range(60) if n + 1 not in bad and n != 11]
    wanted[wanted.index("Question 21")] = "\ud83d"
    assert texts == wanted

    whole = gzip.decompress((out / "b.jsonl.gz").read_bytes()).splitlines()
    [cut] = entries(out / "b.quarantine.jsonl")
    assert (cut["code"], cut["line"]) == ("input.broken", len(whole) + 1)
    assert len(whole) > 300
    assert len(bz2.decompress((out / "deep/c.ndjson.bz2").read_bytes()).splitlines()) == 2
    assert (out / "empty.jsonl").read_bytes() == b""
    assert not list((out / ".dragoman-batch").glob("*.tmp*"))


def test_the_bytes_do_not_depend_on_processes_or_segments(logs: Path, tmp_path: Path) -> None:
    one, many = tmp_path / "one", tmp_path / "many"
    reports = [
        convert(logs, to=one, jobs=1, max_line=10_000),
        convert(logs, to=many, jobs=3, max_line=10_000, segment=1_500),
    ]
    assert tree(one) == tree(many)
    for report, folder in zip(reports, (one, many), strict=True):
        for part in report["parts"]:
            part["output"] = part["output"].removeprefix(str(folder))
            part.pop("quarantine", None)
    assert reports[0] == reports[1]


def test_losses_are_summed_with_their_first_places(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"".join(line(n, seed=1) for n in range(40)))
    report = convert(file, to=tmp_path / "out", jobs=2, segment=1_000)
    [seed] = [row for row in report["losses"] if row["code"] == "option.unsupported"]
    assert seed["count"] == 40
    assert [(one["line"], one["where"]) for one in seed["examples"]] == [
        (1, "$.seed"), (2, "$.seed"), (3, "$.seed"),
    ]  # fmt: skip
    assert {one["source"] for one in seed["examples"]} == {str(file)}


def test_what_was_in_quarantine_can_be_fed_in_again(logs: Path, tmp_path: Path) -> None:
    convert(logs / "a.jsonl", to=tmp_path / "out", max_line=10_000)
    quarantine = tmp_path / "out" / "a.quarantine.jsonl"
    before = entries(quarantine)
    again = convert(quarantine, to=tmp_path / "again", max_line=100_000)
    assert again["in"] == len(before)
    after = entries(tmp_path / "again" / "a.quarantine.jsonl")
    assert [row["first"]["line"] for row in after] == [row["line"] for row in before]
    keys = ("record", "base64")
    assert [[row.get(key) for key in keys] for row in after] == [
        [row.get(key) for key in keys] for row in before
    ]
    mended = tmp_path / "mended.quarantine.jsonl"
    mended.write_text(json.dumps({**before[0], "record": line(5).decode()}) + "\n", "utf-8")
    assert convert(mended, to=tmp_path / "mended")["out"] == 1
    assert (tmp_path / "mended" / "mended.jsonl").exists()


def test_killed_at_any_moment_it_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    rows = [line(n, seed=n) if n % 17 else b"{broken\n" for n in range(20)]
    for number in range(40):
        (folder / f"{number:02}.jsonl").write_bytes(b"".join(rows) * (8 if number == 20 else 1))
    args = (*WIRES, "--jobs", "2", "--segment", "8000")
    unbroken_report, report = tmp_path / "unbroken.json", tmp_path / "report.json"
    args_whole = (folder, "-o", tmp_path / "whole", *args, "--report", unbroken_report)
    assert command(*args_whole)[0] == 3
    whole = tree(tmp_path / "whole")
    rng = random.Random(5)
    broken = tmp_path / "broken"
    manifest = broken / ".dragoman-batch" / "manifest.jsonl"
    kills = 0
    for share in sorted(rng.random() for _ in range(5)):
        process = start(folder, "-o", broken, *args)
        until = share * (tmp_path / "whole/.dragoman-batch/manifest.jsonl").stat().st_size
        while process.poll() is None:
            if manifest.exists() and manifest.stat().st_size >= until:
                time.sleep(rng.random() * 0.01)
                break
            time.sleep(0.001)
        kills += process.poll() is None
        process.kill()
        process.communicate()
        found = tree(broken)
        assert found == {name: whole[name] for name in found}  # nothing is half written
    assert kills >= 3
    assert command(folder, "-o", broken, *args, "--report", report)[0] == 3
    assert tree(broken) == whole
    rested, unbroken = (
        {key: value for key, value in json.loads(path.read_text("utf-8")).items()
         if key not in ("seconds", "parts")}
        for path in (report, unbroken_report)
    )  # fmt: skip
    assert rested == unbroken
    assert not list((broken / ".dragoman-batch").glob("[0-9]*"))


def test_a_finished_part_that_was_damaged_is_done_again(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_bytes(line(1) + line(2))
    names = (tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    convert(*names, to=tmp_path / "out")
    whole = tree(tmp_path / "out")
    old = (tmp_path / "out" / "b.jsonl").stat().st_mtime_ns
    data = whole["a.jsonl"]
    (tmp_path / "out" / "a.jsonl").write_bytes(data[:-2] + b" \n")
    convert(*names, to=tmp_path / "out")
    assert tree(tmp_path / "out") == whole
    assert (tmp_path / "out" / "b.jsonl").stat().st_mtime_ns == old  # was not touched


def test_a_changed_input_or_option_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(line(1) + line(2))
    convert(tmp_path / "a.jsonl", to=tmp_path / "out", max_line=9_999)
    with pytest.raises(ConfigError, match="max_line was 9999, is 8888"):
        convert(file, to=tmp_path / "out", max_line=8_888)
    (tmp_path / "b.jsonl").write_bytes(line(3))
    with pytest.raises(ConfigError, match=r"b\.jsonl is new"):
        convert(file, tmp_path / "b.jsonl", to=tmp_path / "out", max_line=9_999)
    file.write_bytes(line(2) + line(1))
    with pytest.raises(ConfigError, match=r"a\.jsonl was changed"):
        convert(file, to=tmp_path / "out", max_line=9_999)


def test_a_file_of_somebody_else_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.jsonl").write_text("mine", "utf-8")
    (tmp_path / "a.jsonl").write_bytes(line(1))
    with pytest.raises(ConfigError, match="already"):
        convert(tmp_path / "a.jsonl", to=tmp_path / "out")
    with pytest.raises(ConfigError, match="is an input"):
        convert(tmp_path / "a.jsonl", to=tmp_path)
    assert tree(tmp_path / "out") == {"a.jsonl": b"mine"}
    assert not (tmp_path / "out" / ".dragoman-batch").exists()


def test_an_output_that_can_be_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(line(1))
    for name in ("", "-"):
        with pytest.raises(ConfigError) as caught:
            convert(tmp_path / "a.jsonl", to=name)
        assert caught.value.hint


def test_two_runs_at_a_time_are_refused(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "a.jsonl").write_bytes(line(1))
    state = tmp_path / "out" / ".dragoman-batch"
    state.mkdir(parents=True)
    with (state / "lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(ConfigError, match="another run"):
            convert(tmp_path / "a.jsonl", to=tmp_path / "out")
    assert convert(tmp_path / "a.jsonl", to=tmp_path / "out")["out"] == 1


def test_a_process_that_dies_loses_nothing(tmp_path: Path) -> None:
    rows = [line(n) for n in range(30)]
    rows[7] = line(7, stumble="once")
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"".join(rows))
    report = convert(file, to=tmp_path / "out", converter=Deadly(tmp_path), segment=2_000)
    assert (report["out"], report["quarantined"]) == (30, 0)
    assert (tmp_path / "deaths").read_text() == "x"


def test_a_record_that_no_process_survives_is_found(tmp_path: Path) -> None:
    rows = [line(n) for n in range(30)]
    rows[17] = line(17, kill=True)
    rows[18] = line(18, hungry=True)
    rows[25] = line(25, stumble="once")
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"".join(rows))
    report = convert(file, to=tmp_path / "out", converter=Deadly(tmp_path), jobs=2, segment=2_000)
    assert (report["in"], report["out"]) == (30, 28)
    found = entries(tmp_path / "out" / "a.quarantine.jsonl")
    assert [(row["line"], row["code"]) for row in found] == [
        (18, "worker.died"), (19, "record.memory"),
    ]  # fmt: skip
    assert found[0]["record"].encode() + b"\n" == rows[17]


def test_a_file_that_is_changed_meanwhile_ends_the_run(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_bytes(line(1) * 3)

    def watch(progress: Progress) -> None:
        (tmp_path / "b.jsonl").write_bytes(line(2))

    (tmp_path / "a.jsonl").write_bytes(line(1) * 300)
    names = (tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    with pytest.raises(ConfigError, match=r"b\.jsonl was changed"):
        convert(*names, to=tmp_path / "out", jobs=1, watch=watch, segment=9_000)
    assert not (tmp_path / "out" / "b.jsonl").exists()


def test_memory_does_not_grow_with_the_number_of_records(tmp_path: Path) -> None:
    """Peaks of the processes that a run starts, by the system's account of them."""
    code = (
        "import resource, sys\n"
        "from tests.batch.records import command\n"
        "rc, err = command(*sys.argv[1:])\n"
        "assert rc == 0, err\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    peaks = []
    row = line(1, seed=1, metadata={"k": "x" * 9_000})
    for number in (100, 1_000):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(row * number)
        args = [sys.executable, "-c", code, str(file), "-o", str(tmp_path / f"o{number}"), *WIRES]
        ran = subprocess.run(args, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        peaks.append(int(ran.stdout))
    assert peaks[1] < 150 * 1024
    assert peaks[1] < peaks[0] + 20 * 1024


def test_stdin_is_read_and_a_run_over_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = gzip.compress(b"".join(line(n) for n in range(9)))

    def piped(data: bytes) -> Any:
        raw = io.BufferedReader(io.BytesIO(data))
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(raw))
        return convert("-", to=tmp_path / "x.jsonl")

    assert piped(data)["out"] == 9
    assert len((tmp_path / "x.jsonl").read_bytes().splitlines()) == 9
    assert not (tmp_path / ".x.jsonl.dragoman-batch" / "stdin").exists()
    assert piped(data)["out"] == 9
    with pytest.raises(ConfigError, match="stdin was changed"):
        piped(gzip.compress(line(1)))


def test_ctrl_c_ends_the_run_and_says_how_it_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"".join(line(n) for n in range(3_000)))
    args = (file, "-o", tmp_path / "out", *WIRES, "--jobs", "2", "--segment", "100000")
    process = start(*args)
    manifest = tmp_path / "out" / ".dragoman-batch" / "manifest.jsonl"
    while process.poll() is None and (
        not manifest.exists() or manifest.read_bytes().count(b"\n") < 2
    ):
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the processes get it, too
    out, err = process.communicate()
    assert process.returncode == 130
    text = "stopped: 0 of 1 files are finished; the same command goes on from here\n"
    assert (out, err) == ("", text)
    assert not list((tmp_path / "out" / ".dragoman-batch").glob("*.tmp*"))
    assert command(*args)[0] == 0
    assert len((tmp_path / "out" / "a.jsonl").read_bytes().splitlines()) == 3_000


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc of Linux")
def test_ctrl_c_does_not_reach_a_process_that_is_starting() -> None:
    """The first one of a program: multiprocessing starts another process beside it."""
    code = (
        "from pathlib import Path\n"
        "from dragoman.batch import Converter\n"
        "from dragoman.batch.worker import Worker\n"
        "worker = Worker(Converter('openai-chat', 'anthropic'))\n"
        "status = Path(f'/proc/{worker.process.pid}/status').read_text()\n"
        "worker.end()\n"
        "print(status.partition('SigBlk:')[2].split()[0])\n"
    )
    args = [sys.executable, "-c", code]
    ran = subprocess.run(args, capture_output=True, text=True, check=True)
    assert int(ran.stdout, 16) & 1 << (signal.SIGINT - 1)
