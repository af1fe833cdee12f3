"""Estimated tokens beside real tokenizers: the table of docs/histories.md.

    python -m benchmarks.tokens

The histories are those of `tests/tokens/histories.py`; the vocabularies are in the packages
bpe-openai (o200k and cl100k), mistral-common and dashscope, so that nothing is downloaded.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from dragoman.tokens import (
    EstimatedTokenCounter,
    MistralTokenCounter,
    OpenAITokenCounter,
    choose_counter,
)
from dragoman.tokens.choice import ShippedEncoding
from tests.tokens.histories import CHINESE, CODE, ENGLISH, HISTORIES, ROWS

MODELS = {
    "GPT-5.6 (o200k)": "gpt-5.6",
    "GPT-4 (cl100k)": "gpt-4",
    "Mistral (tekken)": "mistral-large-2512",
    "Qwen": "qwen3-max",
}


def real_counter(model: str) -> Any:
    """A counter with the real vocabulary of a model, where it is installed."""
    if model.startswith("gpt"):
        name = "cl100k_base" if model == "gpt-4" else "o200k_base"
        return OpenAITokenCounter(model, encoding=ShippedEncoding(name))
    return MistralTokenCounter(model) if model.startswith("mistral") else choose_counter(model)


def figures(model: str) -> dict[str, tuple[int, int]]:
    """(estimated, real) tokens of each history."""
    real, estimated = real_counter(model), EstimatedTokenCounter(model)
    return {
        name: (estimated.count_sync(messages, tools), real.count_sync(messages, tools))
        for name, (messages, tools) in HISTORIES.items()
    }


def table() -> list[str]:
    """The rows of the table, in Markdown."""
    columns = [figures(model) for model in MODELS.values()]
    rows = [f"| history | {' | '.join(MODELS)} |", f"|---|{'---|' * len(MODELS)}"]
    for name in HISTORIES:
        cells = []
        for column in columns:
            estimated, real = column[name]
            cells.append(f"{estimated:,} / {real:,} ({estimated / real - 1:+.1%})")
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return rows


def main() -> None:
    """Print the table, and how fast an estimate is."""
    print("\n".join(table()))
    counter = EstimatedTokenCounter("gpt-5.6")
    for name, text in (("English", ENGLISH), ("Chinese", CHINESE), ("code", CODE[0]),
                       ("JSON", str(ROWS))):  # fmt: skip
        long = text * (2_000_000 // len(text))
        began = perf_counter()
        counter.count_sync([{"role": "user", "content": long}])
        print(f"{name}: {len(long.encode()) / (perf_counter() - began) / 1e6:.0f} MB/s")


if __name__ == "__main__":
    main()
