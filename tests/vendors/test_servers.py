"""Servers of one's own: Ollama's further wires, SGLang, LM Studio and llama.cpp."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.message import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    ResponseFormat,
    TextBlock,
    ThinkingBlock,
    URLSource,
)
from tests.each_case import each_case
from tests.vendors.asking import IMAGE, LOOK, called, codes, said, wrote

LINK = ImageBlock(URLSource("https://example.com/a.png"))


@pytest.mark.parametrize(
    ("wire", "url"),
    [
        ("ollama", "http://localhost:11434/api/chat"),
        ("ollama/openai-chat", "http://localhost:11434/v1/chat/completions"),
        ("ollama/openai-responses", "http://localhost:11434/v1/responses"),
        ("ollama/anthropic", "http://localhost:11434/v1/messages"),
        ("sglang", "http://localhost:30000/v1/chat/completions"),
        ("sglang/openai-responses", "http://localhost:30000/v1/responses"),
        ("sglang/anthropic", "http://localhost:30000/v1/messages"),
        ("lmstudio", "http://localhost:1234/v1/chat/completions"),
        ("lmstudio/openai-responses", "http://localhost:1234/v1/responses"),
        ("lmstudio/anthropic", "http://localhost:1234/v1/messages"),
        ("llamacpp", "http://localhost:8080/v1/chat/completions"),
        ("llamacpp/openai-responses", "http://localhost:8080/v1/responses"),
        ("llamacpp/anthropic", "http://localhost:8080/v1/messages"),
        ("vllm/anthropic", "http://localhost:8000/v1/messages"),
    ],
)
def test_where_they_listen(wire: str, url: str) -> None:
    row = dragoman.wire(wire).vendor or dragoman.vendors.vendor("ollama")
    assert row.url(wire.partition("/")[2]) + wrote(wire, None).path == url


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses", "anthropic"])
def test_ollamas_copies_read_no_choice_and_no_links(protocol: str) -> None:
    wire = f"ollama/{protocol}"
    forced = wrote(wire, "qwen3", tools=[LOOK], tool_choice="look")
    assert (str(forced.body["tool_choice"]).count("auto"), codes(forced)) == (
        1, ["tool_choice.lowered"],
    )  # fmt: skip
    none = wrote(wire, "qwen3", tools=[LOOK], tool_choice="none")
    assert "tools" not in none.body
    assert codes(wrote(wire, "gemma3", Msg.user([TextBlock("?"), LINK]))) == ["media.not_fetched"]
    assert codes(wrote(wire, "gemma3", Msg.user([TextBlock("?"), IMAGE]))) == []


def test_ollamas_chat_thinks_by_effort() -> None:
    wire = "ollama/openai-chat"
    for model in ("qwen3", "deepseek-v4-flash", "gpt-oss:20b"):
        body = wrote(wire, model, options={"reasoning": "high", "max_tokens": 9}).body
        assert (body["reasoning_effort"], body["max_tokens"]) == ("high", 9)
        assert "enable_thinking" not in body
    assert wrote(wire, "qwen3", options={"reasoning": "off"}).body["reasoning_effort"] == "none"
    assert said(wire, "qwen3", *called(ThinkingBlock("hm")))[1]["reasoning"] == "hm"
    assert codes(wrote(wire, "qwen3", options={"n": 2})) == ["option.ignored"]


def test_ollamas_responses_has_no_place_for_thoughts() -> None:
    out = wrote("ollama/openai-responses", "qwen3", *called(ThinkingBlock("hm")))
    assert codes(out) == ["thinking.unsupported"]


def test_ollamas_messages_lack_files_and_marks() -> None:
    can = dragoman.wire("ollama/anthropic").can("qwen3")
    assert ("document" in can.user, can.cache_hints, can.server_tools) == (False, 0, frozenset())
    body = wrote("ollama/anthropic", "qwen3", options={"temperature": 0.5, "top_k": 9}).body
    assert (body["temperature"], body["top_k"]) == (0.5, 9)


@pytest.mark.parametrize("server", ["sglang", "llamacpp"])
def test_the_template_switches_thinking(server: str) -> None:
    for model, reasoning, written in (
        ("Qwen/Qwen3-8B", "off", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("deepseek-ai/DeepSeek-V3.2", "on", {"chat_template_kwargs": {"thinking": True}}),
        ("openai/gpt-oss-20b", "low", {"reasoning_effort": "low"}),
        ("somebody/new", "off", {"reasoning_effort": "none"}),
    ):
        body = wrote(server, model, options={"reasoning": reasoning}).body
        keys = ("chat_template_kwargs", "reasoning_effort", "thinking", "enable_thinking")
        assert {key: body[key] for key in keys if key in body} == written
    turn = said(server, "Qwen/Qwen3-8B", *called(ThinkingBlock("hm")))[1]
    assert (turn["reasoning_content"], "reasoning" in turn) == ("hm", False)
    forced = wrote(server, "Qwen/Qwen3-8B", tools=[LOOK], tool_choice="look")
    assert forced.body["tool_choice"]["function"] == {"name": "look"}


@pytest.mark.parametrize(
    ("server", "keys"),
    [
        ("sglang", {"top_k": 9, "repetition_penalty": 1.1}),
        ("llamacpp", {"top_k": 9, "repeat_penalty": 1.1}),
        ("lmstudio", {"top_k": 9, "repeat_penalty": 1.1}),
    ],
)
def test_samplers_by_the_servers_own_names(server: str, keys: dict[str, Any]) -> None:
    given = {"top_k": 9, "repetition_penalty": 1.1, "max_tokens": 5}
    body = wrote(server, None, options=given).body
    assert {key: body[key] for key in body.keys() - {"model", "messages"}} == {
        **keys, "max_tokens": 5,
    }  # fmt: skip
    [back] = [dragoman.wire(server).read_request(body).options]
    assert (back.top_k, back.repetition_penalty) == (9, 1.1)


def test_sounds_at_sglang_and_llamacpp() -> None:
    sound = AudioBlock(URLSource("https://example.com/a.mp3"))
    content = said("sglang", None, Msg.user([TextBlock("?"), sound]))[0]["content"]
    assert content[1] == {"type": "audio_url", "audio_url": {"url": "https://example.com/a.mp3"}}
    heard = AudioBlock(Base64Source("audio/wav", "UklGRg=="))
    assert codes(wrote("llamacpp", None, Msg.user([TextBlock("?"), heard]))) == []


def test_lm_studio_names_no_tool_and_asks_for_no_thinking() -> None:
    schema = ResponseFormat("schema", {"type": "object", "properties": {}})
    out = wrote("lmstudio", "qwen/qwen3-8b", tools=[LOOK], tool_choice="look",
                response_format=schema, options={"reasoning": "high"})  # fmt: skip
    assert out.body["tool_choice"] == "required", "of the one that is named, and offered alone"
    required = wrote("lmstudio", "qwen/qwen3-8b", tools=[LOOK], tool_choice="required")
    assert (required.body["tool_choice"], codes(required)) == ("required", [])
    assert out.body["response_format"]["type"] == "json_schema"
    assert "reasoning_effort" not in out.body
    assert codes(out) == ["tool_choice.lowered", "option.range"]
    off = wrote("lmstudio", "qwen/qwen3-8b", options={"reasoning": "off"})
    assert codes(off) == ["reasoning.moot"]


@pytest.mark.parametrize("server", ["ollama", "sglang", "lmstudio", "llamacpp"])
def test_their_responses_want_each_field_of_an_answer(server: str) -> None:
    turn = called(TextBlock("I look."))
    item = wrote(f"{server}/openai-responses", None, *turn).body["input"][1]
    assert (item["status"], item["content"][0]["annotations"]) == ("completed", [])


_TURNS = {
    "instructions": "Be brief.",
    "input": [
        {"role": "developer", "content": "You may write files."},
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
        {"role": "developer", "content": "You may not any more."},
        {"role": "user", "content": "Go."},
    ],
}


@each_case("model", ["qwen/qwen3.8-27b", "Qwen3.8-9B-Instruct"])
@each_case(
    "name",
    [f"{vendor}/{wire}" for vendor in ("vllm", "sglang", "llamacpp", "lmstudio", "ollama")
     for wire in ("openai-chat", "openai-responses")],
)  # fmt: skip
def test_a_template_that_takes_one_system_message_first_gets_one(name: str, model: str) -> None:
    """`raise_exception('System message must be at the beginning.')`, of every endpoint."""
    request = dragoman.wire("openai-responses").read_request(_TURNS)
    out = dragoman.wire(name, policy="ignore").write_request(request, model=model)
    body: dict[str, Any] = out.body
    turns = [turn["role"] for turn in body.get("messages") or body["input"]]
    head = ["system"] if "messages" in body else []
    assert turns == [*head, "user", "user", "assistant", "user", "user"]
    assert [loss.code for loss in out.losses].count("system.reminder") == 2
    older = dragoman.wire(name, policy="ignore").write_request(request, model="qwen3-8b")
    assert "user" not in [turn["role"] for turn in older.body.get("input", [])][:1]
