"""Conversations converted in a Ray Data pipeline of your own, as bytes.

Needs the extra `batch`. Records are bytes because `read_json` makes one type of all rows (missing
keys become null, text like a date a date), and `read_text` cuts lines in two at U+2028.

    python examples/batch_with_ray.py requests.jsonl anthropic.jsonl
"""

import os
import sys
from pathlib import Path
from typing import Any

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing is reported to the makers of Ray
import ray

from dragoman.batch import converter

to_anthropic = converter(
    source="openai-chat", target="anthropic", model="claude-opus-5-5", policy="ignore"
)


def lines(file: dict[str, Any]) -> list[dict[str, Any]]:
    """The records of a file."""
    return [{"record": line} for line in file["bytes"].split(b"\n") if line.strip()]


def convert(row: dict[str, Any]) -> dict[str, Any]:
    """One record for Anthropic."""
    return {"record": to_anthropic(row["record"])}


if __name__ == "__main__":
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    records = ray.data.read_binary_files(sys.argv[1]).flat_map(lines).map(convert)
    with Path(sys.argv[2]).open("wb") as file:
        file.writelines(row["record"] + b"\n" for row in records.iter_rows())
