"""Codes of JSON Schemas: what a target's schemas do not say as the tool's or format's does."""

from __future__ import annotations

import logging

from .code import Code

__all__ = ["ROWS"]

ROWS = (
    Code(
        "schema.told",
        "moved",
        "a rule that schemas of this target lack stands in the description",
        fix="Nothing has to be done: the model reads it, but may break it. Check the arguments"
        " that come back against your own schema.",
        asks=("tool_schema", "strict_schema", "format_schema"),
    ),
    Code(
        "schema.dropped",
        "dropped",
        "a rule that schemas of this target lack was left out",
        fix="Say it in the tool's `description` if the model must know it, and check the arguments"
        " that come back against your own schema.",
        asks=("tool_schema", "strict_schema", "format_schema"),
    ),
    Code(
        "schema.note",
        "dropped",
        "a remark in a schema that binds nobody was left out",
        fix="Nothing has to be done: titles and the like refuse no value. What the model should"
        " know belongs into `description`.",
        asks=("tool_schema", "strict_schema", "format_schema"),
        level=logging.DEBUG,
    ),
    Code(
        "schema.restated",
        "degraded",
        "a schema says the same in other words",
        fix="Nothing has to be done: it accepts and refuses the same values.",
        asks=("tool_schema", "strict_schema", "format_schema"),
        level=logging.DEBUG,
    ),
    Code(
        "schema.wider",
        "degraded",
        "a schema accepts more than it did",
        fix="Check the arguments that come back against your own schema.",
        asks=("tool_schema", "strict_schema", "format_schema"),
    ),
    Code(
        "schema.narrower",
        "degraded",
        "a schema accepts less than it did",
        fix="Say in the schema what it leaves open here: a type for every value, and every"
        " property that an object may have.",
        asks=("tool_schema", "strict_schema", "format_schema"),
        level=logging.INFO,
    ),
    Code(
        "schema.unfit",
        "degraded",
        "the target has no true form for the schema",
        fix="Leave `strict` unset for this tool, or give it a schema that can be closed: no free"
        " maps, an object at the root, and no more than the provider's limits.",
        asks=("strict_schema", "tool_schema", "format_schema"),
    ),
)
