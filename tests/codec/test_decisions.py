"""The decisions API of the newest SDKs: known by name, and taken for no other request."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ReadError
from dragoman.codec.sdk_objects import asks_decisions

PREDICATE = {"type": "predicate", "instructions": "Is it warm?", "name": "warm"}
CHOICE = {"type": "choice", "instructions": "Where?", "choices": [{"value": "a"}, {"value": "b"}]}
SCORE = {"type": "score", "instructions": "How warm?", "levels": [{"label": "1"}, {"label": "2"}]}
ITEMS = [{"type": "message", "role": "user", "content": "It is 30 degrees."}]
# as openai 3.57, google-genai 3.6.1 and openrouter 1.3.84 send them
BODIES: list[tuple[str, dict[str, Any]]] = [
    ("openai", {"model": "gpt-6-luna", "input": ITEMS, "questions": [PREDICATE, CHOICE, SCORE]}),
    ("openai", {"model": "gpt-6-luna", "input": "It is 30 degrees.", "questions": [PREDICATE]}),
    ("gemini", {"model": "models/gemini-4-neon", "input": "It is 30 degrees.",
                "questions": {"warm": {**PREDICATE, "type": "noul"}, "where": CHOICE}}),
    ("openrouter", {"model": "typesafe/jev", "state": {"degrees": 30},
                    "questions": {"warm": {"type": "noul"}, "how": SCORE}}),
]  # fmt: skip


@pytest.mark.parametrize(("host", "body"), BODIES)
@pytest.mark.parametrize("wire", ["openai/openai-responses", "gemini/gemini-interactions",
                                  "anthropic"])  # fmt: skip
def test_a_request_of_it_is_refused_by_its_name(host: str, body: dict[str, Any], wire: str) -> None:
    with pytest.raises(ReadError, match="decisions API") as caught:
        dragoman.convert(body, wire, "anthropic", model="claude-opus-5-5")
    assert (caught.value.code, caught.value.path) == ("request.decisions", "$.questions")
    assert "decisions.create" in caught.value.hint
    for path in (None, "/v1/decisions"):
        with pytest.raises(ReadError, match="decisions API"):
            dragoman.detect(body, path)


@pytest.mark.parametrize("questions", [[], {}, "x", [1], [{"type": "text"}], {"a": {}}, None])
def test_a_field_of_that_name_alone_is_none(questions: Any) -> None:
    body = {"model": "gpt-5.6", "input": "Hi", "questions": questions}
    assert not asks_decisions(body)
    request = dragoman.wire("openai/openai-responses").read_request(body)
    assert dragoman.wire("openai/openai-responses").write_request(request).body == body
    with_messages = {"model": "m", "messages": [], "questions": [PREDICATE]}
    assert not asks_decisions(with_messages)


def test_an_llm_says_what_to_use() -> None:
    with pytest.raises(AttributeError, match="decisions API"):
        dragoman.LLM("openai/gpt-6-luna", key="k").decisions  # type: ignore[attr-defined]  # noqa: B018
