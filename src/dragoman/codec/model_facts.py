"""What a wire carries for a model, by the facts that hold for it, and which fact decides a loss."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from .._old_names import keeps_old_names
from ..caches import BoundedCache
from ..capabilities import STATES, About, Capabilities, Fact, Facts, Limits, bare, override
from ..capabilities.capabilities import MEDIA
from ..capabilities.limit_tables import find_entries
from ..losses.codes import CODES
from ..message import ChatRequest
from ..protocols.base import Room
from ..protocols.reasoning import states

_NO_STATES: frozenset[str] = frozenset()
_NO_CHANGES: Mapping[str, Any] = MappingProxyType({})
_ANY = About()
_MOST_MODELS = 1000  # whose capabilities a wire caches
_SET_BY_USER = "capabilities set for this formatter"
_LIMITS = frozenset({"context_window", "max_output"})
_LONGEST_MODEL = 256  # characters
_APPLIED_SIZE = 2**12  # bytes of an entry, as most fields are shared
# Programs create a wire for each agent or request; the facts that they apply are the same objects.
# An entry keeps the objects by whose identity it is found.
_APPLIED: BoundedCache[tuple[Capabilities, tuple[Facts, ...], Capabilities]] = BoundedCache(
    "dragoman.codec.model_facts.applied", "capabilities of models, by the facts of a wire", 2**20
)


@keeps_old_names
class ModelFacts:
    """The part of `Wire` that answers what a model can do."""

    __slots__ = ()
    room: Room
    vendor: Any
    _protocol_caps: Capabilities  # before any fact
    facts: tuple[Facts, ...]
    _caps: dict[tuple[str | None, frozenset[str]], Capabilities]
    _names: frozenset[str]  # by which facts refer to this wire

    def can(self, model: str | None = None, request: ChatRequest | None = None) -> Capabilities:
        """The capabilities of `model` over this wire.

        Args:
            model: As the host names it; without one, what every current model accepts.
            request: A request whose state counts too: thinking is on, tools are offered.
        """
        caps = self._caps.get((model, _NO_STATES)) or self._apply_facts(model, _NO_STATES)
        if request is None:
            return caps
        active = states(request, caps)
        return self._caps.get((model, active)) or self._apply_facts(model, active)

    def _apply_facts(self, model: str | None, active: frozenset[str]) -> Capabilities:
        start, name = self._protocol_caps, bare(model) if model else None
        key = (id(start), *map(id, self.facts), name, self._names, active)
        known = _APPLIED.get(key)
        if known is not None:
            caps = known[2]
        else:
            caps = start
            for facts in self.facts:
                caps = facts.apply(caps, name, self._names, active)
            if active:
                caps = without_switch(caps, active)
            if name is None or len(name) <= _LONGEST_MODEL:
                _APPLIED.put(key, (start, self.facts, caps), _APPLIED_SIZE)
        if len(self._caps) >= _MOST_MODELS:  # a caller may name any number of models
            self._caps.clear()
        self._caps[model, active] = caps
        return caps

    def limits(self, model: str | None = None, changes: Mapping[str, Any] = _NO_CHANGES) -> Limits:
        """How many tokens `model` takes and answers here; the usual model without one.

        Facts come first, also a program's own (`facts=`), then the tables of installed packages:
        genai-prices, and litellm's. Nothing is looked up anywhere else.

        Args:
            model: The model, as the host names it.
            changes: A formatter's overrides (`can=`).

        Raises:
            ConfigError: A change that no capability takes.
        """
        name = model or self.room.model
        caps = override(self.can(name), changes)
        window, most = caps.context_window or None, caps.max_output or None
        sources = []
        if window or most:
            own = [fact.source for fact in self.list_facts(name) if _LIMITS & fact.changes.keys()]
            sources.append(_SET_BY_USER if _LIMITS & changes.keys() or not own else own[-1])
        if name and self.vendor is not None and not (window and most):
            row, url = self.vendor, self.vendor.url(self.room.protocol)
            for entry in find_entries(name, row.name, row.billing.prices, url):
                if (window is None and entry.context_window) or (most is None and entry.max_output):
                    sources.append(entry.source)
                window, most = window or entry.context_window, most or entry.max_output
        return Limits(window, most, "; ".join(sources))

    def list_facts(self, model: str, request: ChatRequest | None = None) -> list[Fact]:
        """The facts that hold for `model`, each with its date and source."""
        active = _NO_STATES if request is None else states(request, self.can(model))
        name = bare(model)
        return [fact for facts in self.facts for fact in facts.holding(name, self._names, active)]

    def conditional(self, model: str) -> list[Fact]:
        """The facts that hold for `model` beside those, each in the state that its `when` names."""
        every = frozenset(STATES)
        holding = (facts.holding(bare(model), self._names, every) for facts in self.facts)
        return [fact for facts in holding for fact in facts if fact.when]

    def rule(
        self,
        code: str,
        model: str | None = None,
        request: ChatRequest | None = None,
        about: About = _ANY,
        changes: Mapping[str, Any] = _NO_CHANGES,
    ) -> str:
        """Why this wire loses what the code names.

        Args:
            code: The code of the loss.
            model: The model that is asked.
            request: The request whose state counts (thinking, tools).
            about: Narrows the question to one option or kind of block.
            changes: A formatter's overrides (`can=`).

        Returns:
            Source and date of the fact that decides it.
        """
        active = _NO_STATES if request is None else states(request, self.can(model))
        question = _Question(bare(model) if model else None, self._names, active)
        return loss_source(code, about, self._protocol_caps, self.facts, question, changes)


def without_switch(caps: Capabilities, active: frozenset[str]) -> Capabilities:
    """Remove the switch that drops bound thinking, unless one of `active` is thinking."""
    if caps.unbound == "switch" and "thinking" not in active:
        return override(caps, {"unbound": "drop"})
    return caps


@dataclass(frozen=True, slots=True)
class _Question:
    """What facts are asked for: a bare model name, the names of the wire, a request's states."""

    model: str | None
    wires: frozenset[str]
    states: frozenset[str]


def loss_source(
    code: str,
    about: About,
    protocol: Capabilities,
    facts: Sequence[Facts],
    question: _Question,
    changes: Mapping[str, Any],
) -> str:
    """The source of a loss, `source (date)`; empty if no fact decides it."""
    for ask in [ask for ask in CODES[code].asks if about.concerns(ask)]:
        if about.mentions(changes, ask):
            return _SET_BY_USER
        for later in reversed(facts):
            fact = later.deciding(ask, about, question.model, question.wires, question.states)
            if fact is not None:
                return _format_source(_source(fact, ask, about.kind) or protocol.source, fact.since)
        if ask == "options" and about.field and about.lists(protocol.options, ask):
            break  # the protocol itself decides about this option
    return _format_source(protocol.source, protocol.since) if CODES[code].asks else ""


# These follow from how a model thinks, too: which tools may be forced, which options it takes,
# whether it continues an assistant turn.
_DECIDED_BY_THINKING = frozenset(
    {
        "thinks",
        "thinking",
        "efforts",
        "budgets",
        "form",
        "binding",
        "unbound",
        "signatures",
        "signed_thinking",
        "thinking_alone",
        "thinking_last",
        "foreign_thinking",
        "tool_choices",
        "tools_with_thinking",
        "streamed_thinking",
        "options",
        "prefill",
        "max_tokens",
        "none_by",
        "sources",
    }
)
_THINKING = re.compile("think|reason", re.IGNORECASE)


def _source(fact: Fact | Facts, ask: str, kind: str) -> str:
    """The source of what a fact states about a capability, without parts about other things.

    The rows of many models state at once what they show and how they think, and name the source
    for thinking separately. Where nothing else is named, the source is the list of models.
    """
    source = fact.find_source(ask, kind)
    if kind not in MEDIA and ask in _DECIDED_BY_THINKING:
        return source
    source = "; ".join(part for part in source.split("; ") if not _THINKING.search(part))
    models = getattr(fact, "models", ())
    if source or not models:
        return source
    return f"facts of {', '.join(models[:3])}: {'what they take' if kind in MEDIA else ask}"


def _format_source(source: str, since: str) -> str:
    return f"{source} ({since})" if source and since else source
