"""What the cases share: one request written to one wire, its body and what was lost."""

from __future__ import annotations

from typing import Any

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import Base64Source, ImageBlock, ToolResultBlock, ToolUseBlock
from tests.laws.judging import request_faults

PNG = Base64Source("image/png", "iVBORw0KGgo=")
IMAGE = ImageBlock(PNG)


def call(id: str = "call_1", name: str = "look", **given: Any) -> ToolUseBlock:
    """A tool call."""
    return ToolUseBlock(id, name, given)


def answered(id: str = "call_1", output: Any = "seen", name: str = "look", **rest: Any) -> Msg:
    """A message with one tool result."""
    return Msg("", [ToolResultBlock(id, name, output, **rest)], "tool")


def written(
    wire: str, msgs: list[Msg], model: str | None = None, **request: Any
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """(body, [(code, where)]); whatever is composed satisfies the wire's judge."""
    target = dragoman.wire(wire, policy="ignore")
    out = target.write_request(ChatRequest(msgs, **request), model)
    assert request_faults(target, out) == []
    losses = [(loss.code, loss.where) for loss in out.losses if loss.code not in _QUIET]
    return out.body, losses


# said in every such request, and in no case the point
_QUIET = {"model.default", "max_tokens.default"}
