"""The generic Formatter: any wire by name, requests in, and hooks inside a whole request."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import dragoman
from dragoman import ByName, ChatRequest, Msg, Tagged, Tool
from dragoman.formatter import AnthropicChatFormatter, OpenAIChatFormatter
from dragoman.history.system_prompt import SystemPrompt
from dragoman.message import Base64Source, ImageBlock, TextBlock, ThinkingBlock, URLSource
from tests.each_case import each_case

WIRES = dragoman.wires()
MSGS = [
    Msg.system("Be."),
    Msg("Bob", "Hi."),
    Msg("Friday", "Hello.", "assistant"),
    Msg("Al", "So?"),
]


@each_case("name", WIRES)
def test_by_name_by_wire_and_by_vendor(name: str) -> None:
    wire = dragoman.wire(name)
    formatter = dragoman.Formatter(name, policy="ignore")
    assert formatter.format_sync(MSGS) == dragoman.Formatter(wire).format_sync(MSGS)
    if wire.vendor and next(iter(wire.vendor.wires)) == wire.room.protocol:
        assert formatter.format_sync(MSGS) == dragoman.Formatter(wire.vendor).format_sync(MSGS)
    assert asyncio.run(formatter.format(MSGS)) == formatter.write(MSGS).messages
    again = pickle.loads(pickle.dumps(formatter))
    assert again.format_sync(MSGS) == formatter.format_sync(MSGS)
    assert repr(formatter) == f"Formatter({name!r})"


@each_case("name", WIRES)
def test_a_request_is_a_list_with_a_prompt(name: str) -> None:
    formatter = dragoman.Formatter(name, policy="ignore")
    req = ChatRequest(MSGS[1:], system="Be.", memories="Likes tea.")
    text = str(formatter.format_sync(req))
    assert text.index("Be.") < text.index("Likes tea.") < text.index("So?")
    assert asyncio.run(formatter.format(req)) == formatter.format_sync(req)


def test_the_agent_of_a_request_is_the_assistant() -> None:
    formatter = dragoman.Formatter("openai-chat", speakers=Tagged())
    req = ChatRequest(MSGS[1:], agent_name="Bob")
    roles = [m["role"] for m in formatter.format_sync(req)]
    assert roles == ["assistant", "user", "user"]
    assert [m["role"] for m in asyncio.run(formatter.format(req))] == roles
    assert [m["role"] for m in formatter.format_request(req).body["messages"]] == roles
    assert [m["role"] for m in formatter.format_sync(MSGS[1:])] == ["user", "user", "user"]


def test_overrides() -> None:
    image: Any = ImageBlock(URLSource("https://example.com/a.png"))
    seen = dragoman.Formatter("openai-chat", policy="ignore").write([Msg.user([image])])
    assert "image_url" in str(seen.messages)
    blind = dragoman.Formatter("openai-chat", can={"image": False}, policy="ignore")
    assert [loss.code for loss in blind.write([Msg.user([image])]).losses] == ["block.unsupported"]
    asked: list[Any] = []

    def fetch(source: Any, path: str) -> Base64Source:
        asked.append((source.url, path))
        return Base64Source("image/png", "iVBORw0KGgo=")

    strict = dragoman.Formatter("openai-chat", can={"base64_only": ["image"]}, fetch=fetch)
    assert "data:image/png;base64,iVBORw0KGgo=" in str(strict.format_sync([Msg.user([image])]))
    assert asked == [("https://example.com/a.png", "$.messages[0].content[0].source")]
    thoughts = [Msg.user("x"), Msg.assistant([ThinkingBlock("hm"), TextBlock("y")])]
    keeps = dragoman.Formatter("openai-chat", can={"thinking": True})
    assert keeps.format_sync(thoughts)[1]["reasoning_content"] == "hm"


def test_media_that_a_result_may_show_by_an_override() -> None:
    from dragoman.message import ToolResultBlock, ToolUseBlock

    image: Any = ImageBlock(URLSource("https://example.com/a.png"))
    msgs = [Msg.assistant([ToolUseBlock("c", "f")]),
            Msg("", [ToolResultBlock("c", "f", [TextBlock("x"), image])], "tool")]  # fmt: skip
    formatter = dragoman.Formatter("vllm", can={"image": ("user", "result")}, policy="ignore")
    assert formatter.format_sync(msgs)[1]["content"] == [
        {"type": "text", "text": "x"},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
    ]


def test_a_prompt_that_describes_tools_where_none_are_taken() -> None:
    prompt = SystemPrompt(describe_tools="unsupported", tools_heading="\nTools:\n")
    req = ChatRequest([Msg.user("x")], system="Be.", tools=[Tool("look", "at it")], model="m")
    mute = dragoman.Formatter("openai-chat", prompt=prompt, can={"tools": False}, policy="ignore")
    body = mute.format_request(req).body
    assert body["messages"][0]["content"] == "Be.\nTools:\n- look: at it\n"
    assert "tools" not in body
    loud = dragoman.Formatter("openai-chat", prompt=prompt)
    assert loud.format_request(req).body["messages"][0]["content"] == "Be."


def test_a_list_inserts_the_turns_that_the_wire_demands() -> None:
    generic = dragoman.Formatter("anthropic", policy="ignore").format_sync(MSGS[2:3])
    assert [m["role"] for m in generic] == ["user", "assistant", "user"]
    named = AnthropicChatFormatter(policy="ignore").format_sync(MSGS[2:3])
    assert [m["role"] for m in named] == ["assistant"], "AgentScope's classes add none"


def test_an_overridden_hook_formats_the_request_too() -> None:
    class Own(OpenAIChatFormatter):
        async def _format_agent_message(self, msgs: list[Msg], is_first: bool = True) -> Any:
            return [{"role": "user", "content": "|".join(m.text for m in msgs)}]

    out = Own(policy="ignore").format_request(ChatRequest(MSGS, tools=[Tool("look")], model="m"))
    assert out.body["messages"][-1]["content"] == "Hi.|Hello.|So?"
    assert out.body["tools"]


def test_a_hook_formats_a_request_whose_prompt_stands_apart() -> None:
    class Own(AnthropicChatFormatter):
        async def _format_agent_message(self, msgs: list[Msg], is_first: bool = True) -> Any:
            return [{"role": "user", "content": "|".join(m.text for m in msgs)}]

        async def _format_system_message(self, msg: Msg) -> Any:
            return {"role": "system", "content": [{"type": "text", "text": f"{msg.text}!"}]}

    body = Own(policy="ignore").format_request(ChatRequest(MSGS, system="Be.")).body
    assert body["messages"][-1]["content"].endswith("So?")
    assert "Be.!" in str(body["system"])


def test_whoever_speaks_the_request_is_taken_by_its_judge() -> None:
    from tests.laws.judging import request_faults

    for name in WIRES:
        for speakers in (ByName(), Tagged("Friday")):
            formatter = dragoman.Formatter(name, speakers=speakers, policy="ignore")
            out = formatter.format_request(ChatRequest(MSGS))
            assert request_faults(formatter.wire, out) == [], name
