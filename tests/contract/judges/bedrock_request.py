"""Rules for a whole Converse request: endpoint, tools, cache points, output, Claude's own rules.

The model stands in the path; what only some models refuse is asked of those alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from .anthropic_request import PREFILL
from .fault import Fault, Json, Path, mapping, objects
from .tooling import Definition, choice_faults, definition_faults

ENDPOINT = re.compile(r"(/[^/]+)?/model/(?P<model>[^/]+)/converse(-stream)?")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MOST_MARKS = 4
# Claude from Opus 4.7 and Sonnet 5 on, as Bedrock's ids spell them.
LATEST = re.compile(r"claude-((opus|sonnet|haiku)-(4-[7-9]|[5-9])|(fable|mythos)-)")
# Bedrock user guide, Structured output: what Claude has at home and not here; nor what is older
WITHOUT_SCHEMAS = re.compile(r"claude-(opus-4-1|fable-)")
UNFORCED = re.compile(r"claude-((opus|sonnet)-5-5|(fable|mythos)-5-[1-9])")
FOURTH = re.compile(r"claude-(opus|sonnet|haiku)-4-")


def request_faults(body: dict[str, Json], path: str | None) -> Iterator[Fault]:
    found = ENDPOINT.fullmatch(path or "")
    if path is not None and not found:
        yield Fault("bedrock.endpoint", (), f"{path!r} is no Converse endpoint")
    model = unquote(found["model"]) if found else ""
    yield from tool_faults(body)
    for index, block in objects(body.get("system")):
        if isinstance(block.get("text"), str) and not block["text"].strip():
            yield Fault("bedrock.blank", ("system", index, "text"), "no visible character")
    marks = list(cache_points(body))
    if len(marks) > MOST_MARKS:
        yield Fault("bedrock.cache_points", marks[MOST_MARKS], f"{len(marks)} cache points, not 4")
    yield from output_faults(body, model)
    if "anthropic." in model:
        yield from claude_faults(body, model[model.index("anthropic.") + len("anthropic.") :])


def tool_faults(body: dict[str, Json]) -> Iterator[Fault]:
    config = mapping(body.get("toolConfig"))
    declared = []
    for index, tool in objects(config.get("tools")):
        spec = mapping(tool.get("toolSpec"))
        at: Path = ("toolConfig", "tools", index, "toolSpec")
        if "toolSpec" in tool:
            schema = mapping(spec.get("inputSchema")).get("json")
            place = (*at, "inputSchema", "json")
            declared.append(Definition(spec.get("name"), (*at, "name"), schema, place))
    yield from definition_faults([d for d in declared if isinstance(d.name, str)], TOOL_NAME)
    if "toolChoice" in config:
        named = mapping(mapping(config["toolChoice"]).get("tool")).get("name")
        yield from choice_faults(named, declared, ("toolConfig", "toolChoice"))
    if not config:
        for used in list(_tool_blocks(body))[:1]:
            yield Fault("bedrock.tool_config", used, "toolConfig must be defined")


def _tool_blocks(body: dict[str, Json]) -> Iterator[Path]:
    for index, message in objects(body.get("messages")):
        for number, block in objects(message.get("content")):
            if "toolUse" in block or "toolResult" in block:
                yield ("messages", index, "content", number)


def cache_points(body: dict[str, Json]) -> Iterator[Path]:
    lists: list[tuple[Path, Any]] = [
        (("system",), body.get("system")),
        (("toolConfig", "tools"), mapping(body.get("toolConfig")).get("tools")),
    ]
    for index, message in objects(body.get("messages")):
        lists.append((("messages", index, "content"), message.get("content")))
    for at, blocks in lists:
        for index, block in objects(blocks):
            if "cachePoint" in block:
                yield (*at, index)


def output_faults(body: dict[str, Json], model: str) -> Iterator[Fault]:
    at: Path = ("outputConfig", "textFormat")
    output = mapping(mapping(body.get("outputConfig")).get("textFormat"))
    schema = mapping(mapping(output.get("structure")).get("jsonSchema")).get("schema")
    if isinstance(schema, str) and not _is_object(schema):
        yield Fault("bedrock.output", at, "the schema is the text of a JSON object")
    if output and WITHOUT_SCHEMAS.search(model):
        yield Fault("bedrock.no_output", at, f"{model} takes no output format here")
    for index, tool in objects(mapping(body.get("toolConfig")).get("tools")):
        if mapping(tool.get("toolSpec")).get("strict") is True and WITHOUT_SCHEMAS.search(model):
            place = ("toolConfig", "tools", index, "toolSpec", "strict")
            yield Fault("bedrock.no_output", place, f"{model} takes no strict tools here")


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def claude_faults(body: dict[str, Json], model: str) -> Iterator[Fault]:
    """`model` without the region and vendor before it: claude-opus-4-5-20251101-v1:0."""
    config = mapping(body.get("inferenceConfig"))
    sampled = [key for key in ("temperature", "topP") if key in config]
    if sampled and (LATEST.match(model) or (len(sampled) == 2 and FOURTH.match(model))):
        yield Fault("bedrock.sampling", ("inferenceConfig", sampled[0]), f"{model} refuses it")
    yield from thinking_faults(body, model)
    choice = mapping(mapping(body.get("toolConfig")).get("toolChoice"))
    if UNFORCED.match(model) and set(choice) & {"any", "tool"}:
        yield Fault("bedrock.forced", ("toolConfig", "toolChoice"), f"{model} refuses forcing")
    for index, message in objects(body.get("messages")):
        yield from _claude_block_faults(message, ("messages", index, "content"))
    for index, message in list(objects(body.get("messages")))[-1:]:
        used = any("toolUse" in block for _, block in objects(message.get("content")))
        if message.get("role") == "assistant" and not used and not PREFILL.match(model):
            yield Fault("bedrock.prefill", ("messages", index), f"{model} continues no turn")


def thinking_faults(body: dict[str, Json], model: str) -> Iterator[Fault]:
    extra = mapping(body.get("additionalModelRequestFields"))
    key = "thinking" if "thinking" in extra else "reasoning_config"
    thinking, at = mapping(extra.get(key)), ("additionalModelRequestFields", key)
    if thinking.get("type") != "enabled":
        return
    budget = thinking.get("budget_tokens")
    most = mapping(body.get("inferenceConfig")).get("maxTokens")
    if LATEST.match(model):
        yield Fault("bedrock.thinking", at, f"{model} takes adaptive thinking alone")
    elif not isinstance(budget, int) or budget < 1024 or (isinstance(most, int) and budget >= most):
        yield Fault("bedrock.budget", at, f"{budget} is not from 1024 to under maxTokens")
    if set(mapping(mapping(body.get("toolConfig")).get("toolChoice"))) & {"any", "tool"}:
        yield Fault("bedrock.forced", ("toolConfig", "toolChoice"), "no forced tool while thinking")


def _claude_block_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    for index, block in objects(message.get("content")):
        said = mapping(mapping(block.get("reasoningContent")).get("reasoningText"))
        if said and not said.get("signature"):
            yield Fault("bedrock.unsigned", (*at, index), "thinking without a signature")
        for kind in ("image", "document", "video"):
            if "s3Location" in mapping(mapping(block.get(kind)).get("source")):
                yield Fault("bedrock.s3", (*at, index), "Claude takes no s3Location")
        if "video" in block:
            yield Fault("bedrock.video", (*at, index), "Claude takes no video")
