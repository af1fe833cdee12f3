"""Estimates: close to real tokenizers, in one pass, and no base64 read as text on any wire."""

from __future__ import annotations

import base64
import copy
import pickle
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dragoman
from benchmarks.tokens import MODELS, figures, table
from dragoman import LLM, ChatRequest, Msg
from dragoman.errors import DragomanError
from dragoman.tokens import (
    CachedTokenCounter,
    CharTokenCounter,
    EstimatedTokenCounter,
    InstalledTokenCounter,
    OpenAITokenCounter,
    choose_counter,
)
from dragoman.tokens.chat_messages import split_body
from dragoman.tokens.choice import ShippedEncoding
from tests.covering import covering
from tests.growth import grows_in_proportion
from tests.tokens.histories import CHINESE, ENGLISH, HISTORIES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("model", MODELS.values())
def test_an_estimate_is_within_a_tenth_of_the_real_count(model: str) -> None:
    off = {name: estimated / real - 1 for name, (estimated, real) in figures(model).items()}
    assert max(map(abs, off.values())) < 0.1, off


@pytest.mark.parametrize("folder", ["docs", "docs/zh"])
def test_the_table_of_the_page_is_what_the_script_prints(folder: str) -> None:
    page = (ROOT / folder / "histories.md").read_text(encoding="utf-8")
    for row in table()[2:]:
        assert row.partition(" | ")[2] in page, row


OTHERS = {
    "Russian": "Библиотека работает с девяти утра, но читальный зал открывают только в полдень. "
    "Вчера туда привезли двадцать новых книг о морских путешествиях, и дети сразу их разобрали.",
    "Arabic": "تفتح المكتبة أبوابها في التاسعة صباحا، لكن قاعة القراءة لا تفتح إلا عند الظهر. وصلت "
    "أمس عشرون كتابا جديدا عن الرحلات البحرية.",
    "Japanese": "図書館は朝の九時に開きますが、閲覧室が使えるのは正午からです。昨日は航海について"
    "の新しい本が二十冊届き、子どもたちがすぐに借りていきました。",
    "Korean": "도서관은 아침 아홉 시에 문을 열지만 열람실은 정오부터 사용할 수 있습니다. "
    "어제 바다 여행에 관한 새 책 스무 권이 들어왔습니다.",
    "French": "La bibliothèque ouvre à neuf heures, mais la salle de lecture n'est accessible qu'à "
    "midi. Hier on y a livré vingt nouveaux livres sur les voyages en mer.",
    "ids": " ".join(f"{i * 7919:08x}-{i * 104729 % 65536:04x}" for i in range(40)),
}


@pytest.mark.parametrize("model", ["gpt-5.6", "qwen3-max"])
@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_are_within_a_fifth(model: str, language: str) -> None:
    real: Any = choose_counter(model)
    message = [{"role": "user", "content": OTHERS[language]}]
    assert not real.is_estimate
    estimated = EstimatedTokenCounter(model).count_sync(message)
    assert estimated == pytest.approx(real.count_sync(message), rel=0.2)


@pytest.mark.parametrize("text", ["a", " ", "aA", ".a", "\n ", "漢", "{", "0", "é", "😀", "\ud800"])
def test_an_estimate_takes_one_pass_whatever_the_text(text: str) -> None:
    counter = EstimatedTokenCounter("claude-opus-5-5")

    def count(size: int) -> int:
        return counter.count_message({"role": "user", "content": text * (size // len(text))})

    assert grows_in_proportion(count, 100_000)


def test_a_history_counts_as_the_sum_of_its_messages() -> None:
    for model in ("gpt-5.6", "claude-opus-5-5", "gemini-3.5-flash", "glm-5.3", ""):
        counter = EstimatedTokenCounter(model)
        messages, tools = HISTORIES["with tools"]
        parts = sum(map(counter.count_message, messages))
        assert counter.count_sync(messages, tools) == parts + counter.overhead(tools)
        assert counter.overhead(tools) > counter.overhead() >= 0
        for twin in (copy.deepcopy(counter), pickle.loads(pickle.dumps(counter))):
            assert twin.count_sync(messages, tools) == counter.count_sync(messages, tools)


def test_an_estimate_says_that_it_is_one() -> None:
    assert EstimatedTokenCounter("gpt-5.6").is_estimate
    assert not OpenAITokenCounter("gpt-5.6", encoding=ShippedEncoding("o200k_base")).is_estimate
    assert CachedTokenCounter(EstimatedTokenCounter("gpt-5.6")).is_estimate


# -- which counter ---------------------------------------------------------------------------------


def test_an_installed_tokenizer_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))  # tiktoken has no vocabulary here
    message = {"role": "user", "content": ENGLISH}
    for model, kind in (("gpt-5.6", OpenAITokenCounter), ("gpt-4", OpenAITokenCounter),
                        ("mistral-large-2512", InstalledTokenCounter),
                        ("qwen3-max", InstalledTokenCounter)):  # fmt: skip
        counter = choose_counter(model)
        assert type(counter) is kind
        assert not counter.is_estimate
        twin = pickle.loads(pickle.dumps(counter))
        assert twin.count_message(message) == counter.count_message(message)
    for name in ("bpe_openai", "mistral_common", "dashscope"):
        monkeypatch.setitem(sys.modules, name, None)
    for model in ("gpt-5.6", "mistral-large-2512", "qwen3-max", "claude-opus-5-5", "x"):
        assert type(choose_counter(model)) is EstimatedTokenCounter


def test_a_tokenizer_in_the_cache_of_the_hub_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import huggingface_hub
    import tokenizers

    file = tmp_path / "tokenizer.json"
    model = tokenizers.models.WordLevel({"one": 0, "two": 1, "?": 2}, unk_token="?")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(file))
    found = {("acme/one-8b", "tokenizer.json"): str(file)}
    monkeypatch.setattr(
        huggingface_hub, "try_to_load_from_cache", lambda repo, name: found.get((repo, name))
    )
    counter = choose_counter("acme/one-8b")
    assert not counter.is_estimate
    one, two = ({"role": "user", "content": text} for text in ("one", "one two one two"))
    assert counter.count_message(two) - counter.count_message(one) == 3
    assert choose_counter("acme/two-8b").is_estimate


def test_tokens_are_no_characters_where_no_counter_is_named() -> None:
    for name in (
        "openai/gpt-5.6",
        "anthropic/claude-opus-5-5",
        "gemini/gemini-3.5-flash",
        "ollama/qwen3",
        "dashscope/qwen3-max",
        "bedrock/amazon.nova-pro-v1:0",
    ):
        llm = LLM(name, key="k")
        assert 2 <= llm.count("Hello world") <= 16
        long = llm.count(ENGLISH * 4)
        assert len(ENGLISH) * 4 / 6 < long < len(ENGLISH) * 4 / 3
        assert llm.count(CHINESE) < len(CHINESE) * 1.6


def test_a_budget_of_tokens_keeps_what_fits() -> None:
    msgs = [Msg.user(ENGLISH) if i % 2 == 0 else Msg.assistant(ENGLISH) for i in range(25)]
    whole = LLM("openai/gpt-5.6", key="k").count(msgs)
    assert whole < 8000
    kept = LLM("openai/gpt-5.6", key="k", history_tokens=8000).request(msgs)
    assert len(kept.body["messages"]) == 25
    cut = LLM("openai/gpt-5.6", key="k", history_tokens=whole // 2).request(msgs)
    assert 11 <= len(cut.body["messages"]) <= 13
    out = dragoman.Formatter("openai", model="gpt-5.6", max_tokens=whole // 2).write(msgs)
    assert len(out.messages) == len(cut.body["messages"])
    limited = dragoman.Formatter("openai", model="gpt-5.6").with_limit(whole // 2)
    assert len(limited.write(msgs).messages) == len(out.messages)


# -- media -----------------------------------------------------------------------------------------


def png(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + bytes(width) for _ in range(height)))
    chunks = ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


NOISE = bytes(i * i * 31 % 251 for i in range(100_000))
MEDIA = {
    "image": ("image/png", png(240, 160) + NOISE),
    "audio": ("audio/wav", b"RIFF" + NOISE),
    "video": ("video/mp4", b"\0\0\0\x18ftypmp42" + NOISE),
    "document": ("application/pdf", b"%PDF-1.7\n" + NOISE),
}
COUNTERS: dict[str, Callable[[str], Any]] = {
    "char": lambda _: CharTokenCounter(),
    "estimated": EstimatedTokenCounter,
    "installed": choose_counter,
    "openai": lambda _: OpenAITokenCounter("gpt-5.6", encoding=ShippedEncoding("o200k_base")),
    "cached": lambda model: CachedTokenCounter(EstimatedTokenCounter(model)),
    "tekken": lambda _: choose_counter("mistral-large-2512"),
}
WIRES = ("openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions",
         "dashscope", "ollama", "bedrock-converse", "mistral", "cohere")  # fmt: skip


def medium(kind: str) -> dict[str, Any]:
    media_type, data = MEDIA[kind]
    source = {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()}
    return {"type": kind, "source": source}


@pytest.mark.parametrize(("wire", "kind", "place"), covering(WIRES, MEDIA, ["user", "result"]))
def test_no_counter_reads_base64_as_text(wire: str, kind: str, place: str) -> None:
    """Whatever becomes of the medium on this wire: 100 KB are 60,000 tokens as text."""
    block = medium(kind)
    msgs = [Msg("Tony", [{"type": "text", "text": "Look:"}, block], "user")]
    if place == "result":
        output = [{"type": "text", "text": "Here."}, block]
        call = {"type": "tool_use", "id": "1", "name": "look", "input": {}}
        found = {"type": "tool_result", "id": "1", "name": "look", "output": output}
        msgs = [Msg.user("Look."), Msg("F", [call], "assistant"), Msg("system", [found], "system")]
    bound = dragoman.wire(wire, policy="ignore")
    body = bound.write_request(ChatRequest(msgs)).body
    messages, _ = split_body(body)
    assert messages
    for name, make in COUNTERS.items():
        tokens = make(bound.room.model).count_sync(messages)
        assert 0 < tokens < 8000, (name, tokens)


@pytest.mark.parametrize(
    ("model", "size", "tokens"),
    [
        ("claude-opus-5-5", (240, 160), 54), ("claude-haiku-4-5", (240, 160), 54),
        ("claude-opus-5-5", (1024, 1024), 1369), ("claude-haiku-4-5", (1024, 1024), 1369),
        ("claude-haiku-4-5", (4032, 3024), 1568), ("claude-opus-5-5", (4032, 3024), 3888),
        ("gpt-4o", (1024, 1024), 765), ("gemini-3.5-flash", (512, 512), 1090),
        ("gemini-2.5-flash", (300, 300), 258), ("qwen3-vl-plus", (640, 640), 402),
        ("mistral-large-2512", (280, 280), 110), ("grok-4.3", (448, 448), 512),
    ],
)  # fmt: skip
def test_a_picture_costs_what_its_maker_says(
    model: str, size: tuple[int, int], tokens: int
) -> None:
    url = f"data:image/png;base64,{base64.b64encode(png(*size)).decode()}"
    content = [{"type": "image_url", "image_url": {"url": url}}]
    counter = EstimatedTokenCounter(model)
    empty = counter.count_message({"role": "user", "content": []})
    assert counter.count_message({"role": "user", "content": content}) - empty == tokens


def test_the_pages_of_a_pdf_count() -> None:
    counter = EstimatedTokenCounter("gemini-2.5-flash")

    def tokens(data: bytes) -> int:
        text = base64.b64encode(data).decode()
        part = {"inlineData": {"mimeType": "application/pdf", "data": text}}
        return counter.count_message({"role": "user", "parts": [part]})

    assert tokens(b"%PDF-1.7\n1 0 obj<</Type/Pages/Kids[]/Count 12>>endobj") == 12 * 258
    assert tokens(b"%PDF-1.7\n" + b"<</Type /Page /Parent 1 0 R>>\n" * 3) == 3 * 258
    assert tokens(b"%PDF-1.7\ncompressed") == counter._flat["document"]


# -- requests of any shape -------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["gpt-5.6", "claude-opus-5-5", "qwen3-max", "mistral-large-2512"])
def test_what_is_no_message_or_tool_is_counted_all_the_same(model: str) -> None:
    counter = choose_counter(model)
    odd: list[Any] = [
        {"role": "user"}, {"content": "hi"}, {"role": "tool", "content": None}, {},
        {"role": "assistant", "tool_calls": [None, "x", {"function": "y"}]},
        {"role": "user", "content": [None, 3, {"type": "image_url", "image_url": None}]},
        {"role": "user", "content": {"a": 1}}, {"type": "reasoning", "summary": "s"},
        {"role": "user", "content": "\ud800"},
    ]  # fmt: skip
    tools: list[Any] = ["x", None, {"function": None}, {"name": "f", "parameters": {"a": "\udfff"}}]
    assert counter.count_sync(odd, tools) > 0


def test_unknown_media_are_refused_by_name() -> None:
    with pytest.raises(DragomanError, match="no such kind of medium"):
        EstimatedTokenCounter("gpt-5.6", media_tokens={"smell": 1})  # type: ignore[dict-item]
    counter = EstimatedTokenCounter("gpt-5.6", media_tokens={"image": 7})
    part = {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}}
    bare = counter.count_message({"role": "user", "content": []})
    assert counter.count_message({"role": "user", "content": [part]}) - bare == 7
