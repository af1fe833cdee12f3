"""Calls that the client runs in a form of one API alone, and joint calls, as plain calls.

Such a call (a command for a shell, a patch, a click) is stored as it came, for only its own API
takes it back. For any other wire it becomes the call of a tool of that name, and the client's
answer the result of it. Each block is converted alone, so a part of a history needs no other.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...losses import Report
from ...message import ImageBlock, Msg, RawBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock, joint_calls
from ...message.client_tools import call_within
from ...message.media_urls import read_url
from ...text.json_text import arguments
from .survey import RoledHistory, same_items, survey, with_content

_FAILED = frozenset({"failed", "incomplete"})


def plain_items(history: RoledHistory, caps: Capabilities, report: Report) -> RoledHistory:
    """The history with plain calls and results for those of other APIs."""
    changes: dict[int, Msg] = {}
    for i in history.unusual:
        m = history.msgs[i]
        if isinstance(m.content, str):
            continue
        blocks = [_plain(block, caps, report) for block in m.content]
        if not same_items(blocks, m.content):
            changes[i] = with_content(m, blocks, report)
    if not changes:
        return history
    return survey([changes.get(i, m) for i, m in enumerate(history.msgs)], report)


def split_joint_calls(history: RoledHistory, report: Report) -> RoledHistory:
    """The history with the calls that joint ones hold, where those have results of their own."""
    answered = set(history.results)
    msgs: list[Msg] = []
    for m in history.msgs:
        blocks: list[ContentBlock] = []
        if isinstance(m.content, str):
            msgs.append(m)
            continue
        for block in m.content:
            calls = joint_calls(block) if type(block) is ToolUseBlock else []
            parts = [call for call in calls if call is not block]
            if answered.isdisjoint(call.id for call in parts):
                blocks.append(block)
                continue
            report.add_loss("call.plain", block, did="the calls in it", kind="repaired")
            blocks += [report.record_copy(call, block) for call in parts]
        msgs.append(m if same_items(blocks, m.content) else with_content(m, blocks, report))
    return history if same_items(msgs, history.msgs) else survey(msgs, report)


def _plain(block: ContentBlock, caps: Capabilities, report: Report) -> ContentBlock:
    if type(block) is not RawBlock or caps.takes_items(block.issuer, block.by == "client"):
        return block
    plain = call_within(block) or _result_within(block)
    if plain is None:
        return block
    kind = block.data["type"] if isinstance(block.data, dict) else ""
    report.add_loss("call.plain", block, what=kind, did=f"a plain {plain.type} block")
    return report.record_copy(plain, block)


def _result_within(block: RawBlock) -> ToolResultBlock | None:
    """What the client answered, as a plain result; None for what is no such answer."""
    data, pair = block.data, block.pair
    if not isinstance(data, dict) or not pair or (block.role, block.by) != ("result", "client"):
        return None
    kind = data.get("type")
    if not isinstance(kind, str) or not kind.endswith("_output"):
        return None
    name = kind.removesuffix("_output").removesuffix("_call")
    output = data.get("output", data.get("tools", ""))
    result = ToolResultBlock(pair, name, is_error=data.get("status") in _FAILED)
    url = output.get("image_url") if isinstance(output, dict) else None
    if isinstance(output, str):
        result.output = output
    elif isinstance(url, str) and url:
        source, head = read_url(url)
        result.output = [ImageBlock(source, spelling=head)]
    else:
        result.output = arguments(output) if output is not None else ""
    return result
