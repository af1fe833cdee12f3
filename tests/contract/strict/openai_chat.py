"""OpenAI Chat Completions: pairs, ids, seats of media, and texts in the place of lists.

No order of roles is demanded here. Hosts that copy the protocol refuse more: the file beside
this one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ..judges.fault import Json, Path, brief, label, mapping, objects
from .flat import Pairs, pair_faults
from .named import Named, Names
from .openai_hosts import BOOK, host_faults
from .rule import Asked, Broken

__all__ = ["BOOK", "argument_faults", "faults"]

API = "OpenAI: Chat Completions reference"
NAMES = Names.of(BOOK, r"[a-zA-Z0-9_-]{1,64}",
                 "Invalid 'tools[5].function.name': string too long. Expected a string with "
                 "maximum length 64; does not match pattern '^[a-zA-Z0-9_-]+$'", API)  # fmt: skip
PAIRS = Pairs(
    BOOK.rule("answered", "tool messages answer every call, right behind it",
              "An assistant message with 'tool_calls' must be followed by tool messages "
              "responding to each 'tool_call_id'."),
    BOOK.rule("orphan", "a tool message answers a call of the turn before",
              "messages with role 'tool' must be a response to a preceeding message with "
              "'tool_calls'"),
    BOOK.rule("twice", "a call is answered once", API),
    BOOK.rule("repeated_id", "an id names one call of a turn", API),
)  # fmt: skip
NO_MESSAGES = BOOK.rule("no_messages", "there is a message", "[] is too short - 'messages'")
ROLE = BOOK.rule("role", "a role is one of the protocol's six", API)
ID = BOOK.rule("call_id", "an id is a text of 1 to 40 characters",
               "string too long. Expected a string with maximum length 40")  # fmt: skip
ARGUMENTS = BOOK.rule("arguments", "arguments are the text of a JSON object",
                      "vLLM: Expecting value: line 1 column 1 (char 0)")  # fmt: skip
NOTHING = BOOK.rule("says_nothing", "an assistant says something, or calls", API)
NO_CALLS = BOOK.rule("no_calls", "a list of calls is not empty",
                     "[] is too short - 'messages.1.tool_calls'")  # fmt: skip
CALLER = BOOK.rule("caller", "the assistant alone calls", API)
EMPTY_LIST = BOOK.rule("empty_list", "a list of parts is not empty",
                       "Invalid 'messages[0].content': empty array")  # fmt: skip
SEAT = BOOK.rule("seat", "media are the user's",
                 "Image URLs are only allowed for messages with role 'user'")  # fmt: skip
SPEAKER = BOOK.rule("speaker", r"a speaker's name is [^\s<|\\/>]+, 64 characters at most",
                    "Invalid 'messages[2].name': string does not match pattern")  # fmt: skip
NO_TOOLS = BOOK.rule("no_tools", "a list of tools is not empty", "[] is too short - 'tools'")
NAME = re.compile(r"[^\s<|\\/>]{1,64}")
ROLES = ("developer", "system", "user", "assistant", "tool", "function")
SAID = {"assistant": {"text", "refusal"}}
LONGEST = 40
SEES_RESULTS = ("ollama", "llamacpp")  # recorded


def faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """All that the provider would refuse of roles, pairs and parts."""
    messages = body.get("messages")
    if not messages:
        yield NO_MESSAGES.at(("messages",))
    yield from pair_faults(messages, ("messages",), PAIRS, open_end=asked.open_end)
    for index, message in objects(messages):
        yield from _message_faults(message, ("messages", index), asked)
    yield from _tool_faults(body)
    yield from host_faults(body, asked)


def _message_faults(message: dict[str, Json], at: Path, asked: Asked) -> Iterator[Broken]:
    role, content = label(message.get("role")), message.get("content")
    if role not in ROLES:
        yield ROLE.at((*at, "role"), brief(role))
    if content == []:
        yield EMPTY_LIST.at((*at, "content"))
    if message.get("name") is not None and not NAME.fullmatch(label(message["name"])):
        yield SPEAKER.at((*at, "name"), brief(message["name"]))
    says = content or any(message.get(k) for k in ("tool_calls", "function_call", "refusal",
                                                   "audio"))  # fmt: skip
    if role == "assistant" and content is None and not says:
        yield NOTHING.at(at)
    for index, part in objects(content):
        kind = label(part.get("type", "text"))
        takes = role == "user" or (role == "tool" and asked.host in SEES_RESULTS)
        if not takes and kind not in SAID.get(role, {"text"}):
            yield SEAT.at((*at, "content", index), f"{kind} of {role}")
    yield from _call_faults(message, at, asked)


def _call_faults(message: dict[str, Json], at: Path, asked: Asked) -> Iterator[Broken]:
    if message.get("tool_calls") == []:
        yield NO_CALLS.at((*at, "tool_calls"))
    if message.get("role") != "assistant" and message.get("tool_calls"):
        yield CALLER.at((*at, "tool_calls"))
    if message.get("role") == "tool":
        yield from _id_faults(message.get("tool_call_id"), (*at, "tool_call_id"), asked)
    for index, call in objects(message.get("tool_calls")):
        place = (*at, "tool_calls", index)
        yield from _id_faults(call.get("id"), (*place, "id"), asked)
        if call.get("type", "function") != "function":
            continue
        function = mapping(call.get("function"))
        yield from NAMES.spelled([(function.get("name"), (*place, "function", "name"))])
        if argument_faults(function.get("arguments")):
            yield ARGUMENTS.at((*place, "function", "arguments"), brief(function.get("arguments")))


def _id_faults(id: Json, at: Path, asked: Asked) -> Iterator[Broken]:
    """Only the provider itself counts the characters: copies gave longer ones out themselves."""
    long = isinstance(id, str) and len(id) > LONGEST and asked.host in ("", "openai", "azure")
    if not isinstance(id, str) or not id or long:
        yield ID.at(at, brief(id))


def argument_faults(arguments: Json) -> bool:
    """Whether arguments are anything but the text of a JSON object."""
    try:
        return not isinstance(json.loads(arguments), dict)
    except (TypeError, ValueError, RecursionError):
        return True


def _tool_faults(body: dict[str, Json]) -> Iterator[Broken]:
    if body.get("tools") == []:
        yield NO_TOOLS.at(("tools",))
    tools: list[Named] = []
    others = bool(body.get("functions"))
    for index, tool in objects(body.get("tools")):
        kind = label(tool.get("type", "function"))
        if kind in ("function", "custom"):
            tools.append((mapping(tool.get(kind)).get("name"), ("tools", index, kind, "name")))
        else:
            others = True
    yield from NAMES.offered(tools)
    choice = body.get("tool_choice")
    if choice is None:
        return
    chosen: list[Named] = []
    if isinstance(choice, dict):
        kind = label(choice.get("type", "function"))
        if kind in ("function", "custom"):
            chosen = [(mapping(choice.get(kind)).get("name"), ("tool_choice", kind, "name"))]
        for index, tool in objects(mapping(choice.get("allowed_tools")).get("tools")):
            at = ("tool_choice", "allowed_tools", "tools", index, "function", "name")
            chosen.append((mapping(tool.get("function")).get("name"), at))
    yield from NAMES.chosen(tools, others, chosen, ("tool_choice",))
