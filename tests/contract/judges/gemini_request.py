"""Rules for a whole Gemini request: sections, path, tools, settings, signatures.

What needs the model's name reads it from the path, and only where the documents settle it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .fault import Fault, Json, Path, mapping, objects
from .gemini_keys import data_keys, either, snake
from .tooling import Definition, choice_faults, definition_faults

TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
ENDPOINT = re.compile(
    r"/v1(beta\d*)?/(projects/[^/]+/locations/[^/]+/)?(publishers/google/)?models/"
    r"(?P<model>[^/:]+):(stream)?[gG]enerateContent(\?.*)?"
)
NO_PREFILL = re.compile(r"gemini-(3\.5-flash-lite|3\.[6-9]|[4-9])")
SIGNS_CALLS = re.compile(r"gemini-[3-9]")


@dataclass(frozen=True)
class Section:
    """A top-level key: the SDK model of its value, or of each member of its list."""

    model: str = ""
    many: bool = False


SECTIONS = {
    "contents": Section("Content", many=True),
    "system_instruction": Section("Content"),
    "tools": Section("Tool", many=True),
    "tool_config": Section("ToolConfig"),
    "safety_settings": Section("SafetySetting", many=True),
    "generation_config": Section("GenerateContentConfig"),
    **dict.fromkeys(("cached_content", "service_tier", "store", "continuation_token"), Section()),
    **dict.fromkeys(("labels", "model_armor_config"), Section()),
}
# The SDK's one config class also holds what stands beside generationConfig on the wire.
NOT_GENERATION = frozenset(SECTIONS) | {
    "http_options", "should_return_http_response", "automatic_function_calling",
    "automatic_continuation", "generation_output_config",
}  # fmt: skip


def request_faults(body: dict[str, Json], path: str | None) -> Iterator[Fault]:
    found = ENDPOINT.search(path or "")
    if path is not None and not found:
        yield Fault("gemini.endpoint", (), f"{path!r} is no generateContent endpoint")
    model = found["model"] if found else ""
    yield from system_faults(mapping(either(body, "systemInstruction")))
    yield from tool_faults(body)
    yield from generation_faults(mapping(either(body, "generationConfig")))
    contents = [content for _, content in objects(body.get("contents"))]
    yield from _signature_faults(contents, model)
    prefills = contents and contents[-1].get("role") == "model" and not _calls(contents[-1])
    if prefills and NO_PREFILL.match(model):
        place = ("contents", len(contents) - 1)
        yield Fault("gemini.prefill", place, f"{model} continues no model turn")


def system_faults(system: dict[str, Json]) -> Iterator[Fault]:
    for index, part in objects(system.get("parts")):
        if data_keys(part) != ["text"] or not part["text"]:
            place = ("systemInstruction", "parts", index)
            yield Fault("gemini.system", place, "a system instruction is made of text")


def tool_faults(body: dict[str, Json]) -> Iterator[Fault]:
    if body.get("tools") == []:
        yield Fault("tools.none", ("tools",), "an empty list of tools")
    declared: list[Definition] = []
    for index, tool in objects(body.get("tools")):
        functions = either(tool, "functionDeclarations")
        at: Path = ("tools", index, "functionDeclarations")
        if tool == {} or functions == []:
            yield Fault("tools.none", at, "a tool that declares nothing")
        for number, function in objects(functions):
            yield from _parameter_faults(function, (*at, number))
            schema = either(function, "parametersJsonSchema")
            place = (*at, number, "parametersJsonSchema")
            declared.append(Definition(function.get("name"), (*at, number, "name"), schema, place))
    yield from definition_faults(declared, TOOL_NAME)
    yield from _choice_faults(mapping(either(body, "toolConfig")), declared)


def _parameter_faults(function: dict[str, Json], at: Path) -> Iterator[Fault]:
    plain = function.get("parameters")
    if plain is None:
        return
    if either(function, "parametersJsonSchema") is not None:
        yield Fault("gemini.two_schemas", at, "parameters beside parametersJsonSchema")
    if str(mapping(plain).get("type")).upper() != "OBJECT":
        yield Fault("tools.schema", (*at, "parameters"), "the root is no object schema")
    yield from _subset_faults(plain, (*at, "parameters"))


def _subset_faults(schema: Json, at: Path) -> Iterator[Fault]:
    """What the API refuses in the subset, beyond the unknown keywords that the SDK refuses."""
    if not isinstance(schema, dict):
        return
    kind = str(schema.get("type")).upper()
    if kind == "ARRAY" and "items" not in schema:
        yield Fault("gemini.subset", at, "an array without items")
    if "enum" in schema and kind != "STRING":
        yield Fault("gemini.subset", at, "enum outside a string")
    if kind == "STRING" and schema.get("format") not in (None, "enum", "date-time"):
        yield Fault("gemini.subset", at, "a string format other than enum and date-time")
    for name, inner in mapping(schema.get("properties")).items():
        yield from _subset_faults(inner, (*at, "properties", name))
    yield from _subset_faults(schema.get("items"), (*at, "items"))
    for index, inner in objects(either(schema, "anyOf")):
        yield from _subset_faults(inner, (*at, "anyOf", index))


def _choice_faults(config: dict[str, Json], declared: list[Definition]) -> Iterator[Fault]:
    calling = either(config, "functionCallingConfig")
    if not isinstance(calling, dict):
        return
    at: Path = ("toolConfig", "functionCallingConfig")
    named = either(calling, "allowedFunctionNames")
    if not declared:
        yield from choice_faults(None, declared, at)
    elif isinstance(named, list):
        for name in named:
            yield from choice_faults(name, declared, at)
        if str(calling.get("mode")).upper() not in ("ANY", "VALIDATED"):
            yield Fault("gemini.allowed", at, "allowed names need the mode ANY or VALIDATED")


def generation_faults(config: dict[str, Json]) -> Iterator[Fault]:
    for key in config:
        if snake(key) in NOT_GENERATION:
            place = ("generationConfig", key)
            yield Fault("gemini.misplaced", place, "does not belong into generationConfig")
    if either(config, "responseSchema") and either(config, "responseJsonSchema"):
        yield Fault("gemini.two_schemas", ("generationConfig",), "two schemas of the answer")
    thinking = mapping(either(config, "thinkingConfig"))
    budget, level = either(thinking, "thinkingBudget"), either(thinking, "thinkingLevel")
    if budget is not None and level is not None:
        yield Fault("gemini.thinking", ("generationConfig",), "thinking budget and level together")


def _calls(content: dict[str, Json]) -> list[dict[str, Json]]:
    parts = [part for _, part in objects(content.get("parts"))]
    return [part for part in parts if either(part, "functionCall") is not None]


def _signature_faults(contents: list[dict[str, Json]], model: str) -> Iterator[Fault]:
    """From Gemini 3 on, the first call of each step in the current turn is signed."""
    if not SIGNS_CALLS.match(model):
        return
    start = 0
    for index, content in enumerate(contents):
        parts = [part for _, part in objects(content.get("parts"))]
        plain = any(either(part, "functionResponse") is None for part in parts)
        if content.get("role") == "user" and plain:
            start = index
    for index, content in enumerate(contents[start:], start):
        calls = _calls(content)
        if calls and not either(calls[0], "thoughtSignature"):
            yield Fault("gemini.unsigned", ("contents", index), "the first call has no signature")
