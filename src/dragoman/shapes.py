"""The chat-shaped pieces that several rooms share: function tools, result text, own fields.

Pure functions over the tree; names no wire.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from .capabilities import Capabilities
from .errors import ReadError, WriteError
from .jsontext import JsonObject, arguments, loads
from .losses import Report
from .message import (
    ServerTool,
    TextBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
)
from .message.blocks import ANSWER, NOTES, ContentBlock
from .message.heal import HEALED
from .schema import lowered_once, report_changes
from .seats import SYSTEM, Seated
from .shown import shown

__all__ = [
    "answer_fields",
    "arguments_of",
    "filled",
    "function_tool",
    "head",
    "in_path",
    "own_extras",
    "own_tool",
    "parameters",
    "replay",
    "result_text",
    "texts",
    "unsaid",
]

_EMPTY: JsonObject = {"type": "object", "properties": {}}


def arguments_of(block: ToolUseBlock) -> str:
    """The argument text: the model's own if it still says what `input` says."""
    raw = block.raw_input
    if raw is not None and _says(raw, block.input):
        return raw
    return arguments(block.input)


def _says(raw: str, value: Any) -> bool:
    try:
        # by text: to Python 1, 1.0 and true are equal
        return arguments(loads(raw)) == arguments(value)
    except ReadError:
        return False


def parameters(tool: Tool, can: Capabilities, report: Report) -> tuple[JsonObject, bool | None]:
    """(the schema of a tool's parameters as the wire takes it, whether it is strict).

    An empty object if the tool declares none. What no strict schema can say is not strict.
    """
    told = tool.schema if tool.schema is not None else dict(_EMPTY)
    strict = tool.strict
    if strict is not None and not can.strict_tools:
        report.lost("tool.strict", tool, "strict")
        strict = None
    if strict and can.strict_schema:
        made = lowered_once(told, can.strict_schema)
        if not made.unfit:
            report_changes(made, report, tool, "parameters", tool.name)
            return made.schema, True
        why = f"{tool.name}: {made.unfit}"
        report.lost("schema.unfit", tool, "strict", why, "not strict", made.rule)
        strict = False
    if can.tool_schema == "plain":
        return told, strict
    made = lowered_once(told, can.tool_schema)
    report_changes(made, report, tool, "parameters", tool.name)
    return made.schema, strict


def function_tool(tool: Tool, can: Capabilities, report: Report) -> JsonObject:
    """`{"type": "function", "function": {"name", "description", "parameters"}}`."""
    function: JsonObject = {"name": tool.name, "description": tool.description}
    function["parameters"], strict = parameters(tool, can, report)
    if strict is not None:
        function["strict"] = strict
    if tool.cache is not None and not can.cached_tools:
        report.lost("tool.cache", tool, "cache")
    made: JsonObject = {"type": "function", "function": function}
    return replay(made, tool, can, report)


def replay(made: JsonObject, node: Any, can: Capabilities, report: Report) -> JsonObject:
    """`made`, filled with the fields of those issuers that this wire understands."""
    if node.extras is not None:
        for issuer, own in node.extras.items():
            if issuer in can.reads:
                filled(made, own)
            elif not issuer.endswith(NOTES):
                report.foreign(node, issuer, own)
    return made


def filled(made: JsonObject, own: Mapping[str, Any]) -> JsonObject:
    """`made` with an issuer's own fields: objects are filled, lists grow, the rest is set."""
    for key, value in own.items():
        there = made.get(key)
        if isinstance(there, dict) and isinstance(value, Mapping):
            made[key] = filled(dict(there), value)
        elif isinstance(there, list) and isinstance(value, list):
            made[key] = [*there, *(one for one in value if one not in there)]
        else:
            made[key] = value
    return made


def own_extras(node: Any, can: Capabilities) -> JsonObject:
    """The fields of a block or message that are this wire's: its issuers', and those it claims."""
    return {
        key: value
        for issuer, own in (node.extras or {}).items()
        for key, value in own.items()
        if issuer in can.reads or (not issuer and key in can.claims)
    }


def answer_fields(
    node: Any, issuers: Sequence[str], report: Report, known: Sequence[str] = ()
) -> JsonObject:
    """The fields of an answer's node that are this wire's, those of answers alone among them.

    Those of other issuers are losses by key, but for `known`: what is said of them elsewhere.
    """
    made: JsonObject = {}
    for issuer, own in (node.extras or {}).items():
        if issuer.removesuffix(ANSWER) in issuers:
            filled(made, own)
        elif issuer != HEALED and not issuer.endswith(NOTES):
            lost = {key: value for key, value in own.items() if key not in known}
            report.foreign(node, issuer, lost)
    return made


@lru_cache(maxsize=256)
def in_path(model: str, safe: str = "") -> str:
    """The model as a part of a path; `safe` signs stay. Raises WriteError for one that leads out.

    `.` and `..` would be taken as directions, also quoted.
    """
    if any(part in (".", "..") for part in model.split("/")):
        raise WriteError(f"{shown(model)} names no model", path="$.model", code="model.name")
    return quote(model, safe=safe)


def texts(blocks: Iterable[ContentBlock]) -> list[str]:
    """The texts of the text blocks."""
    return [block.text for block in blocks if type(block) is TextBlock]


def result_text(block: ToolResultBlock, bullets: bool) -> str:
    """A result as one text. Several pieces become a list with dashes, or lines."""
    output = block.output
    if type(output) is str:
        return output
    if output is None:
        return ""
    if isinstance(output, list):
        pieces = texts(output)
        if len(pieces) == 1:
            return pieces[0]
        return "\n".join(f"- {piece}" for piece in pieces) if bullets else "\n".join(pieces)
    return arguments(output)


def own_tool(tool: ServerTool, can: Capabilities) -> JsonObject:
    """A tool that nobody models, as its own provider declares it."""
    own = (own for issuer, own in (tool.extras or {}).items() if issuer in can.reads)
    return next(own, {})


def unsaid(tool: ServerTool, report: Report, *said: str) -> None:
    """Name the fields of a server tool that the provider's own has no place for."""
    for name, _ in tool.given():
        if name not in said:
            report.lost("server_tool.field", tool, name, what=f"{name} of {tool.kind}")


def head(seated: Seated) -> int:
    """How many messages stand before everything else as the system prompt."""
    count = 0
    for seat in seated.seats:
        if seat != SYSTEM:
            break
        count += 1
    return count
