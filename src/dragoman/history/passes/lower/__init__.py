"""Move, lower or drop what a history and a list of tools have and the wire cannot carry.

This is the only place that compares a block with a capability, and it reports each loss. Media that
a result may not hold follow in a user's turn. Looks at unusual messages only. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ....capabilities import Capabilities
from ....capabilities.overrides import vary
from ....losses import Report
from ....message import (
    ChatRequest,
    Msg,
    ServerTool,
    TextBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    ToolUseBlock,
)
from ....message.blocks import NOTES, ContentBlock, MediaBlock, is_found
from ....message.client_tools import find_function
from ....message.known_steps import find_table
from ....text.json_text import arguments
from ...transcript import has_tools, report_dropped_fields
from ...wording import Wording
from ..plain_tools import is_native
from ..survey import TOOL, USER, RoledHistory, Tools, same_items, with_fields
from .blocks import fit_message, output_text, with_blocks
from .state import Asked, Saver, State, fit_medium, limit_ttl, shortest_minutes


def fit(
    history: RoledHistory,
    caps: Capabilities,
    report: Report,
    wording: Wording,
    saver: Saver | None = None,
    hints: int = 0,
    lasts: float | None = None,
) -> RoledHistory:
    """The history in blocks that the wire takes of each role.

    `wording` has the texts that are added; `saver` stores media of tool results that no wire shows;
    `hints`: how many cache hints the tools take up; `lasts`: minutes that the last of them holds.
    """
    unusual = history.unusual
    if not caps.tool_messages or caps.call_text == "drop":
        unusual = list(range(len(history.msgs)))
    surplus = _surplus_hints(history, caps, hints)
    state = State(caps, report, wording, saver, surplus, lasts, history.msgs)
    changes: dict[int, list[tuple[Msg, int]]] = {}
    ends: list[int] = []
    known = _fit_known(state, history, unusual)
    for number, i in enumerate(unusual):
        m, role = history.msgs[i], history.roles[i]
        fitted, moved = known[number][:2] if number < len(known) else fit_message(state, m, role)
        if fitted is not m:
            # media that moved after message i from an earlier one stay after it
            in_place = [] if fitted is None else [(fitted, _find_role(fitted, role))]
            changes[i] = [*in_place, *changes.get(i, [])[1:]]
        if moved:
            # after the last result that follows; but nothing may follow calls that wait
            ends = ends or _result_ends(history.roles)
            end = ends[i]
            messages = changes.setdefault(end, [(history.msgs[end], history.roles[end])])
            index = 0 if end == i and m.calls else len(messages)
            messages[index:index] = [(media, USER) for media in moved]
    return history.with_changes(changes)


_Fitted: TypeAlias = tuple[Msg | None, list[Msg], Sequence[Asked]]


def _fit_known(state: State, history: RoledHistory, unusual: Sequence[int]) -> list[_Fitted]:
    """The first messages as the wire takes them, the media that move, the names they asked for.

    These are those that a session remembers, whose results are kept, and what is before them. What
    has cache hints depends on the others: a wire takes some, none longer than the one before it.
    """
    report = state.report
    table = find_table(report, fit_message, state.caps, state.wording)
    if table is None or state.saver is not None:
        return []
    msgs, roles = [history.msgs[i] for i in unusual], [history.roles[i] for i in unusual]

    def fit_one(number: int, report: Report) -> _Fitted:
        state.report, state.asked = report, []
        return *fit_message(state, msgs[number], roles[number]), state.asked

    try:
        return table.take(
            msgs,
            roles,
            fit_one,
            report,
            is_alone=lambda m: not _count_hints(m),
            holds=lambda row: all(state.find_name(nodes) == name for nodes, name in row[2]),
            made=lambda row: filter(None, (row[0], *row[1])),
        )
    finally:
        state.report, state.asked = report, []  # what others ask for is not kept


def fit_media(
    history: RoledHistory, caps: Capabilities, report: Report, wording: Wording, unshown: str = ""
) -> RoledHistory:
    """The media of the conversation as a user may show them, before it becomes one turn.

    `unshown`: the text for a medium that cannot be shown, with `{kind}`.
    """
    state = State(caps, report, wording)
    changes: dict[int, Msg | None] = {}
    for i in history.unusual:
        m = history.msgs[i]
        if isinstance(m.content, str) or has_tools(m):
            continue
        blocks: list[ContentBlock] = []
        for block in m.content:
            if isinstance(block, MediaBlock):
                media = fit_medium(state, block, "user", caps.user, [])
                if unshown and not media:
                    report.add_loss("media.unshown", block)
                    media = [state.text(unshown.format(kind=block.type), block)]
                blocks.extend(media)
            else:
                blocks.append(block)
        fitted = with_blocks(state, m, blocks)
        if fitted is not m:
            changes[i] = fitted
    return history.with_contents(changes)


def calls_of_others(msgs: list[Msg], me: str | None) -> bool:
    """Whether a message of another agent than `me` holds a call; False without `me`."""
    return me is not None and any(_is_other(m, me) and m.calls for m in msgs)


def tell_others(msgs: list[Msg], me: str, report: Report, wording: Wording) -> list[Msg]:
    """The messages with other agents' calls, and the results of those, as text of these agents.

    On the wire a call is the assistant's, who is `me`. The very list if no other agent calls.
    """
    if not calls_of_others(msgs, me):
        return msgs
    callers: dict[str, tuple[str, str]] = {}  # id of a call that becomes text -> caller, tool
    changed: list[Msg] = []
    for m in msgs:
        caller = ""
        blocks: list[ContentBlock] = []
        for block in m.blocks:
            if type(block) is ToolUseBlock and _is_other(m, me):
                callers[block.id] = m.name, block.name
                caller = m.name
                blocks.append(_told_call(block, report, wording))
            elif type(block) is ToolUseBlock:
                callers.pop(block.id, None)
                blocks.append(block)
            elif type(block) is ToolResultBlock and block.id in callers:
                caller, tool = callers[block.id]
                blocks += _told_result(block, block.name or tool, report, wording)
            else:
                blocks.append(block)
        if caller:
            content: list[ContentBlock] | str = blocks
            if len(blocks) == 1 and type(first := blocks[0]) is TextBlock:
                content = first.text
            made = Msg.create_unchecked(caller, content, "assistant", m)
            changed.append(report.record_copy(made, m))
        else:
            changed.append(m)
    return changed


def _is_other(m: Msg, me: str) -> bool:
    return m.name not in ("", me, m.role)


def _told_call(block: ToolUseBlock, report: Report, wording: Wording) -> ContentBlock:
    report.add_loss("speaker.call", block, what=block.name)
    report_dropped_fields(block, report)
    text = block.input if block.freeform else block.raw_input or arguments(block.input)
    return report.record_copy(TextBlock(wording.call.format(name=block.name, input=text)), block)


def _told_result(
    block: ToolResultBlock, name: str, report: Report, wording: Wording
) -> list[ContentBlock]:
    """The text of a result, and after it the media that it showed."""
    report.add_loss("speaker.call", block, what=name)
    report_dropped_fields(block, report)
    output, media = block.output, list[ContentBlock]()
    for item in output if isinstance(output, list) else ():
        if isinstance(item, MediaBlock):
            media.append(item)
        elif type(item) is TextBlock:
            report_dropped_fields(item, report)
        else:
            report.add_loss("block.unsupported", item, did="left out of the tool result")
    text = output_text(output)
    if block.is_error:
        report.add_loss("result.error_as_text", block, "is_error")
        text = wording.error + text
    said = TextBlock(wording.result.format(name=name, output=text))
    return [report.record_copy(said, block), *media]


def fit_tools(tools: Tools, caps: Capabilities, report: Report) -> Tools:
    """The tools that the model takes, with no more cache hints than the wire does.

    The last hints stay: they cover the longest prefix.
    """
    if not tools:
        return tools
    functions = caps.tools and any(type(tool) is Tool or find_function(tool) for tool in tools)
    fitted = [tool for tool in tools if _takes(tool, caps, functions, report)]
    fitted = _without_repeats(fitted, report)
    if caps.cached_tools:
        fitted = _with_fitting_hints(fitted, caps, report)
    return tools if same_items(fitted, tools) else fitted


def _is_found(tool: Tool, caps: Capabilities) -> bool:
    issuers = (issuer.removesuffix(NOTES) for issuer in tool.extras or ())
    return any(is_found(tool, issuer) and caps.takes_items(issuer, True) for issuer in issuers)


def _takes(tool: Tool | ServerTool, caps: Capabilities, functions: bool, report: Report) -> bool:
    """Whether the model takes the tool; reports the loss if not. `functions`: it is beside some."""
    if isinstance(tool, Tool):
        if tool.extras and _is_found(tool, caps):
            return False  # the result in which it was found goes along, and offers it
        if not caps.tools:
            report.add_loss("tools.unsupported", tool, what=tool.name)
        return caps.tools
    if tool.kind == "own":
        if is_native(tool, caps):
            return True
        if caps.tools and find_function(tool) is not None:
            return True  # a function will replace it
        data = next(iter((tool.extras or {}).values()), {})
        kind = data.get("type") or next(iter(data), "")  # or the key that holds it
        report.add_loss("tool.other_provider", tool, what=f"{kind} tool".lstrip())
        return False
    mixes = caps.mixed_tools and tool.kind not in caps.lone_server_tools
    takes = tool.kind in caps.server_tools and (mixes or not functions)
    if not takes:
        report.add_loss("server_tool.unsupported", tool, what=tool.kind)
    return takes


def _without_repeats(tools: list[Tool | ServerTool], report: Report) -> list[Tool | ServerTool]:
    """The tools without those whose name or kind an earlier one has: a call could mean either."""
    keys: set[tuple[object, ...]] = set()
    unique: list[Tool | ServerTool] = []
    for tool in tools:
        name = tool.name if isinstance(tool, Tool) else tool.kind
        # several searches of files may look in several stores
        group = tool.namespace if isinstance(tool, Tool) else tuple(tool.stores)
        key = (type(tool), name, group)
        if key in keys and name != "own":
            report.add_loss("tools.twice", tool, what=name, did="left out")
        else:
            keys.add(key)
            unique.append(tool)
    return unique


def _with_fitting_hints(
    tools: list[Tool | ServerTool], caps: Capabilities, report: Report
) -> list[Tool | ServerTool]:
    """The tools without the first hints, where there are more than the wire takes.

    Where the wire wants the longest first, each lasts no longer than those before it.
    """
    hinted = [i for i, tool in enumerate(tools) if type(tool) is Tool and tool.cache is not None]
    surplus = max(0, len(hinted) - caps.cache_hints)
    fitted = list(tools)
    for i in hinted[:surplus]:
        report.add_loss("cache.limit", tools[i], "cache")
        fitted[i] = with_fields(tools[i], report, cache=None)
    most: float | None = None
    for i in hinted[surplus:] if caps.cache_longest_first else ():
        tool = tools[i]
        assert type(tool) is Tool  # as all that are hinted
        assert tool.cache is not None
        hint = limit_ttl(tool.cache, caps, most)
        most = shortest_minutes((hint,), caps)
        if hint is not tool.cache:
            fitted[i] = with_fields(tool, report, cache=hint)
            report.add_loss("cache.ttl", tool, "cache.ttl", did="the wire's own time")
    return fitted


def _surplus_hints(history: RoledHistory, caps: Capabilities, hints: int) -> int:
    """How many cache hints exceed what the wire takes."""
    if not caps.cache_hints:
        return 0
    for i in history.unusual:
        hints += _count_hints(history.msgs[i])
    return max(0, hints - caps.cache_hints)


def _count_hints(m: Msg) -> int:
    hints = int(m.cache is not None)
    for block in [] if isinstance(m.content, str) else m.content:
        output = getattr(block, "output", None)
        for item in (block, *output) if isinstance(output, list) else (block,):
            hints += getattr(item, "cache", None) is not None
    return hints


def _find_role(m: Msg, role: int) -> int:
    # a result that became text is the user's
    as_text = role == TOOL and not any(type(block) is ToolResultBlock for block in m.blocks)
    return USER if as_text else role


def _result_ends(roles: list[int]) -> list[int]:
    """For each message the last result that follows it, or itself."""
    ends = list(range(len(roles)))
    for i in range(len(roles) - 2, -1, -1):
        if roles[i + 1] == TOOL:
            ends[i] = ends[i + 1]
    return ends


def withhold_tools(
    request: ChatRequest, caps: Capabilities, report: Report
) -> tuple[Tools, Capabilities]:
    """The tools to declare, and the capabilities for the rest of the request.

    Where calls in the history need declared tools, they become text instead.
    """
    choice = request.tool_choice
    if choice is None or choice.mode != "none":
        return request.tools, caps
    report.add_loss("tools.withheld", choice, "mode", what="none")
    for tool in request.tools:
        _withhold_tool(tool, report)
    if caps.binding != "none" and request.messages:
        report.note_edit("the withholding of tools", request.messages[0])
    return [], vary(caps, tool_messages=caps.tool_messages and not caps.tool_stubs)


def _withhold_tool(tool: Tool | ServerTool, report: Report) -> None:
    report.add_loss("tools.withheld", tool)
    if type(tool) is Tool and tool.cache is not None:
        report.add_loss("cache.unsupported", tool, "cache")


def offered_tools(
    request: ChatRequest, caps: Capabilities, report: Report
) -> tuple[Tools, Capabilities]:
    """The tools to declare, and the capabilities, where a wire cannot express the tool choice.

    No tools where it cannot forbid calls; the one that the choice names where it can only require a
    call of any.
    """
    choice = request.tool_choice
    if choice is not None and choice.mode == "tool":
        return _named_alone(request, choice, caps, report), caps
    if caps.none_by == "withholding":
        return withhold_tools(request, caps, report)
    return request.tools, caps


def _named_alone(
    request: ChatRequest, choice: ToolChoice, caps: Capabilities, report: Report
) -> Tools:
    named = [tool for tool in request.tools if getattr(tool, "name", None) == choice.name]
    can_require = "tool" not in caps.tool_choices and "required" in caps.tool_choices
    if not named or not can_require or caps.tool_stubs:
        return request.tools
    report.add_loss(
        "tool_choice.lowered", choice, did="that tool alone is offered, and a call required"
    )
    for tool in request.tools:
        if tool is not named[0]:
            _withhold_tool(tool, report)
    if caps.binding != "none" and request.messages and len(named) < len(request.tools):
        report.note_edit("the withholding of tools", request.messages[0])
    return named[:1]
