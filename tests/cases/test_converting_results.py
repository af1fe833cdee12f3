"""Cases of calls and their results on the way between wires."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman.vendors import PROTOCOLS

from .converting import HI, calls, chat, claude, converse, converted, gemini, result

HELLO = {"role": "user", "parts": [{"text": "Hi"}]}
ASKED = {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]}
GO_ON = {"role": "user", "content": "So?"}
USED = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": 1}}
FAILED = {
    "openai-chat": ('"Error: broke"', "result.error_as_text"),
    "openai-responses": ('"Error: broke"', "result.error_as_text"),
    "anthropic": ('"is_error": true', ""),
    "gemini": ('"error": "broke"', ""),
    "gemini-interactions": ('"is_error": true', ""),
    "dashscope": ('"Error: broke"', "result.error_as_text"),
    "ollama": ('"Error: broke"', "result.error_as_text"),
    "bedrock-converse": ('"status": "error"', ""),
    "mistral": ('"Error: broke"', "result.error_as_text"),
    "cohere": ('"Error: broke"', "result.error_as_text"),
}


def heard(name: str, response: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"functionResponse": {"name": name, "response": response}}]}


def test_case_35f_parts_of_claude_in_a_body_of_chat_are_calls_and_results() -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "a"}, USED]}
    back = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "seen"}
    told = chat(HI, said, {"role": "user", "content": [back]}, GO_ON)
    body, losses = converted("openai-chat", "openai-chat", told)
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"at": 1}'
    assert body["messages"][2] == {"role": "tool", "tool_call_id": "toolu_1", "content": "seen"}
    assert losses == []
    body, losses = converted("openai-chat", "anthropic", told)
    assert body["messages"][1]["content"][1] == USED
    assert losses == []
    assert dragoman.convert(told, "openai-chat", "openai-chat").body == told


@pytest.mark.parametrize("given", [{"arguments": None}, {"arguments": {"at": 1}}, {}])
def test_case_66_arguments_of_any_form_are_a_call(given: Any) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "look", **given}}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    told = chat(HI, said, result("a"))
    body, losses = converted("openai-chat", "anthropic", told)
    assert body["messages"][1]["content"][0]["input"] == (given.get("arguments") or {})
    assert losses == []
    assert dragoman.convert(told, "openai-chat", "openai-chat").body == told


@pytest.mark.parametrize("target", PROTOCOLS)
def test_case_35g_a_failed_result_fails_everywhere(target: str) -> None:
    call = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {}}}
    back = {"toolResult": {"toolUseId": "t1", "content": [{"text": "broke"}], "status": "error"}}
    told = converse({"role": "user", "content": [{"text": "Hi"}]},
                    {"role": "assistant", "content": [call]},
                    {"role": "user", "content": [back]})  # fmt: skip
    body, losses = converted("bedrock-converse", target, told)
    text, code = FAILED[target]
    assert text in json.dumps(body)
    where = "$.messages[2].content[0].toolResult.status"
    assert ((code or "result.error_as_text", where) in losses) == bool(code)


@pytest.mark.parametrize("source", ["anthropic", "gemini"])
def test_case_35g_the_flag_is_read_where_there_is_one(source: str) -> None:
    if source == "gemini":
        told = gemini(HELLO, ASKED, heard("look", {"error": "broke"}))
    else:
        back = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "broke",
                "is_error": True}  # fmt: skip
        told = claude(HI, {"role": "assistant", "content": [USED]},
                      {"role": "user", "content": [back]})  # fmt: skip
    body, _ = converted(source, "bedrock-converse", told)
    assert body["messages"][2]["content"][0]["toolResult"]["status"] == "error"


def test_case_41_ids_of_kimi_go_back_to_it_as_they_are() -> None:
    told = chat(HI, calls(("functions.look:3", "look", "{}")), result("functions.look:3"))
    body, losses = converted("openai-chat", "moonshot", told, "kimi-k2-thinking")
    assert body["messages"][1]["tool_calls"][0]["id"] == "functions.look:3"
    assert body["messages"][2]["tool_call_id"] == "functions.look:3"
    assert losses == []


def test_case_41_ids_of_others_are_respelled_for_k2() -> None:
    told = claude(HI, {"role": "assistant", "content": [USED]}, {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "s"}]})  # fmt: skip
    body, _ = converted("anthropic", "moonshot", told, "kimi-k2-thinking")
    assert body["messages"][1]["tool_calls"][0]["id"] == "functions.look:0"
    assert body["messages"][2]["tool_call_id"] == "functions.look:0"


def test_case_45_a_history_begins_with_the_user_and_calls_follow_results() -> None:
    told = chat(calls(("a", "look", "{}")), result("a"), {"role": "assistant", "content": "x"},
                calls(("b", "look", "{}")), result("b"))  # fmt: skip
    body, losses = converted("openai-chat", "gemini", told)
    assert [m["role"] for m in body["contents"]] == ["user", "model", "user", "model", "user"]
    assert ("turn.first", "$.messages[0]") in losses
    assert ("turn.joined", "$.messages[2]") in losses


def test_case_47_results_without_ids_find_their_calls_in_order() -> None:
    both = {"role": "model", "parts": [
        {"functionCall": {"name": "look", "args": {"at": at}}} for at in (1, 2)]}  # fmt: skip
    back = {
        "role": "user",
        "parts": [{"functionResponse": {"name": "look", "response": {"saw": at}}} for at in (1, 2)],
    }
    body, losses = converted("gemini", "openai-chat", gemini(HELLO, both, back))
    sent = [one["id"] for one in body["messages"][1]["tool_calls"]]
    assert len(set(sent)) == 2
    assert [(m["tool_call_id"], m["content"]) for m in body["messages"][2:]] == [
        (sent[0], '{"saw": 1}'), (sent[1], '{"saw": 2}'),
    ]  # fmt: skip
    assert losses == []


def test_case_47_a_result_has_the_name_of_its_call() -> None:
    body, _ = converted("openai-chat", "gemini", chat(HI, calls(("a", "look", "{}")), result("a")))
    assert body["contents"][2]["parts"][0]["functionResponse"]["name"] == "look"


@pytest.mark.parametrize(("content", "response"), [
    ("ok", {"output": "ok"}),
    ("[1, 2]", {"output": "[1, 2]"}),
    ("null", {"output": "null"}),
    ('{"a": 1}', {"output": '{"a": 1}'}),
    ([{"type": "text", "text": "ok"}], {"output": "ok"}),
])  # fmt: skip
def test_case_51_a_response_is_an_object(content: Any, response: Any) -> None:
    told = chat(HI, calls(("a", "look", "{}")), result("a", content))
    body, _ = converted("openai-chat", "gemini", told)
    assert body["contents"][2]["parts"][0]["functionResponse"]["response"] == response


@pytest.mark.parametrize("key", ["output", "error"])
def test_the_output_that_gemini_was_told_is_the_text(key: str) -> None:
    """Or exact edits fail: escaped as JSON, no line of it is what stands in the file."""
    text = 'say "draft"\nline\t2\n'
    told = gemini(HELLO, ASKED, heard("look", {key: text}))
    body, _ = converted("gemini", "openai-chat", told)
    assert body["messages"][2]["content"].endswith(text)
    body, _ = converted("gemini", "anthropic", told)
    (block,) = body["messages"][2]["content"]
    said = block["content"]
    assert (said if isinstance(said, str) else said[0]["text"]) == text
    assert block.get("is_error", False) is (key == "error")
    request = dragoman.wire("gemini").read_request(told)
    assert dragoman.wire("gemini").write_request(request).body == told


@pytest.mark.parametrize("response", [
    {"output": {"a": 1}}, {"output": "seen", "more": 1}, {"result": [1]}, {"a": {"b": None}}, {},
])  # fmt: skip
def test_case_51_what_gemini_answered_is_not_unwrapped(response: Any) -> None:
    body, _ = converted("gemini", "bedrock-converse", gemini(HELLO, ASKED, heard("look", response)))
    assert body["messages"][2]["content"][0]["toolResult"]["content"] == [{"json": response}]
    body, _ = converted("gemini", "openai-chat", gemini(HELLO, ASKED, heard("look", response)))
    assert json.loads(body["messages"][2]["content"]) == response


def test_case_57_ids_of_others_have_nine_characters_on_mistral() -> None:
    told = chat(HI, calls(("call_PTLP8xhu", "look", "{}")), result("call_PTLP8xhu"), GO_ON)
    body, losses = converted("openai-chat", "mistral", told)
    sent = body["messages"][1]["tool_calls"][0]["id"]
    assert len(sent) == 9
    assert sent.isalnum()
    assert body["messages"][2]["tool_call_id"] == sent
    assert losses == [("id.mapped", "$.messages[1].tool_calls[0].id"),
                      ("id.mapped", "$.messages[2].tool_call_id")]  # fmt: skip


def test_case_64_families_where_text_and_tools_share_no_turn() -> None:
    told = chat(HI, calls(("a", "look", "{}"), content="Let me see."), result("a"), GO_ON)
    body, losses = converted("openai-chat", "bedrock-converse", told,
                             "meta.llama4-scout-17b-instruct-v1:0")  # fmt: skip
    kinds = [{key for block in m["content"] for key in block} for m in body["messages"]]
    assert all(len(kind) == 1 for kind in kinds)
    assert ("call.text_dropped", "$.messages[1].content") in losses
    assert ("turn.bridged", "$.messages[3]") in losses


def test_case_65a_no_more_results_than_calls() -> None:
    told = chat(HI, calls(("a", "look", "{}")), result("a"), result("a"), result("zz"))
    body, losses = converted("openai-chat", "bedrock-converse", told)
    assert [len(m["content"]) for m in body["messages"]] == [1, 1, 1]
    assert ("result.duplicate", "$.messages[3]") in losses
    assert ("result.orphan", "$.messages[4]") in losses


@pytest.mark.parametrize("text", ["[1]", "1", "null", '"x"'])
def test_case_65b_json_that_is_no_object_is_text(text: str) -> None:
    told = chat(HI, calls(("a", "look", "{}")), result("a", text))
    body, _ = converted("openai-chat", "bedrock-converse", told)
    assert body["messages"][2]["content"][0]["toolResult"]["content"] == [{"text": text}]


@pytest.mark.parametrize("model", ["us.amazon.nova-pro-v1:0", "us.anthropic.claude-sonnet-4-6"])
def test_case_65c_a_conversation_starts_with_a_user(model: str) -> None:
    told = chat({"role": "system", "content": "S"}, {"role": "assistant", "content": "Hi"}, GO_ON)
    body, losses = converted("openai-chat", "bedrock-converse", told, model=model)
    claude = "claude" in model  # which lets the assistant begin
    assert [m["role"] for m in body["messages"]] == ["user", "assistant", "user"][claude:]
    assert losses == ([] if claude else [("turn.first", "$.messages[1]")])


def test_case_65d_documents_have_plain_names_of_their_own_and_a_text() -> None:
    file = {
        "filename": "Reiseplan: v2 für.pdf",
        "file_data": "data:application/pdf;base64,JVBERi0=",
    }
    part = {"type": "file", "file": file}
    told = chat({"role": "user", "content": [part, part]})
    body, losses = converted("openai-chat", "bedrock-converse", told)
    text, *documents = body["messages"][0]["content"]
    assert text["text"]
    assert [one["document"]["name"] for one in documents] == [
        "Reiseplan v2 fur",
        "Reiseplan v2 fur (2)",
    ]
    assert ("document.text", "$.messages[0].content[0]") in losses
    assert ("document_name.mapped", "$.messages[0].content[0].file.filename") in losses


@pytest.mark.parametrize("failed", [True, False])
def test_case_65e_the_status_of_a_result_is_its_own(failed: bool) -> None:
    back = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "s", "is_error": failed}
    told = claude(HI, {"role": "assistant", "content": [USED]}, {"role": "user", "content": [back]})
    body, _ = converted("anthropic", "bedrock-converse", told)
    made = body["messages"][2]["content"][0]["toolResult"]
    assert (made.get("status") == "error") == failed


def test_case_66_arguments_are_text_here_and_an_object_there() -> None:
    told = {"model": "qwen3", "messages": [
        HI, {"role": "assistant", "content": "", "tool_calls": [
            {"function": {"name": "look", "arguments": {"at": 1}}}]},
        {"role": "tool", "tool_name": "look", "content": "seen"}]}  # fmt: skip
    body, _ = converted("ollama", "openai-chat", told)
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"at": 1}'
    assert body["messages"][2]["tool_call_id"] == body["messages"][1]["tool_calls"][0]["id"]
    body, _ = converted("openai-chat", "ollama", body)
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"at": 1}
    assert body["messages"][2]["tool_name"] == "look"
