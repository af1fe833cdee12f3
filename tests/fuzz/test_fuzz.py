"""Whatever is wrong with an answer, reading it ends in an answer or in an error of ours.

5,000 mutated answers and streams; `make fuzz SEED=...` makes 200,000, and of recorded ones, too.
"""

from __future__ import annotations

import signal
from itertools import islice
from random import Random
from typing import Any

import pytest

import dragoman
from tests.fuzz.feeding import Case, TooSlow, cases, run, watched
from tests.fuzz.mutate import mutated
from tests.fuzz.seeds import ANSWERS, seeds
from tests.laws.streams import STREAMS

COUNT = 5000
SEED = 13


@pytest.mark.parametrize("wire", STREAMS)
def test_whatever_comes_in_an_answer_or_our_error_comes_out(wire: str) -> None:
    streams, answers = seeds(0, SEED)
    kinds = set()
    for case in islice(cases(SEED, [wire], streams, answers), COUNT // len(STREAMS)):
        try:
            kinds.add(run(case).kind)
        except Exception as error:  # noqa: BLE001 - any error that is not ours is the fault looked for
            pytest.fail(f"{error!r} of {case}")
    assert {"complete", "interrupted", "error", "ReadError", "ProviderError"} & kinds >= {
        "complete"
    }
    assert len(kinds) > 3, "mutations reach more than one end"


@pytest.mark.parametrize("wire", ANSWERS)
def test_what_is_mutated_is_right_before(wire: str) -> None:
    for body in ANSWERS[wire]:
        assert dragoman.wire(wire).read_response(body).status == "complete"


def test_a_seed_gives_the_same_cases() -> None:
    def first(seed: int) -> list[str]:
        return [str(case) for case in islice(cases(seed, ["openai-chat"], *seeds(0, seed)), 20)]

    assert first(1) == first(1) != first(2)


def test_mutations_change_something_and_leave_the_original() -> None:
    body = ANSWERS["openai-chat"][0]
    before = str(body)
    changed = sum(mutated(body, Random(n), [body]) != body for n in range(100))
    assert changed > 80
    assert str(body) == before


@pytest.mark.parametrize("wire", STREAMS)
def test_parsed_json_that_is_nested_too_deeply(wire: str) -> None:
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    for payload in ({"x": deep}, {"error": {"message": deep}}, {"choices": deep}, deep):
        assert run(Case(wire, "events", [(None, payload)])).kind == "ReadError"


def test_a_wrong_error_is_seen() -> None:
    with pytest.raises(TypeError):
        run(Case("openai-chat", "events", [5]))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX")
def test_a_slow_case_is_seen() -> None:
    def spin() -> None:
        while True:
            pass

    with pytest.raises(TooSlow), watched(0.01):
        spin()
