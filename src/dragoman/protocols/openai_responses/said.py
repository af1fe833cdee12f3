"""What an answer of another wire says, as items of this one; and whose blocks are this wire's own.

Ids are made of the answer's id and the item's place: equal for whole answers and for streams.
Reference: OpenAI API, "The response object", `output`.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import (
    Citation,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...message.blocks import ANSWER, NOTES, ContentBlock
from ...message.heal import HEALED
from ...pieces.steps import argument_text
from .cited import annotation
from .dialect import Dialect
from .items import words

__all__ = ["Sayer"]

_NOTES = frozenset({"string", "item", "object"})


class Sayer:
    """Says blocks as items; what this wire cannot say goes to the report."""

    def __init__(self, dialect: Dialect, report: Report, seed: str, here: bool = False) -> None:
        self.here = here  # this wire's reader read the answer
        self.issuers = dialect.issuers
        self.raw = dialect.reasoning == "raw"
        self.report = report
        self.seed = seed

    def id(self, prefix: str, nth: int) -> str:
        """The id of the item at a place."""
        said = f"{self.seed}\0{nth}".encode("utf-8", "surrogatepass")
        return f"{prefix}_{blake2b(said, digest_size=12).hexdigest()}"

    def issuer(self, node: Any) -> str | None:
        """Under whose name this wire's reader has put what it noted on a node; None if nowhere."""
        for issuer in node.extras or ():
            bare: str = issuer.removesuffix(ANSWER).removesuffix(NOTES)
            if bare in self.issuers:
                return bare
        return None

    def ours(self, block: ContentBlock) -> str | None:
        """The issuer of a block that this wire's reader made; None for one of another wire."""
        if (issuer := self.issuer(block)) is not None:
            return issuer
        if type(block) is RawBlock:
            return block.issuer if block.issuer in self.issuers else None
        if type(block) is ThinkingBlock:
            who = block.origin.issuer if block.origin is not None else None
            return who if who in self.issuers else None
        if type(block) is ToolUseBlock and self.here:  # it may have no field of its own
            return self.issuers[0]
        return None if _NOTES.isdisjoint(words(block)) else self.issuers[0]

    def foreign(self, node: Any, known: Sequence[str] = ()) -> None:
        """Name the fields of other issuers that a node carries, but for `known`."""
        for issuer, own in (node.extras or {}).items():
            bare = issuer.removesuffix(ANSWER)
            if bare not in self.issuers and not issuer.endswith(NOTES) and issuer != HEALED:
                lost = {key: value for key, value in own.items() if key not in known}
                self.report.foreign(node, issuer, lost)

    def part(self, block: ContentBlock) -> JsonObject | None:
        """`output_text` or `refusal`; None for a text without a word, which is no part."""
        self.foreign(block)
        if type(block) is RefusalBlock:
            if block.category is not None:
                self.report.lost("answer.unsaid", block, "category")
            return {"type": "refusal", "refusal": block.text}
        assert type(block) is TextBlock  # no other is a part
        if not block.text and not block.citations:
            return None
        noted = [self.note(one, block.text) for one in block.citations or ()]
        listed = [one for one in noted if one is not None]
        return {"type": "output_text", "text": block.text, "annotations": listed, "logprobs": []}

    def note(self, cited: Citation, text: str) -> JsonObject | None:
        """The annotation that says this; it must have a span and a title."""
        self.foreign(cited)
        if (made := annotation(cited, self.issuers)) is not None:
            return made
        if cited.url is None:
            self.report.lost("answer.unsaid", cited)
            return None
        if cited.quote is not None:
            self.report.lost("answer.unsaid", cited, "quote")
        given = {"start": cited.start, "end": cited.end, "title": cited.title}
        for name, value in given.items():
            if value is None:
                self.report.lost("answer.field", cited, name)
        return {
            "type": "url_citation",
            "start_index": 0 if cited.start is None else cited.start,
            "end_index": len(text) if cited.end is None else cited.end,
            "url": cited.url,
            "title": cited.title if cited.title is not None else cited.url,
        }

    def message(self, id: str, parts: Sequence[Json], status: str) -> JsonObject:
        """A message of the model's."""
        made: JsonObject = {"type": "message", "id": id, "status": status, "role": "assistant"}
        return {**made, "content": list(parts)}

    def thought(self, id: str, block: ThinkingBlock) -> JsonObject | None:
        """`reasoning`; None where nothing can be read. What others have sealed in it is a loss."""
        self.foreign(block)
        sealed = self.sealed(block)
        for name in ("signature", "redacted") if sealed is None else ():
            if getattr(block, name):
                self.report.lost("answer.unsaid", block, name)
        if not block.thinking and sealed is None:
            return None
        made: JsonObject = {"type": "reasoning", "id": id, "summary": []}
        if block.thinking and self.raw:
            made["content"] = [{"type": "reasoning_text", "text": block.thinking}]
        elif block.thinking:
            made["summary"] = [{"type": "summary_text", "text": block.thinking}]
        return made if sealed is None else {**made, "encrypted_content": sealed}

    def sealed(self, block: ThinkingBlock) -> str | None:
        """What somebody has sealed in the thought for clients of this wire."""
        return (block.redacted or block.signature) if self.ours(block) is not None else None

    def call(self, id: str, block: ToolUseBlock) -> JsonObject:
        """`function_call`."""
        self.foreign(block)
        made: JsonObject = {"type": "function_call", "id": id, "call_id": block.id}
        made |= {"name": block.name, "arguments": self.arguments(block)}
        return {**made, "status": "incomplete" if block.unfinished else "completed"}

    def arguments(self, block: ToolUseBlock) -> str:
        """The argument text; an empty object where there is none."""
        text = argument_text(block)
        return text if text or block.unfinished else "{}"
