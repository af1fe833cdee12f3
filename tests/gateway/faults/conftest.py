"""One provider and two gateways for all tests of faults: a patient and a hasty one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway.faults.provider import Provider
from tests.gateway.faults.serving import KEY_VARIABLE, SECRET, routes, serving
from tests.gateway.running import Gateway


@pytest.fixture(scope="session")
def server() -> Iterator[Provider]:
    provider = Provider()
    with pytest.MonkeyPatch.context() as patch:  # a folder beside this sets the variable as well
        patch.setenv(KEY_VARIABLE, SECRET)
        yield provider
    provider.close()


@pytest.fixture(scope="session")
def gateway(server: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Without retries, and as patient as it is by itself."""
    with serving(routes(server.url, retries=0), tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.fixture(scope="session")
def hasty(server: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A sign of life after each 0.2 seconds of silence; a provider is dead after 2."""
    limits = '[limits]\nkeep_alive = 0.2\nstall = 2\nevent = "1MiB"\nbody = "4MiB"\n'
    folder: Path = tmp_path_factory.mktemp("hasty")
    with serving(limits + routes(server.url, retries=0), folder) as running:
        yield running


@pytest.fixture(autouse=True)
def no_fault_of_the_gateway_s(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test may make a gateway raise what it does not know."""
    names = {"gateway", "hasty"} & set(request.fixturenames)
    running: list[Gateway] = [request.getfixturevalue(name) for name in names]
    before = [len(one.stderr) for one in running]
    yield
    for one, begin in zip(running, before, strict=True):
        assert one.process.poll() is None, "the gateway has ended"
        assert "traceback" not in (told := one.stderr[begin:]).lower(), told
