"""Time of reading a stream, from bytes to message, beside the official SDKs and LiteLLM.

    make bench BENCHMARKS=benchmarks/stream.py

Streams: 2,000 events of text, and one tool call whose arguments come in pieces of ten bytes (5,
50 and 500 KB). Every side gets one chunk of bytes per event and ends with the whole message; the
SDKs read through their own HTTP layer, without a socket. Reads no clock in an assertion: the
table at the end is the result.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import pytest

import dragoman
from dragoman.text import json_text

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # no network here

PIECE = 10
SIZES = {"arguments 5 KB": 5_000, "arguments 50 KB": 50_000, "arguments 500 KB": 500_000}
TEXT = "text, 2,000 events"
TIMES: dict[tuple[str, str, str], float] = {}


def word(nth: int) -> str:
    """A piece of text; no two alike, for LiteLLM takes repetition for a loop."""
    return f"{nth} miles of road "


def arguments(size: int) -> list[str]:
    """The JSON text of one call's arguments, cut into pieces."""
    said = json.dumps({"path": "a.txt", "content": "x" * (size - 36)})
    return [said[i : i + PIECE] for i in range(0, len(said), PIECE)]


def chat(history: str) -> list[bytes]:
    """Chat Completions: one chunk of bytes for each event."""
    frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000,
             "model": "gpt-5.6", "system_fingerprint": "fp_1"}  # fmt: skip

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**frame, "choices": [choice]}

    said = [chunk({"role": "assistant", "content": ""})]
    if history == TEXT:
        said += [chunk({"content": word(n)}) for n in range(2_000)]
    else:
        begun = {"index": 0, "id": "call_1", "type": "function",
                 "function": {"name": "write_file", "arguments": ""}}  # fmt: skip
        said.append(chunk({"tool_calls": [begun]}))
        for piece in arguments(SIZES[history]):
            said.append(chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}))
    said.append(chunk({}, "stop" if history == TEXT else "tool_calls"))
    return [b"data: " + json.dumps(one).encode() + b"\n\n" for one in said] + [b"data: [DONE]\n\n"]


def messages(history: str) -> list[bytes]:
    """Anthropic Messages: one chunk of bytes for each event."""
    usage = {"input_tokens": 10, "output_tokens": 1}
    begun: dict[str, Any] = {"type": "text", "text": ""}
    deltas = [{"type": "text_delta", "text": word(n)} for n in range(2_000)]
    if history != TEXT:
        begun = {"type": "tool_use", "id": "toolu_1", "name": "write_file", "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": piece}
                  for piece in arguments(SIZES[history])]  # fmt: skip
    message: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    said: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
         "usage": {"output_tokens": 2_000}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in said]


def ours(wire: str, chunks: list[bytes]) -> Callable[[], Any]:
    """Dragoman: bytes in, ChatResponse out."""
    made = dragoman.wire(wire)

    def read() -> Any:
        decoder = made.stream_decoder()
        for chunk in chunks:
            decoder.feed_bytes(chunk)
        return decoder.finish()

    return read


def transport(chunks: list[bytes]) -> Any:
    """An HTTP client that answers every request with these bytes."""
    import httpx2

    class Body(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield from chunks

    headers = {"content-type": "text/event-stream"}
    handler = httpx2.MockTransport(lambda _: httpx2.Response(200, headers=headers, stream=Body()))
    return httpx2.Client(transport=handler)


def openai_sdk(chunks: list[bytes]) -> Callable[[], Any]:
    """The openai SDK's own stream helper, to its final completion."""
    import openai

    client = openai.OpenAI(api_key="none", http_client=transport(chunks))
    said: Any = [{"role": "user", "content": "hi"}]

    def read() -> Any:
        with client.chat.completions.stream(model="gpt-5.6", messages=said) as stream:
            return stream.get_final_completion()

    return read


def anthropic_sdk(chunks: list[bytes]) -> Callable[[], Any]:
    """The anthropic SDK's own stream helper, to its final message."""
    import anthropic

    client = anthropic.Anthropic(api_key="none", http_client=transport(chunks))
    said: Any = [{"role": "user", "content": "hi"}]

    def read() -> Any:
        with client.messages.stream(model="claude-opus-5-5", max_tokens=9, messages=said) as s:
            return s.get_final_message()

    return read


def litellm_sdk(chunks: list[bytes]) -> Callable[[], Any]:
    """LiteLLM's stream over the openai SDK, and its chunk builder."""
    litellm = pytest.importorskip("litellm", reason="needs LiteLLM: see the Makefile")
    import openai

    client = openai.OpenAI(api_key="none", http_client=transport(chunks))
    said = [{"role": "user", "content": "hi"}]

    def read() -> Any:
        stream = litellm.completion("openai/gpt-5.6", messages=said, stream=True, client=client)
        return litellm.stream_chunk_builder(list(stream), messages=said)

    return read


def subject(who: str, wire: str, history: str) -> tuple[Callable[[], Any], int, int]:
    """(what is timed, events, rounds)."""
    chunks = chat(history) if wire == "openai-chat" else messages(history)
    if who.startswith("dragoman"):
        return ours(wire, chunks), len(chunks), 3 if len(chunks) > 10_000 else 15
    if len(chunks) > 10_000 or (who == "litellm" and history == "arguments 50 KB"):
        pytest.skip("growth is measured on our side alone")
    if who == "litellm":
        if wire != "openai-chat":
            pytest.skip("measured on Chat Completions")
        return litellm_sdk(chunks), len(chunks), 1
    made = openai_sdk if wire == "openai-chat" else anthropic_sdk
    return made(chunks), len(chunks), 3


@pytest.mark.parametrize("who", ["dragoman", "dragoman, json", "sdk", "litellm"])
@pytest.mark.parametrize("history", [TEXT, *SIZES])
@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
def test_read(monkeypatch: pytest.MonkeyPatch, wire: str, history: str, who: str) -> None:
    """Time one side on one stream; what it reads must not be empty."""
    if who == "dragoman, json":
        monkeypatch.setattr(json_text, "orjson", None)
    read, events, rounds = subject(who, wire, history)
    assert read()
    best = float("inf")
    gc.collect()
    gc.disable()  # as timeit does
    try:
        for _ in range(rounds):
            start = perf_counter()
            read()
            best = min(best, perf_counter() - start)
    finally:
        gc.enable()
    TIMES[wire, history, who] = best / events * 1e6


@pytest.fixture(scope="module", autouse=True)
def table(tables: Any) -> Iterator[None]:
    """Microseconds per event, and how many times faster than each peer."""
    yield
    rows = []
    small = "arguments 5 KB"
    for (wire, history, who), mine in TIMES.items():
        if who != "dragoman":
            continue
        plain, sdk, lite = (TIMES.get((wire, history, one)) for one in
                            ("dragoman, json", "sdk", "litellm"))  # fmt: skip
        base = TIMES.get((wire, small, "dragoman"))
        cells = [
            wire, history, f"{mine:.2f}", f"{plain:.2f}" if plain else "",
            f"{sdk:.1f}" if sdk else "", f"{sdk / mine:.1f}" if sdk else "",
            f"{lite:.0f}" if lite else "", f"{lite / mine:.0f}" if lite else "",
            f"{mine / base:.2f}" if base and history in SIZES else "",
        ]  # fmt: skip
        rows.append(cells)
    head = ("wire", "stream", "us/event", "stdlib json", "SDK us", "times faster", "LiteLLM us",
            "times", "growth from 5 KB")  # fmt: skip
    tables.add("Reading a stream (`benchmarks/stream.py`)", head, rows)
