"""Requests of /api/chat that are read: what stands around the messages."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Options
from dragoman.message import (
    ResponseFormat,
    ServerTool,
    Tool,
)
from tests.each_case import each_case
from tests.protocols.ollama.reading import (
    DOT,
    EVERY,
    LOOK,
    ROOM,
    USER,
    WIRE,
    read,
    read_body,
    said,
)


def test_options() -> None:
    inner = {"num_predict": 9, "temperature": 0, "top_p": 0.5, "top_k": 3, "seed": 1,
             "presence_penalty": 1, "frequency_penalty": 2, "repeat_penalty": 1.1,
             "stop": ["a", "b"], "num_ctx": 4096, "mirostat": 0}  # fmt: skip
    req = read(USER, options=inner, logprobs=True, top_logprobs=2, keep_alive=-1)
    assert req.options == Options(
        max_tokens=9, temperature=0, top_p=0.5, top_k=3, seed=1, presence_penalty=1,
        frequency_penalty=2, repetition_penalty=1.1, stop=("a", "b"), logprobs=True, top_logprobs=2,
    )  # fmt: skip
    own = {"options": {"num_ctx": 4096, "mirostat": 0}, "keep_alive": -1}
    assert (req.extras or {})["ollama"] == own
    assert said(req)["options"] == inner
    assert read(USER, options={"seed": 1}).options == Options(seed=1)
    assert read(USER, options={"num_predict": 1}).options == Options(max_tokens=1)


@pytest.mark.parametrize("inner", [
    {}, None, [], {"temperature": None}, {"num_predict": -1}, {"num_predict": 0},
    {"num_predict": 1.0}, {"stop": "x"}, {"stop": []}, {"stop": [1]}, {"temperature": "1"},
    {"seed": True},
])  # fmt: skip
def test_options_that_nobody_models_stay(inner: Any) -> None:
    assert read(USER, options=inner).options == Options()


@pytest.mark.parametrize(("think", "level"), [
    (True, "on"), (False, "off"), ("high", "high"), ("max", "max"),
    (None, None), ("", None), ("on", None), ("off", None), (1, None),
])  # fmt: skip
def test_thinking_is_asked_for(think: Any, level: str | None) -> None:
    assert read(USER, think=think).options.reasoning == level


@pytest.mark.parametrize(("told", "form"), [
    ("json", ResponseFormat("json")),
    ({"type": "object"}, ResponseFormat("schema", {"type": "object"})),
    ("", None), (None, None), ("xml", None),
])  # fmt: skip
def test_formats(told: Any, form: ResponseFormat | None) -> None:
    assert read(USER, format=told).response_format == form


@pytest.mark.parametrize(("fields", "streamed"), [
    ({}, True), ({"stream": True}, True), ({"stream": False}, False), ({"stream": None}, True),
    ({"stream": "no"}, True),
])  # fmt: skip
def test_it_is_streamed_without_a_word(fields: dict[str, Any], streamed: bool) -> None:
    assert read(USER, **fields).stream is streamed


ODD: list[dict[str, Any]] = [
    {"type": "function", "function": "x"}, {"type": "function", "function": {"name": ""}},
    {"type": "function", "function": {"name": 5}}, {"type": "custom", "function": {"name": "f"}},
    {"type": "function", "name": "f"},
]  # fmt: skip


def test_tools() -> None:
    schema = {"type": "object", "properties": {}}
    whole = {"name": "look", "description": "Looks.", "parameters": schema}
    strange = {"type": "web_search"}
    req = read(USER, tools=[
        {"type": "function", "function": whole},
        {"function": {"name": "bare"}},
        {"type": "function", "name": "x", "function": {"name": "odd", "parameters": None, "y": 1}},
        strange,
        {"type": "function", "function": {"name": "firm", "description": "", "strict": True}},
        *ODD,
    ])  # fmt: skip
    assert list(req.tools) == [
        Tool("look", "Looks.", schema),
        Tool("bare", extras={"ollama (notes)": {"typed": False, "described": False}}),
        Tool("odd", extras={"ollama": {"name": "x", "function": {"parameters": None, "y": 1}},
                            "ollama (notes)": {"described": False}}),
        ServerTool("own", extras={"ollama": strange}),
        Tool("firm", "", strict=True),
        *(ServerTool("own", extras={"ollama": odd}) for odd in ODD),
    ]  # fmt: skip


@pytest.mark.parametrize("body", [
    {}, {"messages": []}, {"model": ""}, {"model": 3, "messages": None}, {"messages": {}},
    {"model": "m", "tools": []},
    {"model": "m", "tools": [None]}, {"model": "m", "prompt": "p", "system": "s", "images": [DOT]},
])  # fmt: skip
def test_bodies_without_messages(body: dict[str, Any]) -> None:
    assert read_body(body).messages == []


def test_what_was_changed_is_left_out() -> None:
    req = read(USER, options={"seed": 1, "num_ctx": 8}, think=True, stream=False, format="json")
    left = said(req, EVERY - {"seed", "reasoning", "response_format"})
    assert left == {
        "model": "qwen3", "messages": [USER], "options": {"num_ctx": 8}, "stream": False,
    }  # fmt: skip


def test_a_stream_that_nobody_wants_any_more() -> None:
    req = WIRE.read_request({"model": "qwen3", "messages": [USER]})
    assert "stream" not in WIRE.write_request(req).body
    req.stream = False
    assert WIRE.write_request(req).body["stream"] is False


def test_a_turn_is_appended() -> None:
    told = {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [LOOK]}
    req = read(USER, told)
    assert ROOM.messages_as_read(req.messages[:1]) == [USER]
    assert ROOM.messages_as_read([*req.messages, req.messages[0]]) == [
        USER, {**told, "tool_calls": [LOOK]}, USER]  # fmt: skip


@pytest.mark.parametrize(("payload", "ours"), [
    ({"message": {"content": "x"}, "done": False}, True), ({"response": "x", "done": True}, True),
    ({"message": {"content": "x"}}, False), ({"message": {"content": "x"}, "done": "yes"}, False),
    ({"message": None, "done": True}, False), ({"done": True}, False),
    ({"error": "x"}, False),
])  # fmt: skip
def test_answers(payload: dict[str, Any], ours: bool) -> None:
    assert ROOM.answers(payload) is ours


@each_case(("body", "path", "ours"), [
    ({"model": "m", "messages": [USER]}, "/api/chat", True),
    ({"model": "m", "messages": [USER]}, "/v1/chat/completions", False),
    ({"model": "m", "messages": [USER]}, None, False),
    ({"model": "m", "messages": [USER], "options": {}}, None, True),
    ({"model": "m", "messages": [USER], "think": False}, None, True),
    ({"model": "m", "messages": [{**USER, "images": [DOT]}]}, None, True),
    ({"model": "m", "messages": [{"role": "assistant", "tool_calls": [LOOK]}]}, None, True),
    ({"model": "m", "messages": [USER], "options": {}, "max_tokens": 5}, None, False),
    ({"model": "m", "messages": [{"role": "user", "content": []}], "options": {}}, None, False),
    ({"model": "m", "prompt": "p"}, "/api/generate", False),
    ([], None, False), (None, "/api/chat", False),
    ({"model": "m", "messages": [USER]}, "/api/chat/?a=/b", True),
    ({"messages": [{"role": "tool", "content": "x", "tool_name": "f"}]}, None, True),
    ({"messages": [{"role": "assistant", "tool_calls": [5, {"function": None}]}]}, None, False),
    ({"messages": [{"role": "assistant", "tool_calls": [
        {"function": {"name": "f", "arguments": "{}"}}]}]}, None, False),
])  # fmt: skip
def test_claims(body: Any, path: str | None, ours: bool) -> None:
    assert ROOM.claims(body, path) is ours
