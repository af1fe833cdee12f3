"""Conversations converted by `map` of Hugging Face `datasets`, as bytes, in two processes.

Needs `pip install datasets`. Records are bytes because `load_dataset("json")` makes one type of all
rows: missing keys become null, an integer beside a float a float, text like a date a date.

    python examples/batch_with_datasets.py requests.jsonl anthropic.jsonl
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from datasets import Dataset

from dragoman.batch import converter

to_anthropic = converter(
    source="openai-chat", target="anthropic", model="claude-opus-5-5", policy="ignore"
)


def records(path: str) -> Iterator[dict[str, Any]]:
    """The records of a file."""
    with Path(path).open("rb") as file:
        for line in file:
            yield {"record": line.rstrip(b"\n")}


def convert(row: dict[str, Any]) -> dict[str, Any]:
    """One record for Anthropic."""
    return {"record": to_anthropic(row["record"])}


if __name__ == "__main__":
    data = Dataset.from_generator(records, gen_kwargs={"path": sys.argv[1]})
    with Path(sys.argv[2]).open("wb") as out:
        out.writelines(row["record"] + b"\n" for row in data.map(convert, num_proc=2))
