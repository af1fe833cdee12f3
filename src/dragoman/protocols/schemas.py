"""The schemas of tools and response formats, reduced to what the wire takes."""

from __future__ import annotations

from typing import TypeAlias

from ..capabilities import Capabilities
from ..history.passes.argument_names import root_spellings, with_spellings
from ..losses import Report
from ..message import ResponseFormat, Tool
from ..schema import lower_once, report_changes
from ..schema.keywords import below
from ..text.json_text import JsonObject

_Node: TypeAlias = Tool | ResponseFormat  # the nodes that have a schema


_EMPTY: JsonObject = {"type": "object", "properties": {}}


def parameters(tool: Tool, caps: Capabilities, report: Report) -> tuple[JsonObject, bool | None]:
    """Return the schema of a tool's parameters as the wire takes it, and whether it is strict.

    The schema is an empty object if the tool declares none. It is not strict if no strict schema
    can express it.
    """
    schema = tool.schema if tool.schema is not None else dict(_EMPTY)
    strict = tool.strict
    if strict is not None and not caps.strict_tools:
        report.add_loss("tool.strict", tool, "strict")
        strict = None
    schema, strict = lower_schema(tool, schema, strict, caps, report)
    names = root_spellings(schema, caps.property_names)
    if not names:
        return schema, strict
    for name, spelling in names.items():
        field, did = below("parameters.properties", name), f"written as {spelling}"
        report.add_loss("property_name.mapped", tool, field, f"{tool.name}: {name}", did)
    return with_spellings(schema, names), strict


def lower_schema(
    node: _Node, schema: JsonObject, strict: bool | None, caps: Capabilities, report: Report
) -> tuple[JsonObject, bool | None]:
    """Return the schema of a tool or format as the wire takes it, and whether it is strict."""
    tool = isinstance(node, Tool)
    field, rules = ("parameters", caps.tool_schema) if tool else ("schema", caps.format_schema)
    if strict and caps.strict_schema:
        lowering = lower_once(schema, caps.strict_schema)
        if not lowering.unfit:
            report_changes(lowering, report, node, field, node.name)
            return lowering.schema, strict
        why = f"{node.name}: {lowering.unfit}"
        report.add_loss("schema.unfit", node, "strict", why, "not strict", lowering.rule)
        strict = False
    if rules == "plain":
        return schema, strict
    lowering = lower_once(schema, rules)
    report_changes(lowering, report, node, field, node.name)
    return lowering.schema, strict
