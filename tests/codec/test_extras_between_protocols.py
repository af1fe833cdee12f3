"""A choice of a provider's own tool stays with the wire that has it."""

from __future__ import annotations

import dragoman

BODY = {
    "model": "gpt-5.6",
    "input": "Draw a cat.",
    "tools": [
        {"type": "image_generation"},
        {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}},
    ],
    "tool_choice": {"type": "image_generation"},
}


def test_chat_has_no_choice_of_a_hosted_tool() -> None:
    out = dragoman.convert(BODY, "openai-responses", "openai-chat")
    assert "tool_choice" not in out.body
    assert "$.tool_choice.type" in {loss.where for loss in out.losses}
    assert dragoman.convert(BODY, "openai-responses", "openai-responses").body == BODY
