"""Which bodies can be requests of Chat Completions."""

from __future__ import annotations

from typing import Any

import dragoman

from .bodies import HI, LOOK, MESSAGES, PARTS, WIRE, body

CLAIMED: list[Any] = [
    body(), body(MESSAGES["call"], MESSAGES["result"], tools=[LOOK]),
    body({"role": "user", "content": [PARTS["image"]]}),
    body(MESSAGES["function call"], MESSAGES["function result"]),
]  # fmt: skip
OTHERS: list[Any] = [
    {"model": "m", "input": "Hi"}, {"contents": [{"parts": [{"text": "Hi"}]}]}, {}, [], None,
    body(system="Be brief.", max_tokens=5),
    body({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]}),
    body({"role": "user", "content": [{"text": "Hi"}]}),
    body(HI, tools=[{"name": "look", "input_schema": {}}]),
    body(HI, options={"temperature": 1}), body({**HI, "images": ["QUJD"]}),
    body({"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": {}}}]}),
    body({"role": "tool", "content": "18"}), body("Hi"), body({"role": [], "content": "Hi"}),
]  # fmt: skip


def test_bodies_are_claimed_by_their_shape() -> None:
    claims = dragoman.wire(WIRE).room.claims
    assert [told for told in CLAIMED if not claims(told)] == []
    assert [told for told in OTHERS if claims(told)] == []
    assert claims(body("Hi"), "/v1/chat/completions?x=1")
    assert not claims(CLAIMED[0], "/v1/messages")
    assert not claims({}, "/v1/chat/completions")
