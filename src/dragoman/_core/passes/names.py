"""RoledHistory -> RoledHistory: tool names and call ids as a wire accepts them; a map, applied and inverted.

The map is a pure function of the names and the rule, so whoever has the tools can rebuild it to
read an answer. What the rule accepts stays; two names never become one. Knows no wire.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace

from ...capabilities import Capabilities
from ...capabilities.naming import NameRule, formed, mapping, numbered
from ...losses import Report
from ...message import Msg, ServerTool, Tool, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from .roles import IDS, MISNAMED, PAIRS, RoledHistory


def inverted(names: dict[str, str]) -> dict[str, str]:
    """Spelling -> value."""
    return {spelling: value for value, spelling in names.items()}


def spelled(tools: Sequence[Tool | ServerTool], rule: NameRule) -> dict[str, str]:
    """The tools' names -> as the wire has them, where it is otherwise.

    A function gives way to a tool of the provider's own, which may go by the name of its kind.
    """
    listed = [tool.name for tool in tools if type(tool) is Tool]
    kinds = [tool.kind for tool in tools if type(tool) is ServerTool]
    return mapping(listed, rule, kinds)


def name_tools(
    tools: Sequence[Tool | ServerTool], called: list[str], rule: NameRule, report: Report
) -> tuple[Sequence[Tool | ServerTool], dict[str, str]]:
    """The tools under names that the wire accepts, and the map for the tools and the history."""
    if not tools:
        return tools, mapping(list(dict.fromkeys(called)), rule, ordered=True)
    names = spelled(tools, rule)  # of the tools alone: see above
    own = {tool.name for tool in tools if type(tool) is Tool}
    others = [name for name in dict.fromkeys(called) if name not in own]
    if others:
        names |= mapping(others, rule, (names.get(name, name) for name in own), ordered=True)
    if not names:
        return tools, names
    named: list[Tool | ServerTool] = []
    for tool in tools:
        if type(tool) is not Tool or tool.name not in names:
            named.append(tool)
            continue
        made = replace(tool, name=names[tool.name])
        report.made(made, tool)
        report.lost("tool_name.mapped", tool, "name", did=f"written as {made.name}")
        named.append(made)
    return named, names


def respell(
    history: RoledHistory,
    caps: Capabilities,
    names: dict[str, str],
    report: Report,
    there: frozenset[str] = frozenset(),
) -> tuple[RoledHistory, dict[str, str]]:
    """The history under wire names and wire ids, and the map from wire ids to the tree's.

    `there`: ids that stand around these messages as the wire took them: they keep their spelling.
    """
    rule = caps.ids
    calls, results = history.calls, history.results
    again = bool(history.flags & IDS) or not rule.formed(calls)
    again = again or bool(there and not there.isdisjoint(calls))
    used = calls
    # a survey that found them in pairs has compared them
    if (history.flags & PAIRS or len(calls) != len(results)) and calls != results:
        used = [*calls, *results]
        there = there | set(results).difference(calls)  # what answers others keeps its id
    if there:
        used = [id for id in used if id not in there]
    ids = {} if rule.fits(used) else mapping([id for id in used if id], rule, ordered=True)
    if not (names or ids or again or history.flags & MISNAMED):
        return history, {}
    writer = _Respeller(ids, names, caps, again, report)
    if rule.unique:
        writer.used.update(there)
    if rule.unique or rule.form:
        writer.taken.update(there)
    changes = {
        i: made
        for i, m in enumerate(history.msgs)
        if type(m.content) is not str and (made := writer.message(m)) is not m
    }
    return history.swapped(changes), writer.back


class _Respeller:
    """Walks a history once; a repeated id gets a number, and so does the result behind it.

    `again`: an id is repeated, empty, or not in the form of the wire.
    """

    def __init__(
        self,
        ids: dict[str, str],
        names: dict[str, str],
        caps: Capabilities,
        again: bool,
        report: Report,
    ) -> None:
        self.ids = ids
        self.names = names
        self.rule = caps.ids
        self.tool_names = caps.tool_names
        self.again = again
        self.report = report
        self.used: set[str] = set()  # what may not come again
        self.taken: set[str] = set()  # what no made id may be, so far
        self.invented: set[str] = set()  # for an id that is empty or comes again
        self.last: dict[str, int] = {}
        self.count = -1  # calls so far, from 0
        self.open: dict[str, deque[str]] = defaultdict(deque)
        self.nameless: set[str] = set()  # calls
        self.back: dict[str, str] = {}

    def message(self, m: Msg) -> Msg:
        if not self.rule.unique:
            self.used.clear()  # one turn's ids may come again in the next one
        if self.again and not self.rule.form:
            self.taken.update(self.ids.get(call.id, call.id) for call in m.calls)
        blocks = []
        same = True
        for block in m.content:
            new = self._block(block)
            blocks.append(new)
            if new is not block:
                same = False
        if same:
            return m
        made = Msg.trusted(m.name, blocks, m.role, m)  # type: ignore[arg-type]  # blocks
        self.report.made(made, m)
        return made

    def _block(self, block: object) -> object:
        if type(block) is ToolUseBlock:
            name = self.names.get(block.name, block.name)
            id = self._call_id(block, name)
            if not block.name:
                self.nameless.add(block.id)
        elif type(block) is ToolResultBlock:
            queue = self.open.get(block.id)
            id = queue.popleft() if queue else self.ids.get(block.id, block.id)
            known = block.name or block.id in self.nameless
            name = self._result_name(block.name) if known else ""
        else:
            return block
        if id == block.id and name == block.name:
            return block
        made = _respelled(block, id, name)
        self.report.made(made, block)
        if id != block.id:
            self.back[id] = block.id
            code = "id.made" if id in self.invented else "id.mapped"
            self.report.lost(code, block, "id", did=id)
        if name != block.name:
            self.report.lost("tool_name.mapped", block, "name", did=f"written as {name}")
        return made

    def _result_name(self, name: str) -> str:
        """A name that no call has is respelled all the same, as if one had it."""
        if name and name not in self.names and not self.tool_names.takes(name):
            self.names = {**self.names, **mapping([name], self.tool_names)}
        return self.names.get(name, name)

    def _call_id(self, block: ToolUseBlock, name: str) -> str:
        id = self.ids.get(block.id, block.id)
        self.count += 1
        if not self.again or (self.rule.blank and not id):
            return id
        made = id
        # in use here, or given to a call of another id
        again = not id or id in self.used or self.back.get(id, block.id) != block.id
        if self.rule.form:
            if again or not self.rule.formed([id]):
                nth = max(self.count, self.last.get(name, -1) + 1)
                made, self.last[name] = formed(name, nth, self.taken, self.rule)
        elif again:
            # numbers go on through the history, so that none is tried twice
            nth = self.last.get(id, 1 if id else 0) + 1
            made, self.last[id] = numbered(id, nth, self.taken, self.rule)
        if again:
            self.invented.add(made)
        self.used.update((id, made))
        self.taken.add(made)
        self.open[block.id].append(made)
        return made


def _respelled(block: ToolUseBlock | ToolResultBlock, id: str, name: str) -> ContentBlock:
    """The same block under another id and name; `replace` takes three times as long."""
    extras, spelling, origin = block.extras, block.spelling, block.origin
    if type(block) is ToolUseBlock:
        return ToolUseBlock(id, name, block.input, block.raw_input, block.cache,
                            extras=extras, spelling=spelling, origin=origin)  # fmt: skip
    assert type(block) is ToolResultBlock  # the other one of the two
    return ToolResultBlock(id, name, block.output, block.is_error, block.cache,
                           extras=extras, spelling=spelling, origin=origin)  # fmt: skip
