"""Options of a request, read and said again as they were read: each from the place it stood at.

`read_options` and `say_options` are each other's inverse; where there is more than one place, the
notes tell which. Reference: Amazon Bedrock API reference, "InferenceConfiguration", "OutputConfig",
"ServiceTier"; the makers' own fields in `additionalModelRequestFields`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from ..._core.jsontext import Json, JsonObject, arguments, loads
from ...capabilities import Capabilities
from ...errors import InvalidMessage, ReadError, WriteError
from ...losses import Report
from ...message import (
    ChatRequest,
    Msg,
    Options,
    Origin,
    ResponseFormat,
    ServerTool,
    Tool,
    ToolChoice,
)
from ...message.blocks import noted
from ..base import PreparedRequest
from ..chat_shape import own_tool, parameters, replay
from ..chat_shape import unsaid as chat_shape_unsaid
from ..reasoning import Asked, asked, begun_without, moot, unsaid
from ..request_fields import choice, format_name, options, response_format, stubs, within
from .blocks import cache_point, unmarked
from .messages import read_message, read_system, system_as_read

_OWN = "additionalModelRequestFields"


# option -> where it may stand; of several the first that is there
_PLACES: dict[str, tuple[str, ...]] = {
    "max_tokens": ("inferenceConfig.maxTokens",),
    "temperature": ("inferenceConfig.temperature",),
    "top_p": ("inferenceConfig.topP",),
    "top_k": (f"{_OWN}.top_k", f"{_OWN}.inferenceConfig.topK"),
    "stop": ("inferenceConfig.stopSequences",),
    "service_tier": ("serviceTier.type",),
    "reasoning_budget": (
        f"{_OWN}.thinking.budget_tokens", f"{_OWN}.reasoning_config.budget_tokens",
    ),
    "reasoning": (
        f"{_OWN}.output_config.effort", "outputConfig.effort",
        f"{_OWN}.reasoningConfig.maxReasoningEffort", f"{_OWN}.reasoning_effort",
    ),
}  # fmt: skip


_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("max_tokens", "top_k", "reasoning_budget"), (int,)),
    **dict.fromkeys(("temperature", "top_p"), (int, float)),
    **dict.fromkeys(("service_tier", "reasoning"), (str,)),
    "stop": (list,),
}


# where thinking is turned on and off: Claude's place, its other name, Nova's
_SWITCHES = (
    f"{_OWN}.thinking.type",
    f"{_OWN}.reasoning_config.type",
    f"{_OWN}.reasoningConfig.type",
)


_WORDS = {"enabled": "on", "adaptive": "on", "disabled": "off"}


def read_options(rest: JsonObject, notes: JsonObject) -> Options:
    """The options of the body; what they say is taken out of `rest`."""
    given: dict[str, Any] = {}
    switch = next((at for at in _SWITCHES if place(rest, at) in _words(rest, at)), None)
    word = place(rest, switch) if switch else None
    for name, places in _PLACES.items():
        at = next((one for one in places if _fits(name, place(rest, one))), None)
        if at is None or (name in ("reasoning", "reasoning_budget") and word == "disabled"):
            continue
        given[name] = take(rest, at)
        if at != places[0]:
            notes[name] = {"at": at}
    if switch is not None:
        # a budget and an effort both need the switch that stands beside them; alone it is enough
        name = "reasoning_budget" if "reasoning_budget" in given else "reasoning"
        if name not in given:
            given["reasoning"], notes["reasoning"] = _WORDS[take(rest, switch)], {"at": None}
        else:
            take(rest, switch)
        notes.setdefault(name, {})["with"] = {switch: word}
    if "stop" in given:
        given["stop"] = tuple(given["stop"])
    return Options(**given)


def _words(rest: JsonObject, at: str) -> Collection[str]:
    return _WORDS if isinstance(place(rest, at), str) else ()


def _fits(name: str, value: Any) -> bool:
    if not isinstance(value, _KINDS[name]) or isinstance(value, bool):
        return False
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, str) for one in value)
    return value != ""


def say_options(
    body: JsonObject, options: Options, notes: JsonObject, kept: Collection[str]
) -> None:
    """Put the options of `kept` back to where they stood."""
    for name, value in options.given():
        if name not in kept or name not in _PLACES:
            continue
        note = notes.get(name, {})
        at = note.get("at", _PLACES[name][0])
        if at is not None:
            put(body, at, list(value) if isinstance(value, tuple) else value)
        for switch, word in note.get("with", {}).items():
            put(body, switch, word)


def places_of(options: Options, notes: JsonObject) -> Iterator[tuple[str, str]]:
    """(option, the path that it was read from): all of it, where a switch stands beside it."""
    for name, _ in options.given():
        if name not in _PLACES:
            continue
        note = notes.get(name, {})
        at = note.get("at", _PLACES[name][0])
        switch = next(iter(note.get("with", ())), "")
        above = switch.rpartition(".")[0]
        if at is None:
            yield name, switch
        else:
            yield name, above if above and at.startswith(f"{above}.") else at


def place(body: JsonObject, at: str) -> Any:
    """The value at a path with dots; None if there is none."""
    value: Any = body
    for key in at.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def take(body: JsonObject, at: str) -> Json:
    """Take the value out of the body, and objects that are empty without it; the rest stays."""
    head, _, inner = at.partition(".")
    if not inner:
        return body.pop(head)
    body[head] = below = dict(body[head])
    value = take(below, inner)
    if not below:
        del body[head]
    return value


def put(body: JsonObject, at: str, value: Json) -> None:
    """Put a value into the body, which is changed; objects inside of it are not."""
    head, _, inner = at.partition(".")
    if not inner:
        body[head] = value
        return
    body[head] = below = dict(body.get(head) or {})
    put(below, inner, value)


_USUAL = 8192  # tokens for a model that takes a budget alone, where none is named


_LEAST = 1024


# what Nova 2 refuses all limits and sampling beside (inspect_ai issue 3767)
UNLIMITED: JsonObject = {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}


def think(prepared: PreparedRequest, most: int | None, report: Report) -> JsonObject:
    """The fields that ask for it; `most`: the maximum of the answer, if one is set."""
    want = asked(prepared.request, prepared.caps, report)
    if want is None:
        return {}
    form, effort = prepared.caps.form, want.effort
    if form.startswith("claude"):
        return _claude(want, prepared, most, report)
    if form == "nova" and want.off:
        return {"reasoningConfig": {"type": "disabled"}}
    if form == "nova":
        level = effort or prepared.caps.efforts[0]
        if effort is None:
            _changed(prepared, f"sent as {level}", report)
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": level}}
    if form == "gpt-oss" and effort is not None:
        return {"reasoning_effort": effort}
    if _anyhow(want, prepared.caps):
        moot(prepared.request, report)
    else:
        unsaid(prepared.request, report)
    return {}


def _claude(want: Asked, prepared: PreparedRequest, most: int | None, report: Report) -> JsonObject:
    """`thinking`, and the effort in `output_config`."""
    if want.off:
        return {"thinking": {"type": "disabled"}}
    budget = want.budget
    if budget is None and prepared.caps.form == "claude-budget":
        budget = _USUAL
    if budget is None:
        made: JsonObject = {"thinking": {"type": "adaptive"}}
        if want.effort is not None:
            made["output_config"] = {"effort": want.effort}
        return made
    if begun_without(prepared.history):
        # the last turn of the assistant before results must begin with its thinking
        given = prepared.request.options
        report.lost("reasoning.off_for_history", given, _name(given), did="no thinking")
        return {}
    fits = _within(budget, prepared, most, report)
    return {} if fits is None else {"thinking": {"type": "enabled", "budget_tokens": fits}}


def _within(budget: int, prepared: PreparedRequest, most: int | None, report: Report) -> int | None:
    """Tokens of thinking under the maximum of the answer; None where there is no place for any."""
    fits = max(_LEAST, budget if most is None else min(budget, most - 1))
    if most is not None and fits >= most:
        given = prepared.request.options
        report.lost("option.refused", given, _name(given), did="no thinking")
        return None
    if fits != budget:
        _changed(prepared, f"sent as {fits} tokens", report)
    return fits


def _anyhow(want: Asked, caps: Capabilities) -> bool:
    """Whether the model does what is asked for without being told."""
    return want.off if caps.thinks == "asked" else want == Asked()


def _changed(prepared: PreparedRequest, did: str, report: Report) -> None:
    given = prepared.request.options
    report.lost("option.range", given, _name(given), did=did)


def _name(given: Options) -> str:
    return "reasoning" if given.reasoning_budget is None else "reasoning_budget"


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


def generation(prepared: PreparedRequest, report: Report) -> Generation:
    """What the options and the response format ask for."""
    request, caps = prepared.request, prepared.caps
    made = Generation(options(request, _KEYS, caps, report))
    inference = made.inference
    for key, name in (("temperature", "temperature"), ("topP", "top_p")):
        within(inference, key, name, (0, 1), request, report)
    made.tier = _tier(inference.pop("serviceTier", None), request, report)
    thinking = think(prepared, inference.get("maxTokens"), report)
    if thinking == UNLIMITED:
        _unlimited(inference, request, report)
    if (top_k := inference.pop("topK", None)) is not None:
        _top_k(top_k, made.own, request, caps, report)
    made.own.update(thinking)
    _format(made.output, request, caps, report)
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
    value: Any, own: JsonObject, request: ChatRequest, caps: Capabilities, report: Report
) -> None:
    if caps.form == "nova":
        own["inferenceConfig"] = {"topK": value}
    elif caps.form.startswith("claude"):
        own["top_k"] = value
    else:
        report.lost("option.unsaid", request.options, "top_k", what="top_k")


def _format(output: JsonObject, request: ChatRequest, caps: Capabilities, report: Report) -> None:
    """`outputConfig.textFormat`: the schema is a text in it."""
    form = response_format(request, caps, report)
    if form is None or form.kind != "schema":
        return
    schema: JsonObject = {"schema": arguments(form.schema), "name": format_name(form, report)}
    if form.description:
        schema["description"] = form.description
    if form.strict is not None:
        report.lost("format.lowered", form, "strict", did="a schema is always kept to here")
    output["textFormat"] = {"type": "json_schema", "structure": {"jsonSchema": schema}}


# Nova user guide, "Built-in tools"
SYSTEM_TOOLS = {"web_search": "nova_grounding", "code_execution": "nova_code_interpreter"}


def tool_config(prepared: PreparedRequest, report: Report) -> JsonObject:
    """`{"tools", "toolChoice"}`; empty where nothing is to be declared."""
    given = prepared.request.tool_choice
    withheld = prepared.caps.none_by == "withholding" and given is not None and given.mode == "none"
    picked = None if withheld else choice(prepared, report, prepared.tools)
    tools = declared(prepared.offered or stubs(prepared, report), prepared.caps, report)
    if not tools:
        return {}
    made: JsonObject = {"tools": tools}
    if picked is not None:
        made["toolChoice"] = _choice(picked)
    return made


def declared(
    tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
) -> list[JsonObject]:
    """The tools in their order, each with the cache point that it hints at."""
    out: list[JsonObject] = []
    for tool in tools:
        if type(tool) is ServerTool:
            own = own_tool(tool, caps) if tool.kind == "own" else {}
            out.append(own or {"systemTool": _server_tool(tool, caps, report)})
            continue
        assert type(tool) is Tool
        out.append({"toolSpec": _function(tool, caps, report)})
        if tool.cache is not None:
            if caps.cached_tools:
                out.append(cache_point(tool.cache))
            else:
                report.lost("tool.cache", tool, "cache")
    return out


def _function(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    """`{"name", "description", "inputSchema": {"json"}, "strict"}`; no empty description."""
    made: JsonObject = {"name": tool.name}
    if tool.description:
        made["description"] = tool.description
    schema, strict = parameters(tool, caps, report)
    made["inputSchema"] = {"json": schema}
    if strict is not None:
        made["strict"] = strict
    return replay(made, tool, caps, report)


def _server_tool(tool: ServerTool, caps: Capabilities, report: Report) -> JsonObject:
    name = SYSTEM_TOOLS.get(tool.kind)
    if name is None:
        raise WriteError(f"{tool.kind} is no system tool", path="$.tools", code="tool.type")
    chat_shape_unsaid(tool, report)
    return replay({"name": name}, tool, caps, report)


def _choice(picked: ToolChoice) -> JsonObject:
    if picked.mode == "tool":
        return {"tool": {"name": picked.name}}
    return {"any" if picked.mode == "required" else "auto": {}}


_AT = "toolConfig.tools"


_CHOICE = "toolConfig.toolChoice"


_DECLARED_KINDS: dict[Any, Any] = {name: kind for kind, name in SYSTEM_TOOLS.items()}


def read_tools(rest: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """The tools, which are taken out of `rest`; a cache point is a hint on the tool before it."""
    told = place(rest, _AT)
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return []
    take(rest, _AT)
    made: list[Tool | ServerTool] = []
    for one in told:
        last = made[-1] if made else None
        hint = unmarked(one)
        if hint is not None and type(last) is Tool and last.cache is None:
            last.cache = hint
        else:
            made.append(_tool(one, issuer))
    return made


def _tool(told: JsonObject, issuer: str) -> Tool | ServerTool:
    spec, system = told.get("toolSpec"), told.get("systemTool")
    own = {issuer: told}
    if len(told) != 1:
        return ServerTool("own", extras=own)
    if isinstance(system, dict) and isinstance(system.get("name"), str):
        kind = _DECLARED_KINDS.get(system["name"], "own")
        rest = {key: value for key, value in system.items() if key != "name"}
        return ServerTool(kind, extras=own if kind == "own" else {issuer: rest} if rest else None)
    if not isinstance(spec, dict) or not isinstance(spec.get("name"), str) or not spec["name"]:
        return ServerTool("own", extras=own)
    try:
        return _declared_function(spec, issuer)
    except InvalidMessage:  # half of a surrogate pair
        return ServerTool("own", extras=own)


def _declared_function(spec: JsonObject, issuer: str) -> Tool:
    made = Tool(spec["name"])
    rest = {key: value for key, value in spec.items() if key != "name"}
    if isinstance(rest.get("description"), str):
        made.description = rest.pop("description")
    schema = rest.get("inputSchema")
    if isinstance(schema, dict) and isinstance(schema.get("json"), dict):
        made.parameters = take(rest, "inputSchema.json")
    if isinstance(rest.get("strict"), bool):
        made.strict = rest.pop("strict")
    # an empty description is none to the API, and a request that has one says so
    notes = {"described": True} if "description" in spec and not made.description else {}
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def tools_as_read(tools: Iterable[Tool | ServerTool], issuer: str) -> list[Json]:
    """The list that `read_tools` made the tools of."""
    made: list[Json] = []
    for tool in tools:
        made.append(_as_read(tool, issuer))
        if type(tool) is Tool and tool.cache is not None:
            made.append(cache_point(tool.cache))
    return made


def _as_read(tool: Tool | ServerTool, issuer: str) -> JsonObject:
    extras = tool.extras or {}
    own = extras.get(issuer, {})
    if type(tool) is ServerTool:
        if tool.kind == "own":
            return own
        return {"systemTool": {"name": SYSTEM_TOOLS[tool.kind], **own}}
    assert type(tool) is Tool  # the other one of the two
    spec: JsonObject = {"name": tool.name, **own}
    if tool.description or noted(issuer) in extras:
        spec.setdefault("description", tool.description)
    if tool.parameters is not None:
        spec["inputSchema"] = {"json": tool.parameters, **spec.get("inputSchema", {})}
    if tool.strict is not None:
        spec["strict"] = tool.strict
    return {"toolSpec": spec}


def read_choice(rest: JsonObject) -> ToolChoice | None:
    """`{"auto": {}}`, `{"any": {}}` or `{"tool": {"name"}}`, taken out of `rest`."""
    told = place(rest, _CHOICE)
    if not isinstance(told, dict) or len(told) != 1:
        return None
    ((key, inner),) = told.items()
    picked: ToolChoice | None = None
    if inner == {} and key in ("auto", "any"):
        picked = ToolChoice("auto" if key == "auto" else "required")
    elif key == "tool" and isinstance(inner, dict) and inner.keys() == {"name"}:
        name = inner["name"]
        picked = ToolChoice("tool", name) if isinstance(name, str) and name else None
    if picked is not None:
        take(rest, _CHOICE)
    return picked


def choice_as_read(choice: ToolChoice) -> JsonObject:
    """The object that `read_choice` made the choice of."""
    if choice.mode == "tool":
        return {"tool": {"name": choice.name}}
    return {"any" if choice.mode == "required" else "auto": {}}


_FORMAT = "outputConfig.textFormat"


_STREAMED = "converse-stream"


def read_request(body: JsonObject, path: str | None, issuer: str) -> ChatRequest:
    """The request that the body makes."""
    rest = dict(body)
    notes: JsonObject = {}
    model, stream = asked_in(path)
    named = rest.get("modelId")  # an argument of the SDKs, which some clients send along
    if isinstance(named, str) and named and model in (None, named):
        model = rest.pop("modelId")
        notes["model"] = "body"
    origin = Origin(issuer, model)
    msgs: list[Msg] = []
    if (prompt := read_system(rest.get("system"), issuer)) is not None:
        del rest["system"]
        msgs.append(prompt)
    listed = rest.get("messages")
    if isinstance(listed, list):
        del rest["messages"]
        msgs += [read_message(one, issuer, origin) for one in listed]
    else:
        notes["messages"] = "absent"
    made = ChatRequest(
        msgs,
        tools=read_tools(rest, issuer),
        tool_choice=read_choice(rest),
        options=read_options(rest, notes),
        response_format=_request_format(rest, notes),
        model=model,
        stream=stream,
    )
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def asked_in(path: str | None) -> tuple[str | None, bool]:
    """(the model, whether a stream is asked for) of a path: `.../model/{modelId}/converse`."""
    place, _, verb = (path or "").partition("?")[0].rstrip("/").rpartition("/")
    _, found, model = place.rpartition("/model/")
    if not found or verb not in ("converse", _STREAMED):
        return None, False
    return unquote(model) or None, verb == _STREAMED


def _request_format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """`{"type": "json_schema", "structure": {"jsonSchema": {"schema": text, "name", ...}}}`."""
    told = place(rest, f"{_FORMAT}.structure.jsonSchema")
    if place(rest, f"{_FORMAT}.type") != "json_schema" or not isinstance(told, dict):
        return None
    given = {key: told[key] for key in ("name", "description") if isinstance(told.get(key), str)}
    text = told.get("schema")
    try:
        schema = loads(text) if isinstance(text, str) else None
        made = ResponseFormat("schema", schema, **given) if isinstance(schema, dict) else None
        usual = made is not None and arguments(schema) == text
    except (ReadError, InvalidMessage):
        return None
    if made is None:
        return None
    note: JsonObject = {} if usual else {"schema": text}
    if absent := [key for key in ("name", "description") if key not in given]:
        note["absent"] = absent
    if note:
        notes["format"] = note
    for key in ("type", *(f"structure.jsonSchema.{key}" for key in ("schema", *given))):
        take(rest, f"{_FORMAT}.{key}")
    return made


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    body: JsonObject = dict(extras.get(issuer, {}))
    notes = extras.get(noted(issuer), {})
    if elements or "messages" not in notes:
        body["messages"] = elements
    first = req.messages[0] if req.messages else None
    if first is not None and "system" in kept and (first.spelling or "").startswith("top"):
        body["system"] = system_as_read(first, issuer)
    if req.model and "model" in kept and notes.get("model") == "body":
        body["modelId"] = req.model
    say_options(body, req.options, notes, kept)
    if req.tools and "tools" in kept:
        put(body, "toolConfig.tools", tools_as_read(req.tools, issuer))
    if req.tool_choice is not None and "tool_choice" in kept:
        put(body, "toolConfig.toolChoice", choice_as_read(req.tool_choice))
    if req.response_format is not None and "response_format" in kept:
        _say_format(body, req.response_format, notes.get("format", {}))
    return body


def _say_format(body: JsonObject, form: ResponseFormat, note: dict[str, Any]) -> None:
    put(body, f"{_FORMAT}.type", "json_schema")
    at = f"{_FORMAT}.structure.jsonSchema"
    put(body, f"{at}.schema", note.get("schema") or arguments(form.schema))
    for key in ("name", "description"):
        if key not in note.get("absent", ()):
            put(body, f"{at}.{key}", getattr(form, key))
