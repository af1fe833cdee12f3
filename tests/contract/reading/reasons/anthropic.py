"""Where `accumulate_event` of the SDK `anthropic` and we part ways."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dragoman.message import RawBlock
from tests.contract.reading.difference import Difference, Reason, payloads
from tests.contract.reading.told import flat

__all__ = ["REASONS"]


def _several(one: Difference) -> bool:
    """Several messages behind each other in one recording: the SDK takes them for one."""
    return bool(sum(p.get("type") == "message_start" for p in payloads(one.exchange)) > 1)


def _late_usage(one: Difference) -> bool:
    """Figures of the closing event that the SDK does not model: it keeps six of them."""
    kind, _, path = one.field.partition(".")
    closing = [p.get("usage") for p in payloads(one.exchange) if p.get("type") == "message_delta"]
    return kind == "usage" and one.theirs is None and flat(closing[-1]).get(path) == one.ours


def _mcp(one: Difference) -> bool:
    """Input of MCP calls that comes in deltas: the SDK sums that of other calls only."""
    if one.field != "again.blocks":
        return False
    return bool(_without_mcp_input(one.theirs) == _without_mcp_input(one.ours))


def _without_mcp_input(candidates: Any) -> Any:
    return [
        replace(block, data={**block.data, "input": None})
        if type(block) is RawBlock and block.data["type"] == "mcp_tool_use"
        else block
        for blocks in candidates
        for block in blocks
    ]


def _fallback(one: Difference) -> bool:
    """Another model went on: the SDK's beta accumulator names it too, the plain one does not."""
    if one.field not in ("model", "again.model"):
        return False
    turns = [p["content_block"] for p in payloads(one.exchange) if "content_block" in p]
    models = [turn["to"]["model"] for turn in turns if turn.get("type") == "fallback"]
    return bool(models and one.ours == models[-1])


REASONS = (
    Reason("the SDK drops the input of MCP calls", _mcp),
    Reason("the SDK names the model that fell back", _fallback),
    Reason("the SDK takes several messages for one", _several),
    Reason("the SDK drops figures of the closing event", _late_usage),
)
