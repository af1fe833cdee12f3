"""Blocks of an answer as Mistral's chunks and calls; what it has none for is a loss.

Serves whole answers and streams alike. Reference: Mistral API, "AssistantMessage", "ContentChunk".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...jsontext import Json, JsonObject, arguments
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
)
from ...message.blocks import ContentBlock
from ...retold import UNTYPED
from ...shapes import answer_fields, filled
from .chunks import CLOSED
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

    def fields(self, node: Any, known: tuple[str, ...] = ()) -> JsonObject:
        """This wire's fields that nobody models; those of others are losses, but for `known`."""
        return answer_fields(node, self._issuers, self.report, known)

    def mine(self, origin: Origin | None) -> bool:
        """Whether what is sealed in a block is for this wire."""
        return self.own if origin is None else origin.issuer in self._issuers

    def reads(self, issuer: str) -> bool:
        """Whether fields and raw blocks of this issuer are this wire's own."""
        return issuer in self._issuers

    def chunk(self, block: ContentBlock) -> Json:
        """The chunk; None, with a loss, for what an answer of this wire cannot say."""
        self.fields(block)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
            return {"type": "text", "text": block.text}
        if self.own and (type(block) is not RawBlock or self.reads(block.issuer)):
            return part_as_read(block, self.issuer)
        if block.spelling is not None:
            block = replace(block, spelling=None)  # how it stood on another wire
        if type(block) is TextBlock:
            self.uncited(block)
            return part_as_read(block, self.issuer)
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is RawBlock and self.reads(block.issuer):
            return block.data
        if self._said(block):
            return part_as_read(block, self.issuer)
        self.report.lost("answer.unsaid", block)
        return None

    def uncited(self, block: TextBlock) -> None:
        """Name the sources of a text: this wire has none but its own references."""
        for cited in block.citations or ():
            self.report.lost("answer.unsaid", cited, what="citation")

    def _thinking(self, block: ThinkingBlock) -> Json:
        self.unsealed(block)
        if not block.thinking:
            return None
        plain = replace(block, signature=None, redacted=None, spelling=CLOSED)
        return part_as_read(plain, self.issuer)

    def unsealed(self, block: ThinkingBlock) -> None:
        """Name what is sealed in thinking, which nobody on this wire takes."""
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)

    def _said(self, block: ContentBlock) -> bool:
        """Whether a medium has a chunk; the fields of it that have no place are losses."""
        unsaid: tuple[str, ...] = ()
        if type(block) is ImageBlock:
            good, unsaid = isinstance(block.source, (URLSource, Base64Source)), ("title",)
        elif type(block) is AudioBlock:
            good, unsaid = isinstance(block.source, Base64Source), ("title", "detail")
        elif type(block) is DocumentBlock and isinstance(block.source, FileSource):
            good, unsaid = self.reads(block.source.issuer), ("title", "detail")
        else:
            good = type(block) is DocumentBlock and isinstance(
                block.source, (URLSource, Base64Source)
            )
            unsaid = ("detail",) if good else ()
        for name in unsaid if good else ():
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return good

    def call(self, block: ToolUseBlock, nth: int) -> JsonObject:
        """The entry of `tool_calls`, the `nth` of its message."""
        words = (block.spelling or "").split() if self.own else []
        said: Json = block.raw_input
        if said is None:
            said = block.input if self.own else arguments(block.input)
        made: JsonObject = {"id": block.id, "function": {"name": block.name, "arguments": said}}
        if UNTYPED not in words:
            made["type"] = "function"
        if "unplaced" not in words:
            made["index"] = nth
        return filled(made, self.fields(block))
