"""Vocabularies that need no network: one made here, and OpenAI's own out of a package."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
from functools import cache
from pathlib import Path

import tiktoken

__all__ = ["small", "vocabularies"]

# Words, with the blank before them, and runs of everything else.
_SPLIT = r" ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+"
_PAIRS = (b"th", b"the", b"in", b"ing", b" a", b"er", b"ion", b"at", b"user", b"us", b"ser")


@cache
def small() -> tiktoken.Encoding:
    """All bytes and a few pairs: tiktoken itself, with a vocabulary made here."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    for pair in (b"us", b"er", *_PAIRS):
        ranks.setdefault(pair, len(ranks))
    special = {"<|endoftext|>": len(ranks)}
    return tiktoken.Encoding(
        name="small", pat_str=_SPLIT, mergeable_ranks=ranks, special_tokens=special
    )


def vocabularies(folder: Path) -> Path:
    """OpenAI's own vocabularies as tiktoken keeps them, from a package that ships the files.

    The package itself is not imported. tiktoken compares the files with hashes of its own.
    """
    [home] = importlib.util.find_spec("bpe_openai").submodule_search_locations  # type: ignore[union-attr, misc]
    for name in ("cl100k_base", "o200k_base"):
        url = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
        packed = (Path(home) / "data" / f"{name}.tiktoken.gz").read_bytes()
        copy = folder / hashlib.sha1(url.encode()).hexdigest()
        copy.write_bytes(gzip.decompress(packed))
    return folder
