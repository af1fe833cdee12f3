"""Kill runs of 40 files at random moments, and go on, until all is as without a break.

    python -m tests.batch.kills --times 200
    python -m tests.batch.kills --times 200 --engine ray

After each kill every file that has its name must be whole. A run that came to its end must have the
bytes and the sums of one that was never killed. Sometimes the command is killed alone, sometimes
with all of its processes; at any share of its work, or at any moment after its start.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from .ray_cluster import cluster
from .records import command, line, start, tree

WIRES = ("--from", "openai-chat", "--to", "anthropic", "--policy", "ignore", "--segment", "8000")
_PARTS = 40


def write_parts(folder: Path) -> None:
    """Write 40 files; one has several segments, and in each is a line that is no JSON."""
    folder.mkdir()
    rows = [line(n, seed=n) if n % 17 else b"{broken\n" for n in range(20)]
    for number in range(_PARTS):
        (folder / f"{number:02}.jsonl").write_bytes(b"".join(rows) * (8 if number == 20 else 1))


def sums(report: Path) -> dict[str, Any]:
    """What must be the same in the reports of two runs."""
    found: dict[str, Any] = json.loads(report.read_text("utf-8"))
    for part in found["parts"]:
        part["output"] = Path(part["output"]).name
        part["quarantine"] = Path(part["quarantine"]).name
    return {key: value for key, value in found.items() if key not in ("seconds", "jobs", "engine")}


class Unbroken:
    """A run that nobody kills: what it leaves, and how long its manifest becomes."""

    def __init__(self, folder: Path) -> None:
        self.logs = folder / "logs"
        write_parts(self.logs)
        report = folder / "unbroken.json"
        code, said = command(self.logs, "-o", folder / "whole", *WIRES, "--report", report)
        assert code == 3, said
        self.tree = tree(folder / "whole")
        self.sums = sums(report)
        self.manifest = (folder / "whole/.dragoman-batch/manifest.jsonl").stat().st_size


def kill_at(process: subprocess.Popen[str], rng: random.Random, group: bool) -> bool:
    """Kill a command; False if it came to its end before."""
    is_running = process.poll() is None
    if group:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()
    return is_running


def wait_for_share(process: subprocess.Popen[str], out: Path, until: float, pause: float) -> None:
    """Wait until the manifest of a run has some bytes, or the run has ended."""
    manifest = out / ".dragoman-batch" / "manifest.jsonl"
    while process.poll() is None:
        if manifest.exists() and manifest.stat().st_size >= until:
            time.sleep(pause)
            return
        time.sleep(0.001)


def main() -> None:
    """Kill as often as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--engine", choices=("local", "ray"), default="local")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    counted: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as name,
        cluster() if asked.engine == "ray" else nullcontext("") as address,
    ):
        folder, out = Path(name), Path(name) / "out"
        unbroken = Unbroken(folder)
        engine = ("--engine", "ray", "--address", address) if address else ("--jobs", "2")
        args = (unbroken.logs, "-o", out, *WIRES, *engine)
        while counted["kills"] < asked.times:
            share = 0.0  # of the work, at the kill before
            for _ in range(rng.randrange(1, 12)):
                process = start(*args)
                if rng.random() < 0.2:
                    time.sleep(rng.random() * 3)
                else:
                    share += rng.random() * (1 - share) / 3
                    wait_for_share(process, out, share * unbroken.manifest, rng.random() * 0.02)
                group = rng.random() < 0.5
                counted["kills"] += kill_at(process, rng, group)
                counted["with all processes"] += group
                found = tree(out) if out.exists() else {}
                assert found == {name: unbroken.tree[name] for name in found}, "half written"
                counted["of them with some files finished"] += 0 < len(found) < len(unbroken.tree)
            code, said = command(*args, "--report", folder / "report.json")
            assert code == 3, said
            assert tree(out) == unbroken.tree, "another result"
            assert sums(folder / "report.json") == unbroken.sums, "other sums"
            left = [path.name for path in (out / ".dragoman-batch").iterdir()]
            assert sorted(left) == ["lock", "manifest.jsonl"], left
            shutil.rmtree(out)
            counted["runs that came to their end as without a break"] += 1
            print(dict(counted), flush=True)


if __name__ == "__main__":
    main()
