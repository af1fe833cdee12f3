"""Where schemas stand in a body, which dialect they must keep to, and how many a request may have.

The dialects themselves are rows of `dragoman.schema`.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OPTIONAL", "SCHEMAS", "STRICT_TOOLS", "SchemaPlace"]


@dataclass(frozen=True, slots=True)
class SchemaPlace:
    """Schemas at `path`, of the dialect; with `when`, only where this neighbour of theirs is true.

    `path` is spelled as in FieldRule. `when` counts from the list's element (or the object) that
    `home` names, `plain` is the dialect where it is not true; empty is any schema.
    """

    home: str
    schema: str
    dialect: str
    when: str = ""
    plain: str = ""


_CHAT_TOOLS = SchemaPlace(
    "tools[]", "function.parameters", "openai-strict", "function.strict"
)  # fmt: skip
_CHAT_FORMAT = SchemaPlace("response_format.json_schema", "schema", "openai-strict", "strict")

# by protocol, or `host/protocol`
SCHEMAS: dict[str, tuple[SchemaPlace, ...]] = {
    "openai/openai-chat": (_CHAT_TOOLS, _CHAT_FORMAT),
    "azure/openai-chat": (_CHAT_TOOLS, _CHAT_FORMAT),
    "openai/openai-responses": (
        SchemaPlace("tools[]", "parameters", "openai-strict", "strict"),
        SchemaPlace("text.format", "schema", "openai-strict", "strict"),
    ),
    "anthropic": (
        SchemaPlace("tools[]", "input_schema", "anthropic-strict", "strict", "anthropic"),
        SchemaPlace("output_config.format", "schema", "anthropic-strict"),
    ),
    "bedrock-converse": (
        SchemaPlace("toolConfig.tools[].toolSpec", "inputSchema.json", "bedrock-strict", "strict",
                    "bedrock"),
    ),
    "gemini": (
        SchemaPlace("tools[].functionDeclarations[]", "parameters", "gemini-openapi"),
        SchemaPlace("generationConfig", "responseSchema", "gemini-openapi-format"),
    ),
    "mistral": (SchemaPlace("tools[].function", "parameters", "object"),),
}  # fmt: skip

# how many tools may be strict: protocol -> (most, source, since)
STRICT_TOOLS: dict[str, tuple[int, str, str]] = {
    "anthropic": (20, "Anthropic docs, Structured outputs: schema complexity limits", "2026-11-21"),
}
# how many optional properties one strict schema may have; the same number over several is taken:
# dialect -> (most, source, since)
OPTIONAL: dict[str, tuple[int, str, str]] = {
    "anthropic-strict": (
        23, 'a recorded 400, "Schema is too complex for compilation", of Claude Sonnet 4.6',
        "2026-11-21",
    ),
}  # fmt: skip
