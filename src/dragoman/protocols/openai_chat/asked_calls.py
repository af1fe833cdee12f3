"""Tool calls in the messages of a request, read into blocks, and said again as they were read.

Reference: OpenAI API, "Create chat completion", `messages[].tool_calls`; the older
`messages[].function_call`, whose call has no id and is answered by the name of its function.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Msg, RawBlock, RefusalBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...message.makers import called
from ...pieces.arguments import parsed
from ...seats import Seated
from .parts import MARKS, marked, unmarked

__all__ = ["LEGACY", "call_as_read", "paired", "read_calls", "usual_calls"]

LEGACY = "function_call"  # the spelling of calls without ids
_CALL = {"id", "function", "type"}


def read_calls(rest: JsonObject, issuer: str) -> list[ContentBlock]:
    """What an assistant's message has behind its content, taken out of the message."""
    made: list[ContentBlock] = []
    if isinstance(rest.get("refusal"), str) and rest["refusal"]:
        made.append(RefusalBlock(rest.pop("refusal"), spelling="field"))
    told = rest.get("tool_calls")
    if isinstance(told, list) and told:
        del rest["tool_calls"]
        made += [_call(one, issuer) for one in told]
    legacy = rest.get(LEGACY)
    if isinstance(legacy, dict) and _function(legacy):
        del rest[LEGACY]
        raw = legacy["arguments"]
        made.append(ToolUseBlock("", legacy["name"], parsed(raw), raw, spelling=LEGACY))
    return made


def usual_calls(told: Json, names: dict[str, str], seated: Seated) -> list[ContentBlock] | None:
    """Calls of functions with nothing odd in any of them; None for all others.

    `names` learns what they are called by id, `seated` their ids and names in order.
    """
    if type(told) is not list:
        return None
    ids, called_by = seated.calls, seated.names
    made: list[ContentBlock] = []
    try:
        for one in told:
            function, id = one["function"], one["id"]
            name, raw = function["name"], function["arguments"]
            if one["type"] != "function" or len(one) != 3 or len(function) != 2:
                return None
            if type(id) is not str or type(name) is not str or type(raw) is not str:
                return None
            given = parsed(raw)
            if type(given) is not dict:
                return None
            made.append(called(id, name, given, raw))
            names[id] = name
            ids.append(id)
            called_by.append(name)
    except (LookupError, TypeError):  # something is missing, or is no object
        return None
    return made


def _function(told: Any) -> bool:
    """Whether it is a name and the text of arguments, and nothing else."""
    return (
        isinstance(told, dict)
        and {*told} == {"name", "arguments"}
        and isinstance(told["name"], str)
        and isinstance(told["arguments"], str)
    )


def _call(told: Json, issuer: str) -> ContentBlock:
    function = told.get("function") if isinstance(told, dict) else None
    id = told.get("id") if isinstance(told, dict) else None
    block = _called(id, function) if isinstance(id, str) and isinstance(function, dict) else None
    if block is None:
        pair = id if isinstance(id, str) else None
        return RawBlock(issuer, told, "call", pair, "client", spelling="call")
    rest = {key: value for key, value in told.items() if key not in _CALL}
    if told.get("type") != "function":
        block.spelling = " ".join(filter(None, (block.spelling, "untyped")))
        if "type" in told:
            rest["type"] = told["type"]
    hint, key = unmarked(rest)
    if hint is not None:
        block.cache = hint
        block.spelling = f"{block.spelling or ''} {key}"
        del rest[key]
    if rest:
        block.extras = {issuer: rest}
    return block


def _called(id: str, function: JsonObject) -> ToolUseBlock | None:
    """The call of a function; some clients give the arguments as an object, or give none."""
    if _function(function):
        raw = function["arguments"]
        return ToolUseBlock(id, function["name"], parsed(raw), raw)
    given = function.get("arguments")
    usual = {*function} <= {"name", "arguments"} and isinstance(function.get("name"), str)
    if not usual or not (given is None or isinstance(given, dict)):
        return None
    word = "bare" if "arguments" not in function else "null" if given is None else "object"
    return ToolUseBlock(id, function["name"], given or {}, spelling=word)


def call_as_read(block: ToolUseBlock, issuer: str) -> JsonObject:
    """The call, or the `function_call`, that was read."""
    function: JsonObject = {"name": block.name, "arguments": block.raw_input}
    if block.spelling == LEGACY:
        return function
    made: JsonObject = {"id": block.id, "type": "function", "function": function}
    words = (block.spelling or "").split()
    if "bare" in words:
        del function["arguments"]
    elif "object" in words:
        function["arguments"] = block.input
    if "untyped" in words:
        del made["type"]
    if block.cache is not None:
        made.update(marked(block.cache, next(word for word in words if word in MARKS)))
    made.update((block.extras or {}).get(issuer, {}))
    return made


def paired(msgs: Sequence[Msg]) -> None:
    """Give calls without ids their own, and the same to the next result of that function."""
    open_calls: dict[str, list[str]] = {}
    for nth, m in enumerate(msgs):
        for block in () if isinstance(m.content, str) else m.content:
            if type(block) is ToolUseBlock and block.spelling == LEGACY:
                said = f"{nth}\0{block.name}\0{block.raw_input}"
                seed = said.encode("utf-8", "surrogatepass")
                block.id = f"call_{blake2b(seed, digest_size=9).hexdigest()}"
                open_calls.setdefault(block.name, []).append(block.id)
            elif type(block) is ToolResultBlock and not block.id and open_calls.get(block.name):
                block.id = open_calls[block.name].pop(0)
