"""Balancer: the order in which a route's targets are asked, for one request after the other."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import RLock
from time import monotonic

from ...errors import ConfigError, ProviderError
from ...message import Usage
from ...model.pricing import Unpriced, compute_cost
from ..config.config_values import Route, Target
from .conversation import Place, rank
from .target_health import TargetHealth

_MOVED = 10_000  # conversations that are not where they belong, and stay where they went
_OVER = 1.25  # how much more than its share a target may have to do before others are asked
_PRICED = Usage(input=750_000, output=250_000)  # agents send more than they get
_KNOWN_PRICES = 512  # models that clients ask for


class Balancer:
    """Chooses among the targets of one route, in one process; safe for threads.

    Args:
        route: The route.
        clock: Seconds that only grow.

    Attributes:
        health: How each target fares, by its number in the route.
    """

    def __init__(self, route: Route, clock: Callable[[], float] = monotonic) -> None:
        self._route = route
        self._targets: Sequence[Target] = (route.target, *route.alternatives)
        self._lock = RLock()  # a collector of garbage may end a request within a step
        self._shares = [0.0] * len(self._targets)  # what each is owed, by weight
        self._moved: OrderedDict[bytes, int] = OrderedDict()
        self._prices: dict[tuple[int, str], float] = {}
        self.health = [TargetHealth(target.name, clock) for target in self._targets]

    def choose(self, model: str, place: Callable[[], Place]) -> list[int]:
        """The numbers of the targets to ask, one after the other until one answers.

        A target that rests is left out, unless all do: then the one whose rest ends first is asked.

        Args:
            model: The model that the client asks for.
            place: Says where the request belongs; called only if that decides.
        """
        with self._lock:
            states = [one.state for one in self.health]
            able = [n for n, state in enumerate(states) if state in ("ready", "trial")]
            if not able:
                waiting = [n for n, state in enumerate(states) if state == "resting"]
                # without any, all were refused, and the client has to hear why
                return sorted(waiting, key=lambda n: self.health[n].rests_until) or [0]
            return self._order(able, model, place)

    def note_place(self, place: Place, number: int) -> None:
        """Note who has answered a conversation, which then has its prompt cache.

        Args:
            place: Where it belongs.
            number: The target; a fallback changes nothing.
        """
        if number >= len(self._targets):
            return
        with self._lock:
            if number == self._rank(place.family)[0]:
                self._moved.pop(place.conversation, None)
                return
            self._moved[place.conversation] = number
            self._moved.move_to_end(place.conversation)
            if len(self._moved) > _MOVED:
                self._moved.popitem(last=False)

    def note_failure(self, number: int, error: ProviderError) -> None:
        """Note the failure of a target.

        Args:
            number: The target.
            error: The failure.
        """
        if number < len(self.health):
            with self._lock:
                self.health[number].note_failure(error)

    def note_answer(self, number: int) -> None:
        """Note that a target has begun to answer.

        Args:
            number: The target.
        """
        if number < len(self.health):
            with self._lock:
                self.health[number].note_answer()

    def begin(self, number: int) -> Callable[[], None]:
        """Count a request to a target as under way.

        Args:
            number: The target.

        Returns:
            Ends it; a second call does nothing.
        """
        if number >= len(self.health):
            return _do_nothing
        health, left = self.health[number], [True]
        with self._lock:
            is_trial = health.begin()

        def end() -> None:
            with self._lock:
                if left:
                    left.clear()
                    health.end(is_trial)

        return end

    # -- the order ---------------------------------------------------------------------------------

    def _order(self, able: list[int], model: str, place: Callable[[], Place]) -> list[int]:
        if len(able) == 1:
            return able
        balance = self._route.balance
        if balance == "sticky":
            return self._by_place(able, place())
        order = self._by_weight(able)
        if balance == "least_busy":
            order.sort(key=lambda n: self.health[n].under_way / self._targets[n].weight)
        elif balance == "cheapest":
            order.sort(key=lambda n: self._price(n, model))
        return order

    def _by_place(self, able: list[int], place: Place) -> list[int]:
        """Who has the prompt cache first; a new conversation goes where there is room."""
        order = [n for n in self._rank(place.family) if n in able]
        if (moved := self._moved.get(place.conversation)) is not None:
            order.sort(key=lambda n: n != moved)
        elif place.is_new:
            weight = sum(self._targets[n].weight for n in able)
            room = (1 + sum(self.health[n].under_way for n in able)) * _OVER / weight
            order.sort(key=lambda n: self.health[n].under_way >= 1 + room * self._targets[n].weight)
        return order

    def _rank(self, place: bytes) -> list[int]:
        names = (f"{n} {target.name} {target.base_url}" for n, target in enumerate(self._targets))
        weights = (target.weight for target in self._targets)
        return rank(place, zip(names, weights, strict=True))

    def _by_weight(self, able: list[int]) -> list[int]:
        """Turn by turn: each gets its share of any few requests, not only of many."""
        whole = sum(self._targets[n].weight for n in able)
        for n in able:
            self._shares[n] += self._targets[n].weight
        order = sorted(able, key=lambda n: -self._shares[n])
        self._shares[order[0]] -= whole
        return order

    def _price(self, number: int, model: str) -> float:
        """What a million tokens cost there, in dollars; infinite if no price is known."""
        key = (number, model if self._targets[number].name.endswith("*") else "")
        price = self._prices.get(key)
        if price is None:
            if len(self._prices) >= _KNOWN_PRICES:
                self._prices.clear()
            price = self._prices[key] = _look_up_price(self._targets[number], model)
        return price


def _look_up_price(target: Target, model: str) -> float:
    try:
        name = target.model(model)
        return float(compute_cost(_PRICED, name.host, name.model).total)
    except (ConfigError, Unpriced):
        return float("inf")


def _do_nothing() -> None:
    pass
