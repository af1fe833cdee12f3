"""The fields of a request: read into the tree, written as they were read, and composed.

Reference: Mistral API, "Chat Completion", request body; "Tool", "ToolChoice", "ResponseFormat".
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, Options, Origin
from ..chat_request import (
    format_as_read,
    read_choice,
    read_choice_value,
    read_envelope,
    read_format,
    read_tools,
    tool_as_read,
    write_choice,
    write_envelope,
)
from ..chat_shape import issuer_extras, read_messages
from ..reasoning import asked, moot, unsaid
from ..request_fields import option_value, options, within
from .messages import read_message

CHOICES = {"auto": "auto", "none": "none", "any": "required", "required": "required"}

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
_LIMITS = {"temperature": (0, 1.5), "top_p": (0, 1)}

# RequestedServiceTier of the SDK; an answer calls the second one standard
_TIERS = {"auto": "auto", "standard_only": "standard_only", "standard": "standard_only"}

PROMPT_MODE = "prompt_mode"  # an older way to ask for thinking


def read_request(body: JsonObject, issuer: str) -> ChatRequest:
    """The request of a body. Fields that no node models are its extras."""
    unknown = dict(body)
    notes: JsonObject = {}
    entries, model, stream = read_envelope(unknown, notes)
    origin = Origin(issuer, model)
    choice = read_choice_value(unknown.get("tool_choice"), CHOICES)
    req = ChatRequest(
        read_messages(entries, lambda entry, index: read_message(entry, issuer, origin, index)),
        tools=read_tools(unknown, issuer),
        tool_choice=read_choice(unknown, notes, choice),
        options=_read_options(unknown, notes),
        response_format=read_format(unknown, notes, lone_type=False),
        model=model,
        stream=stream,
    )
    req.extras = issuer_extras(issuer, unknown, notes)
    return req


def body_as_read(
    req: ChatRequest, fields: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body that `read_request` read, with those of `fields` and those nobody models."""
    body, notes = write_envelope(req, fields, elements, issuer)
    for name, value in req.options.given():
        if name in fields:
            _option_as_read(body, name, value, notes.get(name))
    if req.tools and "tools" in fields:
        body["tools"] = [tool_as_read(tool, issuer) for tool in req.tools]
    if req.tool_choice is not None and "tool_choice" in fields:
        write_choice(body, req.tool_choice, CHOICES, notes.get("tool_choice"))
    if req.response_format is not None and "response_format" in fields:
        format_as_read(body, req.response_format, notes)
    return body


def _read_options(body: JsonObject, notes: JsonObject) -> Options:
    values: dict[str, Any] = {}
    for name, key in OPTIONS.items():
        if (value := option_value(name, body.get(key))) is not None:
            values[name] = value
            if isinstance(body.pop(key), str) and name == "stop":
                notes["stop"] = "text"
    effort = body.get("reasoning_effort")
    if isinstance(effort, str) and effort and effort != "off":
        values["reasoning"] = "off" if effort == "none" else effort
        del body["reasoning_effort"]
    elif body.get(PROMPT_MODE) == "reasoning":
        del body[PROMPT_MODE]
        values["reasoning"], notes["reasoning"] = "on", PROMPT_MODE
    return Options(**values)


def _option_as_read(body: JsonObject, name: str, value: Any, note: str | None) -> None:
    if name == "stop":
        body["stop"] = value[0] if note == "text" else list(value)
    elif name in OPTIONS:
        body[OPTIONS[name]] = value
    elif note == PROMPT_MODE:
        body[PROMPT_MODE] = "reasoning"
    elif name == "reasoning":
        body["reasoning_effort"] = "none" if value == "off" else value


def write_options(request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
    """The options in their ranges, with `reasoning_effort`, the one way to ask for thinking."""
    body = options(request, OPTIONS, caps, report)
    for name, limits in _LIMITS.items():
        within(body, name, name, limits, request, report)
    if (tier := body.pop("service_tier", None)) in _TIERS:
        body["service_tier"] = _TIERS[tier]
    elif tier is not None:
        report.lost("option.unsaid", request.options, "service_tier", what=f"service tier {tier}")
    if (thinking := asked(request, caps, report, budgets=False)) is None:
        return body
    effort = "none" if thinking.off else thinking.effort
    if effort is None and caps.thinks == "asked":  # thinking is on, however much of it
        effort = caps.efforts[-1] if caps.efforts else None
    if effort is not None:
        body["reasoning_effort"] = effort
    elif caps.thinks == "asked":
        unsaid(request, report)
    else:
        moot(request, report)
    return body
