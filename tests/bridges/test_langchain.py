"""LangChain's messages, judged by langchain-core and by what its partners send of them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core import messages as core
from langchain_core.load import dumpd
from langchain_core.messages import BaseMessage, messages_from_dict, messages_to_dict
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import ToolException
from langchain_core.tools import tool as langchain_tool
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from dragoman import (
    LLM,
    ChatResponse,
    Formatter,
    InvalidMessage,
    LossRefused,
    Msg,
    NotMessages,
    Toolkit,
    wire,
)
from dragoman.bridges.langchain import LIMITS, read_messages, read_tools, write_messages
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    Candidate,
    ContentBlock,
    DocumentBlock,
    Finish,
    FramesSource,
    Origin,
    RawBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    VideoBlock,
)
from dragoman.testing import Scripted
from tests.each_case import each_case

from .conversations import CLAUDE, CONVERSATIONS, PNG

# as Any: their constructors are typed for fewer arguments than they take
_CORE: Any = core
AIMessage, AIMessageChunk = _CORE.AIMessage, _CORE.AIMessageChunk
ChatMessage, FunctionMessage = _CORE.ChatMessage, _CORE.FunctionMessage
HumanMessage, SystemMessage = _CORE.HumanMessage, _CORE.SystemMessage
RemoveMessage, ToolMessage = _CORE.RemoveMessage, _CORE.ToolMessage

CLAUDES = ChatAnthropic(model="claude-opus-5-5", api_key="sk-none")  # type: ignore[call-arg, arg-type]
RESPONSES = ChatOpenAI(model="gpt-5.6", api_key=SecretStr("sk-none"), use_responses_api=True)
CHAT = ChatOpenAI(model="gpt-5.6", api_key=SecretStr("sk-none"))
BRIEFLY = {"type": "ephemeral"}
URL = "https://example.com/a.png"
PDF = "data:application/pdf;base64"
WAV = Base64Source("audio/wav", "UklGRg==")
SIGNED = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
USE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}
CALL = {"name": "f", "args": {"a": 1}, "id": "toolu_1", "type": "tool_call"}
CITED = {"type": "text", "text": "Paris", "citations": [
    {"type": "web_search_result_location", "url": "https://example.com", "title": "Paris",
     "cited_text": "Paris is", "encrypted_index": "ZW5j"},
    {"type": "char_location", "document_index": 0, "document_title": "A", "cited_text": "x",
     "start_char_index": 0, "end_char_index": 1},
]}  # fmt: skip
FOUND = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "a"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
]
REASONING = {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA", "summary": [
    {"type": "summary_text", "text": "First."}, {"type": "summary_text", "text": "Then."},
]}  # fmt: skip
SEARCHED = {"type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "search", "query": "q"}}  # fmt: skip


def bridged(messages: list[BaseMessage]) -> list[Any]:
    """LangChain's messages, there and back, without a loss."""
    read = read_messages(messages)
    written = write_messages(read.messages)
    assert read.losses + written.losses == []
    return written.messages


def payload(model: Any, messages: list[BaseMessage]) -> Any:
    """What a partner sends; texts of arguments are JSON, however they are spaced."""
    return parsed(json.loads(json.dumps(model._get_request_payload(messages), default=str)))


def parsed(value: Any) -> Any:
    if isinstance(value, list):
        return [parsed(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: parsed(one) for key, one in value.items()}
    if str(found.get("arguments", "")).endswith("}"):
        found["arguments"] = json.loads(found["arguments"])
    return found


def answer(content: Any, provider: str = "anthropic", **fields: Any) -> Any:
    return AIMessage(content, response_metadata={"model_provider": provider}, **fields)


# -- theirs to ours to theirs: their own packages send the same ------------------------------------

HISTORIES: list[tuple[Any, list[BaseMessage]]] = [
    (CLAUDES, [
        SystemMessage([{"type": "text", "text": "Be brief.", "cache_control": BRIEFLY}]),
        HumanMessage([
            {"type": "text", "text": "Look", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
            {"type": "document", "title": "A", "citations": {"enabled": True},
             "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
        ]),
        answer([SIGNED, {"type": "redacted_thinking", "data": "c2VhbA=="}, CITED, *FOUND, USE],
               tool_calls=[CALL]),
        ToolMessage([{"type": "text", "text": "no"}], tool_call_id="toolu_1", status="error"),
    ]),
    # without model_provider, as messages of older releases and of other programs are
    (CLAUDES, [
        HumanMessage("Go."),
        AIMessage([SIGNED, {"type": "text", "text": "I do."}, USE], tool_calls=[CALL]),
        ToolMessage("18", tool_call_id="toolu_1", artifact={"rows": 3}),
    ]),
    (RESPONSES, [
        HumanMessage("Go."),
        answer([REASONING, {"type": "text", "text": "Hi", "id": "msg_1", "annotations": [
                   {"type": "url_citation", "url": "https://example.com", "title": "P",
                    "start_index": 0, "end_index": 2}]},
                SEARCHED,
                {"type": "function_call", "id": "fc_1", "call_id": "toolu_1", "name": "f",
                 "arguments": '{"a": 1}'}],
               "openai", tool_calls=[CALL]),
        ToolMessage("18", tool_call_id="toolu_1"),
    ]),
    (CHAT, [
        SystemMessage("Be brief.", additional_kwargs={"__openai_role__": "developer"}),
        HumanMessage("Go.", name="bob"),
        answer("I do.", "openai", tool_calls=[CALL, {**CALL, "id": "toolu_2"}],
               invalid_tool_calls=[{"name": "f", "args": "{bad", "id": "c_3", "error": "no JSON",
                                    "type": "invalid_tool_call"}]),
        ToolMessage("18", tool_call_id="toolu_1"),
        ToolMessage("19", tool_call_id="toolu_2"),
        HumanMessage([
            {"type": "text", "text": "See"},
            {"type": "image_url", "image_url": {"url": URL, "detail": "low"}},
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": f"{PDF},JVBERi0="}},
        ]),
    ]),
]  # fmt: skip


@each_case(("model", "messages"), HISTORIES, ids=lambda one: type(one).__name__)
def test_a_partner_sends_the_same(model: Any, messages: list[BaseMessage]) -> None:
    assert payload(model, bridged(messages)) == payload(model, messages)


def test_stored_forms_are_read_as_the_objects() -> None:
    messages = [*HISTORIES[0][1], *HISTORIES[2][1]]
    read = read_messages(messages).messages
    assert read_messages(messages_to_dict(messages)).messages == read
    assert read_messages([dumpd(message) for message in messages]).messages == read
    written = write_messages(read).messages
    assert [
        messages_from_dict([{"type": one.type, "data": dumpd(one)["kwargs"]}]) for one in written
    ] == [[one] for one in written]
    assert messages_from_dict(messages_to_dict(written)) == written


def test_everything_that_a_langchain_user_has_at_hand_is_read() -> None:
    expected = [Msg.system("Be brief."), Msg.user("Hi")]
    prompt = ChatPromptTemplate([("system", "Be brief."), ("human", "{text}")])
    forms: list[Any] = [
        [SystemMessage("Be brief."), HumanMessage("Hi")],
        {"messages": [SystemMessage("Be brief."), HumanMessage("Hi")]},
        prompt.invoke({"text": "Hi"}),
        [("system", "Be brief."), ("human", "Hi")],
        [{"role": "system", "content": "Be brief."}, "Hi"],
        [Msg.system("Be brief."), HumanMessage("Hi")],
    ]
    assert [read_messages(one).messages for one in forms] == [expected] * len(forms)
    assert read_messages(HumanMessage("Hi")).messages == read_messages("Hi").messages


def test_an_llm_takes_langchains_messages() -> None:
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=Scripted("In France."))
    template = ChatPromptTemplate([("human", "Where is {city}?")])
    prompt: Any = template.invoke({"city": "Paris"})
    for asked in (prompt, HumanMessage("Where is Paris?"), [HumanMessage("Where is Paris?")]):
        assert llm.request(asked).body["messages"][0]["role"] == "user"
    history: list[Any] = [SystemMessage("Be brief."), Msg.user("Where is Paris?")]
    said = llm.ask(history)
    [message] = write_messages([said]).messages
    assert isinstance(message, AIMessage)
    assert message.text == "In France."
    assert message.response_metadata["model_provider"] == "anthropic"
    body = llm.request([*history, message, HumanMessage("And Rome?")]).body
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "user"]
    assert body["system"] == "Be brief."


@each_case("value", [3, None, [3], [HumanMessage("a"), object()], [{"role": "nobody"}], {"a": 1}])
def test_what_is_no_message_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]", "$[1]")
    assert caught.value.hint


# -- what LangChain itself does with what it gets --------------------------------------------------


def test_a_call_is_there_once_and_thinking_keeps_its_signature() -> None:
    [_, thought, *_] = CONVERSATIONS["signed thinking"]
    [message] = write_messages([thought]).messages
    assert isinstance(message, AIMessage)
    kinds = [block["type"] for block in message.content_blocks]
    assert kinds == ["reasoning", "non_standard", "text", "tool_call"]
    assert message.content_blocks[0]["extras"] == {"signature": "c2lnbmVk"}
    sent = payload(CLAUDES, [HumanMessage("Hi"), message])["messages"][1]["content"]
    assert sent[:2] == [
        {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
    ]
    assert [part["type"] for part in sent].count("tool_use") == 1
    # the trap: the same blocks without the provider's name
    bare = AIMessage([SIGNED, USE], tool_calls=[CALL])
    kinds = [block["type"] for block in bare.content_blocks]
    assert kinds == ["non_standard", "non_standard", "tool_call"]
    [read] = read_messages([bare]).messages
    assert [block.type for block in read.blocks] == ["thinking", "tool_use"]
    assert read.origin == Origin("anthropic")


@each_case("name", CONVERSATIONS)
def test_what_is_written_is_sent_by_the_partner_as_by_our_own_wire(name: str) -> None:
    """The judge of the way out: calls, results and thinking arrive at the API as we write them."""
    messages = CONVERSATIONS[name]
    if any(block.type == "raw" for msg in messages for block in msg.blocks):
        messages = messages[:1]
    sent = payload(CLAUDES, write_messages(messages, policy="ignore").messages)["messages"]
    body = (
        wire("anthropic", policy="ignore")
        .write_request(
            wire("anthropic").read_request({"messages": sent, "model": "m", "max_tokens": 9})
        )
        .body["messages"]
    )
    assert [m["role"] for m in sent] == [m["role"] for m in body]
    calls = [block for msg in messages for block in msg.blocks if isinstance(block, ToolUseBlock)]
    made = [part for m in sent if isinstance(m["content"], list) for part in m["content"]]
    assert [(p["id"], p["input"]) for p in made if p["type"] == "tool_use"] == [
        (call.id, call.input) for call in calls
    ]
    results = [block for m in messages for block in m.blocks if isinstance(block, ToolResultBlock)]
    failed = [part["is_error"] for part in made if part["type"] == "tool_result"]
    assert failed == [one.is_error for one in results]


def test_a_streams_cut_arguments_are_no_call() -> None:
    chunk = {"name": "f", "args": '{"a": [1, 2', "id": "c_1", "index": 0}
    message = AIMessageChunk("", tool_call_chunks=[chunk])
    assert message.tool_calls[0]["args"] == {"a": [1, 2]}, "LangChain repairs them"
    [read] = read_messages([message]).messages
    [call] = read.calls
    assert (call.unfinished, call.input) == (True, '{"a": [1, 2')
    [written] = write_messages([read]).messages
    assert isinstance(written, AIMessage)
    assert written.tool_calls == []
    assert written.invalid_tool_calls[0]["args"] == '{"a": [1, 2'
    whole = AIMessageChunk("", tool_call_chunks=[{**chunk, "args": '{"a": 1}'}])
    assert [one.input for one in read_messages([whole]).messages[0].calls] == [{"a": 1}]


def test_calls_that_langchain_cannot_read_are_read() -> None:
    def call(id: str, text: str) -> dict[str, Any]:
        return {"id": id, "type": "function", "function": {"name": "f", "arguments": text}}

    texts = ["", "{bad", "[1]", "null", '{"a": 1}']
    calls = [call(f"c_{i}", text) for i, text in enumerate(texts)]
    item = {"role": "assistant", "content": "Go.", "tool_calls": calls}
    found = {one.id: one.input for one in read_messages([item]).messages[0].calls}
    assert found == {"c_0": {}, "c_1": "{bad", "c_2": "[1]", "c_3": {}, "c_4": {"a": 1}}


def test_a_call_without_an_id_is_read_and_written() -> None:
    message = AIMessage("Go.", tool_calls=[{"name": "f", "args": {}, "id": None}])
    assert [one["type"] for one in message.content_blocks] == ["text"], "LangChain leaves it out"
    [read] = read_messages([message]).messages
    assert [(one.id, one.name) for one in read.calls] == [("", "f")]
    assert bridged([message])[0].tool_calls == message.tool_calls


def test_tool_calls_count_more_than_the_blocks() -> None:
    """A program that edits a call edits `tool_calls`; langchain-anthropic sends these, too."""
    message = answer([{"type": "text", "text": "I do."}, USE], tool_calls=[CALL])
    message.tool_calls[0]["args"] = {"a": 2}
    assert read_messages([message]).messages[0].calls[0].input == {"a": 2}


def test_an_object_as_a_result_is_json_and_comes_back() -> None:
    given = Msg.tool("c_1", {"sky": "clear", "note": None})
    [message] = write_messages([given]).messages
    assert message.content == '{"sky": "clear", "note": null}'
    assert read_messages([message]).messages == [given]
    assert ToolMessage({"sky": None}, tool_call_id="c").content == "{'sky': None}"


def test_artifacts_stay_with_the_program() -> None:
    message = ToolMessage("3 rows", tool_call_id="c_1", name="f", artifact=[1, 2, 3])
    [read] = read_messages([message]).messages
    assert read.metadata["artifact"] == [1, 2, 3]
    assert bridged([message]) == [message]


def test_messages_of_older_programs() -> None:
    legacy = {"function_call": {"name": "f", "arguments": '{"a": 1}'}}
    messages: list[BaseMessage] = [
        AIMessage("", additional_kwargs=legacy),
        FunctionMessage("18", name="f"),
        ChatMessage("Hi", role="user"),
        ChatMessage("Hm", role="critic"),
    ]
    read = read_messages(messages, policy="ignore")
    call, result, *said = read.messages
    assert call.calls[0].input == {"a": 1}
    assert [block.id for block in result.blocks if isinstance(block, ToolResultBlock)] == [
        call.calls[0].id
    ]
    assert said == [Msg.user("Hi"), Msg.user("Hm")]
    [loss] = read.losses
    assert (loss.code, loss.where, loss.what) == ("word.other_provider", "$[3].role", "critic")
    written = write_messages(read.messages).messages
    assert [one.type for one in written] == ["ai", "function", "chat", "chat"]
    assert written[3] == messages[3]


def test_an_order_to_forget_a_message_is_a_loss() -> None:
    read = read_messages({"messages": [HumanMessage("a"), RemoveMessage("x")]}, policy="ignore")
    assert read.messages == [Msg.user("a")]
    assert [(one.code, one.where) for one in read.losses] == [("message.empty", "$.messages[1]")]
    with pytest.raises(LossRefused):
        read_messages([RemoveMessage("x")], policy="refuse")


# -- usage, finish, notes -------------------------------------------------------------------------


def test_usage_and_finish_cross_both_ways() -> None:
    usage = Usage(10, 100, 20, 7, 3, total=137)
    said = ChatResponse(
        [Candidate(Msg.assistant("Hi", origin=CLAUDE), Finish("length", "max_tokens"))],
        usage, model="claude-opus-5-5", id="msg_1",
    )  # fmt: skip
    [message] = write_messages([said]).messages
    assert isinstance(message, AIMessage)
    assert message.usage_metadata == {
        "input_tokens": 130, "output_tokens": 7, "total_tokens": 137,
        "input_token_details": {"cache_read": 100, "cache_creation": 20},
        "output_token_details": {"reasoning": 3},
    }  # fmt: skip
    assert message.response_metadata == {
        "model_provider": "anthropic", "model_name": "claude-opus-5-5", "id": "msg_1",
        "stop_reason": "max_tokens",
    }  # fmt: skip
    [read] = read_messages([message]).messages
    assert Usage(**read.metadata["usage"]) == usage
    assert read.metadata["finish"] == {"reason": "length", "raw": "max_tokens"}
    assert (read.metadata["model"], read.metadata["answer_id"]) == ("claude-opus-5-5", "msg_1")
    assert bridged([message]) == [message]


def test_ids_names_and_notes_come_back() -> None:
    given = [
        Msg.user("Hi", "Bob", id="m1", metadata={"mood": 3}, timestamp="2026-11-29T12:00:00Z"),
        Msg.assistant("Ho", "Friday", extras={"openai-chat": {"audio": {"id": "a"}}}),
    ]
    back = read_messages(write_messages(given).messages).messages
    assert back == given
    assert back[0].to_dict() == given[0].to_dict()
    [human, _] = write_messages(given).messages
    assert (human.id, human.name) == ("m1", "Bob")


# -- what LangChain cannot hold --------------------------------------------------------------------


def said(*blocks: ContentBlock) -> list[Msg]:
    return [Msg.assistant([*blocks], origin=CLAUDE)]


_OWN = {"openai-responses": {"id": "fc_1"}}
# the limit -> what is given, and what comes back
PROOFS: dict[str, tuple[list[Msg], list[Msg]]] = {
    LIMITS[0].what: (
        [Msg.user([*(ToolResultBlock(id, output=id) for id in "ab"), TextBlock("x")])],
        [Msg.tool("a", "a"), Msg.tool("b", "b"), Msg.user([TextBlock("x")])],
    ),
    LIMITS[1].what: (
        said(ToolUseBlock("a", "f", {"x": 1.0}, '{ "x": 1.0 }')),
        said(ToolUseBlock("a", "f", {"x": 1.0})),
    ),
    LIMITS[2].what: (
        said(ToolUseBlock("a", "f", "text", freeform=True)),
        said(ToolUseBlock("a", "f", {"input": "text"})),
    ),
    LIMITS[3].what: (
        said(ToolUseBlock("a", "f", {}, namespace="n")),
        said(ToolUseBlock("a", "f", {})),
    ),
    LIMITS[4].what: (
        [*said(ToolUseBlock("a", "f", {}, cache=CacheHint())),
         Msg.user([AudioBlock(WAV, cache=CacheHint())])],
        [*said(ToolUseBlock("a", "f", {})), Msg.user([AudioBlock(WAV)])],
    ),
    LIMITS[5].what: (
        [Msg.user([TextBlock("x"), VideoBlock(FramesSource([f"data:image/png;base64,{PNG}"]))])],
        [Msg.user([TextBlock("x")])],
    ),
    LIMITS[6].what: (
        [Msg.user([DocumentBlock(TextSource(["a", "b"], "https://example.com"))])],
        [Msg.user([DocumentBlock(TextSource(["a\n\nb"]))])],
    ),
    LIMITS[7].what: (
        said(ToolUseBlock("a", "f", {}, extras=_OWN)), said(ToolUseBlock("a", "f", {})),
    ),
    LIMITS[8].what: (
        [*said(ThinkingBlock("a", "sig", origin=Origin("openai-responses")), TextBlock("b")),
         Msg.assistant([ThinkingBlock("a", redacted="sig"), TextBlock("b")],
                       origin=Origin("openai-chat"))],
        [*said(ThinkingBlock("a"), TextBlock("b")),
         Msg.assistant([ThinkingBlock("a"), TextBlock("b")])],
    ),
    LIMITS[9].what: (said(RawBlock("gemini", {"x": 1}), TextBlock("b")), said(TextBlock("b"))),
    LIMITS[10].what: ([Msg("", [ToolResultBlock("a", output=None)], "tool")], [Msg.tool("a", "")]),
}  # fmt: skip


@each_case("limit", LIMITS, ids=lambda limit: limit.what)
def test_a_limit_is_one(limit: Any) -> None:
    given, expected = PROOFS[limit.what]
    written = write_messages(given, policy="ignore")
    assert {loss.code for loss in written.losses} == ({limit.code} if limit.code else set())
    assert read_messages(written.messages).messages == expected


def test_a_loss_names_its_place_in_the_source() -> None:
    [loss] = write_messages([Msg.user("a"), *PROOFS[LIMITS[3].what][0]], policy="ignore").losses
    assert (loss.where, loss.target) == ("$.messages[1].content[0].namespace", "langchain")
    with pytest.raises(LossRefused):
        write_messages(PROOFS[LIMITS[3].what][0], policy="refuse")


def test_thinking_without_an_issuer_is_nobodys() -> None:
    """No provider may be named for a signature whose issuer is not known."""
    [message] = write_messages(
        [Msg.assistant([ThinkingBlock("a", "sig"), TextBlock("b")])]
    ).messages
    assert "model_provider" not in message.response_metadata
    sent = payload(CLAUDES, [HumanMessage("x"), message])["messages"][1]["content"]
    assert [part["type"] for part in sent] == ["text"]


# -- tools ----------------------------------------------------------------------------------------


@langchain_tool
def warmth(city: str, days: int = 1) -> str:
    """How warm it is in a city."""
    if city == "Nowhere":
        raise ToolException("no such city")
    return f"18 degrees in {city} for {days}"


@langchain_tool
async def rain(city: str) -> str:
    """How much it rains in a city."""
    return f"no rain in {city}"


def test_langchains_tools_are_offered_and_run() -> None:
    tools = read_tools([warmth, rain])
    llm = LLM("anthropic/claude-opus-5-5", key="none", tools=tools)
    offered = llm.request("Hi").body["tools"]
    assert [(one["name"], one["description"]) for one in offered] == [
        ("warmth", "How warm it is in a city."), ("rain", "How much it rains in a city."),
    ]  # fmt: skip
    assert offered[0]["input_schema"]["required"] == ["city"]
    calls = [
        ToolUseBlock("c_1", "warmth", {"city": "Paris", "days": 2}),
        ToolUseBlock("c_2", "rain", {"city": "Paris"}),
        ToolUseBlock("c_3", "warmth", {"city": "Nowhere"}),
    ]
    found = asyncio.run(Toolkit(tools).arun(calls))
    results = [block for msg in found for block in msg.blocks if isinstance(block, ToolResultBlock)]
    assert [one.output for one in results[:2]] == [
        "18 degrees in Paris for 2", "no rain in Paris",
    ]  # fmt: skip
    assert results[2].is_error
    assert "no such city" in str(results[2].output)


def test_where_a_bridge_is_needed_the_error_names_it() -> None:
    with pytest.raises(InvalidMessage, match=r"bridges\.langchain\.read_tools"):
        LLM("anthropic/claude-opus-5-5", key="none", tools=[warmth])
    with pytest.raises(NotMessages, match=r"bridges\.langchain\.read_messages"):
        Formatter("openai").write([HumanMessage("Hi")])
    with pytest.raises(InvalidMessage, match="no tool of LangChain"):
        read_tools([len])  # type: ignore[list-item]
