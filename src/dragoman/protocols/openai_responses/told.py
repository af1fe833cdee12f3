"""Pieces of another wire's answer as the events of items, one block after the other.

Texts and refusals side by side are the parts of one message; what this wire cannot say is named.
"""

from __future__ import annotations

from dataclasses import replace

from ...jsontext import Json, JsonObject
from ...message import RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...pieces import Part
from ...pieces.arguments import cut
from ...pieces.steps import Grow, Open, Shut, Step, Steps, argument_text
from .events import Event, Events, Line
from .said import Sayer

__all__ = ["Told"]


class Told:
    """Says the parts of one answer."""

    def __init__(self, events: Events, sayer: Sayer) -> None:
        self._events = events
        self._sayer = sayer
        self._steps = Steps(sayer.seed, sayer.report)
        self._line: Line | None = None  # of the item that is open
        self._parts: list[Json] | None = None  # of the message that is open
        self.output: list[Json] = []
        self.broken = False  # some call broke off
        self._cut = False  # so did the answer

    def feed(self, part: Part) -> list[Event]:
        """The events that the piece makes."""
        return [event for step in self._steps.feed(part) for event in self._say(step)]

    def finish(self, ended: bool, cut: bool) -> list[Event]:
        """What waited, and the end of the item that is open; `cut`: a limit ended the answer."""
        self._cut = cut or not ended
        made = [event for step in self._steps.finish() for event in self._say(step)]
        made += self._closed("incomplete" if self._cut else "completed")
        for block in self._steps.untold:
            self._sayer.report.lost("answer.unsaid", block)
        self._steps.untold.clear()
        return made

    def _say(self, step: Step) -> list[Event]:
        block = step.block
        if type(block) is TextBlock or type(block) is RefusalBlock:
            return self._text(step, block)
        made = self._closed("completed") if type(step) is Open else []
        if type(block) is ThinkingBlock:
            return made + self._thought(step, block)
        if type(block) is ToolUseBlock:
            return made + self._call(step, block)
        return made + (self._other(block) if type(step) is Shut else [])

    def _begun(self, prefix: str, item: JsonObject) -> list[Event]:
        at = len(self.output)
        self._line = Line(self._events, at, self._sayer.id(prefix, at), self._sayer.raw)
        return self._line.added(item)

    def _ended(self, item: Json) -> list[Event]:
        line, self._line = self._line, None
        assert line is not None  # it has begun
        self.output.append(item)
        return line.done(item)

    def _text(self, step: Step, block: TextBlock | RefusalBlock) -> list[Event]:
        """Nothing, until there is a word, or an end that says something."""
        refusal = type(block) is RefusalBlock
        if type(step) is Grow and block.text:
            made = self._spoken()
            assert self._line is not None  # a message is open
            return made + self._line.text(step.index, refusal, block.text)
        if type(step) is not Shut or (part := self._sayer.part(block)) is None:
            return []
        made = self._spoken()
        assert self._line is not None
        assert self._parts is not None
        self._parts.append(part)
        made += self._line.text(step.index, refusal, "")
        made += [self._line.note(step.index, one) for one in part.get("annotations", ())]
        return made + self._line.said(step.index, part)

    def _spoken(self) -> list[Event]:
        """The beginning of the message, if none is open."""
        if self._parts is not None:
            return []
        self._parts = []
        empty = {"type": "message", "status": "in_progress", "role": "assistant"}
        return self._begun("msg", {**empty, "content": []})

    def _closed(self, status: str) -> list[Event]:
        """The end of the message, if one is open."""
        parts, self._parts = self._parts, None
        if parts is None or self._line is None:
            return []
        return self._ended(self._sayer.message(self._line.id or "", parts, status))

    def _thought(self, step: Step, block: ThinkingBlock) -> list[Event]:
        """Nothing, as long as nothing can be read."""
        made: list[Event] = []
        if type(step) is Open:  # the first piece is told once more, as it grows
            return made
        if type(step) is Grow:
            if block.thinking and self._line is None:
                made = self._begun("rs", {"type": "reasoning", "summary": []})
            return made + (self._line.thought(block.thinking) if self._line is not None else [])
        if self._line is None and self._sayer.sealed(block) is not None:
            made = self._begun("rs", {"type": "reasoning", "summary": []})
        item = self._sayer.thought(self._line.id or "" if self._line is not None else "", block)
        if item is None or self._line is None:
            return []
        return made + self._line.thought_whole(block.thinking) + self._ended(item)

    def _call(self, step: Step, block: ToolUseBlock) -> list[Event]:
        if type(step) is Open:
            begun = {"type": "function_call", "call_id": block.id, "name": block.name}
            return self._begun("fc", {**begun, "arguments": "", "status": "in_progress"})
        assert self._line is not None
        if type(step) is Grow:
            return self._line.arguments(argument_text(block))
        text = argument_text(block)
        if cut(text) or (self._cut and not text):  # there may have been arguments to come
            block = replace(block, unfinished=True)
            self.broken = True
        item = self._sayer.call(self._line.id or "", block)
        said = item["arguments"]
        made = self._line.arguments(said) if not text else []
        return made + self._line.called(block.name, said) + self._ended(item)

    def _other(self, block: ContentBlock) -> list[Event]:
        """An item of this wire's own, in one piece; anything else is a loss."""
        if type(block) is RawBlock and self._sayer.ours(block) and isinstance(block.data, dict):
            id = block.data.get("id")
            at = len(self.output)
            named = id if isinstance(id, str) else None
            self._line = Line(self._events, at, named, self._sayer.raw)
            return self._line.added(block.data) + self._ended(block.data)
        self._sayer.report.lost("answer.unsaid", block)
        return []
