"""The fields of a request, read into the tree, and said again as they were read.

`read_request` and `body_as_read` are each other's inverse: what a field's neutral value does not
say stands in the notes or among the fields that nobody models. A header asks for a stream.
Reference: Model Studio, "Qwen API via DashScope", request body.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...errors import InvalidMessage
from ...jsontext import Json, JsonObject
from ...message import ChatRequest, Msg, Options, ResponseFormat
from ...message.blocks import noted
from .declared import read_choice, read_tools, say_choice, say_tools
from .history import read_messages

__all__ = ["PLACES", "body_as_read", "claims", "read_request"]

# option -> its key under `parameters`; of several the first that is there
PLACES: dict[str, tuple[str, ...]] = {
    "max_tokens": ("max_tokens", "max_completion_tokens"),
    **{name: (name,) for name in (
        "temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty",
        "repetition_penalty", "seed", "n", "logprobs", "top_logprobs",
    )},
    "reasoning_budget": ("thinking_budget",),
}  # fmt: skip
_REAL = {"temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"}
_FORMATS = {"text": "text", "json_object": "json"}


def read_request(
    body: JsonObject, issuer: str, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """The request that the body makes."""
    rest = dict(body)
    notes: JsonObject = {}
    model = rest.pop("model") if isinstance(rest.get("model"), str) and rest["model"] else None
    messages = _messages(rest, notes, issuer, model)
    told = rest.get("parameters")
    left = dict(told) if isinstance(told, dict) else {}
    made = ChatRequest(
        messages,
        tools=read_tools(left, issuer),
        tool_choice=read_choice(left, notes),
        options=_options(left, notes),
        response_format=_format(left, notes),
        model=model,
        stream=_stream(left, notes, headers),
    )
    if isinstance(told, dict) and told:
        rest["parameters"] = left
        if not left:
            del rest["parameters"]
    own = {name: kept for name, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _messages(rest: JsonObject, notes: JsonObject, issuer: str, model: str | None) -> list[Msg]:
    """The messages, or the prompt in their place, taken out of the `input`."""
    told = rest.get("input")
    if isinstance(told, dict):
        inner = dict(told)
        if isinstance(told.get("messages"), list):
            made = read_messages(inner.pop("messages"), issuer, model)
        elif isinstance(told.get("prompt"), str) and "messages" not in told:
            made = [Msg.trusted("", inner.pop("prompt"), "user")]
            notes["messages"] = "prompt"
        else:
            notes["messages"] = "absent"
            return []
        rest["input"] = inner
        if not inner:
            del rest["input"]
        return made
    notes["messages"] = "absent"
    return []


def _stream(rest: JsonObject, notes: JsonObject, headers: Mapping[str, str] | None) -> bool:
    """Whether it is streamed: a header says so, or else parameters that only a stream may have."""
    told = rest.get("stream")
    wanted = told if isinstance(told, bool) else rest.get("incremental_output") is True
    if headers:
        named = {name.lower(): value.lower() for name, value in headers.items()}
        events = "event-stream" in named.get("accept", "")
        wanted = events or named.get("x-dashscope-sse") == "enable"
    if told is wanted:  # which the service tolerates
        del rest["stream"]
        notes["stream"] = "told"
    return wanted


def _options(rest: JsonObject, notes: JsonObject) -> Options:
    given: dict[str, Any] = {}
    taken: list[str] = []
    said: JsonObject = {}
    for name, keys in PLACES.items():
        key = next((one for one in keys if _fits(name, rest.get(one))), None)
        if key is not None:
            given[name] = rest[key]
            taken.append(key)
            if key != keys[0]:
                said[name] = key
    stop = rest.get("stop")
    listed = [stop] if isinstance(stop, str) else stop
    if isinstance(listed, list) and listed and all(isinstance(one, str) for one in listed):
        given["stop"] = tuple(listed)
        taken.append("stop")
        if isinstance(stop, str):
            said["stop"] = "text"
    switch, effort = rest.get("enable_thinking"), rest.get("reasoning_effort")
    if isinstance(effort, str) and effort not in ("", "on", "off") and switch is not False:
        given["reasoning"] = effort
        said["reasoning"] = "effort switch" if switch is True else "effort"
        taken += ["reasoning_effort", "enable_thinking"] if switch is True else ["reasoning_effort"]
    elif isinstance(switch, bool):
        given["reasoning"] = "on" if switch else "off"
        taken.append("enable_thinking")
    try:
        made = Options(**given)
    except InvalidMessage:  # text or numbers that no JSON can say again
        return Options()
    for key in taken:
        del rest[key]
    notes.update(said)
    return made


def _fits(name: str, value: Any) -> bool:
    if name == "logprobs":
        return isinstance(value, bool)
    return isinstance(value, (int, float) if name in _REAL else int) and not isinstance(value, bool)


def _format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    told = rest.get("response_format")
    if not isinstance(told, dict):
        return None
    kind = told.get("type")
    if isinstance(kind, str) and kind in _FORMATS and len(told) == 1:
        del rest["response_format"]
        return ResponseFormat(_FORMATS[kind])  # type: ignore[arg-type]  # one of two kinds
    inner = told.get("json_schema")
    if kind != "json_schema" or not isinstance(inner, dict) or len(told) != 2:
        return None
    fields = {"schema": dict, "name": str, "description": str, "strict": bool}
    given = {key: inner[key] for key, cls in fields.items() if isinstance(inner.get(key), cls)}
    if "schema" not in given or inner.keys() - given.keys():
        return None
    try:
        made = ResponseFormat("schema", **given)
    except InvalidMessage:
        return None
    del rest["response_format"]
    if absent := [key for key in ("name", "description") if key not in given]:
        notes["format"] = " ".join(absent)
    return made


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    body: JsonObject = dict(extras.get(issuer, {}))
    notes = extras.get(noted(issuer), {})
    if req.model and "model" in kept:
        body["model"] = req.model
    if elements or notes.get("messages") != "absent":
        inner = body.get("input")
        said = _input_as_read(elements, notes.get("messages"))
        body["input"] = {**said, **(inner if isinstance(inner, dict) else {})}
    told = body.get("parameters")
    there = told if isinstance(told, dict) else {}
    made = {**_parameters(req, kept, notes, issuer), **there}
    if "stream" not in kept:  # it belongs to streams alone, and makes pieces of their events
        made.pop("incremental_output", None)
        made |= {"incremental_output": True} if req.stream else {}
    elif "stream" in notes:
        made["stream"] = req.stream
    if made or there:
        body["parameters"] = made
    return body


def _input_as_read(elements: list[Json], note: str | None) -> JsonObject:
    told = elements[0] if note == "prompt" and len(elements) == 1 else None
    plain = isinstance(told, dict) and told.keys() == {"role", "content"}
    if isinstance(told, dict) and plain and isinstance(told["content"], str):
        return {"prompt": told["content"]} if told["role"] == "user" else {"messages": elements}
    return {"messages": elements}


def _parameters(
    req: ChatRequest, kept: Collection[str], notes: JsonObject, issuer: str
) -> JsonObject:
    made: JsonObject = {}
    if "tools" in kept:
        say_tools(made, req.tools, issuer)
    if req.tool_choice is not None and "tool_choice" in kept:
        say_choice(made, req.tool_choice, notes.get("tool_choice"))
    for name, value in req.options.given():
        if name not in kept:
            continue
        if name == "stop":
            made["stop"] = value[0] if notes.get("stop") == "text" else list(value)
        elif name == "reasoning":
            how = notes.get("reasoning", "")
            made |= {"reasoning_effort": value} if how else {"enable_thinking": value == "on"}
            made |= {"enable_thinking": True} if "switch" in how else {}
        elif name in PLACES:
            made[notes.get(name, PLACES[name][0])] = value
    if req.response_format is not None and "response_format" in kept:
        made["response_format"] = _said_format(req.response_format, notes.get("format", ""))
    return made


def _said_format(form: ResponseFormat, absent: str) -> JsonObject:
    if form.kind != "schema":
        return {"type": next(key for key, kind in _FORMATS.items() if kind == form.kind)}
    inner: JsonObject = {"name": form.name, "schema": form.schema, "description": form.description}
    if form.strict is not None:
        inner["strict"] = form.strict
    return {"type": "json_schema",
            "json_schema": {k: v for k, v in inner.items() if k not in absent.split()}}  # fmt: skip


def claims(body: Json, path: str | None = None) -> bool:
    """Whether this can be a request of text or multimodal generation."""
    if not isinstance(body, dict) or not isinstance(told := body.get("input"), dict):
        return False
    if not (isinstance(told.get("messages"), list) or isinstance(told.get("prompt"), str)):
        return False
    if path:
        return "/services/aigc/" in path
    return isinstance(body.get("model"), str) and not body.keys() & {"messages", "contents"}
