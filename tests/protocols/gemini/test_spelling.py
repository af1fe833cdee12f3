"""Keys in two cases, and an issuer's own fields put where they belong."""

from __future__ import annotations

from typing import Any

from dragoman.protocols.gemini import Dialect
from dragoman.protocols.gemini.dialect import camel_key, change_case, merge_fields, snake_key

CAMEL, SNAKE = Dialect(), Dialect(case="snake")


def test_both_cases_of_a_key() -> None:
    camel = ["thoughtSignature", "functionResponse", "mimeType", "fileUri"]
    snake = ["thought_signature", "function_response", "mime_type", "file_uri"]
    assert [snake_key(key) for key in camel] == snake
    assert [camel_key(key) for key in snake] == camel


def test_one_level_is_respelled() -> None:
    given = {"topK": 1, "thinkingConfig": {"thinkingBudget": {"myKey": 0}}, "stop": 2}
    assert change_case(given, SNAKE) == {
        "top_k": 1, "thinking_config": {"thinkingBudget": {"myKey": 0}}, "stop": 2,
    }  # fmt: skip
    assert change_case({"thought_signature": "x", "topK": 1}, CAMEL) == {
        "thoughtSignature": "x", "topK": 1,
    }  # fmt: skip


def test_objects_are_filled_lists_grow_and_the_rest_is_set() -> None:
    inner: dict[str, Any] = {"a": 1}
    listed = [1]
    own = {"config": {"b": 2}, "list": [2], "new": {"c_d": 3}, "text": "theirs"}
    made = merge_fields({"config": inner, "list": listed, "text": "ours"}, own, CAMEL)
    assert made == {"config": {"a": 1, "b": 2}, "list": [1, 2], "new": {"c_d": 3}, "text": "theirs"}
    assert inner == {"a": 1}
    assert listed == [1]
