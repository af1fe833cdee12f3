"""Items of the model's as they were read, out of the blocks that `answers` made of them.

The inverse of `answers.blocks`, for answers and for requests alike, whatever a dialect may take.
Reference: OpenAI API, "The response object", `output`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...jsontext import Json, JsonObject
from ...message import RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered, noted
from .answers import ABSENT, ITEM, TEXTS
from .cited import as_cited
from .outputs import reasoning

__all__ = ["grouped", "items_as_read", "part_as_told", "words"]


def words(block: ContentBlock) -> list[str]:
    """The reader's notes on a block."""
    return block.spelling.split() if block.spelling else []


def grouped(blocks: Sequence[ContentBlock], issuer: str) -> list[list[ContentBlock]]:
    """The blocks of each item: one, or those of a message's parts."""
    made: list[list[ContentBlock]] = []
    for block in blocks:
        text = type(block) is TextBlock or type(block) is RefusalBlock
        if made and text and _goes_on(made[-1][-1], block, issuer):
            made[-1].append(block)
        else:
            made.append([block])
    return made


def _goes_on(before: ContentBlock, block: ContentBlock, issuer: str) -> bool:
    """Whether the block is one more part of the message that the one before it is of."""
    if type(before) is not TextBlock and type(before) is not RefusalBlock:
        return False
    extras = block.extras or {}
    begins = any(name in extras.get(issuer, {}) for name in ITEM)
    return not (begins or "item" in extras.get(answered(issuer), {}) or "item" in words(block))


def items_as_read(blocks: Sequence[ContentBlock], issuer: str, raw: bool) -> list[Json]:
    """The items; `raw`: thoughts are text. Fields of answers alone stand in them, too."""
    return [_item(group, issuer, raw) for group in grouped(blocks, issuer)]


def _item(group: list[ContentBlock], issuer: str, raw: bool) -> Json:
    first = group[0]
    if type(first) is RawBlock:
        return first.data
    if type(first) is TextBlock or type(first) is RefusalBlock:
        return _message(group, issuer)
    extras = first.extras or {}
    own = {**extras.get(answered(issuer), {}), **extras.get(issuer, {})}
    absent = extras.get(noted(issuer), {}).get(ABSENT, ())
    if type(first) is ThinkingBlock:
        made = {**reasoning(first, raw), **own}
    elif type(first) is ToolUseBlock:
        said = first.input if first.raw_input is None else first.raw_input
        made = {"type": "function_call", "call_id": first.id, "name": first.name, "arguments": said}
        made.update(own)
    else:  # nothing that a reader of this wire makes
        raise TypeError(f"{first.type} is no item")
    return {key: value for key, value in made.items() if key not in absent} if absent else made


def _message(group: list[ContentBlock], issuer: str) -> JsonObject:
    first = group[0]
    extras = first.extras or {}
    own = extras.get(issuer, {})
    notes = words(first)
    made: JsonObject = {} if "bare" in notes else {"type": "message"}
    made.update({name: own[name] for name in ITEM if name in own})
    if "roleless" not in notes:
        made["role"] = "assistant"
    rest = dict(extras.get(answered(issuer), {}).get("item", {}))
    parts: list[Json] = [part_as_told(block, issuer) for block in group]
    strange = rest.pop("content", {})
    for at in sorted(strange, key=int):
        parts.insert(int(at), strange[at])
    made["content"] = parts[0]["text"] if "string" in notes else parts
    made.update(rest)
    return made


def part_as_told(block: ContentBlock, issuer: str) -> Json:
    """The part of what the model says that `answers.part` made the block of."""
    extras = block.extras or {}
    made: JsonObject
    if type(block) is RefusalBlock:
        made = {"type": "refusal", "refusal": block.text}
    elif type(block) is TextBlock:
        kind = next((one for one in words(block) if one in TEXTS), "output_text")
        made = {"type": kind, "text": block.text}
        if block.citations is not None:
            made["annotations"] = [as_cited(one, issuer) for one in block.citations]
    else:
        raise TypeError(f"{block.type} is no part")
    own = extras.get(issuer, {})
    made.update({key: value for key, value in own.items() if key not in ITEM})
    made.update(extras.get(answered(issuer), {}).get("part", {}))
    return made
