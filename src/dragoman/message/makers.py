"""The nodes that most histories consist of, made by readers: no checks, and no default to look up.

A constructor of a dataclass costs half as much again, and a history is thousands of these. A test
compares what is made here with what the constructors make.
"""

from __future__ import annotations

from functools import lru_cache

from ..jsontext import Json
from .blocks import ContentBlock, Origin, ToolResultBlock, ToolUseBlock
from .msg import Msg, Role
from .options import NO_OPTIONS
from .request import ChatRequest

__all__ = ["answered", "asking", "called", "said", "written_by"]

_new = object.__new__


def said(content: str | list[ContentBlock], role: Role, origin: Origin) -> Msg:
    """`Msg("", content, role, origin=origin)` of content that is known to be right."""
    m = _new(Msg)
    m.name = ""
    m.content = content
    m.role = role
    m._metadata = m._id = m.timestamp = m.cache = m.extras = m.spelling = None
    m.origin = origin
    return m


def called(id: str, name: str, given: Json, raw: str) -> ToolUseBlock:
    """`ToolUseBlock(id, name, given, raw)`."""
    block = _new(ToolUseBlock)
    block.id = id
    block.name = name
    block.input = given
    block.raw_input = raw
    block.cache = block.extras = block.spelling = block.origin = None
    block.unfinished = False
    block.type = "tool_use"
    return block


def answered(id: str, name: str, output: str, spelling: str | None) -> ToolResultBlock:
    """`ToolResultBlock(id, name, output, spelling=spelling)`."""
    block = _new(ToolResultBlock)
    block.id = id
    block.name = name
    block.output = output
    block.is_error = False
    block.cache = block.extras = block.origin = None
    block.spelling = spelling
    block.type = "tool_result"
    return block


def asking(messages: list[Msg]) -> ChatRequest:
    """`ChatRequest(messages)`, without a look at each of them."""
    req = _new(ChatRequest)
    req.messages = messages
    req.tools = []
    req.options = NO_OPTIONS
    req.stream = False
    req.system = req.tool_choice = req.response_format = req.model = req.agent_name = None
    req.memories = req.metadata = req.extras = req.read = None
    return req


@lru_cache(maxsize=256)
def written_by(issuer: str, model: str | None) -> Origin:
    """`Origin(issuer, model)`: one for all that the model wrote."""
    return Origin(issuer, model)
