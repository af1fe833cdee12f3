"""Pieces of an answer, and the sum of them: what every reader makes, whatever its protocol.

    payload -> room.reader -> Part | Meta | Usage | End | Raw | Failed -> Builder -> ChatResponse

Knows no provider, no wire, no bytes.
"""

from .arguments import Balance, partial
from .builder import Builder, build
from .events import EventView, StreamEvent
from .fault import ended_by, fault, unwell
from .piece import End, Failed, Key, Meta, Part, Piece, Raw, Usage

__all__ = [
    "Balance",
    "Builder",
    "End",
    "EventView",
    "Failed",
    "Key",
    "Meta",
    "Part",
    "Piece",
    "Raw",
    "StreamEvent",
    "Usage",
    "build",
    "ended_by",
    "fault",
    "partial",
    "unwell",
]
