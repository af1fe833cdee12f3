"""Knowing: what a wire carries for a model, by the facts that hold for it here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..capabilities import STATES, About, Capabilities, Fact, Facts, bare, override
from ..message import ChatRequest
from ..reasoning import states
from ..room import Room
from .rule import Asked, rule

__all__ = ["Knowing", "switched"]

_NO_STATES: frozenset[str] = frozenset()
_NONE: Mapping[str, Any] = {}
_ANY = About()
_MANY = 1000  # models that a wire remembers


class Knowing:
    """What a wire knows of models."""

    __slots__ = ()
    room: Room
    facts: tuple[Facts, ...]
    _can: dict[tuple[str | None, frozenset[str]], Capabilities]
    _names: frozenset[str]

    def can(self, model: str | None = None, request: ChatRequest | None = None) -> Capabilities:
        """What this wire carries for `model`; without one, what every current model accepts.

        With a request also what holds in its state: while the model thinks, with tools.
        """
        known = self._known(model, _NO_STATES)
        return known if request is None else self._known(model, states(request, known))

    def _known(self, model: str | None, given: frozenset[str]) -> Capabilities:
        known = self._can.get((model, given))
        if known is None:
            known = self.room.can()
            name = bare(model) if model else None
            for facts in self.facts:
                known = facts.apply(known, name, self._names, given)
            if given:
                known = switched(known, given)
            if len(self._can) >= _MANY:  # whoever names models may name any number of them
                self._can.clear()
            self._can[model, given] = known
        return known

    def known(self, model: str, request: ChatRequest | None = None) -> list[Fact]:
        """The facts that hold for `model`, each with its date and source."""
        given = _NO_STATES if request is None else states(request, self.can(model))
        name = bare(model)
        return [fact for facts in self.facts for fact in facts.holding(name, self._names, given)]

    def conditional(self, model: str) -> list[Fact]:
        """The facts that hold for `model` beside those, each in the state that its `when` names."""
        held = frozenset(STATES)
        known = (facts.holding(bare(model), self._names, held) for facts in self.facts)
        return [fact for found in known for fact in found if fact.when]

    def rule(
        self,
        code: str,
        model: str | None = None,
        request: ChatRequest | None = None,
        about: About = _ANY,
        changes: Mapping[str, Any] = _NONE,
    ) -> str:
        """Why this wire loses what the code names: source and date of the fact that decides it.

        `about` narrows it to one option or kind of block, `changes` are a formatter's overrides.
        """
        given = _NO_STATES if request is None else states(request, self.can(model))
        asked = Asked(bare(model) if model else None, self._names, given)
        return rule(code, about, self.room.can(), self.facts, asked, changes)


def switched(can: Capabilities, given: frozenset[str]) -> Capabilities:
    """What holds in these states: the switch that drops thinking stands inside of thinking."""
    if can.unbound == "switch" and "thinking" not in given:
        return override(can, {"unbound": "drop"})
    return can
