"""A mirror is asked, and only for the tokenizer; nobody else in the process notices."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import ConfigError
from dragoman.tokens import HuggingFaceTokenCounter

from .conversations import DOCUMENT
from .mirror import serve
from .training import qwen_tokenizer

NAME = "house/friday"


@pytest.fixture(autouse=True)
def online(monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_user")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(qwen_tokenizer(tmp_path_factory.mktemp("repository")))
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "model.safetensors.index.json").write_text("{}", "utf-8")
    (folder / "tokenization_friday.py").write_text("", "utf-8")
    return folder


@pytest.mark.parametrize("lists", [True, False], ids=["lists files", "serves files only"])
def test_the_mirror_serves_the_tokenizer(repository: Path, tmp_path: Path, lists: bool) -> None:
    from huggingface_hub import constants

    before = (constants.ENDPOINT, constants.HUGGINGFACE_CO_URL_TEMPLATE, dict(os.environ))
    with serve(repository, NAME, lists=lists) as mirror:
        counter = HuggingFaceTokenCounter(
            NAME, use_mirror=True, mirror=f"{mirror.url}/", cache_dir=str(tmp_path)
        )
        assert mirror.asked == []
        assert counter.count_sync(DOCUMENT) == 165
        fetched = {asked.rpartition("/")[2] for asked in mirror.asked if asked.startswith("GET")}
        assert fetched >= {"tokenizer.json", "tokenizer_config.json"}
        assert not any("model.safetensors" in asked or ".py" in asked for asked in mirror.asked)
        assert set(mirror.shown) == {None}
    assert (constants.ENDPOINT, constants.HUGGINGFACE_CO_URL_TEMPLATE, dict(os.environ)) == before


def test_what_was_fetched_serves_without_the_mirror(repository: Path, tmp_path: Path) -> None:
    with serve(repository, NAME) as mirror:
        options: dict[str, Any] = {"mirror": mirror.url, "cache_dir": str(tmp_path)}
        assert HuggingFaceTokenCounter(NAME, True, **options).count_sync(DOCUMENT) == 165
    again = HuggingFaceTokenCounter(NAME, True, local_files_only=True, **options)
    assert again.count_sync(DOCUMENT) == 165


def test_a_revision_a_token_and_code_are_asked_for(repository: Path, tmp_path: Path) -> None:
    with serve(repository, NAME) as mirror:
        counter = HuggingFaceTokenCounter(
            NAME,
            trust_remote_code=True,
            mirror=mirror.url,
            cache_dir=str(tmp_path),
            revision="main",
            token="hf_for_the_mirror",
            padding_side="left",
        )
        assert counter.count_sync(DOCUMENT) == 165
        assert counter.tokenizer.padding_side == "left"
        assert any(asked.endswith("tokenization_friday.py") for asked in mirror.asked)
        assert "Bearer hf_for_the_mirror" in mirror.shown


@pytest.mark.parametrize("lists", [True, False], ids=["lists files", "serves files only"])
def test_a_mirror_that_does_not_have_it(repository: Path, tmp_path: Path, lists: bool) -> None:
    with serve(repository, NAME, lists=lists) as mirror:
        counter = HuggingFaceTokenCounter(
            "house/nobody", mirror=mirror.url, cache_dir=str(tmp_path)
        )
        with pytest.raises(ConfigError, match=r"no tokenizer of 'house/nobody'.* 404 "):
            counter.count_sync(DOCUMENT)
        assert mirror.asked


def test_the_mirror_of_the_documents_is_the_default() -> None:
    counter = HuggingFaceTokenCounter("Qwen/Qwen2.5-VL-3B-Instruct", use_mirror=True)
    assert counter.mirror == "https://hf-mirror.com"
    assert HuggingFaceTokenCounter("Qwen/Qwen2.5-VL-3B-Instruct").mirror is None
