"""Document 002: the formatter apart from the model, and the contract between them."""

from __future__ import annotations

import asyncio
import inspect
import socket
from typing import Any

import pytest

from dragoman import ChatRequest, Formatter, InvalidMessage, ServerTool, Tool, wire, wires
from dragoman.formatter import AnthropicChatFormatter, OpenAIChatFormatter, WireFormatter
from dragoman.model import ChatModel
from dragoman.testing import Scripted
from dragoman.vendors import PROTOCOLS, VENDORS, vendor
from tests.each_case import each_case

from .weather import WEATHER, asked, called


@pytest.mark.demand("S164")
@pytest.mark.parametrize("stream", [True, False])
def test_messages_tools_and_the_streaming_flag_come_out_together(stream: bool) -> None:
    formatter = OpenAIChatFormatter()
    assert [*inspect.signature(formatter.call).parameters] == ["msgs", "tools", "stream"]
    assert asyncio.run(formatter.call(asked(), [WEATHER], stream)) == (
        [
            {"role": "system", "content": [{"type": "text", "text": "You are Friday."}]},
            {"role": "user", "content": [{"type": "text", "text": "How is Beijing?"}]},
        ],
        [
            {
                "type": "function",
                "function": {
                    "name": "get_weather",
                    "description": "Get weather for a city",
                    "parameters": WEATHER.schema,
                },
            }
        ],
        stream,
    )


@pytest.mark.demand("S164")
def test_without_tools_there_are_no_schemas() -> None:
    written, schemas, flag = asyncio.run(AnthropicChatFormatter().call(asked()))
    assert (len(written), schemas, flag) == (2, None, False)


HOSTS = (
    "openai", "openai/openai-responses", "anthropic", "gemini", "gemini/gemini-interactions",
    "dashscope", "ollama", "deepseek", "bedrock", "mistral", "cohere",
)  # fmt: skip


@pytest.mark.demand("S155", "S164", "S165", "S167", "S168")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("host", HOSTS)
def test_a_model_takes_what_its_formatter_gives(
    host: str, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages, schemas and the flag; what comes back is an answer, or its parts."""
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    script = Scripted("Sunny.")
    model = ChatModel(host, "m", "none", transport=script)
    now = Tool("now", "the time", {"type": "object", "properties": {}})

    async def answer() -> Any:
        messages, schemas, flag = await Formatter(host).call(asked(), [WEATHER, now], stream)
        given = await model(messages, tools=schemas, stream=flag)
        return [part async for part in given][-1] if stream else given

    assert asyncio.run(answer()).text == "Sunny."
    tools = [tool for tool in script.requests[0].tools if isinstance(tool, Tool)]
    assert [tool.name for tool in tools] == ["get_weather", "now"]
    assert tools[0].schema == WEATHER.schema


@pytest.mark.demand("S167")
def test_tools_that_a_provider_runs_itself_stay_what_the_formatter_wrote() -> None:
    written = []
    for host in ("openai/openai-responses", "anthropic", "gemini"):
        schemas = Formatter(host).format_tools([ServerTool("web_search")])
        out = ChatModel(host, "m", "none").request(Formatter(host).format_sync(asked()), schemas)
        assert out.body["tools"] == schemas
        written += schemas
    assert written == [
        {"type": "web_search"},
        {"type": "web_search_20250305", "name": "web_search"},
        {"googleSearch": {}},
    ]


@pytest.mark.demand("S167")
@each_case("host", HOSTS)
@each_case("tool", [{}, {"parameters": {}}])
def test_a_function_without_a_name_is_refused(host: str, tool: dict[str, Any]) -> None:
    model = ChatModel(host, "m", "none")
    with pytest.raises(InvalidMessage, match="a tool needs a name"):
        model.request(Formatter(host).format_sync(asked()), [tool])


@pytest.mark.demand("S150", "S153")
def test_formatting_needs_no_http(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*args: Any) -> None:
        raise AssertionError("formatting reached for the network")

    monkeypatch.setattr(socket.socket, "connect", connect)
    formatted = asyncio.run(OpenAIChatFormatter().format(called()))
    assert formatted[0]["role"] == "system"


@pytest.mark.demand("S149")
def test_formats_and_vendors_add_up() -> None:
    """N protocols and M vendors: every vendor is a row that names rooms, none brings its own."""
    rooms = {name: type(wire(name).room) for name in PROTOCOLS}
    assert len(set(rooms.values())) == len(PROTOCOLS)
    for name in VENDORS:
        for protocol in vendor(name).wires:
            assert type(wire(f"{name}/{protocol}").room) is rooms[protocol]
    assert set(wires()) == {*PROTOCOLS, *VENDORS}


@pytest.mark.demand("S149")
@pytest.mark.parametrize("host", ["openai", "deepseek", "vllm"])
def test_one_class_formats_for_every_vendor_of_its_protocol(host: str) -> None:
    formatter = Formatter(host)
    assert type(formatter) is Formatter
    assert isinstance(formatter, WireFormatter)
    body = formatter.format_request(ChatRequest(called(), tools=[WEATHER])).body
    assert [message["role"] for message in body["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
