"""Dated facts about models by name: Fact, and Facts in order. The first that holds is applied."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import translate
from typing import Any, TypeAlias

from ..caches import remember
from ..errors import ConfigError
from ..text.redaction import show
from .capabilities import Capabilities
from .overrides import About, override

# What a fact may ask of a request: the model thinks (within a budget that was named) or not, tools
# are offered, how it answers.
STATES = ("thinking", "budget", "still", "tools", "stream", "whole")


# `us.anthropic.claude-opus-5-5-v1:0` is claude-opus-5-5-v1:0; a dot of a version stays. Some hosts
# write themselves or the maker before a hyphen: `databricks-gpt-oss-20b`, `zai-glm-4.7`
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

    Without folders, regions and vendors, and with the dot of a version that some hosts spell
    otherwise.

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


@dataclass(frozen=True, slots=True)
class Fact:
    """Something known of models by name: first match wins within one list of facts.

    `models` are glob patterns over the bare model name, `but` exceptions to them; `changes` are
    overrides; `since` (ISO date) and `source` say where it comes from, `sources` where single
    changes do that have a source of their own. `wire`: of one protocol or vendor alone. `when` is
    a state of the request (STATES): such a fact is applied on top of the
    first that holds anyhow, and with the model `*` also where no model is known.
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

    def source_of(self, ask: str, kind: str = "") -> str:
        """Where it comes from what the fact says of a capability, or of a kind of block there."""
        return self.sources.get(kind) or self.sources.get(ask, self.source)

    def holds(self, model: str) -> bool:
        """Whether the fact is about this model."""
        return matches(model, self.models) and not matches(model, self.but)


def matches(model: str, patterns: tuple[str, ...]) -> bool:
    """Whether a model's bare name fits one of the patterns."""
    # few patterns begin as the model does, and a regex is made for those alone
    for pattern in patterns:
        if model.startswith(_beginning(pattern)) and _regex(pattern).match(model):
            return True
    return False


@remember("how the patterns of model names begin", entries=4096)
def _beginning(pattern: str) -> str:
    """What stands before the first sign that means something."""
    return re.split(r"[*?\[]", pattern, maxsplit=1)[0]


# fnmatch itself remembers too few
@remember("patterns of model names", entries=4096, size=8192)
def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


Names: TypeAlias = frozenset[str]
_NONE: Names = frozenset()
_MOST_FOUND = 1024  # models that facts are remembered for
_LONGEST_MODEL = 256  # characters


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts in order, for one wire or for many; the first that holds for a model is applied.

    `always` holds without a model too; `since` and `source` are its own. `pin`: in every list of
    facts beside this one, rows that began after that date (or month, or year) are left out.
    """

    rows: tuple[Fact, ...] = ()
    always: Mapping[str, Any] = field(default_factory=dict)
    since: str = ""
    source: str = ""
    pin: str = ""
    # what `holding` found: every loss asks, and few facts are ever made
    _found: dict[tuple[str | None, Names, Names], tuple[Fact, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def apply(
        self, caps: Capabilities, model: str | None, wires: Names = _NONE, states: Names = _NONE
    ) -> Capabilities:
        """`caps` with what these facts say of `model`, for a request in these states."""
        if self.always:
            caps = override(caps, self.always)
        for fact in self.holding(model, wires, states):
            caps = override(caps, fact.changes)
        return caps

    def holding(
        self, model: str | None, wires: Names = _NONE, states: Names = _NONE
    ) -> tuple[Fact, ...]:
        """The facts that hold: the first that asks nothing, then those whose state is given."""
        key = (model, wires, states)
        found = self._found.get(key)
        if found is None:
            found = self._holding(model, wires, states)
            if len(self._found) >= _MOST_FOUND:  # whoever sends models may send any number of them
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
        """The fact that holds for `model` whatever the request, by its bare name."""
        return next(iter(self.holding(model)), None)

    def source_of(self, ask: str, kind: str = "") -> str:
        """Where it comes from what always holds."""
        return self.source

    def deciding(
        self, ask: str, about: About, model: str | None, wires: Names = _NONE, states: Names = _NONE
    ) -> Fact | Facts | None:
        """What speaks last of a capability here: a fact that holds, or what always does."""
        for fact in reversed(self.holding(model, wires, states)):
            if about.named(fact.changes, ask):
                return fact
        return self if about.named(self.always, ask) else None

    def pinned(self, date: str) -> Facts:
        """The facts as they were known to hold at a date, e.g. `2026-03`."""
        if not date:
            return self
        rows = tuple(fact for fact in self.rows if fact.since[: len(date)] <= date)
        return replace(self, rows=rows)


def _about(fact: Fact, model: str | None) -> bool:
    if model is None:  # a state alone is enough for what holds for every model
        return bool(fact.when) and fact.models == ("*",)
    return fact.holds(model)
