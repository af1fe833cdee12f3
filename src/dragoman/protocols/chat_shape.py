"""The chat-shaped pieces that several rooms share: function tools, result text, own fields.

Pure functions over the tree; names no wire.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias
from urllib.parse import quote

from .._core.jsontext import Json, JsonObject, arguments, loads
from .._core.passes.roles import SYSTEM, RoledHistory
from .._core.redaction import shown
from .._core.stream.arguments import MADE, parsed
from ..capabilities import Capabilities
from ..errors import ReadError, WriteError
from ..losses import Report
from ..message import (
    Msg,
    Origin,
    RawBlock,
    ServerTool,
    TextBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
)
from ..message.blocks import ANSWER, NOTES, ContentBlock
from ..message.check import HEALED
from ..schema import lowered_once, report_changes

_EMPTY: JsonObject = {"type": "object", "properties": {}}


def arguments_of(block: ToolUseBlock) -> str:
    """The argument text: the model's own if it still says what `input` says."""
    raw = block.raw_input
    if raw is not None and _says(raw, block.input):
        return raw
    return arguments(block.input)


def _says(raw: str, value: Any) -> bool:
    try:
        # by text: to Python 1, 1.0 and true are equal
        return arguments(loads(raw)) == arguments(value)
    except ReadError:
        return False


def parameters(tool: Tool, caps: Capabilities, report: Report) -> tuple[JsonObject, bool | None]:
    """(the schema of a tool's parameters as the wire takes it, whether it is strict).

    An empty object if the tool declares none. What no strict schema can say is not strict.
    """
    told = tool.schema if tool.schema is not None else dict(_EMPTY)
    strict = tool.strict
    if strict is not None and not caps.strict_tools:
        report.lost("tool.strict", tool, "strict")
        strict = None
    if strict and caps.strict_schema:
        made = lowered_once(told, caps.strict_schema)
        if not made.unfit:
            report_changes(made, report, tool, "parameters", tool.name)
            return made.schema, True
        why = f"{tool.name}: {made.unfit}"
        report.lost("schema.unfit", tool, "strict", why, "not strict", made.rule)
        strict = False
    if caps.tool_schema == "plain":
        return told, strict
    made = lowered_once(told, caps.tool_schema)
    report_changes(made, report, tool, "parameters", tool.name)
    return made.schema, strict


def function_tool(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    """`{"type": "function", "function": {"name", "description", "parameters"}}`."""
    function: JsonObject = {"name": tool.name, "description": tool.description}
    function["parameters"], strict = parameters(tool, caps, report)
    if strict is not None:
        function["strict"] = strict
    if tool.cache is not None and not caps.cached_tools:
        report.lost("tool.cache", tool, "cache")
    made: JsonObject = {"type": "function", "function": function}
    return replay(made, tool, caps, report)


def replay(made: JsonObject, node: Any, caps: Capabilities, report: Report) -> JsonObject:
    """`made`, filled with the fields of those issuers that this wire understands."""
    if node.extras is not None:
        for issuer, own in node.extras.items():
            if issuer in caps.reads:
                filled(made, own)
            elif not issuer.endswith(NOTES):
                report.foreign(node, issuer, own)
    return made


def filled(made: JsonObject, own: Mapping[str, Any]) -> JsonObject:
    """`made` with an issuer's own fields: objects are filled, lists grow, the rest is set."""
    for key, value in own.items():
        there = made.get(key)
        if isinstance(there, dict) and isinstance(value, Mapping):
            made[key] = filled(dict(there), value)
        elif isinstance(there, list) and isinstance(value, list):
            made[key] = [*there, *(one for one in value if one not in there)]
        else:
            made[key] = value
    return made


def own_extras(node: Any, caps: Capabilities) -> JsonObject:
    """The fields of a block or message that are this wire's: its issuers', and those it claims."""
    return {
        key: value
        for issuer, own in (node.extras or {}).items()
        for key, value in own.items()
        if issuer in caps.reads or (not issuer and key in caps.claims)
    }


def answer_fields(
    node: Any, issuers: Sequence[str], report: Report, known: Sequence[str] = ()
) -> JsonObject:
    """The fields of an answer's node that are this wire's, those of answers alone among them.

    Those of other issuers are losses by key, but for `known`: what is said of them elsewhere.
    """
    made: JsonObject = {}
    for issuer, own in (node.extras or {}).items():
        if issuer.removesuffix(ANSWER) in issuers:
            filled(made, own)
        elif issuer != HEALED and not issuer.endswith(NOTES):
            lost = {key: value for key, value in own.items() if key not in known}
            report.foreign(node, issuer, lost)
    return made


@lru_cache(maxsize=256)
def in_path(model: str, safe: str = "") -> str:
    """The model as a part of a path; `safe` signs stay. Raises WriteError for one that leads out.

    `.` and `..` would be taken as directions, also quoted.
    """
    if any(part in (".", "..") for part in model.split("/")):
        raise WriteError(f"{shown(model)} names no model", path="$.model", code="model.name")
    return quote(model, safe=safe)


def texts(blocks: Iterable[ContentBlock]) -> list[str]:
    """The texts of the text blocks."""
    return [block.text for block in blocks if type(block) is TextBlock]


def result_text(block: ToolResultBlock, bullets: bool) -> str:
    """A result as one text. Several pieces become a list with dashes, or lines."""
    output = block.output
    if type(output) is str:
        return output
    if output is None:
        return ""
    if isinstance(output, list):
        pieces = texts(output)
        if len(pieces) == 1:
            return pieces[0]
        return "\n".join(f"- {piece}" for piece in pieces) if bullets else "\n".join(pieces)
    return arguments(output)


def own_tool(tool: ServerTool, caps: Capabilities) -> JsonObject:
    """A tool that nobody models, as its own provider declares it."""
    own = (own for issuer, own in (tool.extras or {}).items() if issuer in caps.reads)
    return next(own, {})


def unsaid(tool: ServerTool, report: Report, *said: str) -> None:
    """Name the fields of a server tool that the provider's own has no place for."""
    for name, _ in tool.given():
        if name not in said:
            report.lost("server_tool.field", tool, name, what=f"{name} of {tool.kind}")


def head(history: RoledHistory) -> int:
    """How many messages stand before everything else as the system prompt."""
    count = 0
    for seat in history.seats:
        if seat != SYSTEM:
            break
        count += 1
    return count


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
