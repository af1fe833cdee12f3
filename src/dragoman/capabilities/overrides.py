"""Reads overrides of Capabilities, given in code or as plain JSON, by the types of its fields.

Lists become sets or tuples, a text a list of one, an object a rule of ids or names. It knows which
names are allowed, but not what a capability means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

from .._old_names import keeps_old_names, rename_value
from ..caches import BoundedCache, remember
from ..errors import ConfigError
from ..text.redaction import show
from .capabilities import MEDIA, Capabilities, Kinds
from .name_rules import IdRule

KINDS = ("text", "thinking", *MEDIA, "refusal", "raw")
SEATS = ("user", "assistant", "system", "result")
MERGED = (
    "sources",
    "media_types",
    "url_types",
    "options",
)  # tables: a change replaces single entries


_CLOSED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*SEATS, "error_kinds"), KINDS),
    **dict.fromkeys(
        ("move_media", "details", "titles", "typed_urls", "sources", "media_types", "url_types"),
        MEDIA,
    ),
    "sources.*": ("url", "base64", "file", "text", "frames"),
    "tool_choices": ("auto", "none", "required", "tool", "allowed"),
    "formats": ("text", "json", "schema"),
}


def _as_tuple(value: Any) -> tuple[Any, ...] | None:
    """The values of a list, a set or a single text; None for anything else."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, (list, tuple, set, frozenset)) else None


def wrong(path: str, value: Any, expected: str) -> ConfigError:
    """The error for a value that a capability does not take."""
    return ConfigError(f"{show(value)} is not {expected}", path=path, code="capability.value")


@remember("the types of all capabilities", entries=1, size=2**17)
def _types() -> dict[str, Any]:
    return get_type_hints(Capabilities)


class _OverrideReader:
    """Reads the value of one field; a table's values are read by their type, below its path."""

    __slots__ = ("current", "name")

    def __init__(self, name: str, current: Any) -> None:
        self.name = name
        self.current = current

    def read(self, kind: Any, value: Any, path: str, place: str = "") -> Any:
        origin = get_origin(kind)
        if origin in (frozenset, tuple):
            return origin(self._read_list(get_args(kind)[0], value, path, place))
        if origin is Literal:
            return self._among(get_args(kind), rename_value(self.name, value), path)
        if origin is not None:  # a table
            return self._table(get_args(kind)[1], value, path)
        if issubclass(kind, IdRule):
            return self._rule(kind, value, path)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise wrong(path, value, _WORDS[kind])
        if kind is int and value < 0:
            raise wrong(path, value, "0 or more")
        return self._among(_CLOSED[place], value, path) if place in _CLOSED else value

    def _read_list(self, kind: Any, value: Any, path: str, place: str) -> list[Any]:
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            value = (value,)
        if not isinstance(value, (list, tuple, set, frozenset)):
            raise wrong(path, value, "a list")
        many = isinstance(value, (list, tuple)) and len(value) > 1
        return [
            self.read(kind, item, f"{path}[{i}]" if many else path, place or self.name)
            for i, item in enumerate(value)
        ]

    def _table(self, kind: Any, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise wrong(path, value, "a table of names and values")
        result = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise wrong(path, key, "a name")
            if self.name in _CLOSED:
                self._among(_CLOSED[self.name], key, f"{path}.{key}")
            result[key] = self.read(kind, item, f"{path}.{key}", f"{self.name}.*")
        return result

    def _rule(self, kind: type[IdRule], value: Any, path: str) -> IdRule:
        if isinstance(value, IdRule):
            return value
        if not isinstance(value, Mapping):
            raise wrong(path, value, f"a table of {', '.join(_rule_types())}")
        for key, item in value.items():
            expected = _rule_types().get(key)
            if expected is None:
                raise wrong(f"{path}.{key}", key, f"one of {', '.join(_rule_types())}")
            self.read(expected, item, f"{path}.{key}")
            if key in ("chars", "start"):
                _check_characters(item, f"{path}.{key}")
        result: IdRule = replace(self.current, **value)
        return result

    def _among(self, names: tuple[str, ...], value: Any, path: str) -> Any:
        if not isinstance(value, str) or value not in names:
            raise wrong(path, value, f"one of {', '.join(names)}")
        return value


_BARE = re.compile(r"(?<!\\)(?:\\\\)*\[")
_WORDS = {bool: "true or false", int: "a whole number", str: "a text"}


@remember("the types of a rule for names", entries=1, size=2**14)
def _rule_types() -> dict[str, Any]:
    hints = get_type_hints(IdRule)
    return {f.name: hints[f.name] for f in fields(IdRule)}


def _check_characters(chars: str, path: str) -> None:
    expected = "what stands between [ ] in a regular expression"
    if _BARE.search(chars):  # Python warns about a nested set
        raise wrong(path, chars, expected)
    try:
        re.compile(rf"[{chars}]" if chars else "")
    except re.error:
        raise wrong(path, chars, expected) from None


_THINKING = ("reasoning", "reasoning_budget", "effort")  # the last is a provider's field


# capabilities that matter only to losses about these fields
_CONCERNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("thinks", "efforts", "budgets"), _THINKING),
    "parallel_switch": ("parallel",),
    "tool_choices": ("mode", "name", "allowed"),
    "details": ("detail",),
    "titles": ("title",),
}


_BLOCKS = frozenset(KINDS) - {"thinking"}  # `thinking` by itself is a field of its own


@keeps_old_names
@dataclass(frozen=True, slots=True)
class About:
    """What a loss is about: a field such as `temperature`, and the `type` of the node it is on.

    Args:
        field: The field; empty if the loss is about the whole node.
        kind: The `type` of the node.
    """

    field: str = ""
    kind: str = ""

    def concerns(self, ask: str) -> bool:
        """Whether a capability may have decided the loss.

        Args:
            ask: The name of the capability.
        """
        fields = _CONCERNS.get(ask)
        # a provider's own field comes with its path
        return fields is None or not self.field or self.field.rpartition(".")[2] in fields

    def mentions(self, changes: Mapping[str, Any], ask: str) -> bool:
        """Whether changes state anything about a capability, for this option or kind of block.

        Args:
            changes: Overrides of capabilities.
            ask: The name of the capability.
        """
        if ask in changes:
            value = changes[ask]
            return not isinstance(value, Mapping) or self.lists(value, ask)
        if ask == "tool_choices" and "forced_tools" in changes:
            return True
        if ask == "sources" and "base64_only" in changes:
            only = changes["base64_only"]
            return bool(only) and (only is True or self.kind not in MEDIA or self.kind in only)
        if ask in SEATS or ask == "move_media":
            alias = _BLOCKS.intersection(changes)
            return self.kind in alias if self.kind in _BLOCKS else bool(alias)
        return False

    def lists(self, table: Mapping[str, Any], ask: str) -> bool:
        """Whether a table of options or kinds names the one in question; always for a rule.

        Args:
            table: The overrides in which the capability is.
            ask: The name of the capability.
        """
        if ask not in MERGED:
            return True
        if ask == "options":
            return not self.field or self.field in table
        return self.kind not in MEDIA or self.kind in table


_FIELDS = frozenset(f.name for f in fields(Capabilities))
_FORCED = frozenset({"required", "tool"})


def override(caps: Capabilities, changes: Mapping[str, Any]) -> Capabilities:
    """Apply changes to capabilities, by field name or in short forms such as `image=False`.

    A kind of block set to False is removed from every seat (`user`, `assistant`, `system`,
    `result`), set to True it is added to the user's; a list names the seats. `thinking` may be True
    (`all`) or False (`never`), `base64_only=("image",)` narrows sources, and `forced_tools=False`
    removes the tool choices that force a call. `sources`, `media_types`, `url_types`, `options` and
    the rules of ids and names are merged.

    Args:
        caps: The capabilities to change.
        changes: The changes; values may be JSON.

    Raises:
        ConfigError: A name or value is none that a capability takes; its path is into `changes`.
    """
    if not changes:
        return caps
    now = _Now(caps)
    for name, value in changes.items():
        _override_one(now, name, value)
    return replace(caps, **now)


def vary(caps: Capabilities, **fields: Any) -> Capabilities:
    """Return the capabilities with other fields: for the same arguments mostly the same object.

    What was computed for an object with these capabilities can then be found by its identity.

    Args:
        caps: The capabilities.
        fields: Their new values, which can be hashed.
    """
    key = (id(caps), *fields.items())
    row = _VARIED.get(key)
    if row is None:
        row = caps, replace(caps, **fields)  # the first one keeps its identity
        _VARIED.put(key, row, _VARIED_SIZE)
    return row[1]


_VARIED_SIZE = 2**12  # bytes of an entry, as most fields are shared
_VARIED: BoundedCache[tuple[Capabilities, Capabilities]] = BoundedCache(
    "dragoman.capabilities.overrides.vary", "capabilities with some other fields", 2**21
)


class _Now(dict[str, Any]):
    """The changed fields so far; the others are looked up in the capabilities."""

    def __init__(self, caps: Capabilities) -> None:
        super().__init__()
        self._can = caps

    def __missing__(self, name: str) -> Any:
        return getattr(self._can, name)


def _override_one(now: _Now, name: str, value: Any) -> None:
    if name == "thinking" and isinstance(value, bool):
        now["thinking"] = "all" if value else "never"
    elif name == "base64_only":
        sources: Mapping[str, frozenset[str]] = now["sources"]
        # text in the request itself needs no fetching
        only = {
            kind: sources.get(kind, frozenset()) & {"text"} | {"base64"} for kind in _media(value)
        }
        now["sources"] = {**sources, **only}
    elif name in _FIELDS:
        result = _OverrideReader(name, now[name]).read(_types()[name], value, f"$.{name}")
        now[name] = {**now[name], **result} if name in MERGED else result
    elif name in KINDS:
        _override_kind(now, name, value)
    elif name == "forced_tools":
        if not isinstance(value, bool):
            raise wrong("$.forced_tools", value, "true or false")
        choices: Kinds = now["tool_choices"]
        now["tool_choices"] = choices | _FORCED if value else choices - _FORCED
    else:
        names = [*sorted(_FIELDS), *KINDS, "base64_only", "forced_tools"]
        hint, path = f"one of {', '.join(names)}", f"$.{name}"
        text = f"unknown capability {show(name)}"
        raise ConfigError(text, hint=hint, path=path, code="capability.name")


def _media(value: Any) -> tuple[str, ...]:
    if isinstance(value, bool):
        return MEDIA if value else ()
    values = _as_tuple(value)
    if values is None or any(kind not in MEDIA for kind in values):
        raise wrong("$.base64_only", value, f"true, false or kinds out of {', '.join(MEDIA)}")
    return values


def _override_kind(now: _Now, kind: str, value: Any) -> None:
    showing = _as_tuple(value)
    if isinstance(value, bool):  # True: the present seats, else the user's
        current = tuple(seat for seat in SEATS if kind in now[seat])
        showing = (current or ("user",)) if value else ()
    if showing is None:
        raise wrong(f"$.{kind}", value, f"true, false or seats out of {', '.join(SEATS)}")
    for seat in showing:
        if seat not in SEATS:
            raise wrong(f"$.{kind}", seat, f"one of the seats {', '.join(SEATS)}")
    for seat in SEATS:
        kinds: Kinds = now[seat]
        now[seat] = kinds | {kind} if seat in showing else kinds - {kind}


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """Agents-Flex's switches of what a model supports. None keeps what is known of the model.

    Args:
        support_image: Whether users may send images.
        support_image_base64_only: Whether images may be sent as bytes only.
        support_audio: Whether users may send audio.
        support_video: Whether users may send video.
        support_tool: Whether the model takes tools.
        support_tool_message: Whether the history may have messages with results of tools.
        support_thinking: Whether thinking goes back to the model.

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
        """The switches as overrides of Capabilities."""
        plain = {
            "image": self.support_image,
            "audio": self.support_audio,
            "video": self.support_video,
            "tools": self.support_tool,
            "tool_messages": self.support_tool_message,
            "thinking": self.support_thinking,
        }
        result: dict[str, Any] = {name: value for name, value in plain.items() if value is not None}
        if self.support_image_base64_only:
            result["base64_only"] = ("image",)
        return result


def without(*kinds: str) -> dict[str, Any]:
    """The changes that forbid blocks of these kinds everywhere."""
    return dict.fromkeys(kinds, False)


def read_changes(value: Mapping[str, Any] | ChatConfig | None) -> dict[str, Any]:
    """The overrides of Capabilities as a dict.

    Args:
        value: A mapping, a ChatConfig, or None for no overrides.

    Raises:
        ConfigError: It is anything else.
    """
    if isinstance(value, ChatConfig):
        return value.changes()
    if value is not None and not isinstance(value, Mapping):
        raise ConfigError(f"capabilities are changed by a mapping, not {type(value).__name__}")
    return dict(value or {})
