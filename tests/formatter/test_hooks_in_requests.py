"""Overridden hooks write the messages of whole requests too, on every wire, and in an agent."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman.formatter
import dragoman.model
from dragoman import ChatRequest, Msg, ReActAgent
from dragoman.testing import Scripted
from tests.each_case import each_case

from .test_hooks import HOOKS, MSGS, spy

NAMES = (
    "OpenAIChatFormatter", "OpenAIMultiAgentFormatter", "OpenAIResponseChatFormatter",
    "AnthropicChatFormatter", "AnthropicMultiAgentFormatter", "GeminiChatFormatter",
    "GeminiMultiAgentFormatter", "DashScopeChatFormatter", "DashScopeMultiAgentFormatter",
    "DeepSeekChatFormatter", "OllamaChatFormatter", "OllamaMultiAgentFormatter",
)  # fmt: skip
MODELS = {
    "OpenAIChatFormatter": "OpenAIChatModel", "AnthropicChatFormatter": "AnthropicChatModel",
    "GeminiChatFormatter": "GeminiChatModel", "DashScopeChatFormatter": "DashScopeChatModel",
    "DeepSeekChatFormatter": "DeepSeekChatModel", "OllamaChatFormatter": "OllamaChatModel",
}  # fmt: skip


@each_case("hook", HOOKS)
@each_case("name", NAMES)
def test_a_hook_that_calls_its_default_changes_no_request(name: str, hook: str) -> None:
    kind = getattr(dragoman.formatter, name)
    own, calls = spy(kind, hook)
    request = ChatRequest([*MSGS])
    assert own.format_request(request).body == kind(policy="ignore").format_request(request).body
    assert calls
    with_prompt = ChatRequest(MSGS[1:], system="Be brief.", memories="It rains.")
    plain = kind(policy="ignore").format_request(with_prompt).body
    assert own.format_request(with_prompt).body == plain


@pytest.mark.parametrize("name", MODELS)
def test_an_agent_writes_with_the_hooks_of_its_formatter(name: str) -> None:
    kind = getattr(dragoman.formatter, name)

    async def marked(self: Any, msgs: list[Msg], is_first: bool = True) -> Any:
        loud = [Msg(m.name, f"{m.text}!", m.role) for m in msgs]
        return await kind._format_agent_message(self, loud, is_first)

    own = type("Own", (kind,), {"_format_agent_message": marked})
    script = Scripted("Fine.")
    model = getattr(dragoman.model, MODELS[name])
    key = {} if name.startswith("Ollama") else {"api_key": "k"}
    agent = ReActAgent("Friday", "Be brief.", model("m", stream=False, transport=script, **key),
                       own())  # fmt: skip
    reply = agent.run(Msg.user("How are you?", "Tony"))
    assert reply.msg is not None
    assert reply.msg.text == "Fine."
    body = json.dumps(json.loads(script.calls[0].body))
    assert "How are you?!" in body
    assert "Be brief." in body
