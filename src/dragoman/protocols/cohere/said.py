"""Blocks of an answer as Cohere's items and calls; what it has none for is a loss.

Serves whole answers and streams alike. Reference: Cohere API, "Chat": `AssistantMessageResponse`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...jsontext import Json, JsonObject, arguments
from ...losses import Report
from ...message import RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...pieces.calls import MADE
from ...retold import UNTYPED
from ...shapes import answer_fields, filled
from .cited import listed, worded
from .parts import part_as_read

__all__ = ["Sayer"]


class Sayer:
    """Says blocks. `own`: the answer was read from this wire, so nothing is added to it."""

    __slots__ = ("_issuers", "issuer", "own", "report")

    def __init__(self, report: Report, issuers: tuple[str, ...], own: bool) -> None:
        self.report = report
        self.issuer = issuers[0]
        self.own = own
        self._issuers = issuers

    def fields(self, node: Any) -> JsonObject:
        """This wire's fields that nobody models; those of others are losses."""
        return answer_fields(node, self._issuers, self.report)

    def reads(self, issuer: str) -> bool:
        """Whether fields and raw blocks of this issuer are this wire's own."""
        return issuer in self._issuers

    def item(self, block: ContentBlock) -> Json:
        """The item of the content; None, with a loss, for what an answer here cannot say."""
        if type(block) is RawBlock and self.reads(block.issuer):
            return block.data
        self.fields(block)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
            return {"type": "text", "text": block.text}
        if type(block) is TextBlock or type(block) is ThinkingBlock:
            if type(block) is ThinkingBlock:
                self.unsealed(block)
                if not (block.thinking or self.own):
                    return None
            return part_as_read(block if self.own else replace(block, spelling=None), self.issuer)
        self.report.lost("answer.unsaid", block)
        return None

    def unsealed(self, block: ThinkingBlock) -> None:
        """Name what is sealed in thinking, which nobody on this wire takes."""
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)

    def citations(self, block: ContentBlock, at: int) -> list[Json]:
        """The citations of the item `at` (-1: the plan); one that names no span is a loss."""
        own = {} if type(block) is RawBlock else (block.extras or {}).get(self.issuer, {})
        if "citations" in own:
            return listed(own, at)
        made: list[Json] = []
        for one, said in worded(block, at) if type(block) is TextBlock else ():
            self.fields(one)
            if said is None:
                self.report.lost("answer.unsaid", one, what="citation")
            else:
                made.append(said)
        return made

    def call(self, block: ToolUseBlock) -> JsonObject:
        """The entry of `tool_calls`; an id that nobody gave is said to others alone."""
        words = (block.spelling or "").split()
        said: Json = block.raw_input
        if said is None:
            said = block.input if self.own else arguments(block.input)
        function: JsonObject = {"name": block.name, "arguments": said}
        made: JsonObject = {"id": block.id, "type": "function", "function": function}
        if self.own and MADE in words:
            del made["id"]
        if self.own and UNTYPED in words:
            del made["type"]
        return filled(made, self.fields(block))
