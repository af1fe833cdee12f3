"""Time of converting what coding agents really send, beside the peers and beside JSON alone.

    make bench BENCHMARKS=benchmarks/agent_requests.py

JSON bytes in, JSON bytes out, onto five other protocols. The requests are the recorded ones of four
agents where `../shared/corpus/agents` is there; else one session of this file, of the same shape:
25 tools with long schemas, a long prompt, thinking, cache marks, a picture, calls and results.
"First" is the first request of each session, "next" are all others; the tool lists are known in
both, as they are to a process that has converted a request of such an agent before. "New tools"
forgets them before each conversion. "A session" is what a gateway does with each of 40 turns before
it sends anything, without sockets, in CPU time, losses named in the header: calls and results that
the agent sent, one after the other, or this file's session; with what is known of the turns
before, and without; for clients without keys, and with them. No clock in an assertion: the tables
are the result.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from math import inf
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import orjson
import pytest

import dragoman
from dragoman.caches import CACHES
from dragoman.gateway.config.config_values import ClientKey, Config, Envelopes, Route, Target
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.open_exchange import Gateway
from dragoman.gateway.surfaces import ClientRequest

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # no network here

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "agents"
AGENTS = {
    "claude": "anthropic",
    "codex": "openai-responses",
    "gemini": "gemini",
    "opencode": "openai-chat",
}
MODELS = {
    "anthropic": "claude-opus-5-5",
    "gemini": "gemini-3.5-flash",
    "openai-chat": "gpt-5.5",
    "openai-responses": "gpt-5.5",
    "bedrock-converse": "anthropic.claude-opus-4-6-v1",
    "ollama": "llama3.3",
}
PEERS = ("litellm", "llm-rosetta", "lingua")
_ROSETTA = {
    "anthropic": "anthropic",
    "gemini": "google_generate",
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
}
ROUNDS = 15
TURNS = 40


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a session: its number there, its path, its body."""

    turn: int
    path: str
    data: bytes


@dataclass(slots=True)
class Cell:
    """Seconds of one side on one agent's requests, and how many they were."""

    seconds: float = 0.0
    count: int = 0

    def add(self, seconds: float) -> None:
        """Add the time of one request."""
        self.seconds += seconds
        self.count += 1

    def micros(self) -> float:
        """Microseconds of a request."""
        return self.seconds / self.count * 1e6


@dataclass(slots=True)
class Row:
    """The cells of one agent and target: by side and kind of turn."""

    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)

    def cell(self, side: str, turn: str) -> Cell:
        """The cell of a side, a new one at first."""
        return self.cells.setdefault((side, turn), Cell())


ROWS: dict[tuple[str, str], Row] = {}


@cache
def requests(agent: str) -> list[Request]:
    """The recorded requests of an agent that have tools, else those of this file's session."""
    file = CORPUS / f"{agent}.jsonl"
    if not file.is_file():
        return [made(turn) for turn in (1, 2, 3)] if agent == "claude" else []
    with file.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    asked = ((row["turn"], row["path"], orjson.dumps(row["request"])) for row in rows)
    return [Request(*one) for one in asked if len(one[2]) > 20_000]


def made(turn: int, steps: int | None = None) -> Request:
    """The request of one turn of a session, after so many calls, in a coding agent's shape."""
    fields = {
        f"field_{n}": {"type": "string", "description": "What it is for, in a sentence. " * 8}
        for n in range(6)
    }
    schema = {"type": "object", "properties": fields, "required": ["field_0"]}
    tools = [
        {
            "name": f"tool_{n}",
            "description": "What it does, and when to use it. " * 30,
            "input_schema": schema,
        }
        for n in range(25)
    ]
    mark = {"cache_control": {"type": "ephemeral"}}
    image = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" + "A" * 9000}
    first = [{"type": "text", "text": "Mend it."}, {"type": "image", "source": image}]
    messages: list[dict[str, Any]] = [{"role": "user", "content": first}]
    for n in range(20 * turn if steps is None else steps):
        call = {"type": "tool_use", "id": f"toolu_{n:020}", "name": f"tool_{n % 25}",
                "input": {"field_0": "a file"}}  # fmt: skip
        thought = {"type": "thinking", "thinking": "I look at it. " * 9, "signature": "s" * 400}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "a line\n" * 90}
        messages += [
            {"role": "assistant", "content": [thought, call]},
            {"role": "user", "content": [result]},
        ]
    messages[-1]["content"][-1].update(mark)
    body = {
        "model": "claude-opus-5-5",
        "max_tokens": 32_000,
        "system": [{"type": "text", "text": "You mend programs. " * 400, **mark}],
        "messages": messages,
        "tools": tools,
        "stream": True,
    }
    return Request(turn, "/v1/messages", orjson.dumps(body))


def plain(data: bytes) -> bytes:
    """JSON alone, which is the limit."""
    return orjson.dumps(orjson.loads(data))


def ours(source: str, target: str, request: Request) -> Callable[[], Any]:
    """Bytes in, bytes out, and the losses listed."""
    path = request.path if source == "gemini" else None
    data, model = request.data, MODELS[target]

    def run() -> bytes:
        out = dragoman.convert(data, source, target, model=model, path=path, policy="ignore")
        assert out.losses is not None
        return out.to_json()

    return run


def litellm(source: str, target: str, request: Request) -> Callable[[], Any] | None:
    """LiteLLM's transformations of Chat Completions; it changes what it is given."""
    if source != "openai-chat" or target not in ("anthropic", "gemini"):
        return None
    from benchmarks.convert import litellm_writer

    write = litellm_writer(target)

    def run() -> bytes:
        given = orjson.loads(request.data)
        rest = {key: value for key, value in given.items() if key in ("tools", "tool_choice")}
        return orjson.dumps(write(given["messages"], rest))

    return run


def rosetta(source: str, target: str, request: Request) -> Callable[[], Any] | None:
    """llm-rosetta's convert."""
    peer = pytest.importorskip("llm_rosetta", reason="needs llm-rosetta: see the Makefile")
    if source not in _ROSETTA or target not in _ROSETTA:
        return None
    names = _ROSETTA[target], _ROSETTA[source]

    def run() -> bytes:
        given = orjson.loads(request.data)
        return orjson.dumps(peer.convert(given, names[0], source_provider=names[1]))

    return run


_LINGUA = {
    "anthropic": "anthropic",
    "gemini": "google",
    "openai-chat": "openai",
    "openai-responses": "responses",
}


def lingua(target: str, asked: list[Request], folder: Path) -> list[float | None]:
    """Seconds of Lingua for each request, in Node: JSON text in and out; None if it refuses it."""
    node, modules = shutil.which("node"), Path(sys.prefix) / "node_modules"
    if node is None or not (modules / "@braintrust").exists() or target not in _LINGUA:
        return [None] * len(asked)
    file = folder / "bodies.jsonl"
    file.write_bytes(b"\n".join(request.data for request in asked))
    said = subprocess.run(  # noqa: S603  # the program that was found, and a file of ours
        [node, str(Path(__file__).with_name("lingua.mjs")), str(file), _LINGUA[target],
         str(ROUNDS), MODELS[target]],
        env={**os.environ, "NODE_PATH": str(modules)}, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return [None if one is None else one / 1000 for one in json.loads(said)]


def forget_tools() -> None:
    """Forget the tool lists that were converted before."""
    for name, known in CACHES.items():
        if name.startswith("dragoman.message.known_tools"):
            known.clear()


def least(run: Callable[[], Any], before: Callable[[], None] = lambda: None) -> float:
    """Seconds of the best round."""
    best = float("inf")
    for _ in range(ROUNDS):
        before()
        start = perf_counter()
        run()
        best = min(best, perf_counter() - start)
    return best


@pytest.mark.parametrize("target", MODELS)
@pytest.mark.parametrize("agent", AGENTS)
def test_agent_requests(agent: str, target: str, tmp_path: Path) -> None:
    """Time all sides on each request in turn, so that they share what the machine does besides."""
    source = AGENTS[agent]
    if source == target or not requests(agent):
        pytest.skip("no request for this pair")
    row = ROWS.setdefault((agent, target), Row())
    of_lingua = lingua(target, requests(agent), tmp_path)
    for request, theirs in zip(requests(agent), of_lingua, strict=True):
        turn = "first" if request.turn <= 1 else "next"
        run = ours(source, target, request)
        assert run()
        row.cell("json", turn).add(least(partial(plain, request.data)))
        mine = least(run)
        row.cell("dragoman", turn).add(mine)
        row.cell("new tools", turn).add(least(run, forget_tools))
        if theirs is not None:
            row.cell("lingua", turn).add(theirs)
            row.cell("beside lingua", turn).add(mine)
        for name, side in (("litellm", litellm), ("llm-rosetta", rosetta)):
            peer = side(source, target, request)
            if peer is None:
                continue
            with suppress(Exception):  # a peer is not timed on what it cannot convert
                peer()
                row.cell(name, turn).add(least(peer))
                row.cell(f"beside {name}", turn).add(mine)


def session(agent: str) -> list[Request]:
    """Turns of a session: behind the prompt of its longest request, all calls of an agent's."""
    bodies = [(request, orjson.loads(request.data)) for request in requests(agent)]
    field = next(name for name in ("messages", "input", "contents") if name in bodies[0][1])
    request, longest = max(bodies, key=lambda pair: len(pair[1][field]))
    history = longest[field][: head(longest[field])]
    steps = [step for _, body in bodies for step in split_steps(body[field])]
    turns = []
    for turn in range(TURNS):
        history = [*history, *renumbered(steps[turn % len(steps)], turn)]
        data = orjson.dumps({**longest, field: with_mark(history)})
        turns.append(Request(turn, request.path, data))
    return turns


def head(elements: list[Any]) -> int:
    """How many elements come before the first one of the model."""
    at = (n for n, one in enumerate(elements) if is_model(one))
    return next(at, len(elements))


def is_model(element: Any) -> bool:
    """Whether the model wrote an element."""
    kind = element.get("type") or "message"
    if kind not in ("message", "additional_tools"):
        return not kind.endswith("_output")
    return element.get("role") in ("assistant", "model")


def split_steps(elements: list[Any]) -> Iterator[list[Any]]:
    """Steps of an agent's loop: elements of the model, then those that answer them."""
    step: list[Any] = []
    for one in elements[head(elements) :]:
        if is_model(one) and step and not is_model(step[-1]):
            yield step
            step = []
        step.append(one)


def with_mark(history: list[Any]) -> list[Any]:
    """The history with Claude Code's mark of a prompt cache, which moves to the last message."""
    content = history[-1].get("content")
    if not isinstance(content, list) or content[-1].get("type") != "tool_result":
        return history
    marked = {**content[-1], "cache_control": {"type": "ephemeral"}}
    return [*history[:-1], {**history[-1], "content": [*content[:-1], marked]}]


_ID = re.compile(rb'("(?:id|call_id|tool_call_id|tool_use_id)":")([^"]+)')
_SEALED = re.compile(
    rb'"(signature|data|encrypted_content|thoughtSignature)":"[^"]{100,}"'
    rb'|,"cache_control":\{[^{}]*\}'
)


def renumbered(step: list[Any], turn: int) -> list[Any]:
    """The elements with ids that come once; without marks, and with nothing sealed."""
    text = _ID.sub(rb"\g<1>\g<2>_%d" % turn, orjson.dumps(step))
    blank = lambda match: b'"%b":"%b"' % (match[1], b"Q" * 200) if match[1] else b""  # noqa: E731
    return orjson.loads(_SEALED.sub(blank, text))  # type: ignore[no-any-return]


def forget_history() -> None:
    """Forget the histories that were read before."""
    for name, known in CACHES.items():
        if name.startswith("dragoman.message.known_history"):
            known.clear()


SESSIONS: list[list[str]] = []
_VENDORS = {"anthropic": "anthropic", "gemini": "gemini", "openai-chat": "openai/openai-chat",
            "openai-responses": "openai/openai-responses"}  # fmt: skip
SESSION_TARGETS = {
    "claude": ("openai-chat", "gemini"),
    "codex": ("openai-chat", "anthropic"),
    "gemini": ("openai-chat", "anthropic"),
    "opencode": ("anthropic", "gemini"),
}


@pytest.mark.parametrize(
    ("agent", "target"), [(agent, to) for agent, row in SESSION_TARGETS.items() for to in row]
)
def test_session_in_the_gateway(agent: str, target: str) -> None:
    """Time each turn of a session, in the order of the turns, as a gateway gets them."""
    if not requests(agent):
        pytest.skip("no request of this agent")
    is_recorded = CORPUS.is_dir()
    turns = session(agent) if is_recorded else [made(1, n) for n in range(1, TURNS + 1)]
    sides = {
        "yes": gateway(target, True, None), "no": gateway(target, False, None),
        "yes, with keys": gateway(target, True, KEY), "no, with keys": gateway(target, False, KEY),
    }  # fmt: skip
    best: dict[str, list[float]] = {side: [inf] * TURNS for side in (*sides, "json")}
    for _ in range(ROUNDS):
        forget_history()
        for i, request in enumerate(turns):
            for side, seconds in best.items():
                start = process_time()
                if side == "json":
                    plain(request.data)
                else:
                    sides[side](request)
                seconds[i] = min(seconds[i], process_time() - start)
    limit = sum(best["json"])
    for side in sides:
        mine = sum(best[side])
        SESSIONS.append([agent, target, side, f"{mine / TURNS * 1e6:.0f}", f"{mine / limit:.1f}"])


KEY = ClientKey("bench", "0123456789abcdef:$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g")


def gateway(target: str, sessions: bool, key: ClientKey | None) -> Callable[[Request], None]:
    """What a gateway does with a request of a client before it sends anything."""
    to = Target(f"{_VENDORS[target]}/{MODELS[target]}", secret="none")  # noqa: S106 - nothing is sent
    routes = (Route(to, models=("*",)),)
    keys = () if key is None else (key,)
    one = Gateway(
        Config(routes=routes, keys=keys, sessions=sessions, envelopes=Envelopes(on_fault="drop"))
    )

    def send(request: Request) -> None:
        path, _, query = request.path.partition("?")
        exchange = one.open(ClientRequest("POST", path, query, {}, request.data), key)
        assert isinstance(exchange, GatewayExchange), exchange
        assert exchange.call().body
        exchange.headers()

    return send


def times_faster(row: Row, peer: str, turn: str) -> str:
    """How many times a peer's time is ours, on the requests that it converts."""
    theirs = row.cells.get((peer, turn))
    return f"{theirs.seconds / row.cells[f'beside {peer}', turn].seconds:.1f}" if theirs else ""


@pytest.fixture(scope="module", autouse=True)
def table(tables: Any) -> Iterator[None]:
    """Microseconds for a request, of JSON alone, and how many times faster than each peer."""
    yield
    rows = []
    for (agent, target), row in ROWS.items():
        for turn in ("first", "next"):
            if ("dragoman", turn) not in row.cells:
                continue
            mine = row.cells["dragoman", turn].micros()
            limit = row.cells["json", turn].micros()
            rows.append([
                agent, target, turn, f"{mine:.0f}", f"{mine / limit:.1f}",
                f"{row.cells['new tools', turn].micros() / limit:.1f}",
                *(times_faster(row, peer, turn) for peer in PEERS),
            ])  # fmt: skip
    head = ("agent", "target", "turn", "us", "of JSON alone", "new tools, of JSON",
            *(f"times faster than {peer}" for peer in PEERS))  # fmt: skip
    note = (
        "recorded requests" if CORPUS.is_dir() else "requests of this benchmark"
    ) + ", bytes in and out; a peer is timed on the requests that it converts"
    tables.add("What agents send (`benchmarks/agent_requests.py`)", head, rows, [note])
    if SESSIONS:
        title = f"A session of {TURNS} turns in the gateway: a turn, before anything is sent"
        head = ("agent", "target", "known", "us of CPU", "of JSON alone")
        tables.add(title, head, SESSIONS, [])
