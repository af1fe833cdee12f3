"""Rules for a whole request of Interactions: whom it asks, tools, choice, format and level."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .fault import Fault, Json, mapping, members, objects
from .tooling import Definition, choice_faults, definition_faults

ENDPOINT = re.compile(r"/v1(beta\d*)?/interactions(\?.*)?")
TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
KEPT = ("previous_interaction_id", "continuation_token")
LEVELS = ("minimal", "low", "medium", "high", "xhigh")
MODES = ("auto", "any", "none", "validated")
TIERS = ("flex", "standard", "priority", "deferred")


def continues(body: dict[str, Json]) -> bool:
    """Whether the provider keeps what stands before the input."""
    return any(body.get(key) for key in KEPT)


def request_faults(body: dict[str, Json], path: str | None) -> Iterator[Fault]:
    if path is not None and not ENDPOINT.fullmatch(path):
        yield Fault("gemini_interactions.endpoint", (), f"{path!r} is not /v1beta/interactions")
    if bool(body.get("model")) == bool(body.get("agent")):
        yield Fault("gemini_interactions.asked", ("model",), "either a model or an agent")
    config = mapping(body.get("generation_config"))
    if config.get("thinking_level", "low") not in LEVELS:
        at = ("generation_config", "thinking_level")
        yield Fault("gemini_interactions.level", at, "no such level")
    if body.get("service_tier", "flex") not in TIERS:
        yield Fault("gemini_interactions.tier", ("service_tier",), "no such tier")
    yield from tool_faults(body, config)
    yield from format_faults(body.get("response_format"))


def tool_faults(body: dict[str, Json], config: dict[str, Json]) -> Iterator[Fault]:
    declared = []
    for index, tool in objects(body.get("tools")):
        if tool.get("type") == "function":
            at = ("tools", index)
            schema = tool.get("parameters")
            name = Definition(tool.get("name"), (*at, "name"), schema, (*at, "parameters"))
            declared.append(name)
        elif tool.get("type") == "file_search" and not tool.get("file_search_store_names"):
            yield Fault("gemini_interactions.stores", ("tools", index), "a search of no files")
    yield from definition_faults(declared, TOOL_NAME)
    choice, place = config.get("tool_choice"), ("generation_config", "tool_choice")
    if choice is None:
        return
    allowed = mapping(mapping(choice).get("allowed_tools"))
    mode = allowed.get("mode") if isinstance(choice, dict) else choice
    if mode not in MODES:
        yield Fault("gemini_interactions.mode", place, "no such mode")
    names = members(allowed.get("tools"))
    for name in names or [None]:
        yield from choice_faults(name if isinstance(name, str) else None, declared, place)


def format_faults(form: Json) -> Iterator[Fault]:
    for index, entry in objects(form if isinstance(form, list) else [form]):
        at = ("response_format", index) if isinstance(form, list) else ("response_format",)
        typed = entry.get("mime_type") == "application/json"
        if entry.get("type") == "text" and "schema" in entry and not typed:
            yield Fault("gemini_interactions.format", at, "a schema is of JSON")
