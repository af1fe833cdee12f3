"""The gateway inside of a program: time-outs, silence, closing, and what a Config asks for."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletion

from dragoman.gateway import async_http_client, http_client
from dragoman.gateway.config.config_values import Config, Limits, Route, Target
from dragoman.transport.call import HttpCall, Reply, StreamReply, Timeouts
from dragoman.transport.errors import timed_out
from dragoman.transport.over_aiohttp import AiohttpTransport
from dragoman.transport.over_httpx2 import Httpx2Transport
from dragoman.transport.retries import Retries
from tests.gateway.faults.provider import (
    CHUNKED,
    HANG,
    LAST,
    WAIT,
    Provider,
    Step,
    answer,
    chunked,
    head,
)

MESSAGES: Any = [{"role": "user", "content": "Hi"}]
BODY = {"model": "m", "messages": MESSAGES}
SHORT, LONG = 0.3, 60.0
WAYS = ("threads", "httpx2", "aiohttp")  # and of the loop's transports, either

ways = pytest.mark.parametrize("way", WAYS)
streams = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def event(text: str = "", finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    data = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.6",
            "choices": [choice]}  # fmt: skip
    return b"data: " + json.dumps(data).encode() + b"\n\n"


MESSAGE = {"role": "assistant", "content": "Hello"}
WHOLE = answer(json.dumps(
    {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-5.6",
     "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}]}
).encode())  # fmt: skip
BEGUN = [CHUNKED, *chunked([event("Hel")])]
REST = [*chunked([event("lo", "stop"), b"data: [DONE]\n\n"]), LAST]


def config(provider: Provider, transport: str = "httpx2", **more: Any) -> Config:
    target = Target(
        "openai/openai-chat/gpt-5.6", secret="upstream-key", base_url=f"{provider.url}/v1"
    )
    limits = more.pop("limits", Limits(stall=LONG))
    fields = {name: more.pop(name) for name in ("record", "spans") if name in more}
    more.setdefault("timeouts", Timeouts(read=LONG))
    route = Route(target, transport=transport, **{"retries": Retries(attempts=1), **more})
    return Config((route,), limits=limits, **fields)


@dataclass
class Asking:
    """What an SDK got: pieces of text, and what it raised."""

    pieces: list[str]
    error: Exception | None = None


def ask(way: str, config: Config, stream: bool, timeout: Any = None, pieces: int = 99) -> Asking:
    """Ask with OpenAI's SDK, which closes its stream after so many pieces."""
    given: Any = {"api_key": "c", "max_retries": 0, "timeout": timeout}
    got = Asking([])

    def took(part: Any) -> bool:
        got.pieces.extend(choice.delta.content or "" for choice in part.choices)
        return len(got.pieces) < pieces

    def threads() -> None:
        with http_client(config) as http:
            create = openai.OpenAI(http_client=http, **given).chat.completions.create
            if not stream:
                got.pieces.append(create(**BODY).choices[0].message.content or "")
                return
            with create(**BODY, stream=True) as parts:
                for part in parts:
                    if not took(part):
                        break

    async def loop() -> None:
        async with async_http_client(config) as http:
            create = openai.AsyncOpenAI(http_client=http, **given).chat.completions.create
            if not stream:
                got.pieces.append((await create(**BODY)).choices[0].message.content or "")
                return
            async with await create(**BODY, stream=True) as parts:
                async for part in parts:
                    if not took(part):
                        break

    try:
        threads() if way == "threads" else asyncio.run(loop())
    except (openai.OpenAIError, httpx2.HTTPError) as error:
        got.error = error
    return got


def of_way(provider: Provider, way: str, **more: Any) -> Config:
    return config(provider, "httpx2" if way == "threads" else way, **more)


# -- time-outs -------------------------------------------------------------------------------------

ALL_KINDS = Retries(attempts=3, backoff=0.01, kinds=frozenset({"timeout", "connection"}))


@streams
@ways
def test_the_sdk_s_time_out_ends_the_call(provider: Provider, way: str, stream: bool) -> None:
    provider.will([HANG], [HANG], [HANG])
    fallback = Target(
        "openai/openai-chat/other", secret="upstream-key", base_url=f"{provider.url}/v1"
    )
    given = of_way(provider, way, retries=ALL_KINDS, fallbacks=(fallback,))
    got = ask(way, given, stream, timeout=httpx2.Timeout(None, read=SHORT))
    assert isinstance(got.error, openai.APITimeoutError)
    assert isinstance(got.error.__cause__, httpx2.ReadTimeout)
    assert len(provider.asked) == 1
    assert provider.asked[0].closed.wait(LONG)


@ways
def test_it_ends_a_stream_that_falls_silent(provider: Provider, way: str) -> None:
    provider.will([*BEGUN, HANG])
    got = ask(way, of_way(provider, way), stream=True, timeout=httpx2.Timeout(None, read=SHORT))
    assert got.pieces == ["Hel"]
    assert isinstance(got.error, (openai.APITimeoutError, httpx2.ReadTimeout))
    assert provider.asked[0].closed.wait(LONG)


@ways
def test_it_ends_a_whole_answer_that_falls_silent(provider: Provider, way: str) -> None:
    provider.will([head(200, "content-length: 999", kind="application/json"), b"{", HANG])
    got = ask(way, of_way(provider, way), stream=False, timeout=SHORT)
    assert isinstance(got.error, openai.APITimeoutError)
    assert provider.asked[0].closed.wait(LONG)


@ways
def test_a_time_is_between_two_bytes(provider: Provider, way: str) -> None:
    slow = [step for piece in chunked([event(".")] * 6) for step in (piece, SHORT / 3)]
    provider.will([CHUNKED, *slow, *REST])
    got = ask(way, of_way(provider, way), stream=True, timeout=SHORT)
    assert (got.pieces, got.error) == ([*"......", "lo"], None)


class Unreachable:
    """A transport of a program's own, to which nobody answers. `given`: what it may take."""

    def __init__(self) -> None:
        self.given: list[Timeouts] = []

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        raise AssertionError("the gateway streams")

    def stream(self, call: HttpCall, timeouts: Timeouts) -> StreamReply:
        self.given.append(timeouts)
        raise timed_out(call.url, "connect", timeouts.connect)

    def close(self) -> None:
        """Nothing is open."""


@streams
@pytest.mark.parametrize(
    ("connect", "passed", "kind"),
    [(2.0, 2.0, openai.APITimeoutError), (0.0, 0.001, openai.APITimeoutError),
     (30.0, 9.0, openai.InternalServerError), (None, 9.0, openai.InternalServerError)],
)  # fmt: skip
def test_whose_time_for_a_connection_is_shorter(
    provider: Provider, connect: float | None, passed: float, kind: type[Exception], stream: bool
) -> None:
    calls = Unreachable()
    given = config(provider, timeouts=Timeouts(connect=9.0, read=40.0))
    with http_client(given, transport=calls) as http:
        timeout = httpx2.Timeout(None, connect=connect)
        sdk = openai.OpenAI(api_key="c", http_client=http, max_retries=0, timeout=timeout)
        with pytest.raises(kind) as raised:
            sdk.chat.completions.create(**BODY, stream=stream)
    assert calls.given == [Timeouts(connect=passed, read=LONG if stream else 40.0)]
    timed = isinstance(raised.value.__cause__, httpx2.ConnectTimeout)
    assert timed == (kind is openai.APITimeoutError)


@ways
def test_the_route_s_own_time_is_told_as_the_gateway_tells_it(provider: Provider, way: str) -> None:
    provider.will([HANG])
    got = ask(way, of_way(provider, way, timeouts=Timeouts(read=SHORT)), stream=False, timeout=LONG)
    assert isinstance(got.error, openai.APIStatusError)
    assert "sent nothing within 0.3 seconds" in str(got.error)


@ways
def test_a_stream_that_stalls(provider: Provider, way: str) -> None:
    provider.will([*BEGUN, HANG])
    got = ask(way, of_way(provider, way, limits=Limits(stall=SHORT)), stream=True)
    assert got.pieces == ["Hel"]
    assert "the provider sent nothing for 0.3 seconds" in str(got.error)
    assert provider.asked[0].closed.wait(LONG)


@ways
def test_signs_of_life_do_not_hide_that_a_stream_stalls(provider: Provider, way: str) -> None:
    pings = [step for ping in chunked([b": ping\n\n"] * 20) for step in (0.1, ping)]
    provider.will([*BEGUN, *pings, *REST])
    got = ask(way, of_way(provider, way, limits=Limits(stall=SHORT)), stream=True)
    assert got.pieces == ["Hel"]
    assert "the provider sent nothing for 0.3 seconds" in str(got.error)


@ways
def test_an_error_that_comes_in_drops_does_not_hold_a_stream(provider: Provider, way: str) -> None:
    """Each byte comes in time, but the bound is for the whole error."""
    error = b'{"error": {"message": "no", "type": "server_error"}}'
    drops: list[Step] = [step for _ in range(40) for step in (SHORT / 3, b" ")]
    begun = head(500, f"content-length: {40 + len(error)}", kind="application/json")
    provider.will([begun, *drops, error])
    got = ask(way, of_way(provider, way, limits=Limits(stall=SHORT)), stream=True)
    assert got.pieces == []
    assert "the provider sent nothing for 0.3 seconds" in str(got.error)
    assert provider.asked[0].closed.wait(LONG)


@ways
def test_a_target_that_stalls_before_it_begins_is_followed_by_the_next(
    provider: Provider, way: str
) -> None:
    provider.will([HANG], [*BEGUN, *REST])
    fallback = Target(
        "openai/openai-chat/other", secret="upstream-key", base_url=f"{provider.url}/v1"
    )
    given = of_way(provider, way, limits=Limits(stall=SHORT), fallbacks=(fallback,))
    got = ask(way, given, stream=True)
    assert (got.pieces, got.error) == (["Hel", "lo"], None)


@ways
def test_a_provider_that_stays_silent_behind_its_answer(provider: Provider, way: str) -> None:
    done = chunked([event("lo", "stop")])
    provider.will([*BEGUN, *done, HANG])
    got = ask(way, of_way(provider, way, limits=Limits(stall=SHORT)), stream=True)
    assert (got.pieces, got.error) == (["Hel", "lo"], None)


# -- closing ---------------------------------------------------------------------------------------


@ways
def test_a_stream_that_is_closed_early_is_closed_at_the_provider(
    provider: Provider, way: str, tmp_path: Path
) -> None:
    provider.will([*BEGUN, HANG])
    got = ask(way, of_way(provider, way, record=tmp_path), stream=True, pieces=1)
    assert (got.pieces, got.error) == (["Hel"], None)
    assert provider.asked[0].closed.wait(LONG)
    [row] = rows(tmp_path)
    assert row["client_left"] is True


@streams
@pytest.mark.parametrize("way", ["httpx2", "aiohttp"])
def test_a_task_that_is_cancelled_leaves_the_provider(
    provider: Provider, way: str, stream: bool
) -> None:
    provider.will([HANG])

    async def main() -> None:
        async with async_http_client(of_way(provider, way)) as http:
            sdk = openai.AsyncOpenAI(api_key="c", http_client=http, max_retries=0)
            task = asyncio.create_task(sdk.chat.completions.create(**BODY, stream=stream))
            await asyncio.to_thread(provider.was_asked)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(provider.asked[0].closed.wait, LONG)

    asyncio.run(main())


def test_a_stream_is_closed_from_another_thread(provider: Provider) -> None:
    provider.will([*BEGUN, HANG])
    with http_client(config(provider)) as http:
        sdk = openai.OpenAI(api_key="c", http_client=http, max_retries=0)
        parts = sdk.chat.completions.create(**BODY, stream=True)
        assert next(parts).choices[0].delta.content == "Hel"
        threading.Timer(0.1, parts.response.stream.close).start()
        with pytest.raises(openai.APIError, match="closed while it was read"):
            next(parts)
    assert provider.asked[0].closed.wait(LONG)


@pytest.mark.parametrize("way", ["httpx2", "aiohttp"])
def test_one_client_in_several_loops(provider: Provider, way: str) -> None:
    http = async_http_client(of_way(provider, way))
    sdk = openai.AsyncOpenAI(api_key="c", http_client=http, max_retries=0)

    async def once() -> str | None:
        done: ChatCompletion = await sdk.chat.completions.create(**BODY)
        return done.choices[0].message.content

    provider.will([WHOLE], [WHOLE])
    assert [asyncio.run(once()), asyncio.run(once())] == ["Hello", "Hello"]


def test_many_threads_share_a_client(provider: Provider) -> None:
    plan: list[Step] = [WAIT, WHOLE]
    provider.will(*([plan] * 8))
    got: list[str | None] = []
    with http_client(config(provider)) as http:
        sdk = openai.OpenAI(api_key="c", http_client=http, max_retries=0)
        create = sdk.chat.completions.create
        work = [
            threading.Thread(
                target=lambda: got.append(create(**BODY).choices[0].message.content)
            ) for _ in range(8)
        ]  # fmt: skip
        for one in work:
            one.start()
        provider.was_asked(8)
        provider.go_on()
        for one in work:
            one.join()
    assert got == ["Hello"] * 8


# -- what a Config asks for ------------------------------------------------------------------------


def rows(folder: Path) -> list[dict[str, Any]]:
    lines = [line for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    return [json.loads(line) for line in lines]


@ways
def test_exchanges_are_recorded(provider: Provider, way: str, tmp_path: Path) -> None:
    provider.will([WHOLE])
    assert ask(way, of_way(provider, way, record=tmp_path), stream=False).pieces == ["Hello"]
    provider.will([*BEGUN, *REST])
    assert ask(way, of_way(provider, way, record=tmp_path), stream=True).error is None
    provider.will([answer(b'{"error": {"message": "no", "type": "server_error"}}', 500)])
    assert ask(way, of_way(provider, way, record=tmp_path), stream=False).error is not None
    whole, stream, failed = rows(tmp_path)
    for row in (whole, stream, failed):
        assert row["request"]["messages"] == MESSAGES
        assert row["upstream"]["request"]["model"] == "gpt-5.6"
        assert row["client_left"] is False
    assert whole["response"]["choices"][0]["message"]["content"] == "Hello"
    assert whole["upstream"]["response"]["choices"][0]["message"]["content"] == "Hello"
    assert [one["data"] for one in stream["events"]][-1] == "[DONE]"
    assert len(stream["events"]) == len(stream["upstream"]["events"]) == 3
    assert (failed["status"], failed["error"]["kind"]) == (500, "server")


def test_spans_are_told_of() -> None:
    code = (
        "import dragoman.gateway as g; from dragoman.gateway.config.read_toml import parse\n"
        "toml = '[server]\\nspans = true\\n[[routes]]\\nto = \"ollama/qwen3\"\\n'\n"
        "toml += 'base_url = \"http://127.0.0.1:9\"\\nretries = 0'\n"
        "with g.http_client(parse(toml)) as http:\n"
        "    body = {'model': 'm', 'messages': [{'role': 'user', 'content': 'Hi'}]}\n"
        "    assert http.post('http://x/v1/chat/completions', json=body).status_code == 502\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, "OTEL_TRACES_EXPORTER": "console"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["name"] == "chat qwen3"
    assert told["attributes"]["error.type"] == "connection"
    assert told["attributes"]["dragoman.attempts"] == 1


Post = Callable[..., httpx2.Response]


@pytest.fixture(params=["threads", "loop"])
def post(request: pytest.FixtureRequest) -> Callable[[Config], Post]:
    """`post(config)(path, ...)`: the answer to a request that no SDK would make."""

    def of(given: Config) -> Post:
        def send(path: str, **more: Any) -> httpx2.Response:
            url = f"http://gateway.test{path}"
            if request.param == "threads":
                with http_client(given) as http:
                    return http.post(url, **more)

            async def main() -> httpx2.Response:
                async with async_http_client(given) as http:
                    return await http.post(url, **more)

            return asyncio.run(main())

        return send

    return of


CHAT = "/v1/chat/completions"


def test_a_body_beyond_the_bound(provider: Provider, post: Callable[[Config], Post]) -> None:
    send = post(config(provider, limits=Limits(body=50)))
    packed = gzip.compress(json.dumps({**BODY, "user": "u" * 5000}).encode(), mtime=0)
    for more in ({"json": {**BODY, "user": "u" * 50}},
                 {"content": packed, "headers": {"content-encoding": "gzip"}}):  # fmt: skip
        told = send(CHAT, **more)
        assert (told.status_code, told.headers["x-dragoman-error"]) == (413, "body.size")
    assert provider.asked == []


def test_a_packed_body(provider: Provider, post: Callable[[Config], Post]) -> None:
    send = post(config(provider))
    provider.will([WHOLE])
    packed = gzip.compress(json.dumps(BODY).encode())
    told = send(CHAT, content=packed, headers={"content-encoding": "gzip"})
    assert told.json()["choices"][0]["message"] == MESSAGE
    assert json.loads(provider.asked[0].body) == {**BODY, "model": "gpt-5.6"}
    assert "content-encoding" not in provider.asked[0].names
    assert send(CHAT, content=b"x", headers={"content-encoding": "br"}).status_code == 415


def test_headers_of_an_answer(provider: Provider, post: Callable[[Config], Post]) -> None:
    provider.will([WHOLE.replace(b"\r\n", b"\r\nx-ratelimit-note: caf\xe9\r\n", 1)])
    told = post(config(provider))(CHAT, json=BODY)
    assert told.status_code == 200
    assert told.headers["x-dragoman-id"].startswith("dg_")


def test_a_target_whose_headers_were_changed_to_none(
    provider: Provider, post: Callable[[Config], Post]
) -> None:
    headers = {"x-team": "blue"}
    given = config(provider)
    target = replace(given.routes[0].target, headers=headers)
    headers["x bad"] = "4f9a8b7c"
    told = post(replace(given, routes=(replace(given.routes[0], target=target),)))(CHAT, json=BODY)
    assert told.status_code == 500
    assert "is no name of a header" in told.json()["error"]["message"]
    assert "4f9a8b7c" not in told.text


@pytest.mark.parametrize(("way", "kind"), [("httpx2", Httpx2Transport),
                                           ("aiohttp", AiohttpTransport)])  # fmt: skip
def test_the_transport_of_a_route_carries_its_calls(
    provider: Provider, way: str, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    usual = kind.astream

    async def counted(self: Any, call: HttpCall, timeouts: Timeouts) -> Any:
        calls.append(way)
        return await usual(self, call, timeouts)

    monkeypatch.setattr(kind, "astream", counted)
    provider.will([WHOLE])
    assert ask(way, of_way(provider, way), stream=False).pieces == ["Hello"]
    assert calls == [way]


def test_a_time_out_that_a_provider_tells_is_its_own(provider: Provider) -> None:
    body = {"error": {"message": "too late", "type": "read_timeout", "code": "read_timeout"}}
    provider.will([answer(json.dumps(body).encode(), 504)])
    got = ask("threads", config(provider), stream=False, timeout=SHORT)
    assert isinstance(got.error, openai.InternalServerError)
    assert "too late" in str(got.error)
