"""Citations: which block each is about, and how they stand in a message.

They stand beside the content, in one list; a block holds its own as they came, in its extras, and
in neutral words. Reference: Cohere API, "Chat": `Citation`; recorded answers: offsets count
characters of the item `content_index`, which is the first one where it is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Citation, TextBlock, ThinkingBlock
from ...message.blocks import ContentBlock
from .parts import PLAN

__all__ = ["about", "attached", "citation", "cite", "listed", "worded"]


def about(told: Json) -> int | None:
    """The number of the item that a citation is about, -1 for the plan; None if it tells none."""
    if not isinstance(told, dict):
        return None
    kind, at = told.get("type", "TEXT_CONTENT"), told.get("content_index")
    if kind == "PLAN":
        return -1
    if kind not in ("TEXT_CONTENT", "THINKING_CONTENT"):
        return None
    return 0 if at is None else at if type(at) is int and at >= 0 else None


def attached(content: Sequence[ContentBlock], told: list[Json], issuer: str) -> list[Json]:
    """Give the blocks of a content, and a plan behind it, their citations.

    What is left: from the first one on that is about none of them or about an earlier one.
    """
    plan = len(content) - 1 if content and content[-1].spelling == PLAN else None
    behind = 0
    for nth, one in enumerate(told):
        at = about(one)
        at = plan if at == -1 else None if at == plan else at
        if at is None or not behind <= at < len(content) or not cite(content[at], one, issuer):
            return told[nth:]
        behind = at
    return []


def cite(block: ContentBlock, told: JsonObject, issuer: str) -> bool:
    """Give the block one more citation; whether it is one that can have any."""
    if type(block) is not TextBlock and type(block) is not ThinkingBlock:
        return False
    mine = (block.extras or {}).get(issuer, {})
    block.extras = {**(block.extras or {}), issuer: mine}
    mine.setdefault("citations", []).append(told)
    if type(block) is TextBlock:
        block.citations = [*(block.citations or ()), citation(told)]
    return True


def citation(told: JsonObject) -> Citation:
    """What it says in neutral words: the span, and the first source that has a name or address."""
    start, end = told.get("start"), told.get("end")
    made = Citation(start if type(start) is int else None, end if type(end) is int else None)
    sources = told.get("sources")
    for source in sources if isinstance(sources, list) else ():
        found = source.get("document") if isinstance(source, dict) else None
        if not isinstance(found, dict):
            continue
        made.title = made.title or _text(found.get("title"))
        made.url = made.url or _text(found.get("url"))
    return made


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def listed(own: JsonObject, at: int) -> list[Json]:
    """The citations among a block's own fields, which is the item `at` (-1: the plan)."""
    told = own.get("citations")
    return [_at(one, at) for one in told] if isinstance(told, list) else []


def _at(told: JsonObject, at: int) -> Json:
    """The citation, about the item where the one that it was read with stands by now."""
    if at < 0 or about(told) == at:
        return told
    rest = {key: value for key, value in told.items() if key != "content_index"}
    return {**rest, "content_index": at} if at else rest


def worded(block: TextBlock, at: int) -> Iterable[tuple[Citation, JsonObject | None]]:
    """Each neutral citation with its form here; None for one that names no span."""
    for one in block.citations or ():
        if one.start is None or one.end is None:
            yield one, None
            continue
        data = {"title": one.title, "url": one.url, "snippet": one.quote}
        document = {key: value for key, value in data.items() if value is not None}
        id = one.url or one.title or ""
        made: JsonObject = {
            "start": one.start, "end": one.end, "text": block.text[one.start : one.end],
            "sources": [{"type": "document", "id": id, "document": document}],
            "type": "TEXT_CONTENT",
        }  # fmt: skip
        yield one, {**made, **({"content_index": at} if at else {})}
