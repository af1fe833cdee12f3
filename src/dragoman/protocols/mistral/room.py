"""The room: the whole request of Mistral's chat completions.

Reference: Mistral API, "Chat Completion", request body.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ChatRequest, ServerTool, Tool, ToolChoice
from ...reasoning import asked
from ...request_fields import choice, options, response_format, spelled_format, within
from ...room import Bound, Reader, Request, SayableRequest
from ...seats import Seated
from ...shapes import function_tool, replay
from .dialect import CAN, Dialect
from .reader import MistralReader
from .writer import messages

__all__ = ["Mistral"]

_KEYS = {
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
# RequestedServiceTier of the SDK; an answer calls the second one standard
_TIERS = {"auto": "auto", "standard_only": "standard_only", "standard": "standard_only"}
_WARMEST = 1.5
_MODES = {"auto": "auto", "none": "none", "required": "any"}


class Mistral(Bound[Dialect]):
    """Mistral's chat completions."""

    __slots__ = ()
    protocol = "mistral"
    carries = CAN
    spoken = Dialect

    def messages(self, seated: Seated, can: Capabilities, report: Report) -> list[JsonObject]:
        """The `messages` of the request."""
        return messages(seated, can, report)

    def tools(
        self, tools: Sequence[Tool | ServerTool], can: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools."""
        return [_function(tool, can, report) for tool in tools]

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        kind = payload.get("object")
        said = kind is None or (isinstance(kind, str) and kind.startswith("chat.completion"))
        return said and isinstance(payload.get("choices"), list)

    def reader(self, can: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return MistralReader(self.dialect)

    def write(self, say: SayableRequest, report: Report) -> Request:
        """The body of `POST /v1/chat/completions`."""
        request, can = say.request, say.can
        body: JsonObject = {"model": say.model}
        body["messages"] = self.messages(say.seated, can, report)
        if say.offered:
            body["tools"] = self.tools(say.offered, can, report)
        picked = choice(say, report)
        if picked is not None:
            body["tool_choice"] = _choice(picked)
            if picked.parallel is not None:
                body["parallel_tool_calls"] = picked.parallel
        if (form := response_format(request, can, report)) is not None:
            body["response_format"] = spelled_format(form, report)
        body.update(_options(request, can, report))
        if request.stream:
            body["stream"] = True
        replay(body, request, can, report)
        return Request(self.dialect.path, {}, body)


def _function(tool: Tool | ServerTool, can: Capabilities, report: Report) -> JsonObject:
    if type(tool) is not Tool:
        raise WriteError(f"{tool.type} tools have no place here", path="$.tools", code="tool.type")
    return function_tool(tool, can, report)


def _choice(picked: ToolChoice) -> Any:
    if picked.mode == "tool":
        return {"type": "function", "function": {"name": picked.name}}
    return _MODES[picked.mode]


def _options(request: ChatRequest, can: Capabilities, report: Report) -> JsonObject:
    made = options(request, _KEYS, can, report)
    within(made, "temperature", "temperature", (0, _WARMEST), request, report)
    if (tier := made.pop("service_tier", None)) in _TIERS:
        made["service_tier"] = _TIERS[tier]
    elif tier is not None:
        report.lost("option.unsaid", request.options, "service_tier", what=f"service tier {tier}")
    want = asked(request, can, report)
    if want is None:
        return made
    effort = "none" if want.off else want.effort
    if effort is None and can.thinks == "asked":  # thinking is on, however much of it
        effort = can.efforts[-1] if can.efforts else None
    if effort is not None:
        made["reasoning_effort"] = effort
    return made
