"""Document 001: the Hugging Face counter, its arguments, its mirror, and what it does without."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.tokens import HuggingFaceTokenCounter, TokenCounterBase
from tests.tokens.conversations import DOCUMENT
from tests.tokens.mirror import serve
from tests.tokens.training import qwen_tokenizer

NAME = "Qwen/Qwen2.5-VL-3B-Instruct"


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> str:
    return qwen_tokenizer(tmp_path_factory.mktemp("qwen"))


@pytest.mark.demand("S123", "S124")
def test_the_tokenizer_is_named_by_position_or_by_keyword(qwen: str) -> None:
    first = HuggingFaceTokenCounter(qwen, use_mirror=True)
    second = HuggingFaceTokenCounter(pretrained_model_name_or_path=qwen, use_mirror=True)
    assert isinstance(first, TokenCounterBase)
    assert first.count_sync(DOCUMENT) == second.count_sync(DOCUMENT) == 165


@pytest.mark.demand("S125")
def test_the_documents_tokenizer_comes_from_a_mirror(
    qwen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    assert HuggingFaceTokenCounter(NAME).mirror is None
    assert HuggingFaceTokenCounter(NAME, use_mirror=True).mirror == "https://hf-mirror.com"
    with serve(Path(qwen), NAME) as mirror:
        counter = HuggingFaceTokenCounter(
            NAME, use_mirror=True, mirror=mirror.url, cache_dir=str(tmp_path)
        )
        assert counter.count_sync(DOCUMENT) == 165
        assert any(f"/{NAME}/resolve/" in asked for asked in mirror.asked)


@pytest.mark.demand("S126")
def test_counting_is_awaited_and_gives_an_int(qwen: str) -> None:
    tokens = asyncio.run(HuggingFaceTokenCounter(qwen).count(DOCUMENT))
    assert (type(tokens), tokens) == (int, 165)


PROGRAM = """\
import sys
sys.modules.update(dict.fromkeys(("torch", "tensorflow", "flax", "jax")))  # none can be imported
from dragoman.tokens import HuggingFaceTokenCounter
from tests.tokens.conversations import DOCUMENT
print(HuggingFaceTokenCounter(sys.argv[1]).count_sync(DOCUMENT))
"""


# what the document prints too; the sentence before it names the frameworks that transformers knows
NOTICE = (
    "Models won't be available and only tokenizers, configuration and file/data utilities can be"
    " used."
)


@pytest.mark.demand("S127")
def test_no_machine_learning_framework_is_needed(qwen: str) -> None:
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, qwen],
        cwd=root, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.stdout.strip(), ran.returncode) == ("165", 0), ran.stderr
    assert NOTICE in ran.stderr
