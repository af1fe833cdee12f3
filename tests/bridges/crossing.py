"""The bridges as tests see them: each with what its library cannot hold, as a function.

Knows no library: what a bridge needs is imported by its own test.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman import Msg
from dragoman.bridges import BridgeLimit, langchain

from .conversations import plain_calls, plain_sources, split_results

__all__ = ["BRIDGES", "Bridge", "as_held"]


@dataclass(frozen=True)
class Bridge:
    """One bridge: its functions, and how a test looks at the other side.

    Attributes:
        name: The module of the bridge.
        read: `read_messages`.
        write: `write_messages`.
        limits: What the other library cannot hold.
        held: What comes back of messages that it can hold but in another order or number.
        runnable: The calls of messages of theirs that their library would run: (name, arguments).
    """

    name: str
    read: Callable[..., Any]
    write: Callable[..., Any]
    limits: Sequence[BridgeLimit]
    held: Callable[[list[Msg]], list[Msg]]
    runnable: Callable[[Sequence[Any]], list[tuple[str, Any]]]


def as_held(messages: Sequence[Msg], held: Callable[[list[Msg]], list[Msg]]) -> list[Msg]:
    """A copy of the messages as they come back; data URIs and texts of arguments are left out."""
    found = plain_calls(held(copy.deepcopy([*messages])))
    for msg in found:
        if not isinstance(msg.content, str):
            msg.content = plain_sources(msg.content)
    return found


def _langchain_calls(messages: Sequence[Any]) -> list[tuple[str, Any]]:
    calls = [call for message in messages for call in getattr(message, "tool_calls", ())]
    return [(call["name"], call["args"]) for call in calls]


BRIDGES = [
    Bridge(
        "langchain",
        langchain.read_messages,
        langchain.write_messages,
        langchain.LIMITS,
        split_results,
        _langchain_calls,
    ),
]
