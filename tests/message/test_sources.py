"""`sources` lists what an answer cites or what its searches found, whoever answered."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.message import (
    AnswerSource,
    Candidate,
    ChatResponse,
    Citation,
    Msg,
    RawBlock,
    TextBlock,
)

URL = "https://a.example"
CITED = AnswerSource(URL, "A", (), cited=True)
FOUND = AnswerSource(URL, "A")


def chat(message: dict[str, Any], **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Rain.", **message}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {"id": "r", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [choice], **fields}  # fmt: skip


ANSWERS: list[tuple[str, dict[str, Any], list[AnswerSource]]] = [
    ("openai-chat",
     chat({"annotations": [{"type": "url_citation", "url_citation": {
         "start_index": 0, "end_index": 4, "url": URL, "title": "A"}}]}), [CITED]),
    ("openai-responses",
     {"id": "r", "object": "response", "status": "completed", "model": "g", "output": [
         {"type": "web_search_call", "id": "w", "status": "completed",
          "action": {"type": "search", "query": "q",
                     "sources": [{"type": "url", "url": "https://d.example"}]}},
         {"type": "file_search_call", "id": "f", "status": "completed", "queries": ["q"],
          "results": [{"file_id": "file_1", "filename": "a.pdf", "text": "t", "score": 0.9}]},
         {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [
             {"type": "output_text", "text": "Rain.", "annotations": [
                 {"type": "url_citation", "start_index": 0, "end_index": 4, "url": URL,
                  "title": "A"},
                 {"type": "file_citation", "file_id": "file_1", "filename": "a.pdf",
                  "index": 3}]}]}]},
     [AnswerSource("https://d.example"), AnswerSource(None, "a.pdf", (), cited=True), CITED]),
    ("anthropic",
     {"id": "m", "type": "message", "role": "assistant", "model": "c", "stop_reason": "end_turn",
      "usage": {"input_tokens": 1, "output_tokens": 1}, "content": [
          {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
          {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [
              {"type": "web_search_result", "url": URL, "title": "A", "encrypted_content": "e"},
              {"type": "web_search_result", "url": "https://b.example", "title": "B"}]},
          {"type": "text", "text": "Rain.", "citations": [
              {"type": "web_search_result_location", "url": URL, "title": "A",
               "cited_text": "It rains.", "encrypted_index": "e"}]}]},
     [AnswerSource(URL, "A", ("It rains.",), cited=True), AnswerSource("https://b.example", "B")]),
    ("gemini",
     {"candidates": [{"content": {"role": "model", "parts": [{"text": "Rain."}]},
                      "finishReason": "STOP", "groundingMetadata": {
                          "groundingChunks": [
                              {"web": {"uri": URL, "title": "A"}},
                              {"retrievedContext": {"uri": "gs://b", "title": "B"}}],
                          "groundingSupports": [{
                              "segment": {"startIndex": 0, "endIndex": 5, "text": "Rain."},
                              "groundingChunkIndices": [0]}]}}]},
     [CITED, AnswerSource("gs://b", "B")]),
    ("cohere",
     {"id": "x", "finish_reason": "COMPLETE", "message": {
         "role": "assistant", "content": [{"type": "text", "text": "Rain."}], "citations": [
             {"start": 0, "end": 4, "text": "Rain", "type": "TEXT_CONTENT", "sources": [
                 {"type": "document", "id": "d",
                  "document": {"id": "d", "title": "A", "url": URL}}]}]}}, [CITED]),
    ("bedrock",
     {"output": {"message": {"role": "assistant", "content": [{"citationsContent": {
         "content": [{"text": "Rain."}], "citations": [
             {"title": "A", "sourceContent": [{"text": "It rains."}],
              "location": {"documentPage": {"documentIndex": 0, "start": 1, "end": 1}}}]}}]}},
      "stopReason": "end_turn"}, [AnswerSource(None, "A", ("It rains.",), cited=True)]),
    ("perplexity",
     chat({}, citations=[URL, "https://b.example"],
          search_results=[{"title": "A", "url": URL, "snippet": "s"}]),
     [FOUND, AnswerSource("https://b.example")]),
    ("zhipu", chat({}, web_search=[{"link": URL, "title": "A", "content": "c"}]), [FOUND]),
    ("dashscope",
     {"output": {"choices": [{"message": {"role": "assistant", "content": "Rain[1]"},
                              "finish_reason": "stop"}],
                 "search_info": {"search_results": [{"index": 1, "title": "A", "url": URL}]}},
      "request_id": "r"}, [FOUND]),
    ("mistral",
     chat({"content": [{"type": "text", "text": "Rain"},
                       {"type": "tool_reference", "tool": "web_search", "title": "A",
                        "url": URL}]}), [CITED]),
    ("openai-chat", chat({}), []),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "body", "sources"), ANSWERS)
def test_sources_of_an_answer(wire: str, body: dict[str, Any], sources: list[AnswerSource]) -> None:
    resp = dragoman.wire(wire).read_response(body)
    assert sorted(resp.sources, key=repr) == sorted(sources, key=repr)


def test_each_source_stands_once_in_the_order_of_the_text() -> None:
    blocks = [
        TextBlock("a", [Citation(url=URL, quote="x"), Citation(url="https://b.example")]),
        TextBlock("b", [Citation(url=URL, title="A", quote="y"), Citation(quote="alone")]),
    ]
    candidate = Candidate(Msg("", blocks, "assistant"))
    first, second = ChatResponse([candidate]).sources
    assert first == AnswerSource(URL, "A", ("x", "y"), cited=True)
    assert second == AnswerSource("https://b.example", None, (), cited=True)
    assert candidate.sources == [first, second]


def test_what_a_call_asks_for_is_no_source() -> None:
    call = RawBlock("x", {"type": "fetch", "url": URL}, "call", "1")
    odd = RawBlock("x", {"content": [{"type": "text", "text": "t"}, 5, None, "words"]}, "result")
    assert ChatResponse([Candidate(Msg("", [call, odd], "assistant"))]).sources == []


def test_deep_and_odd_fields_end_somewhere() -> None:
    deep: dict[str, Any] = {"url": URL}
    for _ in range(900):
        deep = {"sources": [deep]}
    candidate = Candidate(Msg("", "a", "assistant"), extras={"x": deep})
    assert ChatResponse([candidate]).sources == []
