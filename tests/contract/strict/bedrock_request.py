"""Amazon Bedrock Converse: the configuration of tools that a history needs, and their names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..judges.fault import Json, Path, mapping, objects
from .named import Named, Names
from .rule import Asked, Book, Broken

__all__ = ["BOOK", "NAMES", "request_faults"]

BOOK = Book("bedrock-converse")
NAMES = Names.of(BOOK, r"[a-zA-Z0-9_-]{1,64}", "service model: ToolName",
                 "docs.aws.amazon.com: ToolChoice")  # fmt: skip
CONFIG = BOOK.rule("tool_config", "tool blocks need a configuration of tools",
                   "The toolConfig field must be defined when using toolUse and toolResult "
                   "content blocks.")  # fmt: skip
NO_TOOLS = BOOK.rule("no_tools", "a list of tools is not empty", "service model: tools, min 1")
SYSTEM = BOOK.rule("blank_system", "a system text is not empty", "service model: text, min 1")
FORCED = BOOK.rule("forced", "no tool is forced while Claude thinks on a budget",
                   "Thinking may not be enabled when tool_choice forces tool use.")  # fmt: skip
BACK = BOOK.rule("thinking_back", "the turn whose calls are being answered begins with reasoning",
                 "Expected `thinking` or `redacted_thinking`, but found `tool_use`")  # fmt: skip
PROPERTY = BOOK.rule("property_name", "the names of properties at the root are "
                     "[a-zA-Z0-9_.-]{1,64}", "input_schema.properties: Property keys should match "
                     "pattern '^[a-zA-Z0-9_.-]{1,64}$'")  # fmt: skip
KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
STILL = BOOK.rule("still_effort", "beside Claude's thinking turned off, effort is high at most",
                  "docs.aws.amazon.com: OutputConfig")  # fmt: skip
NO_MORE_THAN_HIGH = re.compile(r".*claude-(opus-5(?![-.]5)|haiku-5[-.]5)")
CLAUDE = re.compile(r"(.*\.)?anthropic\.claude-")
FIELDS = "additionalModelRequestFields"
Listed = list[tuple[int, dict[str, Json]]]


def request_faults(body: dict[str, Json], listed: Listed, asked: Asked) -> Iterator[Broken]:
    for index, block in objects(body.get("system")):
        if "text" in block and not block["text"]:
            yield SYSTEM.at(("system", index, "text"))
    config = mapping(body.get("toolConfig"))
    if _used(listed) and not config:
        yield CONFIG.at(("toolConfig",))
    if config and not config.get("tools"):
        yield NO_TOOLS.at(("toolConfig", "tools"))
    at: Path = ("toolConfig", "toolChoice", "tool", "name")
    tools: list[Named] = [
        (mapping(tool.get(kind)).get("name"), ("toolConfig", "tools", index, kind, "name"))
        for index, tool in objects(config.get("tools"))
        for kind in ("toolSpec", "systemTool")
        if kind in tool
    ]
    yield from NAMES.offered(tools)
    chosen = mapping(mapping(config.get("toolChoice")).get("tool"))
    if config.get("toolChoice") and config.get("tools"):
        yield from NAMES.chosen(tools, False, [(chosen.get("name"), at)] if chosen else [], at[:2])
    for index, tool in objects(config.get("tools")):
        schema = mapping(mapping(mapping(tool.get("toolSpec")).get("inputSchema")).get("json"))
        for key in mapping(schema.get("properties")):
            if CLAUDE.match(asked.model) and not KEY.fullmatch(key):
                place = ("toolConfig", "tools", index, "toolSpec", "inputSchema", "json")
                yield PROPERTY.at((*place, "properties", key))
    yield from _thinking_faults(body, listed)
    own = mapping(body.get(FIELDS))
    efforts = {(FIELDS, "output_config", "effort"): mapping(own.get("output_config")),
               ("outputConfig", "effort"): mapping(body.get("outputConfig"))}  # fmt: skip
    for spot, holder in efforts.items():
        still = mapping(own.get("thinking")).get("type") == "disabled"
        above = holder.get("effort") in ("xhigh", "max")
        if still and above and NO_MORE_THAN_HIGH.match(asked.model):
            yield STILL.at(spot)


def _used(listed: Listed) -> bool:
    blocks = (block for _, m in listed for _, block in objects(m.get("content")))
    return any("toolUse" in block or "toolResult" in block for block in blocks)


def _thinking_faults(body: dict[str, Json], listed: Listed) -> Iterator[Broken]:
    """Claude's own rules, for its own fields are handed on to it."""
    own = mapping(body.get("additionalModelRequestFields"))
    if mapping(own.get("thinking")).get("type") != "enabled":
        return
    if {"any", "tool"} & set(mapping(mapping(body.get("toolConfig")).get("toolChoice"))):
        yield FORCED.at(("toolConfig", "toolChoice"))
    if len(listed) < 2:
        return
    (index, turn), (_, last) = listed[-2:]
    first = [block for _, block in objects(turn.get("content"))][:1]
    answers = any("toolResult" in block for _, block in objects(last.get("content")))
    if answers and first and "reasoningContent" not in first[0]:
        yield BACK.at(("messages", index))
