"""Cases of reading Chat Completions and those who copy it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.message import (
    AudioBlock,
    Base64Source,
    Citation,
    DocumentBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from tests.cases.reading import chunk, fragment, said, streamed, whole
from tests.cases.writing import answered, written

CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
HI = Msg.user("Hi")


def test_case_2_empty_text_beside_a_call_makes_no_block() -> None:
    for content in ("", None):
        message = {"content": content, "tool_calls": [CALL]}
        resp = whole("openai-chat", said(message, "tool_calls"))
        assert [block.type for block in resp.msg.blocks] == ["tool_use"]
    events = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": ""}),
        chunk({}, "stop"),
    ]
    assert streamed("openai-chat", events).msg.blocks == []


def test_case_10_ids_that_come_in_each_turn_are_unique_when_they_go_back() -> None:
    first = whole("openai-chat", said({"tool_calls": [{**CALL, "id": "call_0"}]}, "tool_calls"))
    again = whole("openai-chat", said({"tool_calls": [{**CALL, "id": "call_0"}]}, "tool_calls"))
    msgs = [HI, first.msg, answered("call_0"), again.msg, answered("call_0")]
    body, _ = written("anthropic", msgs, tools=[Tool("look")])
    blocks = [b for m in body["messages"] for b in m["content"] if isinstance(b, dict)]
    calls = [b["id"] for b in blocks if b["type"] == "tool_use"]
    assert len({*calls}) == 2
    assert calls == [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]


@pytest.mark.parametrize("text", ['{"city":', "[]", '"Oslo"', "not json"])
def test_case_11_arguments_that_are_no_object_are_kept_as_text(text: str) -> None:
    call = {**CALL, "function": {"name": "look", "arguments": text}}
    block = whole("openai-chat", said({"tool_calls": [call]}, "tool_calls")).msg.blocks[0]
    assert isinstance(block, ToolUseBlock)
    assert (block.raw_input, block.input) == (text, text)
    body, losses = written("anthropic", [HI, Msg("", [block], "assistant"), answered()])
    sent = [b for m in body["messages"] for b in m["content"] if isinstance(b, dict)]
    assert all(isinstance(b["input"], dict) for b in sent if b["type"] == "tool_use")
    assert losses


def test_case_18_names_come_back_as_the_tools_have_them() -> None:
    tools = [Tool("server/tool.v1"), Tool("天气"), Tool("x" * 80)]
    request = ChatRequest([HI], tools=tools)
    out = dragoman.wire("openai-chat").write_request(request)
    names = [tool["function"]["name"] for tool in out.body["tools"]]
    calls = [{"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": "{}"}}
             for n, name in enumerate(names)]  # fmt: skip
    body = said({"tool_calls": calls}, "tool_calls")
    deltas = [chunk(fragment(n, f"call_{n}", name, "{}")) for n, name in enumerate(names)]
    options: tuple[dict[str, Any], ...] = ({"tools": tools}, {"request": request}, {"request": out})
    for given in options:
        assert [c.name for c in whole("openai-chat", body, **given).calls] == [
            t.name for t in tools
        ]
        resp = streamed("openai-chat", [*deltas, chunk({}, "tool_calls")], **given)
        assert [c.name for c in resp.calls] == [t.name for t in tools]


def test_case_28_a_refusal_is_a_block_and_the_reason() -> None:
    resp = whole("openai-chat", said({"content": None, "refusal": "I can't."}))
    assert resp.msg.blocks == [RefusalBlock("I can't.")]
    assert (resp.finish.reason, resp.finish.raw) == ("refusal", "stop")
    pieces = [chunk({"refusal": "I "}), chunk({"refusal": "can't."}), chunk({}, "stop")]
    assert streamed("openai-chat", pieces).msg == resp.msg
    body, _ = written("anthropic", [HI, resp.msg, HI])
    assert "I can't." in json.dumps(body["messages"])


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_case_32_each_host_has_its_own_field_for_thinking(name: str) -> None:
    resp = whole("openai-chat", said({name: "Hm.", "content": "Yes"}))
    assert resp.msg.blocks == [ThinkingBlock("Hm."), TextBlock("Yes")]
    pieces = [chunk({name: "H"}), chunk({name: "m."}), chunk({"content": "Yes"}), chunk({}, "stop")]
    assert streamed("openai-chat", pieces).msg == resp.msg


def test_case_32_two_copies_of_one_thought_are_one() -> None:
    detail = {"type": "reasoning.text", "text": "Hm.", "signature": "s", "index": 0, "format": "f"}
    both = {"reasoning": "Hm.", "reasoning_content": "Hm.", "content": "Yes"}
    assert len(whole("openai-chat", said(both)).msg.blocks) == 2
    resp = whole("openrouter", said({**both, "reasoning_details": [detail]}))
    thought = resp.msg.blocks[0]
    assert isinstance(thought, ThinkingBlock)
    assert (thought.thinking, thought.signature) == ("Hm.", "s")
    assert len(resp.msg.blocks) == 2
    # and the whole detail goes back
    out, _ = written("openrouter", [HI, resp.msg, HI], "anthropic/claude-sonnet-4.5")
    assert out["messages"][1]["reasoning_details"] == [detail]


def test_case_32_details_of_a_stream_are_joined_by_index() -> None:
    def detail(**given: Any) -> dict[str, Any]:
        return chunk(
            {"reasoning": "x", "reasoning_details": [{"index": 0, "format": "f", **given}]}
        )

    events = [
        detail(type="reasoning.text", text="H"), detail(type="reasoning.text", text="m."),
        detail(type="reasoning.text", signature="sig"),
        detail(type="reasoning.encrypted", data="sealed", id="call_1"),
        chunk({"content": "Yes"}), chunk({}, "stop"),
    ]  # fmt: skip
    blocks = streamed("openrouter", events).msg.blocks
    first, second = blocks[0], blocks[1]
    assert isinstance(first, ThinkingBlock)
    assert isinstance(second, ThinkingBlock)
    assert (first.thinking, first.signature) == ("Hm.", "sig")
    assert second.redacted == "sealed"


CITED = {"type": "url_citation", "url_citation": {
    "start_index": 0, "end_index": 5, "url": "https://a.example", "title": "A"}}  # fmt: skip


def test_case_35b_citations_of_a_stream_are_on_the_text() -> None:
    wanted = [TextBlock("Paris", [Citation(0, 5, "https://a.example", "A")])]
    body = said({"content": "Paris", "annotations": [CITED]})
    assert whole("openai-chat", body).msg.blocks == wanted
    events = [chunk({"content": "Paris"}), chunk({"annotations": [CITED]}),
              chunk({"annotations": [CITED]}), chunk({}, "stop")]  # fmt: skip
    assert streamed("openai-chat", events).msg.blocks == wanted


def test_case_35c_arguments_that_come_again_whole_are_no_second_call() -> None:
    text = '{"city": "Oslo"}'
    events = [chunk(fragment(0, "call_1", "look", text[:7])),
              chunk(fragment(0, None, None, text[7:])),
              chunk(fragment(0, "call_1", "look", text)), chunk({}, "tool_calls")]  # fmt: skip
    calls = streamed("openai-chat", events).calls
    assert [(call.name, call.input) for call in calls] == [("look", {"city": "Oslo"})]


def test_case_35e_an_answer_of_thinking_alone_is_an_answer() -> None:
    resp = whole("openai-chat", said({"content": "", "reasoning_content": "Hm."}))
    assert resp.msg.blocks == [ThinkingBlock("Hm.")]
    assert (resp.status, resp.finish.reason) == ("complete", "stop")


def test_case_36_thinking_of_a_tool_turn_goes_back() -> None:
    resp = whole(
        "deepseek", said({"content": "", "reasoning_content": "Hm.", "tool_calls": [CALL]})
    )
    body, losses = written("deepseek", [HI, resp.msg, answered()], "deepseek-v4-pro",
                           tools=[Tool("look")])  # fmt: skip
    assert body["messages"][1]["reasoning_content"] == "Hm."
    assert losses == []


def test_case_52d_the_signature_beside_a_call_comes_back() -> None:
    extra = {"google": {"thought_signature": "sig"}}
    call = {**CALL, "extra_content": extra}
    resp = whole("openai-chat", said({"tool_calls": [call]}, "tool_calls"))
    alone: dict[str, Any] = {"tool_calls": [{"index": 0, "extra_content": extra}]}
    events = [chunk(fragment(0, "call_1", "look", "{}")), chunk(alone), chunk({}, "tool_calls")]
    assert [c.extras for c in streamed("openai-chat", events).calls] == [
        {"openai-chat": {"extra_content": extra}}
    ]
    request = ChatRequest([HI, resp.msg, answered()], tools=[Tool("look")])
    sent = dragoman.wire("openai-chat", policy="ignore").write_request(request).body["messages"][1]
    assert sent["tool_calls"][0]["extra_content"] == extra


def test_case_52d_calls_without_index_and_id_are_calls_of_their_own() -> None:
    events = [chunk(fragment(None, None, "look", '{"n": 1}')),
              chunk(fragment(None, None, "look", '{"n": 2}')), chunk({}, "stop")]  # fmt: skip
    resp = streamed("openai-chat", events)
    assert [call.input for call in resp.calls] == [{"n": 1}, {"n": 2}]
    assert len({call.id for call in resp.calls}) == 2
    assert resp.finish.reason == "tool_calls"


def test_case_95b_audio_in_pieces_is_one_piece_of_audio() -> None:
    events = [chunk({"audio": {"id": "a1", "transcript": "Hel"}}),
              chunk({"audio": {"data": "AAEC", "transcript": "lo"}}),
              chunk({"audio": {"data": "AwQF"}}), chunk({"audio": {"expires_at": 9}}),
              chunk({}, "stop")]  # fmt: skip
    resp = streamed("openai-chat", events)
    audio = next(block for block in resp.msg.blocks if isinstance(block, AudioBlock))
    assert audio.source == Base64Source("audio/pcm", "AAECAwQF")
    assert resp.text == "Hello"
    body = said({"content": None, "audio": {"id": "a1", "data": "AAECAwQF", "expires_at": 9,
                                            "transcript": "Hello"}})  # fmt: skip
    assert whole("openai-chat", body).msg.blocks == resp.msg.blocks


def test_case_95c_what_a_wire_reads_of_a_document_it_writes_again() -> None:
    document = DocumentBlock(Base64Source("application/pdf", "JVBERi0="), "a.pdf")
    body, losses = written("openai-chat", [Msg("", [TextBlock("Read"), document], "user")])
    assert body["messages"][0]["content"][1]["file"]["filename"] == "a.pdf"
    assert losses == []
