"""Seated messages as Converse's `messages`: `{"role": "user" | "assistant", "content": [...]}`.

Every content block is an object with one key. Results are said by the user; a cache hint is a
block of its own behind the hinted one.
"""

from __future__ import annotations

from base64 import b64encode
from itertools import islice
from typing import Any, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...message.blocks import CacheHint, ContentBlock
from ...seats import Seated
from ...shapes import filled, own_extras
from .media import Shelf

__all__ = ["cache_point", "marked", "messages", "system", "thought"]

_ROLES = ("system", "user", "assistant", "user")


def messages(seated: Seated, can: Capabilities, report: Report, start: int = 0) -> list[JsonObject]:
    """One wire message for each message from `start` on; a system prompt keeps its role."""
    out: list[JsonObject] = []
    writer = _Writer(can, report)
    rows = zip(seated.msgs, seated.seats, seated.marks(), strict=True)
    for m, seat, odd in islice(rows, start, None) if start else rows:
        content: Any = m.content
        if type(content) is str:
            said = [{"text": content}]
        elif odd or len(content) > 1:
            said = writer.blocks(content)
        else:
            said = [writer.plain(content[0])]
        made: JsonObject = {"role": _ROLES[seat], "content": said}
        if odd and m.extras is not None:
            made.update(own_extras(m, can))
        out.append(made)
    return out


def system(seated: Seated, can: Capabilities, report: Report, end: int) -> list[JsonObject]:
    """The messages before `end` as the blocks of `system`."""
    writer = _Writer(can, report)
    return [block for m in seated.msgs[:end] for block in writer.blocks(m.blocks)]


def cache_point(hint: CacheHint) -> JsonObject:
    """`{"cachePoint": {"type": "default"}}`, with a `ttl` if one was given."""
    point: JsonObject = {"type": "default"}
    if hint.ttl is not None:
        point["ttl"] = hint.ttl
    return {"cachePoint": point}


class _Writer:
    """Blocks to blocks; remembers the names of the documents of its request."""

    __slots__ = ("can", "report", "shelf")

    def __init__(self, can: Capabilities, report: Report) -> None:
        self.can = can
        self.report = report
        self.shelf = Shelf(can, report)

    def plain(self, block: ContentBlock) -> JsonObject:
        """The only block of a message that the survey found to be plain."""
        if type(block) is ToolUseBlock:
            said = {"toolUseId": block.id, "name": block.name, "input": block.input}
            return {"toolUse": said}
        if type(block) is ToolResultBlock:
            output = block.output
            if type(output) is list and len(output) == 1:
                output = output[0].text  # type: ignore[union-attr]  # plain results hold text
            if type(output) is str and output and not output.isspace():
                return {"toolResult": {"toolUseId": block.id, "content": [{"text": output}]}}
        return self._block(block)

    def blocks(self, blocks: list[ContentBlock]) -> list[JsonObject]:
        """The blocks of a message, each with the cache point that it hints at.

        Nothing stands between results: one point behind the last of them is for all.
        """
        out: list[JsonObject] = []
        waiting: list[tuple[ContentBlock, CacheHint]] = []
        end = len(blocks) - 1
        for i, block in enumerate(blocks):
            out.append(self._block(block))
            hint = getattr(block, "cache", None)
            if type(block) is ToolResultBlock:
                waiting += self._hints(block)
                if i < end and type(blocks[i + 1]) is ToolResultBlock:
                    continue
                hint = self._last(waiting, block)
                waiting.clear()
            if hint is not None:
                out.append(cache_point(hint))
        return out

    def _hints(self, block: ToolResultBlock) -> list[tuple[ContentBlock, CacheHint]]:
        """The hints in a result, and behind it."""
        inner = block.output if isinstance(block.output, list) else []
        hints = ((one, getattr(one, "cache", None)) for one in (*inner, block))
        return [(one, hint) for one, hint in hints if hint is not None]

    def _last(
        self, hints: list[tuple[ContentBlock, CacheHint]], block: ToolResultBlock
    ) -> CacheHint | None:
        """The last hint of a run of results that ends in `block`."""
        for one, _ in hints[:-1]:
            self.report.lost("cache.unsaid", one, "cache", did="one stands behind the last result")
        if hints and hints[-1][0] is not block:
            did = "stands behind the last result"
            self.report.lost("cache.unsaid", hints[-1][0], "cache", did=did, kind="moved")
        return hints[-1][1] if hints else None

    def _block(self, block: ContentBlock) -> JsonObject:
        if type(block) is TextBlock:
            made: JsonObject = {"text": block.text}
            return made if block.extras is None else marked(block, own_extras(block, self.can))
        if type(block) is ToolUseBlock:
            said = {"toolUseId": block.id, "name": block.name, "input": block.input}
            return {"toolUse": self._owned(said, block)}
        if type(block) is ToolResultBlock:
            return {"toolResult": self._owned(self._result(block), block)}
        if type(block) is ThinkingBlock:
            return {"reasoningContent": self._owned(thought(block), block)}
        if (
            type(block) is ImageBlock
            or type(block) is AudioBlock
            or type(block) is VideoBlock
            or type(block) is DocumentBlock
        ):
            return self.shelf.block(block)
        if type(block) is RawBlock and isinstance(block.data, dict):
            return block.data
        if type(block) is RawBlock or type(block) is RefusalBlock:
            raise WriteError(f"{block.type} has no content block", code="seat.unsaid")
        assert_never(block)

    def _owned(self, made: JsonObject, block: ContentBlock) -> JsonObject:
        if block.extras is not None:
            filled(made, own_extras(block, self.can))
        return made

    def _result(self, block: ToolResultBlock) -> JsonObject:
        """`{"toolUseId", "content", "status"}`; success is what a result without status says."""
        output = block.output
        if isinstance(output, dict):
            said: list[JsonObject] = [{"json": output}]
        elif isinstance(output, list):
            said = [self._block(inner) for inner in output if not self._blank(inner)]
        elif output and output.isspace():
            self.report.lost("text.blank", block, "output")
            said = []
        else:
            said = [{"text": output}] if output else []
        made: JsonObject = {"toolUseId": block.id, "content": said}
        if block.is_error and self.can.result_error:  # else a text says so
            made["status"] = "error"
        return made

    def _blank(self, block: ContentBlock) -> bool:
        """Whether a text says nothing, which is named: no block may be blank."""
        if type(block) is not TextBlock or block.text.strip():
            return False
        self.report.lost("text.blank", block)
        return True


def marked(block: TextBlock, own: JsonObject) -> JsonObject:
    """A text with the fields of its own; those of citations and of guards say which kind it is."""
    if "citations" in own:
        return _cited(block, own)
    if "guardContent" in own:
        return {"guardContent": filled({"text": {"text": block.text}}, own["guardContent"])}
    return {"text": block.text, **own}


def _cited(block: TextBlock, own: JsonObject) -> JsonObject:
    """`citationsContent` as the model gave it, around the text as it is now."""
    said = own.get("content")
    if said is None or "".join(str(one.get("text", "")) for one in said) != block.text:
        said = [{"text": block.text}] if block.text else None
    rest = {key: value for key, value in own.items() if key != "content"}
    return {"citationsContent": rest if said is None else {**rest, "content": said}}


def thought(block: ThinkingBlock) -> JsonObject:
    """`reasoningText`, or `redactedContent`: the sealed text as bytes, which travel in base64."""
    if block.redacted is not None:
        return {"redactedContent": b64encode(block.redacted.encode()).decode("ascii")}
    said: JsonObject = {"text": block.thinking}
    if block.signature is not None:
        said["signature"] = block.signature
    return {"reasoningText": said}
