"""How to generate: inferenceConfig, and the fields that each maker's models have of their own.

`can.form` names the maker's spelling, as thinking.py has it. The neutral names of options against
this protocol's; knows no message.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...capabilities import Capabilities
from ...jsontext import JsonObject, arguments
from ...losses import Report
from ...message import ChatRequest
from ...request_fields import format_name, options, response_format, within
from ...room import SayableRequest
from .thinking import UNLIMITED, think

__all__ = ["Generation", "generation"]

_KEYS = {
    "max_tokens": "maxTokens",
    "temperature": "temperature",
    "top_p": "topP",
    "stop": "stopSequences",
    "top_k": "topK",
    "service_tier": "serviceTier",
}
_TIERS = ("priority", "default", "flex", "reserved")  # service model: ServiceTierType


@dataclass(slots=True)
class Generation:
    """The parts of a body that say how to generate: `inferenceConfig` and the maker's `own`."""

    inference: JsonObject
    own: JsonObject = field(default_factory=dict)
    output: JsonObject = field(default_factory=dict)
    tier: str | None = None


def generation(say: SayableRequest, report: Report) -> Generation:
    """What the options and the response format ask for."""
    request, can = say.request, say.can
    made = Generation(options(request, _KEYS, can, report))
    inference = made.inference
    for key, name in (("temperature", "temperature"), ("topP", "top_p")):
        within(inference, key, name, (0, 1), request, report)
    made.tier = _tier(inference.pop("serviceTier", None), request, report)
    thinking = think(say, inference.get("maxTokens"), report)
    if thinking == UNLIMITED:
        _unlimited(inference, request, report)
    if (top_k := inference.pop("topK", None)) is not None:
        _top_k(top_k, made.own, request, can, report)
    made.own.update(thinking)
    _format(made.output, request, can, report)
    return made


def _tier(given: str | None, request: ChatRequest, report: Report) -> str | None:
    if given is None or given in _TIERS:
        return given
    report.lost("option.unsaid", request.options, "service_tier", what=f"service tier {given}")
    return None


def _unlimited(inference: JsonObject, request: ChatRequest, report: Report) -> None:
    """Nova 2 refuses limits and sampling at its highest effort (inspect_ai issue 3767)."""
    for name in ("max_tokens", "temperature", "top_p", "top_k"):
        if inference.pop(_KEYS[name], None) is not None:
            report.lost("option.refused", request.options, name, what=f"{name} at effort high")


def _top_k(
    value: Any, own: JsonObject, request: ChatRequest, can: Capabilities, report: Report
) -> None:
    if can.form == "nova":
        own["inferenceConfig"] = {"topK": value}
    elif can.form.startswith("claude"):
        own["top_k"] = value
    else:
        report.lost("option.unsaid", request.options, "top_k", what="top_k")


def _format(output: JsonObject, request: ChatRequest, can: Capabilities, report: Report) -> None:
    """`outputConfig.textFormat`: the schema is a text in it."""
    form = response_format(request, can, report)
    if form is None or form.kind != "schema":
        return
    schema: JsonObject = {"schema": arguments(form.schema), "name": format_name(form, report)}
    if form.description:
        schema["description"] = form.description
    if form.strict is not None:
        report.lost("format.lowered", form, "strict", did="a schema is always kept to here")
    output["textFormat"] = {"type": "json_schema", "structure": {"jsonSchema": schema}}
