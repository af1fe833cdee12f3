"""A request of generateContent, read into the tree, and said again as it was read.

`read_request` and `body_as_read` are each other's inverse: keys in either case, entries of tools,
lone values where lists are declared, and nulls stand in the notes. Reference: Gemini API,
"models.generateContent"; requests of a dozen clients.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any
from urllib.parse import unquote

from ...jsontext import Json, JsonObject
from ...message import ChatRequest, Msg, Options, Origin
from ...message.blocks import noted
from .declared import layout_of, read_tools, tools_as_read
from .dialect import Dialect
from .history import read_content, read_system, system_as_read
from .keys import NULL, read_keys, spell_paths
from .options import format_as_read, options_as_read, read_format, read_options
from .pairing import paired
from .picked import CALLING, read_choice, say_choice

__all__ = ["body_as_read", "claims", "read_request", "respell"]

_METHOD = re.compile(r":(stream)?generateContent\b", re.IGNORECASE)
_MODEL = re.compile(r"(?:^|/)(publishers/([^/]+)/models|models|tunedModels|endpoints)/(.+)")
_CONFIG, _THINKING = "generationConfig", "thinkingConfig"


def read_request(body: JsonObject, path: str | None, dialect: Dialect) -> ChatRequest:
    """The request that the body makes; model and stream stand in the path."""
    issuer = dialect.issuers[0]
    rest, notes = _spelled(body)
    _hollow(rest, notes)
    model = _model(rest, notes, path)
    origin = Origin(issuer, model)
    listed = _contents(rest, notes)
    msgs = [read_content(one, issuer, origin) for one in listed]
    paired(msgs)
    full = _full(rest)
    given = read_options(rest, notes)
    form = read_format(rest, notes)
    tools = _tools(rest, notes, dialect)
    picked = read_choice(rest, notes)
    top = read_system(rest.get("systemInstruction"), issuer, origin)
    if top is not None:
        del rest["systemInstruction"]
        msgs.insert(0, top)
    _emptied(rest, full)
    made = ChatRequest(
        msgs, tools=tools, tool_choice=picked, options=Options(**given), response_format=form,
        model=model, stream=bool(path and (found := _METHOD.search(path)) and found[1]),
    )  # fmt: skip
    own = {name: kept for name, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _spelled(body: JsonObject) -> tuple[JsonObject, JsonObject]:
    """(a copy of the body in camelCase as deep as it is read, the notes with how it stood)."""
    told, words = read_keys(body)
    rest = dict(told)
    for key, inner in ((_CONFIG, _THINKING), ("toolConfig", CALLING)):
        if isinstance(rest.get(key), dict):
            config, more = read_keys(rest[key], f"{key}.")
            rest[key] = config = dict(config)
            words = [*words, *more]
            if isinstance(config.get(inner), dict):
                deep, more = read_keys(config[inner], f"{key}.{inner}.")
                config[inner] = dict(deep)
                words += more
    return rest, {"keys": words} if words else {}


def _hollow(rest: JsonObject, notes: JsonObject) -> None:
    """Objects that were empty to begin with say nothing: they are but noted."""
    empty: list[str] = []
    for key, inner in ((_CONFIG, _THINKING), ("toolConfig", CALLING)):
        config = rest.get(key)
        if isinstance(config, dict) and config.get(inner) == {}:
            del config[inner]
            empty.append(f"{key}.{inner}")
        if config == {}:
            del rest[key]
            empty.append(key)
    if empty:
        notes["empty"] = empty


def _full(rest: JsonObject) -> list[tuple[str, str]]:
    """Which of the objects that are read have anything in them."""
    found: list[tuple[str, str]] = []
    for key, inner in ((_CONFIG, _THINKING), ("toolConfig", CALLING)):
        config = rest.get(key)
        if isinstance(config, dict) and config:
            found += [(key, inner)] if isinstance(config.get(inner), dict) and config[inner] else []
            found.append((key, ""))
    return found


def _emptied(rest: JsonObject, full: list[tuple[str, str]]) -> None:
    """Objects of which nothing is left go: what was taken out of them makes them anew."""
    for key, inner in full:
        if not inner and not rest[key]:
            del rest[key]
        elif inner and not rest[key][inner]:
            del rest[key][inner]


def _model(rest: JsonObject, notes: JsonObject, path: str | None) -> str | None:
    """The model of the path; of the body, where some clients say it, too."""
    told = rest.get("model")
    if isinstance(told, str) and told:
        notes["model"] = rest.pop("model")
    found = _MODEL.search(unquote((path or "").partition("?")[0].rpartition(":")[0]))
    if found is None:
        return str(told).removeprefix("models/") or None if "model" in notes else None
    place, publisher, name = found.groups()
    bare = place == "models" or publisher == "google"
    return name if bare else f"{place}/{name}"


def _contents(rest: JsonObject, notes: JsonObject) -> list[Json]:
    told = rest.get("contents")
    if isinstance(told, list):
        del rest["contents"]
        return told
    if isinstance(told, dict | str):
        notes["contents"] = "lone"
        return [rest.pop("contents")]
    notes["contents"] = "absent"
    return []


def _tools(rest: JsonObject, notes: JsonObject, dialect: Dialect) -> Any:
    found = read_tools(rest.get("tools"), dialect)
    if found is None:
        return []
    tools, layout = found
    if isinstance(rest.pop("tools"), dict):
        notes["tools"] = {"lone": layout}
    elif layout != layout_of(tools, dialect.issuers[0]):
        notes["tools"] = {"listed": layout}
    return tools


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], dialect: Dialect
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    body: JsonObject = dict(extras.get(dialect.issuers[0], {}))
    notes = extras.get(noted(dialect.issuers[0]), {})
    if elements or "contents" not in notes:
        body["contents"] = _listed(elements, notes.get("contents"))
    if "model" in notes and "model" in kept:
        body["model"] = notes["model"]
    options_as_read(body, req, kept, notes)
    if req.response_format is not None and "response_format" in kept:
        format_as_read(body, req.response_format, notes)
    if req.tools and "tools" in kept:
        told = notes.get("tools", {})
        layout = next(iter(told.values()), None)
        made = tools_as_read(req.tools, layout, dialect)
        body["tools"] = made[0] if "lone" in told else made
    if req.tool_choice is not None and "tool_choice" in kept:
        say_choice(body, req.tool_choice, notes.get("mode"))
    if req.messages and "system" in kept:
        _say_system(body, req.messages[0], dialect.issuers[0])
    for path in notes.get("empty", ()):
        key, _, inner = path.partition(".")
        body[key] = {**({inner: {}} if inner else {}), **(body.get(key) or {})}
    spell_paths(body, _words(req, kept, notes))
    return body


def respell(body: JsonObject, req: ChatRequest, issuer: str) -> None:
    """Keys in the case in which they were read, also where somebody's change was merged."""
    words = (req.extras or {}).get(noted(issuer), {}).get("keys", ())
    spell_paths(body, [word for word in words if not word.endswith(NULL)])


def _listed(elements: list[Json], note: str | None) -> Json:
    """The contents; a lone one stands alone, a text only so."""
    if note == "lone" and len(elements) == 1:
        return elements[0]
    if note is None:
        return elements
    return [{"parts": [{"text": one}]} if isinstance(one, str) else one for one in elements]


def _say_system(body: JsonObject, m: Msg, issuer: str) -> None:
    if (m.spelling or "").partition(" ")[0] == "top":
        body["systemInstruction"] = system_as_read(m, issuer)


def _words(req: ChatRequest, kept: Collection[str], notes: JsonObject) -> list[str]:
    """How keys were spelled; not those into which somebody's change will be merged."""
    changed: set[str] = set()
    if any(name not in kept for name, _ in req.options.given()):
        changed |= {_CONFIG, "serviceTier"}
    for name, key in _FIELDS.items():
        if getattr(req, name) and name not in kept:
            changed.add(key)
    words: list[str] = notes.get("keys", [])
    if not changed:
        return words
    return [word for word in words if _top(word) not in changed]


_FIELDS = {"response_format": _CONFIG, "tools": "tools", "tool_choice": "toolConfig"}


def _top(word: str) -> str:
    """The body's key that a word is about, in camelCase."""
    return next(iter(read_keys({word.partition(".")[0].removesuffix(NULL): 0})[0]))


def claims(body: Json, path: str | None) -> bool:
    """Whether this can be a request of generateContent, by its path or its contents."""
    if not isinstance(body, dict):
        return False
    if path is not None and _METHOD.search(path):
        return True
    told: Any = body.get("contents")
    listed = told if isinstance(told, list) else [told]
    if not listed or "messages" in body or "input" in body:
        return False
    if not all(isinstance(one, dict) and "content" not in one for one in listed):
        return False  # a turn that said nothing may have no parts
    return any("parts" in one for one in listed) and all(
        "parts" in one or one.keys() == {"role"} for one in listed
    )
