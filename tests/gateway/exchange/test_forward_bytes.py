"""Streams go out by the server's own writing where it offers that, and by `send` where it must."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dragoman.gateway.config.config_values import Config, Limits, Route, Target
from dragoman.gateway.exchange.forward_bytes import with_model
from dragoman.gateway.server.asgi import App
from dragoman.gateway.server.asgi_client import WRITE
from dragoman.text.json_pieces import PIECE

from ..asking import PATHS, request
from ..numbered import asked, missed, numbered

EVENTS = 60
NAMES = {"openai-chat": "openai/openai-chat/gpt-4o", "anthropic": "anthropic/claude-sonnet-4-5"}


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    """A provider whose events are numbered."""
    with numbered() as url:
        yield url


class Asked:
    """One request to an app, as a server puts it: what goes out, and by which way."""

    def __init__(self, takes: Callable[[int], bool], pause: float = 0) -> None:
        self._takes = takes  # whether the n-th attempt to write may write at once
        self._pause = pause  # seconds that `send` takes: the client reads slowly
        self._asked = False
        self.body = b""
        self.attempts = self.written = self.sent = 0

    def write(self, data: bytes) -> bool:
        self.attempts += 1
        if not self._takes(self.attempts):
            return False
        self.written += 1
        self.body += data
        return True

    async def receive(self) -> Any:
        if self._asked:
            await asyncio.Event().wait()
        self._asked = True
        return {"type": "http.request", "body": self.request, "more_body": False}

    async def send(self, message: Any) -> None:
        await asyncio.sleep(self._pause)
        if body := message.get("body"):
            self.sent += 1
            self.body += body

    def run(self, url: str, client: str, behind: str, pace: float = 0, **limits: float) -> None:
        """Ask for numbered events."""
        base = url if behind == "anthropic" else f"{url}/v1"
        target = Target(NAMES[behind], base_url=base, secret="none")
        config = Config(routes=(Route(target),), limits=Limits(**limits))  # type: ignore[arg-type]
        self.request = request(client, "any", asked(7, EVENTS, pace), stream=True)
        scope = {
            "type": "http", "method": "POST", "path": PATHS[client], "headers": [],
            "query_string": b"", "extensions": {WRITE: self.write},
        }  # fmt: skip

        async def serve() -> None:
            app = App(config, ())
            await app(scope, self.receive, self.send)
            await app.aclose()

        asyncio.run(serve())


pairs = pytest.mark.parametrize(
    ("client", "behind"),
    [("openai-chat", "openai-chat"), ("anthropic", "anthropic"), ("anthropic", "openai-chat")],
)


@pairs
def test_events_are_written_at_once(upstream: str, client: str, behind: str) -> None:
    asking = Asked(lambda _: True)
    asking.run(upstream, client, behind, pace=0.002)
    assert not missed(asking.body, 7, EVENTS)
    assert asking.written > EVENTS / 2  # several may have come at once
    assert asking.sent <= 4  # the begin and the end


@pairs
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_client_that_reads_slowly_now_and_then_misses_nothing(
    upstream: str, client: str, behind: str, nth: int
) -> None:
    asking = Asked(lambda attempt: attempt % nth != 0, pause=0.004)
    asking.run(upstream, client, behind, pace=0.001)
    assert not missed(asking.body, 7, EVENTS)
    assert (asking.written > 0) is (nth > 1)
    assert asking.sent > 4


def test_signs_of_life_stand_between_what_is_written(upstream: str) -> None:
    asking = Asked(lambda _: True)
    asking.run(upstream, "openai-chat", "openai-chat", pace=0.02, keep_alive=0.01)
    assert not missed(asking.body, 7, EVENTS)
    assert b"\n\n: keep-alive\n\ndata: " in asking.body
    assert asking.body.replace(b": keep-alive\n\n", b"").startswith(b"data: ")


def test_the_model_is_changed_wherever_the_key_is_cut_by_a_piece() -> None:
    for size in range(PIECE - 24, PIECE + 4):
        body = b'{"x":"%b","model": "m" ,"y":1}' % (b"a" * size)
        assert with_model(body, "m", "other") == body.replace(b'"m" ', b'"other" ')
        assert with_model(body, "m", "m") is body
        twice = b'{"x":"%b","tools":[{"model":"m"}],"model":"m"}' % (b"a" * size)
        assert json.loads(with_model(twice, "m", "other"))["model"] == "other"
        assert b'[{"model":"m"}]' in with_model(twice, "m", "other")
