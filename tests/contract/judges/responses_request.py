"""Rules for a whole Responses request: endpoint, tools, choice, state, options.

What a model's name settles stands with the vendor (`vendors/openai_models.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .fault import Fault, Json, Path, mapping, members, objects
from .openai_chat import TOOL_NAME
from .responses_ids import unstored_faults
from .tooling import Definition, choice_faults, definition_faults, strict_faults

ENDPOINT = re.compile(r".*/responses(\?.*)?")
LEAST_OUTPUT = 16
LEAST_COMPACTION = 1000
RANGES = {"temperature": (0, 2), "top_p": (0, 1), "top_logprobs": (0, 20)}
NAMED = ("function", "custom")
# A choice by kind and the kinds of tools that it means.
HOSTED = {"web_search_preview": ("web_search", "web_search_preview")}


def continues(body: dict[str, Json]) -> bool:
    """Whether the request goes on from something that the server keeps."""
    return bool(body.get("previous_response_id") or body.get("conversation"))


def request_faults(body: dict[str, Json], path: str | None) -> Iterator[Fault]:
    if path is not None and not ENDPOINT.fullmatch(path):
        yield Fault("responses.endpoint", (), f"{path!r} is no responses endpoint")
    if not body.get("model") and not body.get("prompt") and not body.get("conversation"):
        yield Fault("responses.no_model", ("model",), "no model is named")
    yield from tool_faults(body)
    yield from format_faults(mapping(mapping(body.get("text")).get("format")))
    yield from option_faults(body)
    yield from state_faults(body)


def tool_faults(body: dict[str, Json]) -> Iterator[Fault]:
    tools = [tool for _, tool in objects(body.get("tools"))]
    if body.get("tools") == []:
        yield Fault("tools.none", ("tools",), "an empty list of tools")
    declared = list(definitions(body.get("tools"), ("tools",)))
    yield from definition_faults(declared, TOOL_NAME)
    for index, tool in objects(body.get("tools")):
        if tool.get("type") == "function" and tool.get("strict") is True:
            yield from strict_faults(tool.get("parameters", {}), ("tools", index, "parameters"))
    if body.get("tool_choice") is not None:
        yield from choice_of_faults(body["tool_choice"], tools, declared)
    if "parallel_tool_calls" in body and not tools:
        yield Fault("tools.choice_alone", ("parallel_tool_calls",), "set without tools")


def definitions(tools: Json, at: Path) -> Iterator[Definition]:
    for index, tool in objects(tools):
        if tool.get("type") in NAMED:
            place = (*at, index)
            schema = tool.get("parameters") if tool["type"] == "function" else None
            yield Definition(
                tool.get("name"), (*place, "name"), schema, (*place, "parameters")
            )  # fmt: skip


def choice_of_faults(
    choice: Json, tools: list[dict[str, Json]], declared: list[Definition]
) -> Iterator[Fault]:
    at: Path = ("tool_choice",)
    asked = [mapping(choice)] if isinstance(choice, dict) else []
    if not tools:
        yield from choice_faults(None, [], at)
        return
    if asked and asked[0].get("type") == "allowed_tools":
        asked = [mapping(member) for member in members(asked[0].get("tools"))]
        if not asked:
            yield Fault("responses.allowed", (*at, "tools"), "no tool is allowed")
    for one in asked:
        kind = str(one.get("type"))
        if kind in NAMED:
            yield from choice_faults(str(one.get("name")), declared or [Definition("", at)], at)
        elif all(tool.get("type") not in HOSTED.get(kind, (kind,)) for tool in tools):
            yield Fault("tools.choice_unknown", at, f"no tool of type {kind} is declared")


def format_faults(output: dict[str, Json]) -> Iterator[Fault]:
    at: Path = ("text", "format")
    if output.get("type") == "json_schema":
        if not TOOL_NAME.fullmatch(str(output.get("name"))):
            yield Fault("responses.output_name", (*at, "name"), "does not match a-z A-Z 0-9 _ -")
        if output.get("strict") is True:
            yield from strict_faults(output.get("schema", {}), (*at, "schema"))


def option_faults(body: dict[str, Json]) -> Iterator[Fault]:
    most = body.get("max_output_tokens")
    if isinstance(most, int) and most < LEAST_OUTPUT:
        said = f"integer below minimum value {LEAST_OUTPUT}"
        yield Fault("responses.max_output_tokens", ("max_output_tokens",), said)
    if body.get("stream_options") is not None and body.get("stream") is not True:
        yield Fault("responses.stream_options", ("stream_options",), "set without stream")
    for key, (least, highest) in RANGES.items():
        value = body.get(key)
        if isinstance(value, (int, float)) and not least <= value <= highest:
            yield Fault("responses.range", (key,), f"must be from {least} to {highest}")
    for index, edit in objects(body.get("context_management")):
        threshold = edit.get("compact_threshold")
        if isinstance(threshold, int) and threshold < LEAST_COMPACTION:
            place = ("context_management", index, "compact_threshold")
            yield Fault("responses.compaction", place, f"at least {LEAST_COMPACTION} tokens")


def state_faults(body: dict[str, Json]) -> Iterator[Fault]:
    items = body.get("input")
    if body.get("previous_response_id") and body.get("conversation"):
        yield Fault("responses.two_states", ("conversation",), "beside previous_response_id")
    if body.get("store") is False and not continues(body):
        yield from unstored_faults(items, ("input",))
    for index, item in objects(items):
        last = index == len(members(items)) - 1
        if item.get("type") == "compaction_trigger" and not last:
            yield Fault("responses.trigger", ("input", index), "must be the last item")
        if item.get("type") == "configuration_update" and not {"reasoning", "text"} & set(item):
            yield Fault("responses.update", ("input", index), "changes nothing")
