"""Blocks of an answer as this wire's content blocks, whole; what it has no block for is a loss.

Serves whole answers and streams alike. Reference: Anthropic API, "Create a Message", content blocks
of the response.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import (
    Citation,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...message.blocks import ContentBlock, answered
from ...pieces.arguments import partial
from ...shapes import answer_fields
from .ending import DETAILS

__all__ = ["Sayer"]


class Sayer:
    """Says blocks. `own`: the answer was read from this wire, so nothing is added to it."""

    __slots__ = ("issuers", "own", "report")

    def __init__(self, report: Report, issuers: tuple[str, ...], own: bool) -> None:
        self.report = report
        self.issuers = issuers
        self.own = own

    def fields(self, node: Any) -> JsonObject:
        """The fields of this wire that nobody models; those of other issuers are losses by key."""
        return answer_fields(node, self.issuers, self.report)

    def mine(self, origin: Origin | None) -> bool:
        """Whether what is sealed in a block is for this wire."""
        return self.own if origin is None else origin.issuer in self.issuers

    def block(self, block: ContentBlock) -> JsonObject | None:
        """The content block; None, with a loss, for what this wire cannot say in an answer.

        Refusals of this wire stand beside the content: see `ending.stop_details`.
        """
        if type(block) is TextBlock:
            return self._text(block)
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is ToolUseBlock:
            made = {"type": "tool_use", "id": block.id, "name": block.name}
            return {**made, "input": self.input(block), **self.fields(block)}
        if type(block) is RawBlock:
            if block.extras and "input" in block.extras.get(answered(block.issuer), {}):
                self.report.lost("answer.unsaid", block, "input", what="arguments that break off")
            return self.raw(block)
        if type(block) is RefusalBlock:
            told = not block.text or self.beside(block)
            return None if told else self._text(self.refused(block))
        self.report.lost("answer.unsaid", block)
        return None

    def beside(self, block: ContentBlock) -> bool:
        """Whether the block is a refusal that the fields of the answer tell."""
        return self.own and type(block) is RefusalBlock and block.spelling == DETAILS

    def refused(self, block: RefusalBlock) -> TextBlock:
        """The words of a refusal as text: whoever reads the answer looks for them there."""
        self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
        return TextBlock(block.text, extras=block.extras)

    def _text(self, block: TextBlock) -> JsonObject:
        own = self.fields(block)
        made: JsonObject = {"type": "text", "text": block.text}
        listed = isinstance(own.get("citations"), list)
        if cited := [] if listed else self.citations(block.citations or []):
            made["citations"] = cited
        return {**made, **own}

    def citations(self, cited: list[Citation]) -> list[JsonObject]:
        """Sources of another wire's answer: those found in the web have a form here."""
        made = []
        for one in cited:
            self.fields(one)
            if one.url is None:
                self.report.lost("answer.unsaid", one, what="citation")
                continue
            if one.start is not None or one.end is not None:
                self.report.lost("answer.unsaid", one, "start", did="cited by the whole block")
            made.append({"type": "web_search_result_location", "url": one.url, "title": one.title,
                         "cited_text": one.quote or "", "encrypted_index": ""})  # fmt: skip
        return made

    def _thinking(self, block: ThinkingBlock) -> JsonObject | None:
        own = self.fields(block)
        mine = self.mine(block.origin)
        if block.redacted is not None and mine:
            return {"type": "redacted_thinking", "data": block.redacted, **own}
        if not self.readable(block, mine):
            return None
        made: JsonObject = {"type": "thinking", "thinking": block.thinking}
        if not self.own:
            made["signature"] = (block.signature or "") if mine else ""
        elif block.signature is not None or block.spelling == "null":
            made["signature"] = block.signature
        return {**made, **own}

    def readable(self, block: ThinkingBlock, mine: bool) -> bool:
        """Whether thinking can be shown here; what another issuer has sealed in it is a loss."""
        for name in () if mine else ("redacted", "signature"):
            if getattr(block, name):
                self.report.lost("answer.unsaid", block, name, what=f"{name} of another issuer")
        return mine or bool(block.thinking)

    def input(self, call: ToolUseBlock) -> Json:
        """The arguments as an object; of text that breaks off, so far as it goes."""
        if self.own and call.spelling == "text":
            return call.raw_input
        given = call.input
        if isinstance(given, dict):
            return given
        told = partial(given) if isinstance(given, str) else None
        if isinstance(told, dict):
            self.report.lost("answer.unsaid", call, "input", what="arguments that break off",
                             did="said so far as they go", kind="degraded")  # fmt: skip
            return told
        self.report.lost("answer.unsaid", call, "input", what="arguments that are no object")
        return {}

    def raw(self, block: RawBlock) -> JsonObject | None:
        """What only one protocol has: verbatim if it is this one."""
        if block.issuer not in self.issuers or not isinstance(block.data, dict):
            self.report.lost("answer.unsaid", block, what=f"raw block of {block.issuer}")
            return None
        return block.data
