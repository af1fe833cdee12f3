"""GatewayContext: what the exchanges of a gateway share."""

from __future__ import annotations

from ..balance.balancer import Balancer
from ..config.config_values import Config, Route
from ..surfaces import Surface
from .cipher import Sealer
from .target_wire import Upstream

_CACHED = 1024  # targets that were made ready


class GatewayContext:
    """What all exchanges of a gateway share: its configuration, its sealer and its targets."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.sealer = Sealer(config.envelopes)
        self._upstreams: dict[tuple[int, int, str, str], Upstream] = {}
        self._balancers = {
            id(route): Balancer(route) for route in config.routes if route.alternatives
        }

    def upstream(self, route: Route, nth: int, surface: Surface, requested_model: str) -> Upstream:
        """The `nth` target of a route, for a client's protocol and the model it asks for."""
        target = route.targets[nth]
        of = (
            id(route),
            nth,
            surface.protocol,
            requested_model if target.name.endswith("*") else "",
        )
        found = self._upstreams.get(of)
        if found is None:
            if len(self._upstreams) >= _CACHED:  # names of models that clients make up
                self._upstreams.clear()
            found = self._upstreams[of] = Upstream(route, target, surface, requested_model)
        return found

    def find_balancer(self, route: Route) -> Balancer | None:
        """What chooses among the targets of a route; None if it has one."""
        return self._balancers.get(id(route))
