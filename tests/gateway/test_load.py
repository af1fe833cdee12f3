"""64 streams of 500 events at once: nothing is lost, out of order or mixed, and memory stays.

For 2 seconds; `DRAGOMAN_LOAD_SECONDS=60` or `python -m tests.gateway.load` take a minute.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator

import pytest

from tests.gateway import load
from tests.gateway.asking import many_calls
from tests.gateway.numbered import missed, numbered

SECONDS = float(os.environ.get("DRAGOMAN_LOAD_SECONDS", "2"))
linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    with numbered() as url:
        yield url


@linux
@pytest.mark.parametrize("pairs", [load.TRANSLATED, load.SAME], ids=["translated", "same wire"])
def test_many_streams_at_once(upstream: str, pairs: tuple[tuple[str, str], ...]) -> None:
    with load.serving(upstream) as served:
        came = asyncio.run(load.put(served, pairs, SECONDS / 2))
    assert came.faults == []
    assert came.events >= len(pairs) * load.STREAMS * load.EVENTS
    assert came.growth < load.GROWTH, came.told()


def test_many_calls_at_once_get_their_own_answers(upstream: str) -> None:
    with load.serving(upstream) as served:
        for client, behind in (*load.TRANSLATED, *load.SAME):
            model = load.MODELS[behind]
            assert asyncio.run(many_calls(served.url, client, model, 128, at_once=64)) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"0001:0000 0001:0001 0001:0002 ", ""),
        (b"0001:0000 0001:0002 ", "2 of 3 events"),
        (b"0001:0000 0001:0002 0001:0001 ", "out of order"),
        (b"0001:0000 0001:0001 0001:0001 0001:0002 ", "twice"),
        (b"0001:0000 0002:0001 0001:0001 0001:0002 ", "other streams"),
    ],
)
def test_the_client_notices_what_is_not_in_its_place(body: bytes, fault: str) -> None:
    found = missed(body, 1, 3)
    assert fault in found
    assert bool(found) == bool(fault)
