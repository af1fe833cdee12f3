"""A provider that answers as each test says; a folder may have a server of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.gateway.faults.provider import Provider


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    running = Provider()
    yield running
    running.close()


@pytest.fixture
def provider(server: Provider) -> Provider:
    server.will()
    return server
