"""Calls of custom tools, which both of OpenAI's wires have, as the other one has them.

They are opaque to the tree: plain text goes in, and no schema says which. Reference: OpenAI API,
"Create chat completion", `tool_calls`; "Create a model response", `custom_tool_call`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...losses import Report
from ...message import ChatRequest, Msg, RawBlock, ServerTool, TextBlock, Tool, ToolResultBlock
from ...message.blocks import ContentBlock, noted
from ...protocols.base import Room
from ..jsontext import Json, JsonObject

_CALL, _OUTPUT = "custom_tool_call", "custom_tool_call_output"


_BARE = {"type", "call_id", "name", "input", "output"}


_OF_ANSWERS = {"id", "status"}  # which a call may go back without


_SPELLED = {"openai-chat": "call", "openai-responses": None}


def messages(msgs: list[Msg], issuer: str, issued: str, report: Report) -> list[Msg]:
    """The messages with calls of custom tools, and their results, as this wire has them."""
    made: list[Msg] = []
    called: set[str] = set()
    for m in msgs:
        content: Any = m.content
        if type(content) is str:
            made.append(m)
            continue
        blocks = [_said(block, issuer, issued, called) for block in content]
        if all(new is old for new, old in zip(blocks, content, strict=True)):
            made.append(m)
            continue
        for new, old in zip(blocks, content, strict=True):
            if new is not old:
                report.made(new, old)
        made.append(Msg.trusted(m.name, blocks, m.role, m))
        report.made(made[-1], m)
    return made if called else msgs


def _said(block: ContentBlock, issuer: str, issued: str, called: set[str]) -> ContentBlock:
    """The block, or what says the same here; `called` learns the ids of calls."""
    if type(block) is ToolResultBlock and block.id in called and issued == "openai-responses":
        output = _output(block)
        told = {"type": _OUTPUT, "call_id": block.id, "output": output}
        return block if output is None else RawBlock(issued, told, "result", block.id, "client")
    if type(block) is not RawBlock or block.issuer != issuer or not isinstance(block.data, dict):
        return block
    told, id = block.data, block.pair or ""
    if block.role == "call" and id:
        made = _chat_call(told) if issued == "openai-chat" else _item(told)
        if made is not None:
            called.add(id)
            return RawBlock(issued, made, "call", id, "client", spelling=_SPELLED[issued])
    elif block.role == "result" and id in called and told.get("type") == _OUTPUT:
        said = told.get("output")
        if isinstance(said, str) and told.keys() - _OF_ANSWERS <= _BARE:
            return ToolResultBlock(id, output=said)
        if isinstance(said, list) and all(map(_is_text, said)):
            return ToolResultBlock(id, output=[TextBlock(one["text"]) for one in said])
    return block


def _is_text(part: Json) -> bool:
    return isinstance(part, dict) and part.keys() == {"type", "text"} and (
        part["type"] == "input_text" and isinstance(part["text"], str)
    )  # fmt: skip


def _output(block: ToolResultBlock) -> Json:
    """The text or the texts of a result; None if there is more in it."""
    said = block.output
    if not isinstance(said, list):
        return said or ""
    if not all(type(one) is TextBlock and one.extras is None for one in said):
        return None
    return [{"type": "input_text", "text": getattr(one, "text", "")} for one in said]


def _item(told: JsonObject) -> JsonObject | None:
    """`custom_tool_call`, of a call as Chat has it."""
    inner = told.get("custom")
    if told.keys() != {"id", "type", "custom"} or not isinstance(inner, dict):
        return None
    if inner.keys() != {"name", "input"}:
        return None
    return {"type": _CALL, "call_id": told["id"], **inner}


def _chat_call(told: JsonObject) -> JsonObject | None:
    """A call as Chat has it, of a `custom_tool_call`."""
    if told.get("type") != _CALL or not {"call_id", "name", "input"} <= told.keys():
        return None
    if not told.keys() - _OF_ANSWERS <= _BARE:
        return None
    inner = {"name": told["name"], "input": told["input"]}
    return {"id": told["call_id"], "type": "custom", "custom": inner}


_NEWER = "safety_identifier"


_USERS = ("user", _NEWER)  # one is the option `user`: which, the notes of the reader say


_FIELDS = ("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "metadata",
           "store", "stream_options.include_obfuscation")  # fmt: skip


_CUSTOM = ("type", "name", "description", "format")  # what both have of a tool without a schema


@dataclass(frozen=True, slots=True)
class _Kin:
    """One wire of the family: where a request has what is shared, and how a tool is declared."""

    places: Mapping[str, str]  # shared field -> its path in the body
    user: str  # where the option `user` stands unless the notes say otherwise
    flat: Callable[[JsonObject], JsonObject | None]  # of a tool or choice as it declares them
    spelled: Callable[[JsonObject], JsonObject]  # and back


def _flat(told: JsonObject) -> JsonObject | None:
    """A tool or choice with its fields beside its type; None for one of another form."""
    kind = told.get("type")
    inner = told.get(kind) if isinstance(kind, str) else None
    if told.keys() != {"type", kind} or not isinstance(inner, dict):
        return None
    form = inner.get("format")
    if isinstance(form, dict) and isinstance(grammar := form.get("grammar"), dict):
        rest = {key: value for key, value in form.items() if key != "grammar"}
        return {"type": kind, **inner, "format": {**rest, **grammar}}
    if kind == "allowed_tools" and isinstance(listed := inner.get("tools"), list):
        made = [_flat(one) if isinstance(one, dict) else None for one in listed]
        return None if None in made else {"type": kind, **inner, "tools": made}
    return {"type": kind, **inner}


def _nested(told: JsonObject) -> JsonObject:
    kind = told["type"]
    inner = {key: value for key, value in told.items() if key != "type"}
    form = inner.get("format")
    if isinstance(form, dict) and form.get("type") == "grammar":
        grammar = {key: value for key, value in form.items() if key != "type"}
        inner["format"] = {"type": "grammar", "grammar": grammar}
    if kind == "allowed_tools":
        inner["tools"] = [_nested(one) for one in told["tools"]]
    return {"type": kind, kind: inner}


def _as_it_is(told: JsonObject) -> JsonObject:
    return told


_SHARED = dict(zip(_FIELDS, _FIELDS, strict=True))


_FAMILY = {
    "openai-chat": _Kin({**_SHARED, "verbosity": "verbosity"}, "user", _flat, _nested),
    "openai-responses": _Kin(
        {**_SHARED, "verbosity": "text.verbosity"}, _NEWER, _as_it_is, _as_it_is
    ),
}


def adopted(req: ChatRequest, room: Room, reads: Collection[str], report: Report) -> ChatRequest:
    """The request with what the wire that read it shares with this one, as this one has it.

    The request itself where the two are no kin: only between the maker's own two, or one host's.
    """
    read = req.read
    if read is None or read.protocol == room.protocol or room.protocol not in reads:
        return req
    theirs, ours = _FAMILY.get(read.protocol), _FAMILY.get(room.protocol)
    if theirs is None or ours is None or not (read.issuer == read.protocol or read.issuer in reads):
        return req
    made = _fields(req, read.issuer, room.protocol, theirs, ours)
    tools = [_tool(tool, read.issuer, room.protocol, theirs, ours, report) for tool in req.tools]
    for new, old in zip(tools, req.tools, strict=True):
        if new is not old:
            report.made(new, old)
            made.tools = tools
    made.messages = messages(req.messages, read.issuer, room.protocol, report)
    report.made(made, req)
    if made.options is not req.options:
        report.made(made.options, req.options)
    return made


def _fields(req: ChatRequest, issuer: str, issued: str, theirs: _Kin, ours: _Kin) -> ChatRequest:
    extras = dict(req.extras or {})
    rest = dict(extras.get(issuer, {}))
    own: JsonObject = {}
    for name, place in theirs.places.items():
        if (value := _taken(rest, place)) is not None:
            _put(own, ours.places[name], value)
    chosen = rest.get("tool_choice")
    if isinstance(chosen, dict) and (flat := theirs.flat(chosen)) is not None:
        own["tool_choice"] = ours.spelled(flat)
        del rest["tool_choice"]
    options = req.options
    given = {} if options.user is None else {
        extras.get(noted(issuer), {}).get("user", theirs.user): options.user}  # fmt: skip
    if _NEWER in (said := {**given, **{name: rest[name] for name in _USERS if name in rest}}):
        own |= said
        rest = {key: value for key, value in rest.items() if key not in _USERS}
        options = replace(options, user=None)
    extras = {**extras, issuer: rest, issued: {**extras.get(issued, {}), **own}}
    return replace(req, extras={who: told for who, told in extras.items() if told} or None,
                   options=options)  # fmt: skip


def _taken(rest: JsonObject, place: str) -> Json:
    """The value at the place, which is taken out of `rest` and of copies of what is around it."""
    head, _, inner = place.partition(".")
    told = rest.get(head)
    if not inner:
        return rest.pop(head, None)
    if not isinstance(told, dict) or inner not in told:
        return None
    rest[head] = {key: value for key, value in told.items() if key != inner}
    if not rest[head]:
        del rest[head]
    return told[inner]


def _put(made: JsonObject, place: str, value: Json) -> None:
    head, _, inner = place.partition(".")
    made[head] = {**made.get(head, {}), inner: value} if inner else value


def _tool(
    tool: Tool | ServerTool, issuer: str, issued: str, theirs: _Kin, ours: _Kin, report: Report
) -> Tool | ServerTool:
    """A custom tool, of the same fields, as this wire declares it; any other as it is."""
    told = (tool.extras or {}).get(issuer, {})
    if type(tool) is not ServerTool or tool.kind != "own" or told.get("type") != "custom":
        return tool
    flat = theirs.flat(told)
    if flat is None:
        return tool
    report.foreign(tool, issuer, {key: flat[key] for key in flat if key not in _CUSTOM})
    shared = {key: flat[key] for key in flat if key in _CUSTOM}
    return ServerTool("own", extras={issued: ours.spelled(shared)})
