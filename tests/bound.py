"""A conversation whose answers know what they were answers to, and what of it is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.message import (
    Base64Source,
    ImageBlock,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Written,
)

__all__ = ["ALL", "DOT", "LOOK", "MODEL", "WIRE", "Session", "kept", "session", "unbound"]

MODEL = "claude-opus-5-5"
WIRE = dragoman.wire("anthropic", policy="ignore")
LOOK = Tool("look", "look at it", {"type": "object", "properties": {"at": {"type": "string"}}})
DOT = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))


class Session:
    """A conversation as a program holds it: every answer knows what it was an answer to."""

    def __init__(self, *msgs: Msg, system: str = "Be.", tools: Sequence[Any] = (LOOK,)) -> None:
        self.msgs = list(msgs)
        self.fields: dict[str, Any] = {"system": system, "tools": list(tools)}
        self.answers = 0

    def write(self, **changes: Any) -> Written:
        req = ChatRequest(self.msgs, model=MODEL, **{**self.fields, **changes})
        return WIRE.write_request(req)

    def answer(self, *blocks: Any) -> Msg:
        self.answers += 1
        thought = ThinkingBlock("Hm.", signature=f"signature {self.answers}")
        origin = Origin("anthropic", MODEL, prefix=self.write().prefix)
        said = Msg.assistant([thought, *(blocks or (TextBlock("Yes."),))], origin=origin)
        self.msgs.append(said)
        return said

    def ask(self, *msgs: Msg) -> Session:
        self.msgs += msgs
        return self


def session() -> Session:
    """Three answers: words, a call with its result, words."""
    made = Session(Msg.user([TextBlock("Hi."), DOT]))
    made.answer()
    made.ask(Msg.user("Look."))
    made.answer(ToolUseBlock("c1", "look", {"at": "it", "n": 1}))
    made.ask(Msg.tool("c1", "seen", "look"))
    made.answer()
    return made.ask(Msg.user("So?"))


def kept(out: Written) -> list[str]:
    """The signatures that are sent."""
    return [
        block["signature"]
        for message in out.body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "thinking"
    ]


def unbound(out: Written) -> list[tuple[str, str]]:
    return [(loss.where, loss.what) for loss in out.losses if loss.code == "thinking.unbound"]


ALL = ["signature 1", "signature 2", "signature 3"]
