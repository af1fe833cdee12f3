"""Rules for a whole Anthropic Messages request: endpoint, tools, thinking, cache marks.

What needs the model's name is asked only where the documents settle it for that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .fault import Fault, Json, Path, label, mapping, objects
from .tooling import Definition, choice_faults, definition_faults

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
ENDPOINT = re.compile(r".*/v1/messages(\?.*)?")
MOST_MARKS = 4
# Models that still continue an assistant turn; every other current Claude refuses it.
PREFILL = re.compile(r"claude-(2|3|instant|(opus|sonnet|haiku)-4(-[0-5]\b|-2025|@|$))")


def request_faults(body: dict[str, Json], path: str | None) -> Iterator[Fault]:
    if path is not None and not ENDPOINT.fullmatch(path):
        yield Fault("anthropic.endpoint", (), f"{path!r} is no Messages endpoint")
    yield from tool_faults(body)
    yield from _system_faults(body.get("system"))
    marks = list(cache_marks(body, ()))
    if len(marks) > MOST_MARKS:
        yield Fault("anthropic.cache_marks", marks[MOST_MARKS], f"{len(marks)} cache marks, not 4")
    yield from thinking_faults(body)
    yield from _prefill_faults(body)


def tool_faults(body: dict[str, Json]) -> Iterator[Fault]:
    if body.get("tools") == []:
        yield Fault("tools.none", ("tools",), "an empty list of tools")
    declared = [
        Definition(
            tool.get("name"), ("tools", index, "name"),
            tool.get("input_schema"), ("tools", index, "input_schema"),
        )
        for index, tool in objects(body.get("tools"))
        if "name" in tool
    ]  # fmt: skip
    yield from definition_faults(declared, TOOL_NAME, draft=True)
    if "tool_choice" in body:
        choice = mapping(body["tool_choice"])
        yield from choice_faults(choice.get("name"), declared, ("tool_choice",))


def _system_faults(system: Json) -> Iterator[Fault]:
    for index, block in objects(system):
        if not str(block.get("text", "?")).strip():
            place = ("system", index, "text")
            yield Fault("anthropic.blank", place, "text without a visible character")


def cache_marks(value: Json, at: Path) -> Iterator[Path]:
    """Places that carry a cache mark; arguments and schemas of users are not searched."""
    if isinstance(value, dict):
        if value.get("cache_control") is not None:
            yield at
        for key, inner in value.items():
            if key not in ("input", "input_schema", "input_examples", "metadata"):
                yield from cache_marks(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from cache_marks(inner, (*at, index))


def thinking_faults(body: dict[str, Json]) -> Iterator[Fault]:
    thinking = mapping(body.get("thinking"))
    if thinking.get("type") == "disabled":
        last = list(objects(body.get("messages")))[-1:]
        for index, message in last:
            if message.get("role") == "assistant" and _kinds(message) & {"thinking"}:
                yield Fault("anthropic.thinking_off", ("messages", index), "holds thinking")
    if thinking.get("type") != "enabled":
        return
    budget, most = thinking.get("budget_tokens"), body.get("max_tokens")
    if isinstance(budget, int) and isinstance(most, int) and not 1024 <= budget < most:
        place = ("thinking", "budget_tokens")
        yield Fault("anthropic.budget", place, f"{budget} is not from 1024 to under max_tokens")
    if mapping(body.get("tool_choice")).get("type") in ("any", "tool"):
        yield Fault("anthropic.forced", ("tool_choice",), "no forced tool while thinking")
    yield from _open_round_faults(list(objects(body.get("messages"))))


def _open_round_faults(messages: list[tuple[int, dict[str, Json]]]) -> Iterator[Fault]:
    """With manual thinking, the turn whose results come last must start with thinking."""
    if len(messages) < 2 or "tool_result" not in _kinds(messages[-1][1]):
        return
    index, turn = messages[-2]
    first = next((block.get("type") for _, block in objects(turn.get("content"))), None)
    if first not in ("thinking", "redacted_thinking"):
        yield Fault("anthropic.thinking_back", ("messages", index), "must start with thinking")


def _prefill_faults(body: dict[str, Json]) -> Iterator[Fault]:
    """A turn of calls at the end is no prefill: a history may stop there.

    Nor is one that a server's tool paused: "send back as is" (stop_reason pause_turn).
    """
    model = str(body.get("model"))
    for index, message in list(objects(body.get("messages")))[-1:]:
        last = [label(block.get("type")) for _, block in objects(message.get("content"))][-1:]
        paused = any(kind.endswith(("_tool_use", "_tool_result")) for kind in last)
        waits = paused or "tool_use" in _kinds(message)
        prefills = message.get("role") == "assistant" and not waits
        if prefills and model.startswith("claude-") and not PREFILL.match(model):
            yield Fault("anthropic.prefill", ("messages", index), f"{model} continues no turn")


def _kinds(message: dict[str, Json]) -> set[str]:
    return {label(block.get("type")) for _, block in objects(message.get("content"))}
