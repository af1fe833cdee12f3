"""RoledHistory -> RoledHistory, all of it sayable: the only place that compares a block with a capability.

Keeps, moves (a medium follows in a user turn behind all results), lowers, or drops; and says so.
Looks at dirty messages only. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....capabilities import Capabilities
from ....losses import Report
from ....message import (
    AudioBlock,
    ChatRequest,
    DocumentBlock,
    ImageBlock,
    Msg,
    ServerTool,
    Tool,
    ToolResultBlock,
    VideoBlock,
)
from ....message.blocks import ContentBlock
from ...wording import Told
from ..roles import TOOL, USER, RoledHistory, has_tools
from .blocks import fitted, remade
from .state import Saver, State, lasting, least, medium


def fit(
    history: RoledHistory,
    caps: Capabilities,
    report: Report,
    told: Told,
    saver: Saver | None = None,
    hints: int = 0,
    lasts: float | None = None,
) -> RoledHistory:
    """The history in blocks that every seat may show.

    `told` words what is added; `saver` makes media of tool results real where they can't be shown;
    `hints`: how many cache hints the tools take up; `lasts`: minutes that the last of them holds.
    """
    dirty = history.dirty
    if not caps.tool_messages or caps.call_text == "drop":
        dirty = list(range(len(history.msgs)))
    state = State(caps, report, told, saver, _surplus(history, caps, hints), lasts, history.msgs)
    changes: dict[int, list[tuple[Msg, int]]] = {}
    ends: list[int] = []
    for i in dirty:
        m, seat = history.msgs[i], history.seats[i]
        made, moved = fitted(state, m, seat)
        if made is not m:
            # what moved behind message i from an earlier one stays behind it
            here = [] if made is None else [(made, _new_seat(made, seat))]
            changes[i] = [*here, *changes.get(i, [])[1:]]
        if moved:
            ends = ends or _ends(history.seats)
            _place(changes, history, i, ends[i], moved)
    return history.spliced(changes) if changes else history


def fit_media(
    history: RoledHistory, caps: Capabilities, report: Report, told: Told, unshown: str = ""
) -> RoledHistory:
    """The media of the conversation as a user may show them, before it is told as one turn.

    `unshown`: what stands where one cannot be shown, with `{kind}`.
    """
    state = State(caps, report, told)
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i in history.dirty:
        m = history.msgs[i]
        if isinstance(m.content, str) or has_tools(m):
            continue
        blocks: list[ContentBlock] = []
        for block in m.content:
            if isinstance(block, (ImageBlock, AudioBlock, VideoBlock, DocumentBlock)):
                shown = medium(state, block, "user", caps.user, [])
                if unshown and not shown:
                    report.lost("media.unshown", block)
                    shown = [state.text(unshown.format(kind=block.type), block)]
                blocks.extend(shown)
            else:
                blocks.append(block)
        made = remade(state, m, blocks)
        if made is not m:
            changes[i] = [] if made is None else [(made, history.seats[i])]
    return history.spliced(changes) if changes else history


def fit_tools(
    tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
) -> Sequence[Tool | ServerTool]:
    """The tools that the model takes, with no more cache hints than the wire does.

    The last hints stay: they stand behind the longest prefix.
    """
    if not tools:
        return tools
    functions = caps.tools and any(type(tool) is Tool for tool in tools)
    made = [tool for tool in tools if _taken(tool, caps, functions, report)]
    made = _once(made, report)
    if caps.cached_tools:
        made = _fewer(made, caps, report)
        made = _falling(made, caps, report) if caps.cache_longest_first else made
    same = len(made) == len(tools) and all(a is b for a, b in zip(made, tools, strict=True))
    return tools if same else made


def _taken(tool: Tool | ServerTool, caps: Capabilities, functions: bool, report: Report) -> bool:
    """Whether the model takes the tool, or it is named as lost. `functions` stand beside it."""
    if type(tool) is ServerTool and tool.kind == "own":
        if any(issuer in caps.reads for issuer in tool.extras or ()):
            return True
        said = next(iter((tool.extras or {}).values()), {})
        kind = said.get("type") or next(iter(said), "")  # or the key that it stands under
        report.lost("tool.foreign", tool, what=f"{kind} tool".lstrip())
        return False
    if type(tool) is ServerTool:
        if tool.kind in caps.server_tools and (caps.mixed_tools or not functions):
            return True
        report.lost("server_tool.unsaid", tool, what=tool.kind)
        return False
    if not caps.tools and type(tool) is Tool:
        report.lost("tools.unsaid", tool, what=tool.name)
    return caps.tools


def _once(tools: list[Tool | ServerTool], report: Report) -> list[Tool | ServerTool]:
    """The tools without those whose name or kind an earlier one has: a call could mean either."""
    seen: set[tuple[object, ...]] = set()
    made: list[Tool | ServerTool] = []
    for tool in tools:
        name = tool.name if isinstance(tool, Tool) else tool.kind
        # several searches of files may look in several stores
        key = (type(tool), name, () if isinstance(tool, Tool) else tuple(tool.stores))
        if key in seen and name != "own":
            report.lost("tools.twice", tool, what=name, did="left out")
        else:
            seen.add(key)
            made.append(tool)
    return made


def _fewer(
    tools: list[Tool | ServerTool], caps: Capabilities, report: Report
) -> list[Tool | ServerTool]:
    """The tools without the first hints, where there are more than the wire takes."""
    surplus = sum(type(tool) is Tool and tool.cache is not None for tool in tools)
    surplus -= caps.cache_hints
    made: list[Tool | ServerTool] = []
    for tool in tools:
        if surplus > 0 and type(tool) is Tool and tool.cache is not None:
            surplus -= 1
            made.append(_unhinted(tool, report))
        else:
            made.append(tool)
    return made


def _falling(
    tools: list[Tool | ServerTool], caps: Capabilities, report: Report
) -> list[Tool | ServerTool]:
    """The tools whose hints last no longer than those before them."""
    made: list[Tool | ServerTool] = []
    before: float | None = None
    for tool in tools:
        if type(tool) is not Tool or tool.cache is None:
            made.append(tool)
            continue
        kept = lasting(tool.cache, caps, before)
        before = least((kept,), caps)
        made.append(tool if kept is tool.cache else replace(tool, cache=kept))
        if kept is not tool.cache:
            report.made(made[-1], tool)
            report.lost("cache.ttl", tool, "cache.ttl", did="the wire's own time")
    return made


def _unhinted(tool: Tool, report: Report) -> Tool:
    made = replace(tool, cache=None)
    report.made(made, tool)
    report.lost("cache.limit", tool, "cache")
    return made


def _surplus(history: RoledHistory, caps: Capabilities, hints: int) -> int:
    """How many cache hints exceed what the wire takes."""
    if not caps.cache_hints:
        return 0
    for i in history.dirty:
        m = history.msgs[i]
        hints += m.cache is not None
        for block in [] if isinstance(m.content, str) else m.content:
            inner = getattr(block, "output", None)
            for one in (block, *inner) if isinstance(inner, list) else (block,):
                hints += getattr(one, "cache", None) is not None
    return max(0, hints - caps.cache_hints)


def _new_seat(m: Msg, seat: int) -> int:
    # a result that is told as text is said by the user
    told = seat == TOOL and not any(type(block) is ToolResultBlock for block in m.blocks)
    return USER if told else seat


def _ends(seats: list[int]) -> list[int]:
    """For each message the last result that follows it, or itself."""
    ends = list(range(len(seats)))
    for i in range(len(seats) - 2, -1, -1):
        if seats[i + 1] == TOOL:
            ends[i] = ends[i + 1]
    return ends


def _place(
    changes: dict[int, list[tuple[Msg, int]]],
    history: RoledHistory,
    i: int,
    end: int,
    moved: list[Msg],
) -> None:
    """Moved media stand behind the last result that follows message `i`.

    Nothing may follow calls that still wait for their results: there they stand in front.
    """
    there = changes.setdefault(end, [(history.msgs[end], history.seats[end])])
    at = 0 if end == i and history.msgs[i].calls else len(there)
    there[at:at] = [(m, USER) for m in moved]


def withheld(
    request: ChatRequest, caps: Capabilities, report: Report
) -> tuple[Sequence[Tool | ServerTool], Capabilities]:
    """The tools to declare, and what can be said beside them.

    Where calls in the history need declared tools, they are told as text instead.
    """
    choice = request.tool_choice
    if choice is None or choice.mode != "none":
        return request.tools, caps
    report.lost("tools.withheld", choice, "mode", what="none")
    for tool in request.tools:
        report.lost("tools.withheld", tool)
    if caps.binding != "none" and request.messages:
        report.touched("the withholding of tools", request.messages[0])
    return [], replace(caps, tool_messages=caps.tool_messages and not caps.tool_stubs)
