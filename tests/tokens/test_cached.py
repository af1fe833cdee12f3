"""A counter that remembers: the wrapped counter's figures, each message counted once."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ConfigError
from dragoman.tokens import CachedTokenCounter, CharTokenCounter, SumTokenCounter, TokenCounterBase
from dragoman.tokens.cached import FigureCache, with_cache

from .conversations import ANTHROPIC, DOCUMENT, GEMINI, OLLAMA, OPENAI, TOOLS

Messages = list[dict[str, Any]]


class Words(SumTokenCounter):
    """Words, and the messages that were counted."""

    def __init__(self) -> None:
        self.counted: list[str] = []
        self.threads: set[int] = set()

    def count_message(self, message: dict[str, Any]) -> int:
        self.counted.append(str(message["content"]))
        self.threads.add(threading.get_ident())
        return len(str(message["content"]).split())

    def overhead(self, tools: Messages | None = None) -> int:
        return 3 + 10 * len(tools or ())


class Whole(TokenCounterBase):
    """No sum: neighbours share a token. Counts only whole lists."""

    def __init__(self) -> None:
        self.asked = 0

    async def count(self, messages: Messages, tools: Messages | None = None, **more: Any) -> int:
        self.asked += 1
        words = " ".join(map(str, messages)).split()
        extra: int = more.get("extra", 0)
        return len(words) - len(messages) // 2 + 5 * len(tools or ()) + extra


class Both(Whole):
    def count_sync(self, messages: Messages, tools: Messages | None = None, **more: Any) -> int:
        return asyncio.run(self.count(messages, tools, **more))


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_each_message_is_counted_once() -> None:
    counter = CachedTokenCounter(words := Words())
    history = [user("a b"), user("c")]
    assert counter.count_sync(history) == 6
    history.append(user("d e f"))
    assert counter.count_sync(history) == 9
    assert counter.count_sync(copy.deepcopy(history)) == 9
    assert words.counted == ["a b", "c", "d e f"]


def test_a_message_changed_in_place_is_a_new_one() -> None:
    counter = CachedTokenCounter(Words())
    message = user("a b")
    assert counter.count_each_sync([message]) == [2]
    message["content"] = "a b c"
    assert counter.count_each_sync([message]) == [3]


def test_tools_are_counted_once_too() -> None:
    counter = CachedTokenCounter(CharTokenCounter())
    assert counter.count_sync(DOCUMENT, TOOLS) == CharTokenCounter().count_sync(DOCUMENT, TOOLS)
    assert counter.overhead(TOOLS) == CharTokenCounter().overhead(TOOLS)
    assert counter.overhead() == -1
    assert counter.count_sync([]) == 0


pool = [*DOCUMENT, *OPENAI, *ANTHROPIC, *GEMINI, *OLLAMA]
lists = st.lists(st.sampled_from(pool), max_size=8)


@given(st.lists(st.tuples(lists, st.sampled_from((None, [], TOOLS))), max_size=6))
def test_the_figures_are_those_of_the_counter(
    asked: list[tuple[Messages, Messages | None]],
) -> None:
    plain = CharTokenCounter()
    counter = CachedTokenCounter(plain, size=3)  # so small that it forgets all the time
    for messages, tools in asked:
        before = copy.deepcopy((messages, tools))
        assert counter.count_sync(messages, tools) == plain.count_sync(messages, tools)
        assert asyncio.run(counter.count(messages, tools)) == plain.count_sync(messages, tools)
        each = counter.count_each_sync(messages)
        assert each == [plain.count_message(message) for message in messages]
        assert max(0, counter.overhead(tools) + sum(each)) == counter.estimate(messages, tools)
        assert (messages, tools) == before


def test_a_counter_of_whole_lists_is_asked_for_each_new_list() -> None:
    counter = CachedTokenCounter(whole := Whole())
    history = [user("a b"), user("c d")]

    async def twice() -> list[int]:
        return [await counter.count(history), await counter.count(copy.deepcopy(history))]

    assert not counter.decomposes
    plain = asyncio.run(Whole().count(history))
    assert asyncio.run(twice()) == [plain, plain]
    assert whole.asked == 1
    assert asyncio.run(counter.count(history, TOOLS)) == plain + 5
    assert whole.asked == 2


@given(lists, lists)
def test_estimates_follow_the_last_exact_count(first: Messages, second: Messages) -> None:
    counter = CachedTokenCounter(Both())
    exact = counter.count_sync(first)
    if exact and first:
        assert abs(counter.estimate(first) - exact) <= len(first) + 1  # each part is rounded
    each = counter.count_each_sync(second)
    assert len(each) == len(second)
    assert all(part >= 0 for part in each)


def test_estimates_are_in_proportion_to_the_last_exact_count() -> None:
    class Letters(Both):
        async def count(self, messages: Messages, tools: Messages | None = None, **_: Any) -> int:
            return 1000 * len(messages) + 500 * len(tools or ())

    counter = CachedTokenCounter(Letters())
    before = counter.overhead(TOOLS)
    said = [user("the same words")] * 4
    assert counter.count_sync(said) == 4000
    assert counter.count_each_sync(said) == [1000] * 4
    assert counter.overhead(TOOLS) > 50 * before
    assert counter.count_sync(said, TOOLS) == 4500
    assert abs(counter.estimate(said, TOOLS) - 4500) <= 5


def test_a_memory_of_one_is_one() -> None:
    counter = CachedTokenCounter(Words(), size=1)
    assert [counter.count_sync([user(text)]) for text in ("a", "b c", "a")] == [4, 5, 4]


def test_estimates_need_no_answer_of_the_counter() -> None:
    counter = CachedTokenCounter(whole := Whole())
    assert asyncio.run(counter.count_each(OPENAI)) == counter.count_each_sync(OPENAI)
    assert counter.overhead(TOOLS) > 20
    assert counter.estimate(OPENAI, TOOLS) > counter.estimate(OPENAI)
    assert whole.asked == 0


def test_keywords_go_to_the_counter_and_nothing_is_kept() -> None:
    counter = CachedTokenCounter(both := Both())
    plain = counter.count_sync([user("a")])
    assert counter.count_sync([user("a")], None, extra=7) == plain + 7
    assert counter.count_sync([user("a")], None, extra=9) == plain + 9
    assert asyncio.run(counter.count([user("a")], None, extra=1)) == plain + 1
    assert both.asked == 4


def test_new_messages_are_counted_off_the_loop_and_known_ones_on_it() -> None:
    counter = CachedTokenCounter(words := Words())

    async def main() -> int:
        assert await counter.count([user("a b")], TOOLS) == 2 + 3 + 10
        assert await counter.count_each([user("a b")]) == [2]
        assert await counter.count_each([user("a b"), user("c")]) == [2, 1]
        return threading.get_ident()

    assert asyncio.run(main()) not in words.threads
    assert words.counted == ["a b", "c"]


def test_it_says_whether_it_counts_without_a_loop() -> None:
    assert CachedTokenCounter(Words()).counts_sync
    assert CachedTokenCounter(Both()).counts_sync
    counter = CachedTokenCounter(Whole())
    assert not counter.counts_sync
    with pytest.raises(ConfigError, match="Whole counts only asynchronously"):
        counter.count_sync([user("a")])


class Duck:
    """A counter that inherits nothing and takes no tools."""

    async def count(self, messages: Messages) -> int:
        return len(messages)

    def count_sync(self, messages: Messages) -> int:
        return len(messages)


def test_a_counter_that_inherits_nothing() -> None:
    counter = CachedTokenCounter(Duck())
    assert not counter.decomposes
    assert counter.counts_sync
    assert counter.count_sync(DOCUMENT) == asyncio.run(counter.count(DOCUMENT)) == len(DOCUMENT)


class Tally:
    """One that inherits nothing, says that it is a sum and has no overhead."""

    decomposes = True

    def count_message(self, message: dict[str, Any]) -> int:
        return len(message)

    async def count(self, messages: Messages) -> int:
        return sum(map(self.count_message, messages))


def test_a_sum_that_inherits_nothing() -> None:
    counter = CachedTokenCounter(Tally())
    assert counter.decomposes
    assert counter.counts_sync
    assert counter.overhead(TOOLS) == 0
    assert counter.count_sync(OPENAI) == asyncio.run(Tally().count(OPENAI))


def test_a_memory_of_a_memory_is_a_sum_too() -> None:
    counter = CachedTokenCounter(CachedTokenCounter(CharTokenCounter()))
    assert counter.decomposes
    assert counter.count_message(OPENAI[0]) == CharTokenCounter().count_message(OPENAI[0])
    assert counter.count_sync(OPENAI, TOOLS) == CharTokenCounter().count_sync(OPENAI, TOOLS)
    assert not CachedTokenCounter(CachedTokenCounter(Whole())).decomposes


def test_it_wraps_once() -> None:
    counter = with_cache(Words())
    assert with_cache(counter) is counter
    assert counter.size == 65_536
    with pytest.raises(ConfigError, match="object is no token counter"):
        with_cache(object())
    with pytest.raises(ConfigError, match="at least 1"):
        CachedTokenCounter(Words(), size=0)


def test_a_copy_by_pickle_remembers_nothing_and_counts_the_same() -> None:
    counter = CachedTokenCounter(CharTokenCounter(), size=9)
    figure = counter.count_sync(DOCUMENT)
    copied = pickle.loads(pickle.dumps(counter))
    assert copied.size == 9
    assert copied.count_sync(DOCUMENT) == figure


def test_threads_may_share_it() -> None:
    counter = CachedTokenCounter(CharTokenCounter(), size=2)
    figure = CharTokenCounter().count_sync(pool)
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(counter.count_sync, [pool] * 40)) == {figure}


def test_memory_is_bounded() -> None:
    kept = FigureCache(10)
    for i in range(1000):
        kept.put(i, i)
        assert kept.get(i) == i
        assert kept.get(0) == 0  # asked for all the time, so never forgotten
    assert sum(kept.get(i) is not None for i in range(1000)) <= 20


def test_work_for_an_appended_message_is_that_message() -> None:
    counter = CachedTokenCounter(words := Words())
    history: Messages = []
    for i in range(300):
        history += [user(f"question {i}"), {"role": "assistant", "content": f"answer {i}"}]
        counter.count_sync(history)
    assert len(words.counted) == 600
