"""Answers that come in several bodies: Gemini's tokens are followed as Google's SDK does it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, ProviderError, ReActAgent
from dragoman.message import ChatResponse, Finish, TextBlock, ThinkingBlock
from dragoman.model import ChatModel
from dragoman.model.segments import MAX_SEGMENTS
from dragoman.transport.call import HttpCall, Reply, Timeouts
from tests.laws.endings.doors import AsyncCanned, Canned

GEMINI, INTERACTIONS = "gemini/gemini/gemini-4-argon", "gemini/gemini-interactions/gemini-4-argon"


class Bodies(Canned):
    """A transport that gives one body after the other; whoever asks for a stream gets events."""

    def __init__(self, *bodies: Any, framed: bool) -> None:
        super().__init__(b"", "text/event-stream" if framed else "application/json")
        self._bodies = list(bodies)
        self._framed = framed

    @property
    def asked(self) -> list[dict[str, Any]]:
        return [json.loads(call.body) for call in self.calls]

    def _next(self, call: HttpCall) -> None:
        self.calls.append(call)
        body = self._bodies.pop(0) if len(self._bodies) > 1 else self._bodies[0]
        if isinstance(body, int):
            self.status, self.body = body, b'{"error": {"message": "Busy", "code": 503}}'
            return
        lines = body if isinstance(body, list) else [body]
        self.body = b"".join(b"data: %s\n\n" % json.dumps(line).encode() for line in lines)
        if not self._framed:
            self.body = json.dumps(body).encode()

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        self._next(call)
        return Reply(self.status, self.headers, self.body)

    def stream(self, call: HttpCall, timeouts: Timeouts) -> Canned:
        self._next(call)
        return self

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AsyncCanned:
        self._next(call)
        return AsyncCanned(self)


def segment(*parts: Mapping[str, Any], token: str = "", output: int = 5) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0,
                                 "finishReason": "CONTINUATION" if token else "STOP"}  # fmt: skip
    if token:
        candidate["continuationToken"] = token
    usage = {"promptTokenCount": 10, "candidatesTokenCount": output,
             "totalTokenCount": 10 + output}  # fmt: skip
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-4-argon",
            "responseId": f"r{output}"}  # fmt: skip


THREE = (
    segment({"text": "Think. ", "thought": True}, {"text": '{"a": [1'}, token="dDE="),
    segment({"text": ", 2"}, token="dDI=", output=6),
    segment({"text": ", 3]}"}, output=7),
)


def asked(llm: LLM | AsyncLLM, way: str, **settings: Any) -> ChatResponse:
    async def run() -> ChatResponse:
        assert isinstance(llm, AsyncLLM)
        if way == "aask":
            return await llm.ask("Count.", **settings)
        stream = llm.stream("Count.", **settings)
        [event async for event in stream]
        return stream.response

    if isinstance(llm, AsyncLLM):
        return asyncio.run(run())
    if way == "ask":
        return llm.ask("Count.", **settings)
    stream = llm.stream("Count.", **settings)
    texts = [event.text for event in stream if event.type == "text-delta"]
    assert "".join(texts) == stream.response.text
    return stream.response


def llm_of(name: str, way: str, *bodies: Any) -> tuple[Any, Bodies]:
    bodies_of = Bodies(*bodies, framed="stream" in way)
    kind = AsyncLLM if way[0] == "a" and way != "ask" else LLM
    return kind(name, transport=bodies_of, key="k", policy="ignore", retries=0), bodies_of


@pytest.mark.parametrize("way", ["ask", "aask", "stream", "astream"])
def test_what_comes_in_three_bodies_is_one_answer(way: str) -> None:
    llm, sent = llm_of(GEMINI, way, *THREE)
    answer = asked(llm, way)
    assert answer.text == '{"a": [1, 2, 3]}'
    assert [type(block) for block in answer.msg.blocks[:2]] == [ThinkingBlock, TextBlock]
    assert answer.finish == Finish("stop", "STOP")
    assert (answer.usage.input, answer.usage.output, answer.usage.total) == (30, 18, 48)
    assert "continuationToken" not in json.dumps([c.extras for c in answer.candidates])
    assert answer.msg.text == answer.text  # a text that was cut is one
    first, *others = sent.asked
    assert "continuationToken" not in first
    assert others == [{**first, "continuationToken": token} for token in ("dDE=", "dDI=")]


@pytest.mark.parametrize("way", ["ask", "stream"])
def test_citations_count_from_the_beginning_of_the_text(way: str) -> None:
    first, last = segment({"text": "One "}, token="dDE="), segment({"text": "two."})
    last["candidates"][0]["groundingMetadata"] = {
        "groundingChunks": [{"web": {"uri": "https://e.org", "title": "E"}}],
        "groundingSupports": [{"segment": {"startIndex": 0, "endIndex": 3, "text": "two"},
                               "groundingChunkIndices": [0]}],
    }  # fmt: skip
    llm, _ = llm_of(GEMINI, way, first, last)
    (block,) = asked(llm, way).msg.blocks
    assert isinstance(block, TextBlock)
    assert block.citations is not None
    assert [(one.start, one.end) for one in block.citations] == [(4, 7)]


def test_a_model_streams_all_of_it_too() -> None:
    bodies = Bodies(*THREE, framed=True)
    model = ChatModel("gemini", "gemini-4-argon", "k", transport=bodies)

    async def run() -> list[str]:
        messages = [{"role": "user", "parts": [{"text": "Count."}]}]
        parts = await model(messages, stream=True)
        return [part.text async for part in parts]

    texts = asyncio.run(run())
    assert texts[-1] == '{"a": [1, 2, 3]}'
    assert all(texts[-1].startswith(text) for text in texts)
    assert len(bodies.calls) == 3


@pytest.mark.parametrize("way", ["ask", "stream"])
def test_a_value_is_read_from_all_of_it(way: str) -> None:
    llm, _ = llm_of(GEMINI, way, *THREE)
    schema = {"type": "object", "properties": {"a": {"type": "array"}}}
    answer: Any = asked(llm, way, response_format=schema)
    assert answer.parsed == {"a": [1, 2, 3]}


@pytest.mark.parametrize("streams", [False, True])
def test_an_agent_goes_on_with_the_token(streams: bool) -> None:
    bodies = Bodies(*THREE, framed=streams)
    llm = LLM(GEMINI, transport=bodies, key="k", policy="ignore")
    agent = ReActAgent("Friday", None, llm)

    async def run() -> Any:
        *_, end = [event async for event in agent.events("Count.")]
        assert end.type == "end"
        return end.reply

    reply = asyncio.run(run()) if streams else agent.run("Count.")
    assert (reply.finish, reply.text, reply.usage.output) == ("done", '{"a": [1, 2, 3]}', 18)
    assert len(bodies.calls) == 3


@pytest.mark.parametrize("way", ["ask", "stream"])
def test_it_ends_where_the_provider_gives_no_new_token(way: str) -> None:
    llm, sent = llm_of(GEMINI, way, segment({"text": "Again. "}, token="dDE="))
    answer = asked(llm, way)
    assert (answer.finish.reason, answer.text) == ("pause", "Again. " * 2)
    assert len(sent.calls) == 2


@pytest.mark.parametrize("way", ["ask", "stream"])
def test_it_is_bounded(way: str) -> None:
    bodies = [segment({"text": "."}, token=f"t{nth}") for nth in range(MAX_SEGMENTS + 3)]
    llm, sent = llm_of(GEMINI, way, *bodies)
    answer = asked(llm, way)
    assert (answer.finish.reason, len(sent.calls)) == ("pause", MAX_SEGMENTS)
    extras = answer.candidates[0].extras
    assert extras is not None
    assert extras["gemini"]["continuationToken"] == f"t{MAX_SEGMENTS - 1}"


@pytest.mark.parametrize("way", ["ask", "stream"])
def test_an_error_on_the_way_carries_what_came(way: str) -> None:
    llm, _ = llm_of(GEMINI, way, segment({"text": "Half"}, token="dDE="), 503)
    with pytest.raises(ProviderError) as caught:
        asked(llm, way)
    assert caught.value.response is not None
    assert caught.value.response.text == "Half"


def interaction(id: str, text: str, token: str = "") -> dict[str, Any]:
    step = {"type": "model_output", "content": [{"type": "text", "text": text}]}
    state = {"status": "requires_continuation", "continuation_token": token} if token else {
        "status": "completed"}  # fmt: skip
    return {"id": id, "object": "interaction", "model": "gemini-4-argon", "steps": [step],
            "usage": {"total_input_tokens": 10, "total_output_tokens": 5}, **state}  # fmt: skip


def events(body: dict[str, Any]) -> list[dict[str, Any]]:
    begun = {"id": body["id"], "object": "interaction", "status": "in_progress"}
    text = body["steps"][0]["content"][0]["text"]
    ended = {key: value for key, value in body.items() if key != "steps"}
    return [
        {"event_type": "interaction.created", "interaction": begun},
        {"event_type": "step.start", "index": 0, "step": {"type": "model_output"}},
        {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": text}},
        {"event_type": "step.stop", "index": 0},
        {"event_type": "interaction.completed", "interaction": ended},
    ]


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("way", ["ask", "stream"])
def test_an_interaction_goes_on_from_the_one_before_or_from_its_input(
    way: str, keeps: bool
) -> None:
    bodies: list[Any] = [interaction("i1", "One ", "t1"), interaction("i2", "two.")]
    if way == "stream":
        bodies = [events(body) for body in bodies]
    llm, sent = llm_of(INTERACTIONS, way, *bodies)
    answer = asked(llm, way, extras=None if keeps else {"gemini-interactions": {"store": False}})
    assert (answer.text, answer.finish.reason, answer.id) == ("One two.", "stop", "i2")
    assert (answer.usage.input, answer.usage.output) == (20, 10)
    first, second = sent.asked
    rest = {key: value for key, value in first.items() if key != "input" or not keeps}
    named = {"previous_interaction_id": "i1"} if keeps else {}
    assert second == {**rest, "continuation_token": "t1", **named}
