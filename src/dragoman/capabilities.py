"""What a wire and a model can carry, as data: Capabilities, and dated Facts that change them.

Blocks are named by their `type`. Names no provider: each room and each vendor states its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import Any, Literal, TypeAlias, get_args

from .errors import ConfigError
from .rules import IdRule, NameRule

__all__ = ["MEDIA", "Capabilities", "ChatConfig", "Fact", "Facts", "changes_of", "override"]

MEDIA = ("image", "audio", "video", "document")
_KINDS = ("text", "thinking", *MEDIA, "refusal", "raw")

Kinds: TypeAlias = frozenset[str]
Stance: TypeAlias = Literal["takes", "ignores", "pinned", "refuses"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What one wire can carry for one model; without a model, what every current one accepts.

    `user`, `assistant`, `system` and `result` are the block kinds each may show; `sources` and
    `media_types` narrow media by kind (`url`, `base64`, `file`; patterns such as `image/png`).
    """

    user: Kinds = frozenset({"text"})
    assistant: Kinds = frozenset({"text"})
    system: Kinds = frozenset({"text"})
    result: Kinds = frozenset({"text"})
    sources: Mapping[str, Kinds] = field(default_factory=dict)
    media_types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    schemes: Kinds = frozenset({"http", "https"})  # of URLs that the provider fetches itself
    file_schemes: Kinds = frozenset()  # how the ids of its files begin; empty: anyhow
    details: Kinds = frozenset()  # media kinds whose `detail` has a field
    titles: Kinds = frozenset()  # media kinds whose `title` has a field
    move_media: Kinds = frozenset()  # media that follow in a user turn where they can't stand
    reads: Kinds = frozenset()  # issuers whose opaque blocks and extras it understands
    claims: Kinds = frozenset()  # fields that nobody's name stands on and this wire knows
    thinking: Literal["never", "tool_turns", "all"] = "never"
    signed_thinking: bool = False
    empty_thinking: bool = False  # a turn that calls a tool has its thinking, empty if need be
    thinking_alone: bool = True  # a turn may hold thinking and nothing else
    foreign_thinking: Literal["drop", "quote", "tags"] = "drop"
    tools: bool = True
    tool_messages: bool = True
    tool_choices: Kinds = frozenset({"auto", "none", "required", "tool"})
    parallel_switch: bool = False
    strict_tools: bool = False
    cached_tools: bool = False
    call_text: Literal["keep", "drop"] = "keep"  # text beside tool calls
    foreign_calls: Literal["keep", "bypass"] = "keep"  # calls without the wire's signature
    result_error: bool = False  # a tool result carries an error flag
    result_names: bool = False  # a tool result needs the name of its tool
    system_place: Literal["message", "top"] = "message"
    system_head: Literal["run", "first"] = "run"  # which leading system messages are the prompt
    late_system: Literal["keep", "placed", "user", "reminder"] = "keep"
    blank_text: bool = True
    trailing_space: bool = True  # the assistant's last turn may end in white space
    empty_messages: bool = True
    gather_results: bool = False
    join_calls: bool = False  # calls stand in one turn with the assistant's words before them
    first_user: bool = False
    prefill: bool = True
    needs_user: bool = False
    name_field: Literal["never", "telling", "always"] = "never"  # telling: if not the role
    cache_hints: int = 0
    ids: IdRule = IdRule()
    tool_names: NameRule = NameRule()
    speakers: IdRule = IdRule()
    max_tokens: int = 0  # sent where the wire demands a maximum and none is given
    formats: Kinds = frozenset({"text", "json", "schema"})
    options: Mapping[str, Stance] = field(default_factory=dict)
    endpoint: str = ""  # which of a wire's endpoints serves the model
    form: str = ""  # how a wire spells what it allows in several ways

    def media(self, kind: str, media_type: str) -> bool:
        """Whether media of this type may be sent."""
        patterns = self.media_types.get(kind)
        return not patterns or any(fnmatchcase(media_type, pattern) for pattern in patterns)


_FIELDS = {f.name: f for f in fields(Capabilities)}
_SEATS = ("user", "assistant", "system", "result")


def override(can: Capabilities, changes: Mapping[str, Any]) -> Capabilities:
    """`can` with changes by field name, or in short: `image=False`, `base64_only=("image",)`.

    A media or block kind set to False leaves every seat, set to True joins the user's; to a list
    of seats, just those. `thinking` may be True (`all`) or False (`never`); `sources` and
    `options` are merged. Raises ConfigError for an unknown name.
    """
    for name, value in changes.items():
        try:
            can = _override_one(can, name, value)
        except (AttributeError, TypeError, ValueError):
            raise ConfigError(f"the capability {name!r} does not take {value!r}") from None
    return can


def _override_one(can: Capabilities, name: str, value: Any) -> Capabilities:
    if name == "thinking" and isinstance(value, bool):
        return replace(can, thinking="all" if value else "never")
    if name == "base64_only":
        kinds = MEDIA if value is True else tuple(value or ())
        only = {kind: frozenset({"base64"}) for kind in kinds}
        return replace(can, sources={**can.sources, **only})
    if name in ("sources", "media_types", "options"):
        merged: Any = {**getattr(can, name), **{k: _frozen(name, v) for k, v in value.items()}}
        return _replaced(can, {name: merged})
    if name in _FIELDS:
        current = getattr(can, name)
        if isinstance(current, frozenset) and not isinstance(value, frozenset):
            value = frozenset({value} if isinstance(value, str) else value)
        elif isinstance(current, bool) and not isinstance(value, bool):
            raise ConfigError(f"the capability {name} is true or false, not {value!r}")
        return _replaced(can, {name: value})
    if name in _KINDS:
        return _override_kind(can, name, value)
    raise ConfigError(
        f"unknown capability {name!r}",
        hint=f"one of {', '.join([*_FIELDS, *_KINDS, 'base64_only'])}",
    )


def _replaced(can: Capabilities, changes: dict[str, Any]) -> Capabilities:
    return replace(can, **changes)


def _frozen(name: str, value: Any) -> Any:
    if name == "sources":
        return frozenset({value} if isinstance(value, str) else value)
    return (value,) if name == "media_types" and isinstance(value, str) else value


def _override_kind(can: Capabilities, kind: str, value: Any) -> Capabilities:
    seats: tuple[str, ...]
    if value is True:
        seats = tuple(s for s in _SEATS if kind in getattr(can, s)) or ("user",)
    else:
        seats = () if value is False else tuple(value)
    changed: dict[str, Any] = {}
    for seat in _SEATS:
        kinds: Kinds = getattr(can, seat)
        changed[seat] = kinds | {kind} if seat in seats else kinds - {kind}
    moved = can.move_media if seats else can.move_media - {kind}
    return replace(can, **changed, move_media=moved)


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """Agents-Flex's switches: what a model supports. None leaves what is known of it.

    >>> ChatConfig(support_tool=False).changes()
    {'tools': False}
    """

    support_image: bool | None = None
    support_image_base64_only: bool | None = None
    support_audio: bool | None = None
    support_video: bool | None = None
    support_tool: bool | None = None
    support_tool_message: bool | None = None
    support_thinking: bool | None = None

    def changes(self) -> dict[str, Any]:
        """The same as overrides of Capabilities."""
        plain = {
            "image": self.support_image,
            "audio": self.support_audio,
            "video": self.support_video,
            "tools": self.support_tool,
            "tool_messages": self.support_tool_message,
            "thinking": self.support_thinking,
        }
        made: dict[str, Any] = {name: value for name, value in plain.items() if value is not None}
        if self.support_image_base64_only:
            made["base64_only"] = ("image",)
        return made


def changes_of(value: Mapping[str, Any] | ChatConfig | None) -> dict[str, Any]:
    """Overrides of Capabilities in whatever form they were given."""
    if isinstance(value, ChatConfig):
        return value.changes()
    if value is not None and not isinstance(value, Mapping):
        raise ConfigError(f"capabilities are changed by a mapping, not {type(value).__name__}")
    return dict(value or {})


@dataclass(frozen=True, slots=True)
class Fact:
    """Something known of models by name: first match wins within one list of facts.

    `models` are glob patterns over the bare model name, `but` exceptions to them; `changes` are
    overrides; `since` (ISO date) and `source` say where it comes from.
    """

    models: tuple[str, ...]
    changes: Mapping[str, Any]
    since: str
    source: str
    but: tuple[str, ...] = ()

    def holds(self, model: str) -> bool:
        """Whether the fact is about this model."""
        return _matches(model, self.models) and not _matches(model, self.but)


def _matches(model: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(model, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts in order, for one wire; the first that holds for a model is applied.

    `always` holds without a model too.
    """

    rows: tuple[Fact, ...] = ()
    always: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, can: Capabilities, model: str | None) -> Capabilities:
        """`can` with what these facts say of `model`."""
        if self.always:
            can = override(can, self.always)
        fact = self.about(model) if model is not None else None
        return can if fact is None else override(can, fact.changes)

    def about(self, model: str) -> Fact | None:
        """The fact that holds for `model`, by its bare name in lower case."""
        return next((fact for fact in self.rows if fact.holds(model)), None)


STANCES: tuple[Stance, ...] = get_args(Stance)
