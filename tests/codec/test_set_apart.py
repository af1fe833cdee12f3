"""Fields read over one protocol of a vendor are no fields of its other protocols."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.message import Written

MESSAGES = [{"role": "user", "content": "Hi"}]
NATIVE = {"model": "qwen-plus", "input": {"messages": MESSAGES},
          "parameters": {"result_format": "message", "temperature": 0.5}}  # fmt: skip
OLLAMA = {"model": "qwen3", "messages": MESSAGES, "stream": False, "keep_alive": "5m",
          "options": {"num_ctx": 99, "temperature": 0.5}}  # fmt: skip
CLAUDE: dict[str, Any] = {
    "model": "deepseek-flash", "max_tokens": 9, "context_management": {"edits": [{"type": "x"}]},
    "tools": [{"name": "look", "input_schema": {"type": "object"}, "input_examples": [{"a": 1}]},
              {"type": "advisor_20260301", "name": "advisor", "model": "m"}],
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi", "own": 1}]}],
}  # fmt: skip
CHAT = {"model": "deepseek-flash", "messages": MESSAGES, "max_tokens": 9, "logit_bias": {"1": 2}}

READ: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("dashscope", NATIVE, "openai-chat", ["$.parameters.result_format"]),
    ("dashscope", NATIVE, "anthropic", ["$.parameters.result_format"]),
    ("ollama", OLLAMA, "openai-chat", ["$.keep_alive", "$.options.num_ctx"]),
    ("ollama", OLLAMA, "anthropic", ["$.keep_alive", "$.options.num_ctx"]),
    ("deepseek/anthropic", CLAUDE, "openai-chat",
     ["$.context_management.edits", "$.messages[0].content[0].own", "$.tools[0].input_examples",
      "$.tools[1]"]),
    ("deepseek", CHAT, "anthropic", ['$.logit_bias["1"]']),
]  # fmt: skip


def conversion(source: str, body: dict[str, Any], protocol: str) -> tuple[str, Written]:
    target = f"{source.partition('/')[0]}/{protocol}"
    return target, dragoman.convert(body, source, target, policy="ignore")


@pytest.mark.parametrize(("source", "body", "protocol", "foreign"), READ)
def test_they_are_named_and_not_sent(
    source: str, body: dict[str, Any], protocol: str, foreign: list[str]
) -> None:
    _, out = conversion(source, body, protocol)
    named = [
        loss.where
        for loss in out.losses
        if loss.code in ("extras.other_provider", "tool.other_provider")
    ]
    assert sorted(named) == foreign
    plain = {"model", "messages", "max_tokens", "temperature", "tools", "stream", "stream_options"}
    assert out.body.keys() <= plain
    assert not any(key in str(out.body) for key in ("own", "examples", "advisor", "result_format"))


@pytest.mark.parametrize(("source", "body", "protocol", "foreign"), READ)
def test_the_residue_brings_them_home(
    source: str, body: dict[str, Any], protocol: str, foreign: list[str]
) -> None:
    target, out = conversion(source, body, protocol)
    back = dragoman.wire(target, policy="ignore").read_request(out.body, residue=out.residue)
    assert dragoman.wire(source, policy="ignore").write_request(back).body == body
    assert dragoman.wire(target, policy="ignore").write_request(back).body.keys() <= out.body.keys()


def test_what_a_program_says_to_the_vendor_is_for_each_protocol() -> None:
    request = dragoman.ChatRequest([dragoman.Msg.user("Hi")], extras={"dashscope": {"own": 1}})
    for protocol in ("dashscope", "openai-chat", "anthropic"):
        body = dragoman.wire(f"dashscope/{protocol}", policy="ignore").write_request(request).body
        assert body["own"] == 1


@pytest.mark.parametrize(("source", "field", "target"), [
    ("openai-chat", {"prediction": {"type": "content"}}, "openai-responses"),
    ("openai-responses", {"truncation": "auto"}, "openai-chat"),
])  # fmt: skip
def test_a_hosts_own_fields_are_for_both_of_openais_protocols(
    source: str, field: dict[str, Any], target: str
) -> None:
    first = {"openai-chat": "messages", "openai-responses": "input"}[source]
    body = {"model": "m", first: MESSAGES, "provider": {"sort": "price"}, **field}
    out = dragoman.convert(body, f"openrouter/{source}", f"openrouter/{target}", policy="ignore")
    assert out.body["provider"] == {"sort": "price"}
    assert out.body.keys().isdisjoint(field)
    assert any(loss.where.startswith(f"$.{next(iter(field))}") for loss in out.losses)
