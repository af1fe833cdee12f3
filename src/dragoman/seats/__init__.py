"""Who says each message: a seat beside every message, and one survey of what the passes need.

One loop, no object per message. `dirty` holds the indexes of messages that somebody must look
at; `flags` what concerns the whole. Knows no wire.
"""

from .seated import (
    ASSISTANT,
    BLANK,
    CUT,
    FOLLOWING,
    GONE,
    IDS,
    LATE,
    MEDIA,
    MISNAMED,
    MIXED,
    NAMED,
    ODD,
    PAIRS,
    PARALLEL,
    SYSTEM,
    TOOL,
    UNNAMED,
    USER,
    Seated,
    has_tools,
    runs,
)
from .survey import checked, concluded, survey

__all__ = [
    "ASSISTANT",
    "BLANK",
    "CUT",
    "FOLLOWING",
    "GONE",
    "IDS",
    "LATE",
    "MEDIA",
    "MISNAMED",
    "MIXED",
    "NAMED",
    "ODD",
    "PAIRS",
    "PARALLEL",
    "SYSTEM",
    "TOOL",
    "UNNAMED",
    "USER",
    "Seated",
    "checked",
    "concluded",
    "has_tools",
    "runs",
    "survey",
]  # fmt: skip
