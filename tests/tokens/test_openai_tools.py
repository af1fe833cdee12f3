"""What tool schemas cost on OpenAI's models, beyond the cookbook's example (`test_openai`)."""

from __future__ import annotations

from typing import Any

from dragoman.tokens import OpenAITokenCounter

from .conversations import TOOLS
from .encodings import small


def counter(model: str = "gpt-5.6") -> OpenAITokenCounter:
    return OpenAITokenCounter(model, encoding=small())


def tokens(text: str) -> int:
    return len(small().encode_ordinary(text))


def test_tools_of_the_chat_api_cost_more_since_gpt_5() -> None:
    flat = {"type": "function", **TOOLS[0]["function"]}
    old, new = counter("gpt-4.1"), counter("gpt-5.1")
    assert old.overhead(TOOLS) == old.overhead([flat]) == new.overhead([flat])
    assert new.overhead(TOOLS) == new.overhead([flat]) + 82


def test_the_shape_of_a_schema_does_not_matter() -> None:
    odd: list[dict[str, Any]] = [
        {"type": "function", "function": {"name": "nothing"}},
        {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}},
        {
            "type": "function",
            "function": {
                "name": "g",
                "parameters": {
                    "properties": {
                        "n": {"type": ["integer", "null"], "enum": [1, 2, None]},
                        "any": True,
                        "deep": {
                            "type": "array",
                            "items": {"properties": {"word": {"description": "A word."}}},
                        },
                    }
                },
            },
        },
        {"type": "web_search"},
        {
            "name": "h",
            "parameters": {
                "properties": {"n": {"anyOf": [{"properties": {"a": {}}}, {"type": "null"}]}},
                "$defs": {"word": {"properties": {"b": {}}}},
            },
        },
    ]
    figures = [counter().overhead(odd[: n + 1]) for n in range(len(odd))]
    assert figures == sorted(set(figures))
    flat = [{"name": "g", "parameters": {"properties": {"word": {"description": "A word"}}}}]
    assert figures[2] - figures[1] > counter().overhead(flat) - counter().overhead([{"name": "g"}])


def test_a_property_without_a_schema_costs_its_name() -> None:
    def figure(**properties: Any) -> int:
        tool = {"name": "f", "parameters": {"type": "object", "properties": properties}}
        return counter().overhead([tool])

    assert figure(word=True) == figure() + 3 + 3 + tokens("word::")
    assert figure(word={}) == figure(word=True)
    inner = figure(word={"type": "object", "properties": {"a": {}}})
    assert inner == figure(word={"type": "object"}) + 3 + 3 + tokens("a::")


def test_no_tools_cost_nothing() -> None:
    assert counter().count_sync([]) == counter().count_sync([], []) == 3
    assert counter().overhead(TOOLS) > 20
