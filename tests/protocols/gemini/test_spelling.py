"""Keys in two cases, and an issuer's own fields put where they belong."""

from __future__ import annotations

from typing import Any

from dragoman.protocols.gemini import Dialect
from dragoman.protocols.gemini.dialect import added, cased, keys

CAMEL, SNAKE = Dialect(), Dialect(case="snake")


def test_both_cases_have_every_key() -> None:
    assert keys(CAMEL).signature == "thoughtSignature"
    assert keys(SNAKE).signature == "thought_signature"
    assert keys(SNAKE).result == "function_response"
    assert keys(SNAKE).mime == "mime_type"
    assert keys(SNAKE).uri == "file_uri"


def test_one_level_is_respelled() -> None:
    given = {"topK": 1, "thinkingConfig": {"thinkingBudget": {"myKey": 0}}, "stop": 2}
    assert cased(given, SNAKE) == {
        "top_k": 1, "thinking_config": {"thinkingBudget": {"myKey": 0}}, "stop": 2,
    }  # fmt: skip
    assert cased({"thought_signature": "x", "topK": 1}, CAMEL) == {
        "thoughtSignature": "x", "topK": 1,
    }  # fmt: skip


def test_objects_are_filled_lists_grow_and_the_rest_is_set() -> None:
    inner: dict[str, Any] = {"a": 1}
    listed = [1]
    own = {"config": {"b": 2}, "list": [2], "new": {"c_d": 3}, "text": "theirs"}
    made = added({"config": inner, "list": listed, "text": "ours"}, own, CAMEL)
    assert made == {"config": {"a": 1, "b": 2}, "list": [1, 2], "new": {"c_d": 3}, "text": "theirs"}
    assert inner == {"a": 1}
    assert listed == [1]
