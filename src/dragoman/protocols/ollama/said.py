"""What a block of an answer says in the fields of the message; the rest is named as lost.

Serves whole answers and streams alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...message.blocks import ContentBlock
from ...pieces.arguments import partial
from ...pieces.calls import MADE
from ...shapes import answer_fields, filled

__all__ = ["Sayer"]


class Sayer:
    """Says blocks. `own`: the answer was read from this wire, so nothing is added to it."""

    __slots__ = ("issuers", "own", "report")

    def __init__(self, report: Report, issuers: tuple[str, ...], own: bool) -> None:
        self.report = report
        self.issuers = issuers
        self.own = own

    def fields(self, node: Any, known: Sequence[str] = ()) -> JsonObject:
        """This wire's fields that nobody models; those of others are losses, but for `known`."""
        return answer_fields(node, self.issuers, self.report, known)

    def text(self, block: TextBlock | RefusalBlock) -> str:
        """The text; that of a refusal, too, which has no field of its own here."""
        self.fields(block)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
        elif type(block) is TextBlock and block.citations:
            self.report.lost("answer.unsaid", block, "citations")
        return block.text

    def thought(self, block: ThinkingBlock) -> str:
        """The text of the thinking; its seals are for nobody here."""
        self.fields(block)
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return block.thinking

    def data(self, block: ContentBlock) -> str | None:
        """The bytes of an image or of sound; None of anything else, which nothing can say.

        Only in an answer of this wire: the official client reads no message with images.
        """
        self.fields(block)
        medium = type(block) is ImageBlock or type(block) is AudioBlock
        source = getattr(block, "source", None)
        if self.own and medium and type(source) is Base64Source:
            return source.data
        self.report.lost("answer.unsaid", block, what=f"a block of the kind {block.type}")
        return None

    def call(self, block: ToolUseBlock, nth: int) -> JsonObject:
        """An entry of `tool_calls`."""
        told = self.fields(block)
        function: JsonObject = {"name": block.name, "arguments": self._arguments(block)}
        made: JsonObject = {}
        if not self.own:
            function["index"] = nth
        if not (self.own and MADE in (block.spelling or "").split()):
            made["id"] = block.id
        return filled({**made, "function": function}, told)

    def _arguments(self, block: ToolUseBlock) -> Json:
        """An object, always; text only where it was text on this very wire."""
        if self.own and block.raw_input is not None:
            return block.raw_input
        if isinstance(block.input, dict):
            return block.input
        begun = partial(block.raw_input or str(block.input))
        self.report.lost("answer.unsaid", block, "input", what="argument text that is no object",
                         kind="degraded")  # fmt: skip
        return begun if isinstance(begun, dict) else {}
