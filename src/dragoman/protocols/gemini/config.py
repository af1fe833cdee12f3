"""How to generate: generationConfig with the thinking in it, toolConfig, and the tools.

The neutral names of options against this protocol's; knows no message.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ChatRequest, ResponseFormat, ServerTool, Tool, ToolChoice
from ...reasoning import Asked, asked, moot
from ...request_fields import fitting_schema, format_unsaid, options
from ...shapes import own_extras, parameters, unsaid
from .dialect import Dialect
from .spelling import cased, replayed

__all__ = [
    "KEYS",
    "OWN",
    "calling_config",
    "declaration",
    "generation",
    "server_tool",
    "tool_config",
]

KEYS = {
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
}
# Gemini API reference, ThinkingLevel
_LEVELS = ("minimal", "low", "medium", "high", "xhigh")
_TIERS = ("standard", "flex", "priority", "unspecified")  # SDK: ServiceTier
_USUAL = ("default", "standard_only", "on_demand")  # the tier that everybody has, elsewhere
_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY", "tool": "ANY"}


def generation(
    request: ChatRequest, can: Capabilities, dialect: Dialect, report: Report
) -> tuple[JsonObject, str | None]:
    """(generationConfig, serviceTier, which stands beside it)."""
    made = options(request, KEYS, can, report)
    tier = _tier(made.pop("serviceTier", None), request, report) if made else None
    if (wanted := asked(request, can, report, levels=_LEVELS)) is not None:
        if thinking := _thinking(wanted, can):
            made["thinkingConfig"] = cased(thinking, dialect)
        else:
            moot(request, report)
    if request.response_format is not None:
        made.update(_format(request.response_format, can, report))
    return cased(made, dialect) if made else made, tier


def _tier(given: str | None, request: ChatRequest, report: Report) -> str | None:
    if given is None or given.lower() in _TIERS:
        return given
    what = f"service tier {given}"
    if given in _USUAL:
        did = "sent as standard"
        report.lost("option.range", request.options, "service_tier", what=what, did=did)
        return "standard"
    report.lost("option.unsaid", request.options, "service_tier", what=what)
    return None


def _thinking(wanted: Asked, can: Capabilities) -> JsonObject:
    """A level or a budget, for both at once are refused; none is off, -1 what the model likes."""
    if wanted.off:
        return {"thinkingBudget": 0}
    if wanted.budget is not None:
        return {"thinkingBudget": wanted.budget}
    if wanted.effort is None:
        return {"thinkingBudget": -1} if can.form == "budget" else {}
    return {"thinkingLevel": wanted.effort.upper()}


def _format(form: ResponseFormat, can: Capabilities, report: Report) -> JsonObject:
    if form.kind == "text":
        return {"responseMimeType": "text/plain"}
    if form.kind not in can.formats:
        report.lost("format.unsaid", form, what=form.kind)
        return {}
    if form.kind == "json":
        return {"responseMimeType": "application/json"}
    format_unsaid(form, report)
    schema = fitting_schema(form, can, report).schema
    key = "responseSchema" if can.format_schema.startswith("gemini-openapi") else _SCHEMA
    return {"responseMimeType": "application/json", key: schema}


# Gemini API reference, "Tool"; the stores of a file search have names such as fileSearchStores/x
OWN = {
    "web_search": "googleSearch",
    "code_execution": "codeExecution",
    "file_search": "fileSearch",
}


def server_tool(
    tool: ServerTool, can: Capabilities, dialect: Dialect, report: Report
) -> JsonObject | None:
    """`{"googleSearch": {}}` and its like: each an entry of its own beside the declarations.

    None for a search of files that has no stores.
    """
    fields: JsonObject = {}
    said = ""
    if tool.kind == "own":
        return replayed({}, tool, can, dialect, report)
    if tool.kind == "file_search" and not tool.stores and not own_extras(tool, can):
        report.lost("server_tool.unsaid", tool, what="file_search without stores")
        return None
    if tool.kind == "file_search":
        fields, said = {"fileSearchStoreNames": list(tool.stores)}, "stores"
    elif tool.kind == "web_search" and dialect.blocked_domains and tool.blocked_domains:
        fields, said = {dialect.blocked_domains: list(tool.blocked_domains)}, "blocked_domains"
    unsaid(tool, report, said)
    fields = cased(fields, dialect)
    made = cased({OWN[tool.kind]: fields}, dialect)
    return replayed(made, tool, can, dialect, report)


def tool_config(picked: ToolChoice, dialect: Dialect) -> JsonObject:
    """`{"functionCallingConfig": {"mode", "allowedFunctionNames"}}`."""
    return cased({"functionCallingConfig": cased(calling_config(picked), dialect)}, dialect)


_SCHEMA = "responseJsonSchema"
_NOTHING = {"type": "object", "properties": {}}


def calling_config(picked: ToolChoice) -> JsonObject:
    """The mode, and the names that narrow it."""
    mode = _MODES[picked.mode]
    names = [picked.name] if picked.name is not None else list(picked.allowed)
    if names and mode == "AUTO":
        mode = "VALIDATED"  # the one mode that takes names and leaves the choice open
    calling: JsonObject = {"mode": mode}
    if names and mode != "NONE":
        calling["allowedFunctionNames"] = names
    return calling


def declaration(tool: Tool, can: Capabilities, dialect: Dialect, report: Report) -> JsonObject:
    """`{"name", "description", "parametersJsonSchema"}`; no schema where none is declared."""
    made: JsonObject = {"name": tool.name}
    if tool.description:
        made["description"] = tool.description
    schema, _ = parameters(tool, can, report)
    if schema.get("properties") or (tool.schema and schema != _NOTHING):
        subset = can.tool_schema.startswith("gemini-openapi")
        made["parameters" if subset else "parametersJsonSchema"] = schema
    if tool.cache is not None:
        report.lost("tool.cache", tool, "cache")
    return replayed(cased(made, dialect), tool, can, dialect, report)
