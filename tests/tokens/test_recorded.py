"""Counters beside what the APIs counted: recorded requests, and their input tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from dragoman.tokens import MistralTokenCounter, OpenAITokenCounter
from tests.contract.reading.recorded import FOLDER, PRESENT

from .encodings import vocabularies

pytestmark = pytest.mark.skipif(not PRESENT, reason="needs ../shared: recorded traffic")

MEDIA = {"images", "audio", "documents"}
TOOLS = {"tools", "tool_calls", "tool_results"}
# asked for in fields that a counter is not shown
BESIDE = {"builtin_tools", "structured_output"}


def asked(wire: str, vendor: str, *without: str) -> Iterator[tuple[dict[str, Any], int, set[str]]]:
    """(request, input tokens, features) of exchanges that were neither trimmed nor refused."""
    with (FOLDER / f"{wire}.jsonl").open("rb") as lines:
        for line in lines:
            told = json.loads(line)
            request, features = told["request"], set(told["features"])
            if told["vendor"] != vendor or told["status"] != 200 or not isinstance(request, dict):
                continue
            if told["provenance"] == "fixture" or features & {*BESIDE, *without}:
                continue
            if "messages" not in request or "functions" in request or "response_format" in request:
                continue
            if (tokens := _input_tokens(told)) is not None:
                yield request, tokens, features


def _input_tokens(told: dict[str, Any]) -> int | None:
    datas = [told["response"], *(event["data"] for event in told["events"] or ())]
    for data in reversed(datas):
        usage = data.get("usage") if isinstance(data, dict) else None
        if isinstance(usage, dict) and usage.get("prompt_tokens"):
            return int(usage["prompt_tokens"])
    return None


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = vocabularies(tmp_path_factory.mktemp("vocabularies"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield folder


@cache
def openai(model: str) -> OpenAITokenCounter:
    return OpenAITokenCounter(model)


def test_plain_conversations_of_openai_are_counted_to_the_token() -> None:
    figures = [
        (openai(request["model"]).count_sync(request["messages"]), tokens)
        for request, tokens, features in asked("openai-chat", "openai", *MEDIA, *TOOLS)
        if isinstance(request.get("model"), str)
    ]
    assert len(figures) > 300
    off = [abs(counted - tokens) for counted, tokens in figures]
    assert sum(difference == 0 for difference in off) > 0.85 * len(figures)
    assert sum(difference <= 2 for difference in off) > 0.95 * len(figures)


def test_tools_of_openai_are_counted_within_a_few_tokens() -> None:
    figures = [
        (openai(request["model"]).count_sync(request["messages"], request.get("tools")), tokens)
        for request, tokens, features in asked("openai-chat", "openai", *MEDIA)
        if features & TOOLS and isinstance(request.get("model"), str)
    ]
    assert len(figures) > 200
    ratios = sorted(counted / tokens for counted, tokens in figures)
    assert 0.98 <= median(ratios) <= 1.02
    tenth = len(ratios) // 10
    assert 0.85 <= ratios[tenth] <= ratios[-tenth] <= 1.15


def test_conversations_of_mistral_are_counted_to_the_token() -> None:
    figures = []
    for request, tokens, features in asked("mistral", "mistral", *MEDIA):
        counter = MistralTokenCounter(request["model"])
        counted = counter.count_sync(request["messages"], request.get("tools"))
        figures.append((counted - tokens, bool(features & TOOLS)))
    plain = [off for off, tools in figures if not tools]
    assert len(plain) > 40
    assert sum(off == 0 for off in plain) > 0.85 * len(plain)
    with_tools = sorted(off for off, tools in figures if tools)
    assert len(with_tools) > 80
    tenth = len(with_tools) // 10
    assert -3 <= with_tools[tenth] <= with_tools[-tenth] <= 12
