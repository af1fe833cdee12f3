"""Judge of what goes to MiniMax's own API: Chat Completions with the vendor's rules.

Thinking goes back as it came, in tags or as `reasoning_details`; a tool always has parameters.
Sources: error code 2013 quoted in issues (mimo2codex#7 among them), the vendor's pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import openai_chat
from ..fault import Fault, Json, Path, mapping, objects
from . import copies

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs

ALWAYS = re.compile(r"MiniMax-M2", re.IGNORECASE)
SWITCH = ("adaptive", "disabled")
UNKNOWN = (
    "tool_choice", "response_format", "seed", "n", "presence_penalty", "frequency_penalty",
    "logprobs", "top_logprobs", "service_tier", "parallel_tool_calls",
)  # fmt: skip
COLDEST, HOTTEST = 0.01, 1


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    yield from copies.role_faults("minimax.role", body)
    yield from copies.link_faults("minimax.part", body, ("video_url",))
    for index, message in objects(mapping(body).get("messages")):
        yield from _message_faults(message, ("messages", index), first=not index)
    if whole:
        yield from _request_faults(mapping(body))


def _message_faults(message: dict[str, Json], at: Path, *, first: bool) -> Iterator[Fault]:
    """Error 2013 names a second system message and null content, too."""
    for number, detail in enumerate(_details(message)):
        if not isinstance(detail, dict) or not isinstance(detail.get("type"), str):
            place = (*at, "reasoning_details", number)
            yield Fault("minimax.details", place, "a detail is an object with a type")
    if message.get("role") == "system" and not first:
        yield Fault("minimax.system", at, "one system message, and it comes first")
    if message.get("content", "") is None:
        yield Fault("minimax.content", (*at, "content"), "content is null")


def _details(message: dict[str, Json]) -> list[Json]:
    details = message.get("reasoning_details")
    return details if isinstance(details, list) else []


def _request_faults(body: dict[str, Json]) -> Iterator[Fault]:
    yield from copies.strictness_faults("minimax.strict", body)
    yield from copies.key_faults("minimax.option", body, UNKNOWN, "is not documented")
    for index, tool in objects(body.get("tools")):
        if not mapping(tool.get("function")).get("parameters"):
            place = ("tools", index, "function", "parameters")
            yield Fault("minimax.parameters", place, "function parameters is empty")
    heat = body.get("temperature")
    if isinstance(heat, (int, float)) and not COLDEST <= heat <= HOTTEST:
        yield Fault("minimax.range", ("temperature",), f"must be from {COLDEST} to {HOTTEST}")
    switch = copies.thinking(body)
    if switch and switch not in SWITCH:
        yield Fault("minimax.thinking", ("thinking",), f"not one of {', '.join(SWITCH)}")
    if switch == "disabled" and ALWAYS.match(str(body.get("model"))):
        yield Fault("minimax.always", ("thinking",), "M2 always thinks")
