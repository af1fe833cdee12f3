"""Cases of media, cache marks and tools of the provider on the way between wires."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman.vendors import PROTOCOLS

from .converting import HI, calls, chat, claude, converse, converted, responses, result

PNG = "iVBORw0KGgo="
SHOWN = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
EPHEMERAL = {"type": "ephemeral"}


def answered(*content: dict[str, Any]) -> dict[str, Any]:
    """A body of Claude's in which a tool answered with this."""
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    back = {"type": "tool_result", "tool_use_id": "a", "content": [*content]}
    return claude(HI, {"role": "assistant", "content": [call]}, {"role": "user", "content": [back]})


def test_case_25_an_image_in_a_result_follows_it() -> None:
    body, losses = converted("anthropic", "openai-chat", answered(SHOWN))
    assert [m["role"] for m in body["messages"]] == ["user", "assistant", "tool", "user"]
    assert body["messages"][2]["content"]
    shown = [part for part in body["messages"][3]["content"] if part["type"] == "image_url"]
    assert [one["image_url"]["url"] for one in shown] == [f"data:image/png;base64,{PNG}"]
    assert ("media.moved", "$.messages[2].content[0].content[0]") in losses


@pytest.mark.parametrize("target", ["openai-responses", "gemini", "bedrock-converse"])
def test_case_74_where_a_result_may_show_an_image_it_does(target: str) -> None:
    text = {"type": "text", "text": "Here:"}
    body, losses = converted("anthropic", target, answered(text, SHOWN))
    assert json.dumps(body).count(PNG) == 1
    assert "media.moved" not in {code for code, _ in losses}


def test_case_95a_nothing_is_fetched() -> None:
    part = {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}
    told = chat({"role": "user", "content": [{"type": "text", "text": "Look"}, part]})
    body, losses = converted("openai-chat", "bedrock-converse", told)
    assert "image" not in body["messages"][0]["content"][0]
    assert [code for code, _ in losses] == ["media.not_fetched"]
    body, losses = converted("openai-chat", "anthropic", told)
    assert body["messages"][0]["content"][1]["source"] == {
        "type": "url", "url": "https://e.org/a.png"}  # fmt: skip
    assert losses == []


def test_case_13b_bytes_say_what_they_are() -> None:
    jpeg = "data:image/png;base64,/9j/4AAQSkZJRg=="
    part = {"type": "image_url", "image_url": {"url": jpeg}}
    body, losses = converted("openai-chat", "anthropic", chat({"role": "user", "content": [part]}))
    assert body["messages"][0]["content"][0]["source"]["media_type"] == "image/jpeg"
    assert [code for code, _ in losses] == ["media.type_corrected"]


@pytest.mark.parametrize(("target", "found"), [
    ("gemini", True), ("openai-chat", True), ("anthropic", False), ("mistral", True),
])  # fmt: skip
def test_case_95b_sound(target: str, found: bool) -> None:
    sound = {"type": "input_audio", "input_audio": {"data": "UklGRgAA", "format": "wav"}}
    told = chat({"role": "user", "content": [{"type": "text", "text": "Hear"}, sound]})
    model = {"openai-chat": "gpt-audio", "mistral": "voxtral-small-latest"}.get(target)
    body, losses = converted("openai-chat", target, told, model)
    assert ("UklGRgAA" in json.dumps(body)) == found
    assert any(where.startswith("$.messages[0].content[1]") for _, where in losses) != found


@pytest.mark.parametrize("target", PROTOCOLS)
def test_case_95c_a_pdf_of_claude(target: str) -> None:
    source = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
    told = claude(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Read"},
                {"type": "document", "source": source, "title": "a"},
            ],
        }
    )
    body, losses = converted("anthropic", target, told)
    gone = any(where.startswith("$.messages[0].content[1]") for code, where in losses
               if code in ("block.unsaid", "media.source", "media.type"))  # fmt: skip
    assert ("JVBERi0=" in json.dumps(body)) != gone


@pytest.mark.parametrize("target", PROTOCOLS)
def test_case_95d_nothing_vanishes_in_silence(target: str) -> None:
    video = {"type": "video_url", "video_url": {"url": "https://e.org/v.mp4"}}
    told = chat({"role": "user", "content": [{"type": "text", "text": "Look"}, video]})
    body, losses = converted("openai-chat", target, told)
    lost = [where for _, where in losses if where.startswith("$.messages[0].content[1]")]
    assert lost or "https://e.org/v.mp4" in json.dumps(body)


def marked(text: str, ttl: str | None = None) -> dict[str, Any]:
    mark = EPHEMERAL if ttl is None else {**EPHEMERAL, "ttl": ttl}
    return {"type": "text", "text": text, "cache_control": mark}


def turns(*texts: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for text in texts:
        made += [{"role": "user", "content": [marked(text)]}, {"role": "assistant", "content": "x"}]
    return [*made[:-1]]


MARKED = claude(*turns("a", "b", "c"), system=[marked("S")])


@pytest.mark.parametrize(("target", "model", "word"), [
    ("anthropic", "claude-opus-5", "cache_control"), ("bedrock-converse", None, "cachePoint"),
    ("openrouter", "anthropic/claude-opus-5-5", "cache_control"),
    ("dashscope", "qwen3-max", "cache_control"),
    ("dashscope/openai-chat", "qwen3-max", "cache_control"),
])  # fmt: skip
def test_case_7_marks_go_where_they_are_known(target: str, model: str, word: str) -> None:
    body, losses = converted("anthropic", target, MARKED, model)
    assert json.dumps(body).count(word) == 4
    assert losses == []


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "gemini", "mistral"])
def test_case_7_elsewhere_each_is_named(target: str) -> None:
    body, losses = converted("anthropic", target, MARKED)
    assert "cache" not in json.dumps(body)
    assert losses == [("cache.unsaid", f"{where}.cache_control") for where in (
        "$.system[0]", "$.messages[0].content[0]", "$.messages[2].content[0]",
        "$.messages[4].content[0]")]  # fmt: skip


@pytest.mark.parametrize(("target", "model", "word"), [
    ("anthropic", None, "cache_control"), ("bedrock-converse", None, "cachePoint"),
])  # fmt: skip
def test_case_7_no_more_than_four_and_the_last_stay(target: str, model: str, word: str) -> None:
    parts = [{"type": "text", "text": text, "cache_control": EPHEMERAL} for text in "abcdef"]
    told = {"model": "anthropic/claude-opus-5-5", "messages": [{"role": "user", "content": parts}]}
    body, losses = converted("openrouter", target, told, model)
    assert json.dumps(body).count(word) == 4
    assert [where for code, where in losses if code == "cache.limit"] == [
        "$.messages[0].content[0].cache_control", "$.messages[0].content[1].cache_control",
    ]  # fmt: skip


def test_case_7_marks_of_bedrock_are_those_of_claude() -> None:
    told = converse({"role": "user", "content": [
        {"text": "a"}, {"cachePoint": {"type": "default"}}, {"text": "b"}]},
        system=[{"text": "S"}, {"cachePoint": {"type": "default", "ttl": "1h"}}])  # fmt: skip
    body, losses = converted("bedrock-converse", "anthropic", told)
    assert body["system"] == [marked("S", "1h")]
    assert body["messages"][0]["content"] == [marked("a"), {"type": "text", "text": "b"}]
    assert losses == []


@pytest.mark.parametrize(("target", "word", "losses"), [
    ("anthropic", "code_execution", []), ("gemini", "codeExecution", []),
    ("openai-chat", "", [("server_tool.unsaid", "$.tools[0]")]),
])  # fmt: skip
def test_tools_of_the_provider(target: str, word: str, losses: list[Any]) -> None:
    told = responses(HI, tools=[{"type": "code_interpreter", "container": {"type": "auto"}}])
    body, lost = converted("openai-responses", target, told)
    assert word in json.dumps(body)
    assert [one for one in lost if not one[1].startswith("$.tools[0].")] == losses


def test_case_24_content_beside_calls_as_each_wire_has_it() -> None:
    told = chat(HI, calls(("a", "look", "{}")), result("a"))
    for target, content in (("openai-chat", None), ("mistral", ""), ("ollama", ""),
                            ("dashscope", "")):  # fmt: skip
        body, _ = converted("openai-chat", target, told)
        messages = body.get("messages") or body["input"]["messages"]
        assert messages[1]["content"] == content


def test_case_21_content_is_text_where_lists_are_refused() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    told = chat({"role": "system", "content": parts}, {"role": "user", "content": parts},
                calls(("a", "look", "{}")), result("a", parts))  # fmt: skip
    body, losses = converted("openai-chat", "deepseek", told, "deepseek-flash")
    assert all(type(m["content"]) is str for m in body["messages"])
    assert losses == []


FOUND: list[dict[str, Any]] = [
    {"type": "document", "title": "notes", "source": {
        "type": "text", "media_type": "text/plain", "data": "The notes."}},
    {"type": "document", "source": {"type": "content", "content": [
        {"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]}},
    {"type": "search_result", "source": "https://e.org", "title": "E", "content": [
        {"type": "text", "text": "It says."}]},
]  # fmt: skip


@pytest.mark.parametrize("target", ["openai-chat", "mistral", "ollama", "cohere", "dashscope"])
@pytest.mark.parametrize("in_result", [False, True])
def test_plain_text_of_documents_and_searches_is_told(target: str, in_result: bool) -> None:
    asked = claude({"role": "user", "content": [*FOUND, {"type": "text", "text": "So?"}]})
    told = answered(*FOUND) if in_result else asked
    body, losses = converted("anthropic", target, told)
    said = json.dumps(body)
    for text in ("notes\n\nThe notes.", "One.\n\nTwo.", "E, https://e.org\n\nIt says."):
        assert json.dumps(text)[1:-1] in said
    where = "$.messages[2].content[0].content" if in_result else "$.messages[0].content"
    assert [path for code, path in losses if code == "media.as_text"] == [
        f"{where}[{n}]" for n in range(3)
    ]
    back, losses = converted("anthropic", "anthropic", told, "claude-opus-5")
    assert back["messages"] == told["messages"]
    assert "media.as_text" not in [code for code, _ in losses]


def test_case_13g_a_url_of_a_text_is_none_that_claude_fetches() -> None:
    part = {"type": "input_file", "file_url": "https://e.org/a.txt"}
    body, losses = converted("openai-responses", "anthropic",
                             responses({"role": "user", "content": [part]}))  # fmt: skip
    assert "https://e.org/a.txt" in body["messages"][0]["content"]
    assert ("media.not_fetched", "$.input[0].content[0]") in losses
