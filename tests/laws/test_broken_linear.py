"""Law 6 over what is broken: repair, ids, names and order do their share for each message, no more.

No clock: lines of ours and comparisons of ids are counted, and the bytes that were held at most,
for a history and for one four times as long. What is quadratic makes the ratio sixteen.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle, pairwise
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.errors import DragomanError
from dragoman.message import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

from .histories import PDF, PNG
from .test_linear import CLOSE, LIMIT, Counted, work

SMALL = 40
FEW = 20  # and a limit so close that it sees more of them than `LIMIT` of twice as many
LIMITS = {"ids that look the same": 4.6}  # some numbers are taken, the more the longer it is
WIRES = {name: dragoman.wire(name, policy="ignore") for name in PROTOCOLS}
Make = Callable[[int], list[Msg]]


def said(*blocks: Any) -> Msg:
    return Msg("", list(blocks), "assistant", origin=Origin("openai-chat"))


def call(id: str, name: str = "look") -> ToolUseBlock:
    return ToolUseBlock(Counted(id), Counted(name), {"at": 1})


def result(id: str, output: Any = "seen", name: str = "look") -> ToolResultBlock:
    return ToolResultBlock(Counted(id), name, output)


def seen(*ids: str) -> Msg:
    return Msg("", [result(id) for id in ids], "tool")


def paper(name: str) -> DocumentBlock:
    return DocumentBlock(Base64Source("application/pdf", PDF), title=name)


GO = Msg.user("Go.")
SPELT = ("a b {}", "a.b {}", "a/b {}", "a?b {}")  # four names that look the same afterwards
BROKEN: dict[str, Make] = {
    "results far behind their calls": lambda n: [
        *(said(call(f"c{i}")) for i in range(n)), GO, *(seen(f"c{i}") for i in range(n)),
    ],
    "results far behind, the other way round": lambda n: [
        *(said(call(f"c{i}")) for i in range(n)), GO, *(seen(f"c{i}") for i in reversed(range(n))),
    ],
    "rounds within rounds": lambda n: [
        m for i in range(n)
        for m in (said(call(f"a{i}")), said(call(f"b{i}")), seen(f"b{i}"), seen(f"a{i}"))
    ],
    "words between every call and its result": lambda n: [
        m for i in range(n) for m in (said(call(f"c{i}")), Msg.user("Wait."), seen(f"c{i}"))
    ],
    "orphans alone": lambda n: [GO, *(seen(f"c{i}") for i in range(n))],
    "orphans of one id": lambda n: [said(call("a")), *(seen("a") for _ in range(n)), GO],
    "one id, called and answered in heaps": lambda n: [
        *(said(call("a"), call("a")) for _ in range(n)), *(seen("a") for _ in range(n)), GO,
    ],
    "numbers that are taken": lambda n: [
        *(m for i in range(n) for m in (said(call(f"a_{i}")), seen(f"a_{i}"))),
        *(m for _ in range(n) for m in (said(call("a")), seen("a"))),
    ],
    "ids that look the same": lambda n: [
        m for i in range(n) for shape in SPELT
        for m in (said(call(shape.format(i % 7))), seen(shape.format(i % 7)))
    ],
    "names that look the same": lambda n: [
        m for i in range(n) for shape in SPELT
        for m in (said(call(f"c{i}{shape[1]}", shape.format(i))), seen(f"c{i}{shape[1]}"))
    ],
    "everything in one message": lambda n: [
        GO, said(*(b for i in range(n) for b in (call(f"c{i}"), result(f"c{i}"), TextBlock("x")))),
    ],
    "all results in one message, the other way round": lambda n: [
        GO, said(*(call(f"c{i}") for i in range(n))), seen(*(f"c{i}" for i in reversed(range(n)))),
    ],
    "assistants in a row": lambda n: [GO, *(said(TextBlock("x"), call(f"c{i}")) for i in range(n))],
    "thinking alone": lambda n: [
        GO, *(said(ThinkingBlock("Hm.", signature="c2ln")) for _ in range(n)), Msg.user("And?"),
    ],
    "systems everywhere": lambda n: [Msg("", "x", ("system", "assistant")[i % 2])
                                     for i in range(n)],
    "nothing but blanks": lambda n: [Msg("", " ", ("user", "assistant")[i % 2]) for i in range(n)],
    "papers of one name": lambda n: [Msg.user([paper("a"), TextBlock("x")]) for _ in range(n)],
    "papers whose numbers are taken": lambda n: [
        *(Msg.user([paper(f"a {i}"), TextBlock("x")]) for i in range(n)),
        *(Msg.user([paper("a"), TextBlock("x")]) for _ in range(n)),
    ],
    "pictures in results nobody asked for": lambda n: [
        GO, *(Msg("", [result(f"c{i}", [ImageBlock(Base64Source("image/png", PNG))])], "tool")
              for i in range(n)),
    ],
}  # fmt: skip

# where much is held, and where reading has something to find again
HELD = ("one id, called and answered in heaps", "numbers that are taken",
        "everything in one message")  # fmt: skip
READ = ("words between every call and its result", "numbers that are taken",
        "names that look the same", "all results in one message, the other way round",
        "pictures in results nobody asked for", "systems everywhere")  # fmt: skip


def written(wire: dragoman.Wire, msgs: list[Msg]) -> None:
    with suppress(DragomanError):
        for loss in wire.write_request(ChatRequest(msgs)).losses:
            assert loss.where


def peak(run: Callable[[], object]) -> int:
    """Bytes that are held at most while it runs."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("history", BROKEN)
@pytest.mark.parametrize("name", PROTOCOLS)
def test_requests(name: str, history: str) -> None:
    wire = WIRES[name]
    few, many = BROKEN[history](FEW), BROKEN[history](4 * FEW)
    written(wire, few)  # caches and imports are paid for here
    less, more = work(lambda: written(wire, few)), work(lambda: written(wire, many))
    assert more < LIMITS.get(history, CLOSE) * less


@pytest.mark.parametrize(("name", "history"), [*zip(PROTOCOLS, cycle(HELD), strict=False)])
def test_memory(name: str, history: str) -> None:
    wire = WIRES[name]
    few, many = BROKEN[history](4 * SMALL), BROKEN[history](16 * SMALL)
    written(wire, few)
    less, more = peak(lambda: written(wire, few)), peak(lambda: written(wire, many))
    assert more < 1.25 * LIMIT * less  # a table that is just full has doubled


def arguments(raw: str) -> list[Msg]:
    return [GO, said(ToolUseBlock("a", "look", raw_input=raw)), seen("a"), GO]


LONG: dict[str, Make] = {
    "text": lambda n: [Msg.user("x " * n)],
    "white space": lambda n: [Msg.user(" " * n + "x"), said(TextBlock("x" + " " * n))],
    "a result": lambda n: [GO, said(call("a")), Msg("", [result("a", "x" * n)], "tool"), GO],
    "arguments": lambda n: arguments(json.dumps({"at": "x" * n})),
    "arguments that broke off": lambda n: arguments('{"at": "' + "x" * n),
    "arguments in pieces": lambda n: arguments(json.dumps({"at": ["x"] * n})),
    "an id and a name": lambda n: [
        GO, said(ToolUseBlock("a b" * n, "查 " * n)), Msg.tool("a b" * n, "seen", "查 " * n), GO,
    ],
    "a speaker": lambda n: [Msg("Dr. " * n, "Hi.", "user")],
    "halves of surrogates": lambda n: [Msg.user("\ud800" * n)],
}  # fmt: skip


@each_case("history", LONG)
@each_case("name", PROTOCOLS)
def test_long_texts(name: str, history: str) -> None:
    """Bytes that are held beside the history: so many for each character, however long it is."""
    wire, few, many = WIRES[name], LONG[history](10_000), LONG[history](40_000)
    written(wire, few)
    less, more = peak(lambda: written(wire, few)), peak(lambda: written(wire, many))
    assert more < 1.25 * LIMIT * less
    assert work(lambda: written(wire, many)) < LIMIT * work(lambda: written(wire, few))


@pytest.mark.parametrize("history", READ)
@pytest.mark.parametrize(("source", "target"), list(pairwise([*PROTOCOLS, "openai-chat"])))
def test_conversions(source: str, target: str, history: str) -> None:
    """What was written of it, read again and said on another wire."""

    def body(n: int) -> Any:
        try:
            return WIRES[source].write_request(ChatRequest(BROKEN[history](n))).body
        except DragomanError:
            return None

    few, many = body(FEW), body(4 * FEW)
    if few is None:
        return

    def converted(body: Any) -> None:
        with suppress(DragomanError):
            out = dragoman.convert(body, source, target, model="m", policy="ignore")
            assert all(loss.where for loss in out.losses)

    converted(few)
    assert work(lambda: converted(many)) < CLOSE * work(lambda: converted(few))


@each_case("name", PROTOCOLS)
@each_case("form", ["n{}", *SPELT, "x" * 70 + "{}", "查{}"])
def test_tools(name: str, form: str) -> None:
    """Names that are mapped, or shortened, or made apart."""

    def offered(n: int) -> ChatRequest:
        tools = [Tool(Counted(form.format(i)), "find it") for i in range(n)]
        return ChatRequest([GO], tools=tools)

    wire, few, many = WIRES[name], offered(SMALL), offered(4 * SMALL)
    wire.write_request(few)
    less, more = work(lambda: wire.write_request(few)), work(lambda: wire.write_request(many))
    assert more < LIMIT * less


def test_what_is_quadratic_is_seen() -> None:
    def square(n: int) -> None:
        ids = [Counted(str(i)) for i in range(n)]
        assert [ids.index(id) for id in ids] == list(range(n))

    assert work(lambda: square(4 * SMALL)) > LIMIT * work(lambda: square(SMALL))
    assert peak(lambda: [[0] * 400 for _ in range(400)]) > LIMIT * peak(
        lambda: [[0] * 100 for _ in range(100)]
    )
