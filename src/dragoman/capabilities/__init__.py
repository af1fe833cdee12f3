"""What a wire and a model can carry, as data: Capabilities, and dated Facts that change them.

Blocks are named by their `type`. Names no provider: each room and each vendor states its own.
"""

from .carried import MEDIA, Capabilities, Stance
from .deciding import About
from .facts import STATES, Fact, Facts, bare
from .overrides import ChatConfig, changes_of, override

__all__ = [
    "MEDIA",
    "STATES",
    "About",
    "Capabilities",
    "ChatConfig",
    "Fact",
    "Facts",
    "Stance",
    "bare",
    "changes_of",
    "override",
]
