"""How thinking is asked for: each maker has fields of its own in additionalModelRequestFields.

`can.form` names the spelling: claude-budget, claude-adaptive, nova, gpt-oss; empty: there is none.
Reference: Bedrock user guide, model parameters; recorded requests of each.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import Options
from ...reasoning import Asked, asked, begun_without, moot, unsaid
from ...room import SayableRequest

__all__ = ["UNLIMITED", "think"]

_USUAL = 8192  # tokens for a model that takes a budget alone, where none is named
_LEAST = 1024
# what Nova 2 refuses all limits and sampling beside (inspect_ai issue 3767)
UNLIMITED: JsonObject = {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}


def think(say: SayableRequest, most: int | None, report: Report) -> JsonObject:
    """The fields that ask for it; `most`: the maximum of the answer, if one is set."""
    want = asked(say.request, say.can, report)
    if want is None:
        return {}
    form, effort = say.can.form, want.effort
    if form.startswith("claude"):
        return _claude(want, say, most, report)
    if form == "nova" and want.off:
        return {"reasoningConfig": {"type": "disabled"}}
    if form == "nova":
        level = effort or say.can.efforts[0]
        if effort is None:
            _changed(say, f"sent as {level}", report)
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": level}}
    if form == "gpt-oss" and effort is not None:
        return {"reasoning_effort": effort}
    if _anyhow(want, say.can):
        moot(say.request, report)
    else:
        unsaid(say.request, report)
    return {}


def _claude(want: Asked, say: SayableRequest, most: int | None, report: Report) -> JsonObject:
    """`thinking`, and the effort in `output_config`."""
    if want.off:
        return {"thinking": {"type": "disabled"}}
    budget = want.budget
    if budget is None and say.can.form == "claude-budget":
        budget = _USUAL
    if budget is None:
        made: JsonObject = {"thinking": {"type": "adaptive"}}
        if want.effort is not None:
            made["output_config"] = {"effort": want.effort}
        return made
    if begun_without(say.seated):
        # the last turn of the assistant before results must begin with its thinking
        given = say.request.options
        report.lost("reasoning.off_for_history", given, _name(given), did="no thinking")
        return {}
    fits = _within(budget, say, most, report)
    return {} if fits is None else {"thinking": {"type": "enabled", "budget_tokens": fits}}


def _within(budget: int, say: SayableRequest, most: int | None, report: Report) -> int | None:
    """Tokens of thinking under the maximum of the answer; None where there is no place for any."""
    fits = max(_LEAST, budget if most is None else min(budget, most - 1))
    if most is not None and fits >= most:
        given = say.request.options
        report.lost("option.refused", given, _name(given), did="no thinking")
        return None
    if fits != budget:
        _changed(say, f"sent as {fits} tokens", report)
    return fits


def _anyhow(want: Asked, can: Capabilities) -> bool:
    """Whether the model does what is asked for without being told."""
    return want.off if can.thinks == "asked" else want == Asked()


def _changed(say: SayableRequest, did: str, report: Report) -> None:
    given = say.request.options
    report.lost("option.range", given, _name(given), did=did)


def _name(given: Options) -> str:
    return "reasoning" if given.reasoning_budget is None else "reasoning_budget"
