"""CPU time of calls and streams with listeners, beside the same without any.

    make bench BENCHMARKS=benchmarks/observe.py PAGE=

The model is in this process, so that what is measured is our own work: a call of `LLM.ask`, and a
stream of 200 events. The sides take turns in every round, and the best of each counts. Reads no
clock in an assertion: the table at the end is the result. What a listener costs when there is none
takes two trees: run this file in an earlier one with `-k none`, by turns.
"""

from __future__ import annotations

import gc
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from time import process_time
from typing import Any

import pytest

from dragoman import LLM
from dragoman.transport.call import HttpCall, Reply, Timeouts

ROUNDS, CALLS, STREAMS = 7, 400, 40
CPU: dict[tuple[str, str], float] = {}
_CHOICE = {"index": 0, "message": {"role": "assistant", "content": "It is a long way. " * 10}}
_WHOLE = json.dumps({
    "id": "c", "object": "chat.completion", "created": 1, "model": "gpt-5.6",
    "choices": [{**_CHOICE, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 20, "completion_tokens": 50, "total_tokens": 70},
}).encode()  # fmt: skip


def _event(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.6",
            "choices": choices}  # fmt: skip
    return b"data: " + json.dumps(body).encode() + b"\n\n"


_PIECES = [*[_event({"content": "It is far. "})] * 200, _event({}, "stop"), b"data: [DONE]\n\n"]


class _Answer:
    """A stream in pieces."""

    status = 200
    headers: Mapping[str, str] = {"content-type": "text/event-stream"}

    def __iter__(self) -> Iterator[bytes]:
        return iter(_PIECES)

    def close(self) -> None:
        """Close nothing."""


class _Model:
    """A transport whose model is in this process."""

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        return Reply(200, {"content-type": "application/json"}, _WHOLE)

    def stream(self, call: HttpCall, timeouts: Timeouts) -> Any:
        return _Answer()

    def close(self) -> None:
        """Close nothing."""


def listeners() -> dict[str, Callable[[], AbstractContextManager[Any]]]:
    """The sides: nothing, and who listens."""
    found: dict[str, Callable[[], AbstractContextManager[Any]]] = {"none": nullcontext}
    if find_spec("dragoman.observe") is None:  # a tree that has no listeners
        return found
    from dragoman import observe

    found["a function"] = lambda: observe.subscribe(lambda _: None)
    found["`log_events`, at INFO"] = observe.log_events
    if find_spec("opentelemetry"):
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.trace import TracerProvider

        tracers, meters = (make(shutdown_on_exit=False) for make in (TracerProvider, MeterProvider))
        found["`open_telemetry`"] = lambda: observe.open_telemetry(tracers, meters)
        found["with content"] = lambda: observe.open_telemetry(tracers, meters, content=True)
    return found


def test_calls_and_streams() -> None:
    """Measure each side."""
    logging.getLogger("dragoman").setLevel(logging.INFO)
    llm = LLM("openai/gpt-5.6", key="k", transport=_Model(), system="You are Friday.")
    works: dict[str, tuple[int, Callable[[], Any]]] = {
        "a call": (CALLS, lambda: llm.ask("How far is it to Samarkand?")),
        "a stream": (STREAMS, lambda: list(llm.stream("How far is it to Samarkand?"))),
    }
    for number in range(ROUNDS + 1):
        for name, listening in listeners().items():
            for scene, (times, work) in works.items():
                gc.collect()
                with listening():
                    begun = process_time()
                    for _ in range(times):
                        work()
                    each = (process_time() - begun) / times * 1e6
                if number:  # the first round warms up
                    CPU[name, scene] = min(each, CPU.get((name, scene), each))


@pytest.fixture(scope="module", autouse=True)
def table(tables: Any) -> Iterator[None]:
    """Microseconds of each side, and how many times those without a listener they are."""
    yield
    scenes = list(dict.fromkeys(scene for _, scene in CPU))
    rows = [
        [name, *(f"{CPU[name, scene]:.1f} ({CPU[name, scene] / CPU['none', scene]:.2f})"
                 for scene in scenes)]
        for name in dict.fromkeys(name for name, _ in CPU)
    ]  # fmt: skip
    tables.add("Listeners (`benchmarks/observe.py`), in µs of CPU time", ("", *scenes), rows)
