"""Conversations converted in a Daft pipeline, as bytes.

Needs `pip install daft`.

    python examples/batch_with_daft.py requests.jsonl anthropic.jsonl
"""

import sys
from pathlib import Path

import daft

from dragoman.batch import converter

to_anthropic = converter(
    source="openai-chat", target="anthropic", model="claude-opus-5-5", policy="ignore"
)


def convert(record: bytes) -> bytes:
    """One record for Anthropic."""
    return to_anthropic(record)


if __name__ == "__main__":
    lines = [line for line in Path(sys.argv[1]).read_bytes().split(b"\n") if line.strip()]
    written = daft.func(convert)(daft.col("record")).alias("record")
    rows = daft.from_pydict({"record": lines}).select(written)
    with Path(sys.argv[2]).open("wb") as file:
        file.writelines(row["record"] + b"\n" for row in rows.iter_rows())
