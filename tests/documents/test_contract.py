"""Document 002: the formatter apart from the model, and the contract between them."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from dragoman import ChatRequest, Formatter, wire, wires
from dragoman.formatter import AnthropicChatFormatter, OpenAIChatFormatter, WireFormatter
from dragoman.vendors import PROTOCOLS, VENDORS, vendor

from .weather import WEATHER, asked, called


@pytest.mark.demand("S164")
@pytest.mark.parametrize("stream", [True, False])
def test_messages_tools_and_the_streaming_flag_come_out_together(stream: bool) -> None:
    formatter = OpenAIChatFormatter()
    written, schemas, flag = asyncio.run(formatter.call(asked(), [WEATHER], stream))
    assert written == formatter.format_sync(asked())
    assert schemas == formatter.format_tools([WEATHER])
    assert flag is stream


@pytest.mark.demand("S164")
def test_without_tools_there_are_no_schemas() -> None:
    written, schemas, flag = asyncio.run(AnthropicChatFormatter().call(asked()))
    assert (len(written), schemas, flag) == (2, None, False)


@pytest.mark.demand("S150")
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
