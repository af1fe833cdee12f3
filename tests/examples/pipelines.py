"""Run the examples of pipelines with a Python that has their packages.

    pip install datasets daft "ray[data]" -e .
    python -m tests.examples.pipelines

Each is given the same file, and must write what the function alone makes of each record. `datasets`
and `daft` are not installed for the tests: they would hold pyarrow back.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from dragoman.batch import converter
from tests.docs.pages import ROOT

PIPELINES = ("batch_with_ray.py", "batch_with_datasets.py", "batch_with_daft.py")


def write_requests(path: Path) -> bytes:
    """Write requests whose forms readers of JSON would join; what is to become of them."""
    rows = []
    for number in range(24):
        said: list[dict[str, object]] = [{"role": "user", "content": f"Question {number}\u2028."}]
        row = {"model": "gpt-5.6", "messages": said, "max_tokens": 9, "temperature": number % 2}
        match number % 4:
            case 1:
                said[0]["content"] = [{"type": "text", "text": "2026-01-02T03:04:05Z"}]
                row["temperature"] = 0.5
            case 2:
                function = {"name": "when", "arguments": '{"day": "2026-01-02", "n": 1}'}
                call = {"id": f"c{number}", "type": "function", "function": function}
                said.append({"role": "assistant", "content": None, "tool_calls": [call]})
                said.append({"role": "tool", "tool_call_id": call["id"], "content": "007"})
                row["tools"] = [{"type": "function", "function": {"name": "when"}}]
            case _:
                pass
        rows.append(json.dumps(row, ensure_ascii=False).encode())
    path.write_bytes(b"\n".join(rows) + b"\n")
    convert = converter(
        source="openai-chat", target="anthropic", model="claude-opus-5-5", policy="ignore"
    )
    return b"".join(convert(row) + b"\n" for row in rows)


def run_pipeline(name: str, folder: Path, **env: str) -> None:
    """Run one in a process of its own, and compare; raises AssertionError."""
    wanted = write_requests(folder / "in.jsonl")
    files = [str(ROOT / "examples" / name), str(folder / "in.jsonl"), str(folder / "out.jsonl")]
    ran = subprocess.run(
        [sys.executable, *files], capture_output=True, text=True, check=False, env=os.environ | env
    )
    assert ran.returncode == 0, ran.stderr
    assert (folder / "out.jsonl").read_bytes() == wanted


if __name__ == "__main__":
    for name in PIPELINES:
        with tempfile.TemporaryDirectory() as folder:
            run_pipeline(name, Path(folder))
        sys.stdout.write(f"{name}: as the function alone\n")
