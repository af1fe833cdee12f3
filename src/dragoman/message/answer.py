"""ChatResponse: an answer, its candidates, what it cost and how the reading of it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, TypeAlias, final

from ..errors import ProviderError
from ..shown import Shown
from .blocks import Extras, TextBlock, ToolUseBlock
from .msg import Msg

__all__ = ["Candidate", "ChatResponse", "Finish", "FinishReason", "Status", "Usage"]

FinishReason: TypeAlias = Literal[
    "stop",
    "length",
    "tool_calls",
    "content_filter",
    "refusal",
    "pause",
    "context_overflow",
    "malformed_call",
    "error",
    "other",
]
Status: TypeAlias = Literal["complete", "truncated", "interrupted", "error"]


@dataclass(frozen=True, slots=True, repr=False)
class Finish(Shown):
    """Why the model stopped, and the provider's own word for it."""

    reason: FinishReason = "stop"
    raw: str | None = None


@final
@dataclass(slots=True, repr=False)
class Usage(Shown):
    """Tokens, disjoint: `input` without cache, `output` with reasoning. None means unknown."""

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    audio_in: int | None = None
    audio_out: int | None = None
    total: int | None = None
    extras: Extras | None = None


@dataclass(slots=True, repr=False)
class Candidate(Shown):
    """One of the answers to a request."""

    msg: Msg
    finish: Finish = field(default_factory=Finish)
    extras: Extras | None = None


@dataclass(slots=True, repr=False)
class ChatResponse(Shown):
    """An answer: its candidates, what it cost, and how the reading of it ended.

    `status`: `complete`, `truncated` (cut by a limit), `interrupted` (the stream broke off) or
    `error`, which `error` then holds.
    """

    candidates: list[Candidate]
    usage: Usage = field(default_factory=Usage)
    status: Status = "complete"
    model: str | None = None
    id: str | None = None
    extras: Extras | None = None
    error: ProviderError | None = field(default=None, compare=False)

    @property
    def msg(self) -> Msg:
        """The message of the first candidate."""
        return self.candidates[0].msg

    @property
    def finish(self) -> Finish:
        """Why the first candidate stopped."""
        return self.candidates[0].finish

    @property
    def text(self) -> str:
        """The text of the first candidate: blocks side by side are one text, in pieces."""
        runs = groupby(self.msg.blocks, type)
        texts = ["".join(b.text for b in run if type(b) is TextBlock) for _, run in runs]
        return "\n".join(text for text in texts if text)

    @property
    def calls(self) -> list[ToolUseBlock]:
        """The tool calls of the first candidate that may be run, in order."""
        return [call for call in self.msg.calls if not call.unfinished]
