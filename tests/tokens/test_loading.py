"""What a counter loads, it loads once: for all its threads, and anew for a copy."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

from dragoman.tokens.loading import Loading

LOADED: list[str] = []


class Reads(Loading):
    """Loads a word."""

    def __init__(self, word: str) -> None:
        self.word = word
        self._forget()

    def _load(self) -> list[str]:
        LOADED.append(self.word)
        return [self.word]


def test_many_threads_load_once() -> None:
    one = Reads("threads")
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: one._once(), range(64)))
    assert LOADED.count("threads") == 1
    assert all(each is made[0] for each in made)


def test_a_copy_loads_its_own() -> None:
    one = Reads("copy")
    first = one._once()
    other = pickle.loads(pickle.dumps(one))  # our own bytes
    assert LOADED.count("copy") == 1
    assert other._once() == first
    assert other._once() is not first
