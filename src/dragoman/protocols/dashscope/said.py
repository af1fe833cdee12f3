"""What a block of an answer says in a message of this wire; the rest is named as lost.

Serves whole answers and streams alike.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...jsontext import arguments as spelled
from ...losses import Report
from ...media import url_of
from ...message import (
    AudioBlock,
    Base64Source,
    FileSource,
    Finish,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import ContentBlock
from ...pieces.calls import MADE
from ...shapes import answer_fields, filled
from .choice import REASONS

__all__ = ["Sayer"]

_WORDS = ("stop", "length", "tool_calls")


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

    def text(self, block: TextBlock | RefusalBlock) -> str:
        """The text; that of a refusal, too, which has no field of its own here."""
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

    def part(self, block: ContentBlock) -> JsonObject | None:
        """The block as a part of the content; None if no part can say it."""
        if (
            type(block) is RawBlock
            and block.issuer in self.issuers
            and isinstance(block.data, dict)
        ):
            return block.data
        told = self.fields(block)
        if type(block) is TextBlock or type(block) is RefusalBlock:
            return {"text": self.text(block), **told}
        link = self._link(block)
        if link is None:
            self.report.lost("answer.unsaid", block, what=f"a block of the kind {block.type}")
            return None
        for name in ("title", "detail"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return {block.type: link, **told}

    def _link(self, block: ContentBlock) -> str | None:
        """The URL of a medium that a part can show."""
        if not (
            type(block) is ImageBlock or type(block) is AudioBlock or type(block) is VideoBlock
        ):
            return None
        source = block.source
        if type(source) is URLSource or type(source) is Base64Source:
            return url_of(source, block.spelling if self.own else None)
        known = type(source) is FileSource and source.issuer in self.issuers
        return source.file_id if type(source) is FileSource and known else None

    def sound(self, block: AudioBlock) -> JsonObject:
        """`output.audio`: sound that stands beside the choices."""
        told = self.fields(block)
        source = block.source
        if type(source) is URLSource:
            return {"url": source.url, **told}
        data = source.data if type(source) is Base64Source else ""
        return {"data": data, **told} if data else told

    def call(self, block: ToolUseBlock, nth: int) -> JsonObject:
        """An entry of `tool_calls`, in the argument text that the model wrote."""
        told = self.fields(block)
        function = {"name": block.name, "arguments": self._given(block)}
        made: JsonObject = {"id": block.id, "type": "function", "function": function}
        if not self.own:
            made["index"] = nth
        elif MADE in (block.spelling or "").split():
            del made["id"]
        elif "id" in told:  # what stood there before the id was told
            del told["id"]
        if self.own and told.get("type", "") is None:  # it had none
            del made["type"], told["type"]
        return filled(made, told)

    def _given(self, block: ToolUseBlock) -> Any:
        if block.raw_input is not None and (self.own or block.raw_input.strip()):
            return block.raw_input
        if self.own:
            return block.input
        return block.input if isinstance(block.input, str) else spelled(block.input)

    def reason(self, finish: Finish, node: object) -> str | None:
        """The word for why it ended; the provider's own where it still says so."""
        raw = finish.raw
        if self.own and (raw is None or _fits(finish)):
            return raw
        if finish.reason in _WORDS:
            return finish.reason
        word = "length" if finish.reason == "context_overflow" else "stop"
        self.report.lost("answer.finish", node, "finish", what=finish.reason, did=word)
        return word


def _fits(finish: Finish) -> bool:
    """Whether the provider's word still says why; content corrects those that leave it open."""
    meant = REASONS.get(finish.raw or "", "other")
    opened = ("stop", "tool_calls", "other")
    return finish.reason == meant or (
        meant in opened and finish.reason in ("stop", "tool_calls", "refusal")
    )
