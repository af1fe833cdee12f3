"""The fields of a request, read into the tree, and said again as they were read.

`read_request` and `body_as_read` are each other's inverse: what a field's neutral value does not
say stands in the notes (how it was spelled) or among the fields that nobody models, such as
documents, the mode of safety and that of citations. Reference: Cohere API, "Chat", request body.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import ChatRequest, Options, Origin
from ...message.blocks import noted
from ...retold import read_messages
from .fields import (
    CHOICES,
    read_choice,
    read_format,
    read_thinking,
    read_tools,
    say_format,
    say_thinking,
    say_tools,
)
from .history import read_message

__all__ = ["OPTIONS", "body_as_read", "read_request"]

# option -> its key here
OPTIONS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "p",
    "top_k": "k",
    "seed": "seed",
    "stop": "stop_sequences",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "logprobs": "logprobs",
}
_REAL = {"temperature", "top_p", "presence_penalty", "frequency_penalty"}


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
        tool_choice=read_choice(rest),
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
    if "stop" in given:
        given["stop"] = tuple(given["stop"])
    read_thinking(rest, given, notes)
    return Options(**given)


def _fits(name: str, value: Any) -> bool:
    if name == "logprobs":
        return isinstance(value, bool)
    if name == "stop":
        listed = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
        return bool(listed)
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
        if name not in kept:
            continue
        if name in OPTIONS:
            body[OPTIONS[name]] = list(value) if name == "stop" else value
        else:
            say_thinking(body, name, value, notes.get("thinking"))
    if req.tools and "tools" in kept:
        say_tools(body, req.tools, issuer)
    if req.tool_choice is not None and "tool_choice" in kept:
        words = {mode: word for word, mode in CHOICES.items()}
        body["tool_choice"] = words[req.tool_choice.mode]
    if req.response_format is not None and "response_format" in kept:
        say_format(body, req.response_format, notes.get("format"))
    if "stream" in kept and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body
