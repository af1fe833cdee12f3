"""Windows and longest answers by model, who may say otherwise, and what follows from them."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import LLM, ChatRequest, ConfigError, ContextOverflow, Formatter, Msg, ProviderError
from dragoman.capabilities import Limits
from dragoman.testing import Scripted
from dragoman.tokens import CharTokenCounter


@pytest.mark.parametrize(
    ("name", "window", "output"),
    [
        ("gpt-6.2-sol", 1_050_000, 128_000),
        ("openai/gpt-5.6", 1_050_000, 128_000),
        ("openai/gpt-5-mini", 400_000, 128_000),
        ("openai/gpt-4o-mini", 128_000, 16_384),
        ("anthropic/claude-opus-5-5", 1_000_000, 128_000),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000, 64_000),
        ("anthropic/claude-sonnet-4-20250514", 200_000, 64_000),
        ("anthropic/claude-opus-4-1-20250805", 200_000, 32_000),
        ("vertex/claude-3-5-sonnet-20240620", 200_000, 8192),
        ("gemini/gemini-4-carbon", 1_048_576, 32_768),
        ("gemini/gemini-3.5-flash", 1_048_576, 65_536),
        ("kimi-k3", 1_048_576, 1_048_576),
        ("grok-4.7", 500_000, 500_000),
    ],
)
def test_what_models_take(name: str, window: int, output: int) -> None:
    assert dragoman.limits(name)[:2] == (window, output)
    assert dragoman.limits(name).source


def test_open_weights_have_the_window_of_their_maker_nowhere_else() -> None:
    assert dragoman.wire("moonshot").can("kimi-k3").context_window == 1_048_576
    assert dragoman.wire("together").can("moonshotai/kimi-k3").context_window == 0


def test_what_nobody_knows_is_none() -> None:
    assert dragoman.limits("vllm/my-own") == Limits(None, None, "")


def test_a_program_says_otherwise() -> None:
    rows: dict[str, Any] = {"models": ["gpt-5.6*"], "changes": {"context_window": 9000}}
    limits = dragoman.limits("openai/gpt-5.6", facts=dragoman.facts({"fact": [rows]}))
    assert limits == Limits(9000, 128_000, "facts given in the program")
    llm = LLM("vllm/my-own", can={"context_window": 8000, "max_output": 2000})
    assert llm.limits[:2] == (8000, 2000)


def test_a_history_fits_beside_the_longest_answer_a_quarter_of_the_window_at_most() -> None:
    assert Limits(200_000, 64_000).for_history() == 150_000
    assert Limits(128_000, 16_384).for_history() == 111_616
    assert Limits(128_000).for_history() == 96_000
    assert Limits(128_000, 16_384).for_history(1000) == 127_000
    assert Limits().for_history() is None


CAN = {"context_window": 400, "max_output": 100}
HISTORY = [Msg.user(f"Question {i}? " + "word " * 10) for i in range(9)]


def test_fit_cuts_to_the_window_and_leaves_room_for_the_answer() -> None:
    counter = CharTokenCounter()
    fitting = Formatter("openai-chat", can=CAN, history_tokens="fit", token_counter=counter)
    assert fitting.max_tokens == 300
    assert len(fitting.write(HISTORY).messages) < len(HISTORY)
    longer = ChatRequest(HISTORY, options=dragoman.Options(max_tokens=10))
    few = len(fitting.write(HISTORY).messages)
    assert len(fitting.format_request(longer).body["messages"]) > few


def test_an_estimate_leaves_a_tenth() -> None:
    fitting = Formatter("vllm", model="my-own", can=CAN, history_tokens="fit")
    assert fitting.max_tokens == 270


def test_llm_fits_each_model_to_its_own_window() -> None:
    llm = LLM("vllm/my-own", can={"context_window": 120}, history_tokens="fit", key="none")
    sent = llm.request(HISTORY)
    assert 1 <= len(sent.body["messages"]) < len(HISTORY)


def test_a_window_that_nobody_knows_is_refused_where_it_is_asked_for() -> None:
    with pytest.raises(ConfigError, match="nobody says how many tokens") as caught:
        LLM("vllm/my-own", history_tokens="fit")
    assert (caught.value.code, caught.value.path) == ("limits.unknown", "$.history_tokens")
    assert "context_window" in caught.value.hint


def test_a_maximum_is_no_longer_than_the_longest_answer() -> None:
    caps = {"max_output": 8000}
    body = LLM("anthropic/claude-opus-5-5", can=caps, key="none").request("Hi").body
    assert body["max_tokens"] == 8000
    body = LLM("anthropic/claude-opus-5-5", key="none").request("Hi").body
    assert body["max_tokens"] == 16_384
    asked = LLM("anthropic/claude-opus-5-5", can=caps, key="none").request("Hi", max_tokens=9000)
    assert asked.body["max_tokens"] == 9000  # what a program names is the provider's to judge


def test_overflows_name_the_window() -> None:
    formatter = Formatter("openai", model="gpt-5.6", history_tokens=20)
    with pytest.raises(ContextOverflow) as caught:
        formatter.format_sync([Msg.user("word " * 100)])
    assert any("1,050,000" in note and "fit" in note for note in caught.value.__notes__)
    said = ProviderError("prompt is too long", status=400, type="invalid_request_error")
    llm = LLM("claude-opus-5-5", transport=Scripted(said, repeat=True), key="none", retries=0)
    with pytest.raises(ContextOverflow) as caught:
        llm.ask("Hi")
    assert any("1,000,000" in note for note in caught.value.__notes__)
