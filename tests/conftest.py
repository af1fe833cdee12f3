"""Options and settings of the whole suite.

`--update-golden` writes what is found into the golden files, to be reviewed as a diff.
`--hypothesis-profile=explore` looks for new examples; the default run is the same every time.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import certifi
import pytest
from hypothesis import HealthCheck, settings

from tests.servers.real import aimock_server, llamacpp_server

__all__ = ["aimock_server", "llamacpp_server"]

# What is compiled is kept, also where the system asks for nothing to be written: else each worker
# rewrites all asserts anew, 11 s, and each process that a test starts compiles what it imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "house", derandomize=True, deadline=None, max_examples=30, suppress_health_check=_CHECKS
)
settings.register_profile(
    "explore", deadline=None, max_examples=1000, database=None, suppress_health_check=_CHECKS
)
settings.load_profile("house")


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than processors, for browsers, servers and time-outs are waited for."""
    usable = getattr(os, "sched_getaffinity", None)
    return (len(usable(0)) if usable else os.cpu_count() or 1) + 1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write what is found into the golden files"
    )


@pytest.fixture(scope="session", autouse=True)
def one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One certificate for the clients to load, not the hundreds of all authorities.

    Google's loads them three times for each client, 0.1 s, and no test asks a server over TLS.
    """
    first, mark, _ = Path(certifi.where()).read_text("utf-8").partition("-----END CERTIFICATE-----")
    file = tmp_path_factory.mktemp("authority") / "one.pem"
    file.write_text(f"{first}{mark}\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a skipped test where `.ci/run` runs, unless it lacks the traffic in ../shared."""
    report = yield
    if os.environ.get("DRAGOMAN_CI") == "1" and report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if "../shared" not in reason:
            report.outcome = "failed"
            report.longrepr = f"may not be skipped where .ci/run runs: {reason}"
    return report


def pytest_collection() -> None:
    """Look for no garbage while tests are collected: next to all that is made there stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what collection made out of garbage collections: a million objects that all stay.

    Every full collection, and those that tests ask for, would walk through them again. Nor is
    garbage looked for among them: 190,000 of them are, but to find that takes each worker a second.
    """
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # by default it takes 6% of what tests of conversions take
