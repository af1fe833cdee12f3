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
    converted: list[Msg] = []
    call_ids: set[str] = set()
    for m in msgs:
        content: Any = m.content
        if type(content) is str:
            converted.append(m)
            continue
        blocks = [_said(block, issuer, issued, call_ids) for block in content]
        if all(after is before for after, before in zip(blocks, content, strict=True)):
            converted.append(m)
            continue
        for after, before in zip(blocks, content, strict=True):
            if after is not before:
                report.made(after, before)
        converted.append(Msg.trusted(m.name, blocks, m.role, m))
        report.made(converted[-1], m)
    return converted if call_ids else msgs


def _said(block: ContentBlock, issuer: str, issued: str, call_ids: set[str]) -> ContentBlock:
    """The block, or what says the same here; `call_ids` learns the ids of calls."""
    if type(block) is ToolResultBlock and block.id in call_ids and issued == "openai-responses":
        output = _output(block)
        data = {"type": _OUTPUT, "call_id": block.id, "output": output}
        return block if output is None else RawBlock(issued, data, "result", block.id, "client")
    if type(block) is not RawBlock or block.issuer != issuer or not isinstance(block.data, dict):
        return block
    data, id = block.data, block.pair or ""
    if block.role == "call" and id:
        converted = _chat_call(data) if issued == "openai-chat" else _item(data)
        if converted is not None:
            call_ids.add(id)
            return RawBlock(issued, converted, "call", id, "client", spelling=_SPELLED[issued])
    elif block.role == "result" and id in call_ids and data.get("type") == _OUTPUT:
        said = data.get("output")
        if isinstance(said, str) and data.keys() - _OF_ANSWERS <= _BARE:
            return ToolResultBlock(id, output=said)
        if isinstance(said, list) and all(map(_is_text, said)):
            return ToolResultBlock(id, output=[TextBlock(part["text"]) for part in said])
    return block


def _is_text(part: Json) -> bool:
    return isinstance(part, dict) and part.keys() == {"type", "text"} and (
        part["type"] == "input_text" and isinstance(part["text"], str)
    )  # fmt: skip


def _output(block: ToolResultBlock) -> Json:
    """The text or the texts of a result; None if there is more in it."""
    output = block.output
    if not isinstance(output, list):
        return output or ""
    if not all(type(part) is TextBlock and part.extras is None for part in output):
        return None
    return [{"type": "input_text", "text": getattr(part, "text", "")} for part in output]


def _item(call: JsonObject) -> JsonObject | None:
    """`custom_tool_call`, of a call as Chat has it."""
    custom = call.get("custom")
    if call.keys() != {"id", "type", "custom"} or not isinstance(custom, dict):
        return None
    if custom.keys() != {"name", "input"}:
        return None
    return {"type": _CALL, "call_id": call["id"], **custom}


def _chat_call(item: JsonObject) -> JsonObject | None:
    """A call as Chat has it, of a `custom_tool_call`."""
    if item.get("type") != _CALL or not {"call_id", "name", "input"} <= item.keys():
        return None
    if not item.keys() - _OF_ANSWERS <= _BARE:
        return None
    custom = {"name": item["name"], "input": item["input"]}
    return {"id": item["call_id"], "type": "custom", "custom": custom}


_NEWER = "safety_identifier"


_USERS = ("user", _NEWER)  # one is the option `user`: which, the notes of the reader say


_FIELDS = ("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "metadata",
           "store", "stream_options.include_obfuscation")  # fmt: skip


_CUSTOM = ("type", "name", "description", "format")  # what both have of a tool without a schema


@dataclass(frozen=True, slots=True)
class _SiblingWire:
    """One wire of the family: where a request has what is shared, and how a tool is declared."""

    places: Mapping[str, str]  # shared field -> its path in the body
    user: str  # where the option `user` stands unless the notes say otherwise
    flat: Callable[[JsonObject], JsonObject | None]  # of a tool or choice as it declares them
    spelled: Callable[[JsonObject], JsonObject]  # and back


def _flat(declaration: JsonObject) -> JsonObject | None:
    """A tool or choice with its fields beside its type; None for one of another form."""
    kind = declaration.get("type")
    nested = declaration.get(kind) if isinstance(kind, str) else None
    if declaration.keys() != {"type", kind} or not isinstance(nested, dict):
        return None
    format_ = nested.get("format")
    if isinstance(format_, dict) and isinstance(grammar := format_.get("grammar"), dict):
        other_keys = {key: value for key, value in format_.items() if key != "grammar"}
        return {"type": kind, **nested, "format": {**other_keys, **grammar}}
    if kind == "allowed_tools" and isinstance(tools := nested.get("tools"), list):
        flat_tools = [_flat(tool) if isinstance(tool, dict) else None for tool in tools]
        return None if None in flat_tools else {"type": kind, **nested, "tools": flat_tools}
    return {"type": kind, **nested}


def _nested(declaration: JsonObject) -> JsonObject:
    kind = declaration["type"]
    fields = {key: value for key, value in declaration.items() if key != "type"}
    format_ = fields.get("format")
    if isinstance(format_, dict) and format_.get("type") == "grammar":
        grammar = {key: value for key, value in format_.items() if key != "type"}
        fields["format"] = {"type": "grammar", "grammar": grammar}
    if kind == "allowed_tools":
        fields["tools"] = [_nested(tool) for tool in declaration["tools"]]
    return {"type": kind, kind: fields}


def _as_it_is(declaration: JsonObject) -> JsonObject:
    return declaration


_SHARED = dict(zip(_FIELDS, _FIELDS, strict=True))


_SIBLINGS = {
    "openai-chat": _SiblingWire({**_SHARED, "verbosity": "verbosity"}, "user", _flat, _nested),
    "openai-responses": _SiblingWire(
        {**_SHARED, "verbosity": "text.verbosity"}, _NEWER, _as_it_is, _as_it_is
    ),
}


def adopt_sibling_fields(
    req: ChatRequest, room: Room, reads: Collection[str], report: Report
) -> ChatRequest:
    """The request with what the wire that read it shares with this one, as this one has it.

    The request itself where the two are no kin: only between the maker's own two, or one host's.
    """
    read = req.read
    if read is None or read.protocol == room.protocol or room.protocol not in reads:
        return req
    source, target = _SIBLINGS.get(read.protocol), _SIBLINGS.get(room.protocol)
    if (
        source is None
        or target is None
        or not (read.issuer == read.protocol or read.issuer in reads)
    ):
        return req
    converted = _fields(req, read.issuer, room.protocol, source, target)
    tools = [_tool(tool, read.issuer, room.protocol, source, target, report) for tool in req.tools]
    for new, old in zip(tools, req.tools, strict=True):
        if new is not old:
            report.made(new, old)
            converted.tools = tools
    converted.messages = messages(req.messages, read.issuer, room.protocol, report)
    report.made(converted, req)
    if converted.options is not req.options:
        report.made(converted.options, req.options)
    return converted


def _fields(
    req: ChatRequest, issuer: str, issued: str, source: _SiblingWire, target: _SiblingWire
) -> ChatRequest:
    extras = dict(req.extras or {})
    fields = dict(extras.get(issuer, {}))
    converted: JsonObject = {}
    for name, path in source.places.items():
        if (value := _feed_reader(fields, path)) is not None:
            _put(converted, target.places[name], value)
    choice = fields.get("tool_choice")
    if isinstance(choice, dict) and (flat := source.flat(choice)) is not None:
        converted["tool_choice"] = target.spelled(flat)
        del fields["tool_choice"]
    options = req.options
    users = {} if options.user is None else {
        extras.get(noted(issuer), {}).get("user", source.user): options.user}  # fmt: skip
    if _NEWER in (
        user_fields := {**users, **{name: fields[name] for name in _USERS if name in fields}}
    ):
        converted |= user_fields
        fields = {key: value for key, value in fields.items() if key not in _USERS}
        options = replace(options, user=None)
    extras = {**extras, issuer: fields, issued: {**extras.get(issued, {}), **converted}}
    extras = {who: filled for who, filled in extras.items() if filled}
    return replace(req, extras=extras or None, options=options)


def _feed_reader(fields: JsonObject, path: str) -> Json:
    """The value at the place, which is taken out of `fields` and of copies of what is around it."""
    head, _, inner = path.partition(".")
    told = fields.get(head)
    if not inner:
        return fields.pop(head, None)
    if not isinstance(told, dict) or inner not in told:
        return None
    fields[head] = {key: value for key, value in told.items() if key != inner}
    if not fields[head]:
        del fields[head]
    return told[inner]


def _put(fields: JsonObject, path: str, value: Json) -> None:
    head, _, key = path.partition(".")
    fields[head] = {**fields.get(head, {}), key: value} if key else value


def _tool(
    tool: Tool | ServerTool,
    issuer: str,
    issued: str,
    source: _SiblingWire,
    target: _SiblingWire,
    report: Report,
) -> Tool | ServerTool:
    """A custom tool, of the same fields, as this wire declares it; any other as it is."""
    declaration = (tool.extras or {}).get(issuer, {})
    if type(tool) is not ServerTool or tool.kind != "own" or declaration.get("type") != "custom":
        return tool
    flat = source.flat(declaration)
    if flat is None:
        return tool
    report.foreign(tool, issuer, {key: flat[key] for key in flat if key not in _CUSTOM})
    shared = {key: flat[key] for key in flat if key in _CUSTOM}
    return ServerTool("own", extras={issued: target.spelled(shared)})
