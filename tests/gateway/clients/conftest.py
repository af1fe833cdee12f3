"""Fixtures of tests with official clients: one server per module, one upstream per test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from dragoman.gateway.config.config_values import Config, config_for
from dragoman.llm.names import model_name
from dragoman.testing import StrictServer

from . import Talk, talk
from .serving import Served, served
from .upstreams import MODELS
from .ways import PLACES


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    """Whether the client reaches the gateway over a socket, or inside of its process."""
    return str(request.param)


Begin = Callable[..., tuple[Talk, StrictServer]]


@pytest.fixture
def begin(server: Served, place: str) -> Iterator[Begin]:
    """`begin(client, upstream, *answers, ...)`: a conversation, and the server that answers."""
    with ExitStack() as open_things:

        def start(
            client: str, upstream: str, *answers: Any, models: Mapping[str, str] = MODELS,
            change: Callable[[Config], Config] | None = None, tokens: int | None = None,
            **options: Any,
        ) -> tuple[Talk, StrictServer]:  # fmt: skip
            model = models[upstream]
            asked = model_name(model)
            wire = f"{asked.host.name}/{asked.protocol}"
            judge = open_things.enter_context(
                StrictServer(wire, *answers, key="upstream-key", tokens=tokens)
            )
            config = config_for(model, key="upstream-key", base_url=judge.url)
            config = config if change is None else change(config)
            door = server.door(config) if place == "server" else server.inner_door(config)
            return talk(client)(door, **options), judge

        yield start
