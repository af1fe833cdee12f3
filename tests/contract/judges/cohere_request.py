"""Rules for a whole request of Cohere's chat: keys, ranges, tools, formats and thinking."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .fault import Fault, Json, Path, label, mapping, members, objects
from .tooling import Definition, choice_faults, definition_faults

ENDPOINT = re.compile(r"(.*/v2)?/chat(\?.*)?")
KEYS = frozenset({
    "model", "messages", "stream", "tools", "strict_tools", "tool_choice", "documents",
    "citation_options", "response_format", "safety_mode", "max_tokens", "stop_sequences",
    "temperature", "seed", "frequency_penalty", "presence_penalty", "k", "p", "logprobs",
    "thinking", "priority",
})  # fmt: skip
RANGES = {
    "temperature": (0, 1), "p": (0.01, 0.99), "k": (0, 500), "frequency_penalty": (0, 1),
    "presence_penalty": (0, 1), "priority": (0, 999),
}  # fmt: skip
STOPS = 5
FIELDS = 200  # of all strict tools


def request_faults(
    body: dict[str, Json], names: re.Pattern[str], path: str | None
) -> Iterator[Fault]:
    if path is not None and not ENDPOINT.fullmatch(path):
        yield Fault("cohere.endpoint", (), f"{path!r} is not /v2/chat")
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield Fault("cohere.model", ("model",), "required key is missing")
    for key in sorted(set(body) - KEYS):
        yield Fault("cohere.body", (key,), "no such key")
    for key, (least, most) in RANGES.items():
        value = body.get(key)
        if isinstance(value, (int, float)) and not least <= value <= most:
            yield Fault("cohere.range", (key,), f"must be from {least} to {most}")
    if len(members(body.get("stop_sequences"))) > STOPS:
        yield Fault("cohere.stops", ("stop_sequences",), f"more than {STOPS}")
    if body.get("frequency_penalty") is not None and body.get("presence_penalty") is not None:
        yield Fault("cohere.penalties", ("presence_penalty",), "cannot specify both")
    yield from tool_faults(body, names)
    yield from format_faults(body)
    yield from thinking_faults(body.get("thinking"))


def tool_faults(body: dict[str, Json], names: re.Pattern[str]) -> Iterator[Fault]:
    declared = []
    for index, tool in objects(body.get("tools")):
        inner, place = mapping(tool.get("function")), ("tools", index, "function")
        if tool.get("type") != "function" or set(tool) - {"type", "function"}:
            yield Fault("cohere.tool", ("tools", index), "a tool is type and function")
        if set(inner) - {"name", "description", "parameters"}:
            yield Fault("cohere.tool", place, "unknown key")
        schema = inner.get("parameters")
        declared.append(
            Definition(inner.get("name"), (*place, "name"), schema, (*place, "parameters"))
        )
    yield from definition_faults(declared, names)
    choice = body.get("tool_choice")
    if choice is not None:
        yield from choice_faults(None, declared, ("tool_choice",))
        if choice not in ("REQUIRED", "NONE"):
            yield Fault("cohere.choice", ("tool_choice",), "neither REQUIRED nor NONE")
    if body.get("strict_tools") is True:
        for tool_ in declared:
            yield from strict_faults(tool_.schema, tool_.schema_at)


def strict_faults(schema: Json, at: Path) -> Iterator[Fault]:
    if not members(mapping(schema).get("required")):
        yield Fault("cohere.strict", at, "a strict tool has one required parameter at least")
    if len(mapping(mapping(schema).get("properties"))) > FIELDS:
        yield Fault("cohere.strict", at, f"more than {FIELDS} fields")


def format_faults(body: dict[str, Json]) -> Iterator[Fault]:
    told = body.get("response_format")
    if told is None:
        return
    kind, schema = label(mapping(told).get("type")), mapping(told).get("json_schema")
    at = ("response_format",)
    if kind not in ("text", "json_object") or set(mapping(told)) - {"type", "json_schema"}:
        yield Fault("cohere.format", at, "a type, and a schema of JSON")
    elif kind == "json_object" and (body.get("tools") or body.get("documents")):
        yield Fault("cohere.format_beside", at, "response_format is not supported with RAG.")
    elif schema is not None and mapping(schema).get("type") != "object":
        yield Fault("cohere.schema", (*at, "json_schema"), "schema must be an object")
    elif schema is not None and not members(mapping(schema).get("required")):
        yield Fault("cohere.schema", (*at, "json_schema"), "something must be required")


def thinking_faults(told: Json) -> Iterator[Fault]:
    if told is None:
        return
    budget = mapping(told).get("token_budget", 1)
    if mapping(told).get("type") not in ("enabled", "disabled"):
        yield Fault("cohere.thinking", ("thinking",), "neither enabled nor disabled")
    elif not isinstance(budget, int) or budget < 1:
        yield Fault("cohere.thinking", ("thinking", "token_budget"), "must be 1 or more")
