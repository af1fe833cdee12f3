"""Answers for clients of the Messages API: its own as they were read, others' complete."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import StreamError
from dragoman.losses import Report
from dragoman.message import (
    Base64Source,
    Candidate,
    ChatResponse,
    Citation,
    Finish,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
    dump,
    load,
)
from tests.each_case import each_case

WIRE = dragoman.wire("anthropic", policy="ignore")
USAGE = {"input_tokens": 5, "output_tokens": 7}
FRAME: dict[str, Any] = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
    "content": [], "stop_reason": "end_turn", "stop_sequence": None, "usage": USAGE,
}  # fmt: skip
WHY = {"type": "refusal", "category": "cyber", "explanation": "I cannot help with that."}


def own(*content: Any, **more: Any) -> dict[str, Any]:
    """An answer of this wire."""
    return {**FRAME, "content": [*content], **more}


def without(*keys: str) -> dict[str, Any]:
    """An answer that lacks some of its fields."""
    return {key: value for key, value in own({"type": "text", "text": "a"}).items()
            if key not in keys}  # fmt: skip


CITED = {"type": "char_location", "cited_text": "a", "document_index": 0, "start_char_index": 0,
         "end_char_index": 1, "document_title": None, "file_id": None}  # fmt: skip
OWN: dict[str, dict[str, Any]] = {
    "text": own({"type": "text", "text": "Blue."}),
    "empty text": own({"type": "text", "text": ""}),
    "nothing": own(),
    "text alone": {**FRAME, "content": "Blue."},
    "no content": {**FRAME, "content": None},
    "citations": own({"type": "text", "text": "a", "citations": [CITED]},
                     {"type": "text", "text": "b", "citations": None},
                     {"type": "text", "text": "c", "citations": []}),
    "thinking": own({"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                    {"type": "thinking", "thinking": "", "signature": ""},
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "thinking", "thinking": "hm", "signature": None},
                    {"type": "redacted_thinking", "data": "c2VhbA==", "x": 1}),
    "calls": own({"type": "tool_use", "id": "t", "name": "look", "input": {"at": 1},
                  "caller": {"type": "direct"}},
                 {"type": "tool_use", "id": "u", "name": "look", "input": {}},
                 {"type": "tool_use", "id": "v", "name": "look", "input": None},
                 {"type": "tool_use", "id": "w", "name": "look", "input": '{"at": 1.0}'},
                 stop_reason="tool_use"),
    "of the provider": own({"type": "server_tool_use", "id": "s", "name": "x", "input": {}},
                           {"type": "x_tool_result", "tool_use_id": "s", "content": None}),
    "a stop sequence": own(stop_reason="stop_sequence", stop_sequence="END"),
    "a word of a host": own(stop_reason="sensitive"),
    "a new word": own(stop_reason="bored"),
    "a word beside calls": own({"type": "tool_use", "id": "t", "name": "look", "input": {}}),
    "tool_use without calls": own(stop_reason="tool_use"),
    "no word": own(stop_reason=None),
    "calls without a word": own({"type": "tool_use", "id": "t", "name": "look", "input": {}},
                                stop_reason=None),
    "refusal": own(stop_reason="refusal", stop_details=WHY),
    "refusal without words": own(stop_reason="refusal", stop_details={
        "type": "refusal", "category": None, "explanation": None}),
    "refusal of a kind": own(stop_reason="refusal", stop_details={**WHY, "explanation": None}),
    "details null": own(stop_details=None),
    "more fields": own(container={"id": "c"}, context_management={"applied_edits": []}, x=None),
    "usage": own(usage={**USAGE, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 0,
                        "cache_creation": {"ephemeral_1h_input_tokens": 0}, "service_tier": None,
                        "output_tokens_details": {"thinking_tokens": 4}}),
    "usage odd": own(usage={"input_tokens": None, "output_tokens": "7",
                            "output_tokens_details": {"thinking_tokens": None, "more": 1}}),
    "usage empty": own(usage={}),
    "usage details": own(usage={"output_tokens_details": {}}),
    "usage details more": own(usage={"output_tokens_details": {"thinking_tokens": 1, "x": 2}}),
    "usage null": own(usage=None),
    "no usage": without("usage"),
    "no id": without("id"),
    "no stop": without("stop_reason", "stop_sequence"),
    "empty names": own(id="", model=""),
}  # fmt: skip


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1, 1.0 and true are three values."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@each_case("name", OWN)
def test_its_own_answer_is_written_as_it_was_read(name: str) -> None:
    told = copy.deepcopy(OWN[name])
    out = WIRE.write_response(WIRE.read_response(told))
    assert same(out.body, OWN[name])
    assert not out.losses
    stored = load(json.loads(json.dumps(dump(WIRE.read_response(told)))))
    assert isinstance(stored, ChatResponse)
    assert same(WIRE.write_response(stored).body, OWN[name])


def test_why_it_refused_is_a_refusal_for_others_and_no_text_of_the_history() -> None:
    resp = WIRE.read_response(OWN["refusal"])
    assert resp.msg.blocks == [RefusalBlock("I cannot help with that.", "cyber")]
    assert resp.finish == Finish("refusal", "refusal")
    assert not WIRE.read_response(OWN["refusal without words"]).msg.blocks


def foreign(*blocks: Any, usage: Usage | None = None, **more: Any) -> ChatResponse:
    """An answer of another wire."""
    finish = Finish(more.pop("reason", "stop"), more.pop("raw", None))
    m = Msg("", [*blocks], "assistant", origin=Origin("acme", "m-1"))
    given = {"model": "m-1", "id": "chat-7", **more}
    return ChatResponse([Candidate(m, finish)], usage or Usage(3, output=4), **given)


def written(resp: ChatResponse, request: ChatRequest | None = None) -> tuple[Any, list[Any]]:
    """(the body, the (code, field) of each loss)."""
    out = WIRE.write_response(resp, request)
    return out.body, [(loss.code, loss.field) for loss in out.losses]


def test_another_wires_answer_is_complete() -> None:
    body, losses = written(foreign(
        TextBlock("Look."), ToolUseBlock("c1", "look", {"at": "sky"}, '{"at":"sky"}'),
        usage=Usage(3, 2, 1, 4, 1, total=10), reason="tool_calls",
    ))  # fmt: skip
    assert body == {
        "id": "msg_chat-7", "type": "message", "role": "assistant", "model": "m-1",
        "content": [{"type": "text", "text": "Look."},
                    {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "sky"}}],
        "stop_reason": "tool_use", "stop_sequence": None, "stop_details": None,
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 2,
                  "cache_creation_input_tokens": 1, "output_tokens": 4,
                  "output_tokens_details": {"thinking_tokens": 1}},
    }  # fmt: skip
    assert losses == []


def test_what_must_be_there_is_added() -> None:
    resp = foreign(TextBlock("a"), usage=Usage(), id=None, model=None)
    body, losses = written(resp)
    assert body["id"].startswith("msg_")
    assert body["model"] == "unknown"
    assert body["usage"] == {"input_tokens": 0, "output_tokens": 0}
    assert losses == [("answer.field", name) for name in ("id", "model", "input", "output")]
    assert written(resp)[0]["id"] == body["id"], "the same answer has the same id"
    assert written(foreign(TextBlock("b"), id=None))[0]["id"] != body["id"]
    asked = ChatRequest([Msg.user("Hi")], model="claude-opus-5-5")
    assert written(resp, asked)[0]["model"] == "claude-opus-5-5"


@pytest.mark.parametrize(
    ("reason", "word", "lost"),
    [("stop", "end_turn", False), ("length", "max_tokens", False),
     ("tool_calls", "end_turn", True), ("content_filter", "refusal", True),
     ("refusal", "refusal", False), ("pause", "pause_turn", False),
     ("context_overflow", "model_context_window_exceeded", False),
     ("other", "end_turn", True)],
)  # fmt: skip
def test_why_another_wires_answer_ended(reason: str, word: str, lost: bool) -> None:
    body, losses = written(foreign(TextBlock("a"), reason=reason, raw="theirs"))
    assert body["stop_reason"] == word
    assert [code for code, _ in losses] == (["answer.finish"] if lost else [])


def test_a_word_that_both_wires_have_is_kept() -> None:
    body, _ = written(foreign(TextBlock("a"), reason="stop", raw="stop_sequence"))
    assert body["stop_reason"] == "stop_sequence"


def test_a_call_that_broke_off_is_not_offered_as_one_to_run() -> None:
    call = ToolUseBlock("c", "look", '{"at": "s', '{"at": "s', unfinished=True)
    body, losses = written(foreign(call, reason="tool_calls", status="truncated"))
    assert body["content"][0]["input"] == {"at": "s"}
    assert body["stop_reason"] == "max_tokens"
    assert losses == [("answer.finish", "finish"), ("answer.unsupported", "input")]


def test_arguments_that_are_no_object_are_a_loss() -> None:
    body, losses = written(foreign(ToolUseBlock("c", "look", "sky", "sky"), reason="tool_calls"))
    assert body["content"][0]["input"] == {}
    assert losses == [("answer.unsupported", "input")]


def test_thinking_of_another_goes_out_unsigned() -> None:
    body, losses = written(foreign(
        ThinkingBlock("hm", "c2ln"), ThinkingBlock("ha"), ThinkingBlock("", redacted="c2VhbA=="),
        TextBlock("a"),
    ))  # fmt: skip
    assert body["content"][:2] == [
        {"type": "thinking", "thinking": "hm", "signature": ""},
        {"type": "thinking", "thinking": "ha", "signature": ""},
    ]
    assert len(body["content"]) == 3
    assert losses == [("answer.unsupported", "signature"), ("answer.unsupported", "redacted")]


def test_thinking_of_this_wire_in_a_mixed_answer_keeps_its_seal() -> None:
    mine = ThinkingBlock("hm", "c2ln", origin=Origin("anthropic"))
    body, losses = written(foreign(mine, TextBlock("a")))
    assert body["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    assert losses == []


def test_citations_of_the_web_have_a_form_here() -> None:
    cited = [Citation(0, 4, "https://a.example", "A", "sky"), Citation(title="B")]
    body, losses = written(foreign(TextBlock("Blue", cited)))
    assert body["content"][0]["citations"] == [
        {"type": "web_search_result_location", "url": "https://a.example", "title": "A",
         "cited_text": "sky", "encrypted_index": ""},
    ]  # fmt: skip
    assert losses == [("answer.unsupported", "start"), ("answer.unsupported", "")]


def test_a_refusal_is_text_that_ended_so() -> None:
    body, losses = written(foreign(RefusalBlock("No.", "acme-kind"), reason="refusal"))
    assert body["content"] == [{"type": "text", "text": "No."}]
    assert body["stop_reason"] == "refusal"
    assert body["stop_details"] == {"type": "refusal", "category": None, "explanation": None}
    assert losses == [("answer.unsupported", ""), ("answer.unsupported", "category")]
    back = WIRE.read_response(body)
    assert (back.text, back.finish.reason) == ("No.", "refusal")
    assert written(foreign(RefusalBlock(""), reason="refusal"))[0]["content"] == []


def test_what_has_no_place_is_named() -> None:
    resp = foreign(
        TextBlock("a", extras={"acme": {"x": 1}, "acme (notes)": {"y": 1}}), TextBlock(""),
        ImageBlock(Base64Source("image/png", "iVBO")), RawBlock("acme", {"type": "song"}),
        usage=Usage(1, output=1, audio_out=2, total=9, extras={"acme": {"cost": 1}}),
        extras={"acme": {"created": 5}},
    )  # fmt: skip
    resp.candidates.append(Candidate(Msg.assistant("b")))
    out = WIRE.write_response(resp)
    assert out.body["content"] == [{"type": "text", "text": "a"}]
    assert sorted((loss.code, loss.field or loss.what) for loss in out.losses) == [
        ("answer.candidates", "Candidate"), ("answer.unsupported", "image"),
        ("answer.unsupported", "raw block of acme"), ("answer.usage", "audio_out"),
        ("answer.usage", "total"), ("extras.other_provider", "extras.acme.cost"),
        ("extras.other_provider", "extras.acme.created"), ("extras.other_provider",
         "extras.acme.x"),
    ]  # fmt: skip


def test_an_error_is_written_as_one() -> None:
    told = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."},
            "request_id": "req_1"}  # fmt: skip
    own_error = StreamError("Busy.", body=told)
    resp = ChatResponse([], status="error", error=own_error)
    assert written(resp)[0] == told
    resp = ChatResponse([], status="error", error=StreamError("Slow down.", status=429))
    assert written(resp)[0] == {
        "type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."},
    }  # fmt: skip
    partial = foreign(TextBlock("Half"), status="error")
    partial.error = own_error
    body, losses = written(partial)
    assert body == told, "a message has no place for an error"
    assert losses == [("answer.unsupported", ""), *BESIDE]


# what an error has no place for: the figures, the id and the model of the answer
BESIDE = [("answer.usage", "input"), ("answer.usage", "output"),
          ("answer.unsupported", "id"), ("answer.unsupported", "model")]  # fmt: skip


@pytest.mark.parametrize(
    ("resp", "text", "lost"),
    [
        (foreign(TextBlock("Half"), status="interrupted", reason="other"),
         "the answer broke off before its end, behind 'Half'",
         [("answer.unsupported", ""), *BESIDE]),
        (foreign(TextBlock("a"), reason="malformed_call", raw="theirs"),
         "the model's call was malformed (theirs): it came to no call that could be run",
         [("answer.unsupported", ""), *BESIDE]),
        (ChatResponse([], Usage(1, output=0), id="x", model="m"),
         "the answer says nothing and not why it ended",
         [BESIDE[0], *BESIDE[2:]]),  # its output of 0 is no loss
    ],
    ids=["broken off", "malformed call", "no answer"],
)  # fmt: skip
def test_an_answer_that_did_not_end_well_is_an_error(
    resp: ChatResponse, text: str, lost: list[Any]
) -> None:
    body, losses = written(resp)
    assert body == {"type": "error", "error": {"type": "api_error", "message": text}}
    assert losses == lost


def test_the_official_client_takes_what_is_written() -> None:
    types = pytest.importorskip("anthropic.types")
    resp = foreign(
        ThinkingBlock("hm", "c2ln"), TextBlock("Blue", [Citation(url="https://a.example")]),
        ToolUseBlock("c", "look", {"at": 1}), RefusalBlock("No.", "acme-kind"),
        reason="tool_calls", usage=Usage(1, 2, 3, 4, 5),
    )  # fmt: skip
    message = types.Message.model_validate(written(resp)[0])
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "text"]
    assert message.usage.cache_creation_input_tokens == 3


@pytest.mark.parametrize("source", ["openai-chat", "gemini", "openai-responses"])
def test_an_answer_passes_through_another_room(source: str) -> None:
    told = own({"type": "text", "text": "Look."},
               {"type": "tool_use", "id": "c", "name": "look", "input": {"at": [1, 1.5]}},
               stop_reason="tool_use")  # fmt: skip
    room = dragoman.wire(source).room
    there = room.write_response(WIRE.read_response(told), Report())
    back, _ = written(dragoman.wire(source).read_response(there))
    assert back["content"][0] == told["content"][0]
    call = back["content"][1]
    assert (call["name"], call["input"]) == ("look", {"at": [1, 1.5]})
    assert back["stop_reason"] == "tool_use"
    assert back["usage"]["input_tokens"] == 5
    assert back["usage"]["output_tokens"] == 7


@pytest.mark.parametrize("said", ['{"a": 1', '{"a": "s', '{"a"'])
def test_arguments_that_break_off_are_named_though_they_are_an_object(said: str) -> None:
    """A client takes the object that is made of them for all that the model said."""
    call = ToolUseBlock("c", "look", said, said, unfinished=True)
    report = Report()
    WIRE.room.write_response(foreign(call, reason="length", status="truncated"), report)
    (loss,) = [one for one in report.losses if one.field == "input"]
    assert (loss.code, loss.kind) == ("answer.unsupported", "degraded")
    body, losses = written(foreign(ToolUseBlock("c", "look", {"a": 1}), reason="tool_calls"))
    assert (body["content"][0]["input"], losses) == ({"a": 1}, [])


def test_a_foreign_signature_in_an_own_answer_is_lost_and_not_written() -> None:
    thoughts = [
        ThinkingBlock("hm", "c2ln", origin=Origin("gemini")),
        ThinkingBlock("ha", "c2ln", origin=Origin("anthropic")),
        ThinkingBlock("so", origin=Origin("gemini")),
    ]
    msg = Msg.assistant([*thoughts], origin=Origin("anthropic"))
    out = WIRE.write_response(ChatResponse([Candidate(msg, Finish("stop"))], id="msg_1", model="m"))
    assert out.body["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": ""},
        {"type": "thinking", "thinking": "ha", "signature": "c2ln"},
        {"type": "thinking", "thinking": "so"},
    ]
    assert [(loss.code, loss.where) for loss in out.losses] == [
        ("answer.unsupported", "$.candidates[0].msg.content[0].signature")
    ]
