"""Messages of a request, read into the tree and written.

Two writers: `MessageWriter` writes messages as `read_messages` found them, `MessageComposer` in
the form of content that an endpoint takes.

Reference: Model Studio, "Qwen API via DashScope", `input.messages`; requests of its SDKs,
AgentScope and Qwen-Agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import TOOL, RoledHistory
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
from ...message.blocks import ContentBlock
from ..chat_shape import (
    arguments_of,
    call_as_read,
    filled,
    no_message,
    own_extras,
    read_calls,
    result_text,
)
from ..chat_shape import read_messages as read_chat_messages
from .blocks import cache_field, read_cache, read_part, write_part
from .dialect import Dialect

_ROLES = ("system", "user", "assistant", "tool")


_NO_CALL = "nobody's"  # the spelling of a result that does not say whose call it answers


def read_messages(entries: Sequence[Json], issuer: str, model: str | None) -> list[Msg]:
    """The entries of `messages`; a result that names no call belongs to the first of its name."""
    origin = Origin(issuer, model)
    return read_chat_messages(
        entries, lambda entry, index: _read_message(entry, issuer, origin, index)
    )


def _read_message(entry: Json, issuer: str, origin: Origin, index: int) -> Msg:
    """One of them; what is no message of a known role is kept as it came."""
    role = entry.get("role") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(role, str) or role not in _ROLES:
        return no_message(entry, issuer)
    fields = {key: value for key, value in entry.items() if key != "role"}
    text_or_parts, spelling = _read_content(fields, issuer)
    node: Any
    if role == "tool":
        node = _read_result(fields, text_or_parts, spelling)
        node.read_from = entry
        m = Msg.trusted("", [node], "tool")
    else:
        blocks: list[ContentBlock] = []
        thinking = fields.get("reasoning_content") if role == "assistant" else None
        if isinstance(thinking, str) and thinking:
            blocks.append(ThinkingBlock(fields.pop("reasoning_content"), origin=origin))
        calls = read_calls(fields, issuer, index) if role == "assistant" else []
        content: Any = text_or_parts
        if not isinstance(content, str):
            content = [*blocks, *content, *calls]
        elif blocks or calls:
            content = [*blocks, *([TextBlock(content)] if content else []), *calls]
            spelling = "string"
        node = m = Msg.trusted("", content, role)  # type: ignore[arg-type]  # one of the roles
        m.spelling = spelling or None
    m.read_from = entry
    if fields:
        m.cache = read_cache(fields)
    if fields:
        node.extras = {issuer: fields}
    return m


def _read_content(fields: JsonObject, issuer: str) -> tuple[str | list[ContentBlock], str]:
    """(the content, how it is spelled); what is no content stays among the other fields."""
    content = fields.get("content")
    if isinstance(content, str):
        return fields.pop("content"), ""
    if isinstance(content, list):
        del fields["content"]
        return [read_part(part, issuer) for part in content], "list"
    if content is None and "content" in fields:
        del fields["content"]
        return [], "null"
    return [], "absent"


def _read_result(
    fields: JsonObject, output: str | list[ContentBlock], spelling: str
) -> ToolResultBlock:
    """The result, whose content is read by now."""
    block = ToolResultBlock("", output=output if spelling in ("", "list") else None)
    notes = [spelling] if spelling else []
    if isinstance(fields.get("tool_call_id"), str) and fields["tool_call_id"]:
        block.id = fields.pop("tool_call_id")
    else:
        notes.append(_NO_CALL)
    if isinstance(fields.get("name"), str) and fields["name"]:
        block.name = fields.pop("name")
    block.spelling = " ".join(notes) or None
    return block


class MessageWriter:
    """Writes messages as they were read from this wire: the `spelling` of a node is honoured."""

    __slots__ = ("issuer",)
    raw_calls = True  # calls that are no call of a function stand among the calls

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer

    def message(self, m: Msg) -> Json:
        """The entry of `messages` that the message was read from."""
        content: Any = m.content
        if type(content) is str:
            entry: JsonObject = {"role": m.role, "content": content}
        elif m.role == "tool":
            entry = self.result(content[0])
        elif len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        else:
            entry = self.blocks(content, m.role, m.spelling)
        return {**entry, **cache_field(m.cache), **self.fields(m)}

    def blocks(self, blocks: Sequence[ContentBlock], role: str, spelling: str | None) -> JsonObject:
        """The entry that the blocks make: content, thinking and calls, each in a field."""
        content: list[ContentBlock] = []
        calls: list[Json] = []
        thoughts: list[str] = []
        for block in blocks:
            if type(block) is ToolUseBlock:
                calls.append(self.call(block, len(calls)))
            elif type(block) is ThinkingBlock:
                thoughts.append(block.thinking)
            elif self.raw_calls and type(block) is RawBlock and block.role == "call":
                calls.append(block.data)
            else:
                content.append(block)
        entry: JsonObject = {"role": role, **self.content(content, spelling, bool(calls))}
        if thoughts:
            entry["reasoning_content"] = "\n".join(thoughts)
        if calls:
            entry["tool_calls"] = calls
        return entry

    def result(self, block: ContentBlock) -> JsonObject:
        """The entry of a tool result."""
        if type(block) is not ToolResultBlock:
            raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
        notes = self.notes(block)
        entry: JsonObject = {"role": "tool"}
        if _NO_CALL not in notes:
            entry["tool_call_id"] = block.id
        if "absent" not in notes:
            entry["content"] = self.output(block)
        if block.name:
            entry["name"] = block.name
        entry.update(self.fields(block))
        return entry

    def content(self, blocks: list[ContentBlock], spelling: str | None, calls: bool) -> JsonObject:
        """The field `content`, if there is one; `calls`: tool calls stand beside it."""
        if spelling == "string":
            return {"content": "".join(block.text for block in blocks if type(block) is TextBlock)}
        if spelling == "list":
            return {"content": [self.part(block) for block in blocks]}
        return {"content": None} if spelling == "null" else {}

    def part(self, block: ContentBlock) -> Json:
        """An entry of a content list."""
        if type(block) is RawBlock:
            return block.data
        return write_part(block, self.fields(block), block.spelling)

    def call(self, block: ToolUseBlock, index: int) -> Json:
        """An entry of `tool_calls`."""
        return call_as_read(block, self.issuer, index)

    def output(self, block: ToolResultBlock) -> Any:
        """The content of a tool result."""
        output = block.output
        return [self.part(part) for part in output] if isinstance(output, list) else output

    def notes(self, block: ToolResultBlock) -> list[str]:
        """What the spelling notes of a result."""
        return block.spelling.split() if block.spelling else []

    def fields(self, node: Any) -> JsonObject:
        """The fields of a node that nobody models."""
        return node.extras.get(self.issuer, {}) if node.extras is not None else {}


Form: TypeAlias = Literal["string", "parts", "either"]


class MessageComposer(MessageWriter):
    """Writes messages in one form of content, whatever wire they were read from."""

    __slots__ = ("caps", "dialect", "form", "report")
    raw_calls = False

    def __init__(self, caps: Capabilities, dialect: Dialect, endpoint: str, report: Report) -> None:
        super().__init__(dialect.issuers[0])
        self.caps = caps
        self.dialect = dialect
        # multimodal generation takes content in parts; without an endpoint a text may be either
        in_parts = "multimodal" in endpoint
        self.form: Form = "parts" if in_parts else "string" if endpoint else "either"
        self.report = report

    def messages(self, history: RoledHistory) -> list[JsonObject]:
        """One entry for each message, and one for each tool result."""
        entries: list[JsonObject] = []
        in_parts, as_string = self.form == "parts", self.form == "string"
        for m, role in zip(history.msgs, history.roles, strict=True):
            content: Any = m.content
            if type(content) is str:
                if in_parts or not (content or as_string):
                    content = [{"text": content}]
                entry: JsonObject = {"role": _ROLES[role], "content": content}
            elif role == TOOL:
                entries.extend(self.result(block) for block in content)
                continue
            else:
                entry = self.blocks(content, _ROLES[role], None)
            if m.extras is not None:
                entry.update(self.fields(m))
            entries.append(entry)
        return entries

    def content(self, blocks: list[ContentBlock], spelling: str | None, calls: bool) -> JsonObject:
        """The field `content`, as the endpoint takes it."""
        if not blocks:
            return {"content": self._no_content(calls)}
        parts = [self.part(block) for block in blocks]
        if self.form == "parts" or not self._only_text(blocks, parts):
            return {"content": parts}
        # several texts are joined as AgentScope joins them: without the empty ones
        text = "\n".join(part["text"] for part in parts if part["text"])
        return {"content": text if text or self.form == "string" else parts}

    def _no_content(self, calls: bool) -> Any:
        """Content without a part: beside calls what the endpoint itself answers."""
        if self.form == "string" or (self.form == "either" and not calls):
            return ""
        if not calls:
            return [{"text": ""}]
        # qwen3-max repeats a call for ever behind a null text, so only who asks for it gets it
        null = self.form == "either" and self.dialect.call_content == "null_text"
        return [{"text": None}] if null else []

    def _only_text(self, blocks: list[ContentBlock], parts: list[Any]) -> bool:
        """Whether the parts are texts without any other field."""
        return all(
            type(block) is TextBlock and len(part) == 1
            for block, part in zip(blocks, parts, strict=True)
        )

    def part(self, block: ContentBlock, where: str = "at this seat") -> Any:
        """An entry of a content list. Raises WriteError for a block that is no part."""
        if type(block) is TextBlock and block.cache is None and block.extras is None:
            return {"text": block.text}
        match block:
            case TextBlock() | ImageBlock() | AudioBlock() | VideoBlock():
                return write_part(block, self.fields(block))
            case RawBlock():
                if not isinstance(block.data, dict):
                    raise WriteError("a raw part that is no object", code="seat.unsaid")
                return block.data
            case DocumentBlock():
                raise WriteError("no part holds a document", code="seat.unsaid")
            case ToolUseBlock() | ToolResultBlock() | ThinkingBlock() | RefusalBlock():
                raise WriteError(f"{block.type} {where}", code="seat.unsaid")
            case _:
                assert_never(block)

    def call(self, block: ToolUseBlock, index: int) -> JsonObject:
        """An entry of `tool_calls`."""
        if block.cache is not None:
            # a mark stands on a part of the content, and a call is none
            self.report.lost("cache.unsaid", block, "cache")
        function: JsonObject = {"name": block.name, "arguments": arguments_of(block)}
        entry: JsonObject = {"id": block.id, "type": "function", "function": function}
        return entry if block.extras is None else filled(entry, self.fields(block))

    def output(self, block: ToolResultBlock) -> Any:
        """A string on both endpoints, and a list where the result holds more than text."""
        parts: list[Any] = []
        if isinstance(block.output, list):
            parts = [self.part(part, "inside a tool result") for part in block.output]
        if not parts or self._only_text(block.output, parts):  # type: ignore[arg-type]  # as above
            text = result_text(block, self.dialect.bullets)
            if block.cache is None:
                return text
            parts = [{"text": text}]
        if block.cache is not None:
            parts[-1] = {**parts[-1], **cache_field(block.cache)}
        return parts

    def notes(self, block: ToolResultBlock) -> list[str]:
        """Nothing: how a result was spelled does not matter here."""
        return []

    def fields(self, node: Any) -> JsonObject:
        """The fields of a node that this wire understands."""
        return own_extras(node, self.caps) if node.extras is not None else {}
