"""`ChatMessage`s of Haystack, judged by Haystack and by what its chat generators send."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

import pytest
from haystack.components.generators.chat.openai_responses import (
    _convert_chat_message_to_responses_api_format as to_responses,
)
from haystack.dataclasses import (
    ChatMessage,
    ChatRole,
    FileContent,
    ImageContent,
    ReasoningContent,
    TextContent,
    ToolCall,
    ToolCallResult,
)
from haystack.tools import create_tool_from_function
from haystack.tools.errors import ToolInvocationError
from haystack_integrations.components.generators.anthropic.chat.utils import (
    _convert_messages_to_anthropic_format as to_anthropic,
)

from dragoman import LLM, ChatResponse, Msg, NotMessages
from dragoman.bridges import find_bridge, haystack
from dragoman.bridges.haystack import LIMITS, read_messages, write_messages
from dragoman.message import (
    Base64Source,
    CacheHint,
    Candidate,
    Citation,
    ContentBlock,
    DocumentBlock,
    Finish,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    Usage,
)
from dragoman.testing import Scripted
from tests.bridges.conversations import CONVERSATIONS, PDF, PNG, one_call, split_results
from tests.bridges.law import Bridge, check_limits, plain_results
from tests.each_case import each_case


def _held(messages: list[Msg]) -> list[Msg]:
    """Each result alone, each system text alone."""
    found: list[Msg] = []
    for msg in split_results(messages):
        if msg.role in ("system", "developer") and not isinstance(msg.content, str):
            for i, block in enumerate(msg.content):
                one = Msg.create_unchecked(msg.name, [block], msg.role, like=msg)
                one.cache = None if i else one.cache
                found.append(one)
        else:
            found.append(msg)
    return found


def _calls(messages: Sequence[Any]) -> list[tuple[str, Any]]:
    calls = [(call.tool_name, call.arguments) for one in messages for call in one.tool_calls]
    return [
        (name, arguments) for name, arguments in calls if arguments.keys() != {"input", "error"}
    ]


def _without_notes(messages: list[ChatMessage]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [copy.deepcopy(one.to_dict()) for one in messages]
    for one in found:
        one["meta"].pop("dragoman", None)
    return found


def _erase(messages: list[Msg]) -> list[Msg]:
    """A cache hint is that of the message; results are told as text."""
    for msg in plain_results(messages):
        blocks: list[Any] = msg.blocks
        hints = [block.cache for block in blocks if getattr(block, "cache", None) is not None]
        msg.cache = msg.cache or next(iter(hints), None)
        for block in blocks:
            if hasattr(block, "cache"):
                block.cache = None
    return messages


BRIDGE = Bridge(
    "haystack",
    read_messages,
    write_messages,
    LIMITS,
    _held,
    _calls,
    wraps=True,
    keeps=True,
    bare=_without_notes,
    erase=_erase,
    dump=lambda messages: [one.to_dict() for one in messages],
)

CALL = ToolCall("warmth", {"city": "Paris"}, "c_1")
ITEM = ToolCall("warmth", {"city": "Rome"}, "fc_1", {"call_id": "call_1"})
SIGNED = {"reasoning_contents": [
    {"reasoning_content": {"reasoning_text": {"text": "Hm.", "signature": "c2ln"}}},
    {"reasoning_content": {"redacted_thinking": "c2VhbGVk"}},
]}  # fmt: skip
# what its own constructors and generators make
THEIRS = [
    ChatMessage.from_system("Be brief.", meta={"cache_control": {"type": "ephemeral"}}),
    ChatMessage.from_user("Where is Paris?", {"source": 3}, "bob"),
    ChatMessage.from_user(content_parts=[
        TextContent("Look"), ImageContent(PNG, "image/png", "low", {"page": 1}),
        ImageContent(PNG, "image/svg+xml", validation=False),
        FileContent(PDF, "application/pdf", "a.pdf", {"title": "A", "context": "B"}),
    ]),
    ChatMessage.from_assistant(
        "I look.", {"model": "claude-opus-5-5", "finish_reason": "tool_calls", "index": 0,
                    "usage": {"prompt_tokens": 9, "completion_tokens": 3,
                              "cache_read_input_tokens": 4}},
        tool_calls=[CALL, ToolCall("look", {}, None)],
        reasoning=ReasoningContent("Hm.[REDACTED]", SIGNED),
    ),
    ChatMessage.from_tool("18 degrees", CALL),
    ChatMessage.from_tool("no such city", ToolCall("other", {"a": 1}, "c_9"), error=True),
    ChatMessage.from_assistant(None, tool_calls=[ITEM], reasoning=ReasoningContent(
        "First.\nThen.", {"id": "rs_1", "type": "reasoning", "encrypted_content": "gAAAA"})),
    ChatMessage.from_tool([TextContent("It shows:"), ImageContent(PNG, "image/png")], ITEM),
    ChatMessage.from_assistant(reasoning="Well.", text="18"),
    ChatMessage.from_assistant("Well", {"refusal": "I will not."}),
    ChatMessage.from_assistant(""),
    ChatMessage(ChatRole.TOOL, [ToolCallResult("a", CALL, False), ToolCallResult("b", ITEM, True)]),
]  # fmt: skip


def test_their_messages_come_back() -> None:
    read = read_messages(THEIRS)
    written = write_messages(read.messages)
    assert read.losses + written.losses == []
    assert written.messages == THEIRS
    stored = json.loads(json.dumps([one.to_dict() for one in THEIRS]))
    again = write_messages(read_messages(stored).messages).messages
    assert [one.to_dict() for one in again] == stored
    assert [ChatMessage.from_dict(one) for one in stored] == again


def test_their_messages_are_ours() -> None:
    read = read_messages(THEIRS).messages
    kept = [i for i, msg in enumerate(read) if "message" in msg.metadata.get("haystack", {})]
    assert kept == [2, 3, 5, 11], "only what cannot be written from ours stays as it was"
    assert [msg.role for msg in read][:6] == ["system", "user", "user", "assistant", "tool", "tool"]
    assert (read[0].cache, read[1].name) == (CacheHint(), "bob")
    said = read[3]
    assert said.origin == Origin("anthropic", "claude-opus-5-5")
    assert said.blocks == [
        ThinkingBlock("Hm.", "c2ln"), ThinkingBlock("", redacted="c2VhbGVk"), TextBlock("I look."),
        ToolUseBlock("c_1", "warmth", {"city": "Paris"}), ToolUseBlock("", "look", {}),
    ]  # fmt: skip
    assert said.metadata["finish"]["reason"] == "tool_calls"
    assert said.metadata["usage"] == {"input": 5, "cache_read": 4, "output": 3}
    assert [(one.id, one.name, one.is_error) for one in _results(read[4:6])] == [
        ("c_1", "warmth", False), ("c_9", "other", True),
    ]  # fmt: skip
    sealed = read[6]
    assert sealed.origin == Origin("openai-responses")
    assert sealed.calls[0].id == "call_1"
    assert [block.redacted for block in sealed.blocks if isinstance(block, ThinkingBlock)] == [
        "gAAAA"
    ]
    assert read[9].blocks == [TextBlock("Well"), RefusalBlock("I will not.")]
    # dicts of older releases, and of pydantic, which does not name the kind of a part
    old: dict[str, Any] = {
        "_role": "user",
        "_content": [{"text": "Hi"}],
        "_name": None,
        "_meta": {},
    }
    flat = {"role": "assistant", "content": [{"tool_name": "f", "arguments": {}, "id": "c"}]}
    assert read_messages([old, {"role": "user", "content": "Hi"}]).messages == [Msg.user("Hi")] * 2
    assert read_messages(flat).messages[0].calls == [ToolUseBlock("c", "f", {})]


def _results(messages: list[Msg]) -> list[ToolResultBlock]:
    return [one for msg in messages for one in msg.blocks if isinstance(one, ToolResultBlock)]


def test_what_a_program_changes_counts() -> None:
    """A note is of the message that was written, and what is kept is of the one that was read."""
    [written] = write_messages(told(ToolUseBlock("c", "f", "{bad")), policy="ignore").messages
    assert read_messages(written).messages[0].calls[0].input == "{bad"
    edited = written.to_dict()
    edited["content"][0]["tool_call"]["arguments"] = {"city": "Rome"}
    assert read_messages(edited).messages[0].calls == [ToolUseBlock("c", "f", {"city": "Rome"})]
    [msg] = read_messages(THEIRS[5]).messages
    msg.content[0].output = "no such town"  # type: ignore[union-attr]
    [again] = write_messages([msg]).messages
    assert again.tool_call_result is not None
    assert again.tool_call_result.result == "no such town"


def test_the_programs_own_metadata_come_back_where_they_are_json() -> None:
    [written] = write_messages([Msg.user("Hi", metadata={"page": 3, "file": object()})]).messages
    json.dumps(written.to_dict())
    assert read_messages([written]).messages[0].metadata["page"] == 3


# -- what its chat generators send -----------------------------------------------------------------


def test_signed_thinking_reaches_claude_again() -> None:
    _, sent = to_anthropic(write_messages(CONVERSATIONS["signed thinking"]).messages)
    assert [(one["role"], [part["type"] for part in one["content"]]) for one in sent] == [
        ("user", ["text"]),
        ("assistant", ["thinking", "redacted_thinking", "text", "tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["thinking", "text"]),
    ]
    assert sent[1]["content"][:2] == [
        {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
    ]


def test_sealed_reasoning_reaches_openai_again() -> None:
    written = write_messages(CONVERSATIONS["sealed reasoning"]).messages
    sent = [item for message in written for item in to_responses(message)]
    assert sent[1] == {
        "type": "reasoning", "id": "rs_1", "encrypted_content": "gAAAA",
        "summary": [{"type": "summary_text", "text": "First.\nThen."}],
    }  # fmt: skip
    assert [(one["type"], one["call_id"]) for one in sent if "call_id" in one] == [
        ("function_call", "call_1"), ("function_call_output", "call_1"),
    ]  # fmt: skip


@each_case("name", ["parallel calls with a result that failed", "results with media and objects"])
def test_parallel_calls_and_their_results_are_sent(name: str) -> None:
    """A result holds its call; without `call_id` in it, Responses would be sent an empty id."""
    messages = CONVERSATIONS[name]
    written = write_messages(messages, policy="ignore").messages
    ids = [call.id for msg in messages for call in msg.calls]
    sent = [item for message in written for item in to_responses(message)]
    for kind in ("function_call", "function_call_output"):
        assert [one["call_id"] for one in sent if one.get("type") == kind] == ids
    _, claude = to_anthropic(written)
    results = [part for one in claude for part in one["content"] if part["type"] == "tool_result"]
    assert [one["tool_use_id"] for one in results] == ids
    assert [one["is_error"] for one in results] == [one.is_error for one in _results(messages)]
    origins = [one.tool_call_result.origin for one in written if one.tool_call_result is not None]
    assert origins == [call for one in written for call in one.tool_calls]
    if name.startswith("parallel"):  # Chat Completions has no media in results
        chat = [one.to_openai_dict_format() for one in written]
        assert [one["tool_call_id"] for one in chat if one["role"] == "tool"] == ids


def test_several_texts_of_an_answer_are_sent_as_one() -> None:
    """Of an assistant's texts, `to_openai_dict_format` sends the first one alone."""
    blocks: list[ContentBlock] = [TextBlock("One."), ToolUseBlock("c", "f", {}), TextBlock("Two.")]
    [written] = write_messages([Msg.assistant(blocks)]).messages
    assert written.to_openai_dict_format()["content"] == "One.\n\nTwo."
    assert read_messages([written]).messages == [Msg.assistant(blocks)]
    [refused] = write_messages([Msg.assistant([RefusalBlock("No.")])]).messages
    assert refused.to_openai_dict_format()["content"] == [{"type": "refusal", "refusal": "No."}]


def test_a_tool_of_theirs_is_not_run_with_a_broken_call() -> None:
    ran: list[str] = []

    def f(input: str = "") -> str:
        """Take a text, under the name that broken arguments have."""
        ran.append(input)
        return input

    [call] = write_messages(one_call("{bad")[1:2], policy="ignore").messages[0].tool_calls
    with pytest.raises(ToolInvocationError):
        create_tool_from_function(f).invoke(**call.arguments)
    assert ran == []


# -- answers, and what an LLM is asked -------------------------------------------------------------


def test_an_llm_takes_their_messages() -> None:
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=Scripted("In France."))
    asked = ChatMessage.from_user("Where is Paris?")
    assert find_bridge(asked) is haystack
    answer = llm.ask([ChatMessage.from_system("Be brief."), asked])
    [said] = write_messages([answer]).messages
    assert (said.text, said.meta["model"]) == ("In France.", "claude-opus-5-5")
    assert said.meta["finish_reason"] == "stop"
    body = llm.request([asked, said, ChatMessage.from_user("And Rome?")]).body
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "user"]
    assert llm.request(asked).body["messages"][0]["role"] == "user"


def test_usage_and_finish_of_an_answer() -> None:
    usage = Usage(input=5, cache_read=4, cache_write=2, output=3, reasoning=1)
    answer = ChatResponse([Candidate(Msg.assistant("Hi"), Finish("length", "max_tokens"))], usage)
    [written] = write_messages([answer]).messages
    assert written.meta["usage"] == {
        "prompt_tokens": 11, "completion_tokens": 3, "cache_creation_input_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }  # fmt: skip
    assert written.meta["finish_reason"] == "length"
    [back] = read_messages([written]).messages
    assert back.metadata["usage"] == {
        "input": 5, "cache_read": 4, "cache_write": 2, "output": 3, "reasoning": 1,
    }  # fmt: skip
    assert back.metadata["finish"] == {"reason": "length", "raw": "max_tokens"}


@each_case(
    "value",
    [3, None, "x", [3], [{"role": "nobody", "content": []}], [{"role": "user", "content": 3}],
     [{"role": "user", "content": [{"audio": {}}]}], [{"role": "user", "content": [{"text": 3}]}],
     [{"role": "assistant", "content": [{"tool_call": {"tool_name": "f", "arguments": "{}"}}]}]],
)  # fmt: skip
def test_what_is_no_message_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]", "$[0].content[0]")


# -- what Haystack cannot hold ---------------------------------------------------------------------


def told(*blocks: ContentBlock) -> list[Msg]:
    return [Msg.assistant([*blocks])]


CALLED = told(ToolUseBlock("a", "f", {}))
SOURCE = Base64Source("application/pdf", PDF)
WRAPPED = {"input": "{bad", "error": "no JSON object"}
# in the order of the limits: what is given, and what Haystack itself holds of it
PROOFS: list[tuple[list[Msg], list[Msg]]] = [
    (
        [Msg.system([TextBlock("x"), TextBlock("y")]), *CALLED,
         Msg.user([ToolResultBlock("a", "f", "1"), ToolResultBlock("a", "f", "2"),
                   TextBlock("z")])],
        [Msg.system("x"), Msg.system("y"), *CALLED, Msg.tool("a", "1", "f"),
         Msg.tool("a", "2", "f"), Msg.user("z")],
    ),
    (
        told(TextBlock("x"), ToolUseBlock("a", "f", {}), TextBlock("y"), ThinkingBlock("z")),
        told(ThinkingBlock("z"), TextBlock("x\n\ny"), ToolUseBlock("a", "f", {})),
    ),
    ([Msg("", "x", "developer")], [Msg.system("x")]),
    (told(ToolUseBlock("a", "f", "{bad")), told(ToolUseBlock("a", "f", WRAPPED))),
    (told(ToolUseBlock("a", "f", {}, namespace="n")), CALLED),
    ([*CALLED, Msg.tool("a", {"x": 1}, "f")], [*CALLED, Msg.tool("a", '{"x": 1}', "f")]),
    ([*CALLED, Msg.tool("a", "x")], [*CALLED, Msg.tool("a", "x", "f")]),
    (
        [Msg.user([TextBlock("x"), ImageBlock(URLSource("https://example.com/a.png"))])],
        [Msg.user("x")],
    ),
    ([Msg.user([DocumentBlock(TextSource(["a", "b"]))])], [Msg.user("a\n\nb")]),
    ([Msg.user([DocumentBlock(SOURCE, "A", cite=True)])], [Msg.user([DocumentBlock(SOURCE, "A")])]),
    (told(TextBlock("x"), ImageBlock(Base64Source("image/png", PNG))), told(TextBlock("x"))),
    (told(TextBlock("x", [Citation(url="https://example.com")])), told(TextBlock("x"))),
    (
        [Msg.user([TextBlock("x", cache=CacheHint()), TextBlock("y")])],
        [Msg.user([TextBlock("x"), TextBlock("y")], cache=CacheHint())],
    ),
    (told(ThinkingBlock("a", "sig"), TextBlock("b")), told(ThinkingBlock("a"), TextBlock("b"))),
    (told(RawBlock("anthropic", {"type": "x"}), TextBlock("x")), told(TextBlock("x"))),
    (told(TextBlock("x", extras={"anthropic": {"y": 1}})), told(TextBlock("x"))),
]  # fmt: skip


def test_every_limit_is_one() -> None:
    check_limits(BRIDGE, PROOFS)
