"""Reads and writes the thinking of messages of Chat Completions.

Hosts and clients give it as a text in one of two fields, or `reasoning_details`, each of which is a
text, a summary or the sealed form. The spelling of a block is its field, or "detail", the field in
the detail, and "unsaid" if that is absent; a name of another field there is where the text was.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Capabilities
from ...message import Origin
from ...message.blocks import ContentBlock, ThinkingBlock
from ...text.json_text import JsonObject
from .. import claude_parts
from ..chat_like.messages import are_objects, own_extras
from .dialect import THINKING_FIELDS, Dialect

_ABSENT = "unsaid"
_DETAILS = {"reasoning.text": "text", "reasoning.summary": "summary", "reasoning.encrypted": "data"}


def read_thinking(fields: JsonObject, issuer: str, origin: Origin) -> list[ContentBlock]:
    """Take the thinking of an assistant's message in a request out of its fields."""
    if thoughts := claude_parts.read_thinking(fields, issuer):
        return [*thoughts]
    field = next((name for name in THINKING_FIELDS if isinstance(fields.get(name), str)), None)
    details = fields.get("reasoning_details")
    if not are_objects(details):
        if field is None:
            return []
        return [ThinkingBlock(fields.pop(field), spelling=field, origin=origin)]
    del fields["reasoning_details"]
    blocks = [_read_detail(detail, issuer, in_answer=False) for detail in details]
    for block, detail in zip(blocks, details, strict=True):
        block.origin = origin
        block.read_from = detail
    first = blocks[0]
    if field and first.signature is not None and not any(block.thinking for block in blocks):
        # details without a text hold the signature of the text in the field beside them
        first.thinking = fields.pop(field)
        first.spelling = f"{first.spelling} {_ABSENT} {field}"
    return [*blocks]


def _read_detail(detail: JsonObject, issuer: str, in_answer: bool) -> ThinkingBlock:
    """Read an entry of `reasoning_details`. If an answer's has no text, another delta brings it."""
    kind = detail.get("type")
    field = _DETAILS.get(kind) if isinstance(kind, str) else None
    text = detail.get(field) if field else None
    if text is not None and not isinstance(text, str) and in_answer:
        raise TypeError("a detail is text")
    if not isinstance(text, str) and not in_answer:
        field = None
    unknown = {key: value for key, value in detail.items() if key != field}
    spelling = ["detail", field or "", "" if field is None or field in detail else _ABSENT]
    block = ThinkingBlock("", spelling=" ".join(filter(None, spelling)))
    if field == "data":
        block.redacted = text
    elif field:
        block.thinking = text or ""
    if isinstance(detail.get("signature"), str):
        block.signature = unknown.pop("signature")
    if field == "text":
        del unknown["type"]
    block.extras = {issuer: unknown} if unknown else None
    return block


def is_thinking_part(block: ThinkingBlock) -> bool:
    """Whether the thinking was among the parts of the content."""
    head, _, field = (block.spelling or "").partition(" ")
    return head == claude_parts.FORM and not field.startswith(claude_parts.FIELD)


def write_thinking_as_read(block: ThinkingBlock, message: JsonObject, issuer: str) -> None:
    """Put thinking into the field of the message that it was read from."""
    spelling = block.spelling or THINKING_FIELDS[0]
    if claude_parts.write_thinking_as_read(block, message, issuer):
        return
    if not spelling.startswith("detail"):
        message[spelling] = block.thinking
        return
    detail = detail_as_read(block, spelling.split(), (block.extras or {}).get(issuer, {}))
    message.setdefault("reasoning_details", []).append(detail)
    _, _, field = spelling.partition(f" {_ABSENT} ")
    if field:
        message[field] = block.thinking


def detail_as_read(block: ThinkingBlock, spelling: list[str], extras: JsonObject) -> JsonObject:
    """Return the entry of `reasoning_details` that the block was read from."""
    field = spelling[1] if len(spelling) > 1 and spelling[1] != _ABSENT else ""
    elsewhere = spelling[-1] in THINKING_FIELDS  # the text is in a field of the message
    text = block.redacted if field == "data" else "" if elsewhere else block.thinking
    detail: JsonObject = {"type": "reasoning.text"} if field == "text" else {}
    if field and (text or elsewhere or _ABSENT not in spelling):
        detail[field] = text
    if block.signature is not None:
        detail["signature"] = block.signature
    return {**detail, **extras}


def write_thinking(
    message: JsonObject, blocks: list[ThinkingBlock], caps: Capabilities, dialect: Dialect
) -> None:
    """Write thinking into the vendor's fields."""
    if dialect.thinking_details and blocks:
        entries = [write_details(block, own_extras(block, caps)) for block in blocks]
        message["reasoning_details"] = [detail for details in entries for detail in details]
        return
    for key in dialect.thinking_fields or THINKING_FIELDS[:1]:
        message[key] = "\n".join(block.thinking for block in blocks)


def write_details(
    block: ThinkingBlock, extras: JsonObject, in_answer: bool = False
) -> list[JsonObject]:
    """Write the readable thinking with its signature, its sealed form, or both in this order.

    In answers, only what is present is written.
    """
    kind = extras.get("type")
    field = _DETAILS.get(kind, "") if isinstance(kind, str) else "text"
    if field not in ("text", "data"):  # a summary, or an unknown kind, which has fields of its own
        said = {field: block.thinking} if field else {}
        proof = {} if block.signature is None else {"signature": block.signature}
        return [{"type": kind, **said, **proof, **extras}]
    details: list[JsonObject] = []
    if block.thinking or (block.signature is not None if in_answer else block.redacted is None):
        text = {"text": block.thinking} if block.thinking or not in_answer else {}
        proof = {} if block.signature is None else {"signature": block.signature}
        details.append({"type": "reasoning.text", **text, **proof})
    if block.redacted is not None:
        details.append({"type": "reasoning.encrypted", "data": block.redacted})
    details[-1].update(extras)
    return details


class ThinkingReader:
    """Reads the thinking of one candidate.

    Args:
        issuer: The issuer of extra fields.
        cumulative: Whether each detail of a stream repeats what came before it.
    """

    def __init__(self, issuer: str, cumulative: bool) -> None:
        self._issuer = issuer
        self._cumulative = cumulative
        self._detailed = False
        self._open: tuple[Any, ...] | None = None  # the fields that identify the open detail
        self._count = 0
        self._length = 0  # of the text of the open detail so far

    def read(self, message: JsonObject) -> list[tuple[int, ThinkingBlock]]:
        """Read a message or delta: return the index of each block, and what is added to it."""
        details = message.get("reasoning_details")
        if isinstance(details, list) and details:
            self._detailed = True
            return [self._detail(detail) for detail in details]
        if self._detailed:
            return []  # the plain field repeats the details
        for name in THINKING_FIELDS:
            text = message.get(name)
            if isinstance(text, str) and text:
                return [(0, ThinkingBlock(text, spelling=name))]
            if text is not None and not isinstance(text, str):
                raise TypeError("thinking is text")
        return []

    def _detail(self, detail: JsonObject) -> tuple[int, ThinkingBlock]:
        block = _read_detail(detail, self._issuer, in_answer=True)
        kind = detail.get("type")
        is_sealed = kind == "reasoning.encrypted"
        identity = (kind, detail.get("index"), detail.get("id") if is_sealed else None)
        if identity != self._open or is_sealed:
            self._open = identity
            self._count += 1
            self._length = 0
        else:
            block.extras = None
        if self._cumulative and block.thinking:
            text = block.thinking
            block.thinking = text[self._length :]
            self._length = max(self._length, len(text))
        return self._count - 1, block
