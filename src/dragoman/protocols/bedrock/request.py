"""The fields of a request, read into the tree, and said again as they were read.

`read_request` and `body_as_read` are each other's inverse: what a field's neutral value does not
say stands in the notes (where it stood, how it was spelled) or among the fields that nobody models.
The model and whether a stream is asked for stand in the path. Reference: Amazon Bedrock API
reference, "Converse", request body.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import unquote

from ...errors import InvalidMessage, ReadError
from ...jsontext import Json, JsonObject, arguments, loads
from ...message import ChatRequest, Msg, Origin, ResponseFormat
from ...message.blocks import noted
from .asking import place, put, read_options, say_options, take
from .declared import choice_as_read, read_choice, read_tools, tools_as_read
from .history import read_message, read_system, system_as_read

__all__ = ["asked_in", "body_as_read", "read_request"]

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
        response_format=_format(rest, notes),
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


def _format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
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
