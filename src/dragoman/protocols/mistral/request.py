"""The fields of a request, read into the tree, and said again as they were read.

`read_request` and `body_as_read` are each other's inverse: what a field's neutral value does not
say stands in the notes (where it stood, how it was spelled) or among the fields that nobody models.
Reference: Mistral API, "Chat Completion", request body.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import ChatRequest, Options, Origin
from ...message.blocks import noted
from ...retold import read_messages
from .fields import (
    read_choice,
    read_format,
    read_tools,
    say_choice,
    say_format,
    tools_as_read,
)
from .history import read_message

__all__ = ["OPTIONS", "body_as_read", "read_request"]

# option -> its key here
OPTIONS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "seed": "random_seed",
    "stop": "stop",
    "n": "n",
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
    "top_k": "top_k",
    "repetition_penalty": "repetition_penalty",
    "service_tier": "service_tier",
}
_REAL = {"temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"}
_MODE = "prompt_mode"  # an older way to ask for thinking


def read_request(body: JsonObject, issuer: str) -> ChatRequest:
    """The request that the body makes."""
    rest = dict(body)
    notes: JsonObject = {}
    listed = rest.get("messages")
    if isinstance(listed, list):
        del rest["messages"]
    else:
        listed, notes["messages"] = [], "absent"
    model = rest.pop("model") if isinstance(rest.get("model"), str) and rest["model"] else None
    origin = Origin(issuer, model)
    stream = rest.pop("stream") if isinstance(rest.get("stream"), bool) else None
    if stream is False:  # which goes without saying
        notes["stream"] = "said"
    made = ChatRequest(
        read_messages(listed, lambda told, at: read_message(told, issuer, origin, at)),
        tools=read_tools(rest, issuer),
        tool_choice=read_choice(rest, notes),
        options=_options(rest, notes),
        response_format=read_format(rest, notes),
        model=model,
        stream=bool(stream),
    )
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _options(rest: JsonObject, notes: JsonObject) -> Options:
    given: dict[str, Any] = {}
    for name, key in OPTIONS.items():
        if key in rest and _fits(name, rest[key]):
            given[name] = rest.pop(key)
    stop = given.get("stop")
    if isinstance(stop, str):
        notes["stop"] = "text"
    elif stop is not None:
        given["stop"] = tuple(stop)
    effort = rest.get("reasoning_effort")
    if isinstance(effort, str) and effort and effort != "off":
        given["reasoning"] = "off" if effort == "none" else rest["reasoning_effort"]
        del rest["reasoning_effort"]
    elif rest.get(_MODE) == "reasoning":
        del rest[_MODE]
        given["reasoning"], notes["reasoning"] = "on", _MODE
    return Options(**given)


def _fits(name: str, value: Any) -> bool:
    if name == "logprobs":
        return isinstance(value, bool)
    if name == "service_tier":
        return isinstance(value, str)
    if name == "stop":
        listed = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
        return isinstance(value, str) or bool(listed)
    kinds = (int, float) if name in _REAL else (int,)
    return isinstance(value, kinds) and not isinstance(value, bool)


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    body: JsonObject = dict(extras.get(issuer, {}))
    notes = extras.get(noted(issuer), {})
    if elements or "messages" not in notes:
        body["messages"] = elements
    if req.model and "model" in kept:
        body["model"] = req.model
    for name, value in req.options.given():
        if name in kept:
            _say_option(body, name, value, notes.get(name))
    if req.tools and "tools" in kept:
        body["tools"] = tools_as_read(req.tools, issuer)
    if req.tool_choice is not None and "tool_choice" in kept:
        say_choice(body, req.tool_choice, notes.get("tool_choice"))
    if req.response_format is not None and "response_format" in kept:
        say_format(body, req.response_format, notes.get("format", ""))
    if "stream" in kept and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body


def _say_option(body: JsonObject, name: str, value: Any, note: str | None) -> None:
    if name == "stop":
        body["stop"] = value[0] if note == "text" else list(value)
    elif name in OPTIONS:
        body[OPTIONS[name]] = value
    elif note == _MODE:
        body[_MODE] = "reasoning"
    elif name == "reasoning":
        body["reasoning_effort"] = "none" if value == "off" else value
