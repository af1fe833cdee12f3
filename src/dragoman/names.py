"""Seated -> Seated: tool names and call ids as a wire accepts them; a map, applied and inverted.

The map is a pure function of the names and the rule, so whoever has the tools can rebuild it to
read an answer. What the rule accepts stays; two names never become one. Knows no wire.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace

from .capabilities import Capabilities
from .losses import Report
from .message import Msg, ServerTool, Tool, ToolResultBlock, ToolUseBlock
from .rules import IdRule, NameRule, mapping, numbered
from .seats import IDS, Seated

__all__ = ["inverted", "name_tools", "respell"]


def inverted(names: dict[str, str]) -> dict[str, str]:
    """Spelling -> value."""
    return {spelling: value for value, spelling in names.items()}


def name_tools(
    tools: Sequence[Tool | ServerTool], called: list[str], rule: NameRule, report: Report
) -> tuple[Sequence[Tool | ServerTool], dict[str, str]]:
    """The tools under names that the wire accepts, and the map for the tools and the history."""
    listed = [tool.name for tool in tools if type(tool) is Tool]
    own = set(listed)
    names = mapping(listed, rule)  # of the tools alone: see above
    others = [name for name in dict.fromkeys(called) if name not in own]
    if others:
        names |= mapping(others, rule, (names.get(name, name) for name in own))
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
    seated: Seated, can: Capabilities, names: dict[str, str], report: Report
) -> tuple[Seated, dict[str, str]]:
    """The history under wire names and wire ids, and the map from wire ids to the tree's."""
    rule = can.ids
    again = bool(seated.flags & IDS)
    used = seated.calls if seated.calls == seated.results else [*seated.calls, *seated.results]
    ids = mapping([id for id in used if id] if "" in used else used, rule)
    if not (names or ids or again):
        return seated, {}
    taken = {ids.get(i, i) for i in seated.calls}
    writer = _Respeller(ids, names, rule, taken if again else None, report)
    changes = {
        i: [(made, seated.seats[i])]
        for i, m in enumerate(seated.msgs)
        if not isinstance(m.content, str) and (made := writer.message(m)) is not m
    }
    return seated.spliced(changes), writer.back


class _Respeller:
    """Walks a history once; a repeated id gets a number, and so does the result behind it.

    `taken`: the ids that no made one may be, or None if no id is repeated or empty.
    """

    def __init__(
        self,
        ids: dict[str, str],
        names: dict[str, str],
        rule: IdRule,
        taken: set[str] | None,
        report: Report,
    ) -> None:
        self.ids = ids
        self.names = names
        self.rule = rule
        self.taken = taken
        self.report = report
        self.used: dict[str, int] = {}
        self.last: dict[str, int] = {}
        self.open: dict[str, deque[str]] = defaultdict(deque)
        self.back: dict[str, str] = {}

    def message(self, m: Msg) -> Msg:
        if not self.rule.unique:
            self.used.clear()  # one turn's ids may come again in the next one
        blocks = [self._block(block) for block in m.content]
        if all(new is old for new, old in zip(blocks, m.content, strict=True)):
            return m
        made = Msg.trusted(m.name, blocks, m.role, m)  # type: ignore[arg-type]  # blocks
        self.report.made(made, m)
        return made

    def _block(self, block: object) -> object:
        if type(block) is ToolUseBlock:
            id = self._call_id(block)
        elif type(block) is ToolResultBlock:
            queue = self.open.get(block.id)
            id = queue.popleft() if queue else self.ids.get(block.id, block.id)
        else:
            return block
        name = self.names.get(block.name, block.name)
        if id == block.id and name == block.name:
            return block
        made = replace(block, id=id, name=name)
        self.report.made(made, block)
        if id != block.id:
            self.back[id] = block.id
            made_up = not block.id or id != self.ids.get(block.id)
            self.report.lost("id.made" if made_up else "id.mapped", block, "id", did=id)
        if name != block.name:
            self.report.lost("tool_name.mapped", block, "name", did=f"written as {name}")
        return made

    def _call_id(self, block: ToolUseBlock) -> str:
        id = self.ids.get(block.id, block.id)
        if self.taken is None or (self.rule.blank and not id):
            return id
        count = self.used[id] = self.used.get(id, 0) + 1
        made = id
        if count > 1 or not id:
            # numbers go on through the history, so that none is tried twice
            nth = self.last[id] = max(count, self.last.get(id, 0) + 1)
            made = numbered(id, nth, self.taken, self.rule)
            self.taken.add(made)
        self.open[block.id].append(made)
        return made
