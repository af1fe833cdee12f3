"""How an answer ended: the reason that its content bears out, and how far it was read.

Of a whole answer by `ending`, of one that is passed on in pieces by `Ends`. Knows no provider.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from ..message import ChatResponse, Finish, RawBlock, RefusalBlock, ToolUseBlock
from ..message.answer import FinishReason, Status
from ..message.blocks import ContentBlock
from ..message.total import total
from .calls import calls
from .piece import End, Key, Part, Piece

__all__ = ["Ends", "ending", "first_alone"]

_BEARS = frozenset({ToolUseBlock, RawBlock, RefusalBlock})  # kinds that a reason depends on
_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that content may correct


def ending(end: Finish | None, blocks: Sequence[ContentBlock]) -> tuple[Finish, Status]:
    """(why it stopped, how the reading ended); `end` is None where nobody said why.

    Providers say `stop` beside calls and `tool_calls` without any: the content decides. A call
    that breaks off makes an answer truncated, whatever the reason says.
    """
    calls = [block for block in blocks if type(block) is ToolUseBlock]
    broken = any(call.unfinished for call in calls)
    ready = any(not call.unfinished for call in calls) or any(map(_awaited, blocks))
    if end is None:
        return Finish("other"), "interrupted"
    reason: FinishReason = end.reason
    if reason in _OPEN:
        if ready:
            reason = "tool_calls"
        elif reason == "tool_calls" and not broken:
            reason = "stop"
        if reason == "stop" and any(type(block) is RefusalBlock for block in blocks):
            reason = "refusal"
    finish = end if reason == end.reason else Finish(reason, end.raw)
    cut = (broken and reason != "malformed_call") or reason in ("length", "context_overflow")
    return finish, "truncated" if cut else "complete"


def _awaited(block: ContentBlock) -> bool:
    """Whether it is a call of one protocol only, such as a custom tool's, that we have to run."""
    return type(block) is RawBlock and block.role == "call" and block.by == "client"


def first_alone(resp: ChatResponse) -> ChatResponse:
    """The answer with its first candidate only, for wires that tell one; so ends it, too."""
    if len(resp.candidates) < 2:
        return resp
    one = resp.candidates[0]
    status: Status = "error" if resp.status == "error" else "complete"
    if status == "complete":
        told = None if one.finish == Finish("other") else one.finish
        status = ending(told, one.msg.blocks)[1]
    return replace(resp, candidates=[one], status=status)


class Ends:
    """Corrects the reasons of an answer in pieces as `ending` does those of a whole one."""

    __slots__ = ("_parts", "_said", "_told")

    def __init__(self) -> None:
        self._parts: dict[Key, list[ContentBlock]] = {}
        self._told: dict[int, Finish] = {}  # what the provider said of each candidate
        self._said: dict[int, Finish] = {}  # and what was made of it

    def feed(self, piece: Piece) -> Piece:
        """The piece; an end with the reason that the candidate's content so far bears out."""
        if type(piece) is Part:
            if type(piece.block) in _BEARS or piece.key in self._parts:
                self._part(piece)
        elif type(piece) is End:
            index = piece.candidate
            if index not in self._told or piece.finish.raw:
                self._told[index] = piece.finish
            self._said[index] = self._borne(index)
            return End(self._said[index], index)
        return piece

    def finish(self) -> list[Piece]:
        """The ends that what came behind them made wrong, once more."""
        made: list[Piece] = []
        for index, said in self._said.items():
            if (now := self._borne(index)) != said:
                made.append(End(now, index))
        return made

    def _part(self, piece: Part) -> None:
        parts = self._parts.setdefault(piece.key, [])
        if piece.whole:
            parts.clear()
        parts.append(piece.block)

    def _borne(self, index: int) -> Finish:
        told = self._told[index]
        if told.reason not in _OPEN:
            return told
        mine = [self._parts[key] for key in sorted(self._parts) if key[0] == index]
        found = [total(list(run)) for parts in mine for _, run in groupby(parts, type)]
        return ending(told, calls(found, {}, told, ""))[0]
