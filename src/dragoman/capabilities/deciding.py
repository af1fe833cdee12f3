"""Which change decides a loss: it speaks of the capability, and of the option or kind in question.

Knows neither codes nor losses: it is told what was asked, and about what.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .carried import MEDIA
from .values import KINDS, MERGED, SEATS

__all__ = ["About"]

_THINKING = ("reasoning", "reasoning_budget")
# what only losses about these fields ask for
_CONCERNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("thinks", "efforts", "budgets"), _THINKING),
    "parallel_switch": ("parallel",),
    "tool_choices": ("mode", "name", "allowed"),
    "details": ("detail",),
    "titles": ("title",),
}
_BLOCKS = frozenset(KINDS) - {"thinking"}  # `thinking` by itself is a field of its own


@dataclass(frozen=True, slots=True)
class About:
    """What a loss is about: a field such as `temperature`, and the `type` of the node it is on."""

    field: str = ""
    kind: str = ""

    def concerns(self, ask: str) -> bool:
        """Whether a capability may have decided it at all."""
        fields = _CONCERNS.get(ask)
        return fields is None or not self.field or self.field in fields

    def named(self, changes: Mapping[str, Any], ask: str) -> bool:
        """Whether changes say anything of a capability, for this option or kind of block."""
        if ask in changes:
            value = changes[ask]
            return not isinstance(value, Mapping) or self.listed(value, ask)
        if ask == "tool_choices" and "forced_tools" in changes:
            return True
        if ask == "sources" and "base64_only" in changes:
            only = changes["base64_only"]
            return bool(only) and (only is True or self.kind not in MEDIA or self.kind in only)
        if ask in SEATS or ask == "move_media":
            short = _BLOCKS.intersection(changes)
            return self.kind in short if self.kind in _BLOCKS else bool(short)
        return False

    def listed(self, table: Mapping[str, Any], ask: str) -> bool:
        """Whether a table of options or kinds names the one in question; a rule always does."""
        if ask not in MERGED:
            return True
        if ask == "options":
            return not self.field or self.field in table
        return self.kind not in MEDIA or self.kind in table
