"""The provider's own fields of a node, without the notes of readers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import TextBlock, dump, load

CHAT: dict[str, Any] = {
    "model": "gpt-5.6", "max_tokens": 5, "stop": "x", "logit_bias": {"1": 2},
    "messages": [{"role": "user", "content": "Hi"}],
}  # fmt: skip
ANSWER: dict[str, Any] = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "gpt-5.6",
    "system_fingerprint": "fp",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant",
                                                                  "content": "Yo"}}],
}  # fmt: skip


def test_notes_of_a_reader_are_left_out() -> None:
    request = dragoman.wire("openai/openai-chat").read_request(CHAT)
    assert any(name.endswith("(notes)") for name in request.extras or {})
    assert request.provider_fields == {"openai-chat": {"logit_bias": {"1": 2}}}
    assert "(notes)" not in repr(request)
    assert "provider_fields={'openai-chat': {'logit_bias'" in repr(request)


def test_an_answer_shows_its_fields_and_is_written_as_it_came() -> None:
    wire = dragoman.wire("openai/openai-chat")
    response = wire.read_response(ANSWER)
    assert "openai-chat (notes)" in (response.extras or {})
    assert response.provider_fields == {"openai-chat": {"created": 1, "system_fingerprint": "fp"}}
    assert "(notes)" not in repr(response)
    assert wire.write_response(response).body == ANSWER


def test_every_node_has_them_and_keeps_its_extras() -> None:
    extras: Any = {"gemini": {"a": 1}, "gemini (answer)": {"b": 2}, "gemini (notes)": {"c": 3}}
    told = {"gemini": {"a": 1, "b": 2}}
    block = TextBlock("Hi", extras=extras)
    msg = Msg.user([block], extras=extras)
    request = ChatRequest([msg], extras=extras)
    tool = dragoman.Tool("look", extras=extras)
    for node in (block, msg, request, tool):
        assert node.provider_fields == told
        assert node.extras == extras
    block.provider_fields["gemini"]["a"] = 9
    assert extras["gemini"] == {"a": 1}
    assert Msg.user("Hi").provider_fields == {}
    assert "provider_fields" not in repr(TextBlock("Hi", extras={"gemini (notes)": {"c": 3}}))


def test_what_is_stored_keeps_the_notes() -> None:
    wire = dragoman.wire("openai/openai-chat")
    request = wire.read_request(CHAT)
    for kept in (load(dump(request)), pickle.loads(pickle.dumps(request)), copy.deepcopy(request)):
        assert isinstance(kept, ChatRequest)
        assert wire.write_request(kept).body == CHAT


def test_what_was_healed_is_no_field() -> None:
    healed = Msg.user("a\ud800")
    assert healed.extras
    assert healed.provider_fields == {}
