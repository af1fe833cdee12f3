"""What holds for every counter: nothing that is counted changes, and sums are sums.

Messages are what the rooms make of generated histories, broken ones among them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dragoman
from dragoman import Msg
from dragoman.message import ToolResultBlock, ToolUseBlock
from dragoman.tokens import (
    CachedTokenCounter,
    CharTokenCounter,
    HuggingFaceTokenCounter,
    MistralTokenCounter,
    OpenAITokenCounter,
    TokenCounterBase,
)
from dragoman.tokens.base import decomposes
from tests.laws.histories import histories

from .conversations import ANTHROPIC, DOCUMENT, GEMINI, OLLAMA, OPENAI, TOOLS
from .encodings import small
from .training import CHATML, train_tokenizer

WIRES = dragoman.wires()[:9]  # one of each protocol
POOL = (*DOCUMENT, *OPENAI, *ANTHROPIC, *GEMINI, *OLLAMA)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    text = str(DOCUMENT)
    return {
        "bare": train_tokenizer(text, tmp_path_factory.mktemp("bare"), template=None),
        "chatml": train_tokenizer(text, tmp_path_factory.mktemp("chatml"), template=CHATML),
    }


def _bare(folders: dict[str, str]) -> HuggingFaceTokenCounter:
    made = HuggingFaceTokenCounter(folders["bare"])
    assert made.tokenizer is not None  # loaded, so that it knows that there is no template
    return made


@cache
def _mistral() -> MistralTokenCounter:
    return MistralTokenCounter("mistral-large-2512")


MAKERS: dict[str, Callable[[dict[str, str]], TokenCounterBase]] = {
    "char": lambda _: CharTokenCounter(),
    "openai": lambda _: OpenAITokenCounter("gpt-5.6", encoding=small()),
    "huggingface": _bare,
    "template": lambda folders: HuggingFaceTokenCounter(folders["chatml"]),
    "mistral": lambda _: _mistral(),
    "cached": lambda _: CachedTokenCounter(OpenAITokenCounter("gpt-4o", encoding=small())),
}


@pytest.fixture(scope="module", params=MAKERS)
def counter(request: pytest.FixtureRequest, folders: dict[str, str]) -> TokenCounterBase:
    return MAKERS[request.param](folders)


@pytest.fixture(scope="module", params=["char", "openai", "huggingface"])
def summing(request: pytest.FixtureRequest, folders: dict[str, str]) -> Any:
    return MAKERS[request.param](folders)


def written(history: list[Msg], wire: str) -> list[dict[str, Any]]:
    # the histories name a file that is nowhere; reading files is another matter than counting
    return dragoman.Formatter(wire, policy="ignore", fetch=None).format_sync(history)


@settings(max_examples=40, deadline=None)
@given(histories(), st.sampled_from(WIRES), st.booleans())
def test_nothing_that_is_counted_changes(
    counter: TokenCounterBase, history: list[Msg], wire: str, tools: bool
) -> None:
    messages = written(history, wire)
    given_tools = TOOLS if tools else None
    before = copy.deepcopy((messages, given_tools))
    figure = counter.count_sync(messages, given_tools)
    assert (messages, given_tools) == before
    assert figure == counter.count_sync(messages, given_tools)


@settings(max_examples=40, deadline=None)
@given(histories(), st.sampled_from(WIRES), st.booleans())
def test_a_sum_is_the_sum_of_its_parts(
    summing: Any, history: list[Msg], wire: str, tools: bool
) -> None:
    assert decomposes(summing)
    messages = written(history, wire)
    given_tools = TOOLS if tools else None
    parts = sum(map(summing.count_message, messages))
    total = max(0, summing.overhead(given_tools) + parts)
    assert summing.count_sync(messages, given_tools) == total


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(POOL), max_size=6), st.sampled_from((None, [], TOOLS))),
        max_size=4,
    )
)
def test_a_memory_changes_no_figure(
    summing: Any, asked: list[tuple[list[dict[str, Any]], list[dict[str, Any]] | None]]
) -> None:
    remembered = CachedTokenCounter(summing, size=4)
    for messages, tools in asked:
        assert remembered.count_sync(messages, tools) == summing.count_sync(messages, tools)


def test_what_is_no_sum_says_so(folders: dict[str, str]) -> None:
    templated = HuggingFaceTokenCounter(folders["chatml"])
    assert templated.count_sync(OPENAI) > 0
    assert not decomposes(templated)
    assert not decomposes(_mistral())
    unloaded = HuggingFaceTokenCounter(folders["bare"])
    assert not decomposes(unloaded)
    assert unloaded.count_sync(OPENAI) == CachedTokenCounter(unloaded).count_sync(OPENAI)
    assert decomposes(unloaded)


def test_every_call_result_and_schema_counts(counter: TokenCounterBase) -> None:
    """Hard case 94: what is not text counts too, and base64 is not text."""
    history = [
        Msg.user("What is the weather?"),
        Msg.assistant([ToolUseBlock("lSLZSk3HL", "look", {"at": "Paris"})]),
        Msg("", [ToolResultBlock("lSLZSk3HL", "look", "sunny, and warm")], "tool"),
    ]
    said = written(history, "openai-chat")
    figures = [counter.count_sync(said[:end]) for end in range(1, 4)]
    assert figures == sorted(set(figures))
    assert counter.count_sync(said, TOOLS) > figures[-1] + 10
