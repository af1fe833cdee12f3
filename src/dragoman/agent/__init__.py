"""An agent: a formatter, a model and tools in a loop that can stop anywhere and resume from JSON.

It imports only public names of this package. The loop is `ReActAgent._steps` in `agent.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..llm.settings import listing, refusing
from .agent import ReActAgent
from .events import (
    AgentEvent,
    CallEvent,
    LossesEvent,
    ResultEvent,
    RunEndEvent,
    UsageEvent,
)
from .hub import MsgHub, sequential_pipeline
from .memory import ClaimedMemory, Memory, SqliteMemory, Stored
from .run import Budget, Pending, Reply

__all__ = [
    "AgentEvent",
    "Budget",
    "CallEvent",
    "ClaimedMemory",
    "LossesEvent",
    "Memory",
    "MsgHub",
    "Pending",
    "ReActAgent",
    "Reply",
    "ResultEvent",
    "RunEndEvent",
    "SqliteMemory",
    "Stored",
    "UsageEvent",
    "sequential_pipeline",
]

if not TYPE_CHECKING:  # type checkers report unknown names themselves
    __getattr__, __dir__ = refusing(__name__), listing(globals(), __all__)
