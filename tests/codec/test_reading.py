"""Arguments of a wrong type, and names of models that have no UTF-8 form: errors with a type."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ConfigError, InvalidMessage

BODY: dict[str, Any] = {"model": "gpt-5.5", "messages": [{"role": "user", "content": "Hi"}]}
CHAT = dragoman.wire("openai-chat", policy="ignore")


@pytest.mark.parametrize("wrong", [{"path": 5}, {"headers": 5}, {"envelope": 5}])
def test_a_request_with_wrong_arguments(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="must be"):
        CHAT.read_request(BODY, **wrong)


def test_a_conversion_with_a_wrong_path() -> None:
    with pytest.raises(ConfigError, match="path must be text"):
        dragoman.convert(BODY, "openai-chat", "anthropic", path=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"choices": []}, None, "x", CHAT.read_request(BODY)])
def test_what_is_no_answer_is_not_written(given: Any) -> None:
    with pytest.raises(InvalidMessage, match="must be a ChatResponse") as caught:
        CHAT.write_response(given)
    assert "read_response" in caught.value.hint


def test_a_body_is_no_request() -> None:
    with pytest.raises(dragoman.WriteError) as caught:
        CHAT.write_request(BODY)  # type: ignore[arg-type]  # what is tested
    assert "read_request" in caught.value.hint


@pytest.mark.parametrize("target", ["openai-chat", "gemini", "bedrock-converse", "anthropic"])
def test_half_a_pair_in_the_name_of_a_model(target: str) -> None:
    out = dragoman.convert(
        {**BODY, "model": "a\ud83d"}, "openai-chat", target, policy="ignore", keep_model=True
    )
    assert out.model == "a\ufffd"
    out.path.encode()
    assert [loss.where for loss in out.losses if loss.code == "text.surrogate"] == ["$.model"]
    named = dragoman.convert(BODY, "openai-chat", target, model="b\udc00", policy="ignore")
    assert named.model == "b\ufffd"


def test_a_key_that_is_a_number_is_text_as_json_writers_have_it() -> None:
    out = dragoman.convert({**BODY, 1: 2}, "openai-chat", "openai-chat", policy="ignore")
    assert out.body["1"] == 2
    there = dragoman.convert({**BODY, 1: 2}, "openai-chat", "anthropic", policy="ignore")
    assert '$["1"]' in {loss.where for loss in there.losses}
