"""Dated facts about models by name: Fact, and ordered Facts, of which the first match applies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import translate
from typing import Any, TypeAlias

from .._old_names import keeps_old_names
from ..caches import remember
from ..errors import ConfigError
from ..text.redaction import show
from .capabilities import Capabilities
from .overrides import About, override

# The states of a request on which a fact may depend: whether the model thinks (within a given
# budget), whether tools are offered, how it answers.
STATES = ("thinking", "budget", "still", "tools", "stream", "whole")


# `us.anthropic.claude-opus-5-5-v1:0` is claude-opus-5-5-v1:0; a dot of a version stays. Some hosts
# put their own name or the maker's before a hyphen: `databricks-gpt-oss-20b`, `zai-glm-4.7`
_HOSTED = re.compile(
    r"(?:(?:us-gov|us|eu|apac|au|jp|ca|in|global)\.)?"
    r"(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|"
    r"nvidia|openai|qwen|writer|xai|zai)\."
    r"|(?:databricks|openai|snowflake|zai)-"
)


# `glm-5p3` is glm-5.3, and `llama-v3p1-8b` is llama-3.1-8b; of makers that write a dot,
# `gpt-5-6-sol` is gpt-5.6-sol, while `llama-3-8b` and `gpt-5-2025-08-07` have no second number
_POINT = re.compile(r"(?<=\d)p(?=\d)")
_VERSIONED = re.compile(r"^(llama-)v(?=\d)")
_HYPHEN = re.compile(r"^((?:(?:meta-)?llama-|gpt-|gemini-|glm-|kimi-k|deepseek-v)\d)-(?=\d(?:-|$))")


def bare(model: str) -> str:
    """The name of a model as its maker writes it, without what hosts put before it.

    Folders, regions and vendors are removed, and the dot of a version is restored where a host
    writes it differently.

    Args:
        model: The name as a host writes it.

    >>> bare("us.anthropic.claude-opus-5-5-v1:0"), bare("openai/gpt-5.6")
    ('claude-opus-5-5-v1:0', 'gpt-5.6')
    >>> bare("accounts/fireworks/models/glm-5p3"), bare("databricks-gpt-5-4-mini")
    ('glm-5.3', 'gpt-5.4-mini')
    """
    name = model.rpartition("/")[2].lower()
    if name.startswith("ft:"):  # a fine-tuned model: ft:<model>:<owner>:...
        name = name.split(":")[1]
    if hosted := _HOSTED.match(name):
        name = name[hosted.end() :]
    name = _POINT.sub(".", _VERSIONED.sub(r"\1", name))
    return _HYPHEN.sub(r"\1.", name)


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Fact:
    """Something known about models by name; the first match within one list of facts applies.

    Args:
        models: Glob patterns over the bare model name.
        changes: Overrides of capabilities.
        since: The date of the source (ISO).
        source: Where it comes from.
        but: Patterns of models to which it does not apply.
        wire: The only protocol or vendor for which it holds; empty: all.
        when: A state of the request (STATES). Such a fact applies on top of the first one that
            needs no state, and with the model `*` also where no model is known.
        sources: The sources of single changes, where they have their own.

    Raises:
        ConfigError: `when` is no state of a request.
    """

    models: tuple[str, ...]
    changes: Mapping[str, Any]
    since: str
    source: str
    but: tuple[str, ...] = ()
    wire: str = ""
    when: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.when and self.when not in STATES:
            text = f"a fact holds when {show(self.when)}, which is no state of a request"
            raise ConfigError(text, hint=f"one of {', '.join(STATES)}")
        for name in ("models", "but"):
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))

    def find_source(self, ask: str, kind: str = "") -> str:
        """The source of what the fact states about a capability.

        Args:
            ask: The name of the capability.
            kind: A kind of block, to narrow the question.
        """
        return self.sources.get(kind) or self.sources.get(ask, self.source)

    def holds(self, model: str) -> bool:
        """Whether the fact is about a model.

        Args:
            model: Its bare name.
        """
        return matches(model, self.models) and not matches(model, self.but)


def matches(model: str, patterns: tuple[str, ...]) -> bool:
    """Whether a model fits one of the patterns.

    Args:
        model: Its bare name.
        patterns: Glob patterns.
    """
    # a regex is compiled only for the few patterns that begin as the model's name does
    for pattern in patterns:
        if model.startswith(_beginning(pattern)) and _regex(pattern).match(model):
            return True
    return False


@remember("how the patterns of model names begin", entries=4096)
def _beginning(pattern: str) -> str:
    """The part of a pattern before its first wildcard."""
    return re.split(r"[*?\[]", pattern, maxsplit=1)[0]


# the cache of fnmatch itself is too small
@remember("patterns of model names", entries=4096, size=8192)
def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


Names: TypeAlias = frozenset[str]
_NONE: Names = frozenset()
_MOST_FOUND = 1024  # models whose facts are cached
_LONGEST_MODEL = 256  # characters


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Facts:
    """Ordered facts, for one wire or for many; the first that holds for a model applies.

    Args:
        rows: The facts by model.
        always: Overrides that hold without a model, too.
        since: The date of `always` (ISO).
        source: The source of `always`.
        pin: A date (or month, or year): in every other list of facts, rows that began later are
            left out.
    """

    rows: tuple[Fact, ...] = ()
    always: Mapping[str, Any] = field(default_factory=dict)
    since: str = ""
    source: str = ""
    pin: str = ""
    # the results of `holding`: every loss asks for them, while few Facts are ever created
    _found: dict[tuple[str | None, Names, Names], tuple[Fact, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def apply(
        self, caps: Capabilities, model: str | None, wires: Names = _NONE, states: Names = _NONE
    ) -> Capabilities:
        """Apply these facts to capabilities.

        Args:
            caps: The capabilities to change.
            model: The bare name of the model; None if it is not known.
            wires: The names by which facts refer to the wire: its protocol and vendor.
            states: The states of the request.
        """
        if self.always:
            caps = override(caps, self.always)
        for fact in self.holding(model, wires, states):
            caps = override(caps, fact.changes)
        return caps

    def holding(
        self, model: str | None, wires: Names = _NONE, states: Names = _NONE
    ) -> tuple[Fact, ...]:
        """The facts that hold: the first one without a state, then those whose state is given.

        Args:
            model: The bare name of the model; None if it is not known.
            wires: The names by which facts refer to the wire.
            states: The states of the request.
        """
        key = (model, wires, states)
        found = self._found.get(key)
        if found is None:
            found = self._holding(model, wires, states)
            if len(self._found) >= _MOST_FOUND:  # requests may name any number of models
                self._found.clear()
            if model is None or len(model) <= _LONGEST_MODEL:
                self._found[key] = found
        return found

    def _holding(self, model: str | None, wires: Names, states: Names) -> tuple[Fact, ...]:
        rows = [fact for fact in self.rows if not fact.wire or fact.wire in wires]
        first = next((fact for fact in rows if not fact.when and _about(fact, model)), None)
        stated = (fact for fact in rows if fact.when in states and _about(fact, model))
        return (*stated,) if first is None else (first, *stated)

    def about(self, model: str) -> Fact | None:
        """The fact that holds for a model in every state of a request.

        Args:
            model: Its bare name.
        """
        return next(iter(self.holding(model)), None)

    def find_source(self, ask: str, kind: str = "") -> str:
        """The source of `always`.

        Args:
            ask: The name of the capability; the source is the same for all.
            kind: A kind of block; likewise.
        """
        return self.source

    def deciding(
        self, ask: str, about: About, model: str | None, wires: Names = _NONE, states: Names = _NONE
    ) -> Fact | Facts | None:
        """What decides a capability: the last fact that holds for it, or `always`.

        Args:
            ask: The name of the capability.
            about: The option or kind of block in question.
            model: The bare name of the model; None if it is not known.
            wires: The names by which facts refer to the wire.
            states: The states of the request.

        Returns:
            The fact, or this object for `always`; None if neither states anything about it.
        """
        for fact in reversed(self.holding(model, wires, states)):
            if about.mentions(fact.changes, ask):
                return fact
        return self if about.mentions(self.always, ask) else None

    def at_date(self, date: str) -> Facts:
        """The facts that were known at a date.

        Args:
            date: A date, a month or a year, such as `2026-03`; empty: all facts.
        """
        if not date:
            return self
        rows = tuple(fact for fact in self.rows if fact.since[: len(date)] <= date)
        return replace(self, rows=rows)


def _about(fact: Fact, model: str | None) -> bool:
    if model is None:  # a fact for every model needs only its state
        return bool(fact.when) and fact.models == ("*",)
    return fact.holds(model)
