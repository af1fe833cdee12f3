"""Messages, results and calls of requests in Chat's shape: read, and said again as they were read.

What several rooms read alike; each function has its inverse beside it. What no field of the tree
says stays among the issuer's own fields, how it was spelled is a word of `spelling`. Names no wire.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from .jsontext import Json, JsonObject
from .message import Msg, Origin, RawBlock, ToolResultBlock, ToolUseBlock
from .message.blocks import ContentBlock
from .pieces.arguments import parsed
from .pieces.calls import MADE
from .shapes import filled

__all__ = [
    "UNTYPED", "call_as_read", "content", "no_message", "read_call", "read_calls", "read_message",
    "read_messages", "result_as_read",
]  # fmt: skip

UNTYPED = "untyped"  # the spelling of a call that names no type
_PLACED = "placed"  # of one whose index is its place
_BARE = "bare"  # of one without arguments
_NOBODYS = "nobody's"  # of a result that does not say whose call it answers
_ROLES = ("system", "user", "assistant", "tool")
_CALL = ("id", "function")
_FUNCTION = ("name", "arguments")

_Blocks: TypeAlias = list[ContentBlock]
_Parts: TypeAlias = Callable[[list[Json], str, Origin | None], _Blocks]


def read_messages(listed: Iterable[Json], read: Callable[[Json, int], Msg]) -> list[Msg]:
    """The entries of `messages`, each read by `read(entry, its place)`.

    A result that names no call belongs to the first one of its name that waits for one.
    """
    waiting = _Waiting([])
    made = []
    for place, told in enumerate(listed):
        m = read(told, place)
        if type(m.content) is list:
            if m.role == "assistant":
                calls = [block for block in m.content if type(block) is ToolUseBlock]
                waiting = _Waiting(calls) if calls else waiting
            elif m.role == "tool" and type(m.content[0]) is ToolResultBlock:
                _paired(m.content[0], waiting)
        made.append(m)
    return made


class _Waiting:
    """The calls of a turn that wait for their results, in order; by its id one is found at once."""

    __slots__ = ("calls", "places")

    def __init__(self, calls: list[ToolUseBlock]) -> None:
        self.calls = dict(enumerate(calls))
        self.places: dict[str, deque[int]] = {}
        for at, call in enumerate(calls):
            self.places.setdefault(call.id, deque()).append(at)


def _paired(result: ToolResultBlock, waiting: _Waiting) -> None:
    if result.id:
        places = waiting.places.get(result.id)
        while places and waiting.calls.pop(places.popleft(), None) is None:
            pass  # a result that names no call was given that one
        return
    for at, call in waiting.calls.items():
        if result.name in ("", call.name) or not call.id:
            result.id = call.id
            result.spelling = f"{result.spelling} {MADE}" if result.spelling else MADE
            del waiting.calls[at]
            return


def no_message(told: Json, issuer: str) -> Msg:
    """What is no message of a known role, as it came."""
    return Msg.trusted("", [RawBlock(issuer, told, "message", by="client")], "user")


def read_message(
    told: Json, issuer: str, parts: _Parts, answer: Callable[[JsonObject], Msg]
) -> Msg:
    """One entry of `messages`.

    `parts` reads the items of a content, `answer` what the assistant said beside its role.
    """
    role: Any = told.get("role") if isinstance(told, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return no_message(told, issuer)
    rest = {key: value for key, value in told.items() if key != "role"}
    if role == "tool":
        made = Msg.trusted("", [_result(rest, issuer, parts)], "tool")
    elif role == "assistant":
        made = answer(rest)
    else:
        said, word = content(rest, issuer, parts)
        made = Msg.trusted("", said, role)  # type: ignore[arg-type]  # one of the roles
        made.spelling = word
    if rest:
        made.extras = {issuer: rest}
    return made


def content(
    rest: JsonObject, issuer: str, parts: _Parts, origin: Origin | None = None
) -> tuple[str | _Blocks, str | None]:
    """(what is said, how it is spelled): taken out of `rest`."""
    said = rest.get("content")
    if isinstance(said, str):
        del rest["content"]
        return said, None
    if isinstance(said, list):
        del rest["content"]
        return parts(said, issuer, origin), None if said else "list"
    if said is None and "content" in rest:
        del rest["content"]
        return [], "null"
    return [], "absent"


def _result(rest: JsonObject, issuer: str, parts: _Parts) -> ToolResultBlock:
    id, name = rest.get("tool_call_id"), rest.get("name")
    block = ToolResultBlock(
        rest.pop("tool_call_id") if isinstance(id, str) else "",
        rest.pop("name") if isinstance(name, str) and name else "",
    )
    said, word = content(rest, issuer, parts)
    block.output = None if word in ("null", "absent") else said
    words = [word or "", "" if isinstance(id, str) else _NOBODYS]
    block.spelling = " ".join(filter(None, words)) or None
    return block


def result_as_read(block: Any, said: Callable[[ContentBlock], Json]) -> JsonObject:
    """The entry of `messages` of a result; `said` is an item of its content."""
    made: JsonObject = {"role": "tool"}
    words = (block.spelling or "").split()
    if _NOBODYS not in words:
        made["tool_call_id"] = "" if MADE in words else block.id
    if block.name:
        made["name"] = block.name
    output = block.output
    if isinstance(output, list):
        made["content"] = [said(one) for one in output]
    elif "absent" not in words:
        made["content"] = output
    return made


def read_calls(rest: JsonObject, issuer: str, place: int) -> _Blocks:
    """The `tool_calls` of the message at this place, taken out of `rest`."""
    told = rest.get("tool_calls")
    if not (isinstance(told, list) and told):
        return []
    del rest["tool_calls"]
    return [read_call(one, issuer, nth, f"call_{place}_{nth}") for nth, one in enumerate(told)]


def read_call(told: Json, issuer: str, nth: int, made_id: str) -> ToolUseBlock | RawBlock:
    """The `nth` entry of `tool_calls`; `made_id` is for one without an id.

    What is no call of a function by its name is kept as it came.
    """
    function = told.get("function") if isinstance(told, dict) else None
    id = told.get("id") if isinstance(told, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return RawBlock(issuer, told, "call", id if isinstance(id, str) else None, "client")
    block = ToolUseBlock(id if isinstance(id, str) and id else made_id, function["name"])
    rest, words = _beside(told, nth)
    inner = {key: value for key, value in function.items() if key not in _FUNCTION}
    given = function.get("arguments")
    if isinstance(given, str):
        block.input, block.raw_input = parsed(given), given
    elif isinstance(given, dict):
        block.input = given
    elif "arguments" in function:
        inner["arguments"] = given
    else:
        words.append(_BARE)
    if inner:
        rest["function"] = inner
    block.spelling = " ".join(words) or None
    block.extras = {issuer: rest} if rest else None
    return block


def _beside(told: JsonObject, nth: int) -> tuple[JsonObject, list[str]]:
    """(what nobody models of a call, beside its function; how the rest is spelled)."""
    rest = {key: value for key, value in told.items() if key not in _CALL}
    words = []
    if not (isinstance(told.get("id"), str) and told["id"]):
        words.append(MADE)
        rest |= {"id": told["id"]} if "id" in told else {}
    if rest.get("type") == "function":
        del rest["type"]
    elif "type" not in rest:
        words.append(UNTYPED)
    if type(rest.get("index")) is int and rest["index"] == nth:
        words.append(_PLACED)
        del rest["index"]
    return rest, words


def call_as_read(block: ContentBlock, issuer: str, nth: int) -> Json:
    """The entry of `tool_calls` that `read_call` made the block of."""
    if type(block) is RawBlock:
        return block.data
    assert type(block) is ToolUseBlock  # the other one of the two
    words = (block.spelling or "").split()
    said = block.input if block.raw_input is None else block.raw_input
    made: JsonObject = {} if MADE in words else {"id": block.id}
    made["function"] = {"name": block.name} | ({} if _BARE in words else {"arguments": said})
    if UNTYPED not in words:
        made["type"] = "function"
    if _PLACED in words:
        made["index"] = nth
    return filled(made, (block.extras or {}).get(issuer, {}))
