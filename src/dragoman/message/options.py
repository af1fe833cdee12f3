"""Options: how to generate an answer, with one neutral name for each setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from .._old_names import keeps_old_names
from ..errors import InvalidMessage
from ..suggestions.keywords import advise, explains_keywords, rename_keywords
from ..text.json_text import check
from ..text.redaction import Shown, show
from .check import is_none, text, wrong_type

_EFFORTS = '"high", "low" or another effort, "on", or "off"; reasoning_budget= takes tokens'

# how much the model thinks, from least to most; with `on` and `auto` it decides
Effort: TypeAlias = Literal[
    "off", "none", "on", "auto", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"
]


@keeps_old_names
@explains_keywords()
@dataclass(frozen=True, slots=True, repr=False)
class Options(Shown):
    """How to generate. None uses the provider's default; every option has one neutral name.

    Attributes:
        max_tokens: The most tokens of the answer, reasoning included.
        temperature: The randomness of sampling.
        top_p: Sampling is restricted to the likeliest tokens of this total probability.
        top_k: Sampling is restricted to this many tokens.
        presence_penalty: Penalizes tokens that have occurred.
        frequency_penalty: Penalizes tokens by how often they have occurred.
        repetition_penalty: Divides the scores of tokens that have occurred.
        seed: The seed of sampling.
        stop: Texts that end the answer.
        n: How many candidates to generate.
        logprobs: Whether to return log probabilities of tokens.
        top_logprobs: For how many of the likeliest tokens.
        reasoning: An effort such as `low`, or `off`.
        reasoning_budget: The most tokens of thinking.
        thoughts: How much of the thinking is returned: `none`, `updates` (short notes between
            calls), `auto`, `concise` or `detailed`.
        service_tier: The provider's name for a class of service.
        user: An id of the end user.

    Each is written by the protocols that have it (`protocols/*/fields.py`, and `keys` of a vendor's
    dialect); it is also an argument of LLM (`llm/settings.py`, `llm/profiles.py`). Those of
    sampling are listed in `losses/loss.py`, too.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] | None = None
    n: int | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    reasoning: Effort | None = None
    reasoning_budget: int | None = None
    thoughts: str | None = None
    service_tier: str | None = None
    user: str | None = None

    def __post_init__(self) -> None:
        stop = self.stop
        if stop is not None:
            if not isinstance(stop, Iterable):
                raise wrong_type("a list of texts", stop, "$.options.stop", "option.value")
            stop = (stop,) if isinstance(stop, str) else tuple(stop)
            for i, item in enumerate(stop):
                text(item, f"$.options.stop[{i}]")
            object.__setattr__(self, "stop", stop)
        for name, value in self.list_values():
            path = f"$.options.{name}"
            check(value, path)
            kinds = OPTION_KINDS.get(name, (int,))
            if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                expected = " or ".join(kind.__name__ for kind in kinds)
                hint = _EFFORTS if name == "reasoning" else ""
                raise wrong_type(expected, value, path, "option.value", hint)

    def list_values(self) -> list[tuple[str, Any]]:
        """Return (name, value) of the options that are set."""
        if self is NO_OPTIONS:
            return []
        return [(name, value) for name in OPTIONS if (value := getattr(self, name)) is not None]

    @classmethod
    def of(cls, value: Options | Mapping[str, Any] | None) -> Options:
        """Return options for a mapping.

        Args:
            value: Options, which are returned as they are, or a mapping of names to values; None
                sets none.

        Returns:
            The options.

        Raises:
            InvalidMessage: There is no such option, or its value is wrong.
        """
        if value is None:
            return NO_OPTIONS
        if isinstance(value, Options):
            return value
        if not isinstance(value, Mapping):
            raise is_none("Options", value, "$.options", "option.value")
        if not all(name in OPTIONS for name in value):
            value = rename_keywords(value, OPTIONS)
        for name in value:
            if name not in OPTIONS:
                text = f"unknown option {show(name)}"
                hint = f"{advise(name, sorted(OPTIONS))}; others go into extras by provider"
                raise InvalidMessage(text, path="$.options", code="option.name", hint=hint)
        return cls(**value)


OPTION_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(
        ("temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
        (int, float),
    ),
    **dict.fromkeys(("reasoning", "thoughts", "service_tier", "user"), (str,)),
    "logprobs": (bool,),
    "stop": (tuple,),
}

OPTIONS = tuple(f.name for f in fields(Options))

NO_OPTIONS = Options.__new__(Options)  # initialized below, as `list_values` uses it

Options.__init__(NO_OPTIONS)
