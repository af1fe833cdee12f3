"""Changes to Capabilities: by field name, in short, or as Agents-Flex's switches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ..errors import ConfigError
from ..shown import shown
from .carried import MEDIA, Capabilities, Kinds
from .values import KINDS, MERGED, SEATS, seats, value_of, wrong

__all__ = ["KINDS", "ChatConfig", "changes_of", "override"]

_FIELDS = frozenset(f.name for f in fields(Capabilities))
_FORCED = frozenset({"required", "tool"})


def override(can: Capabilities, changes: Mapping[str, Any]) -> Capabilities:
    """`can` with changes by field name, or in short: `image=False`, `base64_only=("image",)`.

    A media or block kind set to False leaves every seat, set to True joins the user's; to a list
    of seats, just those. `thinking` may be True (`all`) or False (`never`); `sources`,
    `media_types`, `options` and the rules of ids and names are merged. `forced_tools=False` leaves
    every other tool choice as the wire has it. Values may be plain JSON.
    Raises ConfigError, with a path into the changes, for a name or value that no capability takes.
    """
    if not changes:
        return can
    now = _Now(can)
    for name, value in changes.items():
        _override_one(now, name, value)
    return replace(can, **now)


class _Now(dict[str, Any]):
    """The fields that have changed so far; the others are looked up as they were."""

    def __init__(self, can: Capabilities) -> None:
        super().__init__()
        self._can = can

    def __missing__(self, name: str) -> Any:
        return getattr(self._can, name)


def _override_one(now: _Now, name: str, value: Any) -> None:
    if name == "thinking" and isinstance(value, bool):
        now["thinking"] = "all" if value else "never"
    elif name == "base64_only":
        only = {kind: frozenset({"base64"}) for kind in _media(value)}
        now["sources"] = {**now["sources"], **only}
    elif name in _FIELDS:
        made = value_of(name, now[name], value)
        now[name] = {**now[name], **made} if name in MERGED else made
    elif name in KINDS:
        _override_kind(now, name, value)
    elif name == "forced_tools":
        if not isinstance(value, bool):
            raise wrong("$.forced_tools", value, "true or false")
        choices: Kinds = now["tool_choices"]
        now["tool_choices"] = choices | _FORCED if value else choices - _FORCED
    else:
        known = [*sorted(_FIELDS), *KINDS, "base64_only", "forced_tools"]
        raise ConfigError(
            f"unknown capability {shown(name)}",
            hint=f"one of {', '.join(known)}",
            path=f"$.{name}",
            code="capability.name",
        )


def _media(value: Any) -> tuple[str, ...]:
    if isinstance(value, bool):
        return MEDIA if value else ()
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, (list, tuple, set, frozenset)) or any(
        kind not in MEDIA for kind in listed
    ):
        raise wrong("$.base64_only", value, f"true, false or kinds out of {', '.join(MEDIA)}")
    return tuple(listed)


def _override_kind(now: _Now, kind: str, value: Any) -> None:
    showing = seats(kind, value, [seat for seat in SEATS if kind in now[seat]])
    for seat in SEATS:
        kinds: Kinds = now[seat]
        now[seat] = kinds | {kind} if seat in showing else kinds - {kind}
    if not showing:
        now["move_media"] = now["move_media"] - {kind}


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
