"""JSON as the format of the answer: told in words where the host demands it, or knows no schema."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import convert, wire
from dragoman.message import ChatRequest, Msg, ResponseFormat, TextBlock, Tool, Written
from tests.each_case import each_case

SCHEMA = {"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"]}
JSON = ResponseFormat("json")
# (host, a model that takes any JSON, one that takes no schema)
DEMANDING = [("openai", "gpt-5.6"), ("azure", "gpt-5.6"), ("deepseek", "deepseek-flash"),
             ("groq", "llama-3.3-70b-versatile"), ("dashscope", "qwen3.7-plus"),
             ("dashscope/openai-chat", "qwen-turbo")]  # fmt: skip
NO_SCHEMA = [("deepseek", "deepseek-flash"), ("groq", "llama-3.3-70b-versatile"),
             ("dashscope/openai-chat", "qwen-turbo"), ("zhipu", "glm-5.2")]  # fmt: skip


def written(host: str, model: str, form: ResponseFormat, *msgs: Msg) -> Written:
    listed = list(msgs) or [Msg.user("How warm is it?")]
    request = ChatRequest(listed, response_format=form, model=model)
    return wire(host, policy="ignore").write_request(request)


def said(sent: Written) -> list[dict[str, Any]]:
    body = sent.body.get("input", sent.body)
    messages: list[dict[str, Any]] = body["messages"]
    return messages


@pytest.mark.parametrize(("host", "model"), DEMANDING)
def test_a_sentence_asks_for_json_where_no_message_does(host: str, model: str) -> None:
    sent = written(host, model, JSON)
    assert said(sent)[0]["content"] in ("Answer in JSON.", [{"text": "Answer in JSON."}])
    assert [(loss.code, loss.where) for loss in sent.losses] == [
        ("format.json_word", "$.response_format")
    ]


@each_case(("host", "model"), DEMANDING)
@each_case("msg", [
    Msg.user("Give me json."), Msg("", "As JSON.", "system"),
    Msg("", [TextBlock("Give me Json.")], "user"),
])  # fmt: skip
def test_who_speaks_of_json_is_left_alone(host: str, model: str, msg: Msg) -> None:
    sent = written(host, model, JSON, msg, Msg.user("Now."))
    assert "Answer in JSON." not in str(said(sent))
    assert sent.losses == []


@pytest.mark.parametrize("host", ["mistral", "moonshot", "openai-responses", "vllm"])
def test_hosts_that_demand_no_word_get_none(host: str) -> None:
    sent = wire(host, policy="ignore").write_request(
        ChatRequest([Msg.user("Hi.")], response_format=JSON)
    )
    assert "format.json_word" not in {loss.code for loss in sent.losses}
    assert "Answer in JSON" not in str(sent.body)


@pytest.mark.parametrize(("host", "model"), NO_SCHEMA)
def test_a_schema_that_becomes_any_json_is_told_in_words(host: str, model: str) -> None:
    form = ResponseFormat("schema", SCHEMA)
    sent = written(host, model, form, Msg("", "Be brief.", "system"), Msg.user("How warm?"))
    assert sent.body["response_format"] == {"type": "json_object"}
    prompt = said(sent)[0]["content"]
    assert prompt.startswith("Be brief.\n\nAnswer in JSON that fits this JSON Schema:\n{")
    assert '"degrees"' in prompt
    codes = [loss.code for loss in sent.losses]
    assert sorted(codes) == ["format.in_words", "format.lowered"]


def test_the_prompt_may_be_of_blocks_or_come_from_a_field() -> None:
    form = ResponseFormat("schema", SCHEMA)
    blocks = Msg("", [TextBlock("Be brief.")], "system")
    sent = written("deepseek", "deepseek-flash", form, blocks, Msg.user("How warm?"))
    assert said(sent)[0]["content"].startswith("Be brief.\n")
    request = ChatRequest([Msg.user("How warm?")], system="Be kind.", response_format=form)
    sent = wire("deepseek", policy="ignore").write_request(request)
    assert said(sent)[0]["content"].startswith("Be kind.\n\nAnswer in JSON")
    assert blocks.content == [TextBlock("Be brief.")], "what the caller gave is not changed"


def test_a_schema_that_the_host_takes_is_not_told_again() -> None:
    sent = written("openai", "gpt-5.6", ResponseFormat("schema", SCHEMA))
    assert said(sent) == [{"role": "user", "content": "How warm is it?"}]


def test_over_another_wire() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "How warm?"}]}],
            "generationConfig": {"responseMimeType": "application/json"}}  # fmt: skip
    sent = convert(body, "gemini", "openai", model="gpt-5.6", policy="ignore")
    assert said(sent)[0]["content"] == "Answer in JSON."
    home = wire("openai", policy="ignore")
    again = {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi."}],
             "response_format": {"type": "json_object"}}  # fmt: skip
    assert home.write_request(home.read_request(again)).body == again, "equal over its own wire"


def test_gemini_2_has_its_tools_and_is_asked_for_the_format_in_words() -> None:
    tool, form = Tool("look"), ResponseFormat("schema", SCHEMA)
    request = ChatRequest([Msg.user("How warm?")], tools=[tool], response_format=form)
    gemini = wire("gemini", policy="ignore")
    sent = gemini.write_request(request, "gemini-2.5-pro")
    assert "responseMimeType" not in str(sent.body)
    assert sent.body["tools"] == [{"functionDeclarations": [{"name": "look"}]}]
    (part,) = sent.body["systemInstruction"]["parts"]
    assert part["text"].startswith("Answer in JSON that fits this JSON Schema:\n{")
    assert {loss.code for loss in sent.losses} == {"format.in_words", "format.unsupported"}
    newer = gemini.write_request(request, "gemini-3.6-flash")
    assert newer.body["generationConfig"]["responseMimeType"] == "application/json"
    request.tools = []
    alone = gemini.write_request(request, "gemini-2.5-pro")
    assert alone.body["generationConfig"]["responseMimeType"] == "application/json"
    assert "systemInstruction" not in alone.body


# hosts and models that have no field for any format of the answer
WORDS_ALONE = [("minimax", "MiniMax-M3"), ("bedrock", "us.amazon.nova-2-lite-v1:0"),
               ("anthropic", "claude-sonnet-4-20250514")]  # fmt: skip


@pytest.mark.parametrize(("host", "model"), WORDS_ALONE)
def test_a_host_without_formats_is_told_the_schema(host: str, model: str) -> None:
    sent = written(host, model, ResponseFormat("schema", SCHEMA))
    assert "Answer in JSON that fits this JSON Schema" in str(sent.body)
    assert "degrees" in str(sent.body)
    losses = [(loss.kind, loss.code) for loss in sent.losses if loss.code.startswith("format")]
    assert losses == [("added", "format.in_words"), ("degraded", "format.unsupported")]


def test_any_json_is_asked_for_in_words_unless_a_message_does() -> None:
    assert "Answer in JSON." in str(written("anthropic", "claude-opus-5-5", JSON).body)
    body = written("anthropic", "claude-opus-5-5", JSON, Msg.user("Give me JSON.")).body
    assert "system" not in body
