"""Copies of Responses take functions: what only the API itself has is said by them, or is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman.message import Msg
from tests.each_case import each_case

COPIES = [
    "llamacpp",
    "vllm",
    "lmstudio",
    "sglang",
    "stepfun",
    "cloudflare",
    "ollama",
    "deepseek",
    "minimax",
    "huggingface",
    "bedrock-mantle",
    "dashscope",
]
OTHERS = ["openai-chat", "anthropic", "gemini", "ollama", "bedrock", "mistral"]
SEND = {"type": "function", "name": "send", "description": "Send a letter.", "strict": False,
        "parameters": {"type": "object", "properties": {"to": {"type": "string"}}}}  # fmt: skip
# as Codex 0.171 sends them
BODY: dict[str, Any] = {
    "model": "gpt-5.5",
    "store": False,
    "tools": [
        {"type": "function", "name": "exec", "parameters": {"type": "object", "properties": {}}},
        {"type": "image_generation", "output_format": "png"},
        {"type": "local_shell"},
        {"type": "tool_search", "execution": "client", "description": "Search.",
         "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}},
    ],
    "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
        {"type": "local_shell_call", "call_id": "c0", "status": "completed",
         "action": {"type": "exec", "command": ["ls"]}},
        {"type": "local_shell_call_output", "call_id": "c0", "output": "a.txt"},
        {"type": "tool_search_call", "call_id": "c1", "execution": "client",
         "status": "completed", "arguments": {"query": "mail"}},
        {"type": "tool_search_output", "call_id": "c1", "execution": "client",
         "status": "completed", "tools": [
            {"type": "namespace", "name": "mcp__mail", "description": "Mail.",
             "tools": [{**SEND, "defer_loading": True}]}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Now."}]},
    ],
}  # fmt: skip


@pytest.mark.parametrize("vendor", COPIES)
def test_a_copy_gets_functions_and_their_results_alone(vendor: str) -> None:
    out = dragoman.convert(BODY, "openai-responses", f"{vendor}/openai-responses", policy="ignore")
    kinds = [item.get("type", "message") for item in out.body["input"]]
    assert set(kinds) == {"message", "function_call", "function_call_output"}
    assert [tool["type"] for tool in out.body["tools"]] == ["function"] * 4
    calls = {item["call_id"]: item for item in out.body["input"] if "arguments" in item}
    assert json.loads(calls["c0"]["arguments"])["command"] == ["ls"]
    assert json.loads(calls["c1"]["arguments"]) == {"query": "mail"}
    lost = {(loss.code, loss.where) for loss in out.losses}
    assert {("tool.other_provider", "$.tools[1]")} <= lost
    assert {("tool.plain", f"$.tools[{i}]") for i in (2, 3)} <= lost
    assert {("call.plain", f"$.input[{i}]") for i in (1, 2, 3, 4)} <= lost


@each_case("name", [*(f"{one}/openai-responses" for one in COPIES), *OTHERS])
def test_what_a_search_found_is_offered(name: str) -> None:
    wire = dragoman.wire(name, policy="ignore")
    request = dragoman.wire("openai-responses").read_request(BODY)
    out = wire.write_request(request, model=wire.room.model)
    key = "toolConfig" if name == "bedrock" else "tools"
    offered = json.dumps(out.body[key])
    assert "mcp__mail__send" in offered
    assert "Send a letter." in offered
    assert "defer_loading" not in offered


# Sources: huggingface/responses.js, schemas.ts; Model Studio, Responses: `tools`; Bedrock user
# guide, Server-side tools; MiniMax docs, Create Response
TYPES = ["image_generation", "computer_use_preview", "mcp", "web_extractor"]
TAKEN = {"minimax": [], "huggingface": ["mcp"], "bedrock-mantle": ["mcp"],
         "dashscope": ["mcp", "web_extractor"]}  # fmt: skip


@pytest.mark.parametrize("vendor", TAKEN)
def test_a_host_with_some_tools_of_its_own_gets_those(vendor: str) -> None:
    tools = [{"type": kind, "server_label": kind} for kind in TYPES]
    body = {"model": "m", "input": "Go.", "tools": tools}
    out = dragoman.convert(body, "openai-responses", f"{vendor}/openai-responses", policy="ignore")
    assert [tool["type"] for tool in out.body.get("tools", [])] == TAKEN[vendor]
    lost = [loss.where for loss in out.losses if loss.code == "tool.other_provider"]
    wanted = [f"$.tools[{i}]" for i, kind in enumerate(TYPES) if kind not in TAKEN[vendor]]
    assert lost == wanted


@pytest.mark.parametrize("edited", [False, True])
def test_at_home_the_result_of_the_search_offers_them(edited: bool) -> None:
    wire = dragoman.wire("openai-responses")
    request = wire.read_request(BODY)
    assert [tool.name for tool in request.tools if tool.type == "function"] == ["exec", "send"]
    if edited:
        request.messages.append(Msg.user("And on."))
    out = wire.write_request(request)
    assert out.body["tools"] == BODY["tools"]
    assert out.body["input"][: len(BODY["input"])] == BODY["input"]
    assert out.losses == []


# llama.cpp: 400 "Output of tool call should be 'Input text'" (ggml-org/llama.cpp issue 23465)
@pytest.mark.parametrize("vendor", ["llamacpp", "huggingface", "dashscope"])
def test_an_image_in_a_result_follows_in_a_message_where_results_hold_text(vendor: str) -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
    result = [{"type": "input_text", "text": "a.png"}, image]
    body = {"model": "m", "input": [
        {"role": "user", "content": "Look."},
        {"type": "function_call", "call_id": "c", "name": "view_image", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": result}]}  # fmt: skip
    model = {"dashscope": "qwen3.7-plus"}.get(vendor, "m")
    out = dragoman.convert(
        body, "openai-responses", f"{vendor}/openai-responses", model=model, policy="ignore"
    )
    [answer] = [item for item in out.body["input"] if item.get("type") == "function_call_output"]
    assert "input_image" not in json.dumps(answer)
    assert "a.png" in json.dumps(answer)
    last = out.body["input"][-1]
    assert last["role"] == "user"
    assert image["image_url"] in json.dumps(last)
    assert ("media.moved", "$.input[2].output[1]") in {(loss.code, loss.where)
                                                       for loss in out.losses}  # fmt: skip
