"""Which bodies could be requests of the Messages API, judged by their keys and shapes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import dragoman
from tests.each_case import each_case
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
    assert ROOM.claims(CHAT, "/v1/messages?beta=true&a=?")


@pytest.mark.parametrize("fields", [
    {"anthropic_version": "2023-06-01"}, {"thread": {"id": "t"}}, {"max_tokens": 5},
])  # fmt: skip
@pytest.mark.parametrize("message", [
    {"role": "assistant", "content": "x"},
    {"role": "user", "content": [{"type": "document", "source": {"type": "text"}}]},
    {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "u"}}]},
    {"role": "assistant", "content": [{"type": "web_fetch_tool_result", "tool_use_id": "s"}]},
])  # fmt: skip
def test_a_key_and_a_shape_of_its_own(fields: dict[str, Any], message: dict[str, Any]) -> None:
    assert ROOM.claims({"model": "m", "messages": [HI, message], **fields})


@each_case(
    ("told", "path"),
    [
        (None, None), ([], None), ({}, None), ({"messages": [HI]}, None),
        (CHAT, "/v1/chat/completions"),
        ({**CHAT, "stop": "x"}, None),
        ({**CHAT, "tools": [{"type": "function", "function": {"name": "x"}}]}, None),
        ({**CHAT, "tools": [{"type": "function", "name": "x"}]}, None),
        ({**CHAT, "tools": [{"name": "x", "function": {}}]}, None),
        ({**CHAT, "tools": ["x"]}, None),
        ({**CHAT, "tool_choice": "auto"}, None),
        ({**CHAT, "messages": [{"role": "system", "content": "x"}, HI]}, None),
        ({**CHAT, "messages": [{"role": "tool", "content": "x"}]}, None),
        ({**CHAT, "messages": [{"role": "assistant", "content": "", "tool_calls": []}]}, None),
        ({**CHAT, "messages": [{"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": "x"}}]}]}, None),
        ({**CHAT, "messages": [{"role": "user", "content": [{"text": "x"}]}]}, None),
        ({**CHAT, "messages": [3]}, None),
        ({**CHAT, "messages": [{"role": "user", "content": ["x"]}]}, None),
        ({**CHAT, "messages": [{"role": "user", "content": [
            {"type": "image", "image": "x"}]}]}, None),
        ({**CHAT, "messages": [{"role": "user", "content": [
            {"type": "document", "document": "x"}]}]}, None),
        ({**CHAT, "messages": [{"role": "user", "content": [{"type": "song"}]}]}, None),
        ({"max_tokens": 1, "contents": []}, None),
    ],
)  # fmt: skip
def test_bodies_of_others_are_not_claimed(told: Any, path: str | None) -> None:
    assert not ROOM.claims(told, path)
