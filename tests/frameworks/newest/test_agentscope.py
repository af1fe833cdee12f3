"""Messages of AgentScope 2.x, judged by its types, its formatters and its agent."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import Any

import pytest
from agentscope._utils._common import _json_loads_with_repair
from agentscope.agent import Agent
from agentscope.credential import CredentialBase
from agentscope.formatter import AnthropicChatFormatter, OpenAIChatFormatter
from agentscope.message import Msg as TheirMsg
from agentscope.message import TextBlock as TheirText
from agentscope.message import UserMsg
from agentscope.model import ChatModelBase, ChatResponse
from agentscope.permission import PermissionContext, PermissionMode
from agentscope.state import AgentState
from agentscope.tool import FunctionTool, Toolkit
from pydantic import BaseModel

from dragoman import LLM, ConfigError, Msg, NotMessages
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
    URLSource,
)
from dragoman.testing import Scripted
from tests.bridges.conversations import CONVERSATIONS, PNG, one_call, split_results
from tests.bridges.law import Bridge, check_limits, join_results
from tests.each_case import each_case
from tests.frameworks.examples import check_example


def dumped(messages: list[Any]) -> list[Any]:
    """Messages as an agent's state is stored."""
    return [json.loads(one.model_dump_json()) for one in messages]


def runnable(messages: Any) -> list[tuple[str, Any]]:
    """The calls that an agent would run if their results had not come yet."""
    waiting = [msg for msg in read_messages(messages).messages if msg.role != "tool"]
    found = []
    for msg in write_messages(waiting, policy="ignore").messages:
        calls = [one for one in msg.get_content_blocks("tool_call") if one.state != "finished"]
        found += [(call.name, _json_loads_with_repair(call.input)) for call in calls]
    return found


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

PICTURE = {"type": "base64", "media_type": "image/png", "data": PNG}
AT = {"type": "url", "url": "https://example.com/a.mp4", "media_type": "video/mp4"}
THEIRS = [
    TheirMsg.model_validate(one)
    for one in (
        {"name": "Friday", "role": "system", "content": [{"type": "text", "text": "Be brief."}]},
        {"name": "Bob", "role": "user", "metadata": {"mine": 1}, "content": [
            {"type": "text", "text": "Look"},
            {"type": "data", "source": PICTURE, "name": "a.png"},
            {"type": "data", "source": AT},
        ]},
        {"name": "Friday", "role": "assistant", "finished_reason": "completed", "usage":
            {"input_tokens": 3, "output_tokens": 2, "cache_input_tokens": 1}, "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
            {"type": "thinking", "thinking": "", "redacted_thinking_data": "c2VhbGVk"},
            {"type": "text", "text": "I look."},
            {"type": "tool_call", "id": "c_1", "name": "f", "input": '{ "a": 1.0 }',
             "state": "finished"},
            {"type": "tool_call", "id": "c_2", "name": "f", "input": '{"a": ', "state": "finished"},
            {"type": "tool_result", "id": "c_1", "name": "f", "state": "success", "output": [
                {"type": "text", "text": "18"}, {"type": "data", "source": PICTURE}]},
            {"type": "tool_result", "id": "c_2", "name": "f", "state": "denied", "output": "no"},
            {"type": "hint", "hint": "Go on.", "source": "system"},
            {"type": "hint", "hint": [{"type": "text", "text": "See"},
                                      {"type": "data", "source": PICTURE}]},
            {"type": "text", "text": "18 degrees."},
            {"type": "tool_call", "id": "c_3", "name": "f", "input": "", "state": "asking"},
        ]},
    )
]  # fmt: skip


def test_their_messages_come_back() -> None:
    for given in (THEIRS, dumped(THEIRS)):
        read = read_messages(given)
        assert read.losses == []
        assert write_messages(read.messages, policy="ignore").messages == THEIRS
    msgs = read_messages(THEIRS).messages
    assert [(msg.role, msg.name) for msg in msgs] == [
        ("system", "Friday"), ("user", "Bob"), ("assistant", "Friday"), ("tool", ""),
        ("user", ""), ("user", ""), ("assistant", "Friday"),
    ]  # fmt: skip
    assert msgs[1].metadata["mine"] == 1
    thoughts = [block for block in msgs[2].blocks if isinstance(block, ThinkingBlock)]
    assert [(one.signature, one.redacted) for one in thoughts] == [
        ("c2ln", None),
        (None, "c2VhbGVk"),
    ]
    assert {one.origin for one in thoughts} == {Origin("anthropic")}
    assert [call.input for call in msgs[2].calls] == [{"a": 1.0}, '{"a": ']
    results = [block for block in msgs[3].blocks if isinstance(block, ToolResultBlock)]
    assert [one.is_error for one in results] == [False, True]
    assert msgs[-1].metadata["usage"] == {"input": 3, "output": 2, "cache_read": 1}
    body = LLM("anthropic/claude-opus-5-5", key="none").request(msgs[:4]).body
    said = next(one for one in body["messages"] if one["role"] == "assistant")["content"]
    assert [part["type"] for part in said[:2]] == ["thinking", "redacted_thinking"]


def test_an_edit_of_theirs_counts() -> None:
    [message] = write_messages([Msg.assistant([RefusalBlock("No.")])], policy="ignore").messages
    assert read_messages(message).messages[0].blocks == [RefusalBlock("No.")]
    message.content[0].text = "Yes."
    assert read_messages(message).messages == [Msg.assistant("Yes.")]
    read = read_messages(THEIRS).messages
    read[1].content = [TextBlock("See"), *read[1].blocks[1:]]
    back = write_messages(read, policy="ignore").messages
    assert back[1].content[0].text == "See"
    assert back[1].content[1:] == THEIRS[1].content[1:]
    assert (back[0], back[2:]) == (THEIRS[0], THEIRS[2:])


def test_an_address_that_they_respell_comes_back() -> None:
    given = [Msg.user([ImageBlock(URLSource(url)) for url in ("https://example.com", "s3://A/b")])]
    written = write_messages(given)
    assert written.losses == []
    assert str(written.messages[0].content[0].source.url) == "https://example.com/"
    assert read_messages(dumped(written.messages)).messages == given
    odd = [Msg.user([TextBlock("x"), ImageBlock(URLSource("https://[x"))])]
    assert [loss.code for loss in write_messages(odd, policy="ignore").losses] == ["media.source"]


def test_an_address_on_the_own_machine_is_written_only_where_it_was_theirs() -> None:
    """Their formatters open it, whoever gave it: it may be a word of a model or a tool."""
    local = URLSource("file:///etc/hosts", read=True)
    written = write_messages([Msg.user([TextBlock("x"), ImageBlock(local)])], policy="ignore")
    assert [loss.code for loss in written.losses] == ["media.source"]
    source = {"type": "url", "url": "file:///a.png", "media_type": "image/png"}
    theirs = UserMsg("u", [{"type": "data", "source": source}])
    read = read_messages(theirs).messages
    assert write_messages(read).messages == [theirs]


def test_the_other_release_is_written_as_json() -> None:
    history = CONVERSATIONS["parallel calls with a result that failed"]
    written = write_messages(history, version=1, policy="ignore").messages
    assert [type(one) for one in written] == [dict] * 5
    assert [one["role"] for one in written] == [
        "user",
        "assistant",
        "system",
        "system",
        "assistant",
    ]
    assert written[1]["content"][1]["type"] == "tool_use"
    assert read_messages(written).messages == history
    with pytest.raises(ConfigError, match="version") as caught:
        write_messages(history, version=3)
    assert caught.value.code == "bridge.version"


# -- what their formatters send --------------------------------------------------------------------


def test_their_formatters_send_what_is_written() -> None:
    written = write_messages(CONVERSATIONS["signed thinking"]).messages
    sent = asyncio.run(AnthropicChatFormatter().format(written))
    assert [one["role"] for one in sent] == ["user", "assistant", "user", "assistant"]
    assert sent[1]["content"][:2] == [
        {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
    ]
    parallel = write_messages(CONVERSATIONS["parallel calls with a result that failed"]).messages
    assert len(parallel) == 3, "results stand in the message of their calls"
    [results] = [one for one in asyncio.run(AnthropicChatFormatter().format(parallel))
                 if one["content"][0]["type"] == "tool_result"]  # fmt: skip
    assert [one["tool_use_id"] for one in results["content"]] == ["c_1", "c_2"]
    sent = asyncio.run(OpenAIChatFormatter().format(parallel))
    assert [one["role"] for one in sent] == ["user", "assistant", "tool", "tool", "assistant"]
    arguments = [json.loads(call["function"]["arguments"]) for call in sent[1]["tool_calls"]]
    assert arguments == [{"city": "Paris", "days": [1, 2.5, None]}, {"city": "Rome"}]
    for name, messages in CONVERSATIONS.items():
        for formatter in (AnthropicChatFormatter(), OpenAIChatFormatter()):
            if "media" in name:  # it opens the address
                continue
            ours = write_messages(messages, policy="ignore").messages
            assert "dragoman" not in str(asyncio.run(formatter.format(ours)))


@each_case("text", ["{bad", "[1]", '{"city": "Par'])
def test_their_formatter_neither_repairs_nor_refuses_an_answered_call(text: str) -> None:
    [_, said] = write_messages(one_call(text), policy="ignore").messages
    [_, sent, _] = asyncio.run(AnthropicChatFormatter().format([UserMsg("u", "Go."), said]))
    assert sent["content"][0]["input"] == {"input": text, "error": "no JSON object"}


class Nothing(BaseModel):
    """The parameters of a model that has none."""


class Said(ChatModelBase):  # type: ignore[misc]  # not installed where types are checked
    """A model in this process: it says `done` and keeps what it was given."""

    def __init__(self) -> None:
        super().__init__(CredentialBase(), "m", Nothing(), stream=False)
        self.formatter = OpenAIChatFormatter()
        self.given: list[Any] = []

    async def _call_api(self, model_name: str, messages: Any, *_: Any, **__: Any) -> Any:
        self.given = messages
        return ChatResponse([TheirText(text="done")], is_last=True)


def run(context: list[Any], prompt: Any, *tools: Any) -> tuple[AgentState, Said]:
    model = Said()
    allowed = PermissionContext(mode=PermissionMode.BYPASS)
    state = AgentState(context=context, permission_context=allowed)
    toolkit = Toolkit([FunctionTool(one) for one in tools])
    agent = Agent("Friday", "Be brief.", model, toolkit, state=state)
    asyncio.run(agent.reply(prompt))
    return agent.state, model


def test_an_agent_goes_on_and_its_messages_are_read() -> None:
    history = CONVERSATIONS["parallel calls with a result that failed"]
    state, model = run(write_messages(history).messages, UserMsg("user", "And Oslo?"))
    assert [one.id for one in model.given[1:4]] == [one.id for one in state.context[:3]]
    read = read_messages(state.context).messages
    assert read[: len(history)] == history
    assert read[len(history)] == Msg.user("And Oslo?")
    assert (read[-1].role, read[-1].text) == ("assistant", "done")
    assert write_messages(read).messages == state.context
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=Scripted(*["In Norway."] * 2))
    assert llm.ask(state.context).text == "In Norway."
    assert llm.ask([*state.context, Msg.user("Oslo?")]).text == "In Norway."
    assert find_bridge(state.context[0]) is agentscope


@each_case(("text", "cut"), [("", True), ("{bad", False), ("[1]", False), ('{"city": "P', True)])
def test_no_waiting_call_with_broken_arguments_is_run(text: str, cut: bool) -> None:
    """An agent runs the calls of its last message before it asks its model, and repairs them."""
    ran: list[str] = []

    async def f(city: str = "") -> str:
        """Look.

        Args:
            city: The city.
        """
        ran.append(city)
        return "looked"

    def named(messages: list[Msg]) -> list[Msg]:
        found = copy.deepcopy(messages)
        found[-1].name = "Friday"
        return found

    whole = write_messages(named(one_call("{}")[:2])).messages
    run(whole, None, f)
    assert ran == [""], "a whole call is run"
    ran.clear()
    messages = named(one_call(text, unfinished=cut)[:2])
    written = write_messages(messages, policy="ignore").messages
    run(written, None, f)
    assert ran == []


@each_case("value", [3, None, "x", [3], [{"role": "user"}], [{"role": "tool", "content": []}]])
def test_what_is_no_message_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]")


# -- what these messages cannot hold ---------------------------------------------------------------


def told(*blocks: ContentBlock) -> list[Msg]:
    return [Msg.assistant([*blocks])]


CALL = ToolUseBlock("a", "f", {})
WRAPPED = {"input": "{bad", "error": "no JSON object"}
DATA = Base64Source("image/png", PNG)
PDF = Base64Source("application/pdf", "JVBERi0=")
# of the limits of both releases: what is given, and what is held of it
BOTH: list[tuple[list[Msg], list[Msg]]] = [
    (
        [*told(CALL), Msg.user([ToolResultBlock("a", "f", "x"), TextBlock("y")])],
        [*told(CALL), Msg.tool("a", "x", "f"), Msg.user("y")],
    ),
    ([Msg("", "x", "developer")], [Msg.system("x")]),
    ([*told(CALL), Msg.tool("a", {"x": 1}, "f")], [*told(CALL), Msg.tool("a", '{"x": 1}', "f")]),
    (
        [*told(ToolUseBlock("a", "f", "{bad", "{bad")), Msg.tool("a", "x", "f")],
        [*told(ToolUseBlock("a", "f", WRAPPED)), Msg.tool("a", "x", "f")],
    ),
    (
        told(ToolUseBlock("a", "f", "x", freeform=True)),
        told(ToolUseBlock("a", "f", {"input": "x"})),
    ),
    (told(ToolUseBlock("a", "f", {}, namespace="n")), told(CALL)),
    (told(ThinkingBlock("a", "sig"), TextBlock("b")), told(ThinkingBlock("a"), TextBlock("b"))),
    ([Msg.user([DocumentBlock(TextSource(["a", "b"]))])], [Msg.user("a\n\nb")]),
    ([Msg.user([TextBlock("x"), ImageBlock(LocalSource("a.png"))])], [Msg.user("x")]),
    ([Msg.user([ImageBlock(DATA, detail="low")])], [Msg.user([ImageBlock(DATA)])]),
    (told(RefusalBlock("No.")), told(TextBlock("No."))),
    (told(TextBlock("x", [Citation(url="https://example.com")])), told(TextBlock("x"))),
    ([Msg.user([TextBlock("x", cache=CacheHint())])], [Msg.user("x")]),
    (told(RawBlock("anthropic", {"type": "x"}), TextBlock("x")), told(TextBlock("x"))),
    (told(TextBlock("x", extras={"anthropic": {"y": 1}})), told(TextBlock("x"))),
]  # fmt: skip
NEW: list[tuple[list[Msg], list[Msg]]] = [
    ([Msg.user([TextBlock("x"), CALL])], [Msg.user("x")]),
]


def test_every_limit_is_one() -> None:
    bridge = Bridge(
        **{**vars(BRIDGE), "limits": [one for one in LIMITS if "1.x: " not in one.what]}
    )
    check_limits(bridge, [*BOTH, *NEW])


def test_the_example_of_the_page_runs() -> None:
    check_example("agentscope")
