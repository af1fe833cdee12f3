"""Whole answers that are written: those of this wire as they came, others in its form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import Msg, message
from dragoman.losses import Report
from dragoman.message import (
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
    URLSource,
    Usage,
)
from tests.each_case import each_case

from .reading import answer
from .streams import CALL, SAID, TEXT, THOUGHT
from .writing import OWN, wire

USAGE = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 5,
         "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 15}  # fmt: skip


def wrote(resp: ChatResponse, **switches: Any) -> tuple[dict[str, Any], list[str]]:
    """(the response, the codes of what was lost)."""
    report = Report()
    made = wire(**switches).room.write_response(resp, report)
    return made, [f"{one.code} {one.field}".strip() for one in report.losses]


def same(body: dict[str, Any], **switches: Any) -> None:
    """The answer goes back as it came, stored or not, and loses nothing."""
    resp = wire(**switches).read_response(body)
    stored = message.load(json.loads(json.dumps(message.dump(resp))))
    assert isinstance(stored, ChatResponse)
    for one in (resp, stored):
        made, lost = wrote(one, **switches)
        assert json.dumps(made, sort_keys=True) == json.dumps(body, sort_keys=True)
        assert lost == []


def said(*blocks: Any, **more: Any) -> ChatResponse:
    """An answer that no wire has read."""
    finish = Finish(more.pop("reason", "stop"))
    more.setdefault("id", "a1")
    more.setdefault("model", "m")
    return ChatResponse([Candidate(Msg.assistant(list(blocks)), finish)], **more)


def items(*blocks: Any, **more: Any) -> list[dict[str, Any]]:
    """The output, which the SDK's types take."""
    made, _ = wrote(said(*blocks, **more))
    _valid(made)
    listed: list[dict[str, Any]] = made["output"]
    return listed


def _valid(body: dict[str, Any]) -> Any:
    from openai.types.responses import Response

    return Response.model_validate(body)


@each_case(
    "output",
    [
        [],
        [SAID],
        [THOUGHT, SAID, CALL],
        [{**THOUGHT, "summary": THOUGHT["summary"][:1], "content": [], "status": None}],
        [{"type": "reasoning", "id": "rs_1", "summary": [], "content": [
            {"type": "reasoning_text", "text": "One."},
            {"type": "reasoning_text", "text": "Two."}]}],
        [SAID, {**SAID, "id": "msg_2"}],
        [{"type": "message", "role": "assistant", "content": [TEXT]}] * 2,
        [{**SAID, "content": [TEXT, TEXT, {"type": "refusal", "refusal": "No."}, {"type": "new"}]}],
        [{**SAID, "content": "text", "extra": {"a": 1}}],
        [{**SAID, "content": [{**TEXT, "text": "abc", "logprobs": [{"token": "a"}], "annotations": [
            {"type": "url_citation", "url": "https://a.b"},
            {"type": "file_citation", "file_id": "f", "filename": "a.pdf", "index": 1}]}]}],
        [{"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}],
        [{**CALL, "arguments": {"at": 1}}],
        [{**CALL, "arguments": '{"at":'}],
        [{"type": "function_call", "id": "fc_1", "call_id": None}],
        [{"type": "image_generation_call", "id": "ig_1", "result": "iVBO"}, "odd", None],
        [{"type": "message", "role": "user", "content": []}],
    ],
)  # fmt: skip
def test_an_answer_of_this_wire_goes_back_as_it_came(output: list[Any]) -> None:
    same(answer(*output, usage=USAGE))
    same(answer(*output, usage=USAGE), reasoning="raw")


@pytest.mark.parametrize(
    "more",
    [
        {"usage": None},
        {"usage": {}},
        {"usage": {**USAGE, "cost": 0.5, "total_tokens": None}},
        {"usage": {"input_tokens": 5, "input_tokens_details": None, "num_sources_used": 0}},
        {"usage": {"output_tokens": 5, "input_tokens_details": {"cached_tokens": 3}}},
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
        {"status": "in_progress"},
        {"status": "queued", "output": [], "usage": None},
        {"id": None},
        {"model": 5, "created_at": 1.5, "tools": [{"a": None}]},
        {"reasoning": "Hm."},
        {"reasoning": {"effort": "low"}, "output_text": "It rains."},
    ],
)
def test_fields_of_an_answer(more: dict[str, Any]) -> None:
    same({**answer(SAID), **more})


def test_text_of_another_wire() -> None:
    [item] = items(TextBlock("It "), TextBlock("rains."), RefusalBlock("No."))
    assert (item["type"], item["status"], item["role"]) == ("message", "completed", "assistant")
    assert item["id"].startswith("msg_")
    assert item["content"] == [
        {"type": "output_text", "text": "It ", "annotations": [], "logprobs": []},
        {"type": "output_text", "text": "rains.", "annotations": [], "logprobs": []},
        {"type": "refusal", "refusal": "No."},
    ]


def test_a_text_without_a_word_is_no_item() -> None:
    assert items(TextBlock("")) == []
    [item] = items(TextBlock(""), TextBlock("Hi"), TextBlock(""))
    assert [one["text"] for one in item["content"]] == ["Hi"]


def test_calls_of_another_wire() -> None:
    call = ToolUseBlock("toolu_1", "look", {"at": 1})
    raw = ToolUseBlock("toolu_2", "look", {"at": 1}, '{"at":1}')
    bare = ToolUseBlock("toolu_3", "look")
    made = items(TextBlock("So:"), call, raw, bare, reason="tool_calls")
    assert [one["type"] for one in made] == ["message", *["function_call"] * 3]
    assert [one["arguments"] for one in made[1:]] == ['{"at": 1}', '{"at":1}', "{}"]
    assert [one["call_id"] for one in made[1:]] == ["toolu_1", "toolu_2", "toolu_3"]
    assert len({one["id"] for one in made}) == 4


def test_a_call_that_breaks_off() -> None:
    call = ToolUseBlock("t", "look", '{"at', '{"at', unfinished=True)
    resp = said(call, reason="tool_calls", status="truncated")
    made, lost = wrote(resp)
    assert (made["output"][0]["arguments"], made["output"][0]["status"]) == ('{"at', "incomplete")
    assert made["status"] == "incomplete"
    assert "answer.finish status" in lost


def test_thinking_of_another_wire_is_unsealed() -> None:
    thought = ThinkingBlock("Hm.", "sig", origin=Origin("anthropic"))
    resp = said(
        thought, ThinkingBlock("", redacted="x", origin=Origin("anthropic")), TextBlock("A")
    )
    made, lost = wrote(resp)
    first, second = made["output"]
    assert (first["type"], second["type"]) == ("reasoning", "message")
    assert first["summary"] == [{"type": "summary_text", "text": "Hm."}]
    assert "encrypted_content" not in first
    assert [one for one in lost if one.startswith("answer.unsupported")] == [
        "answer.unsupported signature", "answer.unsupported redacted",
    ]  # fmt: skip
    raw, _ = wrote(said(thought), reasoning="raw")
    assert raw["output"][0]["content"] == [{"type": "reasoning_text", "text": "Hm."}]


def test_thinking_of_another_wire_may_be_noted_as_that_of_this_one() -> None:
    """One field of another wire has the name of a field of this one's."""
    [item] = items(ThinkingBlock("Hm.", spelling="reasoning", origin=Origin("openai-chat")))
    assert item["summary"] == [{"type": "summary_text", "text": "Hm."}]


def test_thinking_of_this_wire_keeps_its_seal() -> None:
    thought = ThinkingBlock("Hm.", redacted="gAAA", origin=Origin(OWN))
    made, lost = wrote(said(thought, TextBlock("So.")))
    assert made["output"][0]["encrypted_content"] == "gAAA"
    assert not any(one.startswith("answer.unsupported") for one in lost)


def test_citations() -> None:
    whole = Citation(0, 3, "https://a.b", "A")
    page = Citation(url="https://a.b", quote="so")
    nowhere = Citation(quote="so")
    made, lost = wrote(said(TextBlock("abcdef", [whole, page, nowhere])))
    first, second = made["output"][0]["content"][0]["annotations"]
    assert first == {"type": "url_citation", "start_index": 0, "end_index": 3,
                     "url": "https://a.b", "title": "A"}  # fmt: skip
    assert second == {"type": "url_citation", "start_index": 0, "end_index": 6,
                      "url": "https://a.b", "title": "https://a.b"}  # fmt: skip
    assert {"answer.unsupported quote", "answer.unsupported", "answer.field title"} <= {*lost}
    _valid(made)


def test_what_an_answer_cannot_carry() -> None:
    made, lost = wrote(said(
        ImageBlock(URLSource("https://a.b/c.png")), RawBlock("anthropic", {"type": "x"}),
        TextBlock("So.", extras={"anthropic": {"a": 1}}),
    ))  # fmt: skip
    assert [one["type"] for one in made["output"]] == ["message"]
    assert lost.count("answer.unsupported") == 2
    assert "extras.other_provider extras.anthropic.a" in lost


def test_items_of_this_wire_stay_in_an_answer_of_another() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": None}
    made, _ = wrote(said(RawBlock(OWN, search), TextBlock("So.")))
    assert made["output"][0] == search


def test_one_candidate() -> None:
    resp = said(TextBlock("One."))
    resp.candidates.append(Candidate(Msg.assistant("Two.")))
    made, lost = wrote(resp)
    assert len(made["output"]) == 1
    assert "answer.candidates" in lost


@pytest.mark.parametrize(
    ("reason", "status", "details", "lost"),
    [
        ("stop", "completed", None, False),
        ("tool_calls", "completed", None, False),
        ("refusal", "incomplete", "content_filter", True),
        ("length", "incomplete", "max_output_tokens", False),
        ("content_filter", "incomplete", "content_filter", False),
        ("context_overflow", "incomplete", "max_output_tokens", True),
        ("pause", "incomplete", "max_output_tokens", True),
        ("other", "completed", None, True),
        ("error", "failed", None, False),
    ],
)
def test_why_it_ended(reason: str, status: str, details: str | None, lost: bool) -> None:
    made, codes = wrote(said(TextBlock("So."), reason=reason))
    assert made["status"] == status
    assert made["incomplete_details"] == (details and {"reason": details})
    assert any(one.startswith("answer.finish") for one in codes) is lost
    _valid(made)


def test_a_refusal_in_words_ends_well() -> None:
    made, codes = wrote(said(RefusalBlock("No."), reason="refusal"))
    assert (made["status"], made["incomplete_details"]) == ("completed", None)
    assert not any(one.startswith("answer.finish") for one in codes)


def test_usage() -> None:
    made, lost = wrote(said(TextBlock("A"), usage=Usage(6, 4, 2, 5, 2, total=17)))
    assert made["usage"] == {
        "input_tokens": 12,
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 17,
    }
    _valid(made)
    few, codes = wrote(said(TextBlock("A"), usage=Usage(output=5)))
    assert (few["usage"]["input_tokens"], few["usage"]["total_tokens"]) == (0, 5)
    assert "answer.field input" in codes
    assert "answer.field input" not in lost
    assert wrote(said(TextBlock("A")))[0]["usage"] is None


def test_what_had_to_be_made_up_is_named() -> None:
    resp = ChatResponse([Candidate(Msg.assistant("Hi"))])
    made, lost = wrote(resp)
    assert {"answer.field id", "answer.field model", "answer.field created_at"} <= {*lost}
    assert made["id"].startswith("resp_")
    assert wrote(resp)[0] == made  # the same each time
    other, _ = wrote(ChatResponse([Candidate(Msg.assistant("Ho"))]))
    assert other["id"] != made["id"]
    _valid(made)


def test_a_text_that_was_added_to_an_answer_of_this_wire() -> None:
    resp = wire().read_response(answer(SAID))
    resp.msg.blocks.append(TextBlock("And more."))
    made, _ = wrote(resp)
    first, second = made["output"]
    assert first == SAID
    assert (second["type"], second["content"][0]["text"]) == ("message", "And more.")
