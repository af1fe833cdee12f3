"""Who says a part of a conversation, and what it is, in a few words for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ..message import ChatRequest, Msg, Options, RawBlock, ServerTool, Tool, ToolChoice
from ..message.answer import ChatResponse
from ..shown import clipped

__all__ = ["said_of", "speakers"]

_NAMES = {"tool_use": "tool call", "tool_result": "tool result", "raw": "block"}


def speakers(msgs: Sequence[Msg]) -> dict[int, tuple[str, str]]:
    """(what it is, whose turn it is) of each message, block and source, by identity."""
    turns: Counter[str] = Counter()
    found: dict[int, tuple[str, str]] = {}
    for i, m in enumerate(msgs):
        who = f"{m.role} {m.name}" if m.name and m.name != m.role else m.role
        turns[who] += 1
        whose = f"turn {turns[who]} of {clipped(who)}"
        found[id(m)] = (f"message {i}", whose)
        if not isinstance(m.content, str):
            for what, block in _named(m.content):
                found[id(block)] = (what, whose)
                if (source := getattr(block, "source", None)) is not None:
                    found[id(source)] = (f"source of {what}", whose)
    return found


def _named(blocks: Sequence[Any], where: str = "") -> Iterator[tuple[str, Any]]:
    """Each block with its name and number among those of its kind, results with what they hold."""
    counts: Counter[str] = Counter()
    for block in blocks:
        kind = _NAMES.get(block.type, f"{block.type} block")
        counts[kind] += 1
        what = f"{kind} {counts[kind]}"
        yield f"{what}{_more(block)}{where}", block
        output = getattr(block, "output", None)
        if isinstance(output, list):
            yield from _named(output, f" in {what}{where}")


def _more(block: Any) -> str:
    if getattr(block, "name", None):
        return f" of {clipped(str(block.name), 40)}"
    if isinstance(block, RawBlock):
        return f", as {block.issuer} has it"
    origin = getattr(block, "origin", None)
    return f", issued by {origin.issuer}" if origin is not None else ""


def said_of(node: Any, field: str, known: dict[int, tuple[str, str]]) -> tuple[str, str]:
    """(what it is, whose it is) of a node of the request or one of its fields."""
    what, whose = known.get(id(node), ("", ""))
    if not what:
        what = _part(node)
    if not field:
        return what, whose
    if isinstance(node, Options):
        return f"option {field}", whose
    return f"{field} of {what}", whose


def _part(node: Any) -> str:
    if isinstance(node, Tool):
        return f"tool {clipped(node.name, 40)}"
    if isinstance(node, ServerTool):
        return f"server tool {node.kind}"
    if isinstance(node, ToolChoice):
        return "tool choice"
    if isinstance(node, Options):
        return "options"
    if isinstance(node, (ChatRequest, ChatResponse)):
        return "the request"
    return "response format" if type(node).__name__ == "ResponseFormat" else type(node).__name__
