"""Fields that the tree does not model, between two protocols of one vendor.

A field that both of OpenAI's wires have gets the name that the other wire uses. Other fields that a
request was read with are no fields of another protocol, though the issuer is the same: they are
stored under the name of their protocol, `dashscope/anthropic`, as those of answers are
(`adopted_answers`), until a request is written over that protocol again. Signed thinking that goes
from one host to another is no matter of this file: see `signatures` in `vendors/`.

Reference: OpenAI API, "Create chat completion" and "Create a model response", request bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from ..caches import remember
from ..history.passes.survey import Tools, same_items
from ..losses import Report
from ..message import ChatRequest, ServerTool, Tool
from ..message.blocks import Extras, name_notes
from ..message.check import clone
from ..message.known_tools import run_step
from ..protocols.base import Room
from ..text.json_text import JsonObject, field_at, put_field, take_field

_NEWER = "safety_identifier"
_USERS = ("user", _NEWER)  # one of them is the option `user`; the reader's notes name it
_SHARED = {
    name: name
    for name in (
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "metadata",
        "store",
        "stream_options.include_obfuscation",
    )
}


@dataclass(frozen=True, slots=True)
class _SiblingWire:
    """One of the two wires: the paths of the shared fields, and the form of a tool choice."""

    places: Mapping[str, str]  # shared field -> its path in the body
    user: str  # the place of the option `user`, unless the reader's notes name another
    flatten: Callable[[JsonObject], JsonObject | None]  # a choice in this wire's form
    nest: Callable[[JsonObject], JsonObject | None]  # and back
    alone: frozenset[str]  # fields that only its requests have


# the protocols of one maker, whose own host has one store of files for them (OpenAI API, "Files";
# Gemini API, "Files")
_OF_ONE_MAKER = (
    frozenset({"openai-chat", "openai-responses"}),
    frozenset({"gemini", "gemini-interactions"}),
)


def issuers_of_files(issuers: frozenset[str]) -> frozenset[str]:
    """The issuers and those that share a file store with them, whose file ids are valid, too."""
    return issuers.union(*(group for group in _OF_ONE_MAKER if group & issuers))


def are_siblings(issuer: str, other: str) -> bool:
    """Whether both issuers are protocols of one maker."""
    return any({issuer, other} <= group for group in _OF_ONE_MAKER)


def adopt_sibling_fields(
    req: ChatRequest, room: Room, reads: Collection[str], report: Report
) -> ChatRequest:
    """Give the shared fields of a request the form that this wire has for them.

    Only a maker's own two wires, or those of one host, share fields; else the request is unchanged.
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


def set_apart_fields(
    req: ChatRequest, room: Room, reads: Collection[str], report: Report
) -> ChatRequest:
    """Move the fields of the vendor's other protocols, also in tools, under those protocols' names.

    `reads` are the issuers whose fields this wire takes. The room's own fields go by the name of
    the issuer alone. Between OpenAI's two protocols only those fields are moved that the other one
    does not have, because most fields of a host are for both.
    """
    read = req.read
    protocol = read.protocol.partition(" ")[0] if read else room.protocol  # then the host
    if read is None or protocol == room.protocol:
        return req
    only = _SIBLINGS[protocol].alone if {protocol, room.protocol} <= _SIBLINGS.keys() else None
    elsewhere = f"{read.issuer}/{protocol}"
    if read.issuer in reads:
        report.called[elsewhere] = read.issuer
    moved = elsewhere if only is None and read.issuer in reads else ""
    names = _name_apart(room.issuer, room.protocol, read.issuer, moved)
    extras = _rename_issuers(req.extras, names)
    if only and extras and read.issuer in reads:
        extras = _split(extras, read.issuer, elsewhere, only)
    tools = run_step(_rename_fields, req.tools, report, names) if req.tools else req.tools
    if tools is req.tools and extras == req.extras:
        return req
    return report.record_copy(clone(req, extras=extras or None, tools=tools), req)


@remember("issuers whose fields have other names on another wire", entries=256)
def _name_apart(
    here_issuer: str, here_protocol: str, issuer: str, elsewhere: str
) -> Mapping[str, str]:
    """The names of issuers in what was read -> their names here; one object for the same names."""
    here = f"{here_issuer}/{here_protocol}"
    names = {here: here_issuer, name_notes(here): name_notes(here_issuer)}
    if elsewhere:
        names |= {issuer: elsewhere, name_notes(issuer): name_notes(elsewhere)}
    return MappingProxyType(names)


def _rename_fields(tools: Tools, names: Mapping[str, str], report: Report) -> Tools:
    """The tools with their fields under other names of issuers: a step that may be known."""
    renamed = [_renamed_tool(tool, names, report) for tool in tools]
    return tools if same_items(renamed, tools) else renamed


def _rename_issuers(extras: Extras | None, names: Mapping[str, str]) -> Extras | None:
    """The fields under other names of issuers; the same object if no name changes."""
    if not extras or names.keys().isdisjoint(extras):
        return extras
    renamed: dict[str, JsonObject] = {}
    for issuer, fields in extras.items():
        name = names.get(issuer, issuer)
        renamed[name] = {**renamed.get(name, {}), **fields}
    return renamed


def _split(extras: Extras, issuer: str, elsewhere: str, alone: Collection[str]) -> Extras:
    """The extras with the fields `alone` of an issuer moved under the name `elsewhere`."""
    fields = extras.get(issuer, {})
    kept = {name: fields[name] for name in fields if name not in alone}
    moved = {name: fields[name] for name in fields if name in alone}
    parts = {**extras, issuer: kept, elsewhere: {**extras.get(elsewhere, {}), **moved}}
    return {name: values for name, values in parts.items() if values}


def _renamed_tool(
    tool: Tool | ServerTool, names: Mapping[str, str], report: Report
) -> Tool | ServerTool:
    extras = _rename_issuers(tool.extras, names)
    return tool if extras is tool.extras else report.record_copy(replace(tool, extras=extras), tool)


@dataclass(slots=True)
class _Adoption:
    """Converts one request: fields of `issuer` become those of the protocol `target_issuer`."""

    issuer: str
    target_issuer: str
    source: _SiblingWire
    target: _SiblingWire
    report: Report

    def request(self, req: ChatRequest) -> ChatRequest:
        """Convert the request's fields to the target's form."""
        converted = self._fields(req)
        self.report.record_copy(converted, req)
        if converted.options is not req.options:
            self.report.record_copy(converted.options, req.options)
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
        flat = source.flatten(choice) if isinstance(choice, dict) else None
        if flat is not None and (nested := target.nest(flat)) is not None:
            converted["tool_choice"] = nested
            del fields["tool_choice"]
        options = req.options
        users = {name: fields[name] for name in _USERS if name in fields}
        if options.user is not None:
            key = extras.get(name_notes(issuer), {}).get("user", source.user)
            users = {key: options.user} | users
        if _NEWER in users:
            converted |= users
            fields = {key: value for key, value in fields.items() if key not in _USERS}
            options = replace(options, user=None)
        adopted = {**extras.get(self.target_issuer, {}), **converted}
        extras = {**extras, issuer: fields, self.target_issuer: adopted}
        extras = {name: values for name, values in extras.items() if values}
        return clone(req, extras=extras or None, options=options)


def _flat(entry: JsonObject) -> JsonObject | None:
    """A choice with its fields beside its type; None if it has another form."""
    kind = entry.get("type")
    if not isinstance(kind, str) or entry.keys() != {"type", kind}:
        return None
    nested = entry[kind]
    if not isinstance(nested, dict):
        return None
    if kind == "allowed_tools" and isinstance(tools := nested.get("tools"), list):
        flat_tools = [_flat(tool) if isinstance(tool, dict) else None for tool in tools]
        return None if None in flat_tools else {"type": kind, **nested, "tools": flat_tools}
    return {"type": kind, **nested}


def _nest_fields(entry: JsonObject) -> JsonObject | None:
    """A choice with its fields in an object of its own; None if it is no tool and no choice."""
    kind = entry.get("type")
    if not isinstance(kind, str):
        return None
    fields = {key: value for key, value in entry.items() if key != "type"}
    if kind == "allowed_tools":
        tools = entry.get("tools")
        listed = tools if isinstance(tools, list) else [None]
        nested_tools = [_nest_fields(tool) if isinstance(tool, dict) else None for tool in listed]
        if None in nested_tools:
            return None
        fields["tools"] = nested_tools
    # a tool of the provider's, chosen by its type alone, is one of the Responses API
    return {"type": kind, kind: fields} if fields else None


_CHAT = _SiblingWire(
    {**_SHARED, "verbosity": "verbosity"},
    "user",
    _flat,
    _nest_fields,
    frozenset(
        {
            "audio",
            "function_call",
            "functions",
            "messages",
            "prediction",
            "response_format",
            "verbosity",
            "web_search_options",
        }
    ),
)
_RESPONSES = _SiblingWire(
    {**_SHARED, "verbosity": "text.verbosity"},
    _NEWER,
    dict,
    dict,
    frozenset(
        {
            "background",
            "context_management",
            "conversation",
            "include",
            "input",
            "instructions",
            "max_tool_calls",
            "previous_response_id",
            "prompt",
            "text",
            "truncation",
        }
    ),
)
_SIBLINGS = {"openai-chat": _CHAT, "openai-responses": _RESPONSES}
