"""TargetChoice: the targets of one request, one after the other until one answers."""

from __future__ import annotations

from collections.abc import Callable
from weakref import finalize

from ...errors import ContextOverflow, DragomanError, ProviderError
from ...transport.retries import PASSING
from ..config.config_values import Route
from .balancer import Balancer
from .conversation import Place


class TargetChoice:
    """Where one request goes.

    Args:
        route: The route.
        balancer: Chooses among its targets; None if it has one.
        model: The model that the client asks for.
        find_place: Says where the request belongs; called only if that decides.

    Attributes:
        number: The number of the target in the route.
    """

    def __init__(
        self,
        route: Route,
        balancer: Balancer | None,
        model: str,
        find_place: Callable[[], Place],
    ) -> None:
        self._route = route
        self._balancer = balancer
        self._find_place = find_place
        self._place: Place | None = None
        self._end: Callable[[], None] | None = None
        order = [0] if balancer is None else balancer.choose(model, self._placed)
        self.number = order[0]
        fallbacks = range(1 + len(route.alternatives), len(route.targets))
        self._waiting: list[int] = [*order[1:], *fallbacks]

    def find_next(self, error: DragomanError, has_failed: bool) -> bool:
        """Go to the next target that may not have an error.

        Args:
            error: Why the target before gave no answer.
            has_failed: Whether a provider has failed before, so that a target that this request
                cannot be written for is passed over.

        Returns:
            Whether there is one.
        """
        while self._waiting:
            number = self._waiting.pop(0)
            kinds = self._route.targets[number].on or PASSING
            if isinstance(error, ProviderError):
                fits = error.kind in kinds
            elif isinstance(error, ContextOverflow):  # which the gateway itself has found
                fits = has_failed or "context_overflow" in self._route.targets[number].on
            else:
                fits = has_failed
            if fits:
                self.number = number
                return True
        return False

    def begin(self) -> None:
        """Count the request as under way at its target, if that is one of several."""
        if self._balancer is not None:
            self.end()
            self._end = self._balancer.begin(self.number)
            finalize(self, self._end)  # if a program drops a stream that it has not read

    def end(self) -> None:
        """Count the request as ended."""
        if self._end is not None:
            self._end()
            self._end = None

    def note_answer(self) -> None:
        """Note that the target has begun to answer."""
        if self._balancer is not None:
            self._balancer.note_answer(self.number)
            if self._route.balance == "sticky":
                self._balancer.note_place(self._placed(), self.number)

    def note_failure(self, error: DragomanError) -> None:
        """Note that the target has failed, before its answer or in the middle of it.

        Args:
            error: The failure.
        """
        if self._balancer is not None and isinstance(error, ProviderError):
            self._balancer.note_failure(self.number, error)

    def _placed(self) -> Place:
        if self._place is None:
            self._place = self._find_place()
        return self._place
