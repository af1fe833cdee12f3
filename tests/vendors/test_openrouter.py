"""OpenRouter: reasoning in details, marks of the cache as Claude has them, stateless items."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg, Tool, wire
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    DocumentBlock,
    Origin,
    TextBlock,
    ThinkingBlock,
    URLSource,
)
from tests.vendors.asking import LOOK, called, codes, losses, said, wrote

CLAUDE, GPT, GEMINI = "anthropic/claude-haiku-4.5", "openai/gpt-5.6", "google/gemini-3.8-flash"


def test_reasoning_goes_back_in_the_details_it_came_in() -> None:
    own = Origin("openrouter")
    blocks = [
        ThinkingBlock("hm", signature="c2ln", origin=own,
                      extras={"openrouter": {"format": "anthropic-claude-v1", "index": 0}}),
        ThinkingBlock("", redacted="c2VhbA==", origin=own, extras={"openrouter": {"index": 1}}),
    ]  # fmt: skip
    out = wrote("openrouter", CLAUDE, *called(*blocks))
    assert out.body["messages"][1]["reasoning_details"] == [
        {"type": "reasoning.text", "text": "hm", "signature": "c2ln",
         "format": "anthropic-claude-v1", "index": 0},
        {"type": "reasoning.encrypted", "data": "c2VhbA==", "index": 1},
    ]  # fmt: skip
    assert codes(out) == []


def test_what_another_signed_stays_away() -> None:
    foreign = ThinkingBlock("hm", signature="c2ln", origin=Origin("anthropic"))
    out = wrote("openrouter", CLAUDE, *called(foreign))
    assert "reasoning_details" not in out.body["messages"][1]
    assert losses(out) == [("thinking.other_provider", "$.messages[1].content[0]")]


def test_an_effort_or_a_budget() -> None:
    assert wrote("openrouter", GPT, options={"reasoning": "xhigh"}).body["reasoning"] == {
        "effort": "xhigh"
    }
    assert wrote("openrouter", CLAUDE, options={"reasoning_budget": 2000}).body["reasoning"] == {
        "max_tokens": 2000
    }
    assert wrote("openrouter", GPT, options={"reasoning": "off"}).body["reasoning"] == {
        "enabled": False
    }


def test_tools_stand_beside_reasoning() -> None:
    """It sends a model where it has to be sent."""
    out = wrote("openrouter", "openai/gpt-6-astra", tools=[LOOK], options={"reasoning": "high"})
    assert (out.body["reasoning"], codes(out)) == ({"effort": "high"}, [])


def test_marks_of_the_cache() -> None:
    hint = CacheHint("1h")
    tool = Tool("look", "look at it", {"type": "object", "properties": {}}, cache=CacheHint())
    out = wrote("openrouter", CLAUDE, Msg.user([TextBlock("long", cache=hint)]), tools=[tool])
    assert out.body["messages"][0]["content"] == [
        {"type": "text", "text": "long", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    ]
    assert out.body["tools"][0]["cache_control"] == {"type": "ephemeral"}
    assert codes(wrote("openrouter", GPT, Msg.user([TextBlock("long", cache=hint)]))) == []


def test_roles_and_sounds_by_model() -> None:
    sound = AudioBlock(Base64Source("audio/wav", "UklGRg=="))
    heard = [Msg("", "Be.", "developer"), Msg.user([TextBlock("?"), sound])]
    assert said("openrouter", GEMINI, *heard)[0]["role"] == "developer"
    assert codes(wrote("openrouter", GEMINI, *heard)) == []
    assert codes(wrote("openrouter", CLAUDE, *heard)) == ["block.unsupported"]


def test_files_by_address() -> None:
    file = DocumentBlock(URLSource("https://example.com/a.pdf"), title="a.pdf")
    [_, part] = said("openrouter", CLAUDE, Msg.user([TextBlock("?"), file]))[0]["content"]
    assert part["file"] == {"filename": "a.pdf", "file_data": "https://example.com/a.pdf"}


def test_its_responses_keep_nothing() -> None:
    items = wrote("openrouter/openai-responses", GPT, *called(TextBlock("I look."))).body["input"]
    assert (items[1]["status"], items[1]["id"]) == ("completed", "msg_1")
    body = wrote("openrouter/openai-responses", GPT, options={"reasoning": "high"}).body
    assert body["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("stop", "network_error"), "error"),
        (("stop", "MALFORMED_FUNCTION_CALL"), "malformed_call"),
        (("stop", "MAX_TOKENS"), "length"),
        (("stop", "completed"), "stop"),
        (("stop", "of_tomorrow"), "stop"),
        (("stop", None), "stop"),
        (("length", "stop"), "length"),
    ],
)
def test_the_word_of_the_host_counts_where_stop_hides_it(words: Any, reason: str) -> None:
    message = {"role": "assistant", "content": "Half"}
    choice = {"index": 0, "message": message, "finish_reason": words[0], "logprobs": None,
              "native_finish_reason": words[1]}  # fmt: skip
    body = {"id": "g", "object": "chat.completion", "model": "m", "choices": [choice], "usage": {}}
    resp = wire("openrouter", policy="ignore").read_response(body)
    assert resp.finish.reason == reason
    if reason != "error":  # which is written as one
        assert wire("openrouter", policy="ignore").write_response(resp).body == body
    del choice["message"]
    head = {"id": "g", "object": "chat.completion.chunk", "model": "m"}
    decoder = wire("openrouter").stream_decoder()
    decoder.feed({**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]})
    decoder.feed({**head, "choices": [{**choice, "delta": {}}]})
    assert decoder.finish().finish.reason == reason
