"""Files of conversations through `dragoman batch convert`: rates, beside the bare loop, and memory.

    python benchmarks/batch.py                                  # 20,000 conversations
    DRAGOMAN_BATCH_RECORDS=1000000 python benchmarks/batch.py   # a million

Conversations have ten messages; a tenth has tools, a tenth an image of 20 KB. They go from Chat
Completions to Anthropic and back. The bare loop parses, converts and encodes each line in one
process, and writes nothing.
"""

from __future__ import annotations

import base64
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RECORDS = int(os.environ.get("DRAGOMAN_BATCH_RECORDS", "20000"))
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


def measure_loop(file: Path, source: str, target: str, model: str) -> float:
    """Records a second of the bare loop in a process of its own."""
    code = f"""
import time, orjson, dragoman
begin = time.perf_counter()
count = 0
with open({str(file)!r}, "rb") as lines:
    for line in lines:
        body = orjson.loads(line)
        orjson.dumps(dragoman.convert(body, {source!r}, {target!r}, model={model!r},
                                      policy="ignore").body)
        count += 1
print(count / (time.perf_counter() - begin))
"""
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True)  # noqa: S603  # ours
    return float(ran.stdout)


def measure_batch(
    file: Path, out: Path, way: tuple[str, str, str], jobs: int
) -> tuple[float, float]:
    """(records a second, MB of the largest process so far) of the command, its start included."""
    source, target, model = way
    options = ["--from", source, "--to", target, "--model", model, "--jobs", str(jobs)]
    command = [sys.executable, "-m", "dragoman", "batch", "convert", str(file), "-o", str(out)]
    begin = time.perf_counter()
    command += options
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)  # noqa: S603  # ours
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return RECORDS / seconds, peak / 1024


def main() -> None:
    """Measure both ways, and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        file = place / "openai-chat.jsonl"
        with file.open("wb") as lines:
            lines.writelines(conversations(RECORDS))
        size = file.stat().st_size / 2**20
        print(f"{RECORDS:,} conversations, {size:,.0f} MiB\n")
        print("| way | bare loop | 1 process | 2 processes | largest process |")
        print("|---|---|---|---|---|")
        for way in _WAYS:
            source, target, _ = way
            one, _ = measure_batch(file, place / f"one-{target}", way, 1)
            two, peak = measure_batch(file, place / f"two-{target}", way, 2)
            loop = measure_loop(file, *way)
            print(
                f"| {source} to {target} | {loop:,.0f}/s | {one:,.0f}/s ({one / loop:.0%}) "
                f"| {two:,.0f}/s ({two / one:.2f} times) | {peak:,.0f} MB |"
            )
            file = place / f"one-{target}" / file.name


if __name__ == "__main__":
    main()
