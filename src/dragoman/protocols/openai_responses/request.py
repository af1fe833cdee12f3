"""How to answer: options, reasoning, the form of the text, and what an answer shall include.

The neutral names of options against this protocol's; knows no message.
"""

from __future__ import annotations

from collections.abc import Collection
from math import inf, isfinite
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ...capabilities import Capabilities
from ...errors import InvalidMessage
from ...losses import Report
from ...message import ChatRequest, Msg, Options, ResponseFormat, ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from ..chat_shape import own_extras, parameters, replay, unsaid
from ..reasoning import Asked, asked, moot
from ..request_fields import format_name, options, usual_tier, within
from .dialect import Dialect
from .messages import read_input

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
    request: ChatRequest, caps: Capabilities, dialect: Dialect, report: Report
) -> JsonObject:
    """The options that stand in the body itself; `logprobs` is one of them until it is included."""
    made = options(request, _KEYS, caps, report)
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


def reasoning(request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
    """`{"effort"}`; empty where nothing is asked for."""
    given = asked(request, caps, report, budgets=False, levels=_LEVELS)
    if given is None:
        return {}
    if given.off:
        return {"effort": "none"}
    if given == Asked() and caps.thinks == "asked" and request.options.reasoning != "auto":
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


PLACE = ("city", "country", "region", "timezone")


def function(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    """`{"type": "function", "name", "description", "parameters", "strict"}`.

    `strict` is always said: where it is absent the API tries to be strict and fills in optional
    arguments.
    """
    made: JsonObject = {"type": "function", "name": tool.name}
    if tool.description:
        made["description"] = tool.description
    made["parameters"], strict = parameters(tool, caps, report)
    made["strict"] = bool(strict)
    if tool.cache is not None:
        report.lost("tool.cache", tool, "cache")
    return replay(made, tool, caps, report)


def server_tool(
    tool: ServerTool, caps: Capabilities, dialect: Dialect, report: Report
) -> JsonObject | None:
    """The host's own `web_search`, `code_interpreter` or `file_search`; None if it lacks stores.

    A tool of the host's that nobody models goes back as it was read.
    """
    if tool.kind == "own":
        return own_extras(tool, caps) or None
    if tool.kind == "web_search":
        made, said = _search(tool, dialect, report)
    elif tool.kind == "code_execution":
        made, said = {"type": "code_interpreter", "container": {"type": "auto"}}, set()
    else:
        made, said = {"type": "file_search", "vector_store_ids": list(tool.stores)}, {"stores"}
        if not tool.stores and "vector_store_ids" not in own_extras(tool, caps):
            report.lost("server_tool.unsaid", tool, what="file_search without stores")
            return None
    unsaid(tool, report, *said)
    return replay(made, tool, caps, report)


def _search(tool: ServerTool, dialect: Dialect, report: Report) -> tuple[JsonObject, set[str]]:
    made: JsonObject = {"type": "web_search"}
    said = {"domains", "location"}
    filters: JsonObject = {"allowed_domains": list(tool.domains)} if tool.domains else {}
    # where a host knows both, it takes one of the two, and the allowed ones say more
    if tool.blocked_domains and dialect.blocked_domains and not tool.domains:
        filters[dialect.blocked_domains] = list(tool.blocked_domains)
        said.add("blocked_domains")
    if filters:
        made["filters"] = filters
    if tool.location:
        known = {name: tool.location[name] for name in PLACE if name in tool.location}
        made["user_location"] = {"type": "approximate", **known}
        for name in tool.location:
            if name not in known:
                report.lost("server_tool.field", tool, f"location.{name}", what=name)
    return made, said


def choice_of(picked: ToolChoice) -> Any:
    """`auto`, `none`, `required`, one function, or some of the tools."""
    if picked.mode == "tool":
        return {"type": "function", "name": picked.name}
    if picked.allowed and picked.mode != "none":
        listed = [{"type": "function", "name": name} for name in picked.allowed]
        return {"type": "allowed_tools", "mode": picked.mode, "tools": listed}
    return picked.mode


_SEARCHES = ("web_search", "web_search_preview", "web_search_2025_08_26",
             "web_search_preview_2025_03_11")  # fmt: skip


_BLOCKED = ("blocked_domains", "excluded_domains", "excludeDomains")  # by host


_BLOCK, _EMPTY = "blocked_domains", "description"  # notes: under which key, and that it was empty


def read_tool(told: Json, issuer: str) -> Tool | ServerTool:
    """One entry of `tools`; a tool that nobody models is kept as it came."""
    kind = told.get("type")
    if kind == "function" and isinstance(told.get("name"), str) and _right(told["name"]):
        return _function(told, issuer)
    made: ServerTool | None = None
    rest = {key: value for key, value in told.items() if key != "type"}
    notes: JsonObject = {}
    if kind in _SEARCHES:
        made = _offered_search(told, rest, notes)
    elif kind == "code_interpreter" and isinstance(box := told.get("container"), dict):
        if box.get("type") == "auto":
            made = ServerTool("code_execution")
            _less(rest, "container", ("type",))
    elif kind == "file_search" and _texts(told.get("vector_store_ids")):
        made = ServerTool("file_search")
        made.stores = tuple(rest.pop("vector_store_ids"))
    if made is None:
        made, rest = ServerTool("own"), told
    made.extras = _kept(rest, notes, issuer)
    return made


def _kept(rest: JsonObject, notes: JsonObject, issuer: str) -> dict[str, JsonObject] | None:
    return {who: own for who, own in ((issuer, rest), (noted(issuer), notes)) if own} or None


def _function(told: JsonObject, issuer: str) -> Tool:
    made = Tool(told["name"])
    rest = {key: value for key, value in told.items() if key not in ("type", "name")}
    if isinstance(rest.get("description"), str):
        made.description = rest.pop("description")
    if isinstance(rest.get("parameters"), dict):
        made.parameters = rest.pop("parameters")
    if isinstance(rest.get("strict"), bool):
        made.strict = rest.pop("strict")
    empty = made.description == "" and "description" in told and "description" not in rest
    made.extras = _kept(rest, {_EMPTY: True} if empty else {}, issuer)
    return made


def _offered_search(told: JsonObject, rest: JsonObject, notes: JsonObject) -> ServerTool:
    made = ServerTool("web_search")
    if told["type"] != "web_search":
        rest["type"] = told["type"]  # an edition of the tool, which has its own ways
    filters = told.get("filters")
    if isinstance(filters, dict):
        taken = []
        if _texts(filters.get("allowed_domains")):
            made.domains = tuple(filters["allowed_domains"])
            taken.append("allowed_domains")
        blocked = next((key for key in _BLOCKED if _texts(filters.get(key))), None)
        if blocked is not None:
            made.blocked_domains = tuple(filters[blocked])
            taken.append(blocked)
            notes[_BLOCK] = blocked
        _less(rest, "filters", taken)
    place = told.get("user_location")
    if isinstance(place, dict) and place.get("type") == "approximate":
        known = {key: place[key] for key in PLACE if isinstance(place.get(key), str)}
        if known:
            made.location = known
            _less(rest, "user_location", ("type", *known))
    return made


def _less(rest: JsonObject, key: str, taken: Any) -> None:
    """Leave out what is said elsewhere; an object of which nothing is left goes whole."""
    left = {name: value for name, value in rest[key].items() if name not in taken}
    if left or not taken:
        rest[key] = left
    else:
        del rest[key]


def _texts(told: Json) -> bool:
    return isinstance(told, list) and bool(told) and all(isinstance(one, str) for one in told)


def _right(name: str) -> bool:
    """Whether a tool may be called so: not nothing, and no half of a character."""
    return bool(name) and (name.isascii() or name.encode("utf-8", "ignore").decode() == name)


def tool_as_read(tool: Tool | ServerTool, issuer: str) -> Json:
    """The declaration that `read_tool` made the tool of."""
    extras = tool.extras or {}
    own, notes = extras.get(issuer, {}), extras.get(noted(issuer), {})
    if isinstance(tool, ServerTool):
        return own if tool.kind == "own" else _merged(_said(tool, notes), own)
    made: JsonObject = {"type": "function", "name": tool.name}
    if tool.description or _EMPTY in notes:
        made["description"] = tool.description
    if tool.parameters is not None:
        made["parameters"] = tool.parameters
    if tool.strict is not None:
        made["strict"] = tool.strict
    return {**made, **own}


def _said(tool: ServerTool, notes: JsonObject) -> JsonObject:
    if tool.kind == "code_execution":
        return {"type": "code_interpreter", "container": {"type": "auto"}}
    if tool.kind == "file_search":
        return {"type": "file_search", "vector_store_ids": list(tool.stores)}
    made: JsonObject = {"type": "web_search"}
    filters: JsonObject = {}
    if tool.domains:
        filters["allowed_domains"] = list(tool.domains)
    if tool.blocked_domains:
        filters[notes[_BLOCK]] = list(tool.blocked_domains)
    if filters:
        made["filters"] = filters
    if tool.location:
        made["user_location"] = {"type": "approximate", **tool.location}
    return made


def _merged(made: JsonObject, own: JsonObject) -> JsonObject:
    for key, value in own.items():
        there = made.get(key)
        both = isinstance(there, dict) and isinstance(value, dict)
        made[key] = {**there, **value} if both else value  # type: ignore[dict-item]  # it is one
    return made


def read_choice(rest: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """What the fields `tool_choice` and `parallel_tool_calls` say, which are taken from `rest`."""
    given = _picked(rest.get("tool_choice"))
    if given is not None:
        del rest["tool_choice"]
    parallel = rest.get("parallel_tool_calls")
    if isinstance(parallel, bool):
        del rest["parallel_tool_calls"]
        if given is None:
            given, notes["tool_choice"] = {"mode": "auto"}, "unsaid"
        given["parallel"] = parallel
    return None if given is None else ToolChoice(**given)


def _picked(told: Json) -> dict[str, Any] | None:
    """The choice, if it says no more than which functions may be called, or must."""
    if isinstance(told, str):
        return {"mode": told} if told in ("auto", "none", "required") else None
    if not isinstance(told, dict):
        return None
    if name := _named(told):
        return {"mode": "tool", "name": name}
    if told.get("type") != "allowed_tools" or len(told) != 3:
        return None
    mode, tools = told.get("mode"), told.get("tools")
    if mode not in ("auto", "required") or not isinstance(tools, list) or not tools:
        return None
    names = tuple(map(_named, tools))
    return {"mode": mode, "allowed": names} if all(names) else None


def _named(told: Json) -> str:
    """The function that an object names, if it does no more than that."""
    if not isinstance(told, dict) or told.get("type") != "function" or len(told) != 2:
        return ""
    name = told.get("name")
    return name if isinstance(name, str) and _right(name) else ""


def choice_as_read(choice: ToolChoice, notes: JsonObject) -> JsonObject:
    """The fields that `read_choice` made the choice of."""
    made: JsonObject = {}
    if notes.get("tool_choice") != "unsaid":
        made["tool_choice"] = choice_of(choice)
    if choice.parallel is not None:
        made["parallel_tool_calls"] = choice.parallel
    return made


TOP = "top string"


# option -> where it stands; of several the first that is there
PLACES: dict[str, tuple[str, ...]] = {
    "max_tokens": ("max_output_tokens",),
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "top_logprobs": ("top_logprobs",),
    "service_tier": ("service_tier",),
    "user": ("safety_identifier", "user"),  # the older of them last
}


_REAL = {"temperature", "top_p"}


_TEXTS = {"service_tier", "user"}


_OURS = ("off", "on", "auto")  # words for efforts that are no efforts of this API's


_FORMATS = {"text": "text", "json_object": "json"}


_SCHEMA = {"schema": dict, "name": str, "description": str, "strict": bool}


def read_request(body: JsonObject, issuer: str, raw: bool) -> ChatRequest:
    """The request that the body makes; `raw`: thoughts are text, not sealed."""
    rest = dict(body)
    notes: JsonObject = {}
    model = rest.get("model")
    named = model if isinstance(model, str) and _request_right(model) else None
    if named:
        del rest["model"]
    msgs = _prompt(rest) + _input(rest, notes, issuer, raw, named)
    tools = _tools(rest, issuer)
    made = ChatRequest(msgs, tools=tools, model=named)
    made.options = Options(**_options(rest, notes))
    made.tool_choice = read_choice(rest, notes)
    made.response_format = _format(rest, notes)
    if isinstance(rest.get("stream"), bool):
        made.stream = rest.pop("stream")
        if not made.stream:
            notes["stream"] = "false"
    own = {who: kept for who, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _request_right(text: str) -> bool:
    """Whether there is text, without halves of characters, which no model is named with."""
    return bool(text) and (text.isascii() or text.encode("utf-8", "ignore").decode() == text)


def _prompt(rest: JsonObject) -> list[Msg]:
    """`instructions`: the first message, in a place of its own."""
    told = rest.get("instructions")
    if not isinstance(told, str) or not told:
        return []
    del rest["instructions"]
    made = Msg.trusted("", told, "system")
    made.spelling = TOP
    return [made]


def _input(
    rest: JsonObject, notes: JsonObject, issuer: str, raw: bool, model: str | None
) -> list[Msg]:
    told = rest.get("input")
    if isinstance(told, list):
        return read_input(rest.pop("input"), issuer, raw, model)
    if isinstance(told, str):
        notes["input"] = "string"
        return [Msg.trusted("", rest.pop("input"), "user")]
    notes["input"] = "absent"
    return []


def _tools(rest: JsonObject, issuer: str) -> list[Any]:
    told = rest.get("tools")
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return []
    del rest["tools"]
    return [read_tool(one, issuer) for one in told]


def _options(rest: JsonObject, notes: JsonObject) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, places in PLACES.items():
        place = next((one for one in places if one in rest and _fits(name, rest[one])), None)
        if place is not None:
            given[name] = rest.pop(place)
            if place != places[0]:
                notes[name] = place
    include = rest.get("include")
    if isinstance(include, list) and include.count(LOGPROBS) == 1:
        given["logprobs"] = True
        notes["logprobs"] = include.index(LOGPROBS)
        _leave(rest, "include", [one for one in include if one != LOGPROBS])
    asked: Any = rest.get("reasoning")
    effort = asked.get("effort") if isinstance(asked, dict) else None
    if isinstance(effort, str) and _request_right(effort) and effort not in _OURS:
        given["reasoning"] = "off" if effort == "none" else effort
        _leave(rest, "reasoning", {k: v for k, v in asked.items() if k != "effort"})
    return given


def _leave(rest: JsonObject, key: str, left: Any) -> None:
    """What is left of a field when some of it was read."""
    if left:
        rest[key] = left
    else:
        del rest[key]


def _fits(name: str, value: Any) -> bool:
    if name in _TEXTS:
        return isinstance(value, str) and _request_right(value)
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (name in _REAL and isinstance(value, float)
                                      and isfinite(value))  # fmt: skip


def _format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """`text.format`; what it says beyond the neutral form stays where it stands."""
    text: Any = rest.get("text")
    told: Any = text.get("format") if isinstance(text, dict) else None
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(kind, str):
        return None
    if kind in _FORMATS:
        made = ResponseFormat(_FORMATS[kind])  # type: ignore[arg-type]  # one of two kinds
        left = {key: value for key, value in told.items() if key != "type"}
    else:
        given = {key: told[key] for key, cls in _SCHEMA.items() if isinstance(told.get(key), cls)}
        if kind != "json_schema" or "schema" not in given:
            return None
        try:
            made = ResponseFormat("schema", **given)
        except InvalidMessage:  # a schema in which half a character stands
            return None
        left = {key: value for key, value in told.items() if key != "type" and key not in given}
        if absent := [key for key in ("name", "description") if key not in given]:
            notes["format"] = absent
    inner = {key: value for key, value in text.items() if key != "format"}
    _leave(rest, "text", {**inner, "format": left} if left else inner)
    return made


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    body: JsonObject = dict(extras.get(issuer, {}))
    notes = extras.get(noted(issuer), {})
    if elements or notes.get("input") != "absent":
        body["input"] = _said_input(elements, notes.get("input") == "string")
    first = req.messages[0] if req.messages else None
    if "system" in kept and first is not None and first.spelling == TOP:
        body["instructions"] = first.content
    if req.model and "model" in kept:
        body["model"] = req.model
    for name, value in req.options.given():
        if name in kept:
            _say_option(body, name, value, notes)
    if req.tools and "tools" in kept:
        body["tools"] = [tool_as_read(tool, issuer) for tool in req.tools]
    if req.tool_choice is not None and "tool_choice" in kept:
        body.update(choice_as_read(req.tool_choice, notes))
    if req.response_format is not None and "response_format" in kept:
        _say_format(body, req.response_format, notes.get("format", ()))
    if "stream" in kept and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body


def _said_input(elements: list[Json], string: bool) -> Json:
    if string and len(elements) == 1 and elements[0].keys() == {"role", "content"}:
        only = elements[0]
        if only["role"] == "user" and isinstance(only["content"], str):
            return only["content"]
    return elements


def _say_option(body: JsonObject, name: str, value: Any, notes: JsonObject) -> None:
    if name == "reasoning":
        body["reasoning"] = {**body.get("reasoning", {}),
                             "effort": "none" if value == "off" else value}  # fmt: skip
    elif name == "logprobs":
        if value and "logprobs" in notes:
            listed = list(body.get("include", ()))
            listed.insert(notes["logprobs"], LOGPROBS)
            body["include"] = listed
    elif name in PLACES:
        body[notes.get(name, PLACES[name][0])] = value


def _say_format(body: JsonObject, form: ResponseFormat, absent: Collection[str]) -> None:
    text = body.get("text", {})
    made: JsonObject = {"type": "json_schema"}
    if form.kind == "schema":
        fields = {key: getattr(form, key) for key in _SCHEMA}
        made.update({k: v for k, v in fields.items() if v is not None and k not in absent})
    else:
        made["type"] = next(key for key, kind in _FORMATS.items() if kind == form.kind)
    body["text"] = {**text, "format": {**made, **text.get("format", {})}}
