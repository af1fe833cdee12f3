"""What DashScope takes under `parameters`: options, thinking, tool choice, response format.

Knows nothing of messages but their texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ResponseFormat, ToolChoice
from ...room import SayableRequest
from ...shapes import choice, options, response_format, stance

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
    "reasoning": "reasoning_effort",
    "reasoning_budget": "thinking_budget",
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
    picked = choice(say, report)
    if picked is not None:
        made["tool_choice"] = _choice(picked, "enable_thinking" in given, say, report)
        if picked.parallel is not None:
            made["parallel_tool_calls"] = picked.parallel
    form = response_format(request, can, report)
    if form is not None:
        made["response_format"] = _format(form, said)
    made.update(given)
    return made


def _think(made: JsonObject, say: SayableRequest, report: Report) -> None:
    """An effort and a budget as the model takes them: most know a switch and a budget alone."""
    given, can = say.request.options, say.can
    effort = made.pop("reasoning_effort", None)
    if effort == "off":
        made["enable_thinking"] = False
        if made.pop("thinking_budget", None) is not None:
            report.lost("option.refused", given, "reasoning_budget", did="thinking is off")
        return
    if effort is not None:
        # an effort beside a budget is refused, and the budget is the more exact of the two
        if can.options.get("reasoning_effort") == "takes" and "thinking_budget" not in made:
            made["reasoning_effort"] = effort
        else:
            report.lost("option.range", given, "reasoning", what=effort, did="thinking is on")
    if (effort is not None or "thinking_budget" in made) and stance(can, "reasoning") == "takes":
        made["enable_thinking"] = True


def _choice(picked: ToolChoice, switched: bool, say: SayableRequest, report: Report) -> Any:
    if picked.mode != "tool":
        return picked.mode
    if switched and say.request.options.reasoning != "off":
        # a forced tool is refused in thinking mode
        report.lost("tool_choice.lowered", say.request.tool_choice, "mode", what="tool", did="auto")
        return "auto"
    return {"type": "function", "function": {"name": picked.name}}


def _format(form: ResponseFormat, said: list[JsonObject]) -> JsonObject:
    if form.kind == "text":
        return {"type": "text"}
    if form.kind == "json":
        if not any("json" in text.lower() for text in _texts(said)):
            raise WriteError(
                "the response format json needs the word JSON in a message",
                path="$.response_format",
                hint='say what the JSON shall hold, e.g. "Answer in JSON."',
                code="format.json_word",
            )
        return {"type": "json_object"}
    made: JsonObject = {"name": form.name, "schema": form.schema}
    if form.description:
        made["description"] = form.description
    if form.strict is not None:
        made["strict"] = form.strict
    return {"type": "json_schema", "json_schema": made}


def _texts(messages: list[JsonObject]) -> Iterator[str]:
    for message in messages:
        content = message["content"]
        if isinstance(content, str):
            yield content
        else:
            yield from (part["text"] for part in content if part.get("text"))
