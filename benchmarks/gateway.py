"""CPU, memory and start of gateways, ours beside LiteLLM's proxy and llm-rosetta's gateway.

    make bench-gateway

Each gateway is a process of its own between the clients, which are this process, and an upstream
(`tests/gateway/numbered.py`), which is another. Measured is the CPU time of the gateway with its
children, by the kernel's count, as the best of a few rounds: for a whole call, 16 at once; for an
event of 16 streams at once, of 500 events each, which come one by one, as from a provider. What
clients get is checked: each event says whose it is and which. Reads no clock in an assertion: the
tables at the end are the result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from benchmarks.conftest import Tables
from benchmarks.gateways import ALL, CHAT, CLAUDE, FLOOR, Gateway, Running
from tests.gateway.asking import many_calls, many_streams
from tests.gateway.numbered import numbered

STREAMS, EVENTS = 16, 500
PACE = 0.012  # seconds between two events of a stream; LiteLLM's proxy can just follow
CALLS, CALLS_OF_SLOW = 400, 200
LONG = 200  # turns of the long history, which is 35 kB of JSON
ROUNDS = 2
SLOW = 3.0  # seconds until ready, behind which a gateway is not started again
PAIRS = (
    ("anthropic", "openai-chat"), ("openai-chat", "anthropic"),
    ("anthropic", "anthropic"), ("openai-chat", "openai-chat"),
)  # fmt: skip
MODEL = {"openai-chat": CHAT, "anthropic": CLAUDE}
SHORT = {"openai-chat": "Chat", "anthropic": "Messages"}
READY, STARTING, MEMORY = "seconds until ready", "of them CPU", "MB after load"
COST: dict[tuple[str, str], float] = {}
FAULTS: dict[tuple[str, str], str] = {}


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    """What all gateways stand in front of."""
    with numbered() as url:
        yield url


@pytest.fixture(scope="module", params=ALL, ids=lambda gateway: gateway.name)
def gateway(request: pytest.FixtureRequest, upstream: str) -> Iterator[tuple[Gateway, Running]]:
    """Each gateway in turn, warm; only one runs at a time."""
    one: Gateway = request.param
    if not one.installed:
        pytest.skip(f"{one.name} is not installed")
    ready, spent = [], []
    for _ in range(ROUNDS):
        with one.running(upstream) as running:
            ready.append(running.ready)
            spent.append(running.cpu())
            if running.ready > SLOW or len(ready) == ROUNDS:
                COST[one.name, READY], COST[one.name, STARTING] = min(ready), min(spent)
                yield one, running
                return


@pytest.mark.parametrize("turns", [1, LONG], ids=["short", "long"])
@pytest.mark.parametrize("pair", PAIRS, ids=" to ".join)
def test_calls(gateway: tuple[Gateway, Running], pair: tuple[str, str], turns: int) -> None:
    """CPU of a whole call, in ms."""
    client, behind = pair

    def load(url: str, number: int) -> Coroutine[Any, Any, list[str]]:
        return many_calls(url, client, MODEL[behind], number, at_once=STREAMS, turns=turns)

    column = f"{name_of(pair)}, {'long' if turns > 1 else 'short'}"
    number = CALLS if gateway[1].ready < SLOW else CALLS_OF_SLOW
    measure(gateway, pair, column, load, warm=2 * STREAMS, number=number, unit=1e3)


@pytest.mark.parametrize("pair", PAIRS, ids=" to ".join)
def test_streams(gateway: tuple[Gateway, Running], pair: tuple[str, str]) -> None:
    """CPU of an event, in microseconds."""
    client, behind = pair

    def load(url: str, number: int) -> Coroutine[Any, Any, list[str]]:
        events = number // STREAMS
        return many_streams(url, client, MODEL[behind], range(STREAMS), events, PACE)

    column = f"{name_of(pair)}, event"
    measure(gateway, pair, column, load, warm=10 * STREAMS, number=STREAMS * EVENTS, unit=1e6)


def measure(
    gateway: tuple[Gateway, Running],
    pair: tuple[str, str],
    column: str,
    load: Callable[[str, int], Coroutine[Any, Any, list[str]]],
    *,
    warm: int,
    number: int,
    unit: float,
) -> None:
    """Put a load on the gateway, and keep what one of it cost at best."""
    one, running = gateway
    if not one.serves(*pair):
        pytest.skip(one.note)
    parsed = one is FLOOR and pair[0] != pair[1]
    url = running.url + ("/parsed" if parsed else "")
    if parsed:  # the floor translates nothing: it reads and writes what its upstream says
        pair = (pair[1], pair[1])
    faults = asyncio.run(load(url, warm))
    for _ in range(ROUNDS):
        before = running.cpu()
        faults += asyncio.run(load(url, number))
        spent = (running.cpu() - before) / number * unit
        COST[one.name, column] = min(spent, COST.get((one.name, column), spent))
    COST[one.name, MEMORY] = running.memory()
    if faults:
        FAULTS[one.name, column] = f"{len(faults)} of them: {faults[0]}"
    assert one.name != "dragoman" or not faults


def name_of(pair: tuple[str, str]) -> str:
    """A pair of wires in the head of a table."""
    client, behind = pair
    same = "same wire" if client == behind else "translated"
    return f"{SHORT[client]} to {SHORT[behind]} ({same})"


def test_tables(tables: Tables) -> None:
    """Add what was measured to the tables of this run."""
    same, other = [p for p in PAIRS if p[0] == p[1]], [p for p in PAIRS if p[0] != p[1]]
    short = [f"{name_of(pair)}, short" for pair in (*other, *same)]
    long = [f"{name_of(pair)}, long" for pair in (*other, *same)]
    events = [f"{name_of(pair)}, event" for pair in (*other, *same)]
    parts = (
        ("A gateway: ms of CPU for a whole call (`benchmarks/gateway.py`)", short, 2),
        (f"The same, behind a history of {LONG * 2} messages", long, 2),
        (f"us of CPU for an event of a stream, {STREAMS} streams at once", events, 1),
        ("Start and memory", [READY, STARTING, MEMORY], 2),
    )
    for title, columns, digits in parts:
        head = [column.rpartition(", ")[0] or column for column in columns]
        rows = [
            [one.name, *(_cell(one.name, column, digits) for column in columns)]
            for one in ALL
            if any((one.name, column) in COST for column in columns)
        ]
        tables.add(title, ["", *head], rows, _notes(columns))


def _cell(name: str, column: str, digits: int) -> str:
    """A figure, and in brackets how many times ours it is."""
    found = COST.get((name, column))
    if found is None:
        return ""
    ours = COST.get(("dragoman", column))
    times = f" ({found / ours:.1f})" if ours and name != "dragoman" else ""
    return f"{found:.{digits}f}{times}{' *' if (name, column) in FAULTS else ''}"


def _notes(columns: list[str]) -> list[str]:
    """What is to be said of these columns' figures, and what of them is no figure."""
    notes = ["in brackets: times ours"]
    for one in ALL:
        if one.note and any((one.name, column) in COST for column in columns):
            notes.append(f"{one.name}: {one.note}")
        notes += [
            f"* {one.name}, {column}: {FAULTS[one.name, column]}"
            for column in columns
            if (one.name, column) in FAULTS
        ]
    return notes
