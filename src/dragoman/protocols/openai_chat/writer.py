"""Seated messages as Chat Completions' `messages`.

Every seat's message becomes one wire message, every tool result one of its own. Nothing is
decided here that a capability could decide before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject, arguments
from ...message import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...message.blocks import CacheHint, ContentBlock
from ...seats import ASSISTANT, SYSTEM, TOOL, Seated
from ...shapes import arguments_of, own_extras, result_text
from ...thinktags import glued
from .dialect import Dialect
from .media import media_part
from .thinking import thought

__all__ = ["cached", "messages", "tool_call"]

_ROLES = ("system", "user", "assistant", "tool")


def messages(seated: Seated, can: Capabilities, dialect: Dialect) -> list[JsonObject]:
    """One wire message for each message; a tool's result is `{"role": "tool", ...}`."""
    out: list[JsonObject] = []
    parts = dialect.text == "parts"
    named, always = can.name_field != "never", can.name_field == "always"
    lone = dialect.call_content == "null" and not can.empty_thinking
    for m, seat, odd in zip(seated.msgs, seated.seats, seated.marks(), strict=True):
        content: Any = m.content
        made: JsonObject
        if type(content) is str:
            split = parts or (seat == SYSTEM and dialect.system_parts and not out)
            said: Any = [{"type": "text", "text": content}] if split else content
            made = {"role": _ROLES[seat], "content": said}
        elif seat == TOOL:
            out.extend([_result(block, can, dialect) for block in m.blocks])
            continue
        elif lone and not odd and len(content) == 1 and type(content[0]) is ToolUseBlock:
            call = tool_call(content[0], can)  # the usual turn that calls a tool
            made = {"role": "assistant", "content": None, "tool_calls": [call]}
        else:
            made = _blocks(m, seat, can, dialect, first=not out)
        if named and m.name and (always or m.name != m.role):
            made["name"] = m.name
        if seat == SYSTEM and m.role == "developer" and dialect.developer:
            made["role"] = "developer"
        if odd and m.extras is not None:
            made.update(own_extras(m, can))
        out.append(made)
    return out


def _blocks(m: Msg, seat: int, can: Capabilities, dialect: Dialect, first: bool) -> JsonObject:
    parts, calls, thoughts = _sorted(m, can, dialect)
    made: JsonObject = {"role": _ROLES[seat], "content": None}
    head = first and seat == SYSTEM and dialect.system_parts
    if parts or not calls or dialect.call_content != "null":
        made["content"] = parts if head else _content(parts, bool(calls), dialect)
    if dialect.call_content == "omit" and made["content"] is None:
        del made["content"]
    if calls:
        made["tool_calls"] = calls
    if seat == ASSISTANT and (thoughts is not None or can.empty_thinking):
        thought(made, thoughts, bool(calls), can, dialect)
    return made


def _sorted(
    m: Msg, can: Capabilities, dialect: Dialect
) -> tuple[list[JsonObject], list[JsonObject], list[ThinkingBlock] | None]:
    """(content parts, tool calls, thoughts or None): this wire keeps each in a field of its own."""
    parts: list[JsonObject] = []
    calls: list[JsonObject] = []
    thoughts: list[ThinkingBlock] | None = None
    content: Sequence[ContentBlock] = m.content  # type: ignore[assignment]  # text was said before
    if dialect.think_tags:
        content = glued(content)
    for block in content:
        if type(block) is TextBlock:
            text = {"type": "text", "text": block.text}
            parts.append(_extended(text, block, can, dialect))
        elif type(block) is ToolUseBlock:
            call = tool_call(block, can)
            calls.append(call if block.cache is None else cached(call, block.cache, dialect))
        elif type(block) is ThinkingBlock:
            thoughts = [] if thoughts is None else thoughts
            thoughts.append(block)
        elif (
            type(block) is ImageBlock
            or type(block) is AudioBlock
            or type(block) is VideoBlock
            or type(block) is DocumentBlock
        ):
            parts.append(_extended(media_part(block, dialect), block, can, dialect))
        elif type(block) is RefusalBlock:
            refusal = {"type": "refusal", "refusal": block.text}
            parts.append(_extended(refusal, block, can, dialect))
        elif type(block) is RawBlock:
            (calls if block.role == "call" else parts).append(block.data)
        elif type(block) is ToolResultBlock:
            raise WriteError("a tool result at another seat", code="seat.unsaid")
        else:
            assert_never(block)
    return parts, calls, thoughts


def _content(parts: list[JsonObject], calls: bool, dialect: Dialect) -> Any:
    plain = all(part.keys() == {"type", "text"} for part in parts)
    if dialect.text == "joined" and plain:
        said: Any = "\n".join(part["text"] for part in parts)
    elif dialect.text == "parts":
        said = parts
    else:
        said = parts[0]["text"] if plain and len(parts) == 1 else parts
    if said or not calls:
        return said or ("" if dialect.text != "parts" else parts)
    return "" if dialect.call_content == "empty" else None


def _extended(
    made: JsonObject, block: ContentBlock, can: Capabilities, dialect: Dialect
) -> JsonObject:
    if block.extras is not None:
        made.update(own_extras(block, can))
    hint = getattr(block, "cache", None)
    return made if hint is None else cached(made, hint, dialect)


def cached(made: JsonObject, hint: CacheHint, dialect: Dialect) -> JsonObject:
    """With the mark behind which the provider may cache, as the vendor spells it."""
    key, *rest = dialect.cache_mark.split()
    kind = {"type": "ephemeral"} if not rest else {"mode": rest[0]}
    made[key] = kind if hint.ttl is None else {**kind, "ttl": hint.ttl}
    return made


def tool_call(block: ToolUseBlock, can: Capabilities) -> JsonObject:
    """`{"id", "type": "function", "function": {"name", "arguments": JSON text}}`."""
    said = arguments(block.input) if block.raw_input is None else arguments_of(block)
    made: JsonObject = {
        "id": block.id,
        "type": "function",
        "function": {"name": block.name, "arguments": said},
    }
    if block.extras is not None:
        made.update(own_extras(block, can))
    return made


def _result(block: ContentBlock, can: Capabilities, dialect: Dialect) -> JsonObject:
    if type(block) is not ToolResultBlock:
        raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
    said: Any = block.output
    if type(said) is list and len(said) == 1 and _plain(said[0]):
        said = said[0].text
    elif type(said) is not str:
        said = _output(block, can, dialect)
    if block.cache is not None:
        said = _marked(said, block.cache, dialect)
    made: JsonObject = {"role": "tool", "tool_call_id": block.id, "content": said}
    if dialect.result_name and block.name:
        made["name"] = block.name
    if block.extras is not None:
        made.update(own_extras(block, can))
    return made


def _marked(said: Any, hint: CacheHint, dialect: Dialect) -> list[JsonObject]:
    """The content of a result as parts, for a string has no place for a mark."""
    parts = said if isinstance(said, list) else [{"type": "text", "text": said or ""}]
    return [*parts[:-1], cached(dict(parts[-1]), hint, dialect)]


def _plain(block: ContentBlock) -> bool:
    return type(block) is TextBlock and block.extras is None and block.cache is None


def _output(block: ToolResultBlock, can: Capabilities, dialect: Dialect) -> Any:
    """A result of several texts stays parts unless the vendor takes strings alone."""
    output = block.output
    if not isinstance(output, list):
        return result_text(block, dialect.bullets)
    flat = dialect.text == "joined" or dialect.bullets
    # media that a vendor takes in results can't be said in a string
    if flat and all(type(inner) is TextBlock and inner.cache is None for inner in output):
        return result_text(block, dialect.bullets)
    return [_part(inner, can, dialect) for inner in output] or ""


def _part(block: ContentBlock, can: Capabilities, dialect: Dialect) -> JsonObject:
    match block:
        case TextBlock():
            return _extended({"type": "text", "text": block.text}, block, can, dialect)
        case ImageBlock() | AudioBlock() | VideoBlock() | DocumentBlock():
            return _extended(media_part(block, dialect), block, can, dialect)
        case RawBlock(data=data) if isinstance(data, dict):
            return data
    raise WriteError(f"{block.type} inside a tool result", code="seat.unsaid")
