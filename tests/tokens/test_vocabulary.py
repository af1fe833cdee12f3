"""Which vocabulary a model has, and what is said when it is not there. No network is asked."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tiktoken.load
import tiktoken.registry
from tiktoken_ext import openai_public  # type: ignore[import-untyped]

from dragoman.errors import ConfigError
from dragoman.tokens import OpenAITokenCounter
from dragoman.tokens.openai import NEWEST, encoding, encoding_name


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-5.6-sol", "o200k_base"),
        ("openai/gpt-4-0613", "cl100k_base"),
        ("ft:gpt-4o:acme::x", "o200k_base"),
        ("gpt-oss-120b", "o200k_harmony"),
        ("gpt-6-astra", NEWEST),
        ("qwen3-max", NEWEST),
    ],
)
def test_the_vocabulary_of_a_model(model: str, name: str) -> None:
    assert encoding_name(model) == name


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder for tiktoken's files, and no network."""

    def blocked(url: str) -> Any:
        raise ConnectionError(f"no route to {url}")

    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    monkeypatch.setattr(tiktoken.load, "read_file", blocked)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_without_its_file_the_error_says_what_to_do(nothing_loaded: Path) -> None:
    counter = OpenAITokenCounter("gpt-4o")
    with pytest.raises(ConfigError) as caught:
        counter.count_sync([{"role": "user", "content": "secret"}])
    error = caught.value
    assert error.code == "token.no_vocabulary"
    url = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
    for said in (url, hashlib.sha1(url.encode()).hexdigest(), "TIKTOKEN_CACHE_DIR", "encoding="):
        assert said in str(error)
    assert "secret" not in str(error)


def test_the_file_in_the_folder_that_the_error_names_is_read(
    nothing_loaded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = b"".join(base64.b64encode(bytes([i])) + f" {i}\n".encode() for i in range(256))
    digest = hashlib.sha256(lines).hexdigest()
    real = openai_public.load_tiktoken_bpe

    def tiny(url: str, expected_hash: str | None = None) -> dict[bytes, int]:
        found: dict[bytes, int] = real(url, expected_hash=digest)
        return found

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", tiny)
    with pytest.raises(ConfigError) as caught:
        encoding("o200k_base")
    named = str(caught.value).partition("put it as ")[2].split()[0]
    (nothing_loaded / named).write_bytes(lines)
    counter = OpenAITokenCounter("gpt-4o")
    assert counter.count_message({"role": "user", "content": "abc"}) == 3 + 4 + 3


def test_a_file_that_is_another_is_refused(nothing_loaded: Path) -> None:
    url = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
    (nothing_loaded / hashlib.sha1(url.encode()).hexdigest()).write_bytes(b"AA== 0\n")
    with pytest.raises(ConfigError, match="cannot load the vocabulary o200k_harmony"):
        encoding("o200k_harmony")


def test_encodings_of_ones_own_plugin_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tiktoken.Encoding(
        name="mine", pat_str=".", mergeable_ranks={bytes([i]): i for i in range(256)},
        special_tokens={},
    )  # fmt: skip
    tiktoken.list_encoding_names()
    monkeypatch.setitem(tiktoken.registry.ENCODING_CONSTRUCTORS, "mine", dict)  # type: ignore[arg-type]
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, "mine", made)
    assert encoding("mine") is made
