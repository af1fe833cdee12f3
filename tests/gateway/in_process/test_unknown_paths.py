"""Answers at unknown paths, which the gateway inside of a program passes on as they come."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from dragoman.gateway import async_http_client, http_client
from dragoman.gateway.config.config_values import Config, Limits
from tests.gateway.faults.provider import HANG, LAST, WAIT, Provider, Step, answer, chunked, head

from .test_clients import LONG, SHORT, of_way, rows, ways

SPEECH = "/v1/audio/speech"
SPOKEN = head(200, "transfer-encoding: chunked", kind="audio/mpeg")


@ways
def test_an_answer_at_an_unknown_path_comes_as_the_provider_sends_it(
    provider: Provider, way: str, tmp_path: Path
) -> None:
    """The second half is sent only after the first was read; a key in it is hidden."""
    key = "sk-upstream-0123456789"
    halves = [b"One, sk-upstream-", b"0123456789, two."]
    plan: list[Step] = [SPOKEN, *chunked(halves[:1]), WAIT, *chunked(halves[1:]), LAST]
    got: list[bytes] = []

    def took(piece: bytes) -> None:
        got.append(piece)
        provider.go_on()

    def threads(given: Config) -> httpx2.Response:
        with http_client(given) as http, http.stream("POST", f"http://g{SPEECH}") as response:
            for piece in response.iter_raw():
                took(piece)
            return response

    async def loop(given: Config) -> httpx2.Response:
        async with (
            async_http_client(given) as http,
            http.stream("POST", f"http://g{SPEECH}") as response,
        ):
            async for piece in response.aiter_raw():
                took(piece)
            return response

    given = of_way(provider, way, pass_through=True, record=tmp_path)
    [route] = given.routes
    route = replace(route, target=replace(route.target, secret=key))
    given = replace(given, routes=(route,))
    provider.will(plan)
    response = threads(given) if way == "threads" else asyncio.run(loop(given))
    assert got[0] == b"One, "
    text = b"".join(got)
    assert text.startswith(b"One, ")
    assert text.endswith(b", two.")
    assert key.encode() not in text
    assert dict(provider.asked[0].fields)["authorization"] == f"Bearer {key}"
    assert (response.status_code, response.headers["content-type"]) == (200, "audio/mpeg")
    [row] = rows(tmp_path)
    assert (row["status"], row.get("client_left", False)) == (200, False)


def read_some(way: str, given: Config, pieces: int = 1, timeout: Any = None) -> list[bytes]:
    """The first pieces of an answer at an unknown path."""
    got: list[bytes] = []

    def threads() -> None:
        with (
            http_client(given) as http,
            http.stream("POST", f"http://g{SPEECH}", timeout=timeout) as response,
        ):
            for piece in response.iter_raw():
                got.append(piece)
                if len(got) == pieces:
                    break

    async def loop() -> None:
        async with (
            async_http_client(given) as http,
            http.stream("POST", f"http://g{SPEECH}", timeout=timeout) as response,
        ):
            async for piece in response.aiter_raw():
                got.append(piece)
                if len(got) == pieces:
                    break

    threads() if way == "threads" else asyncio.run(loop())
    return got


@ways
def test_one_that_is_closed_early_is_closed_at_the_provider(
    provider: Provider, way: str, tmp_path: Path
) -> None:
    provider.will([SPOKEN, *chunked([b"x" * 100]), HANG])
    got = read_some(way, of_way(provider, way, pass_through=True, record=tmp_path))
    assert b"x" in got[0]
    assert provider.asked[0].closed.wait(LONG)
    [row] = rows(tmp_path)
    assert row["client_left"] is True


@pytest.mark.parametrize("way", ["httpx2", "aiohttp"])
def test_a_task_that_is_cancelled_while_it_reads_one_leaves_the_provider(
    provider: Provider, way: str
) -> None:
    provider.will([SPOKEN, *chunked([b"x" * 100]), HANG])

    async def main() -> None:
        async with async_http_client(of_way(provider, way, pass_through=True)) as http:
            begun = asyncio.Event()

            async def read() -> None:
                async with http.stream("POST", f"http://g{SPEECH}") as response:
                    async for _ in response.aiter_raw():
                        begun.set()

            task = asyncio.create_task(read())
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(provider.asked[0].closed.wait, LONG)

    asyncio.run(main())


@pytest.mark.parametrize(("plan", "error"), [
    (["cut"], httpx2.ReadError), (["reset"], httpx2.ReadError), ([HANG], httpx2.ReadTimeout),
])  # fmt: skip
@ways
def test_one_that_breaks_off_is_an_error_of_the_http_library(
    provider: Provider, way: str, plan: list[Step], error: type[Exception], tmp_path: Path
) -> None:
    given = of_way(provider, way, pass_through=True, record=tmp_path, limits=Limits(stall=SHORT))
    provider.will([SPOKEN, *chunked([b"x" * 100]), *plan])
    with pytest.raises(error):
        read_some(way, given, pieces=9)
    [row] = rows(tmp_path)
    assert row["error"]


@ways
def test_the_sdk_s_time_is_between_two_pieces_of_one(provider: Provider, way: str) -> None:
    provider.will([SPOKEN, *chunked([b"x" * 100]), HANG])
    with pytest.raises(httpx2.ReadTimeout):
        read_some(way, of_way(provider, way, pass_through=True), pieces=9, timeout=SHORT)
    assert provider.asked[0].closed.wait(LONG)


@ways
def test_a_failure_at_an_unknown_path_is_the_provider_s_own(provider: Provider, way: str) -> None:
    provider.will([answer(b'{"error": {"message": "No such voice"}}', 404)])
    given = of_way(provider, way, pass_through=True)

    async def loop() -> httpx2.Response:
        async with async_http_client(given) as http:
            return await http.post(f"http://g{SPEECH}")

    def threads() -> httpx2.Response:
        with http_client(given) as http:
            return http.post(f"http://g{SPEECH}")

    response = threads() if way == "threads" else asyncio.run(loop())
    assert (response.status_code, "No such voice" in response.text) == (404, True)
