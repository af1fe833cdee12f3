"""Cohere v2 chat: pairs, names without dashes, blocks that a message may hold."""

from __future__ import annotations

from collections.abc import Iterator

from ..judges.fault import Json, Path, brief, label, mapping, objects
from .flat import Pairs, pair_faults
from .named import Named, Names
from .openai_chat import argument_faults
from .rule import Asked, Book, Broken

__all__ = ["BOOK", "faults"]

BOOK = Book("cohere")
DOCS = "docs.cohere.com: v2 chat"
ERRORS = "docs.cohere.com: errors"
NAMES = Names.of(BOOK, r"[A-Za-z_][A-Za-z0-9_]*",
                 "tool names can only contain certain characters (A-Za-z0-9_) and can't begin "
                 "with a digit", DOCS, named=False)  # fmt: skip
PAIRS = Pairs(
    BOOK.rule("answered", "tool messages answer every call, right behind it",
              "An assistant message with 'tool_calls' must be followed by tool messages "
              "responding to each 'tool_call_id'."),
    BOOK.rule("orphan", "a tool message answers a call of the turn before",
              "tool call id not found in previous tool calls"),
    BOOK.rule("twice", "a call is answered once", DOCS),
    BOOK.rule("repeated_id", "an id names one call", "cannot have duplicate tool ids"),
)  # fmt: skip
NO_MESSAGES = BOOK.rule("no_messages", "there is a message", DOCS)
ROLE = BOOK.rule("role", "a role is system, user, assistant or tool", DOCS)
EMPTY = BOOK.rule("empty", "a turn says something",
                  "message must not be empty in a turn")  # fmt: skip
ID = BOOK.rule("call_id", "a call has an id", "tool call id must be provided with tool message")
KIND = BOOK.rule("call_kind", "a call is of a function", "tool call must be of type function")
SEAT = BOOK.rule("seat", "a block stands in a message of who may say it", DOCS)
ARGUMENTS = BOOK.rule("arguments", "arguments are the text of a JSON object", DOCS)
CHOICE = BOOK.rule("choice", "a choice is REQUIRED or NONE", DOCS)
SEATS = {
    "system": {"text"},
    "user": {"text", "image_url"},
    "assistant": {"text", "thinking"},
    "tool": {"text", "document"},
}


def faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """All that the server would refuse of roles, pairs and blocks."""
    messages = body.get("messages")
    if not messages:
        yield NO_MESSAGES.at(("messages",))
    yield from pair_faults(messages, ("messages",), PAIRS, open_end=asked.open_end)
    for index, message in objects(messages):
        yield from _message_faults(message, ("messages", index))
    yield from _tool_faults(body)


def _message_faults(message: dict[str, Json], at: Path) -> Iterator[Broken]:
    role, content = label(message.get("role")), message.get("content")
    if role not in SEATS:
        yield ROLE.at((*at, "role"), brief(role))
        return
    blocks = list(objects(content))
    silent = isinstance(content, list) and all(b.get("text") == "" for _, b in blocks)
    if (not content or silent) and role != "tool" and not message.get("tool_calls"):
        yield EMPTY.at((*at, "content"))
    kinds = [label(block.get("type")) for _, block in blocks]
    for (index, _), kind in zip(blocks, kinds, strict=True):
        if kind not in SEATS[role]:
            yield SEAT.at((*at, "content", index), f"{kind} of {role}")
    yield from _call_faults(message, at)


def _call_faults(message: dict[str, Json], at: Path) -> Iterator[Broken]:
    if message.get("role") == "tool" and not _is_id(message.get("tool_call_id")):
        yield ID.at((*at, "tool_call_id"))
    for index, call in objects(message.get("tool_calls")):
        place, function = (*at, "tool_calls", index), mapping(call.get("function"))
        if not _is_id(call.get("id")):
            yield ID.at((*place, "id"), brief(call.get("id")))
        if call.get("type", "function") != "function":
            yield KIND.at((*place, "type"), brief(call.get("type")))
        yield from NAMES.spelled([(function.get("name"), (*place, "function", "name"))])
        if argument_faults(function.get("arguments")):
            yield ARGUMENTS.at((*place, "function", "arguments"), brief(function.get("arguments")))


def _is_id(id: Json) -> bool:
    return isinstance(id, str) and bool(id)


def _tool_faults(body: dict[str, Json]) -> Iterator[Broken]:
    tools: list[Named] = [
        (mapping(tool.get("function")).get("name"), ("tools", index, "function", "name"))
        for index, tool in objects(body.get("tools"))
    ]
    yield from NAMES.offered(tools)
    choice = body.get("tool_choice")
    if choice not in (None, "REQUIRED", "NONE"):
        yield CHOICE.at(("tool_choice",), brief(choice))
    if choice == "REQUIRED":
        yield from NAMES.chosen(tools, False, [], ("tool_choice",))
