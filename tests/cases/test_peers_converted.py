"""Inputs that break other converters, as bodies of one wire for another: T1 to T15."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman.vendors import PROTOCOLS

from .converting import (
    HI,
    OBJECT,
    calls,
    chat,
    claude,
    converted,
    function,
    gemini,
    responses,
    result,
)

HELLO = {"role": "user", "parts": [{"text": "Hi"}]}


def declared(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False)


def schema_of(body: dict[str, Any]) -> Any:
    """The parameters of the only tool, wherever a wire has them."""
    found = [one for one in walk(body) if isinstance(one, dict) and one.get("type") == "object"
             and "properties" in one]  # fmt: skip
    return found[0]


def walk(value: Any) -> Any:
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        yield from walk(one)


def test_t1_a_pdf_of_chat_is_a_document_of_claude() -> None:
    data = "data:application/pdf;base64,JVBERi0="
    part = {"type": "file", "file": {"filename": "a.pdf", "file_data": data}}
    body, losses = converted("openai-chat", "anthropic", chat({"role": "user", "content": [part]}))
    source = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
    assert body["messages"][0]["content"] == [
        {"type": "document", "source": source, "title": "a.pdf"}
    ]
    assert losses == []


@pytest.mark.parametrize("target", PROTOCOLS)
def test_t2_properties_named_like_keywords(target: str) -> None:
    text = {"type": "string"}
    schema = {**OBJECT, "properties": {"ref": text, "examples": text},
              "required": ["ref", "examples"]}  # fmt: skip
    body, losses = converted("openai-chat", target, chat(HI, tools=[function(schema=schema)]))
    assert schema_of(body) == schema
    assert losses == []


@pytest.mark.parametrize("target", PROTOCOLS)
def test_t3_a_union_and_a_constant(target: str) -> None:
    union = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    schema = {"type": "object", "properties": {"a": union, "b": {"const": "A"}}}
    body, losses = converted("openai-chat", target, chat(HI, tools=[function(schema=schema)]))
    made = schema_of(body)["properties"]
    assert made["a"] == union
    where = "$.tools[0].function.parameters.properties.b.const"
    restated = made["b"] == {"enum": ["A"]} and losses == [("schema.restated", where)]
    assert restated or (made["b"] == {"const": "A"} and losses == [])


THOUGHT = {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"},
    {"type": "text", "text": "Yes."},
]}  # fmt: skip
WHY = {"role": "user", "content": "Why?"}
REASONED: list[dict[str, Any]] = [
    HI,
    {"type": "reasoning", "id": "rs_1", "encrypted_content": "c2VhbGVk",
     "summary": [{"type": "summary_text", "text": "hm"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]},
    WHY,
]  # fmt: skip


@pytest.mark.parametrize("target", ["openai-responses", "openai-chat", "gemini", "mistral"])
def test_t4_a_signature_of_claude_goes_nowhere_else(target: str) -> None:
    body, losses = converted("anthropic", target, claude(HI, THOUGHT, WHY))
    assert "c2lnbmVk" not in declared(body)
    assert [where for _, where in losses] == ["$.messages[1].content[0]"]
    assert losses[0][0] in ("thinking.other_provider", "thinking.unsupported")


def test_t4_what_responses_sealed_does_not_become_a_signature() -> None:
    body, losses = converted("openai-responses", "anthropic", responses(*REASONED))
    assert "c2VhbGVk" not in declared(body)
    assert ("thinking.other_provider", "$.input[1]") in losses


def test_t4_there_and_back_each_has_its_own_again() -> None:
    home, away = dragoman.wire("anthropic", policy="ignore"), dragoman.wire("openai-responses")
    told = claude(HI, THOUGHT, WHY)
    out = away.write_request(home.read_request(told), model="gpt-5.5")
    back = away.read_request(out.body, residue=out.residue)
    assert home.write_request(back, "claude-opus-5-5").body["messages"] == told["messages"]


def test_t5_a_result_of_gemini_is_no_empty_text() -> None:
    told = gemini(
        HELLO,
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "look", "response": {"a": 1}}}]},
    )  # fmt: skip
    body, losses = converted("gemini", "openai-chat", told)
    assert body["messages"][2] == {"role": "tool", "tool_call_id": "call_1", "content": '{"a": 1}'}
    assert losses == []
    body, _ = converted("gemini", "bedrock-converse", told)
    assert body["messages"][2]["content"][0]["toolResult"]["content"] == [{"json": {"a": 1}}]
    body, losses = converted("gemini", "anthropic", told)
    assert body["messages"][2]["content"][0]["content"] == [{"type": "text", "text": '{"a": 1}'}]


@pytest.mark.parametrize("target", PROTOCOLS)
def test_t6_a_developer_and_a_system_message(target: str) -> None:
    told = chat({"role": "developer", "content": "First."},
                {"role": "system", "content": "Second."}, HI)  # fmt: skip
    body, losses = converted("openai-chat", target, told)
    text = declared(body)
    assert text.count("First.") == text.count("Second.") == 1
    assert text.index("First.") < text.index("Second.")
    assert ("developer" in text) == (target in ("openai-chat", "openai-responses"))
    assert losses == []


@pytest.mark.parametrize("target", PROTOCOLS)
def test_t7_a_system_message_in_the_middle_stays_in_its_place(target: str) -> None:
    late = {"role": "system", "content": "Now briefly."}
    told = chat({"role": "system", "content": "First."}, HI, {"role": "assistant", "content": "Yo"},
                late, {"role": "user", "content": "And?"})  # fmt: skip
    body, losses = converted("openai-chat", target, told)
    text = declared(body)
    assert text.index("Yo") < text.index("Now briefly.") < text.index("And?")
    assert {where for code, where in losses if code == "system.late"} <= {"$.messages[3]"}
    assert ("<system-reminder>" in text) == (("system.late", "$.messages[3]") in losses)


@pytest.mark.parametrize("target", [name for name in PROTOCOLS if name != "gemini"])
def test_t8_a_thought_of_gemini_is_not_said_aloud(target: str) -> None:
    said = {"role": "model", "parts": [{"text": "secret", "thought": True}, {"text": "Yes."}]}
    told = gemini(HELLO, said, {"role": "user", "parts": [{"text": "Why?"}]})
    body, losses = converted("gemini", target, told)
    assert "secret" not in declared(body)
    assert [where for _, where in losses] == ["$.contents[1].parts[0]"]


def test_t9_what_chat_cannot_say_of_claude_is_named() -> None:
    told = claude(
        {"role": "user", "content": [
            {"type": "text", "text": "Read"},
            {"type": "document",
             "source": {"type": "text", "media_type": "text/plain", "data": "hello"}}]},
        {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
             "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "broke",
             "is_error": True}]},
    )  # fmt: skip
    body, losses = converted("anthropic", "openai-chat", told)
    named = [where for _, where in losses]
    assert any("$.messages[0].content[1]".startswith(w) or w.startswith("$.messages[0].content[1]")
               for w in named)  # fmt: skip
    assert ("raw.other_provider", "$.messages[1].content[0]") in losses
    assert ("raw.other_provider", "$.messages[1].content[1]") in losses
    assert ("result.error_as_text", "$.messages[2].content[0].is_error") in losses
    assert body["messages"][2]["content"] == "Error: broke"


def test_t10_no_tool_is_invented_for_a_history_of_calls() -> None:
    told = chat(HI, calls(("call_1", "look", "{}")), result(), {"role": "user", "content": "So?"})
    body, losses = converted("openai-chat", "anthropic", told)
    assert "tools" not in body
    assert losses == []
    # where the API demands a declaration, it is that of the tool which was called, and said
    body, losses = converted("openai-chat", "bedrock-converse", told)
    names = [tool["toolSpec"]["name"] for tool in body["toolConfig"]["tools"]]
    assert names == ["look"]
    assert ("tools.stub", "$.tools") in losses


@pytest.mark.parametrize("target", PROTOCOLS)
def test_t13_text_beside_a_call_stays(target: str) -> None:
    spoken = calls(("call_1", "look", "{}"), content="Let me look.")
    body, losses = converted("openai-chat", target, chat(HI, spoken, result()))
    assert declared(body).count("Let me look.") == 1
    assert {code for code, _ in losses} <= {"call.bypass", "id.mapped", "tools.stub"}


@pytest.mark.parametrize("target", PROTOCOLS)
def test_t14_properties_of_properties(target: str) -> None:
    inner = {**OBJECT, "properties": {"deep": {"type": "integer"}}, "required": ["deep"]}
    schema = {"type": "object", "properties": {"outer": inner}}
    body, losses = converted("openai-chat", target, chat(HI, tools=[function(schema=schema)]))
    assert schema_of(body) == schema
    assert losses == []


@pytest.mark.parametrize("target", PROTOCOLS)
def test_t15_the_choice_none_is_said_or_no_tool_offered(target: str) -> None:
    told = chat(HI, tools=[function()], tool_choice="none")
    body, losses = converted("openai-chat", target, told)
    if target in ("ollama", "bedrock-converse"):
        assert "look" not in declared(body)
        assert losses == [("tools.withheld", "$.tool_choice"), ("tools.withheld", "$.tools[0]")]
    else:
        assert any(one in ("none", "NONE") for one in walk(body))
        assert losses == []
