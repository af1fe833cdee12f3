"""A whole request, read into the tree, and its body said again as it was read.

`read_request` and `body_as_read` are each other's inverse: what a field's neutral value does not
say stands in the notes (where it stood, how it was spelled) or among the fields that nobody models.
Reference: OpenAI API, "Create chat completion", request body.
"""

from __future__ import annotations

from collections.abc import Collection

from ...errors import InvalidMessage
from ...jsontext import Json, JsonObject
from ...message import ChatRequest, ResponseFormat
from ...message.blocks import noted
from ...message.makers import asking, written_by
from ...seats import Seated
from ...shapes import filled
from .dialect import Dialect
from .history import read_messages
from .options import Spots, read_options, say_option
from .tools import read_choice, read_tools, say_choice, say_tools

__all__ = ["body_as_read", "read_request"]

_FORMATS = {"text": "text", "json_object": "json"}
_SCHEMA = {"schema": dict, "name": str, "description": str, "strict": bool}


def read_request(
    body: JsonObject, dialect: Dialect, spots: Spots
) -> tuple[ChatRequest, Seated | None]:
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
    messages, seated = read_messages(listed, issuer, written_by(issuer, model))
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
    return made, seated


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
