"""Law 6: work grows with the history, not with its square.

No clock: lines that Python runs and comparisons of ids are counted, for a history and for one four
times as long. What is constant makes the ratio smaller, what is quadratic makes it sixteen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import dragoman
from dragoman import ByName, ChatRequest, Msg, Tagged
from dragoman.message import (
    Base64Source,
    CacheHint,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    dump,
    identify,
    load,
)
from tests.each_case import each_case
from tests.wires import ONE_OF_EACH_KIND

SMALL = 60
LIMIT = 5.0  # for a history four times as long
# What grows as a line takes 3.99 times as much at most: so close a limit sees of half as long a
# history what the other one sees of the whole, and tracing it takes half as long.
FEW = 30
CLOSE = 4.25


class Counted(str):
    """An id that counts how often it is compared or hashed."""

    __slots__ = ()
    seen = 0

    def __eq__(self, other: object) -> bool:
        Counted.seen += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        Counted.seen += 1
        return str.__hash__(self)


def call(id: str, name: str = "look") -> ToolUseBlock:
    return ToolUseBlock(Counted(id), name, {"at": 1})


def result(id: str, output: Any = "there") -> ToolResultBlock:
    return ToolResultBlock(Counted(id), "look", output)


def rounds(n: int) -> list[Msg]:
    ids = [f"c{i}" for i in range(n)]
    pairs = [(Msg.assistant([call(i)]), Msg("", [result(i)], "tool")) for i in ids]
    return [Msg.user("Go."), *(m for pair in pairs for m in pair)]


def image() -> ImageBlock:
    return ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))


HISTORIES: dict[str, Callable[[int], list[Msg]]] = {
    "texts": lambda n: [Msg("", "x", ("user", "assistant")[i % 2]) for i in range(n)],
    "tool rounds": rounds,
    "one id for all": lambda n: [
        m for _ in range(n) for m in (Msg.assistant([call("a")]), Msg("", [result("a")], "tool"))
    ],
    "parallel calls": lambda n: [
        Msg.user("Go."),
        Msg.assistant([call(f"c{i}") for i in range(n)]),
        *(Msg("", [result(f"c{i}")], "tool") for i in reversed(range(n))),
    ],
    "parallel calls without ids": lambda n: [
        Msg.assistant([call("") for _ in range(n)]),
        *(Msg("", [result("")], "tool") for _ in range(n)),
    ],
    "unanswered calls": lambda n: [
        Msg.assistant([call(f"c{i}") for i in range(n)]), Msg.user("And?"),
    ],
    "results in front of their calls": lambda n: [
        *(Msg("", [result("a")], "tool") for _ in range(n)),
        *(Msg.assistant([call("a")]) for _ in range(n)),
        Msg.user("And?"),
    ],
    "refused ids": lambda n: [
        m
        for i in range(n)
        for m in (Msg.assistant([call(f"a b {i}" + "x" * 50)]),
                  Msg("", [result(f"a b {i}" + "x" * 50)], "tool"))
    ],
    "refused tool names": lambda n: [Msg.assistant([call(f"c{i}", f"look at {i}")])
                                     for i in range(n)],
    "refused speakers": lambda n: [Msg(f"Dr. {i}", "x", "user") for i in range(n)],
    "blank blocks": lambda n: [Msg.user([TextBlock("x" * (i % 2)) for i in range(n)])],
    "blank messages": lambda n: [Msg.user("x" * (i % 2)) for i in range(n)],
    "late system messages": lambda n: [
        Msg("", "x", ("user", "assistant", "system")[i % 3]) for i in range(n)
    ],
    "images in results": lambda n: [
        Msg.assistant([call(f"c{i}") for i in range(n)]),
        *(Msg("", [result(f"c{i}", [image()])], "tool") for i in range(n)),
    ],
    "cache hints": lambda n: [Msg.user("x", cache=CacheHint()) for _ in range(n)],
    "mixed seats": lambda n: [
        Msg.assistant([b for i in range(n) for b in (call(f"c{i}"), result(f"c{i}"))])
    ],
}  # fmt: skip


def work(run: Callable[[], object]) -> int:
    """Lines that ran in our package, and comparisons of ids."""
    lines = 0

    def local(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return local

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        return local if "dragoman" in frame.f_code.co_filename else None

    Counted.seen = 0
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return lines + Counted.seen


def ratio(
    make: Callable[[int], list[Msg]], run: Callable[[list[Msg]], object], few: int = SMALL
) -> float:
    small, large = make(few), make(4 * few)
    run(small)  # caches and imports are paid for here
    return work(lambda: run(large)) / work(lambda: run(small))


@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_requests(name: str, history: str) -> None:
    wire = dragoman.wire(name, policy="ignore")

    def run(msgs: list[Msg]) -> None:
        out = wire.write_request(ChatRequest(msgs))
        for loss in out.losses:
            assert loss.where

    assert ratio(HISTORIES[history], run, FEW) < CLOSE


@each_case("history", HISTORIES)
@each_case("speakers", [ByName(), Tagged("Bob")], ids=lambda s: type(s).__name__)
def test_speakers(speakers: Any, history: str) -> None:
    formatter = dragoman.Formatter("anthropic", speakers=speakers, policy="ignore")
    assert ratio(HISTORIES[history], lambda msgs: formatter.write(msgs).losses) < LIMIT


@pytest.mark.parametrize("history", ["texts", "tool rounds", "parallel calls"])
def test_ids_and_storage(history: str) -> None:
    assert ratio(HISTORIES[history], identify) < LIMIT
    assert ratio(HISTORIES[history], lambda msgs: load(dump(msgs))) < LIMIT


def test_deep_results_are_checked_once_a_level() -> None:
    def nested(depth: int) -> Any:
        block: dict[str, Any] = {"type": "text", "text": "x"}
        for _ in range(depth):
            block = {"type": "tool_result", "id": "c", "output": [block]}
        return block

    shallow = work(lambda: Msg("", [nested(5)], "tool"))
    deep = work(lambda: Msg("", [nested(20)], "tool"))
    assert deep / shallow < 16, "quadratic in twenty levels at most, never doubling each"
