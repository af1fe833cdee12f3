"""Freeform tools, tools in namespaces and those that a client runs, as plain functions.

That is for wires that have no others. A freeform tool becomes a function of one text, `input`; its
grammar goes into the description. The name of a namespace goes in front of the names of its tools.
A tool that one API alone declares by a type, and that the client runs, is a function of that name.
Calls of the history, and their results, change with them. Which function replaces which tool is a
pure function of the tools and the capabilities, so a reader of the answer can restore its calls
from the tools. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from operator import itemgetter

from ...capabilities import Capabilities
from ...capabilities.overrides import vary
from ...losses import Report
from ...message import (
    ChatResponse,
    Msg,
    Namespace,
    ServerTool,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import NOTES, ContentBlock
from ...message.client_tools import find_function, item_spelled, item_that_calls
from ...message.known_steps import find_table
from ...message.known_tools import run_step
from ...text.json_text import Json, JsonObject
from ..wording import Wording
from .apply_name_rules import wire_tool_names
from .survey import ODD, RoledHistory, Tools, with_content, with_fields

INPUT = "input"  # the one parameter of a function that replaces a freeform tool
_JOINT = "__"


def plain_tools(
    tools: Tools, caps: Capabilities, report: Report, wording: Wording
) -> tuple[Tools, dict[str, Tool]]:
    """The tools as the wire takes them; by the name of a function the tool that it replaces."""
    tools = _with_functions(tools, caps, report)
    names = _plain_names(tools, caps)
    if not names:
        return tools, {}
    plain = list(tools)
    groups: dict[int, Namespace] = {}
    for i, name in names.items():
        tool = tools[i]
        assert type(tool) is Tool  # as all that are named
        if tool.namespace is not None and not caps.namespaces:
            groups[id(tool.namespace)] = tool.namespace
        plain[i] = _plain(tool, name, caps, report, wording)
    for group in groups.values():
        report.add_loss(
            "tool.namespace", group, "name", group.name, "before the names of its tools"
        )
        if group.description:
            report.add_loss("tool.namespace", group, "description", group.name)
    return plain, {name: tool for i, name in names.items() if type(tool := tools[i]) is Tool}


def tools_stood_for(tools: Tools, caps: Capabilities) -> tuple[dict[str, str], dict[str, Tool]]:
    """What a reader of answers needs: the tools' names -> the wire's, and each name's tool.

    A model may call a tool by its own name, without that of its namespace, if no other has it.
    """
    tools = _with_functions(tools, caps)
    by_name = _plain_names(tools, caps)
    if not by_name:
        return wire_tool_names(tools, caps.tool_names), {}
    plain = list(tools)
    for i, name in by_name.items():
        plain[i] = Tool(name)
    names = wire_tool_names(plain, caps.tool_names)
    original_tools = {name: tool for i, name in by_name.items() if type(tool := tools[i]) is Tool}
    return names, map_wire_names(original_tools, names, tools)


def map_wire_names(
    original_tools: Mapping[str, Tool], names: Mapping[str, str], tools: Tools
) -> dict[str, Tool]:
    """The tools that functions replace, by the wire's names; also by their own, if unique."""
    result = {names.get(name, name): tool for name, tool in original_tools.items()}
    functions = [tool for tool in tools if type(tool) is Tool and item_that_calls(tool) is None]
    functions += [tool for tool in original_tools.values() if item_that_calls(tool) is not None]
    own_names = [tool.name for tool in functions]
    for tool in original_tools.values():
        if own_names.count(tool.name) == 1:
            result.setdefault(tool.name, tool)
    return result


def is_native(tool: ServerTool, caps: Capabilities) -> bool:
    """Whether the wire takes a tool of one API's own as it is."""
    at_client = find_function(tool) is not None
    return any(
        caps.takes_items(issuer, at_client)
        and (at_client or _takes_type(caps.native_tools, fields.get("type")))
        for issuer, fields in (tool.extras or {}).items()
        if not issuer.endswith(NOTES)
    )


def _takes_type(patterns: Iterable[str], kind: object) -> bool:
    """Whether a tool of this type is taken; what has no type is judged by its issuer alone."""
    return not isinstance(kind, str) or any(fnmatchcase(kind, pattern) for pattern in patterns)


def _with_functions(tools: Tools, caps: Capabilities, report: Report | None = None) -> Tools:
    """The tools with functions for those that the client runs and the wire does not have."""
    functions = {
        i: function
        for i, tool in enumerate(tools)
        if type(tool) is ServerTool
        and (function := find_function(tool)) is not None
        and not is_native(tool, caps)
    }
    if report is not None:
        for i, function in functions.items():
            report.add_loss(
                "tool.plain", tools[i], what=function.name, did="a function of that name"
            )
            report.record_copy(function, tools[i])
    return [functions.get(i, tool) for i, tool in enumerate(tools)] if functions else tools


def _plain_names(tools: Tools, caps: Capabilities) -> dict[int, str]:
    """Index of a tool that the wire takes as a plain function only -> the name of that."""
    indexes = [
        i
        for i, tool in enumerate(tools)
        if type(tool) is Tool
        and (
            (tool.freeform and not caps.freeform_tools)
            or (tool.namespace is not None and not caps.namespaces)
            or item_that_calls(tool) is not None
        )
    ]
    if not indexes:
        return {}
    others = set(range(len(tools))).difference(indexes)
    taken = {tool.name for i in others if type(tool := tools[i]) is Tool}
    names: dict[int, str] = {}
    for i in indexes:
        tool = tools[i]
        assert type(tool) is Tool  # as was asked above
        name = flat_name(tool.namespace, tool.name) if not caps.namespaces else tool.name
        number = 1
        while (names_of := name if number == 1 else f"{name}_{number}") in taken:
            number += 1
        names[i] = names_of
        taken.add(names_of)
    return names


def flat_name(namespace: Namespace | str | None, name: str) -> str:
    """The name of a tool after that of its namespace: `ns__tool`."""
    if namespace is None:
        return name
    head = namespace if isinstance(namespace, str) else namespace.name
    return f"{head}{name}" if head.endswith(_JOINT) else f"{head}{_JOINT}{name}"


def _plain(tool: Tool, name: str, caps: Capabilities, report: Report, wording: Wording) -> Tool:
    fields: JsonObject = {}
    if tool.namespace is not None and not caps.namespaces:
        report.add_loss("tool.namespace", tool, "name", what=tool.name, did=f"written as {name}")
        fields["namespace"] = None
    if tool.freeform and not caps.freeform_tools:
        report.add_loss("tool.freeform", tool, what=tool.name, did="a function of one text")
        for issuer, own in (tool.extras or {}).items():  # a function has no place for them
            if not issuer.endswith(NOTES):
                report.add_extras_losses(tool, issuer, own)
        texts = [tool.description] if tool.description else []
        if (grammar := tool.grammar) is not None:
            texts.append(wording.grammar.format(syntax=grammar.syntax, text=grammar.definition))
        texts.append(wording.freeform)
        schema = {"type": "object", "properties": {INPUT: {"type": "string"}}, "required": [INPUT]}
        fields |= {
            "freeform": False,
            "grammar": None,
            "extras": None,
            "parameters": schema,
            "description": "\n\n".join(texts),
        }
    return with_fields(tool, report, name=name, **fields)


def plain_calls(
    history: RoledHistory,
    tools: Tools,
    original_tools: Mapping[str, Tool],
    caps: Capabilities,
    report: Report,
) -> RoledHistory:
    """The history with calls of plain functions only, which `plain_tools` declared for `tools`."""
    in_groups, names, short = run_step(_name_calls, tools, report, original_tools)
    if not (history.flags & ODD or in_groups):
        return history
    lowering = _Lowering(names, short, caps, report)
    numbers = range(len(history.msgs)) if in_groups else history.unusual
    numbers = [i for i in numbers if type(history.msgs[i].content) is not str]
    msgs = [history.msgs[i] for i in numbers]
    rows = zip(numbers, msgs, lowering.messages(msgs), strict=True)
    changes = {i: changed for i, m, changed in rows if changed is not m}
    if not changes:
        return history
    changed_history = history.with_messages(changes)
    called = [call.name for m in changed_history.msgs for call in m.calls]
    return replace(changed_history, names=called)


def _name_calls(
    _: Tools, original_tools: Mapping[str, Tool], __: Report
) -> tuple[bool, Mapping[tuple[str | None, str, str | None], str], Mapping[str, str]]:
    """The step of `plain_calls` that looks at the tools alone.

    Returns:
        Whether calls of some tools are in a namespace, or items of their own; the plain name of
        each tool by (namespace, name, item); and the one by the name alone, empty if it is several.
    """
    in_groups = any(tool.namespace or item_that_calls(tool) for tool in original_tools.values())
    names = {
        (tool.namespace.name if tool.namespace else None, tool.name, item_that_calls(tool)): name
        for name, tool in original_tools.items()
    }
    short: dict[str, str] = {}  # a call may leave out the namespace, if the name is unique
    for (_space, name, item), plain_name in names.items():
        if item is None:
            short[name] = "" if name in short else plain_name
    return in_groups, names, short


def plain_call(call: ToolUseBlock, caps: Capabilities, report: Report) -> ToolUseBlock:
    """The freeform call of an answer, for clients who know plain functions only.

    Its name stays: the client's names for the tools of a namespace are not known here.
    """
    return _Lowering({}, {}, vary(caps, namespaces=True), report).call(call)


def plain_answer(resp: ChatResponse, caps: Capabilities, report: Report) -> ChatResponse:
    """The answer without freeform calls and namespaces, where the wire has none."""
    calls = [call for one in resp.candidates for call in one.msg.calls]
    if not caps.namespaces:
        for call in calls:
            tell_namespace(call, report)
    if caps.freeform_tools or not any(call.freeform for call in calls):
        return resp
    lowering = _Lowering({}, {}, vary(caps, namespaces=True), report)
    candidates = [
        report.record_copy(replace(one, msg=lowering.message(one.msg)), one)
        for one in resp.candidates
    ]
    return report.record_copy(replace(resp, candidates=candidates), resp)


def tell_namespace(call: ToolUseBlock, report: Report) -> None:
    """A loss for the namespace of an answer's call, which goes out by its own name."""
    if call.namespace is not None:
        report.add_loss("answer.unsupported", call, "namespace", what=call.name)


def _names_no_result(m: Msg) -> bool:
    """Whether no result in the message bears a name, which may be that of a call before it."""
    return not any(type(block) is ToolResultBlock and block.name for block in m.blocks)


class _Lowering:
    """Walks a history once."""

    def __init__(
        self,
        names: Mapping[tuple[str | None, str, str | None], str],
        short: Mapping[str, str],
        caps: Capabilities,
        report: Report,
    ) -> None:
        self.names = names
        self.short = short
        self.caps = caps
        self.report = report
        self.renamed: dict[str, str] = {}  # id of a call -> its new name
        self.own: dict[str, str] = {}  # the same of the message that is walked

    def messages(self, msgs: list[Msg]) -> list[Msg]:
        """The messages with calls of plain functions; of known ones the results are kept."""
        report = self.report
        table = find_table(report, _Lowering, self.names, self.short, self.caps)
        if table is None:
            return [*map(self.message, msgs)]
        try:
            rows = table.take(
                msgs,
                [None] * len(msgs),
                partial(self._lower, msgs),
                report,
                is_alone=_names_no_result,
                made=itemgetter(slice(1)),
            )
        finally:
            self.report = report
        for _, names in rows:
            self.renamed.update(names)
        return [*(changed for changed, _ in rows), *map(self.message, msgs[len(rows) :])]

    def _lower(self, msgs: list[Msg], number: int, report: Report) -> tuple[Msg, dict[str, str]]:
        """The message with this number, and the new names of its calls, by their ids."""
        self.report, self.own = report, {}
        return self.message(msgs[number]), self.own

    def message(self, m: Msg) -> Msg:
        blocks = [self._block(block) for block in m.blocks]
        same = all(new is old for new, old in zip(blocks, m.blocks, strict=True))
        return m if same else with_content(m, blocks, self.report)

    def _block(self, block: ContentBlock) -> ContentBlock:
        if type(block) is ToolUseBlock:
            return self.call(block)
        if type(block) is ToolResultBlock and block.name and block.id in self.renamed:
            name = self.renamed[block.id]
            return block if name == block.name else with_fields(block, self.report, name=name)
        return block

    def call(self, block: ToolUseBlock) -> ToolUseBlock:
        """The call as one of a plain function."""
        fields: dict[str, Json] = {}
        name = self._name(block)
        if name != block.name or (block.namespace is not None and not self.caps.namespaces):
            fields |= {"name": name, "namespace": None}
            self.renamed[block.id] = self.own[block.id] = name
            for field in ("namespace", "name") if block.namespace else ("name",):
                did = f"written as {name}"
                self.report.add_loss("tool.namespace", block, field, what=block.name, did=did)
        if block.freeform and not self.caps.freeform_tools:
            fields |= {"freeform": False, "input": {INPUT: block.input}, "raw_input": None}
            self.report.add_loss("call.freeform", block, "input", what=block.name)
        return with_fields(block, self.report, **fields) if fields else block

    def _name(self, block: ToolUseBlock) -> str:
        key = (block.namespace, block.name, item_spelled(block))
        if (name := self.names.get(key)) is not None:
            return name
        if self.caps.namespaces:
            return block.name
        if block.namespace is not None:
            return flat_name(block.namespace, block.name)
        return self.short.get(block.name) or block.name
