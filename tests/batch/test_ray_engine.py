"""Runs over Ray give what the processes of this machine give, whatever happens to them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dragoman import ConfigError
from dragoman.batch import Converter
from dragoman.batch.input_files import find_parts
from dragoman.batch.manifest import own_version
from dragoman.batch.ray_engine import RayEngine, _convert
from dragoman.batch.segment import Segment
from tests.examples.pipelines import run_pipeline

from .ray_cluster import cluster, convert_deadly
from .records import (
    command,
    convert,
    entries,
    line,
    start,
    tree,
    write_damaged_table,
    write_logs,
)

pytest.importorskip("ray")
_HOW_FAR = re.compile(r"\d+% - ")  # a line that comes every ten seconds
WIRES = ("--from", "openai-chat", "--to", "anthropic", "--policy", "ignore")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster with two processors."""
    with cluster() as where:
        yield where


def _report(path: Path) -> dict[str, object]:
    """A report without what differs between two engines and two folders."""
    report = json.loads(path.read_text("utf-8"))
    for part in report["parts"]:
        part.pop("output")
        part.pop("quarantine", None)
    return {key: value for key, value in report.items() if key not in ("seconds", "engine", "jobs")}


def test_the_bytes_are_those_of_the_local_engine(tmp_path: Path, address: str) -> None:
    logs = write_logs(tmp_path / "logs")
    write_damaged_table(logs / "z.parquet")
    args = (*WIRES, "--max-line", "10000", "--segment", "4000")
    local, ray = tmp_path / "local", tmp_path / "ray"
    plain = (*args, "--jobs", "1", "--report", tmp_path / "local.json")
    assert command(logs, "-o", local, *plain)[0] == 3
    options = (*args, "--engine", "ray", "--address", address, "--report", tmp_path / "ray.json")
    code, said = command(logs, "-o", ray, *options)
    assert code == 3, said
    assert tree(ray) == tree(local)
    assert _report(tmp_path / "ray.json") == _report(tmp_path / "local.json")
    assert [path.name for path in (ray / ".dragoman-batch").iterdir() if "tmp" in path.name] == []
    first = next(row for row in said.splitlines() if not _HOW_FAR.match(row))
    assert " 5 file(s), " in first  # Ray says nothing before it


def test_killed_it_goes_on_also_with_the_other_engine(tmp_path: Path, address: str) -> None:
    folder, out = tmp_path / "logs", tmp_path / "out"
    folder.mkdir()
    rows = b"".join(line(n, seed=n) if n % 17 else b"{broken\n" for n in range(300))
    for number in range(12):
        (folder / f"{number:02}.jsonl").write_bytes(rows)
    args = (*WIRES, "--segment", "9000")
    assert command(folder, "-o", tmp_path / "whole", *args)[0] == 3
    whole = tree(tmp_path / "whole")
    manifest = out / ".dragoman-batch" / "manifest.jsonl"
    for finished in (2, 20):
        process = start(folder, "-o", out, *args, "--engine", "ray", "--address", address)
        while process.poll() is None and (
            not manifest.exists() or manifest.read_bytes().count(b"\n") < finished
        ):
            time.sleep(0.001)
        assert process.poll() is None
        process.kill()
        process.communicate()
        found = tree(out)
        assert found == {name: whole[name] for name in found}
    assert command(folder, "-o", out, *args, "--jobs", "2")[0] == 3
    assert tree(out) == whole


def test_a_task_that_dies_loses_nothing_but_the_record_that_killed_it(
    tmp_path: Path, address: str
) -> None:
    rows = [line(n) for n in range(30)]
    rows[7] = line(7, stumble="once")
    rows[17] = line(17, kill=True)
    rows[18] = line(18, hungry=True)
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"".join(rows))
    report = convert_deadly(file, tmp_path / "out", address)
    assert (report["in"], report["out"]) == (30, 28)
    found = entries(tmp_path / "out" / "a.quarantine.jsonl")
    assert [(row["line"], row["code"]) for row in found] == [
        (18, "worker.died"), (19, "record.memory"),
    ]  # fmt: skip


def test_a_record_for_which_a_task_has_too_little_memory(tmp_path: Path, address: str) -> None:
    rows = [line(n) for n in range(30)]
    # a few bytes of text that become a hundred million bytes of objects
    rows[17] = b'{"model": "m", "messages": [' + b"[]," * 1_500_000 + b"[]]}\n"
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"".join(rows))
    report = convert_deadly(file, tmp_path / "out", address, spare=16 * 2**20)
    assert (report["in"], report["out"]) == (30, 29)
    [entry] = entries(tmp_path / "out" / "a.quarantine.jsonl")
    assert (entry["line"], entry["code"]) == (18, "worker.died")


def test_the_example_of_a_pipeline_writes_what_the_function_alone_does(
    tmp_path: Path, address: str
) -> None:
    """Here and not beside the other examples, for Ray takes long to start."""
    run_pipeline("batch_with_ray.py", tmp_path, RAY_ADDRESS=address)


def test_ctrl_c_ends_a_ray_of_this_machine(tmp_path: Path) -> None:
    file, out = tmp_path / "a.jsonl", tmp_path / "out"
    file.write_bytes(b"".join(line(n) for n in range(3_000)))
    args = (file, "-o", out, *WIRES, "--jobs", "2", "--segment", "10000", "--engine", "ray")
    process = start(*args)
    manifest = out / ".dragoman-batch" / "manifest.jsonl"
    while process.poll() is None and (
        not manifest.exists() or manifest.read_bytes().count(b"\n") < 2
    ):
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the processes of Ray get it, too
    stdout, stderr = process.communicate()  # waits for all that hold its stderr
    assert process.returncode == 130, stderr
    text = "stopped: 0 of 1 files are finished; the same command goes on from here"
    assert [row for row in stderr.splitlines() if not _HOW_FAR.match(row)] == [text]
    assert stdout == ""
    assert not list((out / ".dragoman-batch").glob("*.tmp*"))
    listed = subprocess.run(["ps", "-eo", "pgid"], capture_output=True, text=True, check=True)
    assert str(process.pid) not in listed.stdout.split()


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match="needs Ray") as caught:
        RayEngine(Converter("openai-chat", "anthropic"))
    assert caught.value.hint == 'pip install "dragoman[batch]"'


def test_an_address_at_which_nothing_listens_is_told_at_once(tmp_path: Path) -> None:
    file, out = tmp_path / "a.jsonl", tmp_path / "out"
    file.write_bytes(line(1))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        where = f"127.0.0.1:{closed.getsockname()[1]}"
        code, said = command(file, "-o", out, *WIRES, "--engine", "ray", "--address", where)
    assert code == 2
    assert said.startswith(f"error: Ray cannot be reached at {where}: ")
    assert not out.exists()  # nothing began, so that other options may follow
    code, said = command(file, "-o", out, *WIRES, "--address", where)
    assert (code, said) == (2, "error: --address is that of a Ray cluster (add --engine ray)\n")


def test_a_machine_that_does_not_share_the_files_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(line(1))
    [part], _ = find_parts([str(file)], None, tmp_path, tmp_path / "out")
    segment = Segment(part, 0, None, tmp_path / "0-0.tmp", 1_000)
    position = tmp_path / "0-0.tmp.at"
    position.touch()
    work = Converter("openai-chat", "anthropic", policy="ignore")
    elsewhere = replace(segment, part=replace(part, path=tmp_path / "nowhere.jsonl"))
    for one, at, missing in (
        (elsewhere, position, "nowhere.jsonl"),
        (segment, tmp_path / "other" / "0-0.tmp.at", "0-0.tmp.at"),
    ):
        error = _convert(work, one, str(at), own_version())
        assert isinstance(error, ConfigError)
        assert f"the machine {socket.gethostname()} has no file " in error.message
        assert missing in error.message
        assert "file system that all machines of the cluster share" in error.hint
    error = _convert(work, segment, str(position), "0.0.1")
    assert isinstance(error, ConfigError)
    assert "0.0.1" in error.message


def test_a_run_that_finished_nothing_leaves_nothing(tmp_path: Path) -> None:
    """So that the same output can be named with other options."""

    class Unreachable(RayEngine):
        def is_free(self) -> bool:
            raise ConfigError("there is no cluster")

    (tmp_path / "a.jsonl").write_bytes(line(1))
    with pytest.raises(ConfigError, match="there is no cluster"):
        convert(tmp_path / "a.jsonl", to=tmp_path / "out", engine=Unreachable)
    assert not (tmp_path / "out").exists()
