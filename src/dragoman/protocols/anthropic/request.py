"""A request of this wire, read into the tree, and its body said again as it was read.

`read_request` and `body_as_read` are each other's inverse: what a field's neutral value does not
say stands in the notes, or among the fields that nobody models. Reference: Anthropic API, "Create a
Message"; the docs of its hosts for the model and the switch of streams in the path.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from urllib.parse import unquote

from ...jsontext import Json, JsonObject
from ...message import ChatRequest, Origin, ServerTool, Tool
from ...message.blocks import noted
from .betas import BETAS, read_betas
from .declared import choice_as_read, read_choice, read_tool, tool_as_read
from .history import at_top, read_message, read_system, system_as_read
from .options import read_format, read_options, say_format, say_options

__all__ = ["body_as_read", "read_request"]

_VERSION = "anthropic_version"
_PATH = re.compile(
    r"/models?/(?P<model>[^/?]+?)[:/]"
    r"(?:(?P<stream>invoke-with-response-stream|streamRawPredict)|invoke|rawPredict)(?:\?|$)"
)


def read_request(
    body: JsonObject, issuer: str, path: str | None, headers: Mapping[str, str] | None
) -> ChatRequest:
    """The request that the body makes; its path may name the model, and that it is a stream."""
    rest = dict(body)
    notes: JsonObject = {}
    model = _model(rest, path, notes)
    origin = Origin(issuer, model)
    listed = rest.get("messages")
    if isinstance(listed, list):
        del rest["messages"]
    else:
        listed, notes["messages"] = [], "absent"
    msgs = [read_message(one, issuer, origin) for one in listed]
    if (top := read_system(rest.get("system"), issuer)) is not None:
        del rest["system"]
        msgs.insert(0, top)
    made = ChatRequest(
        msgs,
        tools=_tools(rest, issuer),
        tool_choice=read_choice(rest),
        options=read_options(rest, notes),
        response_format=read_format(rest, notes),
        model=model,
        stream=_stream(rest, path, notes),
    )
    if isinstance(rest.get(_VERSION), str):
        notes[_VERSION] = rest.pop(_VERSION)  # of the host's protocol, not of what is asked
    read_betas(rest, notes, headers)
    own = {name: kept for name, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _model(rest: JsonObject, path: str | None, notes: JsonObject) -> str | None:
    told = rest.get("model")
    if isinstance(told, str) and told:
        del rest["model"]
        return told
    found = _PATH.search(path) if path and "model" not in rest else None
    if found is None:
        return None
    notes["model"] = "path"
    return unquote(found["model"])


def _stream(rest: JsonObject, path: str | None, notes: JsonObject) -> bool:
    if isinstance(rest.get("stream"), bool):
        said: bool = rest.pop("stream")
        if not said:
            notes["stream"] = "false"
        return said
    found = _PATH.search(path) if path and "stream" not in rest else None
    if found is None or found["stream"] is None:
        return False
    notes["stream"] = "path"
    return True


def _tools(rest: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    told = rest.get("tools")
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return []
    del rest["tools"]
    return [read_tool(one, issuer) for one in told]


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    notes = extras.get(noted(issuer), {})
    body: JsonObject = dict(extras.get(issuer, {}))
    if notes.get(BETAS) == "header":
        body.pop(BETAS, None)
    if _VERSION in notes:
        body[_VERSION] = notes[_VERSION]
    if req.model and "model" in kept and "model" not in notes:
        body["model"] = req.model
    if elements or "messages" not in notes:
        body["messages"] = elements
    if "system" in kept and (top := next(filter(at_top, req.messages), None)) is not None:
        body["system"] = system_as_read(top, issuer)
    say_options(body, req.options, kept, notes)
    if req.tools and "tools" in kept:
        body["tools"] = [tool_as_read(tool, issuer) for tool in req.tools]
    if req.tool_choice is not None and "tool_choice" in kept:
        body["tool_choice"] = {**choice_as_read(req.tool_choice), **body.get("tool_choice", {})}
    if req.response_format is not None and "response_format" in kept:
        say_format(body, req.response_format, notes)
    told = notes.get("stream")
    if "stream" in kept and told != "path" and (req.stream or told == "false"):
        body["stream"] = req.stream
    return body
