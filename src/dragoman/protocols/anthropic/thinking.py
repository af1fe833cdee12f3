"""How thinking is asked for: `thinking`, and the effort in `output_config`.

Reference: Anthropic docs, "Adaptive thinking", "Extended thinking", "Preserved thinking".
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...reasoning import Asked, asked, begun_without
from ...request_fields import within
from ...room import SayableRequest

__all__ = ["budget_of", "dropping", "think", "wanted"]

_BINDING = "thinking-binding-controls-2026-08-01"
_USUAL = 8192  # tokens for a model that takes a budget alone, where none is named
_LEAST = 1024
# docs, "Extended thinking": what top_p may be while the model thinks
_TOP_P = (0.95, 1.0)


def wanted(say: SayableRequest, report: Report) -> Asked | None:
    """What is asked of the model, as far as the history lets it think.

    By a budget it thinks from the start of a round of tools or not at all: 400 "a final `assistant`
    message must start with a thinking block".
    """
    given = say.request.options
    made = asked(say.request, say.can, report)
    if not budget_of(made, say.can) or not begun_without(say.seated):
        return made
    name = "reasoning" if given.reasoning_budget is None else "reasoning_budget"
    report.lost("reasoning.off_for_history", given, name, did="no thinking")
    return None


def budget_of(given: Asked | None, can: Capabilities) -> int:
    """Tokens of thinking that are asked for by number; 0 if the model decides, or does not think.

    A negative budget leaves it to the model.
    """
    if given is None or given.off:
        return 0
    if given.budget is not None and given.budget > 0:
        return given.budget
    return _USUAL if can.form == "budget" else 0


def think(body: JsonObject, given: Asked, say: SayableRequest, report: Report) -> None:
    """Put what is asked for into the body."""
    form = say.can.form
    if given.off:
        body["thinking"] = {"type": "between_tools" if form == "between_tools" else "disabled"}
        if form == "between_tools" and say.offered:
            report.lost("reasoning.always", say.request.options, "reasoning", what="off",
                        did="between tool calls alone")  # fmt: skip
        return
    if budget := budget_of(given, say.can):
        fits = _fitting(budget, body["max_tokens"], say, report)
        if fits is not None:
            body["thinking"] = {"type": "enabled", "budget_tokens": fits}
    else:
        body["thinking"] = {"type": "adaptive"}
    if given.effort is not None:
        body["output_config"] = {"effort": given.effort, **body.get("output_config", {})}
    if "thinking" in body:
        within(body, "top_p", "top_p", _TOP_P, say.request, report)


def dropping(body: JsonObject) -> list[str]:
    """Have the provider drop the thinking that fails its check; the betas that it needs."""
    # the default of every model that binds thinking, said because the switch stands inside of it
    thinking = body.get("thinking", {"type": "adaptive"})
    binding = {"prefix_mismatch_behavior": "drop_block"}
    body["thinking"] = {**thinking, "block_binding": binding}
    return [_BINDING]


def _fitting(budget: int, most: int, say: SayableRequest, report: Report) -> int | None:
    """Tokens of thinking under the maximum of the answer; None where there is no place for any."""
    fits = max(_LEAST, min(budget, most - 1))
    given = say.request.options
    name = "reasoning" if given.reasoning_budget is None else "reasoning_budget"
    if fits >= most:
        report.lost("option.refused", given, name, did="no thinking")
        return None
    if fits != budget:
        report.lost("option.range", given, name, did=f"sent as {fits} tokens")
    return fits
