"""Files of conversations through `dragoman batch convert`, beside a bare loop and two peers.

    python benchmarks/batch.py --records 1000000 --peers .venv-bench/bin/python

Conversations have ten messages; a tenth has tools, a tenth an image of 20 KB. They go from Chat
Completions to Anthropic and back, in three files, so that every engine has its turn three times.
The bare loop parses, converts and encodes each line in one process, and writes nothing; two of them
at once, each over the whole file, show what a second processor gives, which is less than twice as
much where two processors are the two threads of one core. The peers do the same as the loop with
their own functions, over a part of the records. CPU time and memory are read from
/proc, for all processes of a run. The start of an engine, a run over one record, is not counted;
on a busy machine the seconds on the clock say nothing.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FILES = 3
_TICKS = os.sysconf("SC_CLK_TCK")
_LOOP_NAME, _TWO_LOOPS = "bare loop", "two bare loops at once"
_PEERS = {"LiteLLM": "litellm", "llm-rosetta": "llm-rosetta"}
_WAYS = (("openai-chat", "anthropic", "claude-opus-5-5"), ("anthropic", "openai-chat", "gpt-5.6"))
_LINE = "when the tide turns they carry lamps along a narrow road toward the harbour"
_WORDS = _LINE.split(" ")

_TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks something up.",
        "parameters": {"type": "object", "properties": {"what": {"type": "string"}}},
    },
}


def conversations(count: int) -> Iterator[bytes]:
    """Requests as lines, the same ones each time."""
    rng = random.Random(7)  # noqa: S311  # no secret
    for number in range(count):
        yield json.dumps(_conversation(rng, number), ensure_ascii=False).encode() + b"\n"


def _conversation(rng: random.Random, number: int) -> dict[str, Any]:
    def text() -> str:
        return " ".join(rng.choices(_WORDS, k=rng.randrange(10, 120)))

    messages: list[dict[str, Any]] = [{"role": "system", "content": text()}]
    for _ in range(4):
        messages += [{"role": "user", "content": text()}, {"role": "assistant", "content": text()}]
    messages.append({"role": "user", "content": f"{number}: {text()}"})
    body: dict[str, Any] = {"model": "gpt-5.6", "messages": messages, "max_tokens": 500}
    if number % 10 == 3:
        call = {"name": "look_up", "arguments": json.dumps({"what": text()})}
        messages[2] = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"call_{number}", "type": "function", "function": call}],
        }
        messages[3] = {"role": "tool", "tool_call_id": f"call_{number}", "content": text()}
        body["tools"] = [_TOOL]
    if number % 10 == 7:
        data = base64.b64encode(b"\x89PNG\r\n\x1a\n" + rng.randbytes(20_000)).decode()
        image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
        messages[-1]["content"] = [{"type": "text", "text": "What is it?"}, image]
    return body


@dataclass
class Cost:
    """What runs have cost.

    Attributes:
        records: How many records they had.
        wall: Seconds on the clock.
        cpu: Seconds of all processors.
        peak: MB of the largest process.
    """

    records: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    peak: float = 0.0

    def add(self, other: Cost) -> None:
        """Add another run."""
        self.records += other.records
        self.wall += other.wall
        self.cpu += other.cpu
        self.peak = max(self.peak, other.peak)


@dataclass
class Processes:
    """CPU time and peak memory of a process and all below it, read until it ends."""

    root: int
    cpu: dict[int, float] = field(default_factory=dict)
    peak: dict[int, float] = field(default_factory=dict)

    def look(self) -> None:
        """Read /proc once."""
        parents, ticks = {}, {}
        for place in Path("/proc").glob("[0-9]*"):
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            pid = int(place.name)
            parents[pid], ticks[pid] = int(fields[1]), int(fields[11]) + int(fields[12])
        for pid, used in ticks.items():
            above = pid
            while above not in (0, 1, self.root):
                above = parents.get(above, 0)
            if above == self.root:
                self.cpu[pid] = used / _TICKS
                self.peak[pid] = max(self.peak.get(pid, 0.0), _peak(pid))


def _peak(pid: int) -> float:
    """MB that a process has had at most, without memory that it shares with others."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    sizes = dict.fromkeys(("VmHWM", "RssShmem"), 0)
    for row in status.splitlines():
        name, _, value = row.partition(":")
        if name in sizes:
            sizes[name] = int(value.split()[0])
    return (sizes["VmHWM"] - sizes["RssShmem"]) / 1024


def measure(command: list[str], records: int) -> Cost:
    """Run a command to its end."""
    begin = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603  # ours
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    seen = Processes(process.pid)
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.1):
            seen.look()

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, said = process.communicate()
    wall = time.perf_counter() - begin
    ended.set()
    watcher.join()
    if process.returncode:
        sys.exit(said)
    return Cost(records, wall, sum(seen.cpu.values()), max(seen.peak.values(), default=0.0))


def batch_command(file: Path, out: Path, way: tuple[str, str, str], *engine: str) -> list[str]:
    """The command over one file."""
    source, target, model = way
    options = ["--from", source, "--to", target, "--model", model, *engine]
    command = [sys.executable, "-m", "dragoman", "batch", "convert", str(file), "-o", str(out)]
    return command + options


_LOOP = """
import os, sys, time
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no network here
import orjson
file, who, source, target, model, most = sys.argv[1:]
if who == "dragoman":
    import dragoman
    def turn(body):
        return dragoman.convert(body, source, target, model=model, policy="ignore").body
elif who == "llm-rosetta":
    import llm_rosetta
    names = {"openai-chat": "openai_chat", "anthropic": "anthropic"}
    def turn(body):
        return llm_rosetta.convert(body, names[target], source_provider=names[source])
elif target == "anthropic":
    from litellm.llms.anthropic.chat.transformation import AnthropicConfig
    config = AnthropicConfig()
    def turn(body):
        rest = {key: value for key, value in body.items() if key not in ("model", "messages")}
        asked = config.map_openai_params(rest, {}, model, drop_params=False)
        return config.transform_request(model, body["messages"], asked, {}, {})
else:
    from litellm.llms.anthropic.messages.adapters import transformation
    adapter = transformation.LiteLLMAnthropicMessagesAdapter()
    def turn(body):
        written = adapter.translate_anthropic_to_openai(body)
        return written[0] if isinstance(written, tuple) else written
count = 0
with open(file, "rb") as lines:
    first = next(lines)
    orjson.dumps(turn(orjson.loads(first)))
    begin, used = time.perf_counter(), time.process_time()
    for line in lines:
        orjson.dumps(turn(orjson.loads(line)), default=dict)
        count += 1
        if count == int(most):
            break
print(count, time.perf_counter() - begin, time.process_time() - used)
"""


def measure_loop(python: str, file: Path, who: str, way: tuple[str, str, str], most: int) -> Cost:
    """The bare loop with one library's function, without its start."""
    command = [python, "-c", _LOOP, str(file), who, *way, str(most)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    if ran.returncode:
        sys.exit(ran.stderr)
    count, wall, cpu = ran.stdout.split()[-3:]
    return Cost(int(count), float(wall), float(cpu))


def measure_two_loops(file: Path, way: tuple[str, str, str], most: int) -> Cost:
    """Two bare loops at once."""
    with ThreadPoolExecutor(2) as pool:
        loops = [
            pool.submit(measure_loop, sys.executable, file, "dragoman", way, most) for _ in range(2)
        ]
        costs = [loop.result() for loop in loops]
    records = sum(cost.records for cost in costs)
    return Cost(records, max(cost.wall for cost in costs), sum(cost.cpu for cost in costs))


ENGINES = {
    "1 process": ("--jobs", "1"),
    "2 processes": ("--jobs", "2"),
    "Ray, 2 processors": ("--engine", "ray", "--jobs", "2"),
}


def measure_way(
    files: list[Path], place: Path, way: tuple[str, str, str], asked: argparse.Namespace
) -> tuple[dict[str, Cost], list[Path]]:
    """The costs of all, and the files that one engine has written."""
    costs = {name: Cost() for name in (_LOOP_NAME, _TWO_LOOPS, *_PEERS, *ENGINES)}
    one = place / "one.jsonl"
    with files[0].open("rb") as lines:
        one.write_bytes(next(lines))
    starts = {}
    for name, engine in ENGINES.items():
        starts[name] = measure(batch_command(one, place / "start", way, *engine), 1)
        shutil.rmtree(place / "start")
    written = []
    for file in files:
        records = asked.records // len(files)
        costs[_LOOP_NAME].add(measure_loop(sys.executable, file, "dragoman", way, records))
        costs[_TWO_LOOPS].add(measure_two_loops(file, way, records))
        for name, engine in ENGINES.items():
            out = place / f"{way[1]}-{name.split(' ')[0]}"
            cost = measure(batch_command(file, out / file.name, way, *engine), records)
            cost.wall -= starts[name].wall
            cost.cpu -= starts[name].cpu
            costs[name].add(cost)
            if name == "1 process":
                written.append(out / file.name)
            else:
                shutil.rmtree(out)
        if asked.peers:
            for name, who in _PEERS.items():
                most = asked.peer_records // len(files)
                costs[name].add(measure_loop(asked.peers, file, who, way, most))
    for name, start in starts.items():
        print(f"{name}: starts in {start.wall:.1f} s ({start.cpu:.1f} s of a processor)")
    return costs, written


def show(way: tuple[str, str, str], costs: dict[str, Cost]) -> None:
    """Print a table."""
    loop = costs[_LOOP_NAME]
    print(f"\n| {way[0]} to {way[1]} | records | a second | of the loop | us of a processor "
          "| of the loop's | largest process, MB |\n|---|---|---|---|---|---|---|")  # fmt: skip
    for name, cost in costs.items():
        if cost.records:
            rate, own = cost.records / cost.wall, cost.cpu / cost.records
            rates = f"{rate:,.0f} | {rate * loop.wall / loop.records:.2f}"
            times = f"{own * 1e6:,.0f} | {own * loop.records / loop.cpu:.2f}"
            peak = f"{cost.peak:,.0f}" if cost.peak else ""
            print(f"| {name} | {cost.records:,} | {rates} | {times} | {peak} |", flush=True)


def main() -> None:
    """Measure both ways, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--peer-records", type=int, default=5_000)
    parser.add_argument("--peers", help="the Python that has LiteLLM and llm-rosetta")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        files = []
        records = conversations(asked.records)
        for number in range(_FILES):
            files.append(place / f"{number}.jsonl")
            with files[-1].open("wb") as lines:
                for _ in range(asked.records // _FILES):
                    lines.write(next(records))
        size = sum(file.stat().st_size for file in files) / 2**20
        print(f"{asked.records:,} conversations, {size:,.0f} MiB", flush=True)
        for way in _WAYS:
            costs, written = measure_way(files, place, way, asked)
            show(way, costs)
            for file in files:
                file.unlink()
            files = written


if __name__ == "__main__":
    main()
