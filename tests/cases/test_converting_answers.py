"""Cases of answers: one provider's, as the client of another wire gets it, whole and streamed."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman.message import ChatResponse, ThinkingBlock, ToolUseBlock
from tests.each_case import each_case

from .reading import chunk, fragment, said, streamed

CLIENTS = ["openai-chat", "openai-responses", "anthropic", "gemini"]
Losses = list[tuple[str, str]]


def answer(source: str, body: dict[str, Any], target: str) -> tuple[ChatResponse, Any, Losses]:
    """(what a client of `target` reads, the body, the losses)."""
    out = dragoman.convert(body, source, target, "response", policy="ignore")
    losses = [(loss.code, loss.where) for loss in out.losses]
    return dragoman.wire(target).read_response(out.body), out.body, losses


def relayed(source: str, target: str, events: list[Any]) -> tuple[ChatResponse, list[Any]]:
    """(what a client of `target` reads of the stream, its events)."""
    made = list(dragoman.convert_stream(events, source, target))
    return streamed(target, [(event.event, event.data) for event in made]), made


CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"x":1}'}}


@pytest.mark.parametrize("target", CLIENTS)
def test_case_26_why_it_stopped_follows_from_what_it_says(target: str) -> None:
    resp, body, _ = answer("openai-chat", said({"content": "x", "tool_calls": [CALL]}), target)
    assert resp.finish.reason == "tool_calls"
    assert [call.input for call in resp.calls] == [{"x": 1}]
    if target == "anthropic":
        assert body["stop_reason"] == "tool_use"


@pytest.mark.parametrize("target", CLIENTS)
def test_case_27_a_call_that_was_cut_is_offered_to_nobody(target: str) -> None:
    half = {**CALL, "function": {"name": "look", "arguments": '{"path": "im'}}
    resp, _, _ = answer("openai-chat", said({"content": "x", "tool_calls": [half]}, "length"),
                        target)  # fmt: skip
    assert resp.status == "truncated"
    assert resp.calls == []
    assert resp.finish.reason == "length"


@pytest.mark.parametrize("target", CLIENTS)
def test_case_28_a_refusal_is_heard(target: str) -> None:
    resp, _, losses = answer("openai-chat", said({"content": None, "refusal": "I can't."}), target)
    block = resp.msg.blocks[0]
    assert block["text"] == "I can't."
    assert resp.finish.reason in ("refusal", "content_filter")
    as_text = ("answer.unsupported", "$.candidates[0].msg.content[0]") in losses
    assert as_text == (block.type == "text")


CITED: dict[str, dict[str, Any]] = {
    "anthropic": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
        "stop_reason": "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 2},
        "content": [{"type": "text", "text": "Paris.", "citations": [
            {"type": "web_search_result_location", "url": "https://e.org", "title": "E",
             "encrypted_index": "x", "cited_text": "Paris is."}]}]},
    "openai-responses": {
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
        "model": "gpt-5.5", "output": [
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "Paris.", "annotations": [
                 {"type": "url_citation", "url": "https://e.org", "title": "E",
                  "start_index": 0, "end_index": 5}]}]}]},
    "gemini": {"candidates": [{
        "content": {"role": "model", "parts": [{"text": "Paris."}]}, "finishReason": "STOP",
        "groundingMetadata": {
            "groundingChunks": [{"web": {"uri": "https://e.org", "title": "E"}}],
            "groundingSupports": [{"segment": {"startIndex": 0, "endIndex": 5, "text": "Paris"},
                                   "groundingChunkIndices": [0]}]}}]},
    "bedrock-converse": {
        "output": {"message": {"role": "assistant", "content": [{"citationsContent": {
            "content": [{"text": "Paris."}], "citations": [
                {"title": "E", "sourceContent": [{"text": "Paris is."}],
                 "location": {"web": {"url": "https://e.org"}}}]}}]}},
        "stopReason": "end_turn", "metrics": {"latencyMs": 5},
        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}},
}  # fmt: skip


@each_case("target", [*CITED, "openai-chat", "mistral", "ollama"])
@each_case("source", CITED)
def test_case_35b_citations_are_the_clients_own_or_named(source: str, target: str) -> None:
    resp, _, losses = answer(source, CITED[source], target)
    cited: Any = getattr(resp.msg.blocks[0], "citations", None)
    here = "$.candidates[0].msg.content[0].citations[0]"
    if target in ("mistral", "ollama"):
        assert not cited
        assert any(where.startswith(here[: -len("[0]")]) for _, where in losses)
        return
    assert [(one.url, one.title) for one in cited] == [("https://e.org", "E")]
    named = {where for code, where in losses if code == "answer.unsupported"}
    assert all(where.startswith((here, "$.id", "$.model")) for where in named)
    read: Any = dragoman.wire(source).read_response(CITED[source]).msg.blocks[0]
    before = read.citations[0]
    for name in ("quote", "start"):
        kept = getattr(cited[0], name) == getattr(before, name)
        assert kept or not getattr(before, name) or f"{here}.{name}" in named


INCOMPLETE = {
    "id": "resp_1", "object": "response", "created_at": 1, "status": "incomplete", "model": "m",
    "incomplete_details": {"reason": "max_output_tokens"},
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "look", "arguments": "{}"},
        {"type": "function_call", "id": "fc_2", "call_id": "b", "name": "look", "arguments": "{}"},
    ],
    "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 5,
              "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 15},
}  # fmt: skip


@pytest.mark.parametrize("target", ["openai-chat", "anthropic", "gemini"])
def test_case_73_items_stay_what_they_are(target: str) -> None:
    resp, _, _ = answer("openai-responses", INCOMPLETE, target)
    kinds = [type(block) for block in resp.msg.blocks]
    assert kinds == [ThinkingBlock, ToolUseBlock, ToolUseBlock]
    assert [call.id for call in resp.msg.calls] == ["a", "b"]
    assert (resp.status, resp.finish.reason) == ("truncated", "length")


@pytest.mark.parametrize("target", CLIENTS)
def test_case_93_figures_are_summed_as_the_client_expects(target: str) -> None:
    told = {**CITED["anthropic"], "usage": {"input_tokens": 7, "cache_read_input_tokens": 10000,
                                            "output_tokens": 2}}  # fmt: skip
    resp, body, _ = answer("anthropic", told, target)
    usage = resp.usage
    assert (usage.input, usage.cache_read, usage.output) == (7, 10000, 2)
    sums = {"openai-chat": ("usage", "prompt_tokens"),
            "openai-responses": ("usage", "input_tokens"),
            "gemini": ("usageMetadata", "promptTokenCount")}  # fmt: skip
    if target in sums:
        field, key = sums[target]
        assert body[field][key] == 10007


@pytest.mark.parametrize("target", CLIENTS)
def test_case_15_calls_of_a_stream_stay_apart(target: str) -> None:
    events = [chunk(fragment(0, "a", "look", '{"x":1}')), chunk(fragment(0, "b", "look", "{}")),
              chunk({}, "tool_calls")]  # fmt: skip
    resp, _ = relayed("openai-chat", target, events)
    assert [(c.id, c.input) for c in resp.calls] == [("a", {"x": 1}), ("b", {})]
    assert resp.finish.reason == "tool_calls"


@pytest.mark.parametrize("target", ["anthropic", "openai-responses"])
def test_case_80_a_block_is_shut_before_the_next_kind_opens(target: str) -> None:
    events = [chunk({"reasoning_content": "hm"}), chunk({"content": "Yes"}),
              chunk({"reasoning_content": "wait"}), chunk({"content": "No"}),
              chunk({}, "stop")]  # fmt: skip
    resp, made = relayed("openai-chat", target, events)
    assert [type(block).__name__ for block in resp.msg.blocks] == [
        "ThinkingBlock", "TextBlock", "ThinkingBlock", "TextBlock"]  # fmt: skip
    depth = 0
    for event in made:
        begins = event.event in ("content_block_start", "response.output_item.added")
        ends = event.event in ("content_block_stop", "response.output_item.done")
        depth += begins - ends
        assert depth in (0, 1)


@pytest.mark.parametrize("target", CLIENTS)
def test_case_81_no_end_is_made_up_for_a_stream_that_broke_off(target: str) -> None:
    resp, _ = relayed("openai-chat", target, [chunk({"content": "Hi"}),
                                              chunk(fragment(0, "a", "look", '{"x"'))])  # fmt: skip
    assert resp.status == "error"  # its clients hear that there was no end
    assert "broke off" in str(resp.error)
    assert resp.text == "Hi"
    assert resp.calls == []


@pytest.mark.parametrize("target", CLIENTS)
def test_case_31_an_error_in_a_stream_is_the_clients_error(target: str) -> None:
    broke = {"error": {"message": "boom", "code": 502}}
    resp, _ = relayed("openai-chat", target, [chunk({"content": "Hi"}), broke])
    assert resp.status == "error"
    assert "boom" in str(resp.error)


@pytest.mark.parametrize("target", CLIENTS)
def test_several_candidates(target: str) -> None:
    told = {"candidates": [
        {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP",
         "index": index} for index, text in enumerate("ab")]}  # fmt: skip
    resp, _, losses = answer("gemini", told, target)
    texts = [one.msg.get_text_content() for one in resp.candidates]
    assert texts == (["a", "b"] if target in ("openai-chat", "gemini") else ["a"])
    assert (("answer.candidates", "$.candidates[1]") in losses) == (len(texts) == 1)


def test_the_first_candidate_is_whole_whatever_became_of_the_second() -> None:
    told = {"candidates": [
        {"content": {"role": "model", "parts": [{"text": "a"}]}, "finishReason": reason,
         "index": index} for index, reason in enumerate(("STOP", "MAX_TOKENS"))]}  # fmt: skip
    resp, _, _ = answer("gemini", told, "openai-responses")
    assert resp.status == "complete"


HEL = {"token": "Hel", "logprob": -0.1, "bytes": [72, 101, 108], "top_logprobs": [
    {"token": "Hel", "logprob": -0.1, "bytes": [72, 101, 108]},
    {"token": "Ho", "logprob": -3.5, "bytes": [72, 111]}]}  # fmt: skip
LO = {"token": "lo", "logprob": -0.25, "bytes": [108, 111], "top_logprobs": []}
TELLING = ["openai-chat", "openai-responses", "gemini", "dashscope", "ollama"]
LIKELY = [("Hel", -0.1, ["Hel", "Ho"]), ("lo", -0.25, [])]
PART = {"type": "output_text", "text": "Hello", "annotations": [], "logprobs": [HEL, LO]}
HELLO = {"type": "message", "id": "m1", "role": "assistant", "status": "completed",
         "content": [PART]}  # fmt: skip
OPENED = {"id": "r1", "object": "response", "created_at": 1, "model": "gpt-4.1"}
RATED: dict[str, dict[str, Any]] = {
    "openai-chat": {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-4.1", "choices": [{
            "index": 0, "message": {"role": "assistant", "content": "Hello", "refusal": None},
            "finish_reason": "stop", "logprobs": {"content": [HEL, LO], "refusal": None}}]},
    "openai-responses": {**OPENED, "status": "completed", "output": [HELLO]},
    "gemini": {"candidates": [{
        "content": {"parts": [{"text": "Hello"}], "role": "model"}, "finishReason": "STOP",
        "index": 0, "logprobsResult": {
            "chosenCandidates": [{"token": "Hel", "logProbability": -0.1},
                                 {"token": "lo", "logProbability": -0.25}],
            "topCandidates": [{"candidates": [{"token": "Hel", "logProbability": -0.1},
                                              {"token": "Ho", "logProbability": -3.5}]},
                              {"candidates": []}]}}],
        "modelVersion": "gemini-3.5-flash", "responseId": "g1"},
    "ollama": {"model": "qwen3", "created_at": "2026-11-22T02:00:00Z", "done": True,
               "message": {"role": "assistant", "content": "Hello"}, "done_reason": "stop",
               "logprobs": [HEL, LO]},
}  # fmt: skip


def likely(resp: ChatResponse) -> list[tuple[str, float, list[str]]]:
    return [(one.token, one.logprob, [t.token for t in one.top or ()]) for one in resp.logprobs]


@pytest.mark.parametrize("source", RATED)
def test_how_likely_tokens_were_is_told_in_the_form_of_the_client(source: str) -> None:
    told = RATED[source]
    assert likely(dragoman.wire(source).read_response(told)) == LIKELY
    assert dragoman.convert(told, source, source, "response").body == told
    for target in TELLING:
        resp, _, losses = answer(source, told, target)
        assert likely(resp) == LIKELY
        assert not [where for _, where in losses if "ogprobs" in where]
    for target in ("anthropic", "mistral", "cohere"):
        resp, _, losses = answer(source, told, target)
        assert likely(resp) == []
        assert any("ogprobs" in where and code == "extras.other_provider" for code, where in losses)


def rated_chunks() -> list[Any]:
    rated: list[dict[str, Any]] = [{"content": [token], "refusal": None} for token in (HEL, LO)]
    pieces = [chunk({"content": one["content"][0]["token"]}, logprobs=one) for one in rated]
    return [*pieces, chunk({}, "stop")]


def rated_events() -> list[Any]:
    at: dict[str, Any] = {"output_index": 0, "item_id": "m1", "content_index": 0}
    opened = {**OPENED, "status": "in_progress", "output": []}
    item = {**HELLO, "content": [], "status": "in_progress"}
    return [
        {"type": "response.created", "response": opened},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *({"type": "response.output_text.delta", **at, "delta": token["token"],
           "logprobs": [token]} for token in (HEL, LO)),
        {"type": "response.output_item.done", "output_index": 0, "item": HELLO},
        {"type": "response.completed", "response": RATED["openai-responses"]},
    ]  # fmt: skip


RATED_STREAMS = [("openai-chat", rated_chunks()), ("openai-responses", rated_events())]


@pytest.mark.parametrize("target", TELLING)
@pytest.mark.parametrize(("source", "events"), RATED_STREAMS)
def test_how_likely_tokens_were_is_told_in_streams(
    source: str, events: list[Any], target: str
) -> None:
    resp, _ = relayed(source, target, events)
    assert resp.text == "Hello"
    assert likely(resp) == LIKELY


@pytest.mark.parametrize("target", ["mistral", "cohere"])
@pytest.mark.parametrize(("source", "events"), RATED_STREAMS)
def test_a_wire_that_demands_the_ids_of_tokens_is_not_told_how_likely_they_were(
    source: str, events: list[Any], target: str
) -> None:
    converter = dragoman.convert_stream(events, source, target)
    resp = streamed(target, [(event.event, event.data) for event in converter])
    assert (resp.text, likely(resp)) == ("Hello", [])
    told = [loss for loss in converter.losses if "ogprobs" in loss.where]
    assert {loss.code for loss in told} == {"extras.other_provider"}


def test_how_likely_tokens_were_reaches_the_clients_own_types() -> None:
    import ollama
    from cohere.types import LogprobItem
    from mistralai.client.models import ChatCompletionChoice
    from pydantic import ValidationError

    body = answer("openai-chat", RATED["openai-chat"], "ollama")[1]
    tokens = ollama.ChatResponse.model_validate(body).logprobs or ()
    assert [(one.token, one.logprob, len(one.top_logprobs or ())) for one in tokens] == [
        ("Hel", -0.1, 2), ("lo", -0.25, 0)]  # fmt: skip
    without_ids = {"content": [HEL, LO]}  # the reason why Mistral gets none
    choice = {"index": 0, "finish_reason": "stop", "logprobs": without_ids}
    assert not hasattr(ChatCompletionChoice.model_validate(choice).logprobs, "content")
    with pytest.raises(ValidationError, match="token_ids"):
        LogprobItem.model_validate({"text": "Hello", "logprobs": [-0.1]})


def test_snapshots_tell_how_likely_all_tokens_so_far_were() -> None:
    request = dragoman.wire("dashscope").read_request({"model": "qwen-plus", "input": {
        "messages": [{"role": "user", "content": "Hi"}]}})  # fmt: skip
    made = dragoman.convert_stream(rated_chunks(), "openai-chat", "dashscope", request=request)
    last = json.loads([event.data for event in made][-1])["output"]["choices"][0]
    assert last["message"]["content"] == "Hello"
    assert [one["token"] for one in last["logprobs"]["content"]] == ["Hel", "lo"]


def test_an_id_of_a_token_has_no_place_elsewhere() -> None:
    chosen = [{"token": "a", "tokenId": 5, "logProbability": -1}]
    content = {"parts": [{"text": "a"}], "role": "model"}
    told = {"candidates": [{"content": content, "finishReason": "STOP",
                            "logprobsResult": {"chosenCandidates": chosen}}]}  # fmt: skip
    _, _, losses = answer("gemini", told, "openai-chat")
    assert ("answer.unsupported", "$.candidates[0]") in losses
