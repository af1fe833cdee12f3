"""A model that ended as if it were done and has not written a token has given no answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import LLM, convert_stream, wire
from dragoman.message.ending import classify_ending
from dragoman.testing import Scripted


def gemini(parts: list[Any] | None, usage: dict[str, Any]) -> dict[str, Any]:
    content = {"role": "model"} if parts is None else {"role": "model", "parts": parts}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.5-flash"}


ASKED = {"promptTokenCount": 3130, "totalTokenCount": 3130}
CASES: dict[str, tuple[dict[str, Any], str]] = {
    # google/adk-js issue 344
    "nothing": (gemini(None, ASKED), "no_answer"),
    "no parts": (gemini([], ASKED), "no_answer"),
    # livekit/agents issue 4066
    "an empty part": (gemini([{"text": ""}], ASKED), "no_answer"),
    "zero": (gemini(None, {**ASKED, "candidatesTokenCount": 0}), "no_answer"),
    "the token of its end": (
        gemini(None, {"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12}),
        "complete"),
    "thoughts": (
        gemini(None, {"promptTokenCount": 10, "thoughtsTokenCount": 5, "totalTokenCount": 15}),
        "complete"),
    "a word": (gemini([{"text": "Hi"}], ASKED), "complete"),
    "no figures": (gemini(None, {}), "complete"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_it_is(name: str) -> None:
    body, ending = CASES[name]
    assert classify_ending(wire("gemini").read_response(body)) == ending


def test_chat_says_it_with_a_zero() -> None:
    said = {"role": "assistant", "content": ""}
    body: dict[str, Any] = {
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": said, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 3},
    }  # fmt: skip
    assert classify_ending(wire("openai-chat").read_response(body)) == "no_answer"
    body["usage"] = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
    assert classify_ending(wire("openai-chat").read_response(body)) == "complete"


@pytest.mark.parametrize("target", ["anthropic", "openai-chat", "openai-responses"])
def test_a_client_of_another_wire_is_told(target: str) -> None:
    nothing = CASES["nothing"][0]
    whole = wire(target, policy="ignore").write_response(wire("gemini").read_response(nothing))
    streamed = convert_stream([nothing], "gemini", target, policy="ignore")
    told = [json.loads(event.data) for event in streamed if event.data != "[DONE]"]
    assert whole.body.get("error")
    assert any(event.get("error") for event in told)
    ended = gemini(None, {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3})
    streamed = convert_stream([ended], "gemini", target, policy="ignore")
    assert not any(json.loads(e.data).get("error") for e in streamed if e.data != "[DONE]")


def test_another_attempt_or_model_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    nothing = wire("gemini").read_response(CASES["nothing"][0])
    script = Scripted(nothing, "Here it is.")
    llm = LLM("gemini/gemini-2.5-flash", transport=script, retries=1)
    assert llm.ask("Go on.").text == "Here it is."
    script = Scripted(nothing, "There.")
    streamed = LLM("gemini/gemini-2.5-flash", transport=script, fallbacks=["gemini/gemini-2.5-pro"])
    assert "".join(streamed.stream("Go on.").text) == "There."
