"""Anthropic pauses long turns of its own tools (`pause_turn`): the answer is asked for to its end.

What is sent is judged by the official client, whose tool runner resumes such turns by itself.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import anthropic
import pytest

from dragoman import (
    LLM,
    AsyncLLM,
    ChatResponse,
    Msg,
    ProviderError,
    ReActAgent,
    StreamBroken,
    tool,
    wire,
)
from dragoman.message import Candidate, Finish, RawBlock, TextBlock, ThinkingBlock
from dragoman.model import ChatModel
from dragoman.model.segments import MAX_SEGMENTS
from tests.gateway.faults.provider import CHUNKED, CUT, LAST, Provider, answer, chunked

MODEL = "claude-opus-5-5"
NAME = f"anthropic/{MODEL}"
SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": 50}
WAYS = ("ask", "aask", "stream", "astream")
ways = pytest.mark.parametrize("way", WAYS)
CITED = {"type": "web_search_result_location", "url": "https://e.org/1", "title": "One",
         "cited_text": "It is so.", "encrypted_index": "RW5k"}  # fmt: skip
FOUND = {"type": "web_search_result", "url": "https://e.org/1", "title": "One", "page_age": None,
         "encrypted_content": "RXhh"}  # fmt: skip


def thought(text: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": text, "signature": f"Sig{len(text)}"}


def said(text: str, *citations: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": text, "citations": [*citations] or None}


def search(nth: int) -> dict[str, Any]:
    return {"type": "server_tool_use", "id": f"srvtoolu_{nth}", "name": "web_search",
            "input": {"query": f"number {nth}"}}  # fmt: skip


def results(nth: int) -> dict[str, Any]:
    return {"type": "web_search_tool_result", "tool_use_id": f"srvtoolu_{nth}", "content": [FOUND]}


CALL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "it"}}
FIRST = [thought("Look it up."), said("I look. "), search(1), results(1), search(2)]
SECOND = [results(2), said("It is so.", CITED), search(3), results(3)]
THIRD = [thought("Enough."), said("Done: "), said("it is so.", CITED)]


def message(
    *content: Mapping[str, Any], reason: str = "pause_turn", searches: int = 1, **more: Any
) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 100,
             "cache_creation_input_tokens": 8,
             "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 7},
             "server_tool_use": {"web_search_requests": searches, "web_fetch_requests": 0},
             "service_tier": "standard"}  # fmt: skip
    return {"id": f"msg_{len(content)}", "type": "message", "role": "assistant", "model": MODEL,
            "content": [*content], "stop_reason": reason, "stop_sequence": None,
            "usage": usage, **more}  # fmt: skip


def events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events in which the API streams a message."""
    start = {**whole, "content": [], "stop_reason": None, "container": None}
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(whole["content"]):
        begun, deltas = dict(block), []
        if block["type"] == "text":
            begun["text"], begun["citations"] = "", [] if block["citations"] else None
            deltas = [{"type": "citations_delta", "citation": c} for c in block["citations"] or ()]
            deltas += [{"type": "text_delta", "text": block["text"]}]
        elif block["type"] == "thinking":
            begun["thinking"] = begun["signature"] = ""
            deltas = [{"type": "thinking_delta", "thinking": block["thinking"]},
                      {"type": "signature_delta", "signature": block["signature"]}]  # fmt: skip
        elif "input" in block:
            text = json.dumps(block["input"])
            begun["input"] = {}
            deltas = [{"type": "input_json_delta", "partial_json": part}
                      for part in ("", text[:9], text[9:])]  # fmt: skip
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {name: whole.get(name) for name in ("stop_reason", "stop_sequence", "container")}
    yield {"type": "message_delta", "delta": ended, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def plan(way: str, whole: dict[str, Any] | int) -> list[Any]:
    if isinstance(whole, int):
        busy = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}
        return [answer(json.dumps(busy).encode(), whole)]
    if "stream" not in way:
        return [answer(json.dumps(whole).encode())]
    lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events(whole))
    return [CHUNKED, *chunked(line.encode() for line in lines), LAST]


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    running = Provider()
    yield running
    running.close()


def ask(way: str, server: Provider, *parts: Any, asks: Any = "Is it so?", **more: Any) -> Any:
    """The answer, or what a stream gave, in this way."""
    server.will(*(plan(way, part) for part in parts))
    kind = AsyncLLM if way[0] == "a" and way != "ask" else LLM
    fields = {"tools": [SEARCH], **more.pop("fields", {})}
    settings = {"retries": 0, "key": "k", "extras": {"anthropic": fields}, **more}
    llm = kind(NAME, base_url=server.url, policy="ignore", **settings)

    async def run() -> ChatResponse:
        assert isinstance(llm, AsyncLLM)
        try:
            if way == "aask":
                return await llm.ask(asks)
            stream = llm.stream(asks)
            [event async for event in stream]
            return stream.response
        finally:
            await llm.aclose()

    if isinstance(llm, AsyncLLM):
        return asyncio.run(run())
    with llm:
        if way == "ask":
            return llm.ask(asks)
        stream = llm.stream(asks)
        texts = [event.text for event in stream if event.type == "text-delta"]
        assert "".join(texts) == stream.response.msg.text.replace("\n", "")
        return stream.response


def bodies(server: Provider) -> list[dict[str, Any]]:
    return [json.loads(one.body) for one in server.asked]


def content_of(resp: ChatResponse) -> list[dict[str, Any]]:
    """The blocks as the API's own."""
    content: list[dict[str, Any]] = wire("anthropic").write_response(resp).body["content"]
    return content


@pytest.mark.parametrize("threads", [False, True])
def test_the_official_client_resumes_a_turn_with_the_same_requests(
    threads: bool, server: Provider
) -> None:
    parts = message(*FIRST), message(*SECOND), message(*THIRD, reason="end_turn")
    server.will(*(plan("ask", part) for part in parts))
    asked: Any = {"role": "user", "content": "Is it so?"}
    offered: Any = [SEARCH]
    with anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0) as client:
        run = client.beta.messages.tool_runner
        if threads:
            run(model=MODEL, max_tokens=9, messages=[asked], tools=offered).until_done()
        else:
            run(
                model=MODEL, max_tokens=9, messages=[asked], tools=offered, thread=False
            ).until_done()
    theirs = bodies(server)
    fields = {"thread": {"type": "create"}} if threads else {}
    ask("ask", server, *parts, fields=fields, max_tokens=9)
    ours = bodies(server)
    for body in (*theirs, *ours):
        body["messages"] = turns(body["messages"])
    assert len(ours) == 3
    assert ours == theirs


def turns(messages: Iterable[Mapping[str, Any]]) -> list[tuple[str, list[Any]]]:
    """Messages of one role in a row are one turn (Anthropic API, "Create a Message")."""
    found: list[tuple[str, list[Any]]] = []
    for one in messages:
        content = one["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [*content]
        if found and found[-1][0] == one["role"]:
            found[-1][1].extend(blocks)
        else:
            found.append((one["role"], blocks))
    return found


@ways
def test_what_comes_in_three_parts_is_one_answer(way: str, server: Provider) -> None:
    resp = ask(way, server, message(*FIRST), message(*SECOND),
               message(*THIRD, reason="end_turn"))  # fmt: skip
    assert content_of(resp) == [*FIRST, *SECOND, *THIRD]
    kinds = [type(block) for block in resp.msg.blocks]
    assert kinds == [ThinkingBlock, TextBlock, RawBlock, RawBlock, RawBlock,
                     RawBlock, TextBlock, RawBlock, RawBlock,
                     ThinkingBlock, TextBlock, TextBlock]  # fmt: skip
    assert (resp.finish, resp.status) == (Finish("stop", "end_turn"), "complete")
    assert resp.id == "msg_3"
    first, *others = bodies(server)
    turn = [{"role": "assistant", "content": FIRST}, {"role": "assistant",
            "content": [*FIRST, *SECOND]}]  # fmt: skip
    assert others == [{**first, "messages": [*first["messages"], one]} for one in turn]


@ways
def test_the_usage_is_that_of_all_parts(way: str, server: Provider) -> None:
    resp = ask(way, server, message(*FIRST), message(*SECOND, searches=2),
               message(*THIRD, reason="end_turn", searches=0))  # fmt: skip
    usage = resp.usage
    assert (usage.input, usage.output, usage.cache_read, usage.cache_write) == (30, 15, 300, 24)
    assert usage.extras == {"anthropic": {
        "cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 21},
        "server_tool_use": {"web_search_requests": 3, "web_fetch_requests": 0},
        "service_tier": "standard"}}  # fmt: skip
    assert [one.input for one in resp.usages] == [10, 10, 10]


@ways
@pytest.mark.parametrize(("given", "sent"), [
    (None, "container_1"), ({"skills": []}, {"skills": [], "id": "container_1"}),
    ("container_0", "container_0"), ({"id": "container_0", "skills": []},) * 2,
])  # fmt: skip
def test_the_rest_runs_in_the_container_of_the_answer(
    way: str, given: Any, sent: Any, server: Provider
) -> None:
    place = {"id": "container_1", "expires_at": "2026-11-29T12:00:00Z", "skills": None}
    fields = {} if given is None else {"container": given}
    resp = ask(way, server, message(*FIRST, container=place),
               message(*THIRD, reason="end_turn", container=place), fields=fields)  # fmt: skip
    first, second = bodies(server)
    assert (first.get("container"), second["container"]) == (given, sent)
    assert resp.extras["anthropic"]["container"] == place


@ways
def test_a_thread_goes_on_from_the_answer_that_the_provider_has(way: str, server: Provider) -> None:
    """With nothing new to send, `messages` is empty; tools stay as created (anthropic 2.14)."""
    ask(way, server, message(*FIRST), message(*THIRD, reason="end_turn"), system="Be brief.",
        fields={"thread": {"type": "create"}})  # fmt: skip
    first, second = bodies(server)
    rest = {name: value for name, value in first.items() if name not in ("system", "tools")}
    thread = {"type": "continue", "previous_message_id": "msg_5"}
    assert second == {**rest, "messages": [], "thread": thread}


@ways
def test_a_call_of_a_tool_goes_to_who_can_run_it(way: str, server: Provider) -> None:
    resp = ask(way, server, message(*FIRST), message(*SECOND, CALL, reason="tool_use"))
    assert [call.name for call in resp.calls] == ["look"]
    assert resp.finish.reason == "tool_calls"
    assert len(server.asked) == 2
    resp = ask(way, server, message(*FIRST, CALL), 500)
    assert [call.name for call in resp.calls] == ["look"]
    assert resp.finish == Finish("pause", "pause_turn")
    assert len(server.asked) == 1


@ways
def test_a_program_may_have_the_pause_itself(way: str, server: Provider) -> None:
    resp = ask(way, server, message(*FIRST), 500, follow_pauses=False)
    assert resp.finish == Finish("pause", "pause_turn")
    assert content_of(resp) == FIRST
    assert len(server.asked) == 1
    # what it does itself is what is done for it
    rest = ask(
        way, server, message(*THIRD, reason="end_turn"), asks=[Msg.user("Is it so?"), resp.msg]
    )
    assert rest.finish.reason == "stop"
    assert bodies(server)[0]["messages"][1:] == [{"role": "assistant", "content": FIRST}]


@ways
def test_a_pause_that_a_program_asks_for_is_left_to_it(way: str, server: Provider) -> None:
    summary = {"type": "compaction", "content": "All that was."}
    resp = ask(way, server, message(said("So far. "), summary, reason="compaction"), 500)
    assert (resp.finish.reason, len(server.asked)) == ("pause", 1)


@ways
def test_it_is_bounded(way: str, server: Provider) -> None:
    parts = [message(search(nth), results(nth)) for nth in range(MAX_SEGMENTS + 3)]
    resp = ask(way, server, *parts)
    assert (resp.finish.reason, len(server.asked)) == ("pause", MAX_SEGMENTS)
    assert len(resp.msg.blocks) == 2 * MAX_SEGMENTS
    assert len(resp.usages) == MAX_SEGMENTS


@ways
def test_a_pause_that_brings_nothing_new_is_the_last(way: str, server: Provider) -> None:
    resp = ask(way, server, message(*FIRST), message(), 500)
    assert (resp.finish.reason, len(server.asked)) == ("pause", 2)
    assert content_of(resp) == FIRST


@ways
def test_an_error_on_the_way_carries_what_came(way: str, server: Provider) -> None:
    with pytest.raises(ProviderError) as caught:
        ask(way, server, message(*FIRST), message(*SECOND), 529)
    assert caught.value.kind == "overloaded"
    partial = caught.value.response
    assert partial is not None
    assert content_of(partial) == [*FIRST, *SECOND]
    assert partial.usage.input == 20
    # a program can go on from there
    rest = ask(
        way, server, message(*THIRD, reason="end_turn"), asks=[Msg.user("Is it so?"), partial.msg]
    )
    assert rest.text.startswith("Done")
    assert bodies(server)[0]["messages"][1]["content"] == [*FIRST, *SECOND]


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_rest_that_breaks_off_is_no_whole_answer(way: str, server: Provider) -> None:
    lines = [f"data: {json.dumps(one)}\n\n".encode() for one in events(message(*THIRD))]
    plans = [plan(way, message(*FIRST)), [CHUNKED, *chunked(lines[:-6]), CUT]]
    kind = AsyncLLM if way == "astream" else LLM
    server.will(*plans)
    llm: Any = kind(NAME, base_url=server.url, key="k", policy="ignore", retries=0)

    def read() -> None:
        if way == "stream":
            list(llm.stream("Is it so?"))
            return

        async def run() -> None:
            [event async for event in llm.stream("Is it so?")]

        asyncio.run(run())

    with pytest.raises(StreamBroken) as caught:
        read()
    assert caught.value.response is not None
    assert content_of(caught.value.response)[:6] == [*FIRST, THIRD[0]]


@pytest.mark.parametrize("way", ["ask", "aask"])
def test_a_failed_part_alone_is_repeated(way: str, server: Provider) -> None:
    resp = ask(way, server, message(*FIRST), 529, message(*THIRD, reason="end_turn"), retries=1)
    assert content_of(resp) == [*FIRST, *THIRD]
    first, second, third = bodies(server)
    assert second == third != first


@tool
def look(at: str) -> str:
    """Look at something.

    Args:
        at: What.
    """
    return f"{at} is there"


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("kind", ["llm", "model"])
def test_an_agent_gets_whole_answers_and_asks_nothing_twice(
    kind: str, streams: bool, server: Provider
) -> None:
    way = "stream" if streams else "ask"
    server.will(*(plan(way, part) for part in (
        message(*FIRST), message(*SECOND, CALL, reason="tool_use"), message(search(4)),
        message(results(4), *THIRD, reason="end_turn"))))  # fmt: skip
    model: Any = LLM(NAME, base_url=server.url, key="k", policy="ignore")
    if kind == "model":
        model = ChatModel("anthropic", MODEL, "k", base_url=server.url)
    agent = ReActAgent("Friday", None, model, toolkit=[look])

    async def run() -> Any:
        *_, end = [event async for event in agent.events("Is it so?")]
        assert end.type == "end"
        await agent.aclose()
        return end.reply

    reply = asyncio.run(run()) if streams else agent.run("Is it so?")
    assert (reply.finish, reply.usage.input) == ("done", 40)
    assert content_of_msg(agent.messages[1]) == [*FIRST, *SECOND, CALL]
    assert content_of_msg(agent.messages[-1]) == [search(4), results(4), *THIRD]
    assert len(server.asked) == 4


def content_of_msg(msg: Any) -> list[dict[str, Any]]:
    return content_of(ChatResponse([Candidate(msg)]))


@pytest.mark.parametrize("follows", [True, False])
def test_a_model_that_never_ends_ends_the_run(follows: bool, server: Provider) -> None:
    parts = [plan("ask", message(search(nth), results(nth))) for nth in range(MAX_SEGMENTS + 9)]
    server.will(*parts)
    llm = LLM(NAME, base_url=server.url, key="k", policy="ignore", follow_pauses=follows)
    reply = ReActAgent("Friday", None, llm, max_iters=5).run("Is it so?")
    # the agent itself goes on where the LLM does not
    assert (reply.finish, len(server.asked)) == (("pause", MAX_SEGMENTS) if follows else
                                                 ("steps", 5))  # fmt: skip


@pytest.mark.parametrize("streams", [False, True])
def test_a_model_gives_the_whole_answer_too(streams: bool, server: Provider) -> None:
    way = "stream" if streams else "ask"
    server.will(plan(way, message(*FIRST)), plan(way, message(*THIRD, reason="end_turn")))
    model = ChatModel("anthropic", MODEL, "k", base_url=server.url)
    messages = [{"role": "user", "content": "Is it so?"}]

    async def run() -> Any:
        got = await model(messages, stream=streams)
        if streams:
            [*_, got] = [part async for part in got]
        await model.aclose()
        return got

    got = asyncio.run(run())
    assert got.text == "I look. \nDone: it is so."
    assert got.finish.reason == "stop"


@pytest.mark.parametrize("streams", [False, True])
def test_a_run_counts_what_a_failed_rest_had_taken(streams: bool, server: Provider) -> None:
    way = "stream" if streams else "ask"
    server.will(*(plan(way, part) for part in (
        message(*FIRST), 529, message(*THIRD, reason="end_turn"))))  # fmt: skip
    llm = LLM(NAME, base_url=server.url, key="k", policy="ignore", retries=0)
    agent = ReActAgent("Friday", None, llm)

    def run(*said: str) -> Any:
        if not streams:
            return agent.run(*said)
        *_, end = agent.run_events(*said)
        assert end.type == "end"
        return end.reply

    with pytest.raises(ProviderError, match="Busy"):
        run("Is it so?")
    reply = run()  # the run is resumed
    assert (reply.finish, reply.usage.input) == ("done", 20)
