"""DashScope's native generation: pairs, forms of content, one user at least."""

from __future__ import annotations

from collections.abc import Iterator

from ..judges.fault import Json, Path, brief, label, mapping, objects
from .flat import Pairs, pair_faults
from .named import Named, Names
from .openai_chat import argument_faults
from .rule import Asked, Book, Broken

__all__ = ["BOOK", "faults"]

BOOK = Book("dashscope")
DOCS = "help.aliyun.com: model-studio, DashScope API reference"
NAMES = Names.of(BOOK, r"[a-zA-Z0-9_-]{1,64}", DOCS, DOCS)
PAIRS = Pairs(
    BOOK.rule("answered", "tool messages answer every call, right behind it",
              'An assistant message with "tool_calls" must be followed by tool messages '
              'responding to each "tool_call_id".'),
    BOOK.rule("orphan", "a tool message answers a call of the turn before",
              'messages with role "tool" must be a response to a preceeding message with '
              '"tool_calls".'),
    BOOK.rule("twice", "a call is answered once", DOCS),
    BOOK.rule("repeated_id", "an id names one call of a turn", DOCS),
)  # fmt: skip
NO_MESSAGES = BOOK.rule("no_messages", "there is a message", DOCS)
NO_USER = BOOK.rule("no_user", "a user speaks",
                    "The input messages do not contain elements with the role of user")  # fmt: skip
ROLE = BOOK.rule("role", "a role is system, user, assistant or tool", DOCS)
ID = BOOK.rule("call_id", "a call has an id", DOCS)
ARGUMENTS = BOOK.rule("arguments", "arguments are the text of a JSON object",
                      'The "function.arguments" parameter of the code model must be in JSON '
                      "format.")  # fmt: skip
NO_CALLS = BOOK.rule("no_calls", "a list of calls is not empty", "llama_index#20530")
CONTENT = BOOK.rule("content", "content is a string or a list of parts",
                    "'NoneType' object is not iterable")  # fmt: skip
NULL = BOOK.rule("null_text", "text is not null", "agentscope#1022, #1136: refused, or the same "
                 "call again and again")  # fmt: skip
SEAT = BOOK.rule("seat", "media are the user's, or a tool's", DOCS)
FORCED = BOOK.rule("forced", "no tool is forced while the model thinks",
                   "The tool_choice parameter does not support being set to required or object in "
                   "thinking mode")  # fmt: skip
CHOICE = BOOK.rule("choice", "a choice is auto, none, or names a function", DOCS)
HERE: Path = ("input", "messages")
THERE: Path = ("parameters",)


def faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """All that the service would refuse of roles, pairs and content."""
    given = mapping(body.get("input"))
    if "prompt" in given and "messages" not in given:
        return
    listed = list(objects(given.get("messages")))
    if not listed:
        yield NO_MESSAGES.at(HERE)
    elif all(message.get("role") != "user" for _, message in listed):
        yield NO_USER.at(HERE)
    yield from pair_faults(given.get("messages"), HERE, PAIRS, open_end=asked.open_end)
    for index, message in listed:
        yield from _message_faults(message, (*HERE, index))
    yield from _tool_faults(mapping(body.get("parameters")))


def _message_faults(message: dict[str, Json], at: Path) -> Iterator[Broken]:
    role, content = label(message.get("role")), message.get("content")
    if role not in ("system", "user", "assistant", "tool"):
        yield ROLE.at((*at, "role"), brief(role))
    absent = "content" not in message and bool(message.get("tool_calls"))  # taken: recorded
    if not isinstance(content, str | list) and not absent:
        yield CONTENT.at((*at, "content"), brief(content))
    for index, part in objects(content):
        if "text" in part and part["text"] is None:
            yield NULL.at((*at, "content", index))
        if role in ("system", "assistant") and {"image", "audio", "video"} & set(part):
            yield SEAT.at((*at, "content", index))
    if message.get("tool_calls") == []:
        yield NO_CALLS.at((*at, "tool_calls"))
    for index, call in objects(message.get("tool_calls")):
        place, function = (*at, "tool_calls", index), mapping(call.get("function"))
        if not isinstance(call.get("id"), str) or not call["id"]:
            yield ID.at((*place, "id"), brief(call.get("id")))
        yield from NAMES.spelled([(function.get("name"), (*place, "function", "name"))])
        if argument_faults(function.get("arguments")):
            yield ARGUMENTS.at((*place, "function", "arguments"), brief(function.get("arguments")))


def _tool_faults(given: dict[str, Json]) -> Iterator[Broken]:
    tools: list[Named] = [
        (mapping(tool.get("function")).get("name"), (*THERE, "tools", index, "function", "name"))
        for index, tool in objects(given.get("tools"))
    ]
    yield from NAMES.offered(tools)
    choice = given.get("tool_choice")
    if choice in (None, "auto", "none"):
        return
    at = (*THERE, "tool_choice")
    if given.get("enable_thinking") is True:
        yield FORCED.at(at)
    if not isinstance(choice, dict):
        yield CHOICE.at(at, brief(choice))
        return
    named = mapping(choice.get("function")).get("name")
    yield from NAMES.chosen(tools, False, [(named, (*at, "function", "name"))], at)
