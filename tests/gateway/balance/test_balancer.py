"""The order in which targets are asked: in turns, by load, by price, by conversation, by health."""

from __future__ import annotations

from collections import Counter
from threading import Thread
from typing import Any

import pytest

from dragoman.errors import ConfigError, ProviderError
from dragoman.gateway.balance.balancer import Balancer
from dragoman.gateway.balance.conversation import Place
from dragoman.gateway.config.config_values import Balance, Route, Target

BUSY = ProviderError("not now", status=529, type="overloaded_error")
REFUSED = ProviderError("no such key", status=401, type="authentication_error")


class Clock:
    """Seconds as a test wants them."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def balancer(
    balance: Balance = "weight", weights: tuple[float, ...] = (1, 1, 1), clock: Clock | None = None
) -> Balancer:
    names = (
        "anthropic/claude-opus-5-5",
        "bedrock/anthropic.claude-opus-5-5-v1:0",
        "openai/gpt-5.5",
    )
    first, *others = (Target(n, weight=w) for n, w in zip(names, weights, strict=True))
    return Balancer(Route(first, alternatives=tuple(others), balance=balance), clock or Clock())


def place(name: bytes = b"a", *, family: bytes = b"", is_new: bool = False) -> Place:
    return Place(name, family or name, is_new)


def choose(one: Balancer, name: bytes = b"a", **rest: Any) -> list[int]:
    return one.choose("m", lambda: place(name, **rest))


def test_each_target_gets_its_share_of_any_few_requests() -> None:
    one = balancer(weights=(3, 1, 2))
    firsts = [choose(one)[0] for _ in range(60)]
    for at in range(0, 60, 6):
        assert Counter(firsts[at : at + 6]) == {0: 3, 1: 1, 2: 2}


def test_every_target_is_in_the_order_once() -> None:
    for balance in ("weight", "least_busy", "cheapest", "sticky"):
        one = balancer(balance)
        for n in range(20):
            assert sorted(choose(one, bytes([n]))) == [0, 1, 2]


def test_the_least_busy_one_is_first_by_its_weight() -> None:
    one = balancer("least_busy", (4, 1, 1))
    ends = [one.begin(choose(one)[0]) for _ in range(12)]
    assert [health.under_way for health in one.health] == [8, 2, 2]
    for end in ends:
        end()
        end()
    assert [health.under_way for health in one.health] == [0, 0, 0]


def test_the_cheapest_one_is_first_and_one_without_a_price_last() -> None:
    route = Route(
        Target("openai/no-such-model"),
        alternatives=(Target("openai/gpt-5.5"), Target("openai/gpt-5-mini")),
        balance="cheapest",
    )
    one = Balancer(route, Clock())
    assert {tuple(choose(one)) for _ in range(6)} == {(2, 1, 0)}


def test_the_price_is_that_of_the_model_that_the_client_asks_for() -> None:
    first = Target("openai/gpt-5.5")
    one = Balancer(Route(first, alternatives=(Target("openai/*"),), balance="cheapest"), Clock())
    assert one.choose("gpt-5-mini", place)[0] == 1
    assert one.choose("gpt-5.5-pro", place)[0] == 0


def test_a_conversation_stays_and_goes_back_only_if_it_never_moved() -> None:
    clock = Clock()
    one = balancer("sticky", clock=clock)
    first, second, _ = choose(one)
    for _ in range(5):
        assert choose(one)[0] == first
        one.note_place(place(), first)
    one.note_failure(first, BUSY)
    assert choose(one)[0] == second
    one.note_place(place(), second)
    clock.now += 2
    one.begin(first)()
    one.note_answer(first)
    assert choose(one)[0] == second, "its prompt cache is there now"
    others = {bytes([n]): choose(one, bytes([n]))[0] for n in range(50)}
    assert first in others.values(), "other conversations are at home again"


def test_an_answer_of_a_fallback_moves_no_conversation() -> None:
    one = balancer("sticky")
    second = choose(one)[1]
    one.note_place(place(), second)
    one.note_place(place(), 3)
    assert choose(one)[0] == second


def test_new_conversations_of_a_family_spread_by_load_and_stay() -> None:
    one = balancer("sticky", (2, 1, 1))
    ends, homes = [], {}
    for n in range(40):
        name = bytes([n])
        homes[name] = choose(one, name, family=b"claude", is_new=True)[0]
        ends.append(one.begin(homes[name]))
        one.note_place(place(name, family=b"claude", is_new=True), homes[name])
    busy = [health.under_way for health in one.health]
    home = choose(one, b"another", family=b"claude")[0]
    assert busy[home] >= 10
    assert all(count <= 2 + 1.25 * share for count, share in zip(busy, (20, 10, 10), strict=True))
    for end in ends:
        end()
    for name, number in homes.items():
        assert choose(one, name, family=b"claude")[0] == number
    assert choose(one, b"later", family=b"claude", is_new=True)[0] == home


def test_targets_that_rest_are_left_out_until_they_may_be_tried() -> None:
    clock = Clock()
    one = balancer(clock=clock)
    one.note_failure(0, BUSY)
    assert {n for _ in range(9) for n in choose(one)} == {1, 2}
    clock.now += 1.5
    orders = [choose(one) for _ in range(9)]
    assert all(0 in order for order in orders)
    one.begin(0)
    assert 0 not in choose(one), "one request tries it"


def test_if_all_rest_the_one_whose_rest_ends_first_is_asked() -> None:
    clock = Clock()
    one = balancer(clock=clock)
    for number, seconds in ((0, 30.0), (1, 10.0), (2, 20.0)):
        error = ProviderError("x", status=429, type="rate_limit_error", retry_after=seconds)
        one.note_failure(number, error)
    assert choose(one) == [1, 2, 0]


def test_one_that_refuses_the_key_is_not_asked_but_if_all_do() -> None:
    one = balancer()
    one.note_failure(0, REFUSED)
    assert sorted(choose(one)) == [1, 2]
    one.note_failure(1, REFUSED)
    one.note_failure(2, REFUSED)
    assert choose(one) == [0], "the client has to hear why"


@pytest.mark.parametrize("weight", [0, -1, float("inf"), float("nan")])
def test_a_weight_is_above_zero(weight: float) -> None:
    with pytest.raises(ConfigError, match="weight"):
        Target("openai/gpt-5.5", weight=weight)


def test_a_request_may_end_while_another_is_placed() -> None:
    """The collector of garbage ends requests that were dropped, within any step."""
    one = balancer("sticky")
    end = one.begin(0)

    def place_late() -> Place:
        end()
        return place()

    done: list[list[int]] = []
    thread = Thread(target=lambda: done.append(one.choose("m", place_late)), daemon=True)
    thread.start()
    thread.join(30)
    assert [sorted(order) for order in done] == [[0, 1, 2]]
    assert one.health[0].under_way == 0
