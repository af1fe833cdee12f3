"""What the tests of vendors ask: a request over one wire, which the vendor's judge must take."""

from __future__ import annotations

from typing import Any

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool
from dragoman.message import (
    Base64Source,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    Written,
)
from tests.laws.judging import request_faults

__all__ = ["IMAGE", "LOOK", "called", "codes", "losses", "said", "wrote"]

LOOK = Tool("look", "look at it", {"type": "object", "properties": {"at": {"type": "string"}}})
IMAGE = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
CALL = ToolUseBlock("call_1", "look", {"at": "left"})
SEEN = ToolResultBlock("call_1", "look", [TextBlock("ears"), TextBlock("eyes")])
_CHOSEN = ("model.default", "max_tokens.default")  # what a request must name, and nobody asked for


def called(*before: Any) -> list[Msg]:
    """A question, a call with blocks in front of it, and its result."""
    return [Msg.user("What is it?"), Msg("", [*before, CALL], "assistant"), Msg("", [SEEN], "tool")]


def wrote(wire: str, model: str | None, *msgs: Msg, **rest: Any) -> Written:
    """The request as it goes out. `options` are a mapping; other keywords are the request's."""
    target = dragoman.wire(wire, policy="ignore")
    options = Options(**rest.pop("options", {}))
    req = ChatRequest(list(msgs) or [Msg.user("Hi.")], options=options, **rest)
    out = target.write_request(req, model)
    assert request_faults(target, out) == []
    return out


def said(wire: str, model: str | None, *msgs: Msg, **rest: Any) -> list[dict[str, Any]]:
    """The messages of the request."""
    found: list[dict[str, Any]] = wrote(wire, model, *msgs, **rest).body["messages"]
    return found


def losses(out: Written) -> list[tuple[str, str]]:
    """(code, path) of what was lost, without what we had to choose."""
    return [(loss.code, loss.where) for loss in out.losses if loss.code not in _CHOSEN]


def codes(out: Written) -> list[str]:
    """The codes of what was lost."""
    return [code for code, _ in losses(out)]
