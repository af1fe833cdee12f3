"""Tool choice, response format and options of a request, reduced to what the wire takes.

Pure functions over the tree, which name no wire. Thinking is in `reasoning`. The options themselves
are `Options` in `message/options.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from ..capabilities import Capabilities
from ..capabilities.name_rules import NameRule, mapping
from ..losses import Report
from ..losses.codes.code import Kind
from ..message import ChatRequest, ResponseFormat, ServerTool, Tool, ToolChoice
from ..message.blocks import NOTES
from ..message.options import NO_OPTIONS, OPTION_KINDS
from ..text.json_text import Json, JsonObject
from .base import PreparedRequest
from .body_fields import Limits
from .schemas import lower_schema


def choice(
    prepared: PreparedRequest, report: Report, tools: Sequence[object] | None = None
) -> ToolChoice | None:
    """Return the tool choice in the wire's names, reduced to what the wire takes.

    Args:
        prepared: The request after the passes.
        report: Gets a loss if the choice is changed or dropped.
        tools: The tools that can be chosen; all that are offered, unless given.

    Returns:
        The choice; None if nothing needs to be written.
    """
    request, caps = prepared.request, prepared.caps
    requested = request.tool_choice
    if requested is None:
        return None
    if not (prepared.offered if tools is None else tools):
        # if no tools are offered, no choice is needed
        if caps.none_by != "withholding" or requested.mode != "none":
            usual: Kind | None = "expected" if requested.mode == "auto" else None
            report.add_loss("tool_choice.no_tools", requested, kind=usual)
            if requested.parallel is not None and _apart(request):
                report.add_loss("tool_choice.no_tools", requested, "parallel", kind=usual)
        return None
    if not caps.tool_choices:
        report.add_loss("tool_choice.unsupported", requested, what=requested.mode)
        _parallel(prepared, requested, report)
        return None
    mode, name, allowed = requested.mode, requested.name, requested.allowed
    candidates = (name or "", *allowed)
    wire_names = {candidate: prepared.names.get(candidate, candidate) for candidate in candidates}
    offered = {tool.name for tool in prepared.tools} | _chosen_by_kind(prepared)
    if name is not None and wire_names[name] not in offered:
        report.add_loss("tool_choice.unknown", requested, "name", what=name, did="auto")
        mode, name = "auto", None
    if unknown := [tool for tool in allowed if wire_names[tool] not in offered]:
        report.add_loss("tool_choice.unknown", requested, "allowed", what=", ".join(unknown))
        allowed = tuple(tool for tool in allowed if tool not in unknown)
    if mode not in caps.tool_choices:
        mode, name = _lower_choice(mode, name, prepared, report), None
    if mode in ("none", "tool"):  # no tool remains to be allowed
        allowed = ()
    if allowed and "allowed" not in caps.tool_choices:
        report.add_loss("tool_choice.lowered", requested, "allowed", did="all tools are offered")
        allowed = ()
    parallel = _parallel(prepared, requested, report)
    names = tuple(wire_names[tool] for tool in allowed)
    return ToolChoice(mode, None if name is None else wire_names[name], names, parallel)


def _parallel(prepared: PreparedRequest, requested: ToolChoice, report: Report) -> bool | None:
    """Return whether calls may run in parallel, if the wire has fields for that and for choices."""
    caps = prepared.caps
    if requested.parallel is None or (caps.parallel_switch and caps.tool_choices):
        return requested.parallel
    if caps.tool_choices or _apart(prepared.request):  # otherwise the loss of the choice covers it
        report.add_loss("tool_choice.lowered", requested, "parallel", did="left to the model")
    return None


def _chosen_by_kind(prepared: PreparedRequest) -> set[str]:
    """Return the kinds of the offered provider tools that a choice may name."""
    kinds: set[str] = {tool.kind for tool in prepared.offered if type(tool) is ServerTool}
    return kinds & prepared.caps.server_choices & prepared.caps.server_tools


def _lower_choice(
    mode: str, name: str | None, prepared: PreparedRequest, report: Report
) -> Literal["auto", "required"]:
    """Return the wire's substitute for a mode that it does not take."""
    caps = prepared.caps
    if mode == "tool" and "required" in caps.tool_choices and not caps.tool_stubs:
        return "required"  # only the named tool is offered
    field = "mode" if name is None else ""  # the name is dropped together with the mode
    report.add_loss(
        "tool_choice.lowered", prepared.request.tool_choice, field, what=mode, did="auto"
    )
    return "auto"


def _apart(request: ChatRequest) -> bool:
    """Whether the switch for parallel calls is outside of the choice in the body."""
    extras = (request.extras or {}).items()
    separate = any(
        issuer.endswith(NOTES) and notes.get("tool_choice") == "unsaid" for issuer, notes in extras
    )
    return request.read is not None and not separate


def response_format(
    request: ChatRequest, caps: Capabilities, report: Report
) -> ResponseFormat | None:
    """Return the response format, reduced to what the wire takes; None if none is written."""
    form = request.response_format
    if form is None:
        return None
    if form.kind in caps.formats:
        return fitting_schema(form, caps, report) if form.kind == "schema" else form
    if form.kind == "schema" and "json" in caps.formats:
        report.add_loss("format.lowered", form, "kind", what="schema", did="json")
        return ResponseFormat("json")
    lower_to_words(form, report)
    return None


def lower_to_words(form: ResponseFormat, report: Report) -> None:
    """Report a format that has no field; all but plain text are asked for in the prompt."""
    kind: Kind = "dropped" if form.kind == "text" else "degraded"
    report.add_loss("format.unsupported", form, what=form.kind, kind=kind)


def fitting_schema(form: ResponseFormat, caps: Capabilities, report: Report) -> ResponseFormat:
    """Return the format with its schema as the wire takes it, which may not be strict."""
    assert form.schema is not None  # the kind guarantees it
    schema, strict = lower_schema(form, form.schema, form.strict, caps, report)
    if schema is form.schema and strict is form.strict:
        return form
    changed = replace(form, schema=schema, strict=strict)
    if caps.format_schema != "plain" or schema is not form.schema:
        report.record_copy(changed, form)
    return changed


def format_unsaid(form: ResponseFormat, report: Report, *expected: str) -> None:
    """Report the fields of a schema's format that the wire has no place for."""
    given = {
        "name": form.name != "response",
        "description": bool(form.description),
        "strict": form.strict is not None,
    }
    for name, current in given.items():
        if current and name not in expected:
            report.add_loss("format.field", form, name)


def format_name(form: ResponseFormat, report: Report) -> str:
    """Return the name of a schema in the form that APIs take, which is that of tool names."""
    name = mapping([form.name], NameRule()).get(form.name, form.name)
    if name != form.name:
        report.add_loss("name.mapped", form, "name", did=f"written as {name}")
    return name


def option_value(name: str, value: Json) -> Any:
    """Return JSON as the value of an option, most of which are numbers; None for another type."""
    if name == "stop":
        texts = [value] if isinstance(value, str) else value
        are_texts = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        return tuple(texts) or None if are_texts else None
    kinds = OPTION_KINDS.get(name, (int,))
    fits = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
    return value if fits else None


def stance(caps: Capabilities, name: str) -> str:
    """Return how the model treats an option: takes, ignores, pinned or refuses."""
    return caps.options.get(name, "takes")


# The defaults of every model: nothing is lost by leaving them out.
_USUAL_VALUES: dict[str, Any] = {
    "n": 1,
    "logprobs": False,
    "top_logprobs": 0,
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "repetition_penalty": 1,
    "top_p": 1,
}


def options(
    request: ChatRequest, keys: Mapping[str, str], caps: Capabilities, report: Report
) -> JsonObject:
    """Return the options under this wire's keys; report those that it lacks or the model refuses.

    Thinking is not among them: see `reasoning.resolve_thinking`.
    """
    body: JsonObject = {}
    if request.options is NO_OPTIONS:
        return body
    for name, value in request.options.list_values():
        if name in ("reasoning", "reasoning_budget") or (name == "thoughts" and name in keys):
            continue
        usual: Kind | None = "expected" if _USUAL_VALUES.get(name, ()) == value else None
        if name not in keys:
            report.add_loss("option.unsupported", request.options, name, what=name, kind=usual)
        elif (treatment := stance(caps, name)) in ("refuses", "pinned"):
            report.add_loss("option.refused", request.options, name, what=name, kind=usual)
        elif treatment == "alone" and keys.get("temperature") in body:
            report.add_loss("option.refused", request.options, name, what=name, did="left out")
        elif name == "stop" and not all(value):  # an empty text ends nothing, and is refused
            report.add_loss("option.range", request.options, name, did="without empty ones")
            if remaining := [text for text in value if text]:
                body[keys[name]] = remaining
        elif value != ():
            body[keys[name]] = list(value) if isinstance(value, tuple) else value
            if treatment == "ignores":
                report.add_loss("option.ignored", request.options, name, what=name, did="sent")
    return body


def within(
    body: JsonObject, key: str, name: str, limits: Limits, request: ChatRequest, report: Report
) -> None:
    """Move the option `name`, which `body` holds under `key`, into the range that is taken."""
    value = body.get(key)
    if value is None or limits[0] <= value <= limits[1]:
        return
    body[key] = limits[0] if value < limits[0] else limits[1]
    report.add_loss(
        "option.range", request.options, name, what=f"{value}", did=f"sent as {body[key]}"
    )


# The default tier, by the names that hosts give it in requests and in answers.
_USUAL = ("standard_only", "standard", "on_demand")


def usual_tier(body: JsonObject, usual: str, request: ChatRequest, report: Report) -> None:
    """Replace another host's name of the default service tier by this wire's."""
    tier = body.get("service_tier")
    if tier in _USUAL and tier != usual:
        body["service_tier"] = usual
        report.add_loss("option.range", request.options, "service_tier", tier, f"sent as {usual}")


def stubs(prepared: PreparedRequest, report: Report) -> list[Tool]:
    """Return bare declarations of the tools in the history, for wires that require them."""
    caps = prepared.caps
    if prepared.offered or not caps.tool_stubs or not caps.tool_messages:
        return []
    names = list(dict.fromkeys(prepared.names.get(name, name) for name in prepared.history.names))
    if names:
        report.add_loss("tools.stub", prepared.request, "tools", did=", ".join(names))
    return [Tool(name) for name in names]
