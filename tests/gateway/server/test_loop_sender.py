"""The sender of a serving process: what it has opened is closed with it."""

from __future__ import annotations

import asyncio
import gc
import warnings

import httpx2
import pytest

from dragoman.gateway.config.config_values import Config, Route, Target
from dragoman.gateway.server.asgi import App
from tests.gateway.exchange.test_long_events import events
from tests.gateway.faults.provider import CHUNKED, Provider, chunked
from tests.gateway.faults.wires import CHAT, MESSAGES, Wire, errors
from tests.gateway.running import LONG


@pytest.mark.parametrize("behind", [CHAT, MESSAGES])
def test_a_gateway_that_ends_right_after_an_answer_closes_its_connection(
    behind: Wire, provider: Provider
) -> None:
    """The provider has not ended the body yet; the task that waits for it has not even begun."""
    provider.will([CHUNKED, *chunked(events(behind, ["Hello."])), LONG])
    target = Target(behind.target, secret="upstream-key", base_url=provider.url + behind.base)

    async def serve() -> bytes:
        app = App(Config((Route(target, transport="aiohttp"),)), ())
        over = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=over) as client:
            url = f"http://gateway{CHAT.path('m', True)}"
            answer = await client.post(url, content=CHAT.request("m"))
            await app.aclose()
            return answer.content

    with warnings.catch_warnings(record=True) as unclosed:
        warnings.simplefilter("always")
        assert not errors(CHAT, asyncio.run(serve()))
        gc.collect()
    assert not unclosed
