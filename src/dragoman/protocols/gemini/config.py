"""How to generate: generationConfig with the thinking in it, toolConfig, and the tools.

The neutral names of options against this protocol's; knows no message.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ChatRequest, ResponseFormat, Tool, ToolChoice
from ...shapes import options
from .dialect import Dialect
from .spelling import cased, replayed

__all__ = ["declaration", "generation", "tool_config"]

_KEYS = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "max_tokens": "maxOutputTokens",
    "stop": "stopSequences",
    "seed": "seed",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
    "n": "candidateCount",
    "logprobs": "responseLogprobs",
    "top_logprobs": "logprobs",
    "service_tier": "serviceTier",
    "reasoning": "reasoning",
    "reasoning_budget": "budget",
}
_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY", "tool": "ANY"}
# From least to most; an effort that a model lacks is raised to the next one that it has.
_EFFORTS = ("off", "none", "minimal", "low", "medium", "high", "xhigh", "max")
# Docs "OpenAI compatibility": what an effort is worth in tokens.
_BUDGETS = {"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576}
_MOST = 32768
_USUAL = "level minimal low medium high"  # for a model of which nothing is known


def generation(
    request: ChatRequest, can: Capabilities, dialect: Dialect, report: Report
) -> tuple[JsonObject, str | None]:
    """(generationConfig, serviceTier, which stands beside it)."""
    made = options(request, _KEYS, can, report)
    tier = made.pop("serviceTier", None)
    effort, budget = made.pop("reasoning", None), made.pop("budget", None)
    thinking = _thinking(request, effort, budget, can, report)
    if thinking:
        made["thinkingConfig"] = cased(thinking, dialect)
    if request.response_format is not None:
        made.update(_format(request.response_format, can, report))
    return cased(made, dialect), tier


def _thinking(
    request: ChatRequest, effort: str | None, budget: int | None, can: Capabilities, report: Report
) -> JsonObject:
    """A level or a budget: both at once are refused. `can.form` says which the model takes."""
    kind, *allowed = (can.form or _USUAL).split()
    given = request.options
    if effort is not None and budget is not None:
        lost = "reasoning_budget" if kind == "level" else "reasoning"
        report.lost("option.unsaid", given, lost, what=lost, did="one of two is sent")
        effort, budget = (effort, None) if kind == "level" else (None, budget)
    if budget is not None:
        said = _within(budget, allowed) if kind == "budget" else budget
        _ranged(request, "reasoning_budget", budget, said, report)
        return {"thinkingBudget": said}
    if effort is None or effort == "auto":
        return {}
    if kind == "budget":
        wanted = 0 if effort in ("off", "none") else _BUDGETS.get(effort, _MOST)
        said = _within(wanted, allowed)
        if wanted == 0:
            _ranged(request, "reasoning", 0, said, report)
        return {"thinkingBudget": said}
    level = _level(effort, allowed)
    if level is None:
        report.lost("option.refused", given, "reasoning", what=effort)
        return {}
    _ranged(request, "reasoning", effort, level, report)
    return {"thinkingLevel": level.upper()}


def _ranged(request: ChatRequest, name: str, given: Any, said: Any, report: Report) -> None:
    if said != given:
        report.lost("option.range", request.options, name, what=f"{given}", did=f"sent as {said}")


def _within(budget: int, allowed: list[str]) -> int:
    """The budget in the model's range; 0 (off) where it may be off, and -1 leaves it open."""
    if len(allowed) < 2 or budget == -1 or (budget == 0 and "off" in allowed):
        return budget
    return max(int(allowed[0]), min(budget, int(allowed[1])))


def _level(effort: str, levels: list[str]) -> str | None:
    if not levels or effort in levels:
        return effort
    if effort not in _EFFORTS:
        return None
    enough = _EFFORTS[_EFFORTS.index(effort) :]
    return next((level for level in levels if level in enough), levels[-1])


def _format(form: ResponseFormat, can: Capabilities, report: Report) -> JsonObject:
    if form.kind == "text":
        return {"responseMimeType": "text/plain"}
    if form.kind not in can.formats:
        report.lost("format.unsaid", form, what=form.kind)
        return {}
    if form.kind == "json":
        return {"responseMimeType": "application/json"}
    if form.description:
        report.lost("format.lowered", form, "description", did="the schema speaks for itself")
    return {"responseMimeType": "application/json", "responseJsonSchema": form.schema}


def tool_config(picked: ToolChoice, dialect: Dialect) -> JsonObject:
    """`{"functionCallingConfig": {"mode", "allowedFunctionNames"}}`."""
    mode = _MODES[picked.mode]
    names = [picked.name] if picked.name is not None else list(picked.allowed)
    if names and mode == "AUTO":
        mode = "VALIDATED"  # the one mode that takes names and leaves the choice open
    calling: JsonObject = {"mode": mode}
    if names and mode != "NONE":
        calling["allowedFunctionNames"] = names
    return cased({"functionCallingConfig": cased(calling, dialect)}, dialect)


def declaration(tool: Tool, can: Capabilities, dialect: Dialect, report: Report) -> JsonObject:
    """`{"name", "description", "parametersJsonSchema"}`; no schema where none is declared."""
    made: JsonObject = {"name": tool.name}
    if tool.description:
        made["description"] = tool.description
    if tool.schema:
        made["parametersJsonSchema"] = tool.schema
    if tool.strict is not None:
        report.lost("tool.strict", tool, "strict")
    if tool.cache is not None:
        report.lost("tool.cache", tool, "cache")
    return replayed(cased(made, dialect), tool, can, dialect, report)
