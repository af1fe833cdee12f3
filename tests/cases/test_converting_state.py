"""Cases of what only one provider can read, on its way through another's wire and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import Msg, WriteError
from dragoman.sealed_state import Envelope
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

from .converting import HI, calls, chat, claude, converted, function, gemini, responses, result

HELLO = {"role": "user", "parts": [{"text": "Hi"}]}
SERVER_STATE = [
    ("openai-responses", responses(HI, previous_response_id="resp_1"), "previous_response_id"),
    ("openai-responses", responses(HI, conversation="conv_1"), "conversation"),
    ("openai-responses", responses(HI, prompt={"id": "pmpt_1"}), "prompt"),
    ("gemini", gemini(HELLO, cachedContent="cachedContents/1"), "cachedContent"),
    ("gemini", gemini(HELLO, cached_content="cachedContents/1"), "cached_content"),
    ("gemini", gemini(HELLO, continuationToken="abc="), "continuationToken"),
    ("gemini", gemini(HELLO, continuation_token="abc="), "continuation_token"),
    ("anthropic", claude(HI, thread={"type": "continue", "id": "thr_1"}), "thread"),
    ("anthropic", claude(HI, container="container_1"), "container"),
    ("anthropic", claude(HI, container={"id": "container_1", "skills": []}), "container"),
    ("openai-responses", responses({"type": "item_reference", "id": "msg_1"}, HI), "input[0]"),
]
ELSEWHERE = ["openai-chat", "cohere", "mistral", "bedrock-converse", "ollama", "dashscope"]


@each_case("target", ELSEWHERE)
@each_case(("source", "told", "field"), SERVER_STATE)
def test_what_a_server_keeps_is_refused_on_other_wires(
    source: str, told: dict[str, Any], field: str, target: str
) -> None:
    with pytest.raises(WriteError) as caught:
        dragoman.convert(told, source, target, model="m")
    assert (caught.value.code, caught.value.path) == ("state.server_side", f"$.{field}")
    assert caught.value.hint
    assert dragoman.convert(told, source, source, policy="ignore").body == told


@pytest.mark.parametrize(("source", "told", "field"), SERVER_STATE[:3])
def test_what_a_server_keeps_is_refused_at_hosts_that_keep_nothing(
    source: str, told: dict[str, Any], field: str
) -> None:
    with pytest.raises(WriteError) as caught:
        dragoman.convert(told, source, "deepseek/openai-responses", model="deepseek-flash")
    assert (caught.value.code, caught.value.path) == ("state.server_side", f"$.{field}")
    # but where somebody may keep it, it goes there
    out = dragoman.convert(told, source, "azure/openai-responses", model="gpt-5.5")
    assert out.body[field] == told[field]


@pytest.mark.parametrize(("source", "told", "where"), [
    ("openai-responses", responses(HI, store=True), "$.store"),
    ("anthropic", claude(HI, container={"skills": [{"type": "custom"}]}), "$.container"),
    ("anthropic", claude({"role": "user", "content": [
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        {"type": "text", "text": "Look"}]}), "$.messages[0].content[0]"),
    ("gemini", gemini({"role": "user", "parts": [
        {"fileData": {"mimeType": "image/png", "fileUri": FILE}}, {"text": "Look"}]}),
     "$.contents[0].parts[0]"),
] if (FILE := "https://generativelanguage.googleapis.com/v1beta/files/abc") else [])  # fmt: skip
def test_what_a_server_keeps_beside_the_history_is_named(
    source: str, told: dict[str, Any], where: str
) -> None:
    _, losses = converted(source, "ollama", told)
    assert [path for _, path in losses if path.startswith(where)]


COMPACTED = {"role": "assistant", "content": [
    {"type": "compaction", "content": "The summary."}, {"type": "text", "text": "Yes."},
]}  # fmt: skip
EDITS = {"edits": [{"type": "clear_tool_uses_20250919"}]}
GO_ON = {"role": "user", "content": "Go on"}


def test_compaction_of_claude_is_kept_there_and_text_elsewhere() -> None:
    told = claude(HI, COMPACTED, GO_ON, context_management=EDITS)
    home = dragoman.wire("anthropic", policy="ignore")
    req = home.read_request(told)
    req.messages += [Msg.assistant("It is."), Msg.user("Thanks.")]
    body = home.write_request(req).body
    assert body["messages"][:3] == told["messages"]
    assert body["context_management"] == EDITS
    for target in ("openai-chat", "openai-responses", "gemini", "bedrock-converse"):
        body, losses = converted("anthropic", target, told)
        assert "The summary." in json.dumps(body)
        assert ("media.as_text", "$.messages[1].content[0]") in losses
        assert any(where.startswith("$.context_management") for _, where in losses)


def test_compaction_of_responses_is_kept_there_and_named_elsewhere() -> None:
    item = {"type": "compaction", "id": "cmp_1", "encrypted_content": "c2Vj"}
    rules = [{"type": "compaction", "compact_threshold": 1000}]
    told = responses(HI, item, GO_ON, context_management=rules)
    home = dragoman.wire("openai-responses", policy="ignore")
    req = home.read_request(told)
    req.messages.append(Msg.assistant("It is."))
    body = home.write_request(req).body
    assert body["input"][:3] == told["input"]
    assert body["context_management"] == rules
    for target in ("anthropic", "gemini", "openai-chat"):
        body, losses = converted("openai-responses", target, told)
        assert "c2Vj" not in json.dumps(body)
        assert {("summary.sealed", "$.input[1]"), ("extras.other_provider",
            "$.context_management")} <= {
            *losses}  # fmt: skip


SEARCHED = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
        {"type": "web_search_result", "url": "https://e.org", "title": "E",
         "encrypted_content": "c2Vj"}]},
]  # fmt: skip


def test_case_13g_what_the_server_did_goes_back_paired_or_not_at_all() -> None:
    said = {"role": "assistant", "content": [*SEARCHED, {"type": "text", "text": "Found."}]}
    told = claude(HI, said, GO_ON, tools=[{"type": "web_search_20250305", "name": "web_search"}])
    # another model: composed, and both stay
    body, losses = converted("anthropic", "anthropic", told, "claude-opus-5")
    assert body["messages"][1]["content"] == said["content"]
    assert losses == []
    # and elsewhere neither
    body, losses = converted("anthropic", "openai-responses", told)
    assert "srvtoolu_1" not in json.dumps(body)
    assert [where for code, where in losses if code == "raw.other_provider"] == [
        "$.messages[1].content[0]", "$.messages[1].content[1]",
    ]  # fmt: skip


def test_case_13g_a_call_of_the_server_without_its_result_goes_too() -> None:
    said = {"role": "assistant", "content": [*SEARCHED, {"type": "text", "text": "Found."}]}
    home = dragoman.wire("anthropic", policy="ignore")
    req = home.read_request(claude(HI, said, GO_ON))
    req.messages[1] = Msg("", [req.messages[1].blocks[0], *req.messages[1].blocks[2:]], "assistant")
    out = home.write_request(req)
    assert "srvtoolu_1" not in json.dumps(out.body)
    assert [(loss.kind, loss.code, loss.where) for loss in out.losses] == [
        ("repaired", "raw.unpaired", "$.messages[1].content[0]")
    ]


SECRETS = {
    "gemini": ({"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
        {"functionCall": {"id": "f1", "name": "look", "args": {}}, "thoughtSignature": "c2ln"},
    ]}}]}, "gemini-3.5-flash"),
    "anthropic": ({"id": "msg_1", "type": "message", "role": "assistant",
                   "model": "claude-opus-5-5", "stop_reason": "tool_use", "stop_sequence": None,
                   "usage": {"input_tokens": 1, "output_tokens": 1}, "content": [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "tool_use", "id": "f1", "name": "look", "input": {}}]}, "claude-opus-5-5"),
    "deepseek": ({"id": "c1", "object": "chat.completion", "model": "deepseek-flash", "created": 1,
                  "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": "", "reasoning_content": "c2ln", "tool_calls": [
            {"id": "f1", "type": "function", "function": {"name": "look", "arguments": "{}"}},
        ]}}]}, "deepseek-flash"),
}  # fmt: skip


def history(client: str, answer: dict[str, Any]) -> dict[str, Any]:
    """What a client says next: its answer as it got it, and the result of the call."""
    if client == "openai-chat":
        return chat(HI, answer["choices"][0]["message"], result("f1"))
    if client == "openai-responses":
        back = {"type": "function_call_output", "call_id": "f1", "output": "seen"}
        return responses(HI, *answer["output"], back)
    if client == "anthropic":
        seen = {"type": "tool_result", "tool_use_id": "f1", "content": "seen"}
        said = {"role": "assistant", "content": answer["content"]}
        return claude(HI, said, {"role": "user", "content": [seen]})
    heard = {"functionResponse": {"id": "f1", "name": "look", "response": {"output": "seen"}}}
    return gemini(HELLO, answer["candidates"][0]["content"], {"role": "user", "parts": [heard]})


CLIENTS = ["openai-chat", "openai-responses", "anthropic", "gemini"]
THROUGH = [(there, here) for there in sorted(SECRETS) for here in CLIENTS if there != here]


@each_case(("provider", "client"), THROUGH)
@each_case("sealing", [Envelope(), Envelope(b"secret")])
def test_case_43_state_comes_back_through_a_client_of_another_wire(
    provider: str, client: str, sealing: Envelope
) -> None:
    """What a gateway does that keeps nothing: cases 36, 43 and 50."""
    answer, model = SECRETS[provider]
    there, here = (dragoman.wire(name, policy="ignore") for name in (provider, client))
    body = here.write_response(there.read_response(answer), envelope=sealing).body
    sent = json.loads(json.dumps(history(client, body)))
    back = here.read_request(sent, envelope=sealing)
    assert "c2ln" in json.dumps(there.write_request(back, model=model).body)
    # and with another key it is not opened
    shut = here.read_request(sent, envelope=Envelope(b"other"))
    if provider != "deepseek":  # whose thinking is no secret
        assert "c2ln" not in json.dumps(there.write_request(shut, model=model).body)


@pytest.mark.parametrize("target", [name for name in PROTOCOLS if name != "openai-chat"])
def test_case_50_no_state_of_another_provider_is_invented(target: str) -> None:
    told = chat(HI, calls(("a", "look", "{}")), result("a"))
    body, losses = converted("openai-chat", target, told)
    assert ("thoughtSignature" in json.dumps(body)) == (
        ("call.bypass", "$.messages[1].tool_calls[0]") in losses
    )
    assert '"signature"' not in json.dumps(body)


@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock-converse"])
def test_case_18_names_of_an_answer_are_those_of_the_client(target: str) -> None:
    long = "server/" + "x" * 70
    told = chat(HI, tools=[function(long)])
    wire = dragoman.wire(target, policy="ignore")
    out = dragoman.convert(told, "openai-chat", wire, model=wire.room.model, policy="ignore")
    (spelled,) = out.names
    called = dragoman.ChatRequest([Msg.user("Hi")], tools=[dragoman.Tool(long)])
    made = wire.write_response(dragoman.message.ChatResponse([dragoman.message.Candidate(
        Msg("", [dragoman.message.ToolUseBlock("a", spelled, {})], "assistant"))]))  # fmt: skip
    assert [call.name for call in wire.read_response(made.body, request=out).calls] == [long]
    assert [call.name for call in wire.read_response(made.body, request=called).calls] == [long]
