"""How an agent's run ends: `done` for a complete answer alone, and what is none is no answer."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from dragoman import LLM, Msg, NoAnswer, ReActAgent, StreamBroken
from dragoman.message import Candidate, ChatResponse, Finish, TextBlock
from dragoman.testing import Fault, Scripted
from tests.each_case import each_case
from tests.laws.endings.doors import Canned
from tests.llm.hosts import HOSTS

WIRES = tuple(HOSTS)


def agent_of(wire: str, *answers: Any, **settings: Any) -> ReActAgent:
    host, model = HOSTS[wire]
    places = {"region": "us-east-1"} if wire == "bedrock-converse" else {}
    llm = LLM(f"{host}/{model}", transport=Scripted(*answers), key="k", policy="ignore",
              retries=0, places=places)  # fmt: skip
    return ReActAgent("Friday", None, llm, **settings)


def last_reply(agent: ReActAgent, streams: bool, msg: Any = "Hi") -> Any:
    async def run() -> Any:
        if not streams:
            return await agent.reply(msg)
        *_, end = [event async for event in agent.events(msg)]
        assert end.type == "end"
        return end.reply

    return asyncio.run(run())


def ended(reason: Any, *blocks: Any) -> ChatResponse:
    content = list(blocks) or [TextBlock("Half of it")]
    return ChatResponse([Candidate(Msg("", content, "assistant"), Finish(reason))])


@each_case("streams", [False, True])
@each_case("wire", WIRES)
def test_a_cut_answer_is_not_done(wire: str, streams: bool) -> None:
    agent = agent_of(wire, ended("length"), "All of it.")
    reply = last_reply(agent, streams)
    assert (reply.finish, reply.msg.text) == ("length", "Half of it")
    assert last_reply(agent, streams, "Go on").finish == "done"


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(("wire", "reason"), [
    ("anthropic", "refusal"), ("gemini", "content_filter"), ("openai-chat", "content_filter"),
    ("bedrock-converse", "content_filter"), ("gemini", "malformed_call"),
    ("bedrock-converse", "malformed_call"),
])  # fmt: skip
def test_the_reason_of_the_answer_is_the_runs(wire: str, reason: str, streams: bool) -> None:
    reply = last_reply(agent_of(wire, ended(reason)), streams)
    assert (reply.finish, reply.msg.text) == (reason, "Half of it")


@pytest.mark.parametrize("reason", ["length", "tool_calls", "stop"])
def test_a_call_that_is_cut_never_runs(reason: str) -> None:
    ran: list[str] = []

    def look(path: str) -> str:
        """Look at a file."""
        ran.append(path)
        return "nothing"

    function = {"name": "look", "arguments": '{"path": "/tm'}
    call = {"id": "c1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    body = json.dumps({"id": "c", "object": "chat.completion", "model": "m", "choices": [choice]})
    canned = Canned(body.encode(), "application/json")
    llm = LLM("deepseek/deepseek-chat", transport=canned, key="k", policy="ignore")
    agent = ReActAgent("Friday", None, llm, toolkit=[look], max_iters=2)
    assert agent.run("Hi").finish == "steps"  # the model is told, and asked again
    assert ran == []
    results = [m.blocks[0] for m in agent.messages if m.role == "tool"]
    assert [getattr(one, "is_error", None) for one in results] == [True, True]


BODIES = {
    "gemini": b'{"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "index": 0}]}',
    "anthropic": b'{"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],'
                 b' "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1}}',
    "openai-chat": b'{"id": "c", "object": "chat.completion", "model": "m", "choices": [{"index":'
                   b' 0, "message": {"role": "assistant", "content": null}, "finish_reason":'
                   b' "tool_calls"}]}',
}  # fmt: skip


@pytest.mark.parametrize("wire", BODIES)
def test_nothing_but_the_word_of_a_call_is_no_answer(wire: str) -> None:
    host, model = HOSTS[wire]
    settings: dict[str, Any] = {"key": "k", "policy": "ignore", "retries": 0}
    llm = LLM(f"{host}/{model}", transport=Canned(BODIES[wire], "application/json"), **settings)
    agent = ReActAgent("Friday", None, llm)
    with pytest.raises(NoAnswer) as caught:
        agent.run("Hi")
    assert caught.value.response.finish.reason == "malformed_call"
    assert [m.role for m in agent.messages] == ["user"]
    agent.allow_partial = True  # a choice that takes it, and says what it is
    assert agent.run().finish == "malformed_call"


def test_a_call_that_was_announced_and_never_came() -> None:
    body = BODIES["anthropic"].replace(
        b'"content": []', b'"content": [{"type": "text", "text": "Let me look."}]'
    )
    llm = LLM("anthropic/claude-opus-5-5", transport=Canned(body, "application/json"), key="k")
    reply = ReActAgent("Friday", None, llm).run("Hi")
    assert (reply.finish, reply.msg and reply.msg.text) == ("malformed_call", "Let me look.")


def test_a_call_that_no_agent_can_run_is_not_done() -> None:
    body = b"""{"id": "c", "object": "chat.completion", "model": "m", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type":
        "function", "name": "look", "arguments": "{}"}]}, "finish_reason": "tool_calls"}]}"""
    llm = LLM("openai/gpt-4o", transport=Canned(body, "application/json"), key="k")
    assert ReActAgent("Friday", None, llm).run("Hi").finish == "other"


@pytest.mark.parametrize("word", ["load", "unload"])
def test_a_model_that_was_only_loaded_has_not_answered(word: str) -> None:
    line = {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True}
    body = json.dumps({**line, "done_reason": word}).encode() + b"\n"
    llm = LLM("ollama/qwen3:4b", transport=Canned(body, "application/x-ndjson"), retries=0)
    with pytest.raises(NoAnswer):
        ReActAgent("Friday", None, llm).run("Hi")


@pytest.mark.parametrize("wire", WIRES)
def test_a_run_whose_answer_broke_off_goes_on_from_there(wire: str) -> None:
    agent = agent_of(
        wire, Fault("One two three four.", cut=6 if "responses" in wire else 4), "All of it."
    )
    with pytest.raises(StreamBroken) as caught:
        last_reply(agent, True)
    assert caught.value.response.text.startswith("One")
    state = agent.state()
    assert [m.role for m in agent.messages] == ["user"]
    again = agent_of(wire, "All of it.")
    again.load_state(state)
    reply = last_reply(again, True, None)
    assert (reply.finish, reply.msg.text) == ("done", "All of it.")
    assert again.messages[0].text == "Hi"


@pytest.mark.parametrize("wire", WIRES)
def test_what_broke_off_is_taken_where_that_is_said(wire: str) -> None:
    agent = agent_of(
        wire, Fault("One two three four.", cut=6 if "responses" in wire else 4), allow_partial=True
    )
    reply = last_reply(agent, True)
    assert reply.finish == "interrupted"
    assert reply.msg.text.startswith("One")


def test_a_continuation_needs_its_token_and_is_not_the_end() -> None:
    body = (
        b'{"candidates": [{"content": {"role": "model", "parts": [{"text": "Half"}]}, "index": 0,'
        b' "finishReason": "CONTINUATION", "continuationToken": "dG9rZW4="}]}'
    )
    canned = Canned(body, "application/json")
    llm = LLM("gemini/gemini-3.5-flash", transport=canned, key="k", policy="ignore")
    assert llm.ask("Hi").finish == Finish("pause", "CONTINUATION")
    reply = ReActAgent("Friday", None, llm).run("Hi")
    assert reply.finish == "pause"
    asked = [json.loads(call.body) for call in canned.calls]
    # each asks once more with the token, which comes back; the agent never without it
    assert [body.get("continuationToken") for body in asked] == [None, "dG9rZW4="] * 2


def test_the_response_decides_and_not_the_name_of_its_last_event() -> None:
    """VLLM 0.32 closes a response that was cut with `response.completed` (seen 2026-11-27)."""
    item = {"type": "message", "id": "m1", "role": "assistant", "status": "incomplete",
            "content": [{"type": "output_text", "text": "Half", "annotations": []}]}  # fmt: skip
    response = {"id": "r1", "object": "response", "created_at": 1, "model": "m",
                "output": [item], "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"}}  # fmt: skip
    event = {"type": "response.completed", "response": response}
    body = f"event: response.completed\ndata: {json.dumps(event)}\n\n".encode()
    llm = LLM("vllm/openai-responses/m", transport=Canned(body, "text/event-stream"), key="k",
              base_url="http://127.0.0.1:1/v1", policy="ignore")  # fmt: skip
    reply = last_reply(ReActAgent("Friday", None, llm), True)
    assert (reply.finish, reply.msg.text) == ("length", "Half")
