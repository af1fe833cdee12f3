"""Formatters with AgentScope's names: its positional arguments, its output where the API takes it.

A named class is its vendor's row and what AgentScope does its own way, as data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from inspect import Parameter
from types import FunctionType
from typing import Any, ClassVar

from ..._old_names import keeps_old_names
from ...capabilities import ChatConfig, Facts, read_changes
from ...capabilities.families import FAMILIES, LIMITS
from ...capabilities.families.earlier_facts import DOCUMENTS, read_facts
from ...codec.wire import Wire
from ...history.speakers import ByName, ByRole, Rewrite
from ...history.wording import Wording
from ...message.blocks import BLOCKS
from ...protocols.base import Room
from ..wire_formatter import WireFormatter, rename_wording, signature

_PROMOTE = {
    "promote_tool_result_images": "image",
    "promote_tool_result_audios": "audio",
    "promote_tool_result_videos": "video",
}


_KINDS = ("text", "image", "audio", "video", "thinking")
_CHANGES: dict[str, Any] = {"move_media": (), "system_head": "first"}


@keeps_old_names
class NamedFormatter(WireFormatter):
    """A formatter by AgentScope's name. Positional arguments are in AgentScope's order.

    Keyword arguments beyond them: `model`, `can`, `policy`, `fetch`, `media_saver`, `rewrites`,
    `history_tokens` (the same as `max_tokens`, which is AgentScope's name for it), `speakers`,
    `truncate`, `prompt`, `wording`, and `facts` (Facts or the name of a profile).
    """

    vendor: ClassVar[Any] = None
    room: ClassVar[type[Any]]
    dialect: ClassVar[Any] = None
    documented: ClassVar[Mapping[str, Any]] = {}  # of the dialect under `documents-2025`
    changes: ClassVar[Mapping[str, Any]] = {}
    unknown: ClassVar[Mapping[str, Any]] = {}  # further changes while no model is named
    wording: ClassVar[Wording] = Wording()
    promotes: ClassVar[tuple[str, ...]] = ()
    leading: ClassVar[tuple[str, ...]] = ()

    inserts_turns = False  # AgentScope's classes pair and merge, but add no turn of their own
    support_tools_api: ClassVar[bool] = True
    support_multiagent: ClassVar[bool] = False
    support_vision: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if getattr(cls.__init__, "__code__", None) is NamedFormatter.__init__.__code__:
            _spell_out(cls)

    def __init__(
        self,
        *positional: Any,
        facts: Facts | str | None = None,
        model: str | None = None,
        can: Mapping[str, Any] | ChatConfig | None = None,
        wording: Wording | None = None,
        speakers: Rewrite | None = None,
        **options: Any,
    ) -> None:
        names = self._positional()
        if len(positional) > len(names):
            text = f"{type(self).__name__} takes at most {len(names)} positional arguments"
            raise TypeError(text)
        for name, value in zip(names, positional, strict=False):
            if name in options:
                raise TypeError(f"{type(self).__name__} got {name} twice")
            options[name] = value
        wording, others = rename_wording(wording, options)
        options = dict(others)
        moved = tuple(_PROMOTE[name] for name in self.promotes if options.get(name))
        for name in self.promotes:
            setattr(self, name, bool(options.pop(name, False)))
        heading = options.pop("conversation_history_prompt", None)
        unknown = self.unknown if model is None else {}
        changes = {**_CHANGES, **self.changes, **unknown, "move_media": moved}
        super().__init__(
            _wire(type(self), facts),
            model=model,
            can={**changes, **read_changes(can)},
            wording=wording or type(self).wording,
            speakers=speakers or self._speakers(heading, facts == DOCUMENTS),
            **options,
        )

    def _speakers(self, heading: str | None, documented: bool) -> Rewrite:
        return ByRole()

    @classmethod
    def _positional(cls) -> tuple[str, ...]:
        """The names of the positional arguments, in AgentScope's order."""
        return (*cls.leading, *cls.promotes, "token_counter", "max_tokens")

    @property
    def supported_blocks(self) -> list[type[Any]]:
        """The block classes that the user may show, and tool blocks where tools are taken."""
        kinds = [kind for kind in _KINDS if kind in self.can.user]
        kinds += ["tool_use", "tool_result"] if self.can.tools else []
        return [BLOCKS[kind] for kind in kinds]


_DEFAULTS = {"conversation_history_prompt": ("str | None", None)} | dict.fromkeys(
    _PROMOTE, ("bool", False)
)


def _spell_out(cls: type[NamedFormatter]) -> None:
    """Give the class an `__init__` of its own, with the arguments that it takes, for `help`."""
    shared = NamedFormatter.__init__
    init: Any = FunctionType(
        shared.__code__, shared.__globals__, shared.__name__, None, shared.__closure__
    )
    init.__kwdefaults__ = shared.__kwdefaults__
    init.__module__, init.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
    first = [name for name in cls._positional() if name in _DEFAULTS]
    init.__signature__ = signature(*(_parameter(name, *_DEFAULTS[name]) for name in first))
    cls.__init__ = init  # type: ignore[method-assign]


def _parameter(name: str, annotation: str, default: object) -> Parameter:
    kind = Parameter.POSITIONAL_OR_KEYWORD
    return Parameter(name, kind, default=default, annotation=annotation)


def _wire(cls: type[NamedFormatter], facts: Facts | str | None) -> Wire:
    dialect = cls.dialect
    if facts == DOCUMENTS and cls.documented:
        dialect = replace(dialect, **cls.documented)
    room: Room = cls.room(dialect)
    row = cls.vendor
    counted = [FAMILIES, LIMITS, Facts(row.limits), row.facts.get(room.protocol, Facts())]
    counted += read_facts(facts, room.protocol, cls.vendor.name)
    return Wire(cls.vendor.name, room, vendor=cls.vendor, facts=tuple(counted))


class ChatFormatter(NamedFormatter):
    """For a chat of a user and an assistant: the role decides who speaks."""


class MultiAgentFormatter(NamedFormatter):
    """For many agents: the name decides who speaks, in one `<history>` message per run."""

    leading = ("conversation_history_prompt",)
    support_multiagent = True
    history: ClassVar[ByName] = ByName(tag_media=False, unshown="")

    def _speakers(self, heading: str | None, documented: bool) -> Rewrite:
        history = replace(self.history, opening=ByName().opening) if documented else self.history
        return history if heading is None else replace(history, heading=heading)
