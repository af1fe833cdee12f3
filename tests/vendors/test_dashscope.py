"""DashScope's copies of three other wires: compatible mode, Messages, Responses."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg
from dragoman.errors import WriteError
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    ResponseFormat,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    URLSource,
    VideoBlock,
)
from dragoman.vendors import vendor
from tests.vendors.asking import LOOK, called, codes, losses, said, wrote

CHAT, CLAUDE = "dashscope/openai-chat", "dashscope/anthropic"
ITEMS = "dashscope/openai-responses"
SEES, OMNI, PLUS = "qwen3.7-plus", "qwen3.5-omni-plus", "qwen-plus"


def test_its_own_wire_is_the_first() -> None:
    row = vendor("dashscope")
    assert next(iter(row.wires)) == "dashscope"
    assert row.url("openai-chat").endswith("/compatible-mode/v1")
    regions = {"intl", "us", "hk"}
    assert set(row.regions) == {*regions, *(f"{w}/{r}" for w in row.urls for r in regions)}
    assert row.regions["anthropic/intl"] == "https://dashscope-intl.aliyuncs.com/apps/anthropic"


@pytest.mark.parametrize(
    ("model", "asked", "written"),
    [
        (SEES, {"reasoning": "off"}, {"enable_thinking": False}),
        (SEES, {"reasoning_budget": 500}, {"enable_thinking": True, "thinking_budget": 500}),
        ("qwen3.8-max", {"reasoning": "high"},
         {"enable_thinking": True, "reasoning_effort": "high"}),
        ("deepseek-v4-pro", {"reasoning": "xhigh"},
         {"enable_thinking": True, "reasoning_effort": "xhigh"}),
    ],
)  # fmt: skip
def test_thinking_is_a_switch(model: str, asked: dict[str, Any], written: dict[str, Any]) -> None:
    body = wrote(CHAT, model, options=asked).body
    keys = ("enable_thinking", "thinking_budget", "reasoning_effort", "thinking")
    assert {key: body[key] for key in keys if key in body} == written


def test_never_an_effort_beside_a_budget() -> None:
    out = wrote(CHAT, "qwen3.8-max", options={"reasoning": "high", "reasoning_budget": 500})
    assert out.body["reasoning_effort"] == "high"
    assert "thinking_budget" not in out.body
    assert codes(out) == ["option.unsupported"]


def test_models_of_one_time_think_in_streams_only() -> None:
    """Case 56."""
    out = wrote(CHAT, PLUS, options={"reasoning": "on"})
    assert (out.body["enable_thinking"], codes(out)) == (False, ["reasoning.needs_stream"])
    assert wrote(CHAT, PLUS, stream=True, options={"reasoning": "on"}).body["enable_thinking"]
    with pytest.raises(WriteError, match="thinks in streams only"):
        wrote(CHAT, "qwq-plus")


def test_sounds_are_links_or_data() -> None:
    link = AudioBlock(URLSource("https://example.com/a.mp3", "audio/mpeg"))
    data = AudioBlock(Base64Source("audio/wav", "UklGRg=="))
    [text, *parts] = said(CHAT, OMNI, Msg.user([TextBlock("?"), link, data]))[0]["content"]
    assert text["text"] == "?"
    assert [part["input_audio"] for part in parts] == [
        {"data": "https://example.com/a.mp3", "format": "mp3"},
        {"data": "data:audio/wav;base64,UklGRg==", "format": "wav"},
    ]
    assert codes(wrote(CHAT, SEES, Msg.user([TextBlock("?"), link]))) == ["block.unsupported"]


def test_films_for_those_that_see() -> None:
    film = Msg.user([TextBlock("?"), VideoBlock(URLSource("https://example.com/a.mp4"))])
    assert said(CHAT, SEES, film)[0]["content"][1]["type"] == "video_url"
    for model in (PLUS, "qwen3.7-max"):
        assert codes(wrote(CHAT, model, film)) == ["block.unsupported"]


def test_json_needs_its_word_and_schemas_their_model() -> None:
    form = ResponseFormat("json")
    told = wrote(CHAT, SEES, response_format=form)
    assert told.body["messages"][0] == {"role": "system", "content": "Answer in JSON."}
    assert codes(told) == ["format.json_word"]
    asked = wrote(CHAT, SEES, Msg.user("Answer in JSON."), response_format=form)
    assert asked.body["response_format"] == {"type": "json_object"}
    schema = ResponseFormat("schema", {"type": "object"})
    assert codes(wrote(CHAT, "qwen3-max", response_format=schema)) == []
    lowered = wrote(CHAT, "qwen-turbo", Msg.user("JSON!"), response_format=schema)
    assert codes(lowered) == ["format.in_words", "format.lowered"]


def test_marks_of_the_cache() -> None:
    marked = Msg.user([TextBlock("long", cache=CacheHint()), TextBlock("x")])
    [first, _] = said(CHAT, SEES, marked)[0]["content"]
    assert first["cache_control"] == {"type": "ephemeral"}
    out = wrote(CHAT, "glm-4.7", marked)  # it reads strings alone, and passes over parts
    assert out.body["messages"][0]["content"] == "long\nx"
    assert codes(out) == ["cache.unsupported"]


def test_thinking_of_the_models_that_it_hosts_goes_back() -> None:
    turn = called(ThinkingBlock("hm"))
    assert said(CHAT, "kimi-k2.6", *turn)[1]["reasoning_content"] == "hm"
    out = wrote(CHAT, SEES, *turn)
    assert losses(out) == [("thinking.unsupported", "$.messages[1].content[0]")]
    assert out.body["messages"][1]["content"] == ""


def test_a_request_has_a_user_and_a_name_no_place() -> None:
    assert "user" in [m["role"] for m in said(CHAT, SEES, Msg.system("Be."))]
    assert codes(wrote(CHAT, SEES, Msg("Bob", "Hi."))) == ["name.unsupported"]


def test_messages_and_responses() -> None:
    body = wrote(CLAUDE, SEES, options={"reasoning_budget": 2000, "max_tokens": 4000}).body
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    tools = [ServerTool("web_search"), ServerTool("code_execution"), LOOK]
    body = wrote(ITEMS, SEES, Msg.system("Be."), Msg.user("?"), tools=tools).body
    assert "instructions" not in body
    assert body["input"][0] == {"role": "system", "content": "Be."}
    kinds = [tool["type"] for tool in body["tools"]]
    assert kinds == ["web_search", "code_interpreter", "function"]
