"""Messages of AgentScope 1.x, judged by `Msg.from_dict`, its formatters and its agent."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agentscope.agent import ReActAgent
from agentscope.formatter import AnthropicChatFormatter, OpenAIChatFormatter
from agentscope.message import Msg as TheirMsg
from agentscope.model import ChatModelBase, ChatResponse

from dragoman import LLM, Msg
from dragoman.bridges import agentscope, find_bridge
from dragoman.bridges.agentscope import LIMITS, read_messages, write_messages
from dragoman.message import (
    Base64Source,
    CacheHint,
    Citation,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    LocalSource,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.testing import Scripted
from tests.bridges.conversations import CONVERSATIONS, PNG, one_call, split_results
from tests.bridges.law import Bridge, check_limits, join_results
from tests.each_case import each_case


def dumped(messages: list[Any]) -> list[Any]:
    """Messages as a program stores them."""
    return [json.loads(json.dumps(one.to_dict())) for one in messages]


def runnable(messages: Any) -> list[tuple[str, Any]]:
    """The calls whose input is not one that is wrapped; no agent of theirs runs those of others."""
    calls = [call for one in messages for call in one.get_content_blocks("tool_use")]
    return [
        (call["name"], call["input"])
        for call in calls
        if call["input"].keys() != {"input", "error"}
    ]


BRIDGE = Bridge(
    "agentscope",
    read_messages,
    write_messages,
    LIMITS,
    split_results,
    runnable,
    wraps=True,
    keeps=True,
    bare=lambda messages: [{**one, "metadata": {}} for one in dumped(messages)],
    erase=join_results,
    dump=dumped,
)

PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
THEIRS = [
    {"id": "m_1", "name": "system", "role": "system", "content": "Be brief.", "metadata": {},
     "timestamp": "2026-11-29 10:00:00.000"},
    {"id": "m_2", "name": "Bob", "role": "user", "metadata": {"mine": 1}, "timestamp": "t",
     "content": [
        {"type": "text", "text": "Look"},
        PICTURE,
        {"type": "image", "source": {"type": "url", "url": "a.png"}},
        {"type": "audio", "source": {"type": "url", "url": "https://example.com/a.mp3"}},
    ]},
    {"id": "m_3", "name": "Friday", "role": "assistant", "metadata": {}, "timestamp": "t",
     "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "text", "text": "I look.", "thought_signature": "c2ln"},
        {"type": "tool_use", "id": "c_1", "name": "f", "input": {"a": 1.0},
         "raw_input": '{"a": 1.0}'},
        {"type": "tool_use", "id": "c_2", "name": "f", "input": {}, "raw_input": '{"a": ',
         "thought_signature": "c2ln"},
    ]},
    {"id": "m_4", "name": "system", "role": "system", "metadata": {}, "timestamp": "t", "content": [
        {"type": "tool_result", "id": "c_1", "name": "f",
         "output": [{"type": "text", "text": "18"}, PICTURE]},
        {"type": "tool_result", "id": "c_2", "name": "f", "output": "no"},
    ]},
]  # fmt: skip


def test_their_messages_come_back() -> None:
    msgs = read_messages(THEIRS).messages
    for read in (read_messages([TheirMsg.from_dict(one) for one in THEIRS]), read_messages(THEIRS)):
        assert read.losses == []
        assert read.messages == msgs
        written = write_messages(read.messages, policy="ignore").messages
        assert [one.to_dict() for one in written] == THEIRS
    assert [(msg.role, msg.name) for msg in msgs] == [
        ("system", ""), ("user", "Bob"), ("assistant", "Friday"), ("tool", ""),
    ]  # fmt: skip
    assert msgs[2].origin == Origin("anthropic")
    assert msgs[2].calls[0].input == {"a": 1.0}
    assert msgs[2].calls[1].input == '{"a": ', "what was parsed of a cut text is not what was said"
    assert msgs[2].calls[1].extras == {"gemini": {"thoughtSignature": "c2ln"}}
    assert msgs[1].metadata["mine"] == 1


def test_their_formatters_send_what_is_written() -> None:
    for name, messages in CONVERSATIONS.items():
        written = write_messages(messages, policy="ignore").messages
        if "media" in name:  # they open addresses
            continue
        sent = asyncio.run(AnthropicChatFormatter().format(written))
        assert "dragoman" not in str(sent)
        sent = asyncio.run(OpenAIChatFormatter().format(written))
        assert "dragoman" not in str(sent)
        calls = [call for one in sent for call in one.get("tool_calls") or ()]
        assert [json.loads(call["function"]["arguments"]) for call in calls] == [
            call.input for msg in messages for call in msg.calls
        ]
        ids = [one["tool_call_id"] for one in sent if one["role"] == "tool"]
        results = [b for m in messages for b in m.blocks if isinstance(b, ToolResultBlock)]
        assert ids == [one.id for one in results]
    written = write_messages(CONVERSATIONS["signed thinking"], policy="ignore").messages
    _, said, *_ = asyncio.run(AnthropicChatFormatter().format(written))
    first = {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"}
    assert said["content"][0] == first


@each_case("text", ["{bad", "[1]", '{"city": "Par'])
def test_a_broken_call_has_an_object_there(text: str) -> None:
    """Their formatters and tools take the input for an object."""
    written = write_messages(one_call(text), policy="ignore").messages
    [call] = written[1].get_content_blocks("tool_use")
    assert (call["input"]["input"], call["raw_input"]) == (text, text)


def test_an_llm_takes_their_messages() -> None:
    history = CONVERSATIONS["parallel calls with a result that failed"]
    written = write_messages(history, policy="ignore").messages
    assert [one.role for one in written] == ["user", "assistant", "system", "system", "assistant"]
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=Scripted(*["In Norway."] * 2))
    assert llm.ask(written).text == "In Norway."
    assert llm.ask([*written, Msg.user("Oslo?")]).text == "In Norway."
    assert find_bridge(written[0]) is agentscope
    newer = write_messages(history, version=2).messages
    assert [len(one["content"]) for one in newer] == [1, 5, 1], "JSON, as 2.x is not installed"
    assert read_messages(newer).messages == history


class Said(ChatModelBase):  # type: ignore[misc]  # not installed where types are checked
    """A model in this process: it says `done`, signed, and keeps what it was given."""

    def __init__(self) -> None:
        super().__init__("m", stream=False)
        self.given: list[Any] = []

    async def __call__(self, messages: Any, *_: Any, **__: Any) -> ChatResponse:
        self.given = messages
        thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
        return ChatResponse([thought, {"type": "text", "text": "done"}])


def test_an_agent_goes_on_and_its_memory_is_read() -> None:
    history = CONVERSATIONS["parallel calls with a result that failed"]
    model = Said()
    agent = ReActAgent("Friday", "Be brief.", model, AnthropicChatFormatter())
    agent.set_console_output_enabled(False)

    async def run() -> list[Any]:
        await agent.memory.add(write_messages(history, policy="ignore").messages)
        await agent(TheirMsg("user", "And Oslo?", "user"))
        found: list[Any] = await agent.memory.get_memory()
        return found

    memory = asyncio.run(run())
    assert "dragoman" not in str(model.given)
    read = read_messages(memory).messages
    assert read[: len(history)] == history
    assert [(msg.role, msg.name, msg.text) for msg in read[len(history) :]] == [
        ("user", "", "And Oslo?"), ("assistant", "Friday", "done"),
    ]  # fmt: skip
    assert read[-1].blocks[0] == ThinkingBlock("Hm.", "c2ln")
    assert dumped(write_messages(read, policy="ignore").messages) == dumped(memory)


# -- what these messages cannot hold ---------------------------------------------------------------


def told(*blocks: ContentBlock) -> list[Msg]:
    return [Msg.assistant([*blocks], origin=Origin("anthropic"))]


CALL = ToolUseBlock("a", "f", {})
WRAPPED = {"input": "{bad", "error": "no JSON object"}
DATA = Base64Source("image/png", PNG)
PDF = Base64Source("application/pdf", "JVBERi0=")
# in the order of the limits but for those of 2.x: what is given, and what is held of it
PROOFS: list[tuple[list[Msg], list[Msg]]] = [
    (
        [*told(CALL), Msg.user([ToolResultBlock("a", "f", "x"), TextBlock("y")])],
        [*told(CALL), Msg.tool("a", "x", "f"), Msg.user("y")],
    ),
    ([Msg("", "x", "developer")], [Msg.system("x")]),
    ([Msg.tool("a", {"x": 1}, "f")], [Msg.tool("a", '{"x": 1}', "f")]),
    (told(ToolUseBlock("a", "f", "{bad", "{bad")), told(ToolUseBlock("a", "f", WRAPPED))),
    (
        told(ToolUseBlock("a", "f", "x", freeform=True)),
        told(ToolUseBlock("a", "f", {"input": "x"})),
    ),
    (told(ToolUseBlock("a", "f", {}, namespace="n")), told(CALL)),
    (
        [Msg.assistant([ThinkingBlock("a", "sig"), TextBlock("b")])],
        told(ThinkingBlock("a"), TextBlock("b")),
    ),
    ([Msg.user([DocumentBlock(TextSource(["a", "b"]))])], [Msg.user("a\n\nb")]),
    ([Msg.user([TextBlock("x"), ImageBlock(LocalSource("a.png"))])], [Msg.user("x")]),
    ([Msg.user([ImageBlock(DATA, detail="low")])], [Msg.user([ImageBlock(DATA)])]),
    (told(RefusalBlock("No.")), told(TextBlock("No."))),
    (told(TextBlock("x", [Citation(url="https://example.com")])), told(TextBlock("x"))),
    ([Msg.user([TextBlock("x", cache=CacheHint())])], [Msg.user("x")]),
    (told(RawBlock("anthropic", {"type": "x"}), TextBlock("x")), told(TextBlock("x"))),
    (told(TextBlock("x", extras={"anthropic": {"y": 1}})), told(TextBlock("x"))),
    ([Msg.user([TextBlock("x"), DocumentBlock(PDF)])], [Msg.user("x")]),
    ([Msg.tool("a", "x", "f", is_error=True)], [Msg.tool("a", "Error: x", "f")]),
    (told(ThinkingBlock("", redacted="c2VhbGVk"), TextBlock("x")), told(TextBlock("x"))),
]  # fmt: skip


def test_every_limit_is_one() -> None:
    bridge = Bridge(
        **{**vars(BRIDGE), "limits": [one for one in LIMITS if "2.x: " not in one.what]}
    )

    def without_notes(messages: list[Any]) -> list[Any]:
        found = [{**one, "metadata": {}} for one in dumped(messages)]
        for one in found:
            for block in one["content"]:
                block.pop("raw_input", None)
        return found

    check_limits(bridge, PROOFS, without_notes)
