"""Options of a request, read out of the body, and said again as they were read.

`read_options` and `say_options` are each other's inverse: what a neutral value does not say stands
in the notes. Reference: Anthropic API, "Create a Message"; docs, "Adaptive thinking", "Effort".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import unquote

from ..._core.jsontext import Json, JsonObject
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, Options, Origin, ResponseFormat, ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from ..base import PreparedRequest
from ..chat_shape import replay, unsaid
from ..reasoning import Asked, asked, begun_without
from ..request_fields import within
from .blocks import cache_control, unmarked
from .dialect import BETAS, read_betas
from .messages import at_top, read_message, read_system, system_as_read

_PLAIN: dict[str, tuple[type, ...]] = {
    "max_tokens": (int,),
    "temperature": (int, float),
    "top_p": (int, float),
    "top_k": (int,),
    "service_tier": (str,),
}


# kinds of `thinking` that an effort, or none at all, says
_KINDS = {"adaptive": "on", "enabled": "on", "disabled": "off", "between_tools": "off"}


_SCHEMA = {"type", "schema"}


FORMATS = {"output_config": "$.output_config.format", "output_format": "$.output_format"}


def read_options(rest: JsonObject, notes: JsonObject) -> Options:
    """The options, taken out of the body."""
    given: dict[str, Any] = {
        name: rest.pop(name)
        for name, kinds in _PLAIN.items()
        if name in rest and type(rest[name]) in kinds
    }
    stops = rest.get("stop_sequences")
    if isinstance(stops, list) and stops and all(type(one) is str for one in stops):
        given["stop"] = tuple(rest.pop("stop_sequences"))
    meta = rest.get("metadata")
    if isinstance(meta, dict) and isinstance(meta.get("user_id"), str):
        given["user"] = _taken(rest, "metadata", "user_id")
    _thinking(rest, notes, given)
    return Options(**given)


def _thinking(rest: JsonObject, notes: JsonObject, given: dict[str, Any]) -> None:
    """A budget, an effort, or how the model is to think where no effort is told."""
    told = rest.get("thinking")
    kind = told.get("type") if isinstance(told, dict) else None
    if isinstance(told, dict) and isinstance(kind, str) and kind in _KINDS:
        if kind == "enabled" and type(told.get("budget_tokens")) is int:
            given["reasoning_budget"] = _taken(rest, "thinking", "budget_tokens")
        else:
            given["reasoning"], notes["thinking"] = _KINDS[kind], kind
        _taken(rest, "thinking", "type")
    config = rest.get("output_config")
    effort = config.get("effort") if isinstance(config, dict) else None
    if isinstance(effort, str) and effort and given.get("reasoning") != "off":
        given["reasoning"] = _taken(rest, "output_config", "effort")
        notes["effort"] = True


def _taken(body: JsonObject, key: str, inner: str) -> Json:
    """A value out of an object of the body, which is left out once it is empty."""
    kept = dict(body[key])
    value = kept.pop(inner)
    if kept:
        body[key] = kept
    else:
        del body[key]
    return value


def say_options(body: JsonObject, given: Options, kept: Collection[str], notes: JsonObject) -> None:
    """Put the options of `kept` where they stood in the body."""
    for name, value in given.given():
        if name not in kept:
            continue
        if name in _PLAIN:
            body[name] = value
        elif name == "stop":
            body["stop_sequences"] = list(value)
        elif name == "user":
            _put(body, "metadata", "user_id", value)
        elif name == "reasoning_budget":
            _put(body, "thinking", "type", "enabled")
            _put(body, "thinking", "budget_tokens", value)
        elif name == "reasoning":
            if "thinking" in notes:
                _put(body, "thinking", "type", notes["thinking"])
            if "effort" in notes:
                _put(body, "output_config", "effort", value)


def _put(body: JsonObject, key: str, inner: str, value: Json) -> None:
    body[key] = {**(body.get(key) or {}), inner: value}


def read_format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """The schema of the answer, taken out of the body; `output_format` is its older place."""
    config = rest.get("output_config")
    for place in FORMATS:
        outer = config if place == "output_config" else rest
        key = "format" if place == "output_config" else place
        told = outer.get(key) if isinstance(outer, dict) else None
        if not isinstance(told, dict) or told.keys() != _SCHEMA or told["type"] != "json_schema":
            continue
        if not isinstance(told["schema"], dict):
            continue
        if place == "output_config":
            _taken(rest, place, key)
        else:
            del rest[place]
            notes["format"] = place
        return ResponseFormat("schema", told["schema"])
    return None


def say_format(body: JsonObject, form: ResponseFormat, notes: JsonObject) -> None:
    """Put the schema of the answer where it stood in the body."""
    said = {"type": "json_schema", "schema": form.schema}
    if "format" in notes:
        body[notes["format"]] = said
    else:
        _put(body, "output_config", "format", said)


_BINDING = "thinking-binding-controls-2026-08-01"


_USUAL = 8192  # tokens for a model that takes a budget alone, where none is named


_LEAST = 1024


# docs, "Extended thinking": what top_p may be while the model thinks
_TOP_P = (0.95, 1.0)


def wanted(prepared: PreparedRequest, report: Report) -> Asked | None:
    """What is asked of the model, as far as the history lets it think.

    By a budget it thinks from the start of a round of tools or not at all: 400 "a final `assistant`
    message must start with a thinking block".
    """
    given = prepared.request.options
    made = asked(prepared.request, prepared.caps, report)
    if not budget_of(made, prepared.caps) or not begun_without(prepared.history):
        return made
    name = "reasoning" if given.reasoning_budget is None else "reasoning_budget"
    report.lost("reasoning.off_for_history", given, name, did="no thinking")
    return None


def budget_of(given: Asked | None, caps: Capabilities) -> int:
    """Tokens of thinking that are asked for by number; 0 if the model decides, or does not think.

    A negative budget leaves it to the model.
    """
    if given is None or given.off:
        return 0
    if given.budget is not None and given.budget > 0:
        return given.budget
    return _USUAL if caps.form == "budget" else 0


def think(body: JsonObject, given: Asked, prepared: PreparedRequest, report: Report) -> None:
    """Put what is asked for into the body."""
    form = prepared.caps.form
    if given.off:
        body["thinking"] = {"type": "between_tools" if form == "between_tools" else "disabled"}
        if form == "between_tools" and prepared.offered:
            report.lost("reasoning.always", prepared.request.options, "reasoning", what="off",
                        did="between tool calls alone")  # fmt: skip
        return
    if budget := budget_of(given, prepared.caps):
        fits = _fitting(budget, body["max_tokens"], prepared, report)
        if fits is not None:
            body["thinking"] = {"type": "enabled", "budget_tokens": fits}
    else:
        body["thinking"] = {"type": "adaptive"}
    if given.effort is not None:
        body["output_config"] = {"effort": given.effort, **body.get("output_config", {})}
    if "thinking" in body:
        within(body, "top_p", "top_p", _TOP_P, prepared.request, report)


def dropping(body: JsonObject) -> list[str]:
    """Have the provider drop the thinking that fails its check; the betas that it needs."""
    # the default of every model that binds thinking, said because the switch stands inside of it
    thinking = body.get("thinking", {"type": "adaptive"})
    binding = {"prefix_mismatch_behavior": "drop_block"}
    body["thinking"] = {**thinking, "block_binding": binding}
    return [_BINDING]


def _fitting(budget: int, most: int, prepared: PreparedRequest, report: Report) -> int | None:
    """Tokens of thinking under the maximum of the answer; None where there is no place for any."""
    fits = max(_LEAST, min(budget, most - 1))
    given = prepared.request.options
    name = "reasoning" if given.reasoning_budget is None else "reasoning_budget"
    if fits >= most:
        report.lost("option.refused", given, name, did="no thinking")
        return None
    if fits != budget:
        report.lost("option.range", given, name, did=f"sent as {fits} tokens")
    return fits


TYPES = {"web_search": "web_search_20250305", "code_execution": "code_execution_20260521"}


def server_tool(tool: ServerTool, caps: Capabilities, report: Report) -> JsonObject:
    """`{"type", "name", ...}`; an `extras` field `type` takes another version.

    A tool of the provider's own goes as it was read.
    """
    if tool.kind == "own":
        return replay({}, tool, caps, report)
    made: JsonObject = {"type": TYPES[tool.kind], "name": tool.kind}
    said: list[str] = []
    if tool.kind == "web_search":
        said = ["domains", "blocked_domains", "max_uses", "location"]
        if tool.domains:
            made["allowed_domains"] = list(tool.domains)
        if tool.blocked_domains and not tool.domains:
            made["blocked_domains"] = list(tool.blocked_domains)
        elif tool.blocked_domains:  # one of the two is taken, and the allowed ones say more
            said.remove("blocked_domains")
        if tool.max_uses is not None:
            made["max_uses"] = tool.max_uses
        if tool.location is not None:
            made["user_location"] = {"type": "approximate", **tool.location}
    unsaid(tool, report, *said)
    return replay(made, tool, caps, report)


_LISTS = {"allowed_domains": "domains", "blocked_domains": "blocked_domains"}


_MODES = {"auto": "auto", "none": "none", "any": "required", "tool": "tool"}


_WORDS = {ours: theirs for theirs, ours in _MODES.items()}


def read_tool(told: JsonObject, issuer: str) -> Tool | ServerTool:
    """One entry of `tools`; a tool that nobody models is the provider's own."""
    kind, name = told.get("type"), told.get("name")
    if (
        isinstance(name, str)
        and name in TYPES
        and isinstance(kind, str)
        and kind.startswith(f"{name}_")
    ):
        return _server_tool(told, name, issuer)
    if not (isinstance(name, str) and name) or ("type" in told and kind != "custom"):
        return ServerTool("own", extras={issuer: told})
    made = Tool(name)
    rest = {key: value for key, value in told.items() if key != "name"}
    notes: JsonObject = {}
    if "type" in told:
        notes["type"] = rest.pop("type")
    if isinstance(rest.get("description"), str):
        made.description = rest.pop("description")
        if not made.description:
            notes["description"] = "empty"
    if isinstance(rest.get("input_schema"), dict):
        made.parameters = rest.pop("input_schema")
    if isinstance(rest.get("strict"), bool):
        made.strict = rest.pop("strict")
    if (hint := unmarked(rest.get("cache_control"))) is not None:
        made.cache = hint
        del rest["cache_control"]
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _server_tool(told: JsonObject, name: str, issuer: str) -> ServerTool:
    rest = {key: value for key, value in told.items() if key != "name"}
    made = ServerTool(name)  # type: ignore[arg-type]  # one of the two kinds
    if rest["type"] == TYPES[name]:
        del rest["type"]
    if name == "web_search":
        for key, field in _LISTS.items():
            told_of = rest.get(key)
            if isinstance(told_of, list) and told_of and all(type(one) is str for one in told_of):
                setattr(made, field, tuple(rest.pop(key)))
        if type(rest.get("max_uses")) is int and rest["max_uses"] > 0:
            made.max_uses = rest.pop("max_uses")
        place = rest.get("user_location")
        if isinstance(place, dict) and place.get("type") == "approximate":
            inner = {key: value for key, value in place.items() if key != "type"}
            if inner and all(type(one) is str for one in inner.values()):
                made.location = inner
                del rest["user_location"]
    made.extras = {issuer: rest} if rest else None
    return made


def tool_as_read(tool: Tool | ServerTool, issuer: str) -> Json:
    """The entry of `tools` that `read_tool` made the tool of."""
    own = (tool.extras or {}).get(issuer, {})
    if type(tool) is ServerTool:
        return own if tool.kind == "own" else {**_said_server_tool(tool), **own}
    assert type(tool) is Tool  # the other one of the two
    notes = (tool.extras or {}).get(noted(issuer), {})
    made: JsonObject = {"name": tool.name}
    if "type" in notes:
        made["type"] = notes["type"]
    if tool.description or "description" in notes:
        made["description"] = tool.description
    if tool.parameters is not None:
        made["input_schema"] = tool.parameters
    if tool.strict is not None:
        made["strict"] = tool.strict
    if tool.cache is not None:
        made["cache_control"] = cache_control(tool.cache)
    return {**made, **own}


def _said_server_tool(tool: ServerTool) -> JsonObject:
    made: JsonObject = {"type": TYPES[tool.kind], "name": tool.kind}
    for key, field in _LISTS.items():
        if given := getattr(tool, field):
            made[key] = list(given)
    if tool.max_uses is not None:
        made["max_uses"] = tool.max_uses
    if tool.location is not None:
        made["user_location"] = {"type": "approximate", **tool.location}
    return made


def read_choice(rest: JsonObject) -> ToolChoice | None:
    """The tool choice, taken out of the body; what it says otherwise stays there."""
    told = rest.get("tool_choice")
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(kind, str) or kind not in _MODES:
        return None
    inner = {key: value for key, value in told.items() if key != "type"}
    given: dict[str, Any] = {"mode": _MODES[kind]}
    if kind == "tool":
        given["name"] = inner.pop("name", None)
        if not isinstance(given["name"], str):
            return None
    if isinstance(inner.get("disable_parallel_tool_use"), bool):
        given["parallel"] = not inner.pop("disable_parallel_tool_use")
    if inner:
        rest["tool_choice"] = inner
    else:
        del rest["tool_choice"]
    return ToolChoice(**given)


def choice_as_read(picked: ToolChoice) -> JsonObject:
    """The part of `tool_choice` that `read_choice` took."""
    made: JsonObject = {"type": _WORDS[picked.mode]}
    if picked.name is not None:
        made["name"] = picked.name
    if picked.parallel is not None:
        made["disable_parallel_tool_use"] = not picked.parallel
    return made


_VERSION = "anthropic_version"


_PATH = re.compile(
    r"/models?/(?P<model>[^/?]+?)[:/]"
    r"(?:(?P<stream>invoke-with-response-stream|streamRawPredict)|invoke|rawPredict)(?:\?|$)"
)


def read_request(
    body: JsonObject, issuer: str, path: str | None, headers: Mapping[str, str] | None
) -> ChatRequest:
    """The request that the body makes; its path may name the model, and that it is a stream."""
    rest = dict(body)
    notes: JsonObject = {}
    model = _model(rest, path, notes)
    origin = Origin(issuer, model)
    listed = rest.get("messages")
    if isinstance(listed, list):
        del rest["messages"]
    else:
        listed, notes["messages"] = [], "absent"
    msgs = [read_message(one, issuer, origin) for one in listed]
    if (top := read_system(rest.get("system"), issuer)) is not None:
        del rest["system"]
        msgs.insert(0, top)
    made = ChatRequest(
        msgs,
        tools=_tools(rest, issuer),
        tool_choice=read_choice(rest),
        options=read_options(rest, notes),
        response_format=read_format(rest, notes),
        model=model,
        stream=_stream(rest, path, notes),
    )
    if isinstance(rest.get(_VERSION), str):
        notes[_VERSION] = rest.pop(_VERSION)  # of the host's protocol, not of what is asked
    read_betas(rest, notes, headers)
    own = {name: kept for name, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _model(rest: JsonObject, path: str | None, notes: JsonObject) -> str | None:
    told = rest.get("model")
    if isinstance(told, str) and told:
        del rest["model"]
        return told
    found = _PATH.search(path) if path and "model" not in rest else None
    if found is None:
        return None
    notes["model"] = "path"
    return unquote(found["model"])


def _stream(rest: JsonObject, path: str | None, notes: JsonObject) -> bool:
    if isinstance(rest.get("stream"), bool):
        said: bool = rest.pop("stream")
        if not said:
            notes["stream"] = "false"
        return said
    found = _PATH.search(path) if path and "stream" not in rest else None
    if found is None or found["stream"] is None:
        return False
    notes["stream"] = "path"
    return True


def _tools(rest: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    told = rest.get("tools")
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return []
    del rest["tools"]
    return [read_tool(one, issuer) for one in told]


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    notes = extras.get(noted(issuer), {})
    body: JsonObject = dict(extras.get(issuer, {}))
    if notes.get(BETAS) == "header":
        body.pop(BETAS, None)
    if _VERSION in notes:
        body[_VERSION] = notes[_VERSION]
    if req.model and "model" in kept and "model" not in notes:
        body["model"] = req.model
    if elements or "messages" not in notes:
        body["messages"] = elements
    if "system" in kept and (top := next(filter(at_top, req.messages), None)) is not None:
        body["system"] = system_as_read(top, issuer)
    say_options(body, req.options, kept, notes)
    if req.tools and "tools" in kept:
        body["tools"] = [tool_as_read(tool, issuer) for tool in req.tools]
    if req.tool_choice is not None and "tool_choice" in kept:
        body["tool_choice"] = {**choice_as_read(req.tool_choice), **body.get("tool_choice", {})}
    if req.response_format is not None and "response_format" in kept:
        say_format(body, req.response_format, notes)
    told = notes.get("stream")
    if "stream" in kept and told != "path" and (req.stream or told == "false"):
        body["stream"] = req.stream
    return body
