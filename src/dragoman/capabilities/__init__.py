"""What a wire and a model can carry, as data: Capabilities, and dated Facts that change them.

Blocks are named by their `type`. Names no provider: what a protocol carries is the row `CAN` in
`protocols/*/capabilities.py`; what a model or a host takes is in `families/` and `vendors/`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refusing
from .capabilities import MEDIA, Capabilities, Limits, Stance
from .facts import STATES, Fact, Facts, bare, matches
from .name_rules import IdRule, NameRule
from .overrides import About, ChatConfig, override, read_changes, without

__all__ = [
    "MEDIA",
    "STATES",
    "About",
    "Capabilities",
    "ChatConfig",
    "Fact",
    "Facts",
    "IdRule",
    "Limits",
    "NameRule",
    "Stance",
    "bare",
    "matches",
    "override",
    "read_changes",
    "without",
]

if not TYPE_CHECKING:  # so that mypy still reports unknown names
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
