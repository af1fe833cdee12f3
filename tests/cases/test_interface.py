"""The interface as its users meet it: a request converted, losses refused, a round trip."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import dragoman
from dragoman import Msg

from .converting import chat, claude

BODY = chat({"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Where is Paris?"}, temperature=0.3)  # fmt: skip
EPHEMERAL = {"type": "ephemeral"}
CLAUDE = claude(
    {"role": "user", "content": [
        {"type": "text", "text": "Where is Paris?", "cache_control": EPHEMERAL}]},
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "A city.", "signature": "c2lnbmVk"},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "Paris"}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "In France.",
         "is_error": False},
        {"type": "text", "text": "Is it warm in summer?"}]},
    system=[{"type": "text", "text": "Be brief.", "cache_control": {**EPHEMERAL, "ttl": "1h"}}],
    tools=[{"name": "look", "description": "looks", "input_schema": {"type": "object"}}],
    metadata={"user_id": "u1"},
)  # fmt: skip
ANSWER: dict[str, Any] = {
    "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
    "model": "gpt-5.6", "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": "Yes, 25 degrees.", "annotations": []}]}],
    "usage": {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13},
}  # fmt: skip


def test_a_request_is_converted() -> None:
    out = dragoman.convert(BODY, source="openai-chat", target="anthropic",
                           model="claude-opus-5-5")  # fmt: skip
    assert out.path == "/v1/messages"
    assert "anthropic-version" in out.headers
    assert json.loads(json.dumps(out.body)) == out.body
    assert out.body["messages"] == [{"role": "user", "content": "Where is Paris?"}]
    said = {loss.code: (loss.kind, loss.where) for loss in out.losses}
    assert said["option.refused"] == ("dropped", "$.temperature")
    assert set(said) == {"option.refused", "max_tokens.default"}


def test_what_may_be_lost() -> None:
    policy = dragoman.Policy(refuse=("dropped", "degraded"), allow=("cache.*", "name.*", "id.*"))
    with pytest.raises(dragoman.LossRefused) as caught:
        dragoman.convert(CLAUDE, source="anthropic", target="mistral", policy=policy)
    codes = {loss.code for loss in caught.value.losses}
    assert "thinking.unsupported" in codes or "thinking.other_provider" in codes
    assert not [code for code in codes if code.startswith(("cache.", "name.", "id."))]
    plain = copy.deepcopy(CLAUDE)
    del plain["messages"][1]["content"][0], plain["metadata"]
    del plain["messages"][2]["content"][0]["is_error"]
    out = dragoman.convert(plain, source="anthropic", target="mistral", policy=policy)
    assert {"cache.unsupported"} <= {loss.code for loss in out.losses}


def test_a_round_trip_over_providers() -> None:
    before = copy.deepcopy(CLAUDE)
    claude, gpt = dragoman.wire("anthropic"), dragoman.wire("openai-responses")
    req = claude.read_request(CLAUDE)
    out = gpt.write_request(req, model="gpt-5.6")
    text = json.dumps(out.body)
    assert "c2lnbmVk" not in text
    assert "Is it warm in summer?" in text
    resp = gpt.read_response(ANSWER, tools=req.tools)
    req.messages.append(resp.msg)
    req.messages.append(Msg("user", "And in winter?", "user"))
    back = claude.write_request(req)
    old = len(CLAUDE["messages"])
    assert back.body["messages"][:old] == CLAUDE["messages"]
    assert {key: back.body[key] for key in CLAUDE if key != "messages"} == {
        key: value for key, value in CLAUDE.items() if key != "messages"
    }
    answer, question = back.body["messages"][old:]
    assert question == {"role": "user", "content": "And in winter?"}
    assert "Yes, 25 degrees." in json.dumps(answer)
    assert "c2VhbGVk" not in json.dumps(back.body)
    assert "thinking.other_provider" in {loss.code for loss in back.losses}
    assert before == CLAUDE
    # and GPT has its own reasoning again
    again = gpt.write_request(req, model="gpt-5.6")
    assert "c2VhbGVk" in json.dumps(again.body)
    assert "c2lnbmVk" not in json.dumps(again.body)
