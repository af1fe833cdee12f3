"""The fields of a request that this wire has read: what nobody changed goes back as it came.

What somebody changed is composed by the room as ever, and laid over the rest.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ..capabilities import Capabilities
from ..jsontext import JsonObject
from ..losses import Report
from ..message import AsRead, ChatRequest, Options
from ..message.blocks import noted
from ..message.request import ASKS
from ..room import Request, Room, SayableRequest
from ..shapes import filled
from .again import SeatedAgain

__all__ = ["write_again"]


def write_again(
    req: ChatRequest,
    read: AsRead,
    said: SeatedAgain,
    model: str,
    can: Capabilities,
    room: Room,
    report: Report,
) -> Request:
    """The whole request, of which that is composed which is no more as it was read."""
    kept = read.kept(req.asks())
    if "tools" not in kept and "tool_choice" in kept:
        kept.remove("tool_choice")  # it speaks of them
    changed = len(kept) < len(ASKS)
    bare = _reduced(req, ASKS, read)
    bare = replace(bare, stream=read.fields.get("stream", req.stream))
    rest = _reduced(req, kept, read)
    if said.kept:
        kept.append("system")
    body = room.body_as_read(req, kept, said.elements)
    made, none = said.made, report.trial()

    def say(asked: ChatRequest, tools: Any) -> SayableRequest:
        return SayableRequest(
            said.prompt, tools, asked, model, can, made.names, made.unbound is not None,
            said.elements,
        )  # fmt: skip

    tools = made.tools if "tools" in kept else ()
    plain = say(bare, tools)
    plain.seated = replace(said.prompt, msgs=[], seats=[])
    out = room.write(plain, none)
    if changed or said.prompt.msgs or plain.switch or rest.extras:
        told = report.trial()
        whole = room.write(say(rest, made.tools), told)
        told.made(rest, req)
        told.made(rest.options, req.options)
        report.take(told, none)
        filled(body, _beyond(whole.body, out.body))
        room.respell(body, req)
        out.path, out.headers = whole.path, whole.headers
    return Request(out.path, room.headers_as_read(req, out.headers), body)


def _reduced(req: ChatRequest, kept: Collection[str], read: AsRead) -> ChatRequest:
    """The request without what is said as it was read."""
    given = {name: value for name, value in req.options.given() if name not in kept}
    aside = (read.issuer, noted(read.issuer))
    extras = {issuer: own for issuer, own in (req.extras or {}).items() if issuer not in aside}
    return replace(
        req,
        messages=[],
        tools=() if "tools" in kept else req.tools,
        tool_choice=None if "tool_choice" in kept else req.tool_choice,
        response_format=None if "response_format" in kept else req.response_format,
        options=Options(**given),
        extras=extras or None,
        read=None,
    )


def _beyond(whole: JsonObject, bare: JsonObject) -> JsonObject:
    """What a body says that another one does not."""
    made: JsonObject = {}
    for key, value in whole.items():
        if key not in bare:
            made[key] = value
        elif isinstance(value, dict) and isinstance(bare[key], dict):
            if inner := _beyond(value, bare[key]):
                made[key] = inner
        elif value != bare[key]:
            made[key] = value
    return made
