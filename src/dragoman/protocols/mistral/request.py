"""The options of a request, and the two ways to ask for thinking.

Reference: Mistral API, "Chat Completion", request body.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest
from ...text.json_text import JsonObject
from .. import reasoning
from ..chat_like.protocol import ChatRoom
from .fields import PROMPT_MODE

CHOICES = {"auto": "auto", "none": "none", "any": "required", "required": "required"}

# RequestedServiceTier of the SDK; answers call the second one standard
_TIERS = {"auto": "auto", "standard_only": "standard_only", "standard": "standard_only"}

# ReasoningEffort of the SDK
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")


def read_thinking(room: ChatRoom, body: JsonObject, notes: JsonObject) -> dict[str, Any]:
    """Take the effort, or the wish to think, out of the body."""
    effort = body.get("reasoning_effort")
    if isinstance(effort, str) and effort and effort != "off":
        del body["reasoning_effort"]
        return {"reasoning": "off" if effort == "none" else effort}
    if body.get(PROMPT_MODE) == "reasoning":
        del body[PROMPT_MODE]
        notes["reasoning"] = PROMPT_MODE
        return {"reasoning": "on"}
    return {}


def thinking_as_read(
    room: ChatRoom, body: JsonObject, name: str, value: Any, notes: JsonObject
) -> None:
    """Put the effort, or the wish to think, into the body."""
    if "reasoning" in notes:
        body[PROMPT_MODE] = "reasoning"
    elif name == "reasoning":
        body["reasoning_effort"] = "none" if value == "off" else value


def write_options(
    room: ChatRoom, request: ChatRequest, caps: Capabilities, report: Report
) -> JsonObject:
    """Write the options in their ranges; `reasoning_effort` is how thinking is asked for."""
    body = ChatRoom.write_options(room, request, caps, report)
    if (tier := body.pop("service_tier", None)) in _TIERS:
        body["service_tier"] = _TIERS[tier]
    elif tier is not None:
        report.add_loss(
            "option.unsupported", request.options, "service_tier", what=f"service tier {tier}"
        )
    if (thinking := reasoning.resolve_thinking(request, caps, report, False, _EFFORTS)) is None:
        return body
    effort = "none" if thinking.off else thinking.effort
    if effort is None and caps.thinks == "on_request":  # thinking is turned on, without an effort
        effort = caps.efforts[-1] if caps.efforts else None
    if effort is not None:
        body["reasoning_effort"] = effort
    elif caps.thinks == "on_request":
        reasoning.report_unsupported(request, report)
    else:
        reasoning.moot(request, report)
    return body
