"""Time to cut a history to half of its tokens, beside AgentScope, LangChain and LiteLLM.

    make bench BENCHMARKS=benchmarks/truncate.py

Each cuts the same chat with the same counter, one that counts words and one that runs a real
tokenizer (o200k, as LiteLLM's package ships it). Ours goes from messages to the provider's JSON
twice: with a counter that says what each message takes, and with one that only says a sum. What a
peer needs minutes for is measured on shorter histories only. The limits that are
asserted are ratios of one run, and growths; time is that of the processor.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.tokens import SumTokenCounter, TokenCounterBase

litellm_home = find_spec("litellm")
if litellm_home is not None and litellm_home.origin:
    shipped = Path(litellm_home.origin).parent / "litellm_core_utils" / "tokenizers"
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(shipped))
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # no network here

theirs = pytest.importorskip("agentscope.message", reason="needs the extra `bench`")
scope = pytest.importorskip("agentscope.formatter")
scope_token = pytest.importorskip("agentscope.token")
langchain = pytest.importorskip("langchain_core.messages", reason="needs the extra `bench`")
litellm_utils = pytest.importorskip("litellm.utils", reason="needs LiteLLM: see the Makefile")
tiktoken = pytest.importorskip("tiktoken")

SIZES = (400, 1_600, 6_400, 25_600)
COUNTERS = ("words", "tokenizer")
OURS = ("ours", "ours, one sum")
MOST = {"agentscope": 1_600, "litellm": 1_600}  # beyond that they need minutes for one cut
PEERS = ("agentscope", "langchain", "litellm")
TIMES: dict[tuple[str, str, int], float] = {}
GROWTH = 2.3  # each time the history doubles
AGENTSCOPE = 200  # times as fast, at 1,600 messages


def words(text: str) -> int:
    """What the cheapest counter does."""
    return len(text.split())


ENCODING = tiktoken.get_encoding("o200k_base")


def tokens(text: str) -> int:
    """What a real tokenizer says."""
    return len(ENCODING.encode(text, disallowed_special=()))


COUNT: dict[str, Callable[[str], int]] = {"words": words, "tokenizer": tokens}


def chat(size: int) -> list[tuple[str, str]]:
    """(role, text) of a system prompt and a chat whose turns differ in length."""
    said = [("system", "You are Friday.")]
    for i in range(size - 1):
        more = "past the salt wells " * (i * 7 % 13)
        text = f"Message {i}: where does the road to Samarkand begin? {more}"
        said.append((("user", "assistant")[i % 2], text))
    return said


class Each(SumTokenCounter):
    """A counter of ours that says what each message takes."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self.text = count

    def count_message(self, message: dict[str, Any]) -> int:
        """The tokens of one message."""
        return self.text(message["content"])


class OneSum(TokenCounterBase):
    """A counter of ours that says no more than a sum."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self.text = count

    async def count(self, messages: list[dict[str, Any]], *args: Any, **kwargs: Any) -> int:
        """The tokens of all messages."""
        return self.count_sync(messages)

    def count_sync(self, messages: list[dict[str, Any]], *args: Any, **kwargs: Any) -> int:
        """The same."""
        return sum(self.text(message["content"]) for message in messages)


class Theirs(scope_token.TokenCounterBase):
    """The same for AgentScope, whose formatter writes lists of text parts."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self.text = count

    async def count(self, messages: list[dict[str, Any]], **kwargs: Any) -> int:
        """The tokens of all messages."""
        return sum(self.text(part["text"]) for m in messages for part in m["content"])


def ours(counter: TokenCounterBase, said: list[tuple[str, str]], limit: int) -> Callable[[], Any]:
    """From our messages to the provider's; a new formatter each time, which remembers nothing."""
    msgs = [Msg("", text, role) for role, text in said]

    def cut() -> Any:
        formatter = dragoman.Formatter(
            "openai-chat", token_counter=counter, max_tokens=limit, policy="ignore"
        )
        return formatter.format_sync(msgs)

    return cut


def agentscope(
    count: Callable[[str], int], said: list[tuple[str, str]], limit: int
) -> Callable[[], Any]:
    """AgentScope's formatter, whose coroutine never suspends here."""
    msgs = [theirs.Msg(role, text, role) for role, text in said]
    formatter = scope.OpenAIChatFormatter(token_counter=Theirs(count), max_tokens=limit)

    def cut() -> Any:
        work = formatter.format(msgs)
        try:
            while True:
                work.send(None)
        except StopIteration as done:
            return done.value

    return cut


def langchain_cut(
    count: Callable[[str], int], said: list[tuple[str, str]], limit: int
) -> Callable[[], Any]:
    """LangChain's trim_messages, from its messages to its messages."""
    kinds = {"system": "SystemMessage", "user": "HumanMessage", "assistant": "AIMessage"}
    msgs = [getattr(langchain, kinds[role])(text) for role, text in said]

    def counted(messages: list[Any]) -> int:
        return sum(count(message.content) for message in messages)

    return lambda: langchain.trim_messages(
        msgs, max_tokens=limit, token_counter=counted, strategy="last", include_system=True
    )


def litellm_cut(
    count: Callable[[str], int], said: list[tuple[str, str]], limit: int
) -> Callable[[], Any]:
    """LiteLLM's trim_messages, dicts to dicts, with our counter in the place of its own."""
    messages = [{"role": role, "content": text} for role, text in said]

    def counted(messages: list[dict[str, Any]], **_: Any) -> int:
        return sum(count(message["content"]) for message in messages)

    def cut() -> Any:
        own, litellm_utils.token_counter = litellm_utils.token_counter, counted
        try:
            return litellm_utils.trim_messages(messages, max_tokens=limit)
        finally:
            litellm_utils.token_counter = own

    return cut


def subject(who: str, counter: str, size: int) -> tuple[Callable[[], Any], int]:
    """What is timed, and the limit that it cuts to."""
    count, said = COUNT[counter], chat(size)
    limit = sum(count(text) for _, text in said) // 2
    if who in OURS:
        made = Each(count) if who == "ours" else OneSum(count)
        return ours(made, said, limit), limit
    make = {"agentscope": agentscope, "langchain": langchain_cut, "litellm": litellm_cut}[who]
    return make(count, said, limit), limit


def seconds(who: str, counter: str, size: int) -> float:
    """The least of some runs; what comes out must fit and be about half of the messages."""
    cut, limit = subject(who, counter, size)
    gc.collect()
    gc.disable()  # as timeit does: a full collection says nothing of who happens to meet it
    try:
        best, spent, runs = float("inf"), 0.0, 0
        while runs < 3 or (spent < 1 and runs < 15):
            if runs and spent > 5:
                break
            start = process_time()
            out = cut()
            best = min(best, process_time() - start)
            spent, runs = spent + process_time() - start, runs + 1
    finally:
        gc.enable()
    assert abs(len(out) - size / 2) < size / 50 + 5
    if who in OURS:
        assert sum(COUNT[counter](m["content"]) for m in out) <= limit
    return best


def seconds_of_one_count(counter: str, size: int) -> float:
    """The least that any cut takes: each message is counted once."""
    count, said, best = COUNT[counter], chat(size), float("inf")
    for _ in range(5):
        start = process_time()
        sum(count(text) for _, text in said)
        best = min(best, process_time() - start)
    return best


@pytest.mark.parametrize("who", [*OURS, *PEERS])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("counter", COUNTERS)
def test_cut(counter: str, size: int, who: str) -> None:
    """Time one way to cut one history."""
    if size > MOST.get(who, size):
        pytest.skip(f"{who} needs minutes for it")
    TIMES[who, counter, size] = seconds(who, counter, size)
    if who in OURS:
        TIMES["one count", counter, size] = seconds_of_one_count(counter, size)


@pytest.mark.parametrize("who", OURS)
@pytest.mark.parametrize("counter", COUNTERS)
def test_growth(counter: str, who: str) -> None:
    """Twice the history, at most 2.3 times the time, over the whole range."""
    doublings = (SIZES[-1] // SIZES[0]).bit_length() - 1
    grown = TIMES[who, counter, SIZES[-1]] / TIMES[who, counter, SIZES[0]]
    assert grown ** (1 / doublings) < GROWTH


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("counter", COUNTERS)
def test_faster_than_every_peer(counter: str, size: int) -> None:
    """At each size, and 200 times as fast as AgentScope at 1,600 messages."""
    mine = TIMES["ours", counter, size]
    for peer in PEERS:
        if (their := TIMES.get((peer, counter, size))) is not None:
            least = AGENTSCOPE if (peer, size) == ("agentscope", 1_600) else 1
            assert their / mine > least, peer


@pytest.fixture(scope="module", autouse=True)
def table(tables: Any) -> Iterator[None]:
    """Milliseconds, growth, and how many times as long each peer takes."""
    yield
    rows = []
    for counter in COUNTERS:
        for who in (*OURS, *PEERS):
            times = [TIMES.get((who, counter, n)) for n in SIZES]
            known = [(n, t) for n, t in zip(SIZES, times, strict=True) if t is not None]
            if not known:
                continue
            (small, least), (large, most) = known[0], known[-1]
            grown = (
                (most / least) ** (1 / ((large // small).bit_length() - 1)) if large > small else 0
            )
            share = " ".join(
                f"{t / mine:.1f}" for n, t in known if (mine := TIMES.get(("ours", counter, n)))
            )
            cells = [f"{t * 1000:.1f} ms" if t is not None else "" for t in times]
            counts = " ".join(
                f"{t / one:.1f}" for n, t in known if (one := TIMES.get(("one count", counter, n)))
            )
            rows.append((counter, who, *cells, f"{grown:.2f}", share, counts))
    head = ("counter", "who", *(f"{n:,}" for n in SIZES), "growth per doubling", "of ours",
            "of one count")  # fmt: skip
    tables.add("Cutting a history to half its tokens (`benchmarks/truncate.py`)", head, rows)
