"""How to generate: Options and ResponseFormat, one neutral name for each setting.

Pure values, the same for every provider.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from ..errors import InvalidMessage
from ..jsontext import JsonObject, check
from ..shown import Shown, shown
from .fields import instance, text

__all__ = ["NO_OPTIONS", "OPTIONS", "Options", "ResponseFormat"]


@dataclass(frozen=True, slots=True, repr=False)
class Options(Shown):
    """How to generate. None leaves the provider's default; every field has one neutral name.

    `max_tokens`: tokens of the answer, reasoning included. `reasoning`: an effort such as `low`,
    or `off`. `reasoning_budget`: tokens of thinking. `stop`: texts that end the answer.
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
    reasoning: str | None = None
    reasoning_budget: int | None = None
    service_tier: str | None = None
    user: str | None = None

    def __post_init__(self) -> None:
        stop = self.stop
        if stop is not None:
            if not isinstance(stop, Iterable):
                raise InvalidMessage(
                    f"must be a list of texts, not {type(stop).__name__}",
                    path="$.options.stop",
                    code="option.value",
                )
            object.__setattr__(self, "stop", (stop,) if isinstance(stop, str) else tuple(stop))
        for name, value in self.given():
            check(value, f"$.options.{name}")
            kinds = _KINDS.get(name, (int,))
            if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                raise InvalidMessage(
                    f"must be {' or '.join(k.__name__ for k in kinds)}, not {type(value).__name__}",
                    path=f"$.options.{name}",
                    code="option.value",
                )

    def given(self) -> list[tuple[str, Any]]:
        """The options that are set, by name."""
        if self is NO_OPTIONS:
            return []
        return [(name, value) for name in OPTIONS if (value := getattr(self, name)) is not None]

    @classmethod
    def of(cls, value: Options | Mapping[str, Any] | None) -> Options:
        """Options, made of a mapping if need be. Raises InvalidMessage for an unknown name."""
        if value is None:
            return NO_OPTIONS
        if isinstance(value, Options):
            return value
        if not isinstance(value, Mapping):
            raise InvalidMessage(
                f"{type(value).__name__} is no Options", path="$.options", code="option.value"
            )
        for name in value:
            if name not in OPTIONS:
                raise InvalidMessage(
                    f"unknown option {shown(name)}",
                    path="$.options",
                    hint=f"one of {', '.join(sorted(OPTIONS))}; others go into extras by provider",
                    code="option.name",
                )
        return cls(**value)


_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(
        ("temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
        (int, float),
    ),
    **dict.fromkeys(("reasoning", "service_tier", "user"), (str,)),
    "logprobs": (bool,),
    "stop": (tuple,),
}
OPTIONS = tuple(f.name for f in fields(Options))
NO_OPTIONS = Options.__new__(Options)  # named before it is filled, for `given` knows it
Options.__init__(NO_OPTIONS)


@dataclass(frozen=True, slots=True, repr=False)
class ResponseFormat(Shown):
    """What the answer must be: `text`, any `json`, or JSON of a `schema`."""

    kind: Literal["text", "json", "schema"] = "text"
    schema: JsonObject | None = None
    name: str = "response"
    description: str = ""
    strict: bool | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("text", "json", "schema"):
            raise InvalidMessage(
                f"unknown kind {shown(self.kind)}", path="$.response_format", code="format.kind"
            )
        if (self.kind == "schema") != (self.schema is not None):
            raise InvalidMessage(
                "a schema belongs to the kind schema, and the kind schema needs one",
                path="$.response_format",
                code="format.kind",
            )
        instance(self.schema, dict, "$.response_format.schema")
        check(self.schema, "$.response_format.schema")
        text(self.name, "$.response_format.name")
        text(self.description, "$.response_format.description")
        instance(self.strict, bool, "$.response_format.strict")
