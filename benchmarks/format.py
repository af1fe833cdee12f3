"""Time of `write` on every wire, beside AgentScope 1.0.21's formatters and a hand-written loop.

    make bench

Histories: 200 texts, 200 messages of tool calls and results, the same tool history with one odd
message in it, and 10,000 messages. `h` is the loop, which checks and reports nothing. Reads no
clock in an assertion: the table at the end is the result.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import dragoman.formatter
from dragoman.message import Msg

agentscope = pytest.importorskip("agentscope.formatter", reason="needs the extra `bench`")
theirs = pytest.importorskip("agentscope.message")

FORMATTERS = [
    f"{vendor}{kind}Formatter"
    for vendor in ("OpenAI", "Anthropic", "Gemini", "DashScope", "Ollama", "DeepSeek")
    for kind in ("Chat", "MultiAgent")
]
# wires that AgentScope 1.0.21 does not speak
WIRES = ["openai-responses", "bedrock-converse", "mistral"]
TIMES: dict[tuple[str, str, str], float] = {}


def texts(length: int) -> list[dict[str, Any]]:
    """A chat of plain text."""
    speakers = (("Tony", "user"), ("Friday", "assistant"))
    out = [{"name": "system", "content": "You are Friday.", "role": "system"}]
    for i in range(length - 1):
        name, role = speakers[i % 2]
        said = f"Message {i}: where does the road to Samarkand begin, and who keeps it?"
        out.append({"name": name, "content": said, "role": role})
    return out


def tools(length: int) -> list[dict[str, Any]]:
    """A chat with a tool call and its result behind every question."""
    out = [{"name": "system", "content": "You are Friday.", "role": "system"}]
    for i in range(length):
        call = {"type": "tool_use", "id": f"call_{i}", "name": "get_weather",
                "input": {"city": "Samarkand", "days": 3}}  # fmt: skip
        answer = {"type": "text", "text": f"Day {i}: clear, 21 degrees"}
        result = {"type": "tool_result", "id": f"call_{i}", "name": "get_weather",
                  "output": [answer]}  # fmt: skip
        out += [
            {"name": "Tony", "content": f"And on day {i}?", "role": "user"},
            {"name": "Friday", "content": [call], "role": "assistant"},
            {"name": "system", "content": [result], "role": "system"},
            {"name": "Friday", "content": f"Clear on day {i}.", "role": "assistant"},
        ]
        if len(out) >= length:
            break
    return out[:length]


def one_odd(length: int) -> list[dict[str, Any]]:
    """The tool history with one thinking block in the middle."""
    out = tools(length)
    odd = next(i for i in range(length // 2, length) if isinstance(out[i]["content"], str))
    block = {"type": "text", "text": out[odd]["content"]}
    out[odd]["content"] = [{"type": "thinking", "thinking": "Hm."}, block]
    return out


HISTORIES: dict[str, list[dict[str, Any]]] = {
    "200 texts": texts(200),
    "200 tools": tools(200),
    "200 tools, one odd": one_odd(200),
    "10,000 texts": texts(10_000),
    "10,000 tools": tools(10_000),
}


def by_hand(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The least that any Chat Completions writer must do."""
    out: list[dict[str, Any]] = []
    for m in history:
        content = m["content"]
        if isinstance(content, str):
            out.append({"role": m["role"], "content": content})
            continue
        for block in content:
            if block["type"] == "tool_use":
                spelled = json.dumps(block["input"])
                function = {"name": block["name"], "arguments": spelled}
                call = {"id": block["id"], "type": "function", "function": function}
                out.append({"role": "assistant", "content": None, "tool_calls": [call]})
            elif block["type"] == "tool_result":
                text = block["output"][0]["text"]
                out.append({"role": "tool", "tool_call_id": block["id"], "content": text})
            elif block["type"] == "text":
                out.append({"role": m["role"], "content": block["text"]})
    return out


def driven(formatter: Any, msgs: list[Any]) -> Any:
    """AgentScope's coroutine run to its end without an event loop: it never suspends here."""
    work = formatter.format(msgs)
    try:
        while True:
            work.send(None)
    except StopIteration as done:
        return done.value


def subject(who: str, name: str, history: list[dict[str, Any]]) -> Callable[[], Any]:
    """What is timed: one formatting of the history."""
    if who == "h":
        return lambda: by_hand(history)
    if who == "dragoman":
        plain = name in WIRES
        made = (dragoman.Formatter(name, policy="ignore") if plain
                else getattr(dragoman.formatter, name)(policy="ignore"))  # fmt: skip
        msgs = [Msg(**m) for m in history]
        return lambda: made.write(msgs)
    other = getattr(agentscope, name)()
    their_msgs = [theirs.Msg(**m) for m in history]
    return lambda: driven(other, their_msgs)


@pytest.mark.parametrize("who", ["h", "dragoman", "agentscope"])
@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("name", [*FORMATTERS, *WIRES])
def test_write(benchmark: Any, name: str, history: str, who: str) -> None:
    """Time one formatter on one history; what it writes must not be empty."""
    messages = HISTORIES[history]
    if who == "agentscope" and (len(messages) > 200 or name in WIRES):
        pytest.skip("growth, and wires that it does not speak, are measured on our side alone")
    work = subject(who, name, messages)
    assert work()
    benchmark.group = f"{name}, {history}"
    gc.collect()
    gc.disable()  # as timeit does: a full collection in a long run says nothing of the writer
    try:
        benchmark.pedantic(work, rounds=40 if len(messages) <= 200 else 15, iterations=3)
    finally:
        gc.enable()
    TIMES[name, history, who] = benchmark.stats.stats.min / len(messages) * 1e6


@pytest.fixture(scope="module", autouse=True)
def table(tables: Any) -> Iterator[None]:
    """The ratios once everything was timed: share of AgentScope, multiples of h, growth."""
    yield
    rows: list[tuple[str, ...]] = []
    for name in [*FORMATTERS, *WIRES]:
        for history in HISTORIES:
            ours = TIMES.get((name, history, "dragoman"))
            if ours is None:
                continue
            other = TIMES.get((name, history, "agentscope"))
            hand = TIMES.get((name, history, "h"))
            small = TIMES.get((name, f"200 {history.split()[-1]}", "dragoman"))
            grown = f"{ours / small:.2f}" if small and history.startswith("10,000") else ""
            least = TIMES.get((name, f"200 {history.split()[-1]}", "h"))
            limit = f"{hand / least:.2f}" if grown and hand and least else ""
            share = f"{ours / other:.2f}" if other else ""
            times = f"{ours / hand:.2f}" if hand else ""
            rows.append((name, history, f"{ours:.3f}", share, times, grown, limit))
    head: tuple[str, ...] = ("formatter", "history", "us/message", "of AgentScope", "of h",
                             "growth from 200", "growth of h")  # fmt: skip
    note = "h is a loop written by hand that checks nothing"
    tables.add("Formatting (`benchmarks/format.py`)", head, rows, [note])
    rows = []
    for history in HISTORIES:
        peers = [one for name in FORMATTERS if (one := TIMES.get((name, history, "dragoman")))]
        for name in WIRES:
            if peers and (ours := TIMES.get((name, history, "dragoman"))):
                rows.append((name, history, f"{ours / max(peers):.2f}"))
    head = ("wire without a peer", "history", "of our slowest formatter that has one")
    tables.add("Formatting for wires without a peer", head, rows)
