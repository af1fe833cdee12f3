"""Events and answers that are not as the reference has them: wrapped, broken, without a type."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import dragoman
from dragoman.errors import ProviderError
from dragoman.message import ChatResponse, RawBlock, RefusalBlock, TextBlock, ThinkingBlock

from .test_reader_stream import OVER, START, begun, delta, ended, read, stop, text

WIRE = dragoman.wire("anthropic", policy="ignore")
WHY = {"type": "refusal", "category": "cyber", "explanation": "I cannot."}
MESSAGE: dict[str, Any] = {**START["message"], "stop_reason": "end_turn"}  # type: ignore[dict-item]  # an object


def whole(*content: Any, **more: Any) -> ChatResponse:
    return WIRE.read_response({**MESSAGE, "content": [*content], **more})


def fed(*events: tuple[Any, str | None]) -> ChatResponse:
    decoder = WIRE.stream_decoder()
    for payload, name in events:
        decoder.feed(payload, name)
    return decoder.finish()


def test_events_whose_type_only_their_name_tells() -> None:
    events = [START, begun(0, type="text", text="A"), stop(0), ended(), OVER]
    bare = [({key: value for key, value in one.items() if key != "type"}, str(one["type"]))
            for one in events]  # fmt: skip
    assert fed(*bare).msg.blocks == read(events).msg.blocks == [TextBlock("A")]
    assert fed(*bare).status == "complete"


def test_an_answer_without_a_type() -> None:
    told = {key: value for key, value in MESSAGE.items() if key != "type"}
    resp = WIRE.read_response({**told, "content": [{"type": "text", "text": "A"}]})
    assert (resp.text, resp.finish.reason) == ("A", "stop")
    bare = {"id": "msg_1", "song": 1}
    assert (fed((START, None), (bare, "message")).extras or {})["anthropic"]["events"] == [
        {"event": "message", "payload": bare}]  # fmt: skip
    odd = {"role": "assistant", "song": 1}
    assert (fed((START, None), (odd, None)).extras or {})["anthropic"]["events"] == [
        {"event": None, "payload": odd}]  # fmt: skip


def test_an_error_in_a_chunk_or_under_a_name() -> None:
    fault = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}
    coded = {"bytes": base64.b64encode(json.dumps(fault).encode()).decode()}
    bare = {"error": fault["error"]}
    named = (fault, None), (coded, "chunk"), (bare, "error"), ({"error": "Busy"}, None)
    for payload, name in named:
        resp = fed((START, None), (payload, name))
        assert resp.status == "error"
        assert resp.error is not None
        assert resp.error.message == "Busy"
    for payload in ({"type": "odd", "error": {"message": "Busy"}}, {"message": "Busy"},
                    {"Message": "Busy"}):  # fmt: skip
        failed = fed((START, None), (payload, None))
        assert failed.error is not None
        assert failed.error.message == "Busy"
    failed = fed((START, None), ({"throttlingException": {"message": "slow down"}}, None))
    assert failed.error is not None
    assert failed.error.message == "slow down"


@pytest.mark.parametrize("odd", [
    {"bytes": base64.b64encode(b"[1]").decode()}, {"bytes": "e30=!"}, {"chunk": 5},
    {"chunk": {"bytes": base64.b64encode(b'"x"').decode()}}, {"somethingException": "text"},
])  # fmt: skip
def test_chunks_that_hold_no_event_are_kept(odd: dict[str, Any]) -> None:
    resp = fed((START, None), (odd, "chunk"), (ended(), None), (OVER, None))
    assert (resp.status, resp.error) == ("complete", None)
    assert (resp.extras or {})["anthropic"]["events"] == [{"event": "chunk", "payload": odd}]


def test_a_message_that_is_not_well_says_what_is_wrong() -> None:
    with pytest.raises(ProviderError, match=r"^Busy$"):
        whole(base_resp={"status_code": 1002, "status_msg": "Busy"})
    assert whole(base_resp={"status_code": 0, "status_msg": ""}).status == "complete"


def test_why_it_refused_is_told_once() -> None:
    told = {**ended("refusal"), "delta": {"stop_reason": "refusal", "stop_details": WHY}}
    assert read([START, told, told, OVER]).msg.blocks == [RefusalBlock("I cannot.", "cyber")]


def test_a_null_takes_nothing_back() -> None:
    def more(**fields: Any) -> dict[str, Any]:
        return {"type": "message_delta", "delta": fields, "usage": {"output_tokens": 1}}

    resp = read([START, more(container={"id": "c"}), more(container=None, other=None), ended(),
                 OVER])  # fmt: skip
    assert (resp.extras or {})["anthropic"] == {
        "stop_sequence": None, "container": {"id": "c"}, "other": None}  # fmt: skip


@pytest.mark.parametrize("events", [
    [START, OVER], [START, {**ended(), "delta": {"stop_reason": None}}, OVER],
])  # fmt: skip
def test_an_end_without_a_reason(events: list[Any]) -> None:
    resp = read(events)
    assert (resp.finish.reason, resp.finish.raw, resp.status) == ("other", None, "complete")
    assert read([START, ended("max_tokens"), OVER]).finish.reason == "length"
    assert read([START]).status == "interrupted"


def test_blocks_that_lack_their_text() -> None:
    resp = whole({"type": "text"}, {"type": "thinking"}, {"type": "tool_use", "input": {}})
    assert resp.msg.blocks[:2] == [TextBlock(""), ThinkingBlock("")]
    assert resp.calls[0].name == ""
    assert resp.calls[0].id.startswith("call_")
    odd = {"type": "song", "data": "x"}
    assert whole(odd).msg.blocks == [RawBlock("anthropic", odd)]
    assert whole({"type": ["x"]}).msg.blocks == [RawBlock("anthropic", {"type": ["x"]})]


def test_a_refusal_may_lack_its_words_or_its_kind() -> None:
    for details, blocks in (
        ({**WHY, "explanation": None}, [RefusalBlock("", "cyber")]),
        ({**WHY, "category": 5}, [RefusalBlock("I cannot.")]),
        ({**WHY, "explanation": None, "category": None}, []), ({**WHY, "type": "x"}, []),
    ):  # fmt: skip
        assert whole(stop_reason="refusal", stop_details=details).msg.blocks == blocks


def test_figures_of_thinking_stand_before_others() -> None:
    usage = whole(usage={"output_tokens_details": {"thinking_tokens": 4}, "cache_creation": {}})
    assert usage.usage.reasoning == 4
    assert usage.usage.extras == {"anthropic": {"cache_creation": {}}}


def test_a_proof_knows_whose_it_is_also_with_more_beside_it() -> None:
    said = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    bare, more, sealed = whole(said, {**said, "x": 1, "y": 2}, {
        "type": "redacted_thinking", "data": "ZGF0YQ=="}).msg.blocks  # fmt: skip
    for one in (bare, more, sealed):
        assert isinstance(one, ThinkingBlock)
        assert one.origin is not None
        assert one.origin.issuer == "anthropic"
    assert (bare.extras, more.extras) == (None, {"anthropic": {"x": 1, "y": 2}})
    assert whole({"type": "thinking", "thinking": "hm", "x": 1}).msg.blocks[0].extras == {
        "anthropic": {"x": 1}}  # fmt: skip


@pytest.mark.parametrize(("source", "url"), [
    ("http://a.example", "http://a.example"), ("https://a.example", "https://a.example"),
    ("a paper", None),
])  # fmt: skip
def test_a_citation_of_what_a_search_found(source: str, url: str | None) -> None:
    cited = {"type": "search_result_location", "source": source, "title": "T", "cited_text": "a"}
    block = whole({"type": "text", "text": "a", "citations": [cited]}).msg.blocks[0]
    assert isinstance(block, TextBlock)
    assert block.citations is not None
    assert block.citations[0].url == url


def test_only_a_fallback_names_another_model() -> None:
    song = begun(0, type="song", to={"model": "other"})
    assert read([START, song, stop(0), ended(), OVER]).model == "claude-opus-5"


def test_text_that_a_server_grows_in_one_block_is_one_text() -> None:
    grown = [text(0, "A"), {**delta(0, "text_delta", text="B"), "delta": {
        "type": "text_delta", "text": "B", "x": None}}, text(0, "C")]  # fmt: skip
    resp = read([START, begun(0, type="text", text=""), *grown, stop(0), ended(), OVER])
    assert resp.msg.blocks == [TextBlock("ABC")]
