"""What the tests of the toolkit talk about: the weather in Beijing."""

from __future__ import annotations

from typing import Any

from dragoman.message import (
    Base64Source,
    ImageBlock,
    Msg,
    Parameter,
    TextBlock,
    Tool,
    ToolUseBlock,
    URLSource,
)

__all__ = ["WEATHER", "WEATHER_JSON", "asked", "called", "jpeg", "pictured"]

WEATHER = Tool(
    "get_weather",
    "Get weather for a location",
    [Parameter("location", "string", "City name", required=True, enum=["Beijing", "Shanghai"])],
)
WEATHER_JSON: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get weather for a location",
        "parameters": {
            "type": "object",
            "properties": {
                "location": {
                    "type": "string",
                    "description": "City name",
                    "enum": ["Beijing", "Shanghai"],
                }
            },
            "required": ["location"],
        },
    },
}


def asked(*tools: Tool) -> list[Msg]:
    """A question; with tools attached to it if there are any."""
    return [Msg.user("How is Beijing?", metadata={"tools": list(tools)} if tools else None)]


def called(text: str) -> list[Msg]:
    """A turn that says something and calls a tool, and the tool's answer."""
    call = ToolUseBlock(id="call_123", name="get_weather", input={"location": "Beijing"})
    return [
        *asked(),
        Msg.assistant([TextBlock(text), call]),
        Msg.tool("call_123", "Sunny.", "get_weather"),
    ]


def pictured(url: str = "https://example.com/cat.jpg") -> list[Msg]:
    """A question about a picture that has an address."""
    return [Msg.user([TextBlock("Describe this image"), ImageBlock(URLSource(url))])]


def jpeg(source: object, path: str) -> Base64Source:
    """A network that holds one picture."""
    assert isinstance(source, URLSource)
    return Base64Source("image/jpeg", "/9j/4A==")
