"""Which bodies could be requests of the Messages API, judged by their keys and shapes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import dragoman
from tests.protocols.anthropic.bodies import BODIES, HI

ROOM = dragoman.wire("anthropic").room
CHAT = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}


@pytest.mark.parametrize(
    "name",
    ["text", "system string", "system inline", "results", "media", "documents", "tools", "choice",
     "of the host", "budget"],
)  # fmt: skip
def test_its_own_bodies_are_claimed(name: str) -> None:
    if name in ("results", "media", "documents"):  # as they are, but for what is no block
        told = copy.deepcopy(BODIES[name])
        content = told["messages"][0]["content"]
        told["messages"][0]["content"] = [
            one for one in content if one["type"] != "image" or isinstance(one.get("source"), dict)
        ]
        assert ROOM.claims(told)
    else:
        assert ROOM.claims(BODIES[name])
    assert ROOM.claims(CHAT, "/v1/messages?beta=true")


@pytest.mark.parametrize(
    ("told", "path"),
    [
        (None, None), ([], None), ({}, None), ({"messages": [HI]}, None),
        (CHAT, "/v1/chat/completions"),
        ({**CHAT, "stop": "x"}, None),
        ({**CHAT, "tools": [{"type": "function", "function": {"name": "x"}}]}, None),
        ({**CHAT, "tool_choice": "auto"}, None),
        ({**CHAT, "messages": [{"role": "system", "content": "x"}, HI]}, None),
        ({**CHAT, "messages": [{"role": "tool", "content": "x"}]}, None),
        ({**CHAT, "messages": [{"role": "assistant", "content": "", "tool_calls": []}]}, None),
        ({**CHAT, "messages": [{"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": "x"}}]}]}, None),
        ({**CHAT, "messages": [{"role": "user", "content": [{"text": "x"}]}]}, None),
        ({**CHAT, "messages": [3]}, None),
        ({"max_tokens": 1, "contents": []}, None),
    ],
)  # fmt: skip
def test_bodies_of_others_are_not_claimed(told: Any, path: str | None) -> None:
    assert not ROOM.claims(told, path)
