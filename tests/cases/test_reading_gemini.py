"""Cases of reading generateContent."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.message import (
    Citation,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from tests.cases.reading import streamed, whole

HI = Msg.user("Hi")


def said(*parts: Any, reason: str | None = "STOP", **more: Any) -> dict[str, Any]:
    """One body, whole or a chunk."""
    one = {"content": {"parts": list(parts), "role": "model"}, **more}
    return {"candidates": [one | ({"finishReason": reason} if reason else {})]}


def call(name: str = "look", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}}, **more}


def again(msg: Msg, *rest: Msg) -> Any:
    """The model's turn, when the answer goes back, and the contents behind it."""
    wire = dragoman.wire("gemini", policy="ignore")
    out = wire.write_request(ChatRequest([HI, msg, *rest]), "gemini-3.8-flash")
    return out.body["contents"][1:]


PARALLEL = [
    {"text": "Let me look."}, call(thoughtSignature="Zmlyc3Q="), call(), call("hear"),
]  # fmt: skip


def test_case_43_signatures_come_back_in_their_part_after_storage_as_well() -> None:
    for resp in (
        whole("gemini", said(*PARALLEL)),
        streamed("gemini", [*[said(part, reason=None) for part in PARALLEL], said({"text": ""})]),
    ):
        stored = Msg.from_dict(resp.msg.to_dict())
        assert stored == resp.msg
        results = Msg("", [ToolResultBlock(c.id, c.name, "ok") for c in stored.calls], "tool")
        assert again(stored, results)[0]["parts"] == PARALLEL


def test_case_43_the_last_part_of_a_stream_may_be_a_signature_alone() -> None:
    last = {"text": "", "thoughtSignature": "ZW5k"}
    for spelling in ("thoughtSignature", "thought_signature"):
        sent = {"text": "", spelling: "ZW5k"}
        resp = streamed("gemini", [said({"text": "Yes."}, reason=None), said(sent)])
        assert resp.text == "Yes."
        assert again(resp.msg, Msg.user("Why?"))[0]["parts"] == [{"text": "Yes."}, last]


def test_case_44_one_answer_for_each_call_in_their_order() -> None:
    resp = whole("gemini", said(call(), call(), call("hear")))
    first, second, third = resp.calls
    results = [Msg("", [ToolResultBlock(c.id, c.name, f"{n}")], "tool")
               for n, c in ((3, third), (1, first))]  # fmt: skip
    model, answers = again(resp.msg, *results)
    assert len(model["parts"]) == len(answers["parts"]) == 3
    given = [part["functionResponse"] for part in answers["parts"]]
    assert [one["name"] for one in given] == ["look", "look", "hear"]
    assert [given[n]["response"] for n in (0, 2)] == [{"output": "1"}, {"output": "3"}]
    assert second.id not in str(answers)


def test_case_47_calls_of_one_tool_have_ids_of_their_own() -> None:
    body = said(call(), call(), call("hear"))
    first = whole("gemini", body)
    assert len({one.id for one in first.calls}) == 3
    assert [one.id for one in whole("gemini", body).calls] == [one.id for one in first.calls]
    resp = whole("gemini", said(call("look_at")), tools=[Tool("look.at"), Tool("look_at")])
    assert resp.calls[0].name == "look_at"


def test_case_48_a_thought_is_what_says_so() -> None:
    parts = [
        {"text": "hm", "thought": True}, {"text": "THOUGHT: no", "thoughtSignature": "MQ=="},
        call(thoughtSignature="Mg=="), {"text": "late", "thought": True}, {"text": "Yes."},
    ]  # fmt: skip
    events = [*[said(one, reason=None) for one in parts], said()]
    for resp in (whole("gemini", said(*parts)), streamed("gemini", events)):
        assert [type(block) for block in resp.msg.blocks] == [
            ThinkingBlock, TextBlock, ToolUseBlock, ThinkingBlock, TextBlock,
        ]  # fmt: skip
        assert [b.text for b in resp.msg.blocks if isinstance(b, TextBlock)] == [
            "THOUGHT: no",
            "Yes.",
        ]


@pytest.mark.parametrize(
    ("reason", "neutral"),
    [("MALFORMED_FUNCTION_CALL", "malformed_call"), ("SAFETY", "content_filter"),
     ("RECITATION", "content_filter"), ("LANGUAGE", "content_filter"), ("TOMORROW", "other")],
)  # fmt: skip
def test_case_49_a_candidate_without_content(reason: str, neutral: str) -> None:
    told = {"candidates": [{"finishReason": reason, "finishMessage": "Why."}]}
    for resp in (whole("gemini", told), streamed("gemini", [told])):
        assert resp.msg.blocks == []
        assert (resp.finish.reason, resp.finish.raw) == (neutral, reason)
        assert (resp.candidates[0].extras or {})["gemini"]["finishMessage"] == "Why."


@pytest.mark.parametrize("more", [{}, {"candidates": []}])
def test_case_49_a_prompt_that_was_blocked(more: Any) -> None:
    feedback = {"blockReason": "SAFETY", "blockReasonMessage": "No."}
    resp = whole("gemini", {"promptFeedback": feedback, **more})
    assert (resp.finish.reason, resp.finish.raw, resp.msg.blocks) == (
        "content_filter",
        "SAFETY",
        [],
    )
    assert (resp.extras or {})["gemini"]["promptFeedback"] == feedback
    assert resp.status == "complete"


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])
def test_case_49_a_malformed_call_is_never_run(reason: str) -> None:
    resp = whole("gemini", said(call(), reason=reason))
    block = resp.msg.blocks[0]
    assert isinstance(block, ToolUseBlock)
    assert block.unfinished
    assert resp.calls == []
    assert (resp.finish.reason, resp.status) == ("malformed_call", "complete")


def test_case_52c_an_id_that_is_not_given_is_not_sent() -> None:
    for id in ("", "k3v9x1ab"):
        told = call()
        told["functionCall"] |= {"id": id} if id else {}
        resp = whole("gemini", said(told))
        result = Msg("", [ToolResultBlock(resp.calls[0].id, "look", "ok")], "tool")
        model, answer = again(resp.msg, result)
        asked = model["parts"][0]["functionCall"]
        given = answer["parts"][0]["functionResponse"]
        assert asked.get("id") == given.get("id") == (id or None)


def test_case_52e_each_call_of_a_stream_is_a_new_one() -> None:
    events = [said(call(), reason=None), said(call(), call(), reason=None), said(call())]
    resp = streamed("gemini", events)
    assert [one.name for one in resp.calls] == ["look"] * 4
    assert len({one.id for one in resp.calls}) == 4
    assert resp.finish.reason == "tool_calls"


def test_case_35b_grounds_are_citations_of_the_text() -> None:
    grounds = {
        "groundingChunks": [{"web": {"uri": "https://example.com/a", "title": "A"}}],
        "groundingSupports": [
            {"segment": {"endIndex": 6, "text": "Grüß"}, "groundingChunkIndices": [0]}
        ],
    }
    cited = [Citation(0, 4, "https://example.com/a", "A")]
    for resp in (
        whole("gemini", said({"text": "Grüße"}, groundingMetadata=grounds)),
        streamed("gemini", [said({"text": "Grüße"}, reason=None), said(groundingMetadata=grounds)]),
    ):
        assert resp.msg.blocks == [TextBlock("Grüße", cited)]


def test_case_93_figures_are_counted_once() -> None:
    spent = {"promptTokenCount": 50, "cachedContentTokenCount": 30, "candidatesTokenCount": 4,
             "thoughtsTokenCount": 6, "totalTokenCount": 60}  # fmt: skip
    events = [said({"text": "a"}, reason=None) | {"usageMetadata": spent}] * 2
    for resp in (streamed("gemini", events), streamed("gemini", [*events, said()])):
        usage = resp.usage
        assert (usage.input, usage.cache_read, usage.output, usage.reasoning) == (20, 30, 10, 6)
        assert usage.total == 60
