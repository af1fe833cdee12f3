"""Messages of a request, read into the tree, and said again as they were read.

`read_message` and `message_as_read` are each other's inverse, whatever a model may take; so are
`read_system` and `system_as_read`. Reference: Amazon Bedrock API reference, "Message".
"""

from __future__ import annotations

from itertools import islice
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...message.blocks import CacheHint, ContentBlock
from ..chat_shape import filled, own_extras
from .blocks import Shelf, cache_point, marked, parts_as_read, read_parts, thought

_ROLES = ("user", "assistant", "system")


_ABSENT = "absent"  # the spelling of a message without content


def read_message(told: Json, issuer: str, origin: Origin) -> Msg:
    """One entry of `messages`; what is no message of a known role is kept as it came."""
    role: Any = told.get("role") if isinstance(told, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return Msg.trusted("", [RawBlock(issuer, told, "message", by="client")], "user")
    content = told.get("content")
    known = {"role", "content"}
    made = Msg.trusted("", [], role)  # type: ignore[arg-type]  # one of the roles
    if type(content) is list:
        made.content = read_parts(content, issuer, origin if role == "assistant" else None)
    elif type(content) is str:  # which the API itself refuses
        made.content = content
    else:
        made.spelling = _ABSENT
        known.remove("content")
    if len(told) > len(known):
        rest = {key: value for key, value in told.items() if key not in known}
        made.extras = {issuer: rest} if rest else None
    return made


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` made the message of."""
    content: str | list[ContentBlock] = m.content
    made: JsonObject = {"role": m.role, "content": content}
    if not isinstance(content, str):
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        made["content"] = parts_as_read(content, issuer)
    if m.spelling == _ABSENT:
        del made["content"]
    if m.extras:
        made.update(m.extras.get(issuer, {}))
    return made


def read_system(told: Json, issuer: str) -> Msg | None:
    """The system prompt that stands beside the messages; None for what is none."""
    if isinstance(told, str):
        made = Msg.trusted("", told, "system")
        made.spelling = "top string"
    elif isinstance(told, list) and told:
        made = Msg.trusted("", read_parts(told, issuer), "system")
        made.spelling = "top list"
    else:
        return None
    return made


def system_as_read(m: Msg, issuer: str) -> Json:
    """What `read_system` made the message of."""
    return m.content if isinstance(m.content, str) else parts_as_read(m.content, issuer)


_WRITER_ROLES = ("system", "user", "assistant", "user")


def messages(
    history: RoledHistory, caps: Capabilities, report: Report, start: int = 0
) -> list[JsonObject]:
    """One wire message for each message from `start` on; a system prompt keeps its role."""
    out: list[JsonObject] = []
    writer = _Writer(caps, report)
    rows = zip(history.msgs, history.seats, history.marks(), strict=True)
    for m, seat, odd in islice(rows, start, None) if start else rows:
        content: Any = m.content
        if type(content) is str:
            said = [{"text": content}]
        elif odd or len(content) > 1:
            said = writer.blocks(content)
        else:
            said = [writer.plain(content[0])]
        made: JsonObject = {"role": _WRITER_ROLES[seat], "content": said}
        if odd and m.extras is not None:
            made.update(own_extras(m, caps))
        out.append(made)
    return out


def system(history: RoledHistory, caps: Capabilities, report: Report, end: int) -> list[JsonObject]:
    """The messages before `end` as the blocks of `system`."""
    writer = _Writer(caps, report)
    return [block for m in history.msgs[:end] for block in writer.blocks(m.blocks)]


class _Writer:
    """Blocks to blocks; remembers the names of the documents of its request."""

    __slots__ = ("can", "report", "shelf")

    def __init__(self, caps: Capabilities, report: Report) -> None:
        self.can = caps
        self.report = report
        self.shelf = Shelf(caps, report)

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
