"""A gateway before several targets: prompt caches are kept, and targets die and come back."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import pytest

from dragoman.gateway.config.config_values import Balance, Config, Route, Target
from dragoman.gateway.server.asgi import App
from tests.gateway.balance.test_conversation import AGENTS
from tests.gateway.balance.upstreams import CachingProvider
from tests.gateway.faults.serving import serving
from tests.gateway.running import until

STREAMS = 64
PEOPLE = 4  # who have each recorded session, so that caches are not only filled


@pytest.fixture
def providers() -> Iterator[list[CachingProvider]]:
    three = [CachingProvider() for _ in range(3)]
    yield three
    for one in three:
        one.close()


def route(providers: list[CachingProvider], balance: Balance) -> Route:
    first, *others = (
        Target("openai/openai-chat/gpt-5.5", base_url=one.url, secret="none") for one in providers
    )
    return Route(first, alternatives=tuple(others), balance=balance)


async def post(config: Config, requests: list[tuple[str, dict[str, Any]]]) -> Counter[int]:
    """Send requests one after the other; how often each status came."""
    statuses: Counter[int] = Counter()
    app = App(config, ())
    over = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=over, base_url="http://gateway") as client:
        for path, body in requests:
            statuses[(await client.post(path, json=body)).status_code] += 1
    await app.aclose()
    return statuses


def session(name: str) -> list[dict[str, Any]]:
    """Six turns of a conversation behind a long system prompt."""
    messages = [
        {"role": "system", "content": "You mend programs. " * 200},
        {"role": "user", "content": f"Mend {name}."},
    ]
    turns = []
    for n in range(6):
        turns.append({"model": "gpt-5.5", "messages": [*messages]})
        messages += [
            {"role": "assistant", "content": f"I look at part {n} of {name}. " * 20},
            {"role": "user", "content": f"And then {n}? " * 20},
        ]
    return turns


def of_person(number: int, body: dict[str, Any]) -> dict[str, Any]:
    """The request as another person's, whose conversation begins with another word."""
    field = next(name for name in ("messages", "input", "contents") if name in body)
    history = list(body[field])
    at = next(i for i, one in enumerate(history) if one.get("role") == "user")
    name = "parts" if field == "contents" else "content"
    said, word = history[at][name], f"Person {number}."
    part = {"text": word} if name == "parts" else {"type": "text", "text": word}
    if field == "input":
        part["type"] = "input_text"
    said = f"{word} {said}" if isinstance(said, str) else [part, *said]
    history[at] = {**history[at], name: said}
    return {**body, field: history, **({} if name == "parts" else {"stream": False})}


def sessions() -> list[list[tuple[str, dict[str, Any]]]]:
    """Recorded sessions of four agents where they are there, else some of our own."""
    found: list[list[tuple[str, dict[str, Any]]]] = []
    for file in sorted(AGENTS.glob("*.jsonl")):
        rows: defaultdict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            path = row["path"].replace(":streamGenerateContent", ":generateContent")
            rows[row["session"]].append((path, row["request"]))
        whole = sorted(rows.values(), key=len)[-2:]
        for n in range(PEOPLE):
            found += [[(path, of_person(n, body)) for path, body in one] for one in whole]
    if not found:
        for n in range(8 * PEOPLE):
            found.append([("/v1/chat/completions", turn) for turn in session(f"file {n}.py")])
    return found


def test_sticky_targets_keep_the_prompt_cache(providers: list[CachingProvider]) -> None:
    """Turns of all sessions come in turn, as from a team at work."""
    turns: list[tuple[str, dict[str, Any]]] = []
    waiting = sessions()
    while waiting:
        turns += [one.pop(0) for one in waiting]
        waiting = [one for one in waiting if one]

    def share(balance: Balance, count: int) -> float:
        used = providers[:count]
        for one in used:
            one.forget()
        config = Config((route(used, balance),))
        statuses = asyncio.run(post(config, turns))
        assert statuses[200] == sum(one.requests for one in used) > 100
        return sum(one.cached for one in used) / sum(one.tokens for one in used)

    alone, sticky, weight = share("weight", 1), share("sticky", 3), share("weight", 3)
    assert sticky >= 0.95 * alone, (alone, sticky, weight)
    assert weight < 0.95 * sticky, (alone, sticky, weight)


BODY = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Hi"}]}


def settings(providers: list[CachingProvider], **more: Any) -> str:
    targets = [
        f'{{ to = "openai/openai-chat/gpt-5.5", base_url = "{one.url}" }}' for one in providers
    ]
    lines = ["[[routes]]", f"targets = [{', '.join(targets)}]"]
    return "\n".join([*lines, *(f"{name} = {json.dumps(value)}" for name, value in more.items())])


async def stream(client: aiohttp.ClientSession, url: str, number: int) -> str:
    """The text of a stream, with `!` behind it if it has broken off."""
    body = {**BODY, "messages": [{"role": "user", "content": f"Hi {number}"}]}
    text = ""
    async with client.post(f"{url}/v1/chat/completions", json=body) as answer:
        if answer.status != 200:
            return str(answer.status)
        async for line in answer.content:
            if b'"error"' in line:
                return f"{text}!"
            if line.startswith(b"data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    text += choice["delta"].get("content") or ""
    return text


def test_one_of_three_dies_under_64_streams_and_comes_back(
    providers: list[CachingProvider], tmp_path: Path
) -> None:
    """No stream is lost that had not begun, and those of the others go on."""
    for one in providers:
        one.pause = 0.02

    async def drill(url: str) -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:

            async def stream_all(count: int) -> Counter[str]:
                streams = (stream(client, url, n) for n in range(count))
                return Counter(await asyncio.gather(*streams))

            running = asyncio.ensure_future(stream_all(STREAMS))
            await asyncio.to_thread(until, lambda: providers[1].requests > 5)
            providers[1].die()
            texts = await running
            begun = {text for text in texts if text.endswith("!")}
            assert begun <= {"Y!", "Ye!", "Yes!", "Yes.!"}, texts
            assert texts["Yes."] >= STREAMS * 2 // 3 - 1, texts
            before = [one.requests for one in providers]
            assert (await stream_all(12)) == {"Yes.": 12}
            assert providers[1].requests == before[1], "it rests"
            providers[1].is_dead = False
            async with asyncio.timeout(30):
                while providers[1].requests < before[1] + 3:
                    assert (await stream_all(6)) == {"Yes.": 6}
                    await asyncio.sleep(0.1)

    with serving(settings(providers), tmp_path) as gateway:
        asyncio.run(drill(f"http://127.0.0.1:{gateway.port}"))
        until(lambda: "answers again" in gateway.stderr)
        assert "rests for" in gateway.stderr


def test_a_connection_that_breaks_in_the_middle_of_a_stream_is_a_failure(
    providers: list[CachingProvider],
) -> None:
    for one in providers:
        one.pause = 0.3

    async def drill() -> None:
        app = App(Config((route(providers, "weight"),)), ())
        over = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=over, base_url="http://gateway") as client:

            async def stream_three() -> Counter[bool]:
                path = "/v1/chat/completions"
                answers = await asyncio.gather(*(client.post(path, json=BODY) for _ in range(3)))
                return Counter(b"[DONE]" in one.content for one in answers)

            streams = asyncio.ensure_future(stream_three())
            await asyncio.to_thread(until, lambda: all(one.begun for one in providers))
            await asyncio.sleep(0.1)  # the gateway has read what they have sent
            providers[1].die()
            assert (await streams)[True] >= 2
        balancer = app.gateway.find_balancer(app.gateway.config.routes[0])
        assert balancer is not None
        assert [one.rests_until > 0 for one in balancer.health] == [False, True, False]
        await app.aclose()

    asyncio.run(drill())


def test_a_target_rests_as_long_as_its_provider_says(providers: list[CachingProvider]) -> None:
    providers[0].fault = (429, {"retry-after": "60"})
    requests = [("/v1/chat/completions", {**BODY, "stream": False})] * 12
    statuses = asyncio.run(post(Config((route(providers, "weight"),)), requests))
    assert statuses == {200: 12}
    first, second, third = (one.requests for one in providers)
    assert (first, second + third) == (1, 12)
    assert abs(second - third) <= 2


def test_a_key_that_is_refused_is_said_to_the_client_when_no_target_is_left(
    providers: list[CachingProvider], caplog: pytest.LogCaptureFixture
) -> None:
    for one in providers:
        one.fault = (401, {})
    requests = [("/v1/chat/completions", {**BODY, "stream": False})] * 3
    statuses = asyncio.run(post(Config((route(providers, "weight"),)), requests))
    assert statuses == {502: 3}, "an agent would ask its user to log in after 401"
    assert [one.requests for one in providers] == [3, 1, 1]
    assert sum("refuses the gateway's key" in one.getMessage() for one in caplog.records) == 3
