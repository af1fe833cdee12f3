"""Thinking in the messages of a request, read into blocks, and said again as it was read.

Reference: `reasoning_content`, `reasoning` and `reasoning_details` as compatible servers have them.
"""

from __future__ import annotations

from ...jsontext import JsonObject
from ...message import Origin, ThinkingBlock
from ...message.blocks import ContentBlock
from .thoughts import FIELDS

__all__ = ["read_thoughts", "say_thought"]

_UNSAID = "unsaid"  # the text of a detail stands in a field beside it
_DETAILS = {"reasoning.text": "text", "reasoning.summary": "summary", "reasoning.encrypted": "data"}


def read_thoughts(rest: JsonObject, issuer: str, origin: Origin) -> list[ContentBlock]:
    """The thoughts of an assistant's message, taken out of the message."""
    details = rest.get("reasoning_details")
    if isinstance(details, list) and details and all(isinstance(one, dict) for one in details):
        del rest["reasoning_details"]
        made = [_detail(one, issuer, origin) for one in details]
        return _proven(made, rest)
    field = next((name for name in FIELDS if isinstance(rest.get(name), str)), None)
    return [ThinkingBlock(rest.pop(field), spelling=field, origin=origin)] if field else []


def _proven(details: list[ThinkingBlock], rest: JsonObject) -> list[ContentBlock]:
    """Details without a text, and the text that stands in the field beside them."""
    first = details[0]
    field = next((name for name in FIELDS if isinstance(rest.get(name), str)), None)
    if field and first.signature is not None and not any(one.thinking for one in details):
        first.thinking = rest.pop(field)
        first.spelling = f"{first.spelling} {_UNSAID} {field}"
    return [*details]


def _detail(told: JsonObject, issuer: str, origin: Origin) -> ThinkingBlock:
    rest = dict(told)
    kind = told.get("type")
    field = _DETAILS.get(kind) if isinstance(kind, str) else None
    block = ThinkingBlock("", spelling="detail", origin=origin)
    if field and isinstance(told.get(field), str):
        said = rest.pop(field)
        if field == "data":
            block.redacted = said
        else:
            block.thinking = said
        block.spelling = f"detail {field}"
    if isinstance(told.get("signature"), str):
        block.signature = rest.pop("signature")
    if block.spelling == "detail text":
        del rest["type"]
    if rest:
        block.extras = {issuer: rest}
    return block


def say_thought(block: ThinkingBlock, made: JsonObject, issuer: str) -> None:
    """Put a thought into the field of the message that it was read from."""
    spelling = block.spelling or FIELDS[0]
    if not spelling.startswith("detail"):
        made[spelling] = block.thinking
        return
    made.setdefault("reasoning_details", []).append(_said_detail(block, issuer))
    _, _, field = spelling.partition(f" {_UNSAID} ")
    if field:
        made[field] = block.thinking


def _said_detail(block: ThinkingBlock, issuer: str) -> JsonObject:
    _, field, *aside = f"{block.spelling} ".split(" ")
    made: JsonObject = {"type": "reasoning.text"} if field == "text" else {}
    if field == "data":
        made[field] = block.redacted
    elif field and field != _UNSAID:
        made[field] = "" if _UNSAID in aside else block.thinking
    if block.signature is not None:
        made["signature"] = block.signature
    return {**made, **(block.extras or {}).get(issuer, {})}
