"""What a request asks for beside its messages, lowered to what the wire takes.

Pure functions over the tree; names no wire. Thinking has a module of its own: `reasoning`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from .._core.jsontext import JsonObject
from ..capabilities import Capabilities
from ..capabilities.naming import NameRule, mapping
from ..errors import WriteError
from ..losses import Report
from ..message import ChatRequest, ResponseFormat, Tool, ToolChoice
from ..message.blocks import NOTES
from ..schema import Lowered, lowered_once, report_changes
from .base import PreparedRequest


def choice(
    prepared: PreparedRequest, report: Report, among: Sequence[object] | None = None
) -> ToolChoice | None:
    """The tool choice in wire names, lowered to what the wire takes; None if nothing is to say.

    `among`: the tools that a choice is made of here; all that are offered, unless given.
    """
    request, caps = prepared.request, prepared.caps
    given = request.tool_choice
    if given is None:
        return None
    if not (prepared.offered if among is None else among):
        if caps.none_by != "withholding" or given.mode != "none":  # else said by their absence
            report.lost("tool_choice.no_tools", given)
            if given.parallel is not None and _apart(request):
                report.lost("tool_choice.no_tools", given, "parallel")
        return None
    if not caps.tool_choices:
        report.lost("tool_choice.unsaid", given, what=given.mode)
        return None
    mode, name, allowed = given.mode, given.name, given.allowed
    spelled = prepared.names
    offered = {tool.name for tool in prepared.tools}
    if name is not None and spelled.get(name, name) not in offered:
        report.lost("tool_choice.unknown", given, "name", what=name, did="auto")
        mode, name = "auto", None
    if unknown := [one for one in allowed if spelled.get(one, one) not in offered]:
        report.lost("tool_choice.unknown", given, "allowed", what=", ".join(unknown))
        allowed = tuple(one for one in allowed if one not in unknown)
    if mode not in caps.tool_choices:
        field = "mode" if name is None else ""  # the name goes with it
        report.lost("tool_choice.lowered", given, field, what=mode, did="auto")
        mode, name = "auto", None
    if mode in ("none", "tool"):  # which says it all
        allowed = ()
    if allowed and "allowed" not in caps.tool_choices:
        report.lost("tool_choice.lowered", given, "allowed", did="all tools are offered")
        allowed = ()
    parallel = given.parallel
    if parallel is not None and not caps.parallel_switch:
        report.lost("tool_choice.lowered", given, "parallel", did="left to the model")
        parallel = None
    return ToolChoice(
        mode,
        None if name is None else spelled.get(name, name),
        tuple(spelled.get(one, one) for one in allowed),
        parallel,
    )


def _apart(request: ChatRequest) -> bool:
    """Whether a body has the switch for calls side by side at another place than the choice."""
    extras = (request.extras or {}).items()
    alone = any(issuer.endswith(NOTES) and own.get("tool_choice") == "unsaid"
                for issuer, own in extras)  # fmt: skip
    return request.read is not None and not alone


def response_format(
    request: ChatRequest, caps: Capabilities, report: Report
) -> ResponseFormat | None:
    """The response format, lowered to what the wire takes; None if there is nothing to say."""
    given = request.response_format
    if given is None:
        return None
    if given.kind in caps.formats:
        return fitting_schema(given, caps, report) if given.kind == "schema" else given
    if given.kind == "schema" and "json" in caps.formats:
        report.lost("format.lowered", given, "kind", what="schema", did="json")
        return ResponseFormat("json")
    report.lost("format.unsaid", given, what=given.kind)
    return None


def fitting_schema(form: ResponseFormat, caps: Capabilities, report: Report) -> ResponseFormat:
    """The format with its schema as the wire takes it; not strict, if no strict one can say it."""
    assert form.schema is not None  # as the kind says
    strict = form.strict
    if strict and caps.strict_schema:
        made = lowered_once(form.schema, caps.strict_schema)
        if not made.unfit:
            return _lowered(form, made, strict, report)
        why = f"{form.name}: {made.unfit}"
        report.lost("schema.unfit", form, "strict", why, "not strict", made.rule)
        strict = False
    if caps.format_schema == "plain":
        return form if strict is form.strict else replace(form, strict=strict)
    return _lowered(form, lowered_once(form.schema, caps.format_schema), strict, report)


def _lowered(
    form: ResponseFormat, made: Lowered, strict: bool | None, report: Report
) -> ResponseFormat:
    report_changes(made, report, form, "schema", form.name)
    if made.schema is form.schema and strict is form.strict:
        return form
    new = replace(form, schema=made.schema, strict=strict)
    report.made(new, form)
    return new


def format_unsaid(form: ResponseFormat, report: Report, *said: str) -> None:
    """Name the fields of a schema's format that the wire has no place for."""
    given = {"name": form.name != "response", "description": bool(form.description),
             "strict": form.strict is not None}  # fmt: skip
    for name, there in given.items():
        if there and name not in said:
            report.lost("format.field", form, name)


def format_name(form: ResponseFormat, report: Report) -> str:
    """The name of a schema as the APIs take it, which is as they take the names of tools."""
    name = mapping([form.name], NameRule()).get(form.name, form.name)
    if name != form.name:
        report.lost("name.mapped", form, "name", did=f"written as {name}")
    return name


def spelled_format(form: ResponseFormat, report: Report) -> JsonObject:
    """`{"type": "json_schema", "json_schema": {"name", "schema", ...}}`, or its type alone."""
    if form.kind != "schema":
        return {"type": "json_object" if form.kind == "json" else "text"}
    made: JsonObject = {"name": format_name(form, report), "schema": form.schema}
    if form.description:
        made["description"] = form.description
    if form.strict is not None:
        made["strict"] = form.strict
    return {"type": "json_schema", "json_schema": made}


def demand_json_word(messages: Iterable[JsonObject]) -> None:
    """Raise WriteError `format.json_word` unless a message, as it is written, speaks of JSON."""
    for message in messages:
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        if any("json" in str(part.get("text", "")).lower() for part in parts):
            return
    raise WriteError(
        "the response format json needs the word JSON in a message",
        path="$.response_format",
        hint='say what the JSON shall hold, e.g. "Answer in JSON."',
        code="format.json_word",
    )


def stance(caps: Capabilities, name: str) -> str:
    """What the model makes of an option: takes, ignores, pinned or refuses."""
    return caps.options.get(name, "takes")


def options(
    request: ChatRequest, keys: Mapping[str, str], caps: Capabilities, report: Report
) -> JsonObject:
    """The options under this wire's keys; what it lacks or the model refuses is a loss.

    Thinking is not among them: see `reasoning.asked`.
    """
    made: JsonObject = {}
    for name, value in request.options.given():
        if name in ("reasoning", "reasoning_budget"):
            continue
        if name not in keys:
            report.lost("option.unsaid", request.options, name, what=name)
        elif (how := stance(caps, name)) in ("refuses", "pinned"):
            report.lost("option.refused", request.options, name, what=name)
        elif how == "alone" and keys.get("temperature") in made:
            report.lost("option.refused", request.options, name, what=name, did="left out")
        elif name == "stop" and not all(value):  # an empty text ends nothing, and is refused
            report.lost("option.range", request.options, name, did="without empty ones")
            if kept := [text for text in value if text]:
                made[keys[name]] = kept
        elif value != ():
            made[keys[name]] = list(value) if isinstance(value, tuple) else value
            if how == "ignores":
                report.lost("option.ignored", request.options, name, what=name, did="sent")
    return made


def within(
    made: JsonObject,
    key: str,
    name: str,
    limits: tuple[float, float],
    request: ChatRequest,
    report: Report,
) -> None:
    """Bring the option `name`, which `made` holds under `key`, into the range that is taken."""
    given = made.get(key)
    if given is None or limits[0] <= given <= limits[1]:
        return
    made[key] = limits[0] if given < limits[0] else limits[1]
    report.lost("option.range", request.options, name, what=f"{given}", did=f"sent as {made[key]}")


# The tier that everybody has, by its name with Anthropic, in its answers, and with Groq.
_USUAL = ("standard_only", "standard", "on_demand")


def usual_tier(made: JsonObject, word: str, request: ChatRequest, report: Report) -> None:
    """Say the usual service tier in this wire's word, where `made` has that of another."""
    given = made.get("service_tier")
    if given in _USUAL and given != word:
        made["service_tier"] = word
        report.lost("option.range", request.options, "service_tier", given, f"sent as {word}")


def stubs(prepared: PreparedRequest, report: Report) -> list[Tool]:
    """Bare declarations of the tools that only the history names, where a wire demands some."""
    caps = prepared.caps
    if prepared.offered or not caps.tool_stubs or not caps.tool_messages:
        return []
    names = list(dict.fromkeys(prepared.names.get(name, name) for name in prepared.history.names))
    if names:
        report.lost("tools.stub", prepared.request, "tools", did=", ".join(names))
    return [Tool(name) for name in names]
