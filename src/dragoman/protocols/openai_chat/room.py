"""The room: the whole request of Chat Completions.

Reference: OpenAI API, "Create chat completion", request body.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ResponseFormat, Tool, ToolChoice
from ...room import Bound, Request, SayableRequest
from ...seats import Seated
from ...shapes import choice, function_tool, options, replay, response_format
from .dialect import CAN, Dialect
from .writer import messages

__all__ = ["OpenAIChat"]

_KEYS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "seed": "seed",
    "stop": "stop",
    "n": "n",
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
    "service_tier": "service_tier",
    "user": "user",
    "reasoning": "reasoning_effort",
}


class OpenAIChat(Bound[Dialect]):
    """Chat Completions in one vendor's dialect."""

    __slots__ = ("_keys",)
    protocol = "openai-chat"
    carries = CAN
    spoken = Dialect

    def __init__(self, dialect: Dialect | None = None) -> None:
        super().__init__(dialect)
        self._keys = {**_KEYS, "max_tokens": self.dialect.max_tokens_key}

    def messages(self, seated: Seated, can: Capabilities, report: Report) -> list[JsonObject]:
        """The `messages` of the request."""
        return messages(seated, can, self.dialect)

    def tools(self, tools: list[Tool], can: Capabilities, report: Report) -> list[JsonObject]:
        """Function tools."""
        return [function_tool(tool, can, report) for tool in tools]

    def write(self, say: SayableRequest, report: Report) -> Request:
        """The body of `POST /chat/completions`."""
        request, can = say.request, say.can
        body: JsonObject = {"model": say.model}
        body["messages"] = self.messages(say.seated, can, report)
        if say.tools:
            body["tools"] = self.tools(say.tools, can, report)
        picked = choice(say, report)
        if picked is not None:
            body["tool_choice"] = _choice(picked)
            if picked.parallel is not None:
                body["parallel_tool_calls"] = picked.parallel
        if (form := response_format(request, can, report)) is not None:
            body["response_format"] = _format(form)
        body.update(options(request, self._keys, can, report))
        if body.get("reasoning_effort") == "off":
            body["reasoning_effort"] = "none"
        if request.stream:
            body["stream"] = True
        replay(body, request, can, report)
        return Request(self.dialect.path, {}, body)


def _choice(picked: ToolChoice) -> Any:
    if picked.allowed:
        mode = "required" if picked.mode == "required" else "auto"
        listed = [{"type": "function", "function": {"name": name}} for name in picked.allowed]
        return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": listed}}
    if picked.mode == "tool":
        return {"type": "function", "function": {"name": picked.name}}
    return picked.mode


def _format(form: ResponseFormat) -> JsonObject:
    if form.kind != "schema":
        return {"type": "json_object" if form.kind == "json" else "text"}
    made: JsonObject = {"name": form.name, "schema": form.schema}
    if form.description:
        made["description"] = form.description
    if form.strict is not None:
        made["strict"] = form.strict
    return {"type": "json_schema", "json_schema": made}
