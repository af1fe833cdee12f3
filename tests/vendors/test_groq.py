"""Groq: what its page calls unsupported is left out, and named."""

from __future__ import annotations

from dragoman import Msg
from dragoman.message import (
    ResponseFormat,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from tests.vendors.asking import IMAGE, called, codes, losses, said, wrote

OSS, QWEN = "openai/gpt-oss-120b", "qwen/qwen3-32b"
LLAMA = "meta-llama/llama-4-scout-17b-16e-instruct"
SCHEMA = ResponseFormat("schema", {"type": "object"})


def test_unsupported_options_and_names() -> None:
    given = {"logprobs": True, "top_logprobs": 2, "presence_penalty": 0.1,
             "frequency_penalty": 0.1, "n": 2, "seed": 1}  # fmt: skip
    out = wrote("groq", OSS, options=given)
    assert {key for key in given if key in out.body} == {"seed"}
    assert codes(out) == ["option.refused"] * 5
    assert losses(wrote("groq", OSS, Msg("Bob", "Hi."))) == [
        ("name.unsupported", "$.messages[0].name")
    ]


def test_texts_are_strings() -> None:
    """Case 21: "'messages.0.content' : value must be a string"."""
    two = [TextBlock("a"), TextBlock("b")]
    sent = said("groq", OSS, Msg.system(two), Msg.user(two), *called())
    contents = [m["content"] for m in sent if "content" in m]
    assert contents == ["a\nb", "a\nb", "What is it?", "ears\neyes"]
    assert "content" not in sent[3]  # beside calls


def test_thinking_goes_back_under_its_own_key() -> None:
    assert said("groq", QWEN, *called(ThinkingBlock("hm")))[1]["reasoning"] == "hm"


def test_efforts_by_model() -> None:
    high = {"reasoning": "high"}
    assert wrote("groq", OSS, options=high).body["reasoning_effort"] == "high"
    assert codes(wrote("groq", QWEN, options=high)) == ["option.range"]
    assert wrote("groq", QWEN, options={"reasoning": "off"}).body["reasoning_effort"] == "none"
    assert wrote("groq", "qwen/qwen3.8-27b", options=high).body["reasoning_effort"] == "high"


def test_models_that_see_know_schemas_and_run_tools() -> None:
    shown = Msg.user([TextBlock("?"), IMAGE])
    assert codes(wrote("groq", LLAMA, shown, response_format=SCHEMA)) == []
    assert codes(wrote("groq", "llama-3.3-70b-versatile", shown, response_format=SCHEMA)) == [
        "format.in_words", "block.unsupported", "format.lowered",
    ]  # fmt: skip
    tools = [ServerTool("web_search"), ServerTool("code_execution")]
    assert wrote("groq", OSS, tools=tools).body["tools"] == [
        {"type": "browser_search"}, {"type": "code_interpreter"},
    ]  # fmt: skip
    assert codes(wrote("groq", LLAMA, tools=tools)) == ["server_tool.unsupported"] * 2


def test_an_image_in_a_result_follows_where_the_model_sees() -> None:
    call = Msg("", [ToolUseBlock("a", "look", {})], "assistant")
    back = Msg("", [ToolResultBlock("a", "look", [IMAGE])], "tool")
    out = wrote("groq", LLAMA, Msg.user("?"), call, back)
    assert [m["role"] for m in out.body["messages"]] == ["user", "assistant", "tool", "user"]
    assert codes(out) == ["media.moved"]
    assert codes(wrote("groq", OSS, Msg.user("?"), call, back)) == ["media.as_reference"]
