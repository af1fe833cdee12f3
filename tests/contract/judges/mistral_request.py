"""Rules for a whole Mistral chat request: endpoint, tools, ranges, and what a model refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .fault import Fault, Json, Path, mapping, objects
from .openai_chat import TOOL_NAME, definitions
from .tooling import choice_faults, definition_faults

ENDPOINT = re.compile(r".*/chat/completions(\?.*)?")
RANGES = {"temperature": (0, 1.5), "top_p": (0, 1)}
# Small 4 and Medium 3.5 know two levels, Large 4 more of them, the rest of the family none.
TWO_LEVELS = re.compile(r"mistral-(small-(latest|2603|4)|medium-(latest|3-5|3\.5))|magistral-")
LEVELS = re.compile(r"mistral-large-4")
NO_LEVELS = re.compile(r"ministral|mistral-large-(3|2512)|codestral")
NO_LOGPROBS = re.compile(r"ministral-3b|mistral-small")


def request_faults(body: dict[str, Json], path: str | None) -> Iterator[Fault]:
    if path is not None and not ENDPOINT.fullmatch(path):
        yield Fault("mistral.endpoint", (), f"{path!r} is no chat completions endpoint")
    yield from tool_faults(body)
    for key, (least, most) in RANGES.items():
        value = body.get(key)
        if isinstance(value, (int, float)) and not least <= value <= most:
            yield Fault("mistral.range", (key,), f"must be from {least} to {most}")
    if body.get("prompt_mode") is not None:
        yield Fault("mistral.prompt_mode", ("prompt_mode",), "enabled for no model any more")
    yield from model_faults(body)
    output = mapping(mapping(body.get("response_format")).get("json_schema"))
    if output.get("strict") is True:
        yield from open_faults(output.get("schema", {}), ("response_format", "json_schema"))
    if mapping(body.get("response_format")).get("type") == "json_schema" and not output:
        yield Fault("mistral.output", ("response_format",), "json_schema without a schema")


def tool_faults(body: dict[str, Json]) -> Iterator[Fault]:
    tools = definitions(body)
    yield from definition_faults([tool for tool in tools if tool.name is not None], TOOL_NAME)
    if body.get("tools") == []:
        yield Fault("tools.none", ("tools",), "an empty list of tools")
    for index, tool in objects(body.get("tools")):
        if mapping(tool.get("function")).get("strict") is True:
            at = ("tools", index, "function", "parameters")
            yield from open_faults(mapping(tool.get("function")).get("parameters", {}), at)
    choice = body.get("tool_choice")
    if choice is not None:
        named = mapping(mapping(choice).get("function")).get("name")
        yield from choice_faults(named, tools, ("tool_choice",))
    if "parallel_tool_calls" in body and not tools:
        yield Fault("tools.choice_alone", ("parallel_tool_calls",), "set without tools")


def model_faults(body: dict[str, Json]) -> Iterator[Fault]:
    model, effort = str(body.get("model")), body.get("reasoning_effort")
    if effort is not None:
        few = TWO_LEVELS.match(model) and effort not in ("high", "none")
        if few or NO_LEVELS.match(model):
            said = f"reasoning_effort {effort} is not supported for {model}"
            yield Fault("mistral.effort", ("reasoning_effort",), said)
    if body.get("logprobs") is True and NO_LOGPROBS.match(model):
        yield Fault("mistral.logprobs", ("logprobs",), f"not enabled for {model}")


def open_faults(schema: Json, at: Path) -> Iterator[Fault]:
    """A strict schema closes every object: the SDK does so, and leaves optional properties be."""
    if isinstance(schema, list):
        for index, inner in enumerate(schema):
            yield from open_faults(inner, (*at, index))
    elif isinstance(schema, dict):
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
            yield Fault("tools.strict", at, "additionalProperties must be false in strict mode")
        for key, inner in schema.items():
            yield from open_faults(inner, (*at, key))
