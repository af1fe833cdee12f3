"""The options of a request: where each may stand in the body, read from there and said there again.

`read_options` and `say_option` are each other's inverse; the notes tell which of several places it
was. Reference: OpenAI API, "Create chat completion", request body; requests of some forty hosts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...errors import InvalidMessage
from ...message import ChatRequest, Options, ResponseFormat
from ...message.blocks import noted
from ...message.request import NO_OPTIONS, asking, written_by
from ..chat_shape import filled
from ..reasoning import Asked
from .dialect import Dialect
from .messages import read_messages
from .tools import read_choice, read_tools, say_choice, say_tools

Spots: TypeAlias = Mapping[str, tuple[str, ...]]  # option -> where it may stand, the usual first


_SPOTS: dict[str, tuple[str, ...]] = {
    "max_tokens": ("max_completion_tokens", "max_tokens"),
    **{name: (name,) for name in (
        "temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty",
        "repetition_penalty", "seed", "n", "logprobs", "top_logprobs", "service_tier",
    )},
    "user": ("user", "safety_identifier"),  # the newer of them last: not every host knows it
    "reasoning_budget": ("reasoning.max_tokens", "thinking_budget", "thinking.budget_tokens"),
}  # fmt: skip


_REAL = {"temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"}


_TEXTS = {"service_tier", "user"}


# where thinking is asked for, and which words of the place are ours
_SWITCH = {True: "on", False: "off"}


_EFFORT = {"none": "off"}


_WORDS: dict[str, dict[Any, str]] = {
    "reasoning_effort": _EFFORT,
    "reasoning.effort": _EFFORT,
    "thinking.type": {"enabled": "on", "disabled": "off", "adaptive": "on"},
    "reasoning.enabled": _SWITCH,
    "enable_thinking": _SWITCH,
    "chat_template_kwargs.enable_thinking": _SWITCH,
    "chat_template_kwargs.thinking": _SWITCH,
}


# fields of a request that are no options; many requests have no others
_OTHERS = frozenset({"messages", "model", "stream", "tools", "tool_choice", "response_format",
                     "stream_options", "parallel_tool_calls"})  # fmt: skip


def spots(dialect: Dialect) -> Spots:
    """Where options stand in the requests of this dialect: in its own place first."""
    own = {**dialect.keys, "max_tokens": dialect.max_tokens_key}
    return {
        name: (own[name], *(one for one in usual if one != own[name])) if name in own else usual
        for name, usual in _SPOTS.items()
    }


def read_options(body: JsonObject, notes: JsonObject, spots: Spots) -> Options:
    """The options, which are taken out of the body; what no option can hold stays there."""
    if body.keys() <= _OTHERS:
        return NO_OPTIONS
    rest, said = dict(body), dict(notes)
    given: dict[str, Any] = {}
    for name, places in spots.items():
        for place in places:
            if place.partition(".")[0] in body and _fits(name, value := _at(rest, place)):
                given[name] = value
                _take(rest, place)
                if place != places[0]:
                    said[name] = place
                break
    stop = rest.get("stop")
    if isinstance(stop, str):
        given["stop"], said["stop"] = (rest.pop("stop"),), "text"
    elif isinstance(stop, list) and stop and all(isinstance(one, str) for one in stop):
        given["stop"] = tuple(rest.pop("stop"))
    _thinking(rest, given, said)
    try:
        made = Options(**given)
    except InvalidMessage:  # text or numbers that no JSON can say again
        return Options()
    body.clear()
    body.update(rest)
    notes.update(said)
    return made


def _thinking(rest: JsonObject, given: dict[str, Any], notes: JsonObject) -> None:
    """The first place that asks for thinking; others are noted that say no more than it does."""
    also: JsonObject = {}
    for place, words in _WORDS.items():
        if place.partition(".")[0] not in rest:
            continue
        value = _at(rest, place)
        if not (isinstance(value, bool) if words is _SWITCH else isinstance(value, str) and value):
            continue
        word = words.get(value, value)
        if "reasoning" not in given:
            given["reasoning"] = word
            notes["reasoning"] = place if value != "adaptive" else f"{place} adaptive"
        elif word not in ("on", "off") or (word == "off") != (given["reasoning"] == "off"):
            continue
        else:
            also[place] = value
        _take(rest, place)
    if also:
        notes["thinking"] = also


def _fits(name: str, value: Any) -> bool:
    if name == "logprobs":
        return isinstance(value, bool)
    if name in _TEXTS:
        return isinstance(value, str)
    kinds = (int, float) if name in _REAL else (int,)
    return isinstance(value, kinds) and not isinstance(value, bool)


def say_option(body: JsonObject, name: str, value: Any, notes: JsonObject, spots: Spots) -> None:
    """Put an option where it was read from."""
    if name == "stop":
        body["stop"] = value[0] if notes.get("stop") == "text" else list(value)
    elif name == "reasoning":
        place, _, own = notes["reasoning"].partition(" ")
        words = {ours: theirs for theirs, ours in reversed(_WORDS[place].items())}
        _put(body, place, own or words.get(value, value))
        for other, told in notes.get("thinking", {}).items():
            _put(body, other, told)
    else:
        _put(body, notes.get(name, spots[name][0]), value)


def respell(body: JsonObject, options: Options, notes: JsonObject, spots: Spots) -> None:
    """Put options that were changed under the keys that they were read from."""
    for name, _ in options.given():
        usual, *others = spots.get(name, ("",))
        for place in others:
            if notes.get(name) == place and "." not in place and usual in body:
                body[place] = body.pop(usual)


def option_places(options: Options, notes: JsonObject, spots: Spots) -> Iterator[tuple[str, str]]:
    """(option, its path in the body) of those that are set."""
    for name, _ in options.given():
        if name == "reasoning":
            yield name, notes.get("reasoning", "reasoning_effort").partition(" ")[0]
        else:
            yield name, "stop" if name == "stop" else notes.get(name, spots[name][0])


def _at(body: JsonObject, place: str) -> Any:
    head, _, inner = place.partition(".")
    value = body.get(head)
    if not inner:
        return value
    return value.get(inner) if isinstance(value, dict) else None


def _take(body: JsonObject, place: str) -> None:
    """Leave the value out of the body; what else there is in its object stays."""
    head, _, inner = place.partition(".")
    rest = {key: value for key, value in body[head].items() if key != inner} if inner else None
    if rest:
        body[head] = rest
    else:
        del body[head]


def _put(body: JsonObject, place: str, value: Json) -> None:
    head, _, inner = place.partition(".")
    body[head] = {**(body.get(head) or {}), inner: value} if inner else value


BUDGETED = ("object", "switch")  # the ways that have a field for a budget


_USUAL = "medium"  # what the API takes for models that think unasked


def asked_for(asked: Asked, caps: Capabilities) -> JsonObject:
    """The top-level fields that ask for it."""
    effort: JsonObject = {} if asked.effort is None else {"reasoning_effort": asked.effort}
    match caps.form.split():
        case [] | ["effort"]:
            if asked.off:
                return {"reasoning_effort": "none"}
            # who thinks only when asked has to be asked for something
            usual = caps.thinks == "asked" and caps.efforts != ("on",)
            return effort or ({"reasoning_effort": _USUAL} if usual else {})
        case ["thinking"]:
            return {"thinking": {"type": "disabled" if asked.off else "enabled"}, **effort}
        case ["adaptive"]:
            return {"thinking": {"type": "disabled" if asked.off else "adaptive"}}
        case ["object"]:
            return {"reasoning": _object(asked)}
        case ["switch"]:
            made: JsonObject = {"enable_thinking": not asked.off, **effort}
            if asked.budget is not None:
                made["thinking_budget"] = asked.budget
            return made
        case ["template", *name]:
            key = name[0] if name else "enable_thinking"
            return {"chat_template_kwargs": {key: not asked.off}, **effort}
        case _:
            return {}


def _object(asked: Asked) -> JsonObject:
    if asked.effort is not None:
        return {"effort": asked.effort}
    if asked.budget is not None:
        return {"max_tokens": asked.budget}
    return {"enabled": not asked.off}


_FORMATS = {"text": "text", "json_object": "json"}


_SCHEMA = {"schema": dict, "name": str, "description": str, "strict": bool}


def read_request(
    body: JsonObject, dialect: Dialect, spots: Spots
) -> tuple[ChatRequest, RoledHistory | None]:
    """The request that the body makes, and the seats of its messages if all of them are usual."""
    issuer = dialect.issuers[0]
    rest = dict(body)
    notes: JsonObject = {}
    listed = rest.get("messages")
    if isinstance(listed, list):
        del rest["messages"]
    else:
        listed, notes["messages"] = [], "absent"
    model = rest.pop("model") if isinstance(rest.get("model"), str) and rest["model"] else None
    options = read_options(rest, notes, spots)
    messages, history = read_messages(listed, issuer, written_by(issuer, model))
    made = asking(messages)
    made.tools = read_tools(rest, notes, dialect)
    made.tool_choice = read_choice(rest, notes)
    made.options = options
    made.response_format = _format(rest, notes)
    made.stream = _stream(rest, notes)
    made.model = model
    if rest or notes:
        own = ((issuer, rest), (noted(issuer), notes))
        made.extras = {name: kept for name, kept in own if kept}
    return made, history


def _stream(rest: JsonObject, notes: JsonObject) -> bool:
    if not isinstance(rest.get("stream"), bool):
        return False
    said: bool = rest.pop("stream")
    if not said:
        notes["stream"] = "false"
    return said


def _format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    told = rest.get("response_format")
    if not isinstance(told, dict):
        return None
    kind = told.get("type")
    if not isinstance(kind, str):
        return None
    if kind in _FORMATS and len(told) == 1:
        del rest["response_format"]
        return ResponseFormat(_FORMATS[kind])  # type: ignore[arg-type]  # one of two kinds
    inner = told.get("json_schema")
    if kind != "json_schema" or not isinstance(inner, dict):
        return None
    given = {key: inner[key] for key, cls in _SCHEMA.items() if isinstance(inner.get(key), cls)}
    if "schema" not in given:
        return None
    try:
        made = ResponseFormat("schema", **given)
    except InvalidMessage:
        return None
    del rest["response_format"]
    left = {key: value for key, value in told.items() if key not in ("type", "json_schema")}
    if more := {key: value for key, value in inner.items() if key not in given}:
        left["json_schema"] = more
    if left:
        rest["response_format"] = left
    if absent := [key for key in ("name", "description") if key not in given]:
        notes["format"] = " ".join(absent)
    return made


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], dialect: Dialect, spots: Spots
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    body: JsonObject = dict(extras.get(dialect.issuers[0], {}))
    notes = extras.get(noted(dialect.issuers[0]), {})
    if elements or "messages" not in notes:
        body["messages"] = elements
    if req.model and "model" in kept:
        body["model"] = req.model
    for name, value in req.options.given():
        if name in kept:
            say_option(body, name, value, notes, spots)
    if req.tools and "tools" in kept:
        say_tools(body, [*req.tools], notes, dialect)
    if req.tool_choice is not None and "tool_choice" in kept:
        say_choice(body, req.tool_choice, notes.get("tool_choice"))
    if req.response_format is not None and "response_format" in kept:
        said = _said_format(req.response_format, notes.get("format", ""))
        body["response_format"] = filled(said, body.get("response_format", {}))
    if "stream" in kept and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body


def _said_format(form: ResponseFormat, absent: str) -> JsonObject:
    if form.kind != "schema":
        return {"type": next(key for key, kind in _FORMATS.items() if kind == form.kind)}
    inner: JsonObject = {"name": form.name, "schema": form.schema, "description": form.description}
    if form.strict is not None:
        inner["strict"] = form.strict
    return {"type": "json_schema",
            "json_schema": {k: v for k, v in inner.items() if k not in absent.split()}}  # fmt: skip
