"""One candidate of a stream: its blocks as deltas.

Reference: Mistral API, "DeltaMessage": content is text or a list of chunks, calls go by index.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Finish, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...pieces import Part
from ...pieces.calls import MADE
from ...pieces.steps import Grow, Open, Step, Steps, argument_text
from ...shapes import filled
from .chunks import CHUNK, CLOSED
from .said import Sayer

__all__ = ["Deltas"]


class Deltas:
    """The deltas of one candidate."""

    def __init__(self, index: int, say: Sayer, seed: str) -> None:
        self.end: Finish | None = None  # why it ended, as far as anybody has said
        self._index = index
        self._say = say
        self._steps = Steps(seed, say.report)
        self._begun = False
        self._calls = 0
        self._thoughts = 0  # of the thinking that is open, the pieces that went out

    def feed(self, part: Part) -> list[JsonObject]:
        """The choices that a piece makes."""
        return self._said(self._steps.feed(part))

    def finish(self) -> list[JsonObject]:
        """The choices of what still waits."""
        made = self._said(self._steps.finish())
        for block in self._steps.untold:
            self._say.report.lost("answer.unsaid", block, what="what came behind its block")
        return made

    def choice(self, delta: JsonObject, reason: str | None = None) -> JsonObject:
        """`{"index", "delta", "finish_reason"}`; the first delta says whose words these are."""
        if not self._begun:
            self._begun = True
            delta = {"role": "assistant", **delta}
        return {"index": self._index, "delta": delta, "finish_reason": reason}

    def beside(self, told: JsonObject) -> JsonObject:
        """A choice of fields that nobody models."""
        rest = dict(told)
        message = rest.pop("message", None)
        delta = message if isinstance(message, dict) else {"content": ""}
        return {**self.choice(delta), **rest}

    def _said(self, steps: list[Step]) -> list[JsonObject]:
        made: list[JsonObject] = []
        for step in steps:
            if type(step) is Open:
                delta = self._opened(step.block)
            elif type(step) is Grow:
                delta = self._grown(step.block)
            else:
                delta = self._shut(step.block)
            if delta:
                made.append(self.choice(delta))
        return made

    def _opened(self, block: ContentBlock) -> JsonObject:
        """The beginning of a call: its name, and its id unless nobody gave it one."""
        self._thoughts = 0
        if type(block) is not ToolUseBlock:
            return {}
        self._calls += 1
        made: JsonObject = {"index": self._calls - 1, "type": "function",
                            "function": {"name": block.name, "arguments": ""}}  # fmt: skip
        if not (self._say.own and block.spelling == MADE):
            made["id"] = block.id
        own = (block.extras or {}).get(self._say.issuer, {})
        return {"content": "", "tool_calls": [filled(made, own)]}

    def _grown(self, block: ContentBlock) -> JsonObject:
        if type(block) is TextBlock and block.spelling == CHUNK and self._say.own:
            return {"content": [self._say.chunk(block)]}
        if type(block) is TextBlock or type(block) is RefusalBlock:
            return {"content": block.text} if block.text else {}
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is ToolUseBlock and (text := argument_text(block)):
            function = {"name": "", "arguments": text}
            return {"tool_calls": [{"index": self._calls - 1, "function": function}]}
        return {}

    def _thinking(self, block: ThinkingBlock) -> JsonObject:
        own = dict((block.extras or {}).get(self._say.issuer, {}))
        said: Any = [{"type": "text", "text": block.thinking}] if block.thinking else []
        if (came := own.pop("thinking", None)) is not None:  # all that was thought so far
            said = came[self._thoughts :]
            self._thoughts = len(came)
        else:
            self._thoughts += len(said)
        chunk: Json = {"type": "thinking", "thinking": said, **own}
        if self._say.own and block.spelling == CLOSED:
            chunk["closed"] = True
        if not said and len(chunk) == 2:
            return {}
        return {"content": [chunk]}

    def _shut(self, block: ContentBlock) -> JsonObject:
        """The end of a block: what came in one piece is said, what cannot be is named."""
        say = self._say
        if type(block) is TextBlock:
            say.fields(block)
            if not say.own:
                say.uncited(block)
            return {}
        if type(block) is ThinkingBlock:
            say.fields(block)
            say.unsealed(block)
            return {}
        if type(block) is ToolUseBlock:
            say.fields(block)
            return {}
        chunk = say.chunk(block)
        if type(block) is RefusalBlock or chunk is None or type(chunk) is not dict:
            return {}
        return {"content": [chunk]}
