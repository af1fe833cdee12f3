"""Time of an agent's loop with a session, and of one round in a long history.

    make bench BENCHMARKS=benchmarks/session.py

A round appends a call and its result and formats again. `loop` is 500 and 1,000 rounds, whose
messages exist before the clock starts, by a session that looks into each and by a sealed one;
`round` formats 1,002 messages of which 1,000 were formatted before, beside formatting all of them.
Both in one run, in seconds of this process. Reads no clock in an assertion: the table at the end is
the result.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import pytest

import dragoman.formatter
from dragoman.history.truncate import DropOldest
from dragoman.message import Msg
from dragoman.tokens import CharTokenCounter

FORMATTERS = [
    *(f"{vendor}{kind}Formatter"
      for vendor in ("OpenAI", "Anthropic", "Gemini", "DashScope", "Ollama", "DeepSeek")
      for kind in ("Chat", "MultiAgent")),
    "openai-responses", "bedrock-converse", "mistral",
]  # fmt: skip
ROUNDS = (500, 1_000)
LENGTH = 1_000
BEST_OF = 5
BUDGET = 20_000  # tokens, with cuts at every 256 messages
LOOPS: dict[tuple[str, int], float] = {}
ONES: dict[str, tuple[float, float]] = {}


def rounds(count: int) -> list[Msg]:
    """A question, and so many calls with their results."""
    out = [Msg("system", "You are Friday.", "system"), Msg("Tony", "Go on.", "user")]
    for i in range(count):
        call = {"type": "tool_use", "id": f"call_{i}", "name": "get_weather",
                "input": {"city": "Samarkand", "days": 3}}  # fmt: skip
        answer = {"type": "text", "text": f"Day {i}: clear, 21 degrees"}
        result = {"type": "tool_result", "id": f"call_{i}", "name": "get_weather",
                  "output": [answer]}  # fmt: skip
        out += [Msg("Friday", [call], "assistant"), Msg("system", [result], "system")]
    return out


def formatter(name: str, **rest: Any) -> Any:
    """A formatter by name, or by its wire."""
    if not name.endswith("Formatter"):
        return dragoman.Formatter(name, policy="ignore", **rest)
    return getattr(dragoman.formatter, name)(policy="ignore", **rest)


def timed(work: Callable[[], Any]) -> float:
    """Seconds of this process, the best of a few."""
    best = float("inf")
    for _ in range(BEST_OF):
        gc.collect()
        gc.disable()
        try:
            start = process_time()
            work()
            best = min(best, process_time() - start)
        finally:
            gc.enable()
    return best


def loop(made: Any, msgs: list[Msg], sealed: bool = False) -> Any:
    """Format after each round."""
    session, now = made.session(sealed=sealed), msgs[:2]
    written = session.write(now)
    for i in range(2, len(msgs), 2):
        now += msgs[i : i + 2]
        written = session.write(now)
    return written


@pytest.mark.parametrize("count", ROUNDS)
@pytest.mark.parametrize("name", FORMATTERS)
def test_loop(name: str, count: int) -> None:
    """Time a loop without a budget; what it ends in is what the formatter writes."""
    made, msgs = formatter(name), rounds(count)
    assert loop(made, msgs).messages == made.write(msgs).messages
    LOOPS[name, count] = timed(lambda: loop(made, msgs))
    LOOPS[f"{name}, sealed", count] = timed(lambda: loop(made, msgs, sealed=True))


@pytest.mark.parametrize("count", ROUNDS)
def test_loop_with_a_budget(count: int) -> None:
    """Time a loop that is cut in steps."""
    made = formatter(
        "OpenAIChatFormatter", token_counter=CharTokenCounter(), max_tokens=BUDGET,
        truncate=DropOldest(step=256),
    )  # fmt: skip
    msgs = rounds(count)
    assert loop(made, msgs).messages == made.write(msgs).messages
    LOOPS["OpenAIChatFormatter, with a budget", count] = timed(lambda: loop(made, msgs))


@pytest.mark.parametrize("name", FORMATTERS)
def test_round(name: str) -> None:
    """Time one round more in a long history, and the whole of it."""
    made, msgs = formatter(name), rounds(LENGTH // 2)
    assert made.write(msgs).messages == made.session().format_sync(msgs)
    best = float("inf")
    for _ in range(4 * BEST_OF):
        session = made.session()
        session.write(msgs[:-2])
        now = [*msgs]
        gc.disable()
        start = process_time()
        session.write(now)
        best = min(best, process_time() - start)
        gc.enable()
    ONES[name] = best, timed(lambda: made.write(msgs))


@pytest.fixture(scope="module", autouse=True)
def table(tables: Any) -> Iterator[None]:
    """Times and ratios once everything was timed."""
    yield
    few, many = ROUNDS
    rows = []
    for name in dict.fromkeys(name for name, _ in LOOPS):
        short, long = (LOOPS.get((name, count)) for count in ROUNDS)
        if short and long:
            times = f"{short * 1e3:.1f}", f"{long * 1e3:.1f}"
            rows.append((name, *times, f"{long / short:.2f}"))
    head = ("formatter", f"{few} rounds, ms", f"{many:,} rounds, ms", "growth")
    tables.add("A session, round by round (`benchmarks/session.py`)", head, rows)
    head = ("formatter", f"a round behind {LENGTH:,} messages, us", "the whole, us", "cheaper")
    rows = [(name, f"{one * 1e6:.0f}", f"{whole * 1e6:.0f}", f"{whole / one:.1f}")
            for name, (one, whole) in ONES.items()]  # fmt: skip
    tables.add("One more round of a session", head, rows)
