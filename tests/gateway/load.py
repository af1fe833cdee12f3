"""A gateway under load: 64 streams of 500 events at once, again and again, and its memory.

    python -m tests.gateway.load

does so for DRAGOMAN_LOAD_SECONDS, 60 where it is not set, and ends with 1 if an event was lost,
came out of order or from another's stream, or if memory grew by a tenth.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from tests.gateway.asking import many_streams
from tests.gateway.numbered import ROOT, numbered

STREAMS, EVENTS = 64, 500
GROWTH = 0.10
MODELS = {"openai-chat": "gpt-4o", "anthropic": "claude-sonnet-4-5"}
TRANSLATED = (("anthropic", "openai-chat"), ("openai-chat", "anthropic"))
SAME = (("anthropic", "anthropic"), ("openai-chat", "openai-chat"))
WARM = 2  # rounds of each pair before memory is looked at
_ROUTES = """
[[routes]]
models = ["gpt-4o"]
to = "openai/openai-chat/*"
base_url = "{upstream}/v1"
key = "UPSTREAM_KEY"

[[routes]]
models = ["claude-sonnet-4-5"]
to = "anthropic/*"
base_url = "{upstream}"
key = "UPSTREAM_KEY"
"""


@dataclass(frozen=True, slots=True)
class Served:
    """A gateway that runs: its URL and the id of its process."""

    url: str
    pid: int

    def memory(self) -> int:
        """Resident memory in bytes, as Linux counts it, with the process for long requests."""
        threads = Path(f"/proc/{self.pid}/task").glob("*/children")
        children = [child for one in threads for child in one.read_text("ascii").split()]
        return sum(map(_resident, (str(self.pid), *children)))


def _resident(process: str) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    except FileNotFoundError:  # it has ended
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class Load:
    """What a load came to: events that were read, faults, bytes of memory before and after."""

    events: int = 0
    faults: list[str] = field(default_factory=list)
    before: int = 0
    after: int = 0

    @property
    def growth(self) -> float:
        """By which part memory grew."""
        return self.after / self.before - 1

    def told(self) -> str:
        """A line for people."""
        memory = f"{self.before / 1e6:.1f} MB before, {self.after / 1e6:.1f} MB after"
        return f"{self.events} events, {len(self.faults)} faults, {memory} ({self.growth:+.1%})"


@contextmanager
def serving(upstream: str, more: str = "") -> Iterator[Served]:
    """`dragoman serve` in front of an upstream, as a process; `more` stands in its file."""
    with tempfile.TemporaryDirectory() as folder:
        routes = Path(folder) / "gateway.toml"
        routes.write_text(_ROUTES.format(upstream=upstream) + more, "utf-8")
        command = [sys.executable, "-m", "dragoman", "serve", "--config", str(routes)]
        with subprocess.Popen(
            [*command, "--port", "0"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a line for each exchange
            text=True,
            env={**os.environ, "UPSTREAM_KEY": "none"},
        ) as process:
            assert process.stdout is not None
            try:
                yield Served(process.stdout.readline().split()[-1], process.pid)
            finally:
                process.terminate()


async def put(served: Served, pairs: Sequence[tuple[str, str]], seconds: float) -> Load:
    """Read streams for so many seconds behind a warm-up, the pairs of wires in turn."""
    load = Load()
    for _ in range(WARM):
        for pair in pairs:
            await _round(served, pair, load)
    load.before = served.memory()
    begun = time.monotonic()
    for pair in cycle(pairs):
        await _round(served, pair, load)
        if load.faults or time.monotonic() - begun > seconds:
            break
    load.after = served.memory()
    return load


async def _round(served: Served, pair: tuple[str, str], load: Load) -> None:
    client, upstream = pair
    model = MODELS[upstream]
    load.faults += await many_streams(served.url, client, model, range(STREAMS), EVENTS)
    load.events += STREAMS * EVENTS


def main() -> int:
    """Put a minute of load on a gateway and tell what it came to."""
    seconds = float(os.environ.get("DRAGOMAN_LOAD_SECONDS", "60"))
    failed = False
    with numbered() as upstream:
        for name, pairs in (("translated", TRANSLATED), ("same wire", SAME)):
            with serving(upstream) as served:
                load = asyncio.run(put(served, pairs, seconds / 2))
            failed |= bool(load.faults) or load.growth > GROWTH
            sys.stdout.write("\n".join([f"{name}: {load.told()}", *load.faults[:5], ""]))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
