"""Tool names and call ids as a wire accepts them: a map, applied to a history and inverted.

The map is a pure function of the names and the rule, so a reader of the answer can rebuild it from
the tools. What the rule accepts stays; two names never become one. The rules, and how a name that
is too long is cut, are in `capabilities/name_rules.py`; each wire's is in its dialect. Knows no
wire.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import is_
from types import MappingProxyType
from typing import Any

from ...capabilities import Capabilities
from ...capabilities.name_rules import NameRule, format_id, mapping, number_value
from ...losses import Report
from ...message import Msg, ServerTool, Tool, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock, ToolBlock
from ...message.known_tools import run_step
from .argument_names import Spellings, rename_keys
from .survey import IDS, MISNAMED, PAIRS, RoledHistory, Tools, with_fields

_new: Any = object.__new__
_NO_PROPERTIES: Mapping[str, Spellings] = MappingProxyType({})


def invert_names(names: dict[str, str]) -> dict[str, str]:
    """Spelling -> value."""
    return {spelling: value for value, spelling in names.items()}


def wire_tool_names(tools: Tools, rule: NameRule) -> dict[str, str]:
    """The tools' names -> as the wire has them, where it is otherwise.

    A function gives way to a tool of the provider's own, which may go by the name of its kind.
    """
    names = [tool.name for tool in tools if type(tool) is Tool]
    kinds = [tool.kind for tool in tools if type(tool) is ServerTool]
    return mapping(names, rule, kinds)


def name_tools(
    tools: Tools, called: list[str], rule: NameRule, report: Report
) -> tuple[Tools, dict[str, str]]:
    """The tools under names that the wire accepts, and the map for the tools and the history."""
    if not tools:
        return tools, mapping(list(dict.fromkeys(called)), rule, ordered=True)
    # of the tools alone: a reader of the answer has no more
    named, names, tool_names = run_step(_name_tools, tools, report, rule)
    others = [name for name in dict.fromkeys(called) if name not in tool_names]
    if others:
        wire_names = (names.get(name, name) for name in tool_names)
        names = names | mapping(others, rule, wire_names, ordered=True)
    return named, names


def _name_tools(
    tools: Tools, rule: NameRule, report: Report
) -> tuple[Tools, dict[str, str], set[str]]:
    """The tools under wire names, the map of those that differ, and the tools' own names."""
    names = wire_tool_names(tools, rule)
    tool_names = {tool.name for tool in tools if type(tool) is Tool}
    if not names:
        return tools, names, tool_names
    renamed = list(tools)
    for i, tool in enumerate(tools):
        if type(tool) is Tool and tool.name in names:
            name = names[tool.name]
            report.add_loss("tool_name.mapped", tool, "name", did=f"written as {name}")
            renamed[i] = with_fields(tool, report, name=name)
    return renamed, names, tool_names


def respell_history(
    history: RoledHistory,
    caps: Capabilities,
    names: dict[str, str],
    report: Report,
    fixed_ids: frozenset[str] = frozenset(),
    properties: Mapping[str, Spellings] = _NO_PROPERTIES,
) -> tuple[RoledHistory, dict[str, str]]:
    """The history under wire names and wire ids, and the map from wire ids to the tree's.

    `fixed_ids` are ids of messages around these, as the wire took them: they keep their spelling.
    `properties`: by tool, the arguments that the wire spells otherwise.
    """
    rule = caps.ids
    calls, results = history.calls, history.results
    wrong_ids = bool(history.flags & IDS) or not rule.matches_form(calls)
    wrong_ids = wrong_ids or bool(fixed_ids and not fixed_ids.isdisjoint(calls))
    ids = calls
    # a survey that saw them in pairs has compared them
    if (history.flags & PAIRS or len(calls) != len(results)) and calls != results:
        ids = [*calls, *results]
        fixed_ids = fixed_ids | set(results).difference(calls)  # what answers others keeps its id
    if fixed_ids:
        ids = [id for id in ids if id not in fixed_ids]
    wire_ids = {} if rule.fits(ids) else mapping([id for id in ids if id], rule, ordered=True)
    if not (names or wire_ids or wrong_ids or properties or history.flags & MISNAMED):
        return history, {}
    if not (names or wrong_ids or properties):
        respelled = _respell_ids(history, wire_ids, caps, report)
        if respelled is not None:
            return respelled
    previous_ids = set(fixed_ids if rule.unique else ())
    reserved_ids = set(fixed_ids if rule.unique or rule.form else ())
    respeller = _Respeller(
        wire_ids, names, properties, caps, wrong_ids, report, previous_ids, reserved_ids
    )
    changes = {
        i: changed
        for i, m in enumerate(history.msgs)
        if type(m.content) is not str and (changed := respeller.message(m)) is not m
    }
    return history.with_messages(changes), respeller.tree_ids


def _respell_ids(
    history: RoledHistory, wire_ids: dict[str, str], caps: Capabilities, report: Report
) -> tuple[RoledHistory, dict[str, str]] | None:
    """The history under wire ids, as `_Respeller` would write it; None if a name changes, too."""
    accepted = {"", *history.names}
    copies: dict[int, Msg] = {}
    new: list[object] = []
    nodes: list[ToolBlock] = []
    ids: list[str] = []
    create_message = Msg.create_unchecked
    for i, m in enumerate(history.msgs):
        content: Any = m.content
        if type(content) is str:
            continue
        blocks: list[ContentBlock] | None = None
        for j, block in enumerate(content):
            if type(block) is ToolResultBlock:
                if block.name not in accepted and not caps.tool_names.takes(block.name):
                    return None
            elif type(block) is not ToolUseBlock:
                continue
            id = wire_ids.get(block.id)
            if id is None:
                continue
            respelled = _respell_block(block, id, block.name)
            new.append(respelled)
            nodes.append(block)
            ids.append(id)
            if blocks is None:
                blocks = [*content]
            blocks[j] = respelled
        if blocks is not None:
            copies[i] = create_message(m.name, blocks, m.role, m)
    if nodes:
        report.record_copies(new, nodes)
        report.record_copies([*copies.values()], [history.msgs[i] for i in copies])
        report.add_changes("id.mapped", "id", nodes, ids)
    return history.with_messages(copies), {id: node.id for id, node in zip(ids, nodes, strict=True)}


@dataclass(slots=True)
class _Respeller:
    """Walks a history once; a repeated id gets a number, and so does its result.

    `wrong_ids`: an id is repeated, empty, or not in the form of the wire.
    """

    ids: dict[str, str]
    names: dict[str, str]
    properties: Mapping[str, Spellings]
    caps: Capabilities
    wrong_ids: bool
    report: Report
    previous_ids: set[str]  # what may not come again
    reserved_ids: set[str]  # what no new id may be, so far
    new_ids: set[str] = field(default_factory=set)  # for an id that is empty or comes again
    last_numbers: dict[str, int] = field(default_factory=dict)
    call_index: int = -1
    # wire ids of unanswered calls
    waiting: dict[str, deque[str]] = field(default_factory=lambda: defaultdict(deque))
    nameless: set[str] = field(default_factory=set)  # ids of calls
    tree_ids: dict[str, str] = field(default_factory=dict)

    def message(self, m: Msg) -> Msg:
        if not self.caps.ids.unique:
            self.previous_ids.clear()  # one turn's ids may come again in the next one
        if self.wrong_ids and not self.caps.ids.form:
            self.reserved_ids.update(self.ids.get(call.id, call.id) for call in m.calls)
        content: Any = m.content  # a list: a text has no ids
        blocks = [self._block(block) for block in content]
        if all(map(is_, blocks, content)):
            return m
        return self.report.record_copy(Msg.create_unchecked(m.name, blocks, m.role, m), m)

    def _block(self, block: ContentBlock) -> ContentBlock:
        if type(block) is ToolUseBlock:
            name = self.names.get(block.name, block.name)
            id = self._call_id(block, name)
            if not block.name:
                self.nameless.add(block.id)
            if self.properties:
                block = self._with_properties(block)
        elif type(block) is ToolResultBlock:
            queue = self.waiting.get(block.id)
            id = queue.popleft() if queue else self.ids.get(block.id, block.id)
            named = block.name or block.id in self.nameless
            name = self._result_name(block.name) if named else ""
        else:
            return block
        if id == block.id and name == block.name:
            return block
        respelled = _respell_block(block, id, name)
        self.report.record_copy(respelled, block)
        if id != block.id:
            self.tree_ids[id] = block.id
            code = "id.made" if id in self.new_ids else "id.mapped"
            self.report.add_loss(code, block, "id", did=id)
        if name != block.name:
            self.report.add_loss("tool_name.mapped", block, "name", did=f"written as {name}")
        return respelled

    def _with_properties(self, block: ToolUseBlock) -> ToolUseBlock:
        """The call with its arguments as the schema of its tool spells them now."""
        spellings = self.properties.get(block.name)
        value = block.input
        if not spellings or not isinstance(value, dict) or spellings.keys().isdisjoint(value):
            return block
        call = with_fields(block, self.report, input=rename_keys(value, spellings), raw_input=None)
        what = ", ".join(name for name in value if name in spellings)
        self.report.add_loss("property_name.mapped", block, "input", what)
        return call

    def _result_name(self, name: str) -> str:
        """A name that no call has is respelled all the same, as if one had it."""
        if name and name not in self.names and not self.caps.tool_names.takes(name):
            self.names = {**self.names, **mapping([name], self.caps.tool_names)}
        return self.names.get(name, name)

    def _call_id(self, block: ToolUseBlock, name: str) -> str:
        id, rule = self.ids.get(block.id, block.id), self.caps.ids
        self.call_index += 1
        if not self.wrong_ids or (rule.blank and not id):
            return id
        wire_id = id
        # an id of an earlier call here, or one that a call of another id got
        repeated = not id or id in self.previous_ids
        repeated = repeated or self.tree_ids.get(id, block.id) != block.id
        if rule.form:
            if repeated or not rule.matches_form([id]):
                number = max(self.call_index, self.last_numbers.get(name, -1) + 1)
                wire_id, number = format_id(name, number, self.reserved_ids, rule)
                self.last_numbers[name] = number
        elif repeated:
            # numbers go on through the history, so that none is tried twice
            number = self.last_numbers.get(id, 1 if id else 0) + 1
            wire_id, self.last_numbers[id] = number_value(id, number, self.reserved_ids, rule)
        if repeated:
            self.new_ids.add(wire_id)
        self.previous_ids.update((id, wire_id))
        self.reserved_ids.add(wire_id)
        self.waiting[block.id].append(wire_id)
        return wire_id


def _respell_block(block: ToolBlock, id: str, name: str) -> ContentBlock:
    """A copy of the block under another id and name; `replace` takes five times as long."""
    respelled: ToolBlock
    if type(block) is ToolUseBlock:
        call: ToolUseBlock = _new(ToolUseBlock)
        call.input, call.raw_input = block.input, block.raw_input
        call.freeform, call.namespace = block.freeform, block.namespace
        call.unfinished, call.type = False, "tool_use"
        respelled = call
    else:
        assert type(block) is ToolResultBlock  # the other one of the two
        result: ToolResultBlock = _new(ToolResultBlock)
        result.output, result.is_error = block.output, block.is_error
        result.type = "tool_result"
        respelled = result
    respelled.id, respelled.name, respelled.cache = id, name, block.cache
    respelled.extras, respelled.spelling = block.extras, block.spelling
    respelled.origin = block.origin
    return respelled
