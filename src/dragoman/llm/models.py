"""The forms in which a program names a model: a name, profile, table, Vendor, ChatModel or LLM.

    LLM("anthropic/claude-opus-5-5", fallbacks=[
        "openai/gpt-5.6",                                              # a name, or a profile
        {"model": "vllm/qwen3", "base_url": "http://gpu:8000/v1"},     # a table
        Vendor("acme", ...),                                           # a host of your own
        ChatModel("openai", "gpt-5.6", api_key=key), LLM("groq/gpt-oss-120b"),
    ])

Each has its own address, key and headers; what is asked is the same for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

from .._old_names import OLD_FALLBACKS, warn_of_old_name
from ..error_kinds import ErrorKind
from ..errors import ConfigError
from ..formatter import FormatterBase
from ..model.chat_model import ChatModel
from ..model.endpoint import ConnectionOptions
from ..text.redaction import show
from ..transport.credentials import Key
from ..vendors import PROTOCOLS, VENDORS, Vendor, vendor, wires
from .fallbacks import ANY
from .names import find_maker
from .profiles import profile
from .targets import FORMATTER_OPTIONS, ModelTarget

# a name, a profile, a table, a row, a model, an LLM, or several of them
ModelLike: TypeAlias = Any

_KINDS = frozenset({*get_args(ErrorKind), "unsent", "no_key", ANY})
_SHARED = ("transport", "timeout", "retries", "max_answer_bytes", "max_event_bytes")
_FORMS = (
    'a name such as "anthropic/claude-opus-5-5", a profile, a table such as {"model": "vllm/qwen3",'
    ' "base_url": "..."}, a Vendor, a ChatModel, an LLM, or a list of these'
)


def list_models(value: ModelLike, path: str) -> list[Any]:
    """Return the models that a program names, one or several.

    Raises:
        ConfigError: The value names no model.
    """
    if isinstance(value, (str, Mapping, Vendor, ChatModel)) or hasattr(value, "_door"):
        return [value]
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [one for item in value for one in list_models(item, path)]
    raise _no_model(value, path)


def read_kinds(fallbacks: Any) -> Mapping[str, Any]:
    """Return the fallbacks by kind of failure if they are given so, else an empty mapping.

    Raises:
        ConfigError: There is no such kind.
    """
    if not isinstance(fallbacks, Mapping) or "model" in fallbacks or "vendor" in fallbacks:
        return {}
    named: dict[str, Any] = {}
    for kind, models in fallbacks.items():
        new: str = OLD_FALLBACKS.get(kind) or kind
        if new != kind:
            warn_of_old_name(f"fallbacks[{kind!r}]", f"fallbacks[{new!r}]")
        named[new] = models
    for kind in named:
        if kind not in _KINDS:
            text = f"there is no kind of failure {show(kind)}"
            hint = f"one of {', '.join(sorted(_KINDS))}; or a table with `model`"
            raise ConfigError(text, path=f"$.fallbacks.{kind}", hint=hint, code="llm.fallbacks")
    return named


def find_profile(model: Any, file: Any) -> dict[str, Any] | None:
    """Return the settings of a profile of this name, or None if it is not a profile."""
    if not isinstance(model, str) or "/" in model or find_maker(model):
        return None
    return profile(model, file)


@dataclass(frozen=True, slots=True)
class TargetMaker:
    """Builds the targets for the models that a program names.

    The `connection` and the `key` belong to the first model: another host is never reached by its
    address, its client or its headers, and never gets its key.
    """

    connection: ConnectionOptions
    key: Key
    formatting: Mapping[str, Any]
    formatter: Any
    facts: Any
    profiles: Any

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without key, client and headers, which may hold a key."""
        kept = {k: v for k, v in self.connection.items() if k not in ("client", "headers")}
        return type(self), (
            kept,
            None,
            self.formatting,
            self.formatter,
            self.facts,
            self.profiles,
        )

    def targets(self, model: Any, path: str, *, first: bool = False) -> list[ModelTarget]:
        """Return the targets of one model: several for an LLM with fallbacks.

        Raises:
            ConfigError: The value names no model, or a setting is wrong.
            FormatterMismatch: The formatter writes for another wire.
        """
        connection = self.connection if first else self._elsewhere()
        key = self.key if first else None
        formatter = self.formatter if first else None
        if isinstance(model, str):
            if not first and (found := find_profile(model, self.profiles)) is not None:
                return [self._of_table(found, path)]
            return [ModelTarget.of(model, key, connection, self.formatting, formatter, self.facts)]
        if isinstance(model, Vendor):
            return [
                ModelTarget.of("", key, connection, self.formatting, formatter, self.facts, model)
            ]
        if isinstance(model, ChatModel):
            self._has_its_own(first, path)
            name = f"{model.wire.name}/{model.model_name}"
            return [ModelTarget.pair_with(name, model, self.formatting, formatter)]
        if isinstance(model, Mapping):
            return [self._of_table(dict(model), path, first)]
        if (door := getattr(model, "_door", None)) is not None:
            self._has_its_own(first, path)
            every: list[ModelTarget] = door.every_target
            return every
        raise _no_model(model, path)

    def all(
        self, models: Sequence[Any], fallbacks: Any
    ) -> tuple[list[ModelTarget], dict[str, list[ModelTarget]]]:
        """Return (the models that are asked in order, those for certain kinds of failure only)."""
        first, *others = models
        targets = self.targets(first, "$.name", first=True)
        for other in others:
            targets += self.targets(other, "$.name")
        by_kind: dict[str, list[ModelTarget]] = {}
        for kind, group in read_kinds(fallbacks).items():
            by_kind[kind] = self._several(group, f"$.fallbacks.{kind}")
        if not by_kind and fallbacks:
            targets += self._several(fallbacks, "$.fallbacks")
        return targets, by_kind

    def _several(self, models: Any, path: str) -> list[ModelTarget]:
        return [target for one in list_models(models, path) for target in self.targets(one, path)]

    def other_model(self, target: ModelTarget, name: str) -> ModelTarget:
        """Return the target of a model that a call names, of another vendor or the same host."""
        if not isinstance(name, str) or not name:
            hint = '"vendor/model", or a model of the same host'
            raise ConfigError(
                f"{show(name)} names no model", path="$.model", hint=hint, code="llm.name"
            )
        head, slash, rest = name.partition("/")
        elsewhere = slash and rest and (head in VENDORS or head in PROTOCOLS or head in wires())
        home = target.wire.vendor
        if elsewhere and home is not None and vendor_named(head) is home:
            return self.targets(name, "$.model", first=True)[0]
        if elsewhere:
            return self.targets(name, "$.model")[0]
        return target.with_model(name, self.formatting, self.formatter)

    def _of_table(self, table: dict[str, Any], path: str, first: bool = False) -> ModelTarget:
        row = table.pop("vendor", None)
        name = table.pop("model", "")
        key = table.pop("key", self.key if first else None)
        connection: Any = dict(self.connection if first else self._elsewhere())
        formatting, formatter = dict(self.formatting), table.pop("formatter", None)
        for option in [*table]:
            if option in ConnectionOptions.__annotations__:
                connection[option] = table.pop(option)
            elif option in FORMATTER_OPTIONS:
                formatting[option] = table.pop(option)
        if table:
            option = next(iter(table))
            hint = "a fallback says how it is reached and written; what is asked is the LLM's"
            raise ConfigError(
                f"a fallback takes no {show(option)}",
                path=f"{path}.{option}",
                hint=hint,
                code="llm.fallbacks",
            )
        if isinstance(row, str):
            name, row = f"{row}/{name}", None
        if row is None and not name:
            raise ConfigError(
                "the table names no model", path=f"{path}.model", hint=_FORMS, code="llm.name"
            )
        formatting = formatting if formatter is None else {}
        return ModelTarget.of(name, key, connection, formatting, formatter, self.facts, row)

    def _elsewhere(self) -> ConnectionOptions:
        kept: Any = {name: self.connection[name] for name in _SHARED if name in self.connection}  # type: ignore[literal-required]
        made: ConnectionOptions = kept
        return made

    def _has_its_own(self, first: bool, path: str) -> None:
        """Raise ConfigError if an address is given for a model that already has one."""
        given = [name for name in self.connection if name not in _SHARED] if first else []
        if first and self.key is not None:
            given.append("key")
        if given:
            hint = "give it to the model"
            raise ConfigError(
                f"the model has a {given[0]} of its own",
                path=f"$.{given[0]}",
                hint=hint,
                code="llm.name",
            )


def vendor_named(head: str) -> Vendor | None:
    """Return the vendor that the first part of a name means."""
    return vendor(head) if head in VENDORS else None


def _no_model(value: Any, path: str) -> ConfigError:
    what = type(value).__name__
    if isinstance(value, FormatterBase):
        what = "a formatter"
    return ConfigError(
        f"{show(value)} ({what}) names no model", path=path, hint=_FORMS, code="llm.name"
    )
