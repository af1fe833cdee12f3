"""Media in formatted messages, recognised by their shape on any wire, and what they cost.

Base64 is no text to a model, so no counter may read it as text: it is cut out of a view that
shares everything else with the message. Tool arguments are never searched: what stands there is
text to the model, whatever it looks like. Knows shapes, not wires.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from ...errors import ConfigError, ReadError
from ..jsontext import loads

Kind: TypeAlias = Literal["image", "audio", "video", "document"]


# Tokens of one medium. Round upper figures of what providers charge for a picture of a megapixel
# (OpenAI 765, Gemini 1,120, Qwen 1,300, Claude 1,570), a minute of speech (OpenAI 600, Gemini
# 1,920), a minute of video at low resolution (Gemini 6,000) and three pages of PDF (Claude 6,000).
ESTIMATES: Mapping[Kind, int] = {"image": 1500, "audio": 2000, "video": 6000, "document": 6000}


# Where media stand in a part, with the kind that the key tells. A file's kind is in its media type.
_PLACES: Mapping[str, Kind] = {
    "image": "image",
    "image_url": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "video_url": "video",
    "document": "document",
    "document_url": "document",
    "doc_url": "document",
    "file": "document",
    "file_id": "document",
    "file_url": "document",
    "file_data": "document",
    "fileData": "document",
    "inline_data": "document",
    "inlineData": "document",
    "source": "document",
}


# Keys whose lists or objects hold further parts: message contents and tool results.
_CONTAINERS = (
    "content",
    "parts",
    "output",
    "toolResult",
    "functionResponse",
    "function_response",
)


_MEDIA_TYPES = ("media_type", "mime_type", "mimeType")


# Keys of a part's type that name a medium: `source` alone may also be the link of a search result.
_TYPES: Mapping[str, Kind] = {
    "image": "image",
    "input_image": "image",
    "computer_screenshot": "image",
    "audio": "audio",
    "video": "video",
    "document": "document",
}


_HEADS: Mapping[str, Kind] = {
    "image": "image",
    "audio": "audio",
    "video": "video",
    "application": "document",
    "text": "document",
}


_HEADER = 200  # a data URI's media type and parameters end long before this


_LONGEST_PATH = 1024  # what is longer and has neither scheme nor header is base64 all the same


@dataclass(frozen=True, slots=True)
class Medium:
    """One medium of a message; `inline` when the message carries its bytes, else a reference.

    `payload` is what stood there: a data URI, bare base64, bytes or the reference; `detail` is the
    resolution that OpenAI's messages ask for, where they do.
    """

    kind: Kind
    inline: bool
    payload: Any = field(default=None, compare=False, repr=False)
    detail: str = field(default="", compare=False)


def estimates(given: Mapping[Kind, int] | None) -> dict[Kind, int]:
    """The table of estimates with a user's figures put over the defaults."""
    unknown = set(given or ()) - set(ESTIMATES)
    if unknown:
        raise ConfigError(
            f"no such kind of medium: {', '.join(map(str, sorted(unknown)))}",
            hint=f"the kinds are {', '.join(ESTIMATES)}",
            code="token.media_kind",
        )
    return {**ESTIMATES, **(given or {})}


def without_payloads(part: dict[str, Any]) -> tuple[dict[str, Any], list[Medium]]:
    """A message (or one part of it) without base64, and the media found in it.

    The given dict is not changed; it is returned itself when it carries no base64.
    """
    found: list[Medium] = []
    return _part(part, found), found


def _part(part: dict[str, Any], found: list[Medium]) -> dict[str, Any]:
    before = len(found)
    changed: dict[str, Any] = {}
    for key, value in part.items():
        if not value or isinstance(value, (bool, int, float)):
            continue
        if key in _CONTAINERS:
            new = _inside(value, found)
        elif key in _PLACES:
            new = _place(part, key, value, found)
        elif key == "images" and isinstance(value, list):
            new = [_frame(item, "image", found, raw=True) for item in value]
        elif key == "result" and part.get("type") == "image_generation_call":
            new = _frame(value, "image", found, raw=True)
        else:
            continue
        if new is not value:
            changed[key] = new
    _detailed(part, found, before)
    return {**part, **changed} if changed else part


def _detailed(holder: dict[str, Any], found: list[Medium], before: int) -> None:
    """Tell the media found in `holder` the detail that it asks for."""
    if isinstance(detail := holder.get("detail"), str) and len(found) > before:
        found[before:] = [
            medium if medium.detail else replace(medium, detail=detail) for medium in found[before:]
        ]


def _inside(value: Any, found: list[Medium]) -> Any:
    """The parts of a message or of a tool result; text stays what it is."""
    if isinstance(value, dict):
        return _part(value, found)
    if not isinstance(value, list):
        return value
    new = [_part(item, found) if isinstance(item, dict) else item for item in value]
    return new if any(a is not b for a, b in zip(new, value, strict=True)) else value


def _place(part: dict[str, Any], key: str, value: Any, found: list[Medium]) -> Any:
    """The value of a key where a medium stands, its bytes cut out."""
    kind = _PLACES[key]
    if key in ("source", "file_id"):
        known = _TYPES.get(str(part.get("type", "")))
        if known is None and key == "source":
            return value
        kind = known or kind
    if isinstance(value, list):  # the frames of a video
        new = [_frame(item, "image", found, raw=False) for item in value]
        return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
    if isinstance(value, dict):
        return _holder(value, kind, found)
    return _frame(value, kind, found, raw=key in ("input_audio", "file_data"))


def _holder(value: dict[str, Any], kind: Kind, found: list[Medium]) -> dict[str, Any]:
    """An object around a medium: `{"url"}`, `{"data"}`, `{"file_data"}`, `{"source": ...}`."""
    source = value.get("source")
    if isinstance(source, dict):
        new = _holder(source, kind, found)
        return value if new is source else {**value, "source": new}
    if value.get("type") == "text" or "text" in value:  # a document of plain text is text
        return value
    if "content" in value:
        return _part(value, found)
    kind = next((_kind(value[key], kind) for key in _MEDIA_TYPES if value.get(key)), kind)
    for key in ("data", "bytes", "file_data"):
        payload = value.get(key)
        if isinstance(payload, (str, bytes)):
            return {**value, key: _frame(payload, kind, found, raw=True)}
        if payload is not None:  # an object of the user's own: text to the model
            return value
    url, before = value.get("url"), len(found)
    new_url = _frame(url, kind, found, raw=False)
    _detailed(value, found, before)
    return value if new_url is url else {**value, "url": new_url}


def _frame(value: Any, kind: Kind, found: list[Medium], *, raw: bool) -> Any:
    """One payload or reference; `raw` says that text without a `data:` header is base64 too."""
    if isinstance(value, dict):
        return _holder(value, kind, found)
    if isinstance(value, bytes):
        found.append(Medium(kind, inline=True, payload=value))
        return b""
    if isinstance(value, str) and value[:5].lower() == "data:":
        header = value[:_HEADER].partition(",")[0]
        found.append(Medium(_kind(header[5:], kind), inline=True, payload=value))
        return f"{header}," if len(header) < _HEADER else "data:,"
    inline = isinstance(value, str) and (
        raw or (len(value) > _LONGEST_PATH and "://" not in value[:_HEADER])
    )
    found.append(Medium(kind, inline, payload=value))
    return "" if inline else value


def _kind(media_type: Any, default: Kind) -> Kind:
    return _HEADS.get(str(media_type).partition("/")[0], default)


# Roles that few templates know, by the nearest that all know.
_ROLES = {"model": "assistant", "developer": "system", "function": "tool"}


_CALLS = ("function_call", "functionCall", "toolUse")


_RESULTS = ("function_response", "functionResponse", "toolResult")


@dataclass(frozen=True, slots=True)
class Style:
    """What a template reads: content as text, as typed parts; call arguments as objects."""

    strings: bool = True
    parts: bool = False
    objects: bool = True


@dataclass(slots=True)
class _Turn:
    """What one formatted message says, sorted by what a template has a place for."""

    texts: list[str | None] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)
    media: list[Medium] = field(default_factory=list)


def turns(messages: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[Medium]]:
    """The messages in a template's form, with `content` as text or a list of texts, and media."""
    said: list[dict[str, Any]] = []
    media: list[Medium] = []
    for message in messages:
        turn = _Turn()
        if "role" in message:
            said += _message(message, turn)
        else:  # an item that is no message: a call, a result, reasoning
            _sort(message, turn)
            said += _said({"role": "assistant"}, turn, "\n".join(text or "" for text in turn.texts))
        media += turn.media
    return said, media


def _message(message: dict[str, Any], turn: _Turn) -> list[dict[str, Any]]:
    content = message.get("content", message.get("parts"))
    beside, found = without_payloads(
        {key: value for key, value in message.items() if key not in ("content", "parts")}
    )
    turn.media += found
    beside["role"] = _ROLES.get(message["role"], message["role"])
    beside.pop("images", None)
    if isinstance(content, list):
        for part in content:
            _sort(part, turn)
        return _said(beside, turn, turn.texts)
    if content is not None:
        _sort(content, turn)
    return _said(beside, turn, "\n".join(text or "" for text in turn.texts))


def _said(
    beside: dict[str, Any], turn: _Turn, content: str | list[str | None]
) -> list[dict[str, Any]]:
    """Results as tool messages of their own, then what else the message says."""
    if turn.results and not (turn.texts or turn.calls or turn.reasoning):
        return turn.results
    view = {**beside, "content": content}
    if turn.calls:
        view["tool_calls"] = [*(view.get("tool_calls") or ()), *turn.calls]
    if turn.reasoning and not view.get("reasoning_content"):
        view["reasoning_content"] = "\n".join(turn.reasoning)
    return [*turn.results, view]


def _sort(part: Any, turn: _Turn) -> None:
    """Put one part where it belongs; what has no place of its own is counted as its JSON text."""
    match part:
        case str():
            turn.texts.append(part)
        case {"thought": True, "text": str(text)} | {"type": "thinking", "thinking": str(text)}:
            turn.reasoning.append(text)
        case {"reasoningContent": {"reasoningText": {"text": str(text)}}}:
            turn.reasoning.append(text)
        case {"type": "reasoning" | "thinking"}:
            turn.reasoning += _texts(part.get("content") or part.get("thinking"))
            turn.reasoning += _texts(part.get("summary"))
        case {"type": "redacted_thinking"} | {"reasoningContent": _}:
            pass  # opaque to everybody but its issuer
        case {"type": "tool_use", "name": name, "input": arguments}:
            turn.calls.append(_call(part, name, arguments))
        case {"type": "function_call" | "custom_tool_call", "name": name}:
            turn.calls.append(_call(part, name, part.get("arguments", part.get("input"))))
        case {"type": "tool_result"}:
            _result(part, part.get("content"), turn)
        case {"type": "function_call_output" | "custom_tool_call_output"}:
            _result(part, part.get("output"), turn)
        case {"type": "refusal", "refusal": str(text)}:
            turn.texts.append(text)
        case dict():
            _sort_keyed(part, turn)
        case _:
            turn.texts.append(as_json(part))


def _sort_keyed(part: dict[str, Any], turn: _Turn) -> None:
    """A part that tells what it is by its only key, or is a medium, or is nothing we know."""
    for key in _CALLS:
        if isinstance(call := part.get(key), dict):
            arguments = call.get("args", call.get("input"))
            turn.calls.append(_call(call, call.get("name"), arguments))
            return
    for key in _RESULTS:
        if isinstance(result := part.get(key), dict):
            output = result.get("content", result.get("response"))
            _result(result, output, turn, result.get("parts"))
            return
    view, found = without_payloads(part)
    turn.media += found
    text = part.get("text")
    if isinstance(text, str) or (text is None and "text" in part):
        turn.texts.append(text)
    elif found:
        turn.texts += _texts(view)
    else:
        turn.texts.append(as_json(view))


def _call(part: dict[str, Any], name: Any, arguments: Any) -> dict[str, Any]:
    call: dict[str, Any] = {"type": "function"}
    if (known := _id(part)) is not None:
        call["id"] = known
    return {**call, "function": {"name": name, "arguments": arguments or {}}}


def _result(part: dict[str, Any], output: Any, turn: _Turn, media: Any = None) -> None:
    """A tool message: text, parts or an object of any shape, its media put aside."""
    inner = _Turn()
    for item in [*(output if isinstance(output, list) else [output]), *(media or ())]:
        if item is not None:
            _sort(item, inner)
    turn.media += inner.media
    said: dict[str, Any] = {"role": "tool"}
    if (known := _id(part)) is not None:
        said["tool_call_id"] = known
    if isinstance(name := part.get("name"), str):
        said["name"] = name
    turn.results.append({**said, "content": "\n".join(text or "" for text in inner.texts)})


def _id(part: dict[str, Any]) -> Any:
    """Some templates write the ids of calls and results; the item's own id comes last."""
    keys = ("tool_use_id", "call_id", "toolUseId", "id")
    return next((part[key] for key in keys if part.get(key) is not None), None)


def _texts(value: Any) -> list[str]:
    """All that stands under `text` keys, at any depth, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value if isinstance(item, (dict, list)) for text in _texts(item)]
    found: list[str] = []
    for key, item in value.items() if isinstance(value, dict) else ():
        if key == "text" and isinstance(item, str):
            found.append(item)
        elif isinstance(item, (dict, list)):
            found += _texts(item)
    return found


def styled(messages: list[dict[str, Any]], style: Style) -> list[dict[str, Any]]:
    """Turns spelled as one template reads them."""
    return [_styled(message, style) for message in messages]


def _styled(message: dict[str, Any], style: Style) -> dict[str, Any]:
    content = message["content"]
    view = {**message}
    if isinstance(content, str) and not style.strings:
        view["content"] = [{"type": "text", "text": content}]
    elif isinstance(content, list) and style.parts:
        # a null text stays: the template says how the model sees it
        view["content"] = [{"type": "text", "text": text} for text in content]
    elif isinstance(content, list):
        view["content"] = "\n".join(text or "" for text in content)
    if isinstance(calls := message.get("tool_calls"), list):
        view["tool_calls"] = [_styled_call(call, style) for call in calls]
    return view


def _styled_call(call: Any, style: Style) -> Any:
    """Arguments as the object that most templates write as JSON, or as text for the others."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return call
    arguments = function.get("arguments")
    if style.objects and isinstance(arguments, str):
        try:
            parsed = loads(arguments or "{}")
        except ReadError:
            return call
        arguments = parsed if isinstance(parsed, dict) else arguments
    elif not style.objects and not isinstance(arguments, str):
        arguments = as_json(arguments)
    return {**call, "function": {**function, "arguments": arguments}}


def as_json(value: Any) -> str:
    """JSON text for counting only; what is no JSON is counted by its `str()`."""
    return json.dumps(value, ensure_ascii=False, default=str)


_DECLARATIONS = ("function_declarations", "functionDeclarations")


_PARAMETERS = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parameters_json_schema",
    "parametersJsonSchema",
)


def function_tools(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One `{"type": "function", "function": ...}` for each tool; others stay as they are."""
    return [view for tool in tools for view in _views(tool)]


def _views(tool: dict[str, Any]) -> list[dict[str, Any]]:
    if isinstance(tool.get("function"), dict):
        return [tool]
    for key in _DECLARATIONS:
        if isinstance(declared := tool.get(key), list):
            return [_function(item) for item in declared if isinstance(item, dict)]
    if isinstance(spec := tool.get("toolSpec"), dict):
        return [_function(spec)]
    if isinstance(tool.get("name"), str) and any(key in tool for key in _PARAMETERS):
        return [_function(tool)]
    return [tool]


def _function(tool: dict[str, Any]) -> dict[str, Any]:
    schema: Any = next((tool[key] for key in _PARAMETERS if tool.get(key) is not None), {})
    if isinstance(schema, dict) and isinstance(schema.get("json"), dict):
        schema = schema["json"]
    function = {
        "name": tool.get("name", ""),
        "description": tool.get("description") or "",
        "parameters": schema,
    }
    return {"type": "function", "function": function}
