"""`Message`s of Agent Framework, judged by the framework and by what its chat clients send."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Sequence
from typing import Any

import pytest
from agent_framework import (
    Agent,
    BaseChatClient,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)
from agent_framework import ChatResponse as TheirResponse
from agent_framework._tools import _is_actionable_function_call as runs
from agent_framework_anthropic import AnthropicClient
from agent_framework_openai import OpenAIChatClient, OpenAIChatCompletionClient

from dragoman import LLM, Msg, NotMessages
from dragoman.bridges import agent_framework, find_bridge
from dragoman.bridges.agent_framework import LIMITS, read_messages, write_messages
from dragoman.message import (
    Base64Source,
    CacheHint,
    Citation,
    ContentBlock,
    DocumentBlock,
    FileSource,
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
from tests.bridges.conversations import CALLS, CONVERSATIONS, PDF, one_call
from tests.bridges.law import Bridge, check_limits, plain_results
from tests.each_case import each_case


def _held(messages: list[Msg]) -> list[Msg]:
    """Results apart from the rest."""
    found: list[Msg] = []
    for msg in messages:
        runs: list[list[ContentBlock]] = []
        for block in msg.content if not isinstance(msg.content, str) else ():
            is_result = isinstance(block, ToolResultBlock)
            if runs and is_result == isinstance(runs[-1][0], ToolResultBlock):
                runs[-1].append(block)
            else:
                runs.append([block])
        for i, run in enumerate(runs):
            one = Msg.create_unchecked(msg.name, run, msg.role, like=msg)
            if isinstance(run[0], ToolResultBlock):
                one.role = "tool"
                one.name = msg.name if msg.role == "tool" else ""
            elif msg.role == "tool":
                one.role = "user"
            if i:
                one.extras = one.cache = None
            found.append(one)
        found += [] if runs else [msg]
    return found


def _calls(messages: Sequence[Message]) -> list[tuple[str, Any]]:
    contents = [one for message in messages for one in message.contents if runs(one)]
    return [(str(one.name), one.parse_arguments()) for one in contents]


def _without_notes(messages: list[Message]) -> list[dict[str, Any]]:
    found = [copy.deepcopy(one.to_dict()) for one in messages]
    for one in found:
        one["additional_properties"].pop("dragoman", None)
    return found


def _erase(messages: list[Msg]) -> list[Msg]:
    """Files have no owner, and addresses their kind; reasoning always has a summary."""
    for msg in plain_results(messages):
        for block in msg.blocks:
            if isinstance(source := getattr(block, "source", None), URLSource):
                source.media_type = None
            elif isinstance(source, FileSource):
                source.issuer = ""
            elif isinstance(block, ThinkingBlock) and block.extras:
                own = block.extras["openai-responses"]
                own = {k: v for k, v in own.items() if k != "summary" and v != []}
                block.extras = {"openai-responses": own} if own else None
    return messages


BRIDGE = Bridge(
    "agent_framework",
    read_messages,
    write_messages,
    LIMITS,
    _held,
    _calls,
    keeps=True,
    bare=_without_notes,
    erase=_erase,
    dump=lambda messages: [one.to_dict() for one in messages],
)

CALL = Content.from_function_call("c_1", "warmth", arguments={"city": "Paris"})
# what its own constructors and clients make
THEIRS = [
    Message("system", ["Be brief."]),
    Message("developer", ["Be kind."]),
    Message("critic", ["Roles are free."]),
    Message("user", ["Where is Paris?"], author_name="bob", message_id="m_1",
            additional_properties={"source": {"page": 3}}),
    Message("user", [
        "Look", Content.from_data(b"\x89PNG", "image/png", name="a.png"),
        Content.from_uri("https://example.com/a", media_type="audio/mpeg"),
        Content.from_uri("data:text/plain,hello"),
        Content.from_hosted_file("file_1", media_type="application/pdf", name="a.pdf"),
        Content.from_hosted_vector_store("vs_1"),
    ]),
    Message("assistant", [
        Content.from_text_reasoning(text="Hm.", protected_data="c2ln"),
        Content.from_text("I look."),
        CALL, Content.from_function_call("c_2", "warmth", arguments='{"city": "Rome"}', id="af_2"),
        Content.from_function_call("c_3", "warmth", arguments="{bad", informational_only=True),
        Content.from_function_call("c_4", "search", arguments="{}", hosted=True),
        Content.from_usage({"input_token_count": 3}),
    ]),
    Message("tool", [
        Content.from_function_result("c_1", result="18 degrees", id="af_1"),
        Content.from_function_result("c_2", result="no such city", exception="boom"),
        Content.from_function_result("c_3", result=[
            Content.from_text("It shows:"), Content.from_data(b"\x89PNG", "image/png")]),
        Content("function_result", call_id="c_5", result={"degrees": 18}),
    ]),
    Message("assistant", [
        Content.from_text_reasoning(id="rs_1", text="First.", protected_data="gAAAA"),
        Content.from_text_reasoning(id="rs_1", text="Then."),
        Content.from_text_reasoning(id="rs_2", text="Raw.",
                                    additional_properties={"openai": {"reasoning_text": True}}),
        Content.from_text("Paris", annotations=[{"type": "citation", "url": "https://example.com",
                          "annotated_regions": [{"type": "text_span", "start_index": 0,
                                                 "end_index": 5}]}]),
        Content.from_text("I will not.",
                          additional_properties={"core": {"model_output_kind": "refusal"}}),
        Content.from_function_call("call_1", "f", arguments="{}", status="completed",
            additional_properties={"openai": {"item_id": "fc_1"}, "fc_id": "fc_1"}),
    ]),
    Message("assistant", [
        Content.from_error(message="no", error_code="x"),
        Content.from_mcp_server_tool_call("m_1", "f", server_name="s", arguments={"a": 1}),
        Content.from_mcp_server_tool_result("m_1", output=[Content.from_text("x")]),
        Content.from_function_approval_request("c_1", CALL),
        Content.from_text_reasoning(text=None, protected_data="c2ln"),
        Content.from_text_reasoning(text="From a chat host.", protected_data='[{"a": 1}]'),
    ]),
    Message("user", []),
]  # fmt: skip


def test_their_messages_come_back() -> None:
    stored = json.loads(json.dumps([one.to_dict() for one in THEIRS]))
    for given in (THEIRS, stored):
        read = read_messages(given)
        written = write_messages(read.messages)
        codes = {loss.code for loss in read.losses + written.losses}
        assert codes == set()
        assert [one.to_dict() for one in written.messages] == stored
    assert [Message.from_dict(one).to_dict() for one in stored] == stored


def test_their_messages_are_ours() -> None:
    read = read_messages(THEIRS).messages
    kept = [i for i, msg in enumerate(read) if "message" in msg.metadata.get("agent-framework", {})]
    assert kept == [2, 5, 6, 7, 8], "only what cannot be written from ours stays as it was"
    roles = ["system", "developer", "user", "user", "user", "assistant", "tool", "assistant"]
    assert [msg.role for msg in read][:8] == roles
    assert (read[3].name, read[3].id) == ("bob", "m_1")
    assert [block.type for block in read[4].blocks] == [
        "text", "image", "audio", "document", "document", "raw",
    ]  # fmt: skip
    said = read[5]
    assert said.origin == Origin("anthropic")
    assert said.blocks[:3] == [
        ThinkingBlock("Hm.", "c2ln"), TextBlock("I look."),
        ToolUseBlock("c_1", "warmth", {"city": "Paris"}),
    ]  # fmt: skip
    assert [call.input for call in said.calls] == [{"city": "Paris"}, {"city": "Rome"}, "{bad"]
    results = [block for block in read[6].blocks if isinstance(block, ToolResultBlock)]
    assert [(one.output, one.is_error) for one in results[:2]] == [
        ("18 degrees", False), ("no such city", True),
    ]  # fmt: skip
    assert results[3].output == {"degrees": 18}
    sealed = read[7]
    assert sealed.origin == Origin("openai-responses")
    first = sealed.blocks[0]
    assert isinstance(first, ThinkingBlock)
    assert (first.thinking, first.redacted) == ("First.\n\nThen.", "gAAAA")
    assert [block.type for block in sealed.blocks] == [
        "thinking", "thinking", "text", "refusal", "tool_use",
    ]  # fmt: skip
    assert sealed.blocks[2] == TextBlock("Paris", [Citation(0, 5, "https://example.com")])
    # what an agent may be run with, besides messages
    asked = [Msg.user("Hi")]
    for one in ("Hi", ["Hi"], [Content.from_text("Hi")], Content.from_text("Hi")):
        assert read_messages(one).messages == asked


def test_the_answer_of_a_client_is_read() -> None:
    answer = TheirResponse(
        messages=[Message("assistant", ["Hi"])], model="gpt-5.6", response_id="r_1",
        finish_reason="length", usage_details={"input_token_count": 9, "output_token_count": 2,
                                               "cache_read_input_token_count": 4},
    )  # fmt: skip
    [read] = read_messages(answer).messages
    assert read.metadata["usage"] == {"input": 5, "cache_read": 4, "output": 2}
    assert read.metadata["finish"]["reason"] == "length"
    assert (read.metadata["model"], read.metadata["answer_id"]) == ("gpt-5.6", "r_1")
    [back] = read_messages(write_messages([read]).messages).messages
    assert back.metadata["usage"] == read.metadata["usage"]
    assert find_bridge(answer) is agent_framework


def test_the_text_of_an_error_is_in_the_result() -> None:
    """What `exception` says is lost when a message is stored; that there was one is not."""
    lost = Content.from_function_result("c", exception="no such city").to_dict()
    assert "no such city" not in json.dumps(lost)
    [message] = write_messages([Msg.tool("c", "no such city", is_error=True)]).messages
    stored = Message.from_dict(message.to_dict())
    assert stored.contents[0].result == "no such city"
    assert read_messages([stored]).messages == [Msg.tool("c", "no such city", is_error=True)]


class OneAnswer(FunctionInvocationLayer, BaseChatClient):  # type: ignore[misc]  # not installed
    """A chat client that gives one message, and then what a tool said of it."""

    def __init__(self, said: Message) -> None:
        super().__init__()
        self._said: Message | None = said

    async def _answer(self, messages: Sequence[Message]) -> TheirResponse:
        said, self._said = self._said, None
        return TheirResponse(messages=[said or Message("assistant", ["done"])])

    def _inner_get_response(self, *, messages: Sequence[Message], **_: Any) -> Any:
        return self._answer(messages)


@each_case("text", CALLS[1:3] + CALLS[4:])
def test_an_agent_of_theirs_runs_no_broken_call(text: str) -> None:
    """It runs any other, with the defaults of the tool's parameters if it must."""
    ran: list[str] = []

    def f(folder: str = "everything") -> None:
        """Remove a folder."""
        ran.append(folder)

    tools = [tool(f, approval_mode="never_require")]
    bare = Message("assistant", [Content.from_function_call("c_1", "f", arguments=text)])
    asyncio.run(Agent(client=OneAnswer(bare), tools=tools).run("Go."))
    assert ran == ["everything"]
    [written] = write_messages(one_call(text)[1:2]).messages
    [call] = written.contents
    assert (call.arguments, runs(call)) == (text, False)
    asyncio.run(Agent(client=OneAnswer(written), tools=tools).run("Go."))
    assert ran == ["everything"]


def test_an_unfinished_call_is_incomplete() -> None:
    """As a client of theirs has it, which reads the status of OpenAI's item."""
    [written] = write_messages(one_call("{}", unfinished=True)[1:2]).messages
    [call] = written.contents
    assert (call.status, runs(call)) == ("incomplete", False)
    [found] = read_messages(_without_notes([written])).messages[0].calls
    assert found.unfinished


# -- what its chat clients send --------------------------------------------------------------------


def _claude(messages: Sequence[Message]) -> list[dict[str, Any]]:
    client = AnthropicClient(api_key="none", model="claude-opus-5-5")
    return [client._prepare_message_for_anthropic(one) for one in messages]


def test_signed_thinking_reaches_claude_again() -> None:
    sent = _claude(write_messages(CONVERSATIONS["signed thinking"]).messages)
    assert [(one["role"], [part["type"] for part in one["content"]]) for one in sent] == [
        ("user", ["text"]),
        ("assistant", ["thinking", "text", "tool_use"]),  # its client has no sealed thinking
        ("user", ["tool_result"]),
        ("assistant", ["thinking", "text"]),
    ]
    assert sent[1]["content"][0] == {
        "type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk",
    }  # fmt: skip


def test_its_client_for_chat_completions_takes_a_signature_for_json() -> None:
    """As docs/bridges.md says; thinking without one is sent as a text."""
    client = OpenAIChatCompletionClient(api_key="none", model="gpt-5.6")
    signed = Message("assistant", [Content.from_text_reasoning(text="Hm.", protected_data="c2ln")])
    with pytest.raises(json.JSONDecodeError):
        client._prepare_message_for_openai(signed)
    written = write_messages(CONVERSATIONS["signed thinking"]).messages
    assert [one.protected_data for one in written[1].contents][:1] == ["c2lnbmVk"]


def test_sealed_reasoning_reaches_openai_again() -> None:
    client = OpenAIChatClient(api_key="none", model="gpt-5.6")
    written = write_messages(CONVERSATIONS["sealed reasoning"]).messages
    assert [one.protected_data for one in written[1].contents[:2]] == ["gAAAA", None]
    sent = client._prepare_messages_for_openai(written, request_uses_service_side_storage=False)
    assert sent[1] == {
        "type": "reasoning", "id": "rs_1", "encrypted_content": "gAAAA",
        "summary": [{"type": "summary_text", "text": "First."},
                    {"type": "summary_text", "text": "Then."}],
    }  # fmt: skip
    assert [(one["type"], one["call_id"]) for one in sent if "call_id" in one] == [
        ("function_call", "call_1"), ("function_call_output", "call_1"),
    ]  # fmt: skip
    assert [one["id"] for one in sent if one.get("type") == "function_call"] == ["fc_1"]


def test_results_and_their_errors_are_sent() -> None:
    written = write_messages(CONVERSATIONS["parallel calls with a result that failed"]).messages
    results = [part for one in _claude(written) for part in one["content"]
               if part["type"] == "tool_result"]  # fmt: skip
    assert [(one["tool_use_id"], one["is_error"]) for one in results] == [
        ("c_1", False), ("c_2", True),
    ]  # fmt: skip
    assert results[1]["content"] == [{"type": "text", "text": "no such city"}]
    client = OpenAIChatCompletionClient(api_key="none", model="gpt-5.6")
    chat = [one for message in written for one in client._prepare_message_for_openai(message)]
    assert [one["role"] for one in chat] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [one["id"] for one in chat[1]["tool_calls"]] == ["c_1", "c_2"]
    written = write_messages(CONVERSATIONS["results with media and objects"]).messages
    results = [part for one in _claude(written) for part in one["content"]
               if part["type"] == "tool_result"]  # fmt: skip
    assert [part["type"] for part in results[0]["content"]] == ["text", "image"]
    images = [part for part in _claude(written)[0]["content"] if part["type"] == "image"]
    assert [one["source"]["type"] for one in images] == ["base64", "url"]


def test_refusals_and_cache_hints_are_sent() -> None:
    client = OpenAIChatClient(api_key="none", model="gpt-5.6")
    messages = [
        Msg.user([TextBlock("Long.", cache=CacheHint("1h"))]),
        Msg.assistant([RefusalBlock("No.")]),
    ]
    sent = client._prepare_messages_for_openai(
        write_messages(messages).messages, request_uses_service_side_storage=False
    )
    assert sent[0]["content"][0]["prompt_cache_breakpoint"] == {"mode": "explicit", "ttl": "1h"}
    assert sent[1]["content"] == [{"type": "refusal", "refusal": "No."}]


# -- what an LLM is asked --------------------------------------------------------------------------


def test_an_llm_takes_their_messages() -> None:
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=Scripted("In France."))
    asked = Message("user", ["Where is Paris?"])
    assert find_bridge(asked) is agent_framework
    answer = llm.ask([Message("system", ["Be brief."]), asked])
    [said] = write_messages([answer]).messages
    assert said.text == "In France."
    [back] = read_messages([said]).messages
    assert (back.metadata["model"], back.metadata["finish"]["reason"]) == (answer.model, "stop")
    body = llm.request([asked, said, Message("user", ["And Rome?"])]).body
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "user"]
    assert llm.request(asked).body["messages"][0]["role"] == "user"


@each_case(
    "value",
    [3, None, b"x", [3], [{"role": 3, "contents": []}], [{"role": "user", "contents": 3}],
     [{"role": "user", "contents": [{"text": "x"}]}], [{"role": "user", "contents": [3]}]],
)  # fmt: skip
def test_what_is_no_message_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]", "$[0].contents[0]")


# -- what Agent Framework cannot hold --------------------------------------------------------------


def told(*blocks: ContentBlock, issuer: str = "") -> list[Msg]:
    return [Msg.assistant([*blocks], origin=Origin(issuer) if issuer else None)]


SOURCE = Base64Source("application/pdf", PDF)
# in the order of the limits: what is given, and what the framework itself holds of it
PROOFS: list[tuple[list[Msg], list[Msg]]] = [
    (
        [Msg.user([ToolResultBlock("a", "", "1"), ToolResultBlock("b", "", "2"), TextBlock("z")])],
        [Msg("", [ToolResultBlock("a", "", "1"), ToolResultBlock("b", "", "2")], "tool"),
         Msg.user("z")],
    ),
    ([Msg.tool("a", "x", "f")], [Msg.tool("a", "x")]),
    ([Msg.tool("a", {"x": 1})], [Msg.tool("a", '{"x": 1}')]),
    (
        told(ToolUseBlock("a", "f", "text", freeform=True)),
        told(ToolUseBlock("a", "f", {"input": "text"})),
    ),
    (told(ToolUseBlock("a", "f", {}, namespace="n")), told(ToolUseBlock("a", "f", {}))),
    (
        [Msg.user([DocumentBlock(FileSource("file_1", "anthropic"))])],
        [Msg.user([DocumentBlock(FileSource("file_1"))])],
    ),
    (
        [Msg.user([TextBlock("x"), ImageBlock(LocalSource("a.png"))])],
        [Msg.user("x")],
    ),
    ([Msg.user([DocumentBlock(TextSource(["a", "b"]))])], [Msg.user("a\n\nb")]),
    (
        [Msg.user([DocumentBlock(SOURCE, "A", cite=True, context="B")])],
        [Msg.user([DocumentBlock(SOURCE, "A")])],
    ),
    ([Msg.system([TextBlock("x", cache=CacheHint())])], [Msg.system("x")]),
    (
        told(ThinkingBlock("", redacted="c2VhbGVk"), TextBlock("x"), issuer="anthropic"),
        told(TextBlock("x")),
    ),
    (told(ThinkingBlock("a", "sig"), TextBlock("b")), told(ThinkingBlock("a"), TextBlock("b"))),
    (told(RawBlock("anthropic", {"type": "x"}), TextBlock("x")), told(TextBlock("x"))),
    (told(TextBlock("x", extras={"anthropic": {"y": 1}})), told(TextBlock("x"))),
]  # fmt: skip


def test_every_limit_is_one() -> None:
    check_limits(BRIDGE, PROOFS)


def test_a_picture_without_a_type_is_named_one() -> None:
    """Its clients pass over a medium whose kind they cannot tell."""
    image = ImageBlock(URLSource("https://example.com/a"))
    [written] = write_messages([Msg.user([image])]).messages
    assert written.contents[0].has_top_level_media_type("image")
    assert read_messages([written]).messages == [Msg.user([image])]
