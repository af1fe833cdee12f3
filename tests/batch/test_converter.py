"""One record in, one record out: in the form that it came, in any process."""

from __future__ import annotations

import json
import logging
import pickle
from typing import Any

import pytest

from dragoman import ConfigError, LossRefused, Policy, ReadError, convert
from dragoman.batch import converter

from .records import REQUEST

ANSWER: dict[str, Any] = {
    "id": "a1", "object": "chat.completion", "created": 1, "model": "m-1",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Hello."}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}  # fmt: skip


@pytest.mark.parametrize("source", ["openai-chat", "auto"])
def test_a_record_comes_back_in_the_form_that_it_was_given_in(source: str) -> None:
    work = converter(source=source, target="anthropic", policy="ignore")
    wanted = convert(REQUEST, "openai-chat", "anthropic", policy="ignore").body
    assert work(REQUEST) == wanted
    assert json.loads(work(json.dumps(REQUEST).encode())) == wanted


@pytest.mark.parametrize("source", ["openai-chat", "auto"])
def test_answers_are_known_as_answers(source: str) -> None:
    work = converter(source=source, target="anthropic", policy="ignore")
    assert work(ANSWER)["content"] == [{"type": "text", "text": "Hello."}]
    assert work(REQUEST)["messages"]


def test_another_process_gets_the_same_converter() -> None:
    work = converter(target="gemini", model="gemini-3.5-flash", policy=Policy(refuse=("media.*",)))
    copy = pickle.loads(pickle.dumps(work))
    assert (copy.source, copy.target, copy.model, copy.policy) == (
        "auto", "gemini", "gemini-3.5-flash", work.policy,
    )  # fmt: skip
    assert copy(REQUEST) == work(REQUEST)


def test_a_code_is_logged_once_and_not_for_each_record(caplog: pytest.LogCaptureFixture) -> None:
    work = converter(source="openai-chat", target="anthropic", policy="log")
    with caplog.at_level(logging.DEBUG, "dragoman"):
        for _ in range(3):
            work({**REQUEST, "seed": 1})
    assert len([row for row in caplog.records if "option.unsupported" in row.message]) == 1


def test_what_a_policy_refuses_is_raised() -> None:
    work = converter(source="openai-chat", target="anthropic", policy="refuse")
    with pytest.raises(LossRefused, match=r"option\.unsupported"):
        work({**REQUEST, "seed": 1})


@pytest.mark.parametrize("record", [b"{broken", b"[1]", b"\xff", b'{"a": NaN}', b'{"a": 1}'])
def test_what_is_no_record_is_an_error_of_ours(record: bytes) -> None:
    with pytest.raises(ReadError):
        converter(target="anthropic")(record)


def test_wrong_settings_are_refused_before_the_first_record() -> None:
    with pytest.raises(ConfigError, match="nobody"):
        converter(target="nobody")
    with pytest.raises(ConfigError, match="policy"):
        converter(target="gemini", policy="perhaps")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="model"):
        converter(target="gemini", model=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["a\ud83d b", "你好\u2028", "😀"])
def test_the_bytes_say_what_the_record_says(text: str) -> None:
    work = converter(source="openai-chat", target="anthropic", policy="ignore")
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "f", "arguments": json.dumps({"n": 2**70})},
    }
    messages = [
        {"role": "user", "content": text},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "1"},
    ]
    data = work(json.dumps({**REQUEST, "messages": messages}).encode())
    assert b"\n" not in data
    body = json.loads(data)
    assert body["messages"][0]["content"] == text
    assert body["messages"][1]["content"][0]["input"] == {"n": 2**70}
