"""Rules for a whole native DashScope request: endpoint, parameters, tools.

Streaming is chosen by header there, so a body cannot say it. What needs the model's name is
asked only where the vendor's documents settle it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .fault import Fault, Json, Path, mapping, objects
from .openai_chat import TOOL_NAME
from .tooling import Definition, choice_faults, definition_faults

# how an address ends: /api/v1 before it belongs to the base URL
ENDPOINTS = {
    "/services/aigc/text-generation/generation": "text",
    "/services/aigc/multimodal-generation/generation": "multimodal",
}
NEEDS_MULTIMODAL = re.compile(r"qvq|qwen[\w.]*-vl")
NEEDS_TEXT = re.compile(r"qwen-(max|plus|turbo|flash)\b|qwen3-max|qwq-")
PARAMETERS = frozenset({
    "result_format", "incremental_output", "enable_thinking", "thinking_budget",
    "reasoning_effort", "preserve_thinking", "tools", "tool_choice", "parallel_tool_calls",
    "max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "seed", "stop", "n",
    "repetition_penalty", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs",
    "response_format", "enable_search", "search_options", "enable_code_interpreter",
    "vl_high_resolution_images", "ocr_options", "translation_options", "skill", "modalities",
    "voice",
})  # fmt: skip
MOST_MARKS = 4
AT: Path = ("parameters",)


def endpoint_of(path: str | None) -> str:
    """text, multimodal, or nothing when the path is unknown or not given."""
    return next((kind for end, kind in ENDPOINTS.items() if (path or "").endswith(end)), "")


def request_faults(body: dict[str, Json], path: str | None) -> Iterator[Fault]:
    for key in ("model", "input", "parameters"):
        if key not in body:
            yield Fault("dashscope.body", (key,), "required key is missing")
    for key in sorted(set(body) - {"model", "input", "parameters"}):
        yield Fault("dashscope.body", (key,), "unknown key")
    if set(mapping(body.get("input"))) - {"messages"}:
        yield Fault("dashscope.input", ("input",), "holds more than messages")
    yield from _endpoint_faults(str(body.get("model")), path)
    yield from parameter_faults(body)
    yield from tool_faults(mapping(body.get("parameters")))
    marks = sum(
        "cache_control" in part
        for _, message in objects(mapping(body.get("input")).get("messages"))
        for part in (message, *(part for _, part in objects(message.get("content"))))
    )
    if marks > MOST_MARKS:
        yield Fault("dashscope.cache_marks", ("input", "messages"), f"{marks} cache marks, not 4")


def _endpoint_faults(model: str, path: str | None) -> Iterator[Fault]:
    if path is None:
        return
    endpoint = endpoint_of(path)
    if not endpoint:
        yield Fault("dashscope.endpoint", (), f"{path!r} is no generation endpoint")
    wanted = "multimodal" if NEEDS_MULTIMODAL.match(model) else ""
    wanted = wanted or ("text" if NEEDS_TEXT.match(model) else "")
    if endpoint and wanted and endpoint != wanted:
        yield Fault("dashscope.model_endpoint", ("model",), f"{model} is served on {wanted}")


def parameter_faults(body: dict[str, Json]) -> Iterator[Fault]:
    given = mapping(body.get("parameters"))
    for key in sorted(set(given) - PARAMETERS):
        yield Fault("dashscope.parameter", (*AT, key), "unknown parameter")
    if given.get("result_format") != "message":
        yield Fault("dashscope.result_format", (*AT, "result_format"), "must be message")
    if "reasoning_effort" in given and "thinking_budget" in given:
        yield Fault("dashscope.depth", (*AT, "thinking_budget"), "beside reasoning_effort")
    if given.get("enable_thinking") is True:
        if given.get("incremental_output") is False:
            yield Fault("dashscope.snapshots", (*AT, "incremental_output"), "false with thinking")
        if isinstance(given.get("tool_choice"), dict):
            yield Fault("dashscope.forced", (*AT, "tool_choice"), "no forced tool while thinking")
    said = str(mapping(body.get("input")).get("messages")).lower()
    wants_json = mapping(given.get("response_format")).get("type") == "json_object"
    if wants_json and "json" not in said:
        yield Fault("dashscope.json_word", (*AT, "response_format"), "no message says JSON")


def tool_faults(given: dict[str, Json]) -> Iterator[Fault]:
    at = (*AT, "tools")
    if given.get("tools") == []:
        yield Fault("tools.none", at, "an empty list of tools")
    declared = []
    for index, tool in objects(given.get("tools")):
        inner = mapping(tool.get("function"))
        if tool.get("type") != "function" or set(tool) - {"type", "function", "cache_control"}:
            yield Fault("dashscope.tool", (*at, index), "a tool is type and function")
        if set(inner) - {"name", "description", "parameters"}:
            yield Fault("dashscope.tool", (*at, index, "function"), "unknown key")
        place = (*at, index, "function")
        schema = inner.get("parameters")
        declared.append(
            Definition(inner.get("name"), (*place, "name"), schema, (*place, "parameters"))
        )
    yield from definition_faults(declared, TOOL_NAME)
    choice = given.get("tool_choice")
    if choice is not None:
        named = mapping(mapping(choice).get("function")).get("name")
        yield from choice_faults(named, declared, (*AT, "tool_choice"))
        if choice not in ("auto", "none") and mapping(choice).get("type") != "function":
            yield Fault("dashscope.choice", (*AT, "tool_choice"), "not auto, none or a function")
