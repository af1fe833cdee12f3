"""A provider whose key is in the environment, and a served gateway in front of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.gateway.exchange.pausing import KEY
from tests.gateway.faults.provider import Provider
from tests.gateway.faults.serving import KEY_VARIABLE, route, serving
from tests.gateway.faults.wires import GEMINI
from tests.gateway.running import Gateway


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    running = Provider()
    with pytest.MonkeyPatch.context() as patch:  # what another folder has set there comes back
        patch.setenv(KEY_VARIABLE, KEY)
        yield running
    running.close()


@pytest.fixture(scope="module")
def gateway(server: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    target = [("gemini/gemini/gemini-4-argon", server.url + GEMINI.base)]
    settings = "[limits]\nstall = 60\n" + route("*", target, retries=1)
    with serving(settings, tmp_path_factory.mktemp("gateway")) as running:
        yield running
        assert "traceback" not in running.stderr.lower(), running.stderr
