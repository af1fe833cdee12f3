"""The classes of models: AgentScope's arguments, and one class for every vendor."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman.model
from dragoman import ChatRequest, ConfigError, Formatter, InvalidMessage, Msg, Tool
from dragoman.message import ServerTool
from dragoman.model import (
    AnthropicChatModel,
    ChatModel,
    DashScopeChatModel,
    GeminiChatModel,
    OllamaChatModel,
    OpenAIChatModel,
    OpenAIResponseModel,
)
from dragoman.model.named import NAMED, vendor_model
from dragoman.testing import Scripted
from dragoman.vendors import PROTOCOLS, VENDORS, vendor
from tests.each_case import each_case

DICTS = [{"role": "user", "content": "Hi"}]


def sent(model: ChatModel, messages: Any = DICTS, **options: Any) -> dict[str, Any]:
    body: dict[str, Any] = model.request(messages, **options).body
    return body


def test_the_arguments_of_agentscope() -> None:
    one = OpenAIChatModel("gpt-5.6", "k", True, "high", "org", generate_kwargs={"seed": 7})
    assert sent(one)["reasoning_effort"] == "high"
    assert one.connection.headers == {"OpenAI-Organization": "org"}
    assert one.stream
    two = OpenAIResponseModel("gpt-5.6", "k", reasoning_effort="low", reasoning_summary="auto")
    assert sent(two)["reasoning"] == {"effort": "low", "summary": "auto"}
    three = AnthropicChatModel(
        "claude-haiku-4-5", "k", 4096, thinking={"type": "enabled", "budget_tokens": 1024}
    )
    body = sent(three)
    assert (body["max_tokens"], body["thinking"]["budget_tokens"]) == (4096, 1024)
    four = DashScopeChatModel("qwen3-max", "k", enable_thinking=True)
    assert sent(four, stream=True)["parameters"]["enable_thinking"] is True
    five = GeminiChatModel("gemini-2.5-flash", "k", thinking_config={"thinkingBudget": 9})
    contents = [{"role": "user", "parts": [{"text": "Hi"}]}]
    assert sent(five, contents)["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 9}
    six = OllamaChatModel("qwen3", options={"num_ctx": 9}, host="http://gpu:11434")
    assert (sent(six)["options"], sent(six)["keep_alive"]) == ({"num_ctx": 9}, "5m")
    assert six.connection.base_url == "http://gpu:11434"


def test_client_kwargs_take_what_both_sides_know() -> None:
    one = OpenAIChatModel(
        "m", "k", client_kwargs={"base_url": "http://here/v1", "timeout": 9, "max_retries": 0}
    )
    assert one.connection.base_url == "http://here/v1"
    assert (one.endpoint.timeouts.total, one.endpoint.retries.attempts) == (9, 1)
    with pytest.raises(ConfigError, match="http_client") as caught:
        OpenAIChatModel("m", "k", client_kwargs={"http_client": None})
    assert caught.value.path == "$.client_kwargs.http_client"


def test_azure_is_a_client_type() -> None:
    one = OpenAIChatModel("d", "k", client_type="azure", client_kwargs={"base_url": "http://x"})
    assert one.wire.name == "azure/openai-chat"


@each_case("name", VENDORS)
def test_every_vendor_has_a_class(name: str) -> None:
    hosts = {kind.host.partition("/")[0] for kind in NAMED.values()}  # type: ignore[attr-defined]
    title = f"{vendor(name).title or name.capitalize()}ChatModel"
    kind = vendor_model(title)
    assert (kind is not None) != (name in hosts)
    if kind is not None:
        assert kind.host == name
        assert kind("m", "k").wire.room.protocol == next(iter(vendor(name).wires))
        assert getattr(dragoman.model, title) is kind is vendor_model(title)


@pytest.mark.parametrize("name", ["XaiChatModel", "BedrockmantleChatModel", "OpenaiChatModel"])
def test_the_row_spells_the_name_of_the_class(name: str) -> None:
    assert vendor_model(name) is None
    assert vendor_model("XAIChatModel") is not None


def test_a_vendors_class_asks_its_host() -> None:
    kind = vendor_model("MistralChatModel")
    assert kind is not None
    script = Scripted("Bonjour.")
    assert kind("mistral-large-latest", "k", transport=script).sync(DICTS).text == "Bonjour."
    assert script.calls[0].url == "https://api.mistral.ai/v1/chat/completions"
    assert json.loads(script.calls[0].body)["model"] == "mistral-large-latest"


def test_a_class_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="NobodyChatModel"):
        _ = dragoman.model.NobodyChatModel
    assert vendor_model("NobodyChatModel") is None


def test_a_type_is_asked_for_by_an_llm() -> None:
    with pytest.raises(ConfigError, match="response_format"):
        OpenAIChatModel("m", "k").request(DICTS, structured_model=dict)


HOSTS = {"bedrock-converse": "bedrock", "gemini-interactions": "gemini/gemini-interactions",
         "openai-chat": "openai/openai-chat", "openai-responses": "openai"}  # fmt: skip
NOW = Tool("now", "The time", {"type": "object", "properties": {"zone": {"type": "string"}}})


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_model_takes_the_tools_that_formatters_write_for_its_wire(protocol: str) -> None:
    model = ChatModel(HOSTS.get(protocol, protocol), "m", "none")
    formatter = Formatter(model.wire, policy="ignore")
    tools: list[Any] = [NOW, Tool("later", "", {"type": "object", "properties": {}})]
    searches = protocol in ("anthropic", "gemini-interactions", "openai-responses")
    tools += [ServerTool("web_search")] if searches else []
    declared = formatter.format_tools(tools)
    wanted = model.wire.write_request(ChatRequest([Msg.user("Hi")], tools=tools), model="m").body
    messages = formatter.format_sync([Msg.user("Hi")])
    assert sent(model, messages, tools=declared) == wanted
    assert sent(model, messages, tools=[*tools[:1], *formatter.format_tools(tools[1:])]) == wanted


def test_gemini_search_is_taken_as_written_and_a_cache_point_stays_behind_its_tool() -> None:
    gemini = ChatModel("gemini", "m", "none")
    search: list[dict[str, Any]] = [{"googleSearch": {}}]
    assert (
        sent(gemini, [{"role": "user", "parts": [{"text": "Hi"}]}], tools=search)["tools"] == search
    )
    bedrock = ChatModel("bedrock", "anthropic.claude-opus-4-6-v1", "none")
    tools = [*Formatter("bedrock").format_tools([NOW]), {"cachePoint": {"type": "default"}}]
    body = sent(bedrock, [{"role": "user", "content": [{"text": "Hi"}]}], tools=tools)
    assert body["toolConfig"]["tools"] == tools


@pytest.mark.parametrize("tool", [{}, {"description": "The time"}, {"type": "function"}])
def test_a_tool_without_a_name_is_refused(tool: dict[str, Any]) -> None:
    with pytest.raises(InvalidMessage, match="a tool needs a name"):
        sent(ChatModel("gemini", "m", "none"), [], tools=[tool])
