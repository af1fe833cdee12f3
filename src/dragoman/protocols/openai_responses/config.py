"""How to answer: options, reasoning, the form of the text, and what an answer shall include.

The neutral names of options against this protocol's; knows no message.
"""

from __future__ import annotations

from math import inf

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ChatRequest, ResponseFormat
from ...reasoning import Asked, asked, moot
from ...request_fields import format_name, options, usual_tier, within
from .dialect import Dialect

__all__ = ["ENCRYPTED", "LOGPROBS", "generation", "reasoning", "text"]

ENCRYPTED = "reasoning.encrypted_content"
LOGPROBS = "message.output_text.logprobs"

_KEYS = {
    "max_tokens": "max_output_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_logprobs": "top_logprobs",
    "logprobs": "logprobs",
    "service_tier": "service_tier",
    "user": "user",
}
# The API answers 400 to less: integer_below_min_value.
_LEAST = 16
_LONGEST_USER = 128
_LEVELS = ("minimal", "low", "medium", "high", "xhigh", "max")  # ReasoningEffort of the SDK


def generation(
    request: ChatRequest, can: Capabilities, dialect: Dialect, report: Report
) -> JsonObject:
    """The options that stand in the body itself; `logprobs` is one of them until it is included."""
    made = options(request, _KEYS, can, report)
    within(made, "max_output_tokens", "max_tokens", (_LEAST, inf), request, report)
    within(made, "top_p", "top_p", (0, 1), request, report)
    usual_tier(made, "default", request, report)
    user = made.pop("user", None)
    if user is not None and len(user) > _LONGEST_USER:
        what = f"user of {len(user)} characters"
        report.lost("option.refused", request.options, "user", what=what, did="left out")
    elif user is not None:
        made[dialect.user_key] = user
    return made


def reasoning(request: ChatRequest, can: Capabilities, report: Report) -> JsonObject:
    """`{"effort"}`; empty where nothing is asked for."""
    given = asked(request, can, report, budgets=False, levels=_LEVELS)
    if given is None:
        return {}
    if given.off:
        return {"effort": "none"}
    if given == Asked() and can.thinks == "asked" and request.options.reasoning != "auto":
        return {"effort": "medium"}  # what the API takes for models that think unasked
    if given.effort is None:
        moot(request, report)
        return {}
    return {"effort": given.effort}


def text(form: ResponseFormat, report: Report) -> JsonObject:
    """`{"format": ...}`, flat: the schema stands beside its name."""
    if form.kind != "schema":
        return {"format": {"type": "json_object" if form.kind == "json" else "text"}}
    made: JsonObject = {"type": "json_schema", "name": format_name(form, report)}
    made["schema"] = form.schema
    if form.description:
        made["description"] = form.description
    if form.strict is not None:
        made["strict"] = form.strict
    return {"format": made}
