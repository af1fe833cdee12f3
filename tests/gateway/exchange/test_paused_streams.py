"""Streams of answers in several bodies: the gateway opens the next one where its client cannot."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from dragoman.gateway import http_client
from dragoman.message import ChatResponse, TextBlock, ToolUseBlock
from tests.gateway.exchange.pausing import (
    BUSY,
    KEY,
    MODEL,
    ONE,
    THREE,
    TWO,
    ask,
    body,
    clients,
    config,
    events,
    read,
    says,
    ways,
)
from tests.gateway.faults import wires
from tests.gateway.faults.provider import (
    CHUNKED,
    HANG,
    LAST,
    WAIT,
    Provider,
    Step,
    chunked,
)
from tests.gateway.faults.serving import (
    connected,
    read_until,
    request,
)
from tests.gateway.faults.wires import CHAT, GEMINI, MESSAGES, OLLAMA, RESPONSES, Wire
from tests.gateway.running import LONG, Gateway, until

# -- an answer in three bodies ---------------------------------------------------------------------


@ways
@clients
def test_a_client_gets_one_whole_answer(
    client: Wire, way: str, provider: Provider, gateway: Gateway
) -> None:
    provider.will(ONE, TWO, THREE)
    data = ask(way, provider, gateway, client)
    resp = read(client, data)
    [text] = resp.candidates[0].msg.blocks
    assert isinstance(text, TextBlock)
    assert text.text == "Thinking. One, two, three, four, five, six."
    assert resp.finish.reason == "stop"
    assert resp.status == "complete"
    assert (resp.usage.input, resp.usage.output) == (30, 18)
    assert b"dDE=" not in data
    first, *others = [json.loads(one.body) for one in provider.asked]
    assert others == [{**first, "continuationToken": token} for token in ("dDE=", "dDI=")]
    assert all("streamGenerateContent?alt=sse" in one.line for one in provider.asked)
    assert all(dict(one.fields)["x-goog-api-key"] == KEY for one in provider.asked)
    provider.will(body(says("seven, "), says("eight.")))
    alone = ask(way, provider, gateway, client)
    assert len(wires.successes(client, data)) == len(wires.successes(client, alone))
    assert _kinds(client, data) == _kinds(client, alone)


def _kinds(client: Wire, data: bytes) -> list[object]:
    """The kinds of events; of pieces of text that follow each other one."""
    found: list[object] = []
    for event in wires.payloads(client, data):
        kind = sorted(event) if isinstance(event, dict) else event
        if isinstance(event, dict) and (name := event.get("type") or event.get("event_type")):
            kind = name
        elif isinstance(event, dict) and event.get("choices"):
            kind = [kind, sorted(event["choices"][0]["delta"])]
        if kind not in found[-1:]:
            found.append(kind)
    return found


@ways
def test_a_client_of_the_same_protocol_follows_the_token_itself(
    way: str, provider: Provider, gateway: Gateway
) -> None:
    provider.will(ONE)
    data = ask(way, provider, gateway, GEMINI)
    assert data == b"".join(events(says("Think"), says("ing. "), says("One, "), token="dDE="))
    assert len(provider.asked) == 1


@pytest.mark.parametrize("way", ["threads", "httpx2"])
def test_interactions_are_followed_for_a_client_of_gemini(way: str, provider: Provider) -> None:
    def event(name: str, **fields: Any) -> bytes:
        data = json.dumps({"event_type": name, **fields}).encode()
        return b"event: %s\ndata: %s\n\n" % (name.encode(), data)

    def steps(text: str, id: str, status: str, **more: Any) -> list[Step]:
        start = {"id": id, "status": "in_progress", "model": "gemini-4-argon"}
        usage = {"total_input_tokens": 10, "total_output_tokens": 5, "total_tokens": 15}
        told = [
            event("interaction.created", interaction=start),
            event("step.start", index=0, step={"type": "model_output"}),
            event("step.delta", index=0, delta={"type": "text", "text": text}),
            event("step.stop", index=0),
            event("interaction.completed",
                  interaction={**start, "status": status, "usage": usage, **more}),
        ]  # fmt: skip
        return [CHUNKED, *chunked(told), LAST]

    rest = {"continuation_token": "dDE="}
    provider.will(steps("One, ", "i1", "requires_continuation", **rest),
                  steps("two.", "i2", "completed"))  # fmt: skip
    target = "gemini/gemini-interactions/gemini-4-argon"
    resp = read(GEMINI, ask(way, provider, None, GEMINI, target=target))
    assert resp.candidates[0].msg.get_text_content() == "One, two."
    assert resp.finish.reason == "stop"
    assert (resp.usage.input, resp.usage.output) == (20, 10)
    first, second = [json.loads(one.body) for one in provider.asked]
    assert second["continuation_token"] == "dDE="
    assert "continuation_token" not in first


def _turn(id: str, blocks: list[dict[str, Any]], reason: str, output: int) -> list[Step]:
    """A stream of Anthropic's, whose blocks begin with all that they hold, but for texts."""
    usage = {"input_tokens": 10, "output_tokens": 1}
    start: dict[str, Any] = {"id": id, "type": "message", "role": "assistant", "content": [],
                             "model": "claude-opus-5-5", "stop_reason": None,
                             "stop_sequence": None, "usage": usage}  # fmt: skip
    told: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for nth, block in enumerate(blocks):
        text = block.get("text")
        begin = {**block, "text": ""} if text else block
        told.append({"type": "content_block_start", "index": nth, "content_block": begin})
        if text:
            delta = {"type": "text_delta", "text": text}
            told.append({"type": "content_block_delta", "index": nth, "delta": delta})
        told.append({"type": "content_block_stop", "index": nth})
    told.append({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
                 "usage": {"output_tokens": output}})  # fmt: skip
    told.append({"type": "message_stop"})
    data = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in told]
    return [CHUNKED, *chunked(data), LAST]


SEARCH: list[dict[str, Any]] = [
    {"type": "text", "text": "Let me look. "},
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
     "input": {"query": "roads"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
]  # fmt: skip


@pytest.mark.parametrize("way", ["threads", "httpx2", "aiohttp"])
@pytest.mark.parametrize("client", [CHAT, RESPONSES, GEMINI, OLLAMA], ids=str)
def test_a_paused_turn_of_anthropic_s_is_followed(
    client: Wire, way: str, provider: Provider
) -> None:
    more = [{"type": "text", "text": "Two roads."}]
    provider.will(_turn("msg_1", SEARCH, "pause_turn", 5), _turn("msg_2", more, "end_turn", 6))
    before = provider.connections
    target = "anthropic/claude-opus-5-5"
    resp = read(client, ask(way, provider, None, client, target=target, base=""))
    assert resp.candidates[0].msg.get_text_content() in (
        "Let me look. Two roads.", "Let me look. \nTwo roads.", "Let me look. \n\nTwo roads."
    )  # fmt: skip
    assert resp.finish.reason == "stop"
    assert (resp.usage.input, resp.usage.output) == (20, 11)
    first, second = [json.loads(one.body) for one in provider.asked]
    assert second == {**first, "messages": [*first["messages"],
                                            {"role": "assistant", "content": SEARCH}]}  # fmt: skip
    assert provider.connections == before + 1


def test_a_client_of_anthropic_s_follows_it_itself(provider: Provider) -> None:
    provider.will(_turn("msg_1", SEARCH, "pause_turn", 5))
    target = "anthropic/claude-opus-5-5"
    resp = read(MESSAGES, ask("threads", provider, None, MESSAGES, target=target, base=""))
    assert resp.finish.reason == "pause"
    assert len(provider.asked) == 1


# -- what a later body brings ----------------------------------------------------------------------


@clients
def test_a_call_in_the_second_body(client: Wire, provider: Provider) -> None:
    call = {"functionCall": {"name": "weather", "args": {"city": "Samarkand"}}}
    provider.will(body(says("Let me "), token="dDE="), body(says("look."), call))
    resp = read(client, ask("threads", provider, None, client))
    text, made = resp.candidates[0].msg.blocks
    assert isinstance(text, TextBlock)
    assert text.text == "Let me look."
    assert isinstance(made, ToolUseBlock)
    assert (made.name, made.input) == ("weather", {"city": "Samarkand"})
    assert resp.finish.reason == "tool_calls"


@pytest.mark.parametrize("client", [CHAT, RESPONSES, MESSAGES], ids=str)
def test_thinking_keeps_its_signature(client: Wire, provider: Provider) -> None:
    """Sealed as in an answer of one body: signatures of both bodies come back to the provider."""
    think = {"text": "Hm.", "thought": True}
    first = {"text": "One, ", "thoughtSignature": "c2lnMQ=="}
    call = {"functionCall": {"name": "weather", "args": {}}, "thoughtSignature": "c2lnMg=="}
    plans = (body(think, first, token="dDE="), body({**think, "text": "Ah."}, call))
    provider.will(*plans)
    apart = read(client, ask("threads", provider, None, client))
    provider.will(body(think, first, {**think, "text": "Ah."}, call))
    at_once = read(client, ask("threads", provider, None, client))
    assert _shapes(apart) == _shapes(at_once)
    assert _shapes(apart)


def _shapes(resp: ChatResponse) -> list[object]:
    """The blocks, with what is sealed in them."""
    return [
        (type(block), getattr(block, "text", ""), getattr(block, "thinking", ""),
         bool(getattr(block, "signature", "")), bool(block.extras))
        for block in resp.candidates[0].msg.blocks
    ]  # fmt: skip


def test_blocks_of_a_later_body_come_after_the_earlier_ones(provider: Provider) -> None:
    """A signed text ends with its body, so that the next text is a block of its own."""
    signed = {"text": "One.", "thoughtSignature": "c2lnMQ=="}
    provider.will(body(signed, token="dDE="), body(*(says(f"{nth} ") for nth in range(9))))
    data = ask("threads", provider, None, MESSAGES)
    starts = [event["index"] for event in wires.payloads(MESSAGES, data)
              if event["type"] == "content_block_start"]  # fmt: skip
    deltas = [(event["index"], event["delta"]["text"]) for event in wires.payloads(MESSAGES, data)
              if event.get("delta", {}).get("type") == "text_delta"]  # fmt: skip
    assert starts == [*range(len(starts))]
    assert deltas == [(starts[-2], "One."), *((starts[-1], f"{nth} ") for nth in range(9))]


# -- clients that leave, and what is noted ---------------------------------------------------------


def test_a_client_that_leaves_in_the_second_body(provider: Provider, gateway: Gateway) -> None:
    begun: list[Step] = [CHUNKED, *chunked(events(says("two, "))[:-1]), HANG]
    provider.will(ONE, begun)
    with connected(gateway) as client:
        client.sendall(request(CHAT.path(MODEL, True), CHAT.request(MODEL)))
        read_until(client, b"two, ")
    assert provider.was_asked(2).closed.wait(LONG)


SECOND: dict[str, list[Step]] = {
    "in it": [CHUNKED, *chunked(events(says("two, "))[:-1]), HANG],
    "before its content": [CHUNKED, HANG],
    "before its head": [WAIT, CHUNKED, HANG],
}


@pytest.mark.parametrize("when", SECOND)
def test_another_thread_that_closes_the_stream_in_the_second_body(
    when: str, provider: Provider
) -> None:
    provider.will(ONE, SECOND[when])
    path = f"http://gateway{CHAT.path(MODEL, True)}"
    came: list[bytes] = []
    with (
        http_client(config(provider, "httpx2")) as http,
        http.stream("POST", path, content=CHAT.request(MODEL)) as told,
        suppress(httpx2.StreamError),
    ):
        reading = threading.Thread(target=lambda: came.extend(told.iter_bytes()))
        reading.start()
        provider.was_asked(2)
        if when == "in it":
            until(lambda: b"two, " in b"".join(came))
        told.close()
        provider.go_on()
        reading.join(LONG)
        assert not reading.is_alive()
    assert provider.was_asked(2).closed.wait(LONG)
    assert len(provider.asked) == 2


@pytest.mark.parametrize("way", ["threads", "httpx2"])
def test_what_is_recorded_of_it(way: str, provider: Provider, tmp_path: Path) -> None:
    """One exchange, with the usage of all bodies; the rows of the last call, as for a retry."""
    provider.will(ONE, [BUSY], TWO, THREE)
    ask(way, provider, None, CHAT, record=tmp_path)
    [line] = [line for file in tmp_path.glob("*.jsonl") for line in file.read_text().splitlines()]
    row = json.loads(line)
    assert (row["usage"]["input"], row["usage"]["output"]) == (30, 18)
    assert row["upstream"]["request"]["continuationToken"] == "dDI="
    assert len(row["upstream"]["events"]) == 2
    assert row["events"][-1]["data"] == "[DONE]"
    assert row["client_left"] is False


def test_what_is_lost_of_every_body_is_noted_once(provider: Provider, tmp_path: Path) -> None:
    provider.will(ONE, TWO, THREE)
    ask("threads", provider, None, OLLAMA, record=tmp_path)
    [line] = [line for file in tmp_path.glob("*.jsonl") for line in file.read_text().splitlines()]
    losses = json.loads(line)["losses"]
    assert len(losses) == len({json.dumps(loss) for loss in losses}) > 0
    assert not any("ontinuation" in str(loss) for loss in losses)


def test_what_the_log_says_of_it(provider: Provider, gateway: Gateway) -> None:
    provider.will(ONE, [BUSY], TWO, THREE)
    ask("server", provider, gateway, CHAT)
    until(lambda: '"attempts":4' in gateway.stderr.replace(" ", ""))
    line = next(
        one for one in gateway.stderr.splitlines() if '"attempts":4' in one.replace(" ", "")
    )
    told = json.loads(line)
    assert (told["tokens"]["input"], told["tokens"]["output"]) == (30, 18)


def test_connections_are_used_again(provider: Provider) -> None:
    before = provider.connections
    provider.will(ONE, TWO, THREE)
    ask("threads", provider, None, CHAT)
    assert provider.connections == before + 1
