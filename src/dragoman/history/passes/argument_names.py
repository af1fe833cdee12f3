"""Names of arguments as a wire accepts them: a map for each tool, applied to schemas and calls.

The map is a pure function of a tool's schema and the rule, so a reader of the answer can rebuild it
from the tools. It has the properties at the root of the schema, for no others are refused
(decocms/studio pull request 6874). Knows no wire.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from ...capabilities import Capabilities
from ...capabilities.name_rules import IdRule, mapping
from ...message import Tool, ToolUseBlock
from ...schema import lower_once
from ...text.json_text import Json, JsonObject
from .survey import Tools

Spellings: TypeAlias = Mapping[str, str]  # name of an argument -> as the other side has it

_ROOT = "#/properties/"

# whatever a dialect makes of a schema of these alone, its root has the names that it has now
_PLAIN_ROOT = frozenset(
    {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "title",
        "description",
        "$schema",
        "$defs",
        "definitions",
    }
)


def lowered_schema(tool: Tool, caps: Capabilities) -> JsonObject:
    """The schema of the tool in the wire's dialect, and in that of strict ones where it is one."""
    schema = tool.schema or {}
    if tool.strict and caps.strict_tools and caps.strict_schema:
        lowering = lower_once(schema, caps.strict_schema)
        if not lowering.unfit:
            return lowering.schema
    return schema if caps.tool_schema == "plain" else lower_once(schema, caps.tool_schema).schema


def root_spellings(schema: JsonObject, rule: IdRule) -> dict[str, str]:
    """The names at the root of a schema that the rule refuses -> as the wire has them."""
    properties = schema.get("properties") if rule.chars else None
    if not isinstance(properties, dict) or rule.fits(names := [*properties]):
        return {}
    return mapping(names, rule)


def property_spellings(tools: Tools, caps: Capabilities) -> dict[str, dict[str, str]]:
    """For each tool with such names, by the tool's own name: its arguments as the wire has them."""
    rule = caps.property_names
    if not rule.chars:
        return {}
    plain: list[str] = []  # names at the roots of plain schemas, which are looked at together
    others: list[Tool] = []
    functions = [tool for tool in tools if type(tool) is Tool and tool.parameters]
    for tool in functions:
        properties = None
        if isinstance(tool.parameters, dict) and tool.parameters.keys() <= _PLAIN_ROOT:
            properties = tool.parameters.get("properties")
        if isinstance(properties, dict):
            plain += properties
        else:
            others.append(tool)
    spelled: dict[str, dict[str, str]] = {}
    for tool in others if rule.fits(plain) else functions:
        if names := root_spellings(lowered_schema(tool, caps), rule):
            spelled[tool.name] = names
    return spelled


def with_spellings(schema: JsonObject, names: Spellings) -> JsonObject:
    """The schema with the names at its root respelled wherever it speaks of them."""
    respelled = dict(_with_refs(schema, names))
    for key in ("properties", "dependentRequired", "dependentSchemas"):
        if isinstance(respelled.get(key), dict):
            respelled[key] = rename_keys(respelled[key], names)
    if isinstance(respelled.get("required"), list):
        respelled["required"] = [_spell_name(name, names) for name in respelled["required"]]
    for name, others in (respelled.get("dependentRequired") or {}).items():
        if isinstance(others, list):
            respelled["dependentRequired"][name] = [_spell_name(other, names) for other in others]
    return respelled


def _with_refs(value: Any, names: Spellings) -> Any:
    """The value with references to properties of the root as those are spelled."""
    if isinstance(value, list):
        return [_with_refs(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    items = {key: _with_refs(item, names) for key, item in value.items()}
    ref = items.get("$ref")
    if isinstance(ref, str) and ref.startswith(_ROOT):
        first, slash, rest = ref.removeprefix(_ROOT).partition("/")
        name = first.replace("~1", "/").replace("~0", "~")
        if name in names:
            items["$ref"] = f"{_ROOT}{names[name]}{slash}{rest}"
    return items


def _spell_name(name: Json, names: Spellings) -> Json:
    return names.get(name, name) if isinstance(name, str) else name


def rename_keys(values: JsonObject, names: Spellings) -> JsonObject:
    """The object with its keys respelled, in their order."""
    return {names.get(key, key): value for key, value in values.items()}


def invert_spellings(
    spelled: Mapping[str, Mapping[str, str]], tool_names: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """By the wire's name of each tool: its arguments as the wire has them -> the tool's own."""
    return {
        tool_names.get(tool, tool): {spelling: name for name, spelling in names.items()}
        for tool, names in spelled.items()
    }


_SIGNS = re.compile(r'[{}\[\],:"\\]')


class ArgumentNames:
    """Puts the own names of arguments into the JSON text of a call, however it is cut.

    Only the keys of the outermost object are looked at, each once it is whole; everything else
    passes as it comes.
    """

    __slots__ = ("_depth", "_escaped", "_inside", "_key", "_names", "_waits")

    def __init__(self, names: Spellings) -> None:
        self._names = names
        self._depth = 0
        self._inside = False  # a string has begun
        self._escaped = False
        self._waits = False  # the next string is a key of the outermost object
        self._key: list[str] | None = None  # what has come of such a key

    def feed(self, text: str) -> str:
        """The next piece, less what has come of a key that is not whole."""
        result: list[str] = []
        position = 0
        while position < len(text):
            if self._inside:
                position = self._string(text, position, result)
                continue
            match = _SIGNS.search(text, position)
            end = match.end() if match else len(text)
            result.append(text[position:end])
            position = end
            if match:
                self._sign(match[0], result)
        return "".join(result)

    def rest(self) -> str:
        """What has come of a key that never became whole."""
        key, self._key = self._key, None
        return "" if key is None else f'"{"".join(key)}'

    def _sign(self, sign: str, result: list[str]) -> None:
        if sign == '"':
            self._inside = True
            if self._waits:
                self._key = []
                result[-1] = result[-1][:-1]  # its quote comes with it
        elif sign in "{[":
            self._depth += 1
            self._waits = sign == "{" and self._depth == 1
        elif sign in "}]":
            self._depth -= 1
            self._waits = False
        else:
            self._waits = sign == "," and self._depth == 1

    def _string(self, text: str, position: int, result: list[str]) -> int:
        """Where the string ends, or the piece; the string goes to the result, or to the key."""
        end = position
        closed = False
        while end < len(text) and not closed:
            if self._escaped:
                self._escaped = False
            elif text[end] == "\\":
                self._escaped = True
            else:
                closed = text[end] == '"'
            end += 1
        if self._key is None:
            result.append(text[position:end])
        else:
            self._key.append(text[position:end])
        if closed:
            self._inside = self._waits = False
            if self._key is not None:
                result.append(self._own(f'"{"".join(self._key)}'))
                self._key = None
        return end

    def _own(self, key: str) -> str:
        name = self._names.get(key[1:-1])
        return key if name is None else json.dumps(name, ensure_ascii=False)


def own_arguments(block: ToolUseBlock, names: Spellings, text: ArgumentNames) -> ToolUseBlock:
    """The call, or a piece of one, with its arguments under the tool's own names."""
    value = block.input
    if isinstance(value, dict) and not names.keys().isdisjoint(value):
        value = rename_keys(value, names)
    raw = text.feed(block.raw_input) if block.raw_input else block.raw_input
    if value is block.input and raw == block.raw_input:
        return block
    call = ToolUseBlock(block.id, block.name, value, raw, block.cache, block.unfinished)
    call.extras, call.spelling, call.origin = block.extras, block.spelling, block.origin
    return call
