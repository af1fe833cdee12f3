"""Where can this conversation go? Every target, ranked by what it would lose there.

For choosing a fallback or planning a migration: each route shows what it loses and why, and which
leaves of the conversation would have to be removed for it to lose nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..codec.sdk_objects import parse_body
from ..codec.wire import Wire
from ..conversion.detection import detect
from ..errors import ReadError, WriteError
from ..history.pipeline import FormatStyle
from ..losses import Loss, policy
from ..losses.codes.code import Kind
from ..message import ChatRequest, Msg, ThinkingBlock, dump, load
from ..text.json_text import JsonObject
from ..text.redaction import Shown
from ..vendors import Vendor, wire, wires
from .check import Refusal, check
from .paths import paths_before, remove_path

# what a loss costs in the ranking: instructions and media weigh more than headings
WEIGHTS: dict[Kind, int] = {
    "dropped": 8,
    "degraded": 3,
    "repaired": 2,
    "moved": 1,
    "added": 1,
    "expected": 0,
}


_QUIET = policy("ignore")


_STRATEGIES: dict[str, Mapping[str, Any]] = {
    "as it is": {},
    "foreign thinking quoted": {"foreign_thinking": "quote"},
    "foreign thinking in tags": {"foreign_thinking": "tags"},
}


_MOST = 40  # the most leaves that a change may remove
# values that all trials of a plan may write together, not counting the first trials of each plan: a
# trial writes the whole conversation, for each of fifty wires
_WORK, _FEWEST = 50_000, 8


@dataclass(slots=True, repr=False)
class Route(Shown):
    """One way to send the conversation: over which wire, to which model, by which strategy.

    Attributes:
        wire: The name of the wire.
        model: The model that is asked.
        strategy: How the conversation is fitted to it.
        losses: What is lost or added, without the expected losses.
        refused: Why it cannot be sent, or why the provider would refuse it as it was read.
        change: The paths of leaves without which the route loses nothing; None if not known.
        against: All reasons for which the provider would refuse it.
    """

    wire: str
    model: str
    strategy: str = "as it is"
    losses: list[Loss] = field(default_factory=list)
    refused: WriteError | None = None
    change: tuple[str, ...] | None = None
    against: list[Refusal] = field(default_factory=list)

    @property
    def lossless(self) -> bool:
        """Whether the whole conversation gets there; something may be added."""
        return self.refused is None and not self.lost

    @property
    def lost(self) -> list[Loss]:
        """The losses, without those that only add something."""
        return [loss for loss in self.losses if loss.kind != "added"]

    @property
    def weight(self) -> int:
        """The sum of the losses' weights: 0 for none, a million and more if it is refused."""
        if self.refused is not None:
            return 1_000_000 + len(self.against)
        return sum(WEIGHTS[loss.kind] for loss in self.losses)

    @property
    def codes(self) -> Counter[str]:
        """How often each code occurs."""
        return Counter(loss.code for loss in self.losses)


@dataclass(slots=True, repr=False)
class Plan(Shown):
    """All routes, ranked.

    Attributes:
        routes: The routes, the best first.
    """

    routes: list[Route]

    @property
    def change(self) -> Route | None:
        """Of the routes that a change makes lossless, the one with the fewest leaves to remove."""
        changed = [route for route in self.routes if route.change]
        return min(changed, key=lambda route: len(route.change or ()), default=None)


def plan(
    conversation: ChatRequest | JsonObject | str | bytes,
    source: str | Vendor | Wire | None = None,
    *,
    targets: Iterable[str] | None = None,
    models: Mapping[str, str] | None = None,
    changes: bool = True,
) -> Plan:
    """Rank every target and strategy by what the conversation would lose.

    Args:
        conversation: A request, or a body.
        source: The wire of a body; by default it is detected.
        targets: The names of the wires to try; all by default.
        models: The model to ask over a wire, where it is not the wire's default.
        changes: Whether to look for leaves whose removal makes a route lossless. Each removal is
            tried out before it is reported. In a conversation of many thousand values, such as a
            tool's schema may hold, only the best routes are tried.

    Returns:
        All routes, the best first.
    """
    home = _Home(conversation, source)
    req = home.read()
    has_thinking = any(type(block) is ThinkingBlock for m in req.messages for block in m.blocks)
    routes: list[Route] = []
    for name in targets if targets is not None else wires():
        target = wire(name, policy="ignore")
        model = (models or {}).get(name) or target.room.model
        for strategy in _STRATEGIES if has_thinking else ("as it is",):
            route = _route(req, target, model, strategy)
            if strategy == "as it is" or route.weight < routes[-1].weight:
                routes.append(route)
    routes.sort(key=lambda route: (route.weight, len(route.losses)))
    if changes:
        for route in routes:  # the best first, as all share one budget of trials
            route.change = _change(home, route)
    return Plan(routes)


class _Home:
    """The conversation as JSON, from which leaves can be removed, and how it is read."""

    def __init__(self, conversation: Any, source: str | Vendor | Wire | None) -> None:
        self.wire: Wire | None = None
        if isinstance(conversation, ChatRequest):
            self.body = dump(conversation)["value"]
        else:
            self.body = parse_body(conversation)
            self.wire = wire(source if source is not None else detect(self.body).wire)
        self.trials = max(_FEWEST, _WORK // _values(self.body))  # how many trials are left

    def read(self, body: JsonObject | None = None) -> ChatRequest:
        body = self.body if body is None else body
        if self.wire is not None:
            return self.wire.read_request(body)
        messages = [{"name": "", **m} for m in body["messages"]]  # the name may have been removed
        request = load({"dragoman": 1, "kind": "request", "value": {**body, "messages": messages}})
        assert isinstance(request, ChatRequest)  # by its kind
        request.read = None
        return request


def _route(req: ChatRequest, target: Wire, model: str, strategy: str) -> Route:
    style = FormatStyle(fetch=target.fetch, changes=_STRATEGIES[strategy])
    route = Route(target.name, model, strategy)
    try:
        out = target.write_request(req, model, style=style, policy=_QUIET)
    except WriteError as error:
        route.refused = error
        return route
    route.losses = [loss.detach() for loss in out.losses if loss.kind != "expected"]
    read = req.read
    if read is not None and read.model == model and read.issuer in target.can(model).reads:
        # it goes out as it came, so nothing of it was adapted to what the model takes
        route.against = check(out.body, target, model, out.path)
    if route.against:
        first = route.against[0]
        route.refused = WriteError(first.rule, path=first.where, hint=first.fix, code=first.code)
    return route


def _change(home: _Home, route: Route) -> tuple[str, ...] | None:
    """The leaves without which the route loses nothing; None if they are not found."""
    if route.lossless:
        return ()
    target = wire(route.wire, policy="ignore")
    body, current = home.body, route
    cuts: list[str] = []
    while not current.lossless and len(cuts) < _MOST and home.trials > 0:
        path = current.refused.path if current.refused is not None else current.lost[0].where
        for place in _upwards(path):
            if home.trials <= 0:
                return None
            if (shorter := remove_path(body, place)) is None:
                continue
            trial = _try_route(home, shorter, target, route)
            if trial is not None and trial.weight < current.weight:
                body, current = shorter, trial
                cuts.append(place)
                break
        else:
            return None
    return tuple(paths_before(cuts)) if current.lossless else None


def _try_route(home: _Home, body: JsonObject, target: Wire, route: Route) -> Route | None:
    home.trials -= 1
    try:
        req = home.read(body)
    except (ReadError, WriteError):
        return None
    if not any(isinstance(m, Msg) and m.blocks for m in req.messages):
        return None
    return _route(req, target, route.model, route.strategy)


def _values(body: JsonObject) -> int:
    """The number of values in a body."""
    found, left = 0, [body]
    while left:
        value: Any = left.pop()
        found += 1
        if isinstance(value, dict):
            left += value.values()
        elif isinstance(value, list):
            left += value
    return found


def _upwards(path: str) -> Iterable[str]:
    """The path and those above it, but not the root or a whole list of messages."""
    while path.count(".") + path.count("[") > 1 or (path.count(".") == 1 and path != "$"):
        yield path
        end = max(path.rfind("."), path.rfind("["))
        path = path[:end]
        if path in ("$", "$.messages", "$.contents", "$.input", "$.input.messages"):
            return
