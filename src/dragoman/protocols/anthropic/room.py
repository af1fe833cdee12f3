"""The room: the whole request of the Messages API.

Reference: Anthropic API, "Create a Message": `system` stands apart, `max_tokens` is required.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ChatRequest, Tool, ToolChoice
from ...room import Bound, Request, SayableRequest
from ...seats import Seated
from ...shapes import choice, head, options, parameters, replay, response_format
from .dialect import CAN, Dialect
from .writer import blocks, cache_control, messages

__all__ = ["Anthropic"]

_KEYS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop": "stop_sequences",
    "service_tier": "service_tier",
    "user": "metadata",
    "reasoning": "reasoning",
    "reasoning_budget": "reasoning_budget",
}
_MODES = {"auto": "auto", "none": "none", "required": "any", "tool": "tool"}


class Anthropic(Bound[Dialect]):
    """The Messages API in one host's dialect."""

    __slots__ = ()
    protocol = "anthropic"
    carries = CAN
    spoken = Dialect

    def messages(self, seated: Seated, can: Capabilities, report: Report) -> list[JsonObject]:
        """The list with the system prompt in it, as `format` gives it; a request hoists it."""
        return messages(seated, can, self.dialect)

    def tools(self, tools: list[Tool], can: Capabilities, report: Report) -> list[JsonObject]:
        """Client tools: `{"name", "description", "input_schema"}`."""
        return [_tool(tool, can, report) for tool in tools]

    def write(self, say: SayableRequest, report: Report) -> Request:
        """The body of `POST /v1/messages`."""
        request, can, seated = say.request, say.can, say.seated
        body: JsonObject = {"model": say.model}
        body["max_tokens"] = self._maximum(request, can, report)
        start = head(seated)
        if start:
            body["system"] = self._system(seated, start, can)
        body["messages"] = messages(seated, can, self.dialect, start)
        if say.tools:
            body["tools"] = self.tools(say.tools, can, report)
        picked = choice(say, report)
        if picked is not None:
            body["tool_choice"] = _choice(picked)
        body.update(_options(request, can, body["max_tokens"], report))
        if request.stream:
            body["stream"] = True
        replay(body, request, can, report)
        return Request(self.dialect.path, {"anthropic-version": self.dialect.version}, body)

    def _maximum(self, request: ChatRequest, can: Capabilities, report: Report) -> int:
        given = request.options.max_tokens
        if given is None:
            most = can.max_tokens + (request.options.reasoning_budget or 0)
            report.lost("max_tokens.default", request, "options.max_tokens", did=str(most))
            return most
        return given

    def _system(self, seated: Seated, end: int, can: Capabilities) -> Any:
        said = [block for m in seated.msgs[:end] for block in blocks(m, can)]
        plain = len(said) == 1 and said[0].keys() == {"type", "text"}
        return said[0]["text"] if plain and self.dialect.text == "string" else said


def _tool(tool: Tool, can: Capabilities, report: Report) -> JsonObject:
    made: JsonObject = {"name": tool.name}
    if tool.description:
        made["description"] = tool.description
    made["input_schema"] = parameters(tool)
    if tool.strict is not None:
        made["strict"] = tool.strict
    if tool.cache is not None:
        made["cache_control"] = cache_control(tool.cache)
    return replay(made, tool, can, report)


def _choice(picked: ToolChoice) -> JsonObject:
    made: JsonObject = {"type": _MODES[picked.mode]}
    if picked.name is not None:
        made["name"] = picked.name
    if picked.parallel is not None and picked.mode != "none":
        made["disable_parallel_tool_use"] = not picked.parallel
    return made


def _options(request: ChatRequest, can: Capabilities, most: int, report: Report) -> JsonObject:
    made = options(request, _KEYS, can, report)
    made.pop("max_tokens", None)
    if "metadata" in made:
        made["metadata"] = {"user_id": made["metadata"]}
    effort, budget = made.pop("reasoning", None), made.pop("reasoning_budget", None)
    output: JsonObject = {}
    if budget is not None:
        budget = _budget(budget, most, request, report)
        if effort is not None:
            report.lost("option.unsaid", request.options, "reasoning", did="the budget decides")
    if budget is not None:
        made["thinking"] = {"type": "enabled", "budget_tokens": budget}
    elif effort == "off":
        made["thinking"] = {"type": "disabled"}
    elif effort is not None:
        made["thinking"] = {"type": "adaptive"}
        output["effort"] = effort
    form = response_format(request, can, report)
    if form is not None and form.kind == "schema":
        output["format"] = {"type": "json_schema", "schema": form.schema}
        for name in ("description", "strict"):  # a schema is always kept to here
            if getattr(form, name):
                report.lost("format.lowered", form, name, did="left out")
    if output:
        made["output_config"] = output
    return made


def _budget(budget: int, most: int, request: ChatRequest, report: Report) -> int | None:
    """Tokens of thinking in the range that the API takes: from 1024 to under the maximum."""
    fits = max(1024, min(budget, most - 1))
    if fits >= most:
        report.lost("option.refused", request.options, "reasoning_budget", did="no thinking")
        return None
    if fits != budget:
        report.lost("option.range", request.options, "reasoning_budget", did=str(fits))
    return fits
