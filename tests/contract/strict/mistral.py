"""Mistral chat completions: nine-character ids, who is last, keys that are forbidden.

A user right behind a tool is taken today (recorded), so that older rule is not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ..judges.fault import Json, Path, brief, label, mapping, objects
from .flat import Pairs, pair_faults
from .named import Named, Names
from .openai_chat import argument_faults
from .rule import Asked, Book, Broken

__all__ = ["BOOK", "faults"]

BOOK = Book("mistral")
DOCS = "docs.mistral.ai: chat completions"
NAMES = Names.of(BOOK, r"[a-zA-Z0-9_-]{1,64}", "Function name must be a-z, A-Z, 0-9, or contain "
                 "underscores and dashes", "docs.mistral.ai: function calling")  # fmt: skip
COUNT = "Not the same number of function calls and responses"
PAIRS = Pairs(
    BOOK.rule("answered", "tool messages answer every call, right behind it", COUNT),
    BOOK.rule("orphan", "a tool message answers a call of the turn before",
              "Unexpected role 'tool' after role 'user'"),
    BOOK.rule("twice", "a call is answered once", COUNT),
    BOOK.rule("repeated_id", "an id names one call of a turn", "Duplicate tool call id"),
)  # fmt: skip
NO_MESSAGES = BOOK.rule("no_messages", "there is a message", DOCS)
ID = BOOK.rule("call_id", "an id is [a-zA-Z0-9]{9}",
               "Tool call id was X but must be a-z, A-Z, 0-9, with a length of 9.")  # fmt: skip
LAST = BOOK.rule("last", "the last message is a user's, a tool's, or an assistant's prefix",
                 "Expected last role User or Tool (or Assistant with prefix True) for serving but "
                 "got assistant")  # fmt: skip
ORDER = BOOK.rule("order", "a system message stands at the head or behind a user's",
                  "Unexpected role 'system' after role 'assistant'")  # fmt: skip
KEYS = BOOK.rule("message_key", "a message has no keys but its own",
                 "extra_forbidden: Extra inputs are not permitted")  # fmt: skip
ROLE = BOOK.rule("role", "a role is system, user, assistant or tool", DOCS)
NOTHING = BOOK.rule("says_nothing", "an assistant says something, or calls",
                    "Assistant message must have either content or tool_calls")  # fmt: skip
LEADING = BOOK.rule("two_thoughts", "one thinking chunk leads an assistant's message at most",
                    "Expected at most one leading ThinkChunk, got 2")  # fmt: skip
SEAT = BOOK.rule("seat", "thinking is the assistant's, media are the user's or a tool's", DOCS)
ARGUMENTS = BOOK.rule("arguments", "arguments are a JSON object or the text of one", DOCS)
NO_TOOLS = BOOK.rule("no_tools", "a list of tools is not empty", "php-mistral#76: 422")
CALL_ID = re.compile(r"[a-zA-Z0-9]{9}")
OWN = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "prefix"},
    "tool": {"role", "content", "tool_call_id", "name"},
}
WORDS = {"text", "thinking", "reference", "tool_reference", "tool_file"}


def faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """All that the server would refuse of roles, pairs and chunks."""
    listed = list(objects(body.get("messages")))
    if not listed:
        yield NO_MESSAGES.at(("messages",))
    yield from pair_faults(body.get("messages"), ("messages",), PAIRS, open_end=asked.open_end)
    for index, message in listed:
        yield from _message_faults(message, ("messages", index))
    for (_, before), (index, message) in pairwise(listed):
        if message.get("role") == "system" and before.get("role") in ("assistant", "tool"):
            yield ORDER.at(("messages", index), brief(before.get("role")))
    yield from _last_faults(listed, asked)
    yield from _tool_faults(body)


def _last_faults(listed: list[tuple[int, dict[str, Json]]], asked: Asked) -> Iterator[Broken]:
    """A system message may be the only one: the vendor's own request validator."""
    for index, last in listed[-1:]:
        role = last.get("role")
        waits = asked.open_end and bool(last.get("tool_calls"))
        ends = role == "assistant" and last.get("prefix") is not True and not waits
        if ends or (role == "system" and len(listed) > 1):
            yield LAST.at(("messages", index), brief(role))


def _message_faults(message: dict[str, Json], at: Path) -> Iterator[Broken]:
    role, content = label(message.get("role")), message.get("content")
    if role not in OWN:
        yield ROLE.at((*at, "role"), brief(role))
        return
    for key in sorted(set(message) - OWN[role]):
        yield KEYS.at((*at, key))
    if role == "assistant" and not content and not message.get("tool_calls"):
        yield NOTHING.at(at)
    chunks = list(objects(content))
    for index, chunk in chunks:
        kind = label(chunk.get("type"))
        if kind == "thinking" if role in ("user", "tool") else kind not in WORDS:
            yield SEAT.at((*at, "content", index), f"{kind} of {role}")
    if [chunk.get("type") for _, chunk in chunks[:2]] == ["thinking", "thinking"]:
        yield LEADING.at((*at, "content", chunks[1][0]))
    yield from _call_faults(message, at)


def _call_faults(message: dict[str, Json], at: Path) -> Iterator[Broken]:
    if message.get("role") == "tool":
        yield from _id_faults(message.get("tool_call_id"), (*at, "tool_call_id"))
    for index, call in objects(message.get("tool_calls")):
        place, function = (*at, "tool_calls", index), mapping(call.get("function"))
        yield from _id_faults(call.get("id"), (*place, "id"))
        yield from NAMES.spelled([(function.get("name"), (*place, "function", "name"))])
        given = function.get("arguments")
        if not isinstance(given, dict) and argument_faults(given):
            yield ARGUMENTS.at((*place, "function", "arguments"), brief(given))


def _id_faults(id: Json, at: Path) -> Iterator[Broken]:
    if not isinstance(id, str) or not CALL_ID.fullmatch(id):
        yield ID.at(at, brief(id))


def _tool_faults(body: dict[str, Json]) -> Iterator[Broken]:
    if body.get("tools") == []:
        yield NO_TOOLS.at(("tools",))
    tools: list[Named] = []
    others = False
    for index, tool in objects(body.get("tools")):
        if tool.get("type", "function") == "function":
            at: Path = ("tools", index, "function", "name")
            tools.append((mapping(tool.get("function")).get("name"), at))
        else:
            others = True
    yield from NAMES.offered(tools)
    choice = body.get("tool_choice")
    if choice not in (None, "auto", "none"):
        at = ("tool_choice", "function", "name")
        named = mapping(mapping(choice).get("function")).get("name")
        chosen = [(named, at)] if isinstance(choice, dict) else []
        yield from NAMES.chosen(tools, others, chosen, ("tool_choice",))
