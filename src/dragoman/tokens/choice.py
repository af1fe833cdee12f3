"""Choose the counter of a model where a program names none: an installed tokenizer, or an estimate.

Nothing is fetched: a vocabulary counts as installed where its file lies on this machine, in the
cache of tiktoken or of Hugging Face's hub, or within a package.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..capabilities import bare
from ..errors import ConfigError
from .base import Messages, SumTokenCounter, Tools
from .estimated import EstimatedTokenCounter, maker_row
from .loading import Loading, library
from .mistral import MistralTokenCounter
from .openai import FILES, OpenAITokenCounter

# as dashscope 2.0 splits texts; the file within it is the vocabulary of all Qwen up to 3
_QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_TOKENIZER = "tokenizer.json"


class InstalledTokenCounter(Loading, EstimatedTokenCounter):
    """Counts texts with a tokenizer that is installed, and the rest as EstimatedTokenCounter does.

    Args:
        model_name: The model, as its host names it.
        load: Returns the function that counts the tokens of a text; called at the first use.
    """

    is_estimate = False

    def __init__(self, model_name: str, load: Callable[[], Callable[[str], int]]) -> None:
        self._loader = load
        self._forget()
        EstimatedTokenCounter.__init__(self, model_name)

    def _load(self) -> Any:
        return self._loader()

    def _vocabulary(self) -> Callable[[str], float]:
        return lambda text: float(self._once()(text))

    def __getstate__(self) -> dict[str, Any]:
        state = EstimatedTokenCounter.__getstate__(self)
        return {name: value for name, value in state.items() if name not in self._aside}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._forget()
        EstimatedTokenCounter.__setstate__(self, state)

    def count_sync(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Add the tokens of the messages and the overhead.

        Args:
            messages: The messages as they go to the provider.
            tools: The tool schemas as they go to the provider; None counts no tools.
            **kwargs: Other keywords have no effect.

        Returns:
            The number of tokens, 0 at least.
        """
        return SumTokenCounter.count_sync(self, messages, tools, **kwargs)


def choose_counter(model_name: str = "") -> SumTokenCounter:
    """The counter of a model, without a network and without a name.

    With a tokenizer of the model's family installed (extra `tokens`, or one of `bpe-openai`,
    `mistral-common`, `dashscope`, a tokenizer in the hub's cache) it counts with that one; else it
    is an `EstimatedTokenCounter`, whose `is_estimate` is True.

    Args:
        model_name: The model, as its host names it; the usual row without.

    >>> choose_counter("claude-opus-5-5").is_estimate
    True
    """
    row = maker_row(model_name)
    vocabulary = row.vocabulary
    if row.exact and (encoding := _openai(vocabulary)) is not None:
        return OpenAITokenCounter(model_name or "gpt-5", encoding=encoding)
    if "/" in model_name and (file := _in_hub(model_name)) is not None:
        return InstalledTokenCounter(model_name, _Hub(file))
    if vocabulary == "tekken" and find_spec("mistral_common") is not None:
        return InstalledTokenCounter(model_name, _Tekken(model_name))
    if bare(model_name).startswith("qwen") and (file := _qwen_file()) is not None:
        return InstalledTokenCounter(model_name, _Qwen(file))
    return EstimatedTokenCounter(model_name)


def _openai(vocabulary: str) -> Any:
    """An encoding of OpenAI, by name where tiktoken has its file; None if it is not installed."""
    name = f"{vocabulary}_base"
    if find_spec("tiktoken") is not None:
        # as tiktoken.load keeps its copies
        folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
        folder = folder or str(Path(tempfile.gettempdir()) / "data-gym-cache")
        copy = hashlib.sha1(f"{FILES}{name}.tiktoken".encode(), usedforsecurity=False)
        if (Path(folder) / copy.hexdigest()).is_file():
            return name
    if find_spec("bpe_openai") is not None:
        return ShippedEncoding(name)
    return None


class ShippedEncoding:
    """The encoding of bpe-openai, which ships its vocabularies; loaded at first use."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._encoding: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "_encoding": None}

    def encode_ordinary(self, text: str) -> list[int]:
        """The tokens of a text."""
        if self._encoding is None:
            with warnings.catch_warnings():  # it opens its files in a way that is deprecated
                warnings.simplefilter("ignore", DeprecationWarning)
                self._encoding = library("bpe_openai").get_encoding(self.name)
        tokens: list[int] = self._encoding.encode_ordinary(text)
        return tokens


class _Tekken:
    def __init__(self, model_name: str) -> None:
        self._name = model_name

    def __call__(self) -> Callable[[str], int]:
        return MistralTokenCounter(self._name).text_tokens


class _Qwen:
    def __init__(self, file: str) -> None:
        self._file = file

    def __call__(self) -> Callable[[str], int]:
        ranks = library("tiktoken.load").load_tiktoken_bpe(self._file)
        encoding = library("tiktoken").Encoding(
            "qwen", pat_str=_QWEN_PATTERN, mergeable_ranks=ranks, special_tokens={}
        )
        return lambda text: len(encoding.encode_ordinary(text))


class _Hub:
    def __init__(self, file: str) -> None:
        self._file = file

    def __call__(self) -> Callable[[str], int]:
        try:
            tokenizer = library("tokenizers").Tokenizer.from_file(self._file)
        except Exception as error:  # the library raises bare Exception for a bad file
            raise ConfigError(
                f"no tokenizer in {self._file}: {error}", code="token.not_loaded"
            ) from error
        return lambda text: len(tokenizer.encode(_plain(text), add_special_tokens=False).ids)


def _plain(text: str) -> str:
    """Without lone surrogates, which no tokenizer takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _qwen_file() -> str | None:
    spec = find_spec("dashscope") if find_spec("tiktoken") is not None else None
    folders = (spec.submodule_search_locations or ()) if spec is not None else ()
    files = (Path(folder) / "resources" / "qwen.tiktoken" for folder in folders)
    return next((str(file) for file in files if file.is_file()), None)


def _in_hub(name: str) -> str | None:
    """The tokenizer of a repository in the hub's cache on this machine."""
    if find_spec("tokenizers") is None or find_spec("huggingface_hub") is None:
        return None
    try:
        file = library("huggingface_hub").try_to_load_from_cache(name, _TOKENIZER)
    except ValueError:  # no name of a repository
        return None
    return file if isinstance(file, str) else None
