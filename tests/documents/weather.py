"""What most tests of the documents talk about: the weather tool, a question, a call, its result."""

from __future__ import annotations

from dragoman.message import (
    ImageBlock,
    Msg,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    Written,
)
from dragoman.vendors import vendor

__all__ = ["FOUR", "PICTURE", "WEATHER", "address", "asked", "called", "looked", "thought"]

FOUR = ("dashscope", "openai-chat", "anthropic", "gemini")  # the wires of documents 000 and 004
PICTURE = "https://example.com/sky.png"

WEATHER = Tool(
    "get_weather",
    "Get weather for a city",
    {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "City name"}},
        "required": ["city"],
    },
)


def asked(text: str = "How is Beijing?") -> list[Msg]:
    """A system prompt and a question."""
    return [Msg.system("You are Friday."), Msg.user(text)]


def called() -> list[Msg]:
    """The same, a tool call, and its result."""
    call = ToolUseBlock(id="call_1", name="get_weather", input={"city": "Beijing"})
    result = ToolResultBlock(id="call_1", name="get_weather", output="Sunny.")
    return [*asked(), Msg.assistant([call]), Msg("system", [result], "system")]


def looked() -> list[Msg]:
    """A question about a picture."""
    return [Msg.user([TextBlock("What is this?"), ImageBlock(URLSource(PICTURE))])]


def thought() -> list[Msg]:
    """A turn in which Claude thought, then called."""
    call = ToolUseBlock(id="call_1", name="get_weather", input={"city": "Beijing"})
    turn = [ThinkingBlock("Look outside.", signature="c2ln"), TextBlock("One moment."), call]
    return [*asked(), Msg.assistant(turn), Msg.tool("call_1", "Sunny.", "get_weather")]


def address(wire: str, written: Written) -> str:
    """The URL that a request of a wire is posted to."""
    return vendor("openai" if wire == "openai-chat" else wire).base_url + written.path
