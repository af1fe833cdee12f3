"""What both of OpenAI's wires have, and the tree does not model, as the other one has it.

Custom tools and their calls are opaque to the tree: plain text goes in, and no schema says which.
Reference: OpenAI API, "Create chat completion", `tool_calls`; "Create a model response",
`custom_tool_call`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from operator import is_
from typing import Any

from ... import message as tree
from ...losses import Report
from ...message import ChatRequest, ContentBlock, Msg, RawBlock, ServerTool, Tool, ToolResultBlock
from ...message.blocks import noted
from ...protocols.base import Room
from ...protocols.request_fields import field_at, put_field, take_field
from ..jsontext import Json, JsonObject

_CALL, _OUTPUT = "custom_tool_call", "custom_tool_call_output"
_CALL_FIELDS = {"type", "call_id", "name", "input", "output"}
_OF_ANSWERS = {"id", "status"}  # which a call may go back without
_CALL_SPELLING = {"openai-chat": "call", "openai-responses": None}
_TOOL_FIELDS = ("type", "name", "description", "format")  # of a tool without a schema, in both

_NEWER = "safety_identifier"
_USERS = ("user", _NEWER)  # one is the option `user`: which, the notes of the reader say
_SHARED = {
    name: name
    for name in (
        "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "metadata", "store",
        "stream_options.include_obfuscation",
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _SiblingWire:
    """One of the wires: where a request has what is shared, and how a tool is declared."""

    places: Mapping[str, str]  # shared field -> its path in the body
    user: str  # where the option `user` stands unless the notes say otherwise
    flatten: Callable[[JsonObject], JsonObject | None]  # a tool or choice as it declares them
    nest: Callable[[JsonObject], JsonObject]  # and back


def adopt_sibling_fields(
    req: ChatRequest, room: Room, reads: Collection[str], report: Report
) -> ChatRequest:
    """The request with what the wire that read it shares with this one, as this one has it.

    The request itself where they are no siblings: only the maker's own two are, or one host's.
    """
    read = req.read
    if read is None or read.protocol == room.protocol or room.protocol not in reads:
        return req
    if {read.protocol, room.protocol} - _SIBLINGS.keys():
        return req
    if read.issuer != read.protocol and read.issuer not in reads:
        return req
    source, target = _SIBLINGS[read.protocol], _SIBLINGS[room.protocol]
    return _Adoption(read.issuer, room.protocol, source, target, report).request(req)


@dataclass(slots=True)
class _Adoption:
    """Converts one request: fields of `issuer` become those of the protocol `target_issuer`."""

    issuer: str
    target_issuer: str
    source: _SiblingWire
    target: _SiblingWire
    report: Report

    def request(self, req: ChatRequest) -> ChatRequest:
        """The request with its fields, tools and calls as the target has them."""
        converted = self._fields(req)
        tools = [self._tool(tool) for tool in req.tools]
        for new, old in zip(tools, req.tools, strict=True):
            if new is not old:
                self.report.made(new, old)
                converted.tools = tools
        converted.messages = self._messages(req.messages)
        self.report.made(converted, req)
        if converted.options is not req.options:
            self.report.made(converted.options, req.options)
        return converted

    def _fields(self, req: ChatRequest) -> ChatRequest:
        source, target, issuer = self.source, self.target, self.issuer
        extras = dict(req.extras or {})
        fields = dict(extras.get(issuer, {}))
        converted: JsonObject = {}
        for name, path in source.places.items():
            if field_at(fields, path) is not None:
                put_field(converted, target.places[name], take_field(fields, path))
        choice = fields.get("tool_choice")
        if isinstance(choice, dict) and (flat := source.flatten(choice)) is not None:
            converted["tool_choice"] = target.nest(flat)
            del fields["tool_choice"]
        options = req.options
        users = {name: fields[name] for name in _USERS if name in fields}
        if options.user is not None:
            key = extras.get(noted(issuer), {}).get("user", source.user)
            users = {key: options.user} | users
        if _NEWER in users:
            converted |= users
            fields = {key: value for key, value in fields.items() if key not in _USERS}
            options = replace(options, user=None)
        adopted = {**extras.get(self.target_issuer, {}), **converted}
        extras = {**extras, issuer: fields, self.target_issuer: adopted}
        extras = {name: values for name, values in extras.items() if values}
        return replace(req, extras=extras or None, options=options)

    def _tool(self, tool: Tool | ServerTool) -> Tool | ServerTool:
        """A custom tool, of the same fields, as the target declares it; any other as it is."""
        entry = (tool.extras or {}).get(self.issuer, {})
        if type(tool) is not ServerTool or tool.kind != "own" or entry.get("type") != "custom":
            return tool
        if (flat := self.source.flatten(entry)) is None:
            return tool
        other_fields = {key: flat[key] for key in flat if key not in _TOOL_FIELDS}
        self.report.foreign(tool, self.issuer, other_fields)
        shared = {key: flat[key] for key in flat if key in _TOOL_FIELDS}
        return ServerTool("own", extras={self.target_issuer: self.target.nest(shared)})

    def _messages(self, msgs: list[Msg]) -> list[Msg]:
        """The messages with calls of custom tools, and their results, as the target has them."""
        converted: list[Msg] = []
        call_ids: set[str] = set()
        for m in msgs:
            content: Any = m.content
            if type(content) is str:
                converted.append(m)
                continue
            blocks = [self._block(block, call_ids) for block in content]
            if all(map(is_, blocks, content)):
                converted.append(m)
                continue
            for after, before in zip(blocks, content, strict=True):
                if after is not before:
                    self.report.made(after, before)
            converted.append(Msg.trusted(m.name, blocks, m.role, m))
            self.report.made(converted[-1], m)
        return converted if call_ids else msgs

    def _block(self, block: ContentBlock, call_ids: set[str]) -> ContentBlock:
        """The block, or its counterpart here; the ids of custom calls are added to `call_ids`."""
        target = self.target_issuer
        if type(block) is ToolResultBlock and block.id in call_ids and target == "openai-responses":
            output = _output(block)
            data = {"type": _OUTPUT, "call_id": block.id, "output": output}
            return block if output is None else RawBlock(target, data, "result", block.id, "client")
        if type(block) is not RawBlock or block.issuer != self.issuer:
            return block
        data, id = block.data, block.pair or ""
        if not isinstance(data, dict):
            return block
        if block.role == "call" and id:
            call = _chat_call(data) if target == "openai-chat" else _item(data)
            if call is not None:
                call_ids.add(id)
                spelling = _CALL_SPELLING[target]
                return RawBlock(target, call, "call", id, "client", spelling=spelling)
        elif block.role == "result" and id in call_ids and data.get("type") == _OUTPUT:
            output = data.get("output")
            if isinstance(output, str) and data.keys() - _OF_ANSWERS <= _CALL_FIELDS:
                return ToolResultBlock(id, output=output)
            if isinstance(output, list) and all(map(_is_text, output)):
                return ToolResultBlock(id, output=[tree.TextBlock(part["text"]) for part in output])
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
    if not all(type(part) is tree.TextBlock and part.extras is None for part in output):
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
    if not item.keys() - _OF_ANSWERS <= _CALL_FIELDS:
        return None
    custom = {"name": item["name"], "input": item["input"]}
    return {"id": item["call_id"], "type": "custom", "custom": custom}


def _flat(entry: JsonObject) -> JsonObject | None:
    """A tool or choice with its fields beside its type; None for one of another form."""
    kind = entry.get("type")
    nested = entry.get(kind) if isinstance(kind, str) else None
    if entry.keys() != {"type", kind} or not isinstance(nested, dict):
        return None
    form = nested.get("format")
    if isinstance(form, dict) and isinstance(grammar := form.get("grammar"), dict):
        other_keys = {key: value for key, value in form.items() if key != "grammar"}
        return {"type": kind, **nested, "format": {**other_keys, **grammar}}
    if kind == "allowed_tools" and isinstance(tools := nested.get("tools"), list):
        flat_tools = [_flat(tool) if isinstance(tool, dict) else None for tool in tools]
        return None if None in flat_tools else {"type": kind, **nested, "tools": flat_tools}
    return {"type": kind, **nested}


def _nested(entry: JsonObject) -> JsonObject:
    kind = entry["type"]
    fields = {key: value for key, value in entry.items() if key != "type"}
    form = fields.get("format")
    if isinstance(form, dict) and form.get("type") == "grammar":
        grammar = {key: value for key, value in form.items() if key != "type"}
        fields["format"] = {"type": "grammar", "grammar": grammar}
    if kind == "allowed_tools":
        fields["tools"] = [_nested(tool) for tool in entry["tools"]]
    return {"type": kind, kind: fields}


_CHAT = _SiblingWire({**_SHARED, "verbosity": "verbosity"}, "user", _flat, _nested)
_RESPONSES = _SiblingWire({**_SHARED, "verbosity": "text.verbosity"}, _NEWER, dict, dict)
_SIBLINGS = {"openai-chat": _CHAT, "openai-responses": _RESPONSES}
