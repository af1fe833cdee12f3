"""The chat-shaped pieces that several rooms share: function tools, result text, options.

Pure functions over the tree; names no wire.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from .capabilities import Capabilities
from .errors import ReadError, WriteError
from .jsontext import JsonObject, arguments, loads
from .losses import Report
from .message import (
    ChatRequest,
    ResponseFormat,
    ServerTool,
    TextBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    ToolUseBlock,
)
from .message.blocks import ContentBlock
from .room import SayableRequest
from .rules import NameRule, mapping
from .seats import SYSTEM, Seated
from .shown import shown

__all__ = [
    "arguments_of",
    "choice",
    "demand_json_word",
    "filled",
    "format_name",
    "function_tool",
    "head",
    "in_path",
    "options",
    "own_extras",
    "parameters",
    "replay",
    "response_format",
    "result_text",
    "stance",
    "stubs",
    "texts",
    "unsaid",
    "within",
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


def parameters(tool: Tool) -> JsonObject:
    """The schema of a tool's parameters; an empty object if it declares none."""
    return tool.schema if tool.schema is not None else dict(_EMPTY)


def function_tool(tool: Tool, can: Capabilities, report: Report) -> JsonObject:
    """`{"type": "function", "function": {"name", "description", "parameters"}}`."""
    function: JsonObject = {"name": tool.name, "description": tool.description}
    function["parameters"] = parameters(tool)
    if tool.strict is not None:
        if can.strict_tools:
            function["strict"] = tool.strict
        else:
            report.lost("tool.strict", tool, "strict")
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
            else:
                report.lost("extras.foreign", node, f"extras.{issuer}", what=f"fields of {issuer}")
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


def unsaid(tool: ServerTool, report: Report, *said: str) -> None:
    """Name the fields of a server tool that the provider's own has no place for."""
    for name, _ in tool.given():
        if name not in said:
            report.lost("server_tool.field", tool, name, what=f"{name} of {tool.kind}")


def choice(
    say: SayableRequest, report: Report, among: Sequence[object] | None = None
) -> ToolChoice | None:
    """The tool choice in wire names, lowered to what the wire takes; None if nothing is to say.

    `among`: the tools that a choice is made of here; all that are offered, unless given.
    """
    request, can = say.request, say.can
    given = request.tool_choice
    if given is None:
        return None
    if not (say.offered if among is None else among):
        if can.none_by != "withholding" or given.mode != "none":  # else said by their absence
            report.lost("tool_choice.no_tools", given)
        return None
    if not can.tool_choices:
        report.lost("tool_choice.unsaid", given, what=given.mode)
        return None
    mode, name, allowed = given.mode, given.name, given.allowed
    spelled = say.names
    offered = {tool.name for tool in say.tools}
    if name is not None and spelled.get(name, name) not in offered:
        report.lost("tool_choice.unknown", given, "name", what=name, did="auto")
        mode, name = "auto", None
    if unknown := [one for one in allowed if spelled.get(one, one) not in offered]:
        report.lost("tool_choice.unknown", given, "allowed", what=", ".join(unknown))
        allowed = tuple(one for one in allowed if one not in unknown)
    if mode not in can.tool_choices:
        report.lost("tool_choice.lowered", given, "mode", what=mode, did="auto")
        mode, name = "auto", None
    if mode in ("none", "tool"):  # which says it all
        allowed = ()
    if allowed and "allowed" not in can.tool_choices:
        report.lost("tool_choice.lowered", given, "allowed", did="all tools are offered")
        allowed = ()
    parallel = given.parallel
    if parallel is not None and not can.parallel_switch:
        report.lost("tool_choice.lowered", given, "parallel", did="left to the model")
        parallel = None
    return ToolChoice(
        mode,
        None if name is None else spelled.get(name, name),
        tuple(spelled.get(one, one) for one in allowed),
        parallel,
    )


def head(seated: Seated) -> int:
    """How many messages stand before everything else as the system prompt."""
    seats = seated.seats
    return next((i for i, seat in enumerate(seats) if seat != SYSTEM), len(seats))


def response_format(
    request: ChatRequest, can: Capabilities, report: Report
) -> ResponseFormat | None:
    """The response format, lowered to what the wire takes; None if there is nothing to say."""
    given = request.response_format
    if given is None or given.kind in can.formats:
        return given
    if given.kind == "schema" and "json" in can.formats:
        report.lost("format.lowered", given, "kind", what="schema", did="json")
        return ResponseFormat("json")
    report.lost("format.unsaid", given, what=given.kind)
    return None


def format_name(form: ResponseFormat, report: Report) -> str:
    """The name of a schema as the APIs take it, which is as they take the names of tools."""
    name = mapping([form.name], NameRule()).get(form.name, form.name)
    if name != form.name:
        report.lost("name.mapped", form, "name", did=f"written as {name}")
    return name


def demand_json_word(messages: Iterable[JsonObject]) -> None:
    """Raise WriteError `format.json_word` unless a message, as it is written, speaks of JSON."""
    for message in messages:
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        if any("json" in str(part.get("text", "")).lower() for part in parts):
            return
    raise WriteError(
        "the response format json needs the word JSON in a message",
        path="$.response_format",
        hint='say what the JSON shall hold, e.g. "Answer in JSON."',
        code="format.json_word",
    )


def stance(can: Capabilities, name: str) -> str:
    """What the model makes of an option: takes, ignores, pinned or refuses."""
    return can.options.get(name, "takes")


def options(
    request: ChatRequest, keys: Mapping[str, str], can: Capabilities, report: Report
) -> JsonObject:
    """The options under this wire's keys; what it lacks or the model refuses is a loss.

    Thinking is not among them: see `reasoning.asked`.
    """
    made: JsonObject = {}
    for name, value in request.options.given():
        if name in ("reasoning", "reasoning_budget"):
            continue
        if name not in keys:
            report.lost("option.unsaid", request.options, name, what=name)
        elif (how := stance(can, name)) in ("refuses", "pinned"):
            report.lost("option.refused", request.options, name, what=name)
        elif how == "alone" and keys.get("temperature") in made:
            report.lost("option.refused", request.options, name, what=name, did="left out")
        elif name == "stop" and not all(value):  # an empty text ends nothing, and is refused
            report.lost("option.range", request.options, name, did="without empty ones")
            if kept := [text for text in value if text]:
                made[keys[name]] = kept
        elif value != ():
            made[keys[name]] = list(value) if isinstance(value, tuple) else value
            if how == "ignores":
                report.lost("option.ignored", request.options, name, what=name, did="sent")
    return made


def within(
    made: JsonObject,
    key: str,
    name: str,
    limits: tuple[float, float],
    request: ChatRequest,
    report: Report,
) -> None:
    """Bring the option `name`, which `made` holds under `key`, into the range that is taken."""
    given = made.get(key)
    if given is None or limits[0] <= given <= limits[1]:
        return
    made[key] = limits[0] if given < limits[0] else limits[1]
    report.lost("option.range", request.options, name, what=f"{given}", did=f"sent as {made[key]}")


def stubs(say: SayableRequest, report: Report) -> list[Tool]:
    """Bare declarations of the tools that only the history names, where a wire demands some."""
    can = say.can
    if say.offered or not can.tool_stubs or not can.tool_messages:
        return []
    names = list(dict.fromkeys(say.names.get(name, name) for name in say.seated.names))
    if names:
        report.lost("tools.stub", say.request, "tools", did=", ".join(names))
    return [Tool(name) for name in names]
