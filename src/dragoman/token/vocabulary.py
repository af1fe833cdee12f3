"""Which of OpenAI's vocabularies a model reads, and tiktoken's encoding of it, loaded on use.

tiktoken ships no vocabulary: it downloads one at its first use and keeps it in a folder. Where
there is no network the file has to be put there, and the error says how.
"""

from __future__ import annotations

import hashlib
from typing import Protocol

from ..capabilities import bare
from ..errors import ConfigError
from .hub import library

__all__ = ["NEWEST", "Encoding", "encoding", "encoding_name"]

NEWEST = "o200k_base"  # of every model since GPT-4o; what a model unknown to tiktoken is read with
_FILES = "https://openaipublic.blob.core.windows.net/encodings/"
# o200k_harmony is o200k_base with other special tokens, which no message can contain.
_SAME_FILE = {"o200k_harmony": "o200k_base", "p50k_edit": "p50k_base"}


class Encoding(Protocol):
    """What is needed of an encoding: tiktoken's, or that of a library like it."""

    def encode_ordinary(self, text: str) -> list[int]:
        """The tokens of a text, what looks like a special token in it taken as text."""
        ...


def encoding_name(model: str) -> str:
    """The vocabulary of a model by tiktoken's table; of an unknown one the newest."""
    table = library("tiktoken.model")
    try:
        name: str = table.encoding_name_for_model(bare(model))
    except KeyError:
        return NEWEST
    return name


def encoding(name: str) -> Encoding:
    """The encoding of tiktoken; raises ConfigError if there is no vocabulary, here or to fetch."""
    tiktoken = library("tiktoken")
    if name not in tiktoken.list_encoding_names():
        raise ConfigError(
            f"tiktoken has no encoding {name!r}",
            hint=f"it has {', '.join(tiktoken.list_encoding_names())}",
            code="token.encoding",
        )
    try:
        found: Encoding = tiktoken.get_encoding(name)
    except (OSError, ValueError) as error:  # requests' errors are OSError; ValueError: a bad file
        raise ConfigError(
            f"tiktoken cannot load the vocabulary {name}: {type(error).__name__}: {error}",
            hint=_offline(name),
            code="token.no_vocabulary",
        ) from error
    return found


def _offline(name: str) -> str:
    url = f"{_FILES}{_SAME_FILE.get(name, name)}.tiktoken"
    # the name that tiktoken.load gives its copy
    copy = hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
    return (
        f"without a network fetch {url} elsewhere, put it as {copy} into a folder, and name "
        "that folder in the environment variable TIKTOKEN_CACHE_DIR; or give the counter an "
        "encoding= that ships its vocabulary"
    )
