"""The doors that an answer comes in by: each is given a body, and says what became of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Self

from dragoman import LLM, AsyncLLM, DragomanError, ReActAgent, convert_stream
from dragoman.message.ending import classify_ending
from dragoman.transport.call import HttpCall, Reply, Timeouts
from tests.gateway.corpus.asking import events_of
from tests.gateway.corpus.kinds import CLIENTS, UPSTREAMS
from tests.gateway.laws.ends import is_error, is_good
from tests.gateway.laws.relaying import exchange_of, relayed
from tests.llm.hosts import HOSTS

from .faults import Case

__all__ = ["DOORS", "Canned", "Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a door gave: an error, or an answer under this word; and the text that it kept."""

    ending: str  # complete, cut, ..., or "error"
    text: str = ""
    error: DragomanError | None = None


class Canned:
    """A transport that answers each call with one body, in one piece for each line end."""

    def __init__(self, body: bytes, content_type: str, status: int = 200) -> None:
        self.status = status
        self.headers: Mapping[str, str] = {"content-type": content_type}
        self.body = body
        self.calls: list[HttpCall] = []

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        self.calls.append(call)
        return Reply(self.status, self.headers, self.body)

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        return self.send(call, timeouts)

    def stream(self, call: HttpCall, timeouts: Timeouts) -> Canned:
        self.calls.append(call)
        return self

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AsyncCanned:
        self.calls.append(call)
        return AsyncCanned(self)

    def read(self) -> bytes:
        return self.body

    def __iter__(self) -> Iterator[bytes]:
        size = max(1, len(self.body) // 3)
        return iter([self.body[at : at + size] for at in range(0, len(self.body), size)])

    def close(self) -> None: ...

    async def aclose(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


class AsyncCanned:
    """The same reply for a loop."""

    def __init__(self, canned: Canned) -> None:
        self._canned = canned
        self.status, self.headers = canned.status, canned.headers

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._canned:
            yield chunk

    async def read(self) -> bytes:
        return self._canned.body

    async def aclose(self) -> None: ...

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None: ...


def _settings(case: Case, **more: Any) -> tuple[str, dict[str, Any]]:
    host, model = HOSTS[case.wire]
    settings = {"key": "k", "retries": 0, "policy": "ignore", **more}
    settings["transport"] = Canned(case.body, case.content_type)
    if case.wire == "bedrock-converse":
        settings["places"] = {"region": "us-east-1"}
    return f"{host}/{model}", settings


def _failed(error: DragomanError) -> Outcome:
    response = getattr(error, "response", None)
    text = response.text if response is not None and response.candidates else ""
    return Outcome("error", text, error)


def _answered(response: Any) -> Outcome:
    return Outcome(classify_ending(response), response.text)


def stream(case: Case, **more: Any) -> Outcome:
    """LLM.stream."""
    name, settings = _settings(case, **more)
    with LLM(name, **settings) as llm, llm.stream("Hi") as events:
        try:
            for _ in events:
                pass
        except DragomanError as error:
            return _failed(error)
        return _answered(events.response)


def astream(case: Case) -> Outcome:
    """AsyncLLM.stream."""
    name, settings = _settings(case)

    async def run() -> Outcome:
        async with AsyncLLM(name, **settings) as llm, llm.stream("Hi") as events:
            try:
                async for _ in events:
                    pass
            except DragomanError as error:
                return _failed(error)
            return _answered(events.response)

    return asyncio.run(run())


def ask(case: Case) -> Outcome:
    """LLM.ask of a server that streams unasked."""
    name, settings = _settings(case)
    with LLM(name, **settings) as llm:
        try:
            return _answered(llm.ask("Hi"))
        except DragomanError as error:
            return _failed(error)


def agent(case: Case) -> Outcome:
    """An agent's run; its calls are left to somebody else, so that it asks once."""
    name, settings = _settings(case)

    async def run() -> Outcome:
        async with AsyncLLM(name, **settings) as llm:
            friday = ReActAgent("Friday", None, llm, max_iters=1)
            try:
                last = [event async for event in friday.events("Hi")][-1]
            except DragomanError as error:
                return _failed(error)
            assert last.type == "end"
            msg = last.reply.msg
            finish = last.reply.finish
            calls = bool(msg is not None and msg.calls)
            text = "" if msg is None else msg.text or ""
            word = "complete" if finish == "done" or (calls and finish == "steps") else finish
            return Outcome(word, text)

    return asyncio.run(run())


_OTHERS = cycle(("anthropic", "openai-chat", "openai-responses", "gemini", "ollama"))


def convert(case: Case) -> Outcome:
    """convert_stream, to one wire after another."""
    target = next(_OTHERS)
    if target == case.wire:
        target = next(_OTHERS)
    size = max(1, len(case.body) // 3)
    chunks = [case.body[at : at + size] for at in range(0, len(case.body), size)]
    converted = convert_stream(chunks, case.wire, target, policy="ignore")
    try:
        events = [(one.event, _payload(one.data)) for one in converted]
    except DragomanError as error:
        return _failed(error)
    if any(is_error(target, event) for event in events):
        good = any(is_good(target, event) for event in events)
        return Outcome("complete beside an error" if good else "error", converted.response.text)
    ended = any(is_good(target, event) for event in events) or target == "gemini"
    return Outcome(
        classify_ending(converted.response) if ended else "no end", converted.response.text
    )


def _payload(data: str) -> Any:
    return data if data == "[DONE]" else json.loads(data)


def gateway(case: Case) -> Outcome | None:
    """The gateway, to one client after another; None for a wire that it has no upstream of."""
    if case.wire not in UPSTREAMS:
        return None
    protocol = next(_CLIENTS)
    choices = _choices(case)
    if choices > 1:
        protocol = case.wire  # a client of another wire asks for one, and gets the first
    exchange = exchange_of(case.wire, protocol, choices=choices)
    size = max(1, len(case.body) // 3)
    chunks = [case.body[at : at + size] for at in range(0, len(case.body), size)]
    made = relayed(exchange, chunks)
    if made.refusal is not None:
        return Outcome("error")
    events = events_of(made.data, made.exchange.framing)
    wrong = any(is_error(protocol, event) for event in events)
    good = any(is_good(protocol, event) for event in events)
    if wrong:
        return Outcome("complete beside an error" if good else "error", _told(made))
    return Outcome("complete" if good else "no end", _told(made))


def _choices(case: Case) -> int:
    """How many answers a client must have asked for, to be sent these events."""
    named = "candidates" if case.wire == "gemini" else "choices"
    bodies = [data for _, data in case.events if isinstance(data, dict)]
    found = {one.get("index", 0) for data in bodies for one in data.get(named) or ()}
    return max(1, len(found)) if case.wire in ("openai-chat", "gemini") else 1


def _told(made: Any) -> str:
    return "" if made.exchange.passes else made.relay._converter.decoder.snapshot().text


_CLIENTS = cycle(CLIENTS)
DOORS: dict[str, Callable[[Case], Outcome | None]] = {
    "LLM.stream": stream, "AsyncLLM.stream": astream, "LLM.ask": ask, "agent": agent,
    "convert_stream": convert, "gateway": gateway,
}  # fmt: skip
