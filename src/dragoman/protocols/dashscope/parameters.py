"""What DashScope takes under `parameters`: options, thinking, tool choice, response format.

Knows nothing of messages but their texts.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...losses import Report
from ...message import ResponseFormat, ToolChoice
from ...reasoning import Asked, asked, moot
from ...request_fields import choice, demand_json_word, format_name, options, response_format
from ...room import SayableRequest
from ...shapes import replay, unsaid

__all__ = ["parameters"]

_KEYS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "repetition_penalty": "repetition_penalty",
    "seed": "seed",
    "stop": "stop",
    "n": "n",
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
}

_SWITCHES: dict[str, JsonObject] = {
    "web_search": {"enable_search": True},
    "code_execution": {"enable_code_interpreter": True},
}


def parameters(
    say: SayableRequest, tools: list[JsonObject], said: list[JsonObject], report: Report
) -> JsonObject:
    """The `parameters` of a request whose messages are `said`."""
    request, can = say.request, say.can
    made: JsonObject = {"result_format": "message"}
    if request.stream:
        # older models answer with snapshots of everything so far unless this is set
        made["incremental_output"] = True
    if tools:
        made["tools"] = tools
    given = options(request, _KEYS, can, report)
    _think(given, say, report)
    picked = choice(say, report, tools)
    if picked is not None:
        made["tool_choice"] = _choice(picked, request.tool_choice, report)
        if picked.parallel is not None:
            made["parallel_tool_calls"] = picked.parallel
    form = response_format(request, can, report)
    if form is not None:
        made["response_format"] = _format(form, said, report)
    made.update(given)
    for tool in say.server_tools:
        if tool.kind == "own":  # it stands among the tools
            continue
        made.update(_SWITCHES[tool.kind])
        if tool.domains:
            made["search_options"] = {"assigned_site_list": list(tool.domains)}
        unsaid(tool, report, "domains")
        replay(made, tool, can, report)
    return made


def _think(made: JsonObject, say: SayableRequest, report: Report) -> None:
    """A switch, and beside it an effort or a budget as the model takes them."""
    wanted = asked(say.request, say.can, report)
    if wanted is None:
        return
    if say.can.thinks != "always":  # there is no switch where nothing can be switched
        made["enable_thinking"] = not wanted.off
    elif wanted == Asked():
        moot(say.request, report)
    if wanted.effort is not None:
        made["reasoning_effort"] = wanted.effort
    if wanted.budget is not None:
        made["thinking_budget"] = wanted.budget


def _choice(picked: ToolChoice, given: object, report: Report) -> Any:
    """The word or function; the service has no word for a call that must be, nor for some tools."""
    if picked.allowed:
        report.lost("tool_choice.lowered", given, "allowed", did="all tools are offered")
    if picked.mode == "required":
        report.lost("tool_choice.lowered", given, "mode", what=picked.mode, did="auto")
        return "auto"
    if picked.mode != "tool":
        return picked.mode
    return {"type": "function", "function": {"name": picked.name}}


def _format(form: ResponseFormat, said: list[JsonObject], report: Report) -> JsonObject:
    if form.kind == "text":
        return {"type": "text"}
    if form.kind == "json":
        demand_json_word(said)
        return {"type": "json_object"}
    made: JsonObject = {"name": format_name(form, report), "schema": form.schema}
    if form.description:
        made["description"] = form.description
    if form.strict is not None:
        made["strict"] = form.strict
    return {"type": "json_schema", "json_schema": made}
