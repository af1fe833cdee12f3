"""What wires and hosts of one maker share, as each of them has it."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import (
    Candidate,
    ChatResponse,
    Finish,
    TextBlock,
    ToolUseBlock,
    Usage,
    dump,
    load,
)
from dragoman.vendors import VENDORS, vendor
from tests.contract.judges import judge_of, judge_request
from tests.each_case import each_case

CHAT = "openai-chat"
RESPONSES = "openai-responses"
HI = {"role": "user", "content": "Hi"}
SHARED = {
    "prompt_cache_key": "k", "prompt_cache_retention": "24h", "metadata": {"a": "b"},
    "prompt_cache_options": {"mode": "explicit"}, "store": False,
    "stream_options": {"include_obfuscation": False},
}  # fmt: skip
GRAMMAR = {"syntax": "lark", "definition": 'start: "x"'}


def converted(
    source: str, target: str, body: dict[str, Any]
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The other body, and the losses that are no more than the model's kept name."""
    out = dragoman.convert(body, source, target, policy="ignore")
    losses = [(loss.code, loss.where) for loss in out.losses if loss.code != "model.kept"]
    return out.body, losses


def both(chat: dict[str, Any], responses: dict[str, Any]) -> None:
    """Each of the two is made of the other, and nothing is lost."""
    chat = {"model": "gpt-5.6", "messages": [HI], **chat}
    responses = {"model": "gpt-5.6", "input": [HI], **responses}
    for source, target, given, made in (
        (CHAT, RESPONSES, chat, responses), (RESPONSES, CHAT, responses, chat),
    ):  # fmt: skip
        body, losses = converted(source, target, given)
        body.pop("include", None)  # the sealed form of thoughts, which nobody keeps
        assert body == made
        assert [code for code, _ in losses if code != "include.added"] == []


def test_fields_of_one_name() -> None:
    both(SHARED, SHARED)


def test_verbosity() -> None:
    both({"verbosity": "low"}, {"text": {"verbosity": "low"}})


def test_verbosity_beside_a_format() -> None:
    form = {"name": "n", "schema": {"type": "object"}, "description": "d", "strict": False}
    both(
        {"verbosity": "low", "response_format": {"type": "json_schema", "json_schema": form}},
        {"text": {"verbosity": "low", "format": {"type": "json_schema", **form}}},
    )


@pytest.mark.parametrize("users", [
    {"safety_identifier": "s"},
    {"safety_identifier": "s", "user": "u"},
])  # fmt: skip
def test_users_by_both_of_their_names(users: dict[str, str]) -> None:
    both(users, users)


def test_custom_tools_and_the_choice_among_them() -> None:
    named = {"name": "c", "description": "d"}
    nested = {"type": "grammar", "grammar": GRAMMAR}
    flat = {"type": "grammar", **GRAMMAR}
    both(
        {"tools": [{"type": "custom", "custom": {**named, "format": nested}}],
         "tool_choice": {"type": "custom", "custom": {"name": "c"}}},
        {"tools": [{"type": "custom", **named, "format": flat}],
         "tool_choice": {"type": "custom", "name": "c"}},
    )  # fmt: skip


def test_a_choice_among_custom_tools() -> None:
    custom = {"type": "custom", "custom": {"name": "c"}}
    flat = {"type": "custom", "name": "c"}
    both(
        {"tools": [custom], "tool_choice": {
            "type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [custom]}}},
        {"tools": [flat], "tool_choice": {"type": "allowed_tools", "mode": "auto",
                                          "tools": [flat]}},
    )  # fmt: skip


def test_calls_of_custom_tools_and_their_results() -> None:
    call = {"id": "c2", "type": "custom", "custom": {"name": "c", "input": "xx"}}
    both(
        {"messages": [HI, {"role": "assistant", "content": None, "tool_calls": [call]},
                      {"role": "tool", "tool_call_id": "c2", "content": "R"}, HI],
         "tools": [{"type": "custom", "custom": {"name": "c"}}]},
        {"input": [HI, {"type": "custom_tool_call", "call_id": "c2", "name": "c", "input": "xx"},
                   {"type": "custom_tool_call_output", "call_id": "c2", "output": "R"}, HI],
         "tools": [{"type": "custom", "name": "c"}]},
    )  # fmt: skip


def test_texts_of_a_custom_tools_result() -> None:
    call = {"id": "c2", "type": "custom", "custom": {"name": "c", "input": "xx"}}
    said = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    told = {"model": "gpt-5.6", "messages": [
        HI, {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c2", "content": said}]}  # fmt: skip
    body, losses = converted(CHAT, RESPONSES, told)
    texts = [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]
    assert body["input"][-1] == {"type": "custom_tool_call_output", "call_id": "c2",
                                 "output": texts}  # fmt: skip
    assert [code for code, _ in losses if code != "include.added"] == []
    back, _ = converted(RESPONSES, CHAT, body)
    assert back["messages"][-1] == told["messages"][-1]


def test_what_a_call_has_beyond_that_is_lost_by_name() -> None:
    item = {"type": "custom_tool_call", "call_id": "c2", "name": "c", "input": "x",
            "namespace": "n", "caller": {"type": "direct"}}  # fmt: skip
    body, losses = converted(RESPONSES, CHAT, {"model": "m", "input": [HI, item]})
    assert body["messages"][1]["tool_calls"] == [
        {"id": "c2", "type": "custom", "custom": {"name": "n__c", "input": "x"}}]  # fmt: skip
    assert ("tool.namespace", "$.input[1].namespace") in losses
    assert ("extras.other_provider", "$.input[1].caller.type") in losses


def test_one_host_speaks_to_itself_and_others_are_no_kin() -> None:
    chat = {"model": "gpt-5.6", "messages": [HI], "verbosity": "low"}
    body, losses = converted("azure/openai-chat", "azure/openai-responses", chat)
    assert body["text"] == {"verbosity": "low"}
    assert "verbosity" not in body
    assert [code for code, _ in losses if code != "include.added"] == []
    _, losses = converted("groq", RESPONSES, chat)
    assert ("extras.other_provider", "$.verbosity") in losses


def test_other_wires_name_each_as_lost() -> None:
    body, losses = converted(CHAT, "anthropic", {
        "model": "m", "messages": [HI], "verbosity": "low", "safety_identifier": "s"})  # fmt: skip
    assert ("extras.other_provider", "$.verbosity") in losses
    assert body["metadata"] == {"user_id": "s"}


@pytest.mark.parametrize("tools", [None, 7, [{}], ["look"], [{"type": None, "name": "look"}]])
def test_a_choice_among_what_is_no_tool_is_named(tools: object) -> None:
    choice = {"type": "allowed_tools", "mode": "auto", "tools": tools}
    asked = {"model": "gpt-5.6", "input": [HI], "tool_choice": choice}
    _, losses = converted(RESPONSES, CHAT, asked)
    assert ("extras.other_provider", "$.tool_choice.mode") in losses


# Hosts and wires of one maker, for answers, streams and histories

CITED = [
    ({"type": "char_location", "cited_text": "warm", "document_index": 0, "start_char_index": 3,
      "end_char_index": 7, "document_title": "D"},
     {"title": "D", "sourceContent": [{"text": "warm"}],
      "location": {"documentChar": {"documentIndex": 0, "start": 3, "end": 7}}}),
    ({"type": "page_location", "cited_text": "w", "document_index": 1, "start_page_number": 1,
      "end_page_number": 2, "document_title": "P"},
     {"title": "P", "sourceContent": [{"text": "w"}],
      "location": {"documentPage": {"documentIndex": 1, "start": 1, "end": 2}}}),
    ({"type": "content_block_location", "cited_text": "w", "document_index": 2,
      "start_block_index": 0, "end_block_index": 1, "document_title": "C"},
     {"title": "C", "sourceContent": [{"text": "w"}],
      "location": {"documentChunk": {"documentIndex": 2, "start": 0, "end": 1}}}),
    ({"type": "search_result_location", "cited_text": "w", "search_result_index": 0,
      "start_block_index": 0, "end_block_index": 1, "title": "T", "source": "https://a.b/c"},
     {"title": "T", "source": "https://a.b/c", "sourceContent": [{"text": "w"}],
      "location": {"searchResultLocation": {"searchResultIndex": 0, "start": 0, "end": 1}}}),
]  # fmt: skip
FOUND = {"source": "https://a.b", "title": "T", "citations": {"enabled": True}}
CLAUDES: dict[str, list[dict[str, Any]]] = {
    "anthropic": [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
        {"type": "text", "text": "warm", "citations": [one for one, _ in CITED]},
    ],
    "bedrock-converse": [
        {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}},
        {"reasoningContent": {"redactedContent": "YzJWaGJHVms="}},
        {"citationsContent": {"citations": [one for _, one in CITED],
                              "content": [{"text": "warm"}]}},
    ],
}  # fmt: skip
SHOWN: dict[str, list[dict[str, Any]]] = {
    "anthropic": [
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hi"},
         "title": "D", "context": "c", "citations": {"enabled": True}},
        {"type": "document", "title": "C", "citations": {"enabled": True},
         "source": {"type": "content", "content": [{"type": "text", "text": "x"}]}},
        {"type": "search_result", **FOUND, "content": [{"type": "text", "text": "x"}]},
        {"type": "text", "text": "?"},
    ],
    "bedrock-converse": [
        {"document": {"format": "txt", "name": "D", "source": {"bytes": "aGk="}, "context": "c",
                      "citations": {"enabled": True}}},
        {"document": {"format": "txt", "name": "C", "source": {"content": [{"text": "x"}]},
                      "citations": {"enabled": True}}},
        {"searchResult": {**FOUND, "content": [{"text": "x"}]}},
        {"text": "?"},
    ],
}  # fmt: skip
BOTH = [("anthropic", "bedrock-converse"), ("bedrock-converse", "anthropic")]


def answer(wire: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    if wire == "anthropic":
        return {"type": "message", "role": "assistant", "id": "msg_1", "content": content,
                "model": "claude-opus-4-6", "stop_reason": "end_turn", "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 2}}  # fmt: skip
    usage = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}
    return {"output": {"message": {"role": "assistant", "content": content}},
            "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 1}}  # fmt: skip


def content_of(body: dict[str, Any]) -> Any:
    return body["content"] if "content" in body else body["output"]["message"]["content"]


def unsaid(losses: Any) -> list[str]:
    return [loss.where for loss in losses if "content[" in loss.where]


@pytest.mark.parametrize(("source", "target"), BOTH)
def test_an_answer_of_claude_keeps_seals_and_citations(source: str, target: str) -> None:
    out = dragoman.convert(answer(source, CLAUDES[source]), source, target, kind="response",
                           policy="ignore")  # fmt: skip
    assert content_of(out.body) == CLAUDES[target]
    assert unsaid(out.losses) == []


@pytest.mark.parametrize(("source", "target"), BOTH)
def test_a_stream_of_claude_keeps_seals_and_citations(source: str, target: str) -> None:
    reader, writer = dragoman.wire(source), dragoman.wire(target, policy="ignore")
    streamed, told = reader.stream_encoder(), reader.stream_decoder()
    pieces = reader.stream_decoder().feed(answer(source, CLAUDES[source]))
    events = [event for piece in pieces for event in streamed.feed(piece)] + streamed.finish()
    sent = writer.stream_encoder(origin=told.origin)
    heard = writer.stream_decoder()
    for name, payload in events:
        for piece in told.feed(payload, name):
            for event, data in sent.feed(piece):
                heard.feed(data, event)
    for event, data in sent.finish():
        heard.feed(data, event)
    assert unsaid(sent.losses) == []
    assert content_of(writer.write_response(heard.snapshot()).body) == CLAUDES[target]


@pytest.mark.parametrize(("source", "target"), BOTH)
def test_a_history_of_claude_keeps_documents_and_what_was_found(source: str, target: str) -> None:
    asked = {"role": "user", "content": SHOWN[source]}
    said = {"role": "assistant", "content": CLAUDES[source]}
    body = {"messages": [asked, said, asked]}
    model = "us.anthropic.claude-opus-4-6-v1" if target != "anthropic" else "claude-opus-4-6"
    out = dragoman.convert(body, source, target, model=model, policy="ignore")
    shown, heard, _ = (m["content"] for m in out.body["messages"])
    assert shown == SHOWN[target]
    assert heard == CLAUDES[target]
    again = [f"$.messages[2].content[{i}].title" for i in range(2)]
    assert unsaid(out.losses) in ([], again)  # a name stands but once


def test_a_seal_of_nobodys_kin_stays_behind() -> None:
    for source, target in (("deepseek/anthropic", "bedrock-converse"),
                           ("bedrock-converse", "deepseek/anthropic")):  # fmt: skip
        given = answer(source.split("/")[-1], CLAUDES[source.split("/")[-1]][:2])
        out = dragoman.convert(given, source, target, kind="response", policy="ignore")
        assert "c2ln" not in str(out.body)
        assert len(unsaid(out.losses)) == 2


SAID: dict[str, Any] = {
    "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
    "model": "gpt-5.6", "service_tier": "default", "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "s"}]},
        {"type": "web_search_call", "id": "ws_1", "status": "completed",
         "action": {"type": "search", "query": "q"}},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}",
         "status": "completed"}],
}  # fmt: skip
GROUNDED = {
    "candidates": [{"content": {"role": "model", "parts": [
        {"text": "Hi"}, {"executableCode": {"language": "PYTHON", "code": "1"}}]},
        "finishReason": "STOP", "groundingMetadata": {"webSearchQueries": ["q"]}}],
    "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 1, "trafficType": "ON_DEMAND"},
    "modelVersion": "gemini-3-pro", "responseId": "x",
}  # fmt: skip


@pytest.mark.parametrize(("protocol", "hosts", "body"), [
    ("openai-responses", ("openai", "azure", "bedrock-mantle"), SAID),
    ("gemini", ("gemini", "vertex"), GROUNDED),
])  # fmt: skip
def test_an_answer_is_the_same_at_every_host_of_its_maker(
    protocol: str, hosts: tuple[str, ...], body: dict[str, Any]
) -> None:
    for source in hosts:
        for target in hosts:
            out = dragoman.convert(body, f"{source}/{protocol}", f"{target}/{protocol}",
                                   kind="response")  # fmt: skip
            assert out.body == body
            assert out.losses == []


def test_what_one_host_has_sealed_is_named_and_left_out_for_another() -> None:
    sealed = {**SAID, "output": [{**SAID["output"][0], "encrypted_content": "enc"}]}
    signed = {"candidates": [{"content": {"role": "model", "parts": [
        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "YWJj"}]},
        "finishReason": "STOP"}], "modelVersion": "gemini-3-pro"}  # fmt: skip
    for source, target, body, seal in (
        ("azure/openai-responses", RESPONSES, sealed, "enc"),
        (RESPONSES, "azure/openai-responses", sealed, "enc"),
        ("gemini", "vertex", signed, "YWJj"), ("vertex", "gemini", signed, "YWJj"),
    ):  # fmt: skip
        out = dragoman.convert(body, source, target, kind="response", policy="ignore")
        assert f"'{seal}'" not in str(out.body)
        assert len(out.losses) == 1


def wires_of_one_vendor() -> list[tuple[str, str]]:
    """(wire, another of the same vendor), where both have the vendor's name for their fields."""
    pairs = [(f"{name}/{one}", f"{name}/{other}") for name in VENDORS
             for one, other in permutations(vendor(name).wires, 2)]  # fmt: skip
    alike = [(one, other) for one, other in pairs
             if dragoman.wire(one).room.issuer == dragoman.wire(other).room.issuer]  # fmt: skip
    makers = [("azure/openai-chat", RESPONSES), ("azure/openai-responses", CHAT)]
    return [*alike, *makers]


CALLS = [("call_0", "look", {"at": 1}), ("call_1", "look", {"at": 2})]


def an_answer(wire: dragoman.Wire) -> dict[str, Any]:
    """An answer of this wire with a field of its own."""
    calls = [ToolUseBlock(*call) for call in CALLS]
    said = Msg("", [TextBlock("Hm."), *calls], "assistant")
    whole = ChatResponse([Candidate(said, Finish("tool_calls"))], id="a1", model="m")
    body = wire.write_response(replace(whole, usage=Usage(1, 2))).body
    return {**body, "acme_field": 1}


@each_case(("source", "target"), wires_of_one_vendor())
def test_an_answer_over_another_protocol_of_a_vendor_is_none_of_this_one(
    source: str, target: str
) -> None:
    """Its fields bear the vendor's name on both, and mean other things."""
    theirs, ours = dragoman.wire(source, policy="ignore"), dragoman.wire(target, policy="ignore")
    decoder = theirs.stream_decoder()
    encoder = ours.stream_encoder(origin=decoder.origin)
    pieces = [*decoder.feed(an_answer(theirs)), *decoder.rest()]
    back = ours.stream_decoder()
    for name, data in [*(e for piece in pieces for e in encoder.feed(piece)), *encoder.finish()]:
        back.feed(data, name)
    out = ours.write_response(decoder.finish())
    assert "acme_field" not in out.body
    named = source.partition("/")[0]
    assert f"$.extras.{named}.acme_field" in {loss.where for loss in out.losses}
    for heard in (ours.read_response(out.body), back.finish()):
        calls = [(call.name, call.input) for call in heard.candidates[0].msg.calls]
        assert calls == [call[1:] for call in CALLS]
        assert heard.candidates[0].finish.reason == "tool_calls"


@each_case(("source", "target"), wires_of_one_vendor())
def test_nor_is_it_in_a_history(source: str, target: str) -> None:
    """An item's id would take the place of the call's."""
    theirs, ours = dragoman.wire(source, policy="ignore"), dragoman.wire(target, policy="ignore")
    said = theirs.read_response(an_answer(theirs)).candidates[0].msg
    results = [Msg.tool(call[0], "ok", call[1]) for call in CALLS]
    request = ChatRequest([Msg.user("Hi"), said, *results])
    for given in (request, load(dump(request))):
        assert isinstance(given, ChatRequest)
        out = ours.write_request(given, ours.room.model)
        name = target.partition("/")[0]
        assert judge_request(judge_of(name, ours.room.protocol), out.body) == []
        plain = [Msg.user("Hi"), Msg("", [TextBlock("Hm."), *(ToolUseBlock(*c) for c in CALLS)],
                                     "assistant", origin=said.origin), *results]  # fmt: skip
        assert out.body == ours.write_request(ChatRequest(plain), ours.room.model).body
