"""Fixtures of tests with official clients: one server per module, one upstream per test."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from dragoman.gateway.config import Config, config_for
from dragoman.testing import StrictServer

from . import Talk, talk
from .serving import Served, in_process, served
from .upstreams import MODELS


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.fixture(params=["server", "process"])
def place(request: pytest.FixtureRequest) -> str:
    """Whether the client reaches the gateway over a socket, or inside of its process."""
    return str(request.param)


Begin = Callable[..., tuple[Talk, StrictServer]]


@pytest.fixture
def begin(server: Served, place: str) -> Iterator[Begin]:
    """`begin(client, upstream, *answers, ...)`: a conversation, and the server that answers."""
    with ExitStack() as open_things:

        def start(
            client: str, upstream: str, *answers: Any, change: Callable[[Config], Config] | None = None,
            **options: Any,
        ) -> tuple[Talk, StrictServer]:
            model = MODELS.get(upstream, upstream)
            host, _, rest = model.partition("/")
            wire = f"{host}/{upstream}" if upstream in rest else host
            judge = open_things.enter_context(StrictServer(wire, *answers, key="upstream-key"))
            config = config_for(model, key="upstream-key", base_url=judge.url)
            config = config if change is None else change(config)
            door = server.door(config) if place == "server" else in_process(config)
            conversation = talk(client)(door, **options)
            open_things.callback(conversation.close)
            return conversation, judge

        yield start
    gc.collect()
