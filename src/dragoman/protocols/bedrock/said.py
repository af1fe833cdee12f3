"""Blocks of an answer as content blocks of Converse; what it has no block for is a loss.

Serves whole answers and streams alike. Reference: Amazon Bedrock API reference, "ContentBlock".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import (
    Base64Source,
    Citation,
    DocumentBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
)
from ...message.blocks import MEDIA_KINDS, ContentBlock, MediaBlock, answered
from ...pieces.arguments import partial
from ...shapes import answer_fields
from .content import TEXT
from .media import FORMATS
from .parts import own_fields, part_as_read

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
        """The fields of this wire that nobody models; those of other issuers are losses by key."""
        return answer_fields(node, self._issuers, self.report)

    def mine(self, origin: Origin | None) -> bool:
        """Whether what is sealed in a block is for this wire."""
        return self.own if origin is None else origin.issuer in self._issuers

    def reads(self, issuer: str) -> bool:
        """Whether fields and raw blocks of this issuer are this wire's own."""
        return issuer in self._issuers

    def block(self, block: ContentBlock) -> Json:
        """The content block; None, with a loss, for what this wire cannot say in an answer."""
        self.fields(block)
        if not self.own and block.spelling is not None:
            block = replace(block, spelling=None)  # how it stood on another wire
        if type(block) is TextBlock:
            cited = self.citations(block)
            said = [{"text": block.text}] if block.text else []
            whole = {"content": said, "citations": cited}
            return {"citationsContent": whole} if cited else part_as_read(block, self.issuer)
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is ToolUseBlock:
            return self._call(block)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
            return {"text": block.text}
        if type(block) is RawBlock and self.reads(block.issuer):
            return _raw(block)
        if block.type in MEDIA_KINDS:
            return self._medium(block)  # type: ignore[arg-type]  # one of the four
        self.report.lost("answer.unsaid", block)
        return None

    def citations(self, block: TextBlock) -> list[JsonObject]:
        """The sources of another wire's text; this wire's own stand among the fields."""
        if not block.citations or "citations" in own_fields(block, self.issuer):
            return []
        return [self._citation(one) for one in block.citations]

    def _citation(self, cited: Citation) -> JsonObject:
        """`{"title", "sourceContent", "location": {"web"}}`, which is said of a whole block."""
        self.fields(cited)
        made: JsonObject = {}
        if cited.title is not None:
            made["title"] = cited.title
        if cited.quote is not None:
            made["sourceContent"] = [{"text": cited.quote}]
        if cited.url is not None:
            host = urlsplit(cited.url).hostname if "://" in cited.url else None
            domain = {} if host is None else {"domain": host}
            made["location"] = {"web": {"url": cited.url, **domain}}
        for name in ("start", "end"):
            if getattr(cited, name) is not None:
                did = "the whole block is cited"
                self.report.lost("answer.unsaid", cited, name, did=did, kind="degraded")
        return made

    def _thinking(self, block: ThinkingBlock) -> Json:
        block = self.unsealed(block)
        if block.redacted is None and not (block.thinking or block.signature or self.own):
            return None
        return part_as_read(block, self.issuer)

    def unsealed(self, block: ThinkingBlock) -> ThinkingBlock:
        """The thinking without what another issuer has sealed in it."""
        if self.mine(block.origin):
            return block
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return replace(block, signature=None, redacted=None)

    def _call(self, block: ToolUseBlock) -> Json:
        if isinstance(block.input, str) and TEXT not in (block.spelling or "").split():
            begun = partial(block.raw_input or block.input)
            self.report.lost("answer.unsaid", block, "input", kind="degraded",
                             what="argument text that is no object")  # fmt: skip
            block = replace(block, input=begun if isinstance(begun, dict) else {})
        return part_as_read(block, self.issuer)

    def _medium(self, block: MediaBlock) -> Json:
        source = block.source
        known = FORMATS.get(getattr(source, "media_type", None) or "") is not None
        document = type(block) is DocumentBlock
        stored = type(source) is URLSource and source.url.startswith("s3://")
        if not (stored or (type(source) is Base64Source and (known or document))):
            self.report.lost("answer.unsaid", block)
            return None
        if document and block.title is None and not self.own:
            self.report.lost("answer.field", block, "title", did="Document")
            block = replace(block, title="Document")
        for name in ("detail",) if document else ("title", "detail"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return part_as_read(block, self.issuer)


def _raw(block: RawBlock) -> Json:
    """The object as it came; of a call that broke off, the text of its input, too."""
    broken = (block.extras or {}).get(answered(block.issuer), {}).get("input")
    if broken is None:
        return block.data
    return {**block.data, "toolUse": {**block.data["toolUse"], "input": broken}}
