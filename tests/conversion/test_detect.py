"""Whose body is it: by its address, by keys that only one wire has, at last by the model."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import ConfigError, ReadError

HI = {"role": "user", "content": "Hi"}
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "open"
DATED = {"type": "web_search_20250305", "name": "web_search"}


def body(model: str = "m", **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": [HI], **more}


# body, wire
TOLD: dict[str, tuple[dict[str, Any], str]] = {
    "a dated tool": (body(max_tokens=9, tools=[DATED]), "anthropic"),
    "a model of Anthropic's": (body("claude-opus-5", max_tokens=9), "anthropic"),
    "and how it shall think": (body("claude-opus-5", max_tokens=9, thinking={"type": "adaptive"}),
                               "anthropic"),
    "the same model behind a relay": (body("anthropic/claude-opus-5", max_tokens=9),
                                      "openai-chat"),
    "what the other wire lacks": (body("claude-opus-5", max_tokens=9, n=1), "openai-chat"),
    "p and k": (body(p=0.5, k=3), "cohere"),
    "documents": (body(documents=["A road."]), "cohere"),
    "an upper-case choice": (body(tool_choice="REQUIRED"), "cohere"),
    "a model of Cohere's": (body("command-a-03-2025"), "cohere"),
    "a model of Mistral's": (body("mistral-small-latest", temperature=0.5), "mistral"),
    "a seed of Mistral's": (body(random_seed=1), "mistral"),
    "its weights elsewhere": (body("mistral-small-3-2-24b-instruct"), "openai-chat"),
    "its weights by a tag": (body("ministral-3:8b"), "openai-chat"),
    "nothing but messages": (body(), "openai-chat"),
    "a turn without parts": ({"contents": [{"role": "user", "parts": [{"text": "Hi"}]},
                                           {"role": "model"}]}, "gemini"),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_keys_and_models_tell(name: str) -> None:
    told, wire = TOLD[name]
    assert dragoman.detect(told).wire == wire


def test_the_others_stay_possible() -> None:
    found = dragoman.detect(body("claude-opus-5", max_tokens=9))
    assert "openai-chat" in found.also


# path, body, wire
SENT: list[tuple[str, dict[str, Any], str]] = [
    ("https://api.anthropic.com/v1/messages?beta=true", body(), "anthropic"),  # no max_tokens
    ("/v1/messages", body(temperature="hot", response_format=1), "anthropic"),
    ("/v2/chat", body(unheard_of=1), "cohere"),
    ("https://api.mistral.ai/v1/chat/completions", body(), "mistral"),
    ("/v1/chat/completions", body(), "openai-chat"),
    ("/v1/chat/completions", body("mistral-large-latest"), "mistral"),
    ("https://api.openai.com/v1/responses", {"model": "m", "input": 5}, "openai-responses"),
    ("/v1beta/models/gemini-3.5-flash:generateContent", {"contents": 5}, "gemini"),
    ("/model/amazon.nova-lite-v1:0/converse", {"messages": [5]}, "bedrock-converse"),
    ("http://localhost:11434/api/chat", {"model": "m"}, "ollama"),
]


@pytest.mark.parametrize(("path", "told", "wire"), SENT)
def test_an_address_decides(path: str, told: dict[str, Any], wire: str) -> None:
    assert dragoman.detect(told, path).wire == wire


def test_a_models_name_decides_answers() -> None:
    said = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    told = {"id": "1", "object": "chat.completion", "choices": [said],
            "model": "mistral-small-latest"}  # fmt: skip
    assert dragoman.detect(told, kind="response").wire == "mistral"
    assert dragoman.detect({**told, "model": "gpt-5.5"}, kind="response").wire == "openai-chat"


def test_arguments_of_a_wrong_type() -> None:
    with pytest.raises(ConfigError):
        dragoman.detect(body(), path=5)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ConfigError):
        dragoman.detect(body(), kind="stream")  # type: ignore[arg-type]  # what is tested
    deep: Any = {}
    for _ in range(5000):
        deep = {"a": deep}
    with pytest.raises(ReadError):
        dragoman.detect(deep)


# recorded, whole and answered; v1 of Cohere's chat is another protocol
LEAST = {"anthropic": 99, "cohere": 99, "mistral": 97, "openai-responses": 99, "gemini": 99,
         "openai-chat": 99, "bedrock-converse": 99, "dashscope": 99, "ollama": 88}  # fmt: skip


@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the recorded requests in ../shared")
@pytest.mark.parametrize("wire", LEAST)
def test_recorded_requests_without_a_path(wire: str) -> None:
    found: Counter[str] = Counter()
    for line in (CORPUS / f"{wire}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        told = row["request"]
        if row["status"] != 200 or not isinstance(told, dict) or row["url_path"] == "/v1/chat":
            continue
        found[dragoman.detect(told).wire] += 1
        assert dragoman.detect(told, row["url_path"]).wire == wire
    assert found.total() >= 40 - 10 * (wire == "ollama")
    assert found[wire] / found.total() * 100 >= LEAST[wire], found
