"""Items of the model's in their forms: messages whole as the API answered them, or bare; thoughts.

Bare messages lack type, id, status and annotations; a text may be a string. OpenAI's own types
know what the model said as a string or whole, and no bare parts; the API takes those, too.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import ThinkingBlock

__all__ = ["bare", "message", "reasoning", "told", "whole"]

_TEXT = {"type", "text"}
_EVERY = {"phase"}  # the API wants it on each message of the model's


def message(role: str, parts: list[JsonObject], short: bool, own: JsonObject) -> JsonObject:
    """`{"role", "content"}`; `short`: the content is a string if it is one text."""
    only = parts[0] if short and len(parts) == 1 and "status" not in own else {}
    said: Any = only["text"] if only.keys() == _TEXT else parts
    made: JsonObject = {"role": role, "content": said}
    if own:
        if "status" in own:
            made["type"] = "message"
        made.update(own)
    return made


def told(parts: list[JsonObject], short: bool, own: JsonObject) -> list[JsonObject]:
    """What the model said, bare; `short`: each text is a message of its own, a string.

    In parts goes what is more than texts: refusals, annotations, fields of one item alone.
    """
    if short and own.keys() <= _EVERY and all(part.keys() == _TEXT for part in parts):
        return [message("assistant", [part], True, own) for part in parts]
    return [message("assistant", parts, short, own)]


def whole(id: str, parts: list[JsonObject], own: JsonObject) -> JsonObject:
    """What the model said, with each field that its answer had."""
    made: JsonObject = {"type": "message", "id": id, "status": "completed", "role": "assistant"}
    made["content"] = [_annotated(part) for part in parts]
    made.update(own)
    return made


def reasoning(block: ThinkingBlock, raw: bool) -> JsonObject:
    """A summary with its sealed form; or raw text, where the host reads that back."""
    if raw:
        full: JsonObject = {"type": "reasoning", "summary": []}
        if block.thinking:
            full["content"] = [{"type": "reasoning_text", "text": block.thinking}]
        return full
    told = [{"type": "summary_text", "text": block.thinking}] if block.thinking else []
    made: JsonObject = {"type": "reasoning", "summary": told}
    if block.signature or block.redacted:
        made["encrypted_content"] = block.signature or block.redacted
    return made


def bare(item: JsonObject, short: bool) -> list[JsonObject]:
    """A whole item that lost its id and status, as the conversation says it."""
    parts = [_plain(part) for part in item["content"]]
    own = {key: value for key, value in item.items() if key not in ("type", "role", "content")}
    return told(parts, short, own)


def _annotated(part: JsonObject) -> JsonObject:
    needs = part.get("type") == "output_text" and "annotations" not in part
    return {**part, "annotations": []} if needs else part


def _plain(part: JsonObject) -> JsonObject:
    if part.get("annotations") == []:
        return {key: value for key, value in part.items() if key != "annotations"}
    return part
