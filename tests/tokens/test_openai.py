"""OpenAI's figures: those that its documents print, and what follows from its rules.

The cookbook's figures are what the API itself counted for the cookbook's examples.
"""

from __future__ import annotations

import asyncio
import pickle
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import ConfigError
from dragoman.tokens import OpenAITokenCounter

from .conversations import DOCUMENT, OLLAMA, OPENAI, TOOLS
from .encodings import small, vocabularies

COOKBOOK: list[dict[str, Any]] = [
    {
        "role": "system",
        "content": "You are a helpful, pattern-following assistant that translates corporate "
        "jargon into plain English.",
    },
    {
        "role": "system",
        "name": "example_user",
        "content": "New synergies will help drive top-line growth.",
    },
    {
        "role": "system",
        "name": "example_assistant",
        "content": "Things working well together will increase revenue.",
    },
    {
        "role": "system",
        "name": "example_user",
        "content": "Let's circle back when we have more bandwidth to touch base on opportunities "
        "for increased leverage.",
    },
    {
        "role": "system",
        "name": "example_assistant",
        "content": "Let's talk later when we're less busy about how to do better.",
    },
    {
        "role": "user",
        "content": "This late pivot means we don't have time to boil the ocean for the client "
        "deliverable.",
    },
]
ASKED = [
    {
        "role": "system",
        "content": "You are a helpful assistant that can answer to questions about the weather.",
    },
    {"role": "user", "content": "What's the weather like in San Francisco?"},
]
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_current_weather",
        "description": "Get the current weather in a given location",
        "parameters": {
            "type": "object",
            "properties": {
                "location": {
                    "type": "string",
                    "description": "The city and state, e.g. San Francisco, CA",
                },
                "unit": {
                    "type": "string",
                    "description": "The unit of temperature to return",
                    "enum": ["celsius", "fahrenheit"],
                },
            },
            "required": ["location"],
        },
    },
}
CHAT_TO_OTHERS = {
    "responses": {"type": "function", "strict": False, **WEATHER["function"]},  # type: ignore[dict-item]
    "anthropic": {
        "name": WEATHER["function"]["name"],  # type: ignore[index]
        "description": WEATHER["function"]["description"],  # type: ignore[index]
        "input_schema": WEATHER["function"]["parameters"],  # type: ignore[index]
    },
}


def counter(model: str = "gpt-5.6", **options: Any) -> OpenAITokenCounter:
    return OpenAITokenCounter(model, encoding=small(), **options)


def tokens(text: str) -> int:
    return len(small().encode_ordinary(text))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return vocabularies(tmp_path_factory.mktemp("vocabularies"))


@pytest.mark.parametrize(
    ("model", "figure", "with_tools"), [("gpt-4-0613", 129, 105), ("gpt-4o-2024-08-06", 124, 101)]
)
def test_the_cookbooks_figures(
    model: str, figure: int, with_tools: int, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(files))
    real = OpenAITokenCounter(model)
    assert real.count_sync(COOKBOOK) == figure
    assert asyncio.run(real.count(ASKED, tools=[WEATHER])) == with_tools
    for tool in CHAT_TO_OTHERS.values():
        assert real.count_sync(ASKED, [tool]) == with_tools


def test_text_and_parts_count_the_same() -> None:
    plain = {"role": "user", "content": "What is this?"}
    parts = {"role": "user", "content": [{"type": "text", "text": "What is this?"}]}
    items = {"role": "user", "content": [{"type": "input_text", "text": "What is this?"}]}
    figures = {counter().count_sync([form]) for form in (plain, parts, items)}
    assert figures == {3 + 3 + tokens("user") + tokens("What is this?")}


def test_calls_and_results_count_and_their_ids_do_not() -> None:
    call = {"name": "look", "arguments": '{"at": 1}'}
    chat = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": call}],
    }
    item = {"type": "function_call", "call_id": "x" * 60, **call}
    figure = counter().count_message(chat)
    assert figure == counter().count_message(item)
    assert figure == 6 + tokens("assistant") + tokens("functions.look") + tokens('{"at": 1}')
    result = {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}
    assert counter().count_message(result) == 3 + tokens("tool") + tokens("sunny") + 9
    assert counter("gpt-4o").count_message(result) == 3 + tokens("tool") + tokens("sunny") + 3
    output = {"type": "function_call_output", "call_id": "x" * 60, "output": "sunny"}
    assert counter().count_message(output) == counter().count_message(result)


def test_several_calls_in_one_message_cost_a_wrapper_where_there_is_one() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}

    def figure(model: str, calls: int) -> int:
        said = {"role": "assistant", "content": None, "tool_calls": [call] * calls}
        return counter(model).count_message(said)

    each = figure("gpt-4o", 1) - figure("gpt-4o", 0)
    assert figure("gpt-4o", 3) == figure("gpt-4o", 0) + 3 * each + 12
    assert figure("gpt-5.6", 3) == figure("gpt-5.6", 0) + 3 * each
    assert figure("gpt-10", 1) == figure("gpt-4o", 1)


def test_arguments_as_an_object_count_as_their_json() -> None:
    text = {"function": {"name": "f", "arguments": '{"x": 1}'}}
    assert counter().count_message({"role": "assistant", "tool_calls": [text]}) == (
        counter().count_message({**OLLAMA[1], "content": ""})
    )


def test_a_call_of_any_other_shape_counts_by_its_json() -> None:
    odd: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": ["look"]}
    figure = counter().count_message({**odd, "tool_calls": []})
    assert counter().count_message(odd) == figure + 3 + tokens('"look"')
    custom = {"id": "1", "type": "custom", "custom": {"name": "run", "input": "ls -l"}}
    figure += 3 + tokens("functions.run") + tokens("ls -l")
    assert counter().count_message({**odd, "tool_calls": [custom]}) == figure


def test_reasoning_counts_and_sealed_reasoning_by_its_length() -> None:
    said = {"role": "assistant", "content": "4", "reasoning_content": "two and two"}
    bare = {"role": "assistant", "content": "4"}
    one = counter()
    assert one.count_message(said) == one.count_message(bare) + tokens("two and two")
    sealed = {"type": "reasoning", "summary": [], "encrypted_content": "A" * 4000}
    empty = {"type": "reasoning", "summary": [], "encrypted_content": ""}
    assert one.count_message(sealed) - one.count_message(empty) == (3000 - 650) // 4
    assert one.count_message({**sealed, "encrypted_content": "A" * 40}) == one.count_message(empty)


def test_what_looks_like_a_special_token_is_text() -> None:
    said = [{"role": "user", "content": "<|endoftext|> \ud800"}]
    assert counter().count_sync(said) > 10


def test_an_encoding_by_name_and_by_model() -> None:
    assert OpenAITokenCounter("gpt-4o", encoding=small()).encoding is small()
    with pytest.raises(ConfigError, match=r"no encoding 'nonsense'.*o200k_base"):
        OpenAITokenCounter("gpt-4o", encoding="nonsense").count_sync(DOCUMENT)
    with pytest.raises(ConfigError, match="int is no encoding"):
        OpenAITokenCounter("gpt-4o", encoding=3)  # type: ignore[arg-type]


def test_a_copy_by_pickle_counts_the_same() -> None:
    one = OpenAITokenCounter("gpt-4o", encoding=small())
    figure = one.count_sync(OPENAI, TOOLS)
    assert pickle.loads(pickle.dumps(one)).count_sync(OPENAI, TOOLS) == figure
