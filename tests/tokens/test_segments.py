"""A text in segments has the tokens that it has as a whole, whatever the tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from dragoman.tokens import HuggingFaceTokenCounter
from dragoman.tokens.huggingface import SegmentCounter, is_border

from .conversations import DOCUMENT, OPENAI, TOOLS
from .training import CHATML, train_tokenizer

END = "<|im_end|>"
TEXTS = st.lists(
    st.sampled_from(
        (END, "<|im_start|>", "<|im", "_end|>", "user\n", " ", "  ", "\n\n", "Hello", "你好", "a<",
         "e\u0301", "|>", "<tool>", "x<|", "\ud800", "0", "word")
    ),
    max_size=24,
).map("".join)  # fmt: skip
CORPUS = ["Hello world, hello user", "你好，世界", "a < b |> c  \n\n", "<tool> word 012"]


def byte_level() -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    trainer = trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    made.train_from_iterator(CORPUS, trainer)
    return made


def _trainer() -> Any:
    return trainers.BpeTrainer(vocab_size=200, special_tokens=["<unk>"], show_progress=False)


def prepended() -> Tokenizer:
    """As Llama 2's: the normalizer puts a mark before each text and in place of each blank."""
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    made.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.train_from_iterator(CORPUS, _trainer())
    return made


def metaspace() -> Tokenizer:
    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    made.train_from_iterator(CORPUS, _trainer())
    return made


def with_tokens(made: Tokenizer, *tokens: AddedToken | str) -> Any:
    made.add_special_tokens([END, "<|im_start|>"])
    made.add_tokens([AddedToken("<tool>", single_word=True, rstrip=True, normalized=True)])
    made.add_tokens(list(tokens))
    return PreTrainedTokenizerFast(tokenizer_object=made)


MAKERS: dict[str, Callable[[], Any]] = {
    "byte level": lambda: with_tokens(byte_level()),
    "marks each text": lambda: with_tokens(prepended()),
    "marks the first word": lambda: with_tokens(metaspace()),
    "a token that ends in a border": lambda: with_tokens(byte_level(), "x<|", "a<"),
    "a token that holds a border": lambda: with_tokens(byte_level(), f"{END} "),
}


@pytest.fixture(scope="module", params=MAKERS)
def tokenizer(request: pytest.FixtureRequest) -> Any:
    return MAKERS[request.param]()


def whole(tokenizer: Any, text: str) -> int:
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return len(tokenizer(clean, add_special_tokens=False)["input_ids"])


@settings(deadline=None, max_examples=150)
@given(st.lists(TEXTS, max_size=6))
def test_segments_add_up(tokenizer: Any, texts: list[str]) -> None:
    segments = SegmentCounter(tokenizer, lambda text: whole(tokenizer, text))
    for text in (f"{END}{END}<|im_start|>", *texts, *texts):
        assert segments.tokens(text) == whole(tokenizer, text)


@pytest.mark.parametrize(
    ("kind", "split"),
    [
        ("byte level", True),
        ("marks each text", True),
        ("marks the first word", False),
        ("a token that ends in a border", False),
        ("a token that holds a border", True),  # <|im_start|> is one then
    ],
)
def test_what_is_split_and_what_is_not(kind: str, split: bool) -> None:
    tokenizer = MAKERS[kind]()
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return whole(tokenizer, text)

    text = f"<|im_start|>Hello{END}<|im_start|>word{END}"
    segments = SegmentCounter(tokenizer, count)
    assert segments.tokens(text) == segments.tokens(text) == whole(tokenizer, text)
    assert (text not in counted) == split
    assert len(counted) == 2


@pytest.mark.parametrize(
    ("border", "others", "alone"),
    [
        ("<|end|>", ["<|end|>", "<|start|>", "<tool>"], True),
        ("end|>", [], False),  # a word may reach into it
        ("<|end", [], False),
        ("_end|>", [], False),
        ("<|end_", [], False),
        ("<|end|>", ["<|end|>more"], False),
        ("<|end|>", ["more<|end|>"], False),
        ("<|end|>", ["more<|"], False),
        ("<|end|>", ["|>more"], True),  # comes too late to take the border's end
        ("<|<|", ["<|<|"], False),
    ],
)
def test_a_border_stands_alone(border: str, others: list[str], alone: bool) -> None:
    assert is_border(border, others) == alone


def test_split_special_tokens_are_no_borders() -> None:
    tokenizer = MAKERS["byte level"]()
    tokenizer.backend_tokenizer.encode_special_tokens = True
    segments = SegmentCounter(tokenizer, len)
    assert segments.tokens(END * 3) == len(END * 3)


def test_a_tokenizer_without_a_backend_counts_whole_texts() -> None:
    assert SegmentCounter(object(), len).tokens(f"a{END}b{END}c") == len(f"a{END}b{END}c")


def test_an_agent_loop_tokenizes_new_messages_only(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = train_tokenizer(str(DOCUMENT), tmp_path, template=CHATML)
    counter, fresh = HuggingFaceTokenCounter(folder), HuggingFaceTokenCounter(folder)
    said: list[int] = []
    plain = counter._tokens

    def tokens(text: str) -> int:
        said.append(len(text))
        return plain(text)

    monkeypatch.setattr(counter, "_tokens", tokens)
    history = list(OPENAI)
    for i in range(30):
        history.append({"role": "user", "content": f"question {i}"})
        assert counter.count_sync(history, TOOLS) == fresh.count_sync(history, TOOLS)
        fresh._forget()
    assert len(said) < 30 + len(OPENAI) + 5
