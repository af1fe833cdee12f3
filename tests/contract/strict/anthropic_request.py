"""Anthropic Messages: tools, choice, cache marks, and thinking while tools are used.

The file beside this one judges the messages one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from ..judges.fault import Json, Path, label, mapping, objects
from .named import Named, Names
from .rule import Book, Broken

__all__ = ["BOOK", "request_faults"]

BOOK = Book("anthropic")
THINKING = "platform.claude.com: thinking"
NAMES = Names.of(BOOK, r"[a-zA-Z0-9_-]{1,128}",
                 "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
                 "platform.claude.com: tool use")  # fmt: skip
SCHEMA = BOOK.rule("schema", "a tool's schema is an object at its root, and no union",
                   "input_schema does not support oneOf, allOf, or anyOf at the top level; "
                   "input_schema.type: Field required")  # fmt: skip
NO_MESSAGES = BOOK.rule("no_messages", "there is a message", "messages: at least one message")
SYSTEM = BOOK.rule("blank_system", "a system text has a visible character",
                   "system: text content blocks must be non-empty")  # fmt: skip
MARKS = BOOK.rule("cache_marks", "four cache marks at most",
                  "A maximum of 4 blocks with cache_control may be provided.")  # fmt: skip
UNMARKED = BOOK.rule("marked", "neither thinking nor blank text is marked",
                     "thinking.cache_control: Extra inputs are not permitted; cache_control "
                     "cannot be set for empty text blocks")  # fmt: skip
FORCED = BOOK.rule("forced", "no tool is forced while the model thinks",
                   "Thinking may not be enabled when tool_choice forces tool use.")  # fmt: skip
BACK = BOOK.rule("thinking_back", "the turn whose calls are being answered begins with thinking",
                 "Expected `thinking` or `redacted_thinking`, but found `tool_use`")  # fmt: skip
OFF = BOOK.rule("thinking_off", "without thinking, the last turn holds none",
                "When thinking is disabled, an `assistant` message in the final position cannot "
                "contain `thinking`")  # fmt: skip
BUDGET = BOOK.rule("budget", "a budget is from 1024 to under max_tokens", THINKING)
STILL = BOOK.rule("still_effort", "beside thinking turned off, effort is high at most", THINKING)
NO_MORE_THAN_HIGH = re.compile(r"claude-(opus-5(?![-.]5)|sonnet-5[-.]5|haiku-5[-.]5)")
PROPERTY = BOOK.rule("property_name", "the names of properties at the root are "
                     "[a-zA-Z0-9_.-]{1,64}", "input_schema.properties: Property keys should match "
                     "pattern '^[a-zA-Z0-9_.-]{1,64}$'")  # fmt: skip
KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
THOUGHT = ("thinking", "redacted_thinking")
FREE = ("input", "input_schema", "input_examples", "metadata", "data")
Listed = list[tuple[int, dict[str, Json]]]


def request_faults(body: dict[str, Json], listed: Listed) -> Iterator[Broken]:
    if not listed:
        yield NO_MESSAGES.at(("messages",))
    yield from _tool_faults(body, listed)
    for index, block in objects(body.get("system")):
        if not str(block.get("text") or "").strip():
            yield SYSTEM.at(("system", index, "text"))
    marks = list(_marks(body, ()))
    if len(marks) > 4:
        yield MARKS.at(marks[4][0], str(len(marks)))
    for at, block in marks:
        blank = block.get("type") == "text" and not str(block.get("text") or "").strip()
        if block.get("type") in THOUGHT or blank:
            yield UNMARKED.at(at)
    yield from _thinking_faults(body, listed)


def _tool_faults(body: dict[str, Json], listed: Listed) -> Iterator[Broken]:
    tools: list[Named] = []
    others = False
    for index, tool in objects(body.get("tools")):
        if "input_schema" not in tool:
            others = True  # of the provider's own: its name is part of its type
            tools.append((tool.get("name", "x"), ("tools", index)))
            continue
        tools.append((tool.get("name"), ("tools", index, "name")))
        schema = mapping(tool["input_schema"])
        if schema.get("type") != "object" or {"anyOf", "oneOf", "allOf"} & set(schema):
            yield SCHEMA.at(("tools", index, "input_schema"))
        for key in mapping(schema.get("properties")):
            if not KEY.fullmatch(key):
                yield PROPERTY.at(("tools", index, "input_schema", "properties", key))
    named = [(n, at) for n, at in tools if len(at) == 3]
    yield from NAMES.offered(named)
    for index, message in listed:
        for number, block in objects(message.get("content")):
            if block.get("type") == "tool_use":
                at: Path = ("messages", index, "content", number, "name")
                yield from NAMES.spelled([(block.get("name"), at)])
    choice = mapping(body.get("tool_choice"))
    if choice:
        chosen = [(choice.get("name"), ("tool_choice", "name"))]
        yield from NAMES.chosen(tools, others, chosen if choice.get("type") == "tool" else [],
                                ("tool_choice",))  # fmt: skip


def _marks(value: Json, at: Path) -> Iterator[tuple[Path, dict[str, Json]]]:
    """The objects that carry a cache mark; what users wrote is not searched."""
    if isinstance(value, dict):
        if value.get("cache_control") is not None:
            yield at, value
        for key, inner in value.items():
            if key not in FREE:
                yield from _marks(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _marks(inner, (*at, index))


def _thinking_faults(body: dict[str, Json], listed: Listed) -> Iterator[Broken]:
    thinking = mapping(body.get("thinking"))
    kind = thinking.get("type")
    for index, message in listed[-1:]:
        thought = message.get("role") == "assistant" and set(_kinds(message)) & set(THOUGHT)
        if kind == "disabled" and thought:
            yield OFF.at(("messages", index))
    effort = mapping(body.get("output_config")).get("effort")
    still = kind in ("disabled", "between_tools") and effort in ("xhigh", "max")
    if still and NO_MORE_THAN_HIGH.match(label(body.get("model"))):
        yield STILL.at(("output_config", "effort"))
    if kind != "enabled":
        return
    if mapping(body.get("tool_choice")).get("type") in ("any", "tool"):
        yield FORCED.at(("tool_choice",))
    budget, most = thinking.get("budget_tokens"), body.get("max_tokens")
    if not (isinstance(budget, int) and isinstance(most, int) and 1024 <= budget < most):
        yield BUDGET.at(("thinking", "budget_tokens"), f"{budget} of {most}")
    if listed and "tool_result" in _kinds(listed[-1][1]):
        turn = list(takewhile(lambda m: m[1].get("role") == "assistant", reversed(listed[:-1])))
        if turn and _kinds(turn[-1][1])[:1] and _kinds(turn[-1][1])[0] not in THOUGHT:
            yield BACK.at(("messages", turn[-1][0]))  # neighbours are one turn: the API sums them


def _kinds(message: dict[str, Json]) -> list[str]:
    return [label(block.get("type")) for _, block in objects(message.get("content"))]
