"""A recorded stream shown as it would come in: block by block, delta by delta.

Sleeps between events, since recordings know no time. Knows no wire.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from ..message import ChatResponse, ToolUseBlock
from ..pieces import StreamEvent
from ..pieces.piece import Key
from .answer import ending, put, title

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Replay"]


class Replay:
    """Prints events of one answer, at most `speed` of them a second; 0 is all at once."""

    def __init__(self, screen: Console, speed: float) -> None:
        self._screen = screen
        self._pause = 1 / speed if speed else 0.0
        self._key: Key | None = None  # of the block whose line is open
        self._titles: dict[Key, str] = {}

    def show(self, events: list[StreamEvent]) -> None:
        """Print what these events say, and wait."""
        for event in events:
            kind, _, part = event.type.partition("-")
            if kind == "finish":
                self._line(None)
            elif kind == "block":
                self._line(None)
                if event.block is not None:
                    self._put("aside", title(event.block), "\n")
            elif part == "start":
                self._begin(event)
            elif part == "delta":
                self._grow(event, kind)
            elif isinstance(event.block, ToolUseBlock) and event.block.unfinished:
                self._line(None)
                self._put("wrong", title(event.block), "\n")

    def finish(self, resp: ChatResponse) -> None:
        """Print how the answer ended."""
        self._line(None)
        for style, text in ending(resp):
            self._put(style, text, "\n")

    def _begin(self, event: StreamEvent) -> None:
        self._line(None)
        if event.type == "thinking-start":
            self._put("thinking", "(thinking)", "\n")
        if event.block is not None:
            self._titles[event.key] = title(event.block)
            self._put("tool", self._titles[event.key], "\n")
            self._key = event.key

    def _grow(self, event: StreamEvent, kind: str) -> None:
        if event.key != self._key:
            self._line(event.key)
        self._put("text" if kind == "tool" else kind, event.text, "")
        sys.stdout.flush()
        if self._pause:
            time.sleep(self._pause)

    def _line(self, key: Key | None) -> None:
        """End the block whose line is open; of calls that interleave say which goes on."""
        if self._key is not None:
            self._put("text", "\n", "\n")
        if key in self._titles:
            self._put("tool", f"{self._titles[key]} goes on", "\n")
        self._key = key

    def _put(self, style: str, text: str, end: str) -> None:
        put(self._screen, style, text, end)
