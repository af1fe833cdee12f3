"""Media in formatted messages, recognised by their shape on any wire, and what they cost.

Base64 is no text to a model, so no counter may read it as text: it is cut out of a view that
shares everything else with the message. Tool arguments are never searched: their values are text
to the model, whatever they look like. Knows shapes, not wires.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, Literal, TypeAlias

from ..errors import ConfigError, ReadError
from ..text.json_text import JsonObject, loads

Kind: TypeAlias = Literal["image", "audio", "video", "document"]

# Tokens of one medium. Round upper figures of what providers charge for a picture of 1920 x 1080
# (Gemini 1,101, GPT-6 2,448, Claude 5.5 2,768; of twelve megapixels 1,065, 14,364 and 4,005:
# huggingface.co/datasets/JOHNISKING/image-token-cost, 2026), a minute of speech (OpenAI 600, Gemini
# 1,920), a minute of video at low resolution (Gemini 6,000) and three pages of PDF (Claude 6,000).
ESTIMATES: Mapping[Kind, int] = {"image": 3000, "audio": 2000, "video": 6000, "document": 6000}

# The keys of a part that hold media, each with its kind. A file's kind is in its media type.
_PLACES: Mapping[str, Kind] = {
    **dict.fromkeys(("image", "image_url"), "image"),
    **dict.fromkeys(("audio", "input_audio"), "audio"),
    **dict.fromkeys(("video", "video_url"), "video"),
    **dict.fromkeys(("document", "document_url", "doc_url", "source"), "document"),
    **dict.fromkeys(("file", "file_id", "file_url", "file_data", "fileData"), "document"),
    **dict.fromkeys(("inline_data", "inlineData"), "document"),
}

# Keys whose lists or objects hold further parts: message contents and tool results.
_CONTAINERS = ("content", "parts", "output", "toolResult", "functionResponse", "function_response")

_MEDIA_TYPES = ("media_type", "mime_type", "mimeType")

# Keys of a part's type that name a medium: `source` alone may also be the link of a search result.
_TYPES: Mapping[str, Kind] = {
    **dict.fromkeys(("image", "input_image", "computer_screenshot"), "image"),
    "audio": "audio",
    "video": "video",
    "document": "document",
}

_HEADS: Mapping[str, Kind] = {
    "image": "image",
    "audio": "audio",
    "video": "video",
    **dict.fromkeys(("application", "text"), "document"),
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


def media_estimates(figures: Mapping[Kind, int] | None) -> dict[Kind, int]:
    """The table of estimates with a user's figures put over the defaults."""
    unknown = set(figures or ()) - set(ESTIMATES)
    if unknown:
        text = f"no such kind of medium: {', '.join(map(str, sorted(unknown)))}"
        hint = f"the kinds are {', '.join(ESTIMATES)}"
        raise ConfigError(text, hint=hint, code="token.media_kind")
    return {**ESTIMATES, **(figures or {})}


def without_payloads(part: JsonObject) -> tuple[JsonObject, list[Medium]]:
    """A message (or one part of it) without base64, and the media found in it.

    The given dict is not changed; it is returned itself when it carries no base64.
    """
    media: list[Medium] = []
    return _part(part, media), media


def _part(part: JsonObject, media: list[Medium]) -> JsonObject:
    start = len(media)
    changed: JsonObject = {}
    for key, value in part.items():
        if not value or isinstance(value, (bool, int, float)):
            continue
        if key in _CONTAINERS:
            changed_value = _inside(value, media)
        elif key in _PLACES:
            changed_value = _place(part, key, value, media)
        elif key == "images" and isinstance(value, list):
            changed_value = [_frame(item, "image", media, raw=True) for item in value]
        elif key == "result" and part.get("type") == "image_generation_call":
            changed_value = _frame(value, "image", media, raw=True)
        elif key == "result" and isinstance(value, list):  # of a function, on Interactions
            changed_value = _inside(value, media)
        elif key == "data" and part.get("type") in _TYPES and isinstance(value, (str, bytes)):
            changed_value = _frame(value, _TYPES[part["type"]], media, raw=True)
        else:
            continue
        if changed_value is not value:
            changed[key] = changed_value
    _set_detail(part, media, start)
    return {**part, **changed} if changed else part


def _set_detail(holder: JsonObject, media: list[Medium], start: int) -> None:
    """Give the media found in `holder` the detail that it asks for."""
    if isinstance(detail := holder.get("detail"), str) and len(media) > start:
        media[start:] = [
            medium if medium.detail else replace(medium, detail=detail) for medium in media[start:]
        ]


def _inside(value: Any, media: list[Medium]) -> Any:
    """The parts of a message or of a tool result; text stays what it is."""
    if isinstance(value, dict):
        return _part(value, media)
    if not isinstance(value, list):
        return value
    parts = [_part(item, media) if isinstance(item, dict) else item for item in value]
    return value if all(map(is_, parts, value)) else parts


def _place(part: JsonObject, key: str, value: Any, media: list[Medium]) -> Any:
    """The value of a key that holds a medium, its bytes cut out."""
    kind = _PLACES[key]
    if key in ("source", "file_id"):
        type_kind = _TYPES.get(str(part.get("type", "")))
        if type_kind is None and key == "source":
            return value
        kind = type_kind or kind
    if isinstance(value, list):  # the frames of a video
        frames = [_frame(item, "image", media, raw=False) for item in value]
        return value if all(map(is_, frames, value)) else frames
    if isinstance(value, dict):
        return _holder(value, kind, media)
    return _frame(value, kind, media, raw=key in ("input_audio", "file_data"))


def _holder(value: JsonObject, kind: Kind, media: list[Medium]) -> JsonObject:
    """An object around a medium: `{"url"}`, `{"data"}`, `{"file_data"}`, `{"source": ...}`."""
    source = value.get("source")
    if isinstance(source, dict):
        changed_source = _holder(source, kind, media)
        return value if changed_source is source else {**value, "source": changed_source}
    if value.get("type") == "text" or "text" in value:  # a document of plain text is text
        return value
    if "content" in value:
        return _part(value, media)
    kind = next((_kind(value[key], kind) for key in _MEDIA_TYPES if value.get(key)), kind)
    for key in ("data", "bytes", "file_data"):
        payload = value.get(key)
        if isinstance(payload, (str, bytes)):
            return {**value, key: _frame(payload, kind, media, raw=True)}
        if payload is not None:  # an object of the user's own: text to the model
            return value
    url, start = value.get("url"), len(media)
    new_url = _frame(url, kind, media, raw=False)
    _set_detail(value, media, start)
    return value if new_url is url else {**value, "url": new_url}


def _frame(value: Any, kind: Kind, media: list[Medium], *, raw: bool) -> Any:
    """One payload or reference; `raw` says that text without a `data:` header is base64 too."""
    if isinstance(value, dict):
        return _holder(value, kind, media)
    if isinstance(value, bytes):
        media.append(Medium(kind, inline=True, payload=value))
        return b""
    if isinstance(value, str) and value[:5].lower() == "data:":
        header = value[:_HEADER].partition(",")[0]
        media.append(Medium(_kind(header[5:], kind), inline=True, payload=value))
        return f"{header}," if len(header) < _HEADER else "data:,"
    inline = isinstance(value, str) and (
        raw or (len(value) > _LONGEST_PATH and "://" not in value[:_HEADER])
    )
    media.append(Medium(kind, inline, payload=value))
    return "" if inline else value


def _kind(media_type: Any, default: Kind) -> Kind:
    return _HEADS.get(str(media_type).partition("/")[0], default)


# Roles that few templates know, by the nearest that all know.
_ROLES = {"model": "assistant", "developer": "system", "function": "tool"}


@dataclass(frozen=True, slots=True)
class Style:
    """What a template reads: content as text, as typed parts; call arguments as objects."""

    strings: bool = True
    parts: bool = False
    objects: bool = True


@dataclass(slots=True)
class _Turn:
    """The content of one formatted message, sorted by the fields of a template."""

    texts: list[str | None] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[JsonObject] = field(default_factory=list)
    results: list[JsonObject] = field(default_factory=list)
    media: list[Medium] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All texts as one."""
        return "\n".join(text or "" for text in self.texts)


def template_turns(messages: list[JsonObject]) -> tuple[list[JsonObject], list[Medium]]:
    """The messages in a template's form, with `content` as text or a list of texts, and media."""
    turns: list[JsonObject] = []
    media: list[Medium] = []
    for message in messages:
        turn = _Turn()
        if "role" in message:
            turns += _message(message, turn)
        else:  # an item that is no message: a call, a result, reasoning
            _sort(message, turn)
            role = "user" if message.get("type") == "user_input" else "assistant"
            turns += _split_results({"role": role}, turn, turn.text)
        media += turn.media
    return turns, media


def _message(message: JsonObject, turn: _Turn) -> list[JsonObject]:
    content = message.get("content", message.get("parts"))
    fields = {key: value for key, value in message.items() if key not in ("content", "parts")}
    fields, field_media = without_payloads(fields)
    turn.media += field_media
    fields["role"] = _ROLES.get(message["role"], message["role"])
    fields.pop("images", None)
    if isinstance(content, list):
        for part in content:
            _sort(part, turn)
        return _split_results(fields, turn, turn.texts)
    if content is not None:
        _sort(content, turn)
    return _split_results(fields, turn, turn.text)


def _split_results(
    fields: JsonObject, turn: _Turn, content: str | list[str | None]
) -> list[JsonObject]:
    """Results as tool messages of their own, then the rest of the message."""
    if turn.results and not (turn.texts or turn.calls or turn.reasoning):
        return turn.results
    view = {**fields, "content": content}
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


def _sort_keyed(part: JsonObject, turn: _Turn) -> None:
    """Sort a part whose only key is its type, or that is a medium, or that is unknown."""
    kind, inside = part.get("type"), part.get("content")  # items of Interactions
    if kind == "function_result":
        _result(part, part.get("result"), turn)
        return
    if kind in ("user_input", "model_output") and isinstance(inside, list):
        for item in inside:
            _sort(item, turn)
        return
    for key in ("function_call", "functionCall", "toolUse"):
        if isinstance(call := part.get(key), dict):
            arguments = call.get("args", call.get("input"))
            turn.calls.append(_call(call, call.get("name"), arguments))
            return
    for key in ("function_response", "functionResponse", "toolResult"):
        if isinstance(result := part.get(key), dict):
            output = result.get("content", result.get("response"))
            _result(result, output, turn, result.get("parts"))
            return
    view, media = without_payloads(part)
    turn.media += media
    text = part.get("text")
    if isinstance(text, str) or (text is None and "text" in part):
        turn.texts.append(text)
    elif media:
        turn.texts += _texts(view)
    else:
        turn.texts.append(as_json(view))


def _call(part: JsonObject, name: Any, arguments: Any) -> JsonObject:
    id = _id(part)
    function = {"name": name, "arguments": arguments or {}}
    return {"type": "function", **({} if id is None else {"id": id}), "function": function}


def _result(part: JsonObject, output: Any, turn: _Turn, media: Any = None) -> None:
    """A tool message: text, parts or an object of any shape, its media put aside."""
    content = _Turn()
    for item in [*(output if isinstance(output, list) else [output]), *(media or ())]:
        if item is not None:
            _sort(item, content)
    turn.media += content.media
    message: JsonObject = {"role": "tool"}
    if (id := _id(part)) is not None:
        message["tool_call_id"] = id
    if isinstance(name := part.get("name"), str):
        message["name"] = name
    turn.results.append({**message, "content": content.text})


def _id(part: JsonObject) -> Any:
    """Some templates write the ids of calls and results; the item's own id comes last."""
    keys = ("tool_use_id", "call_id", "toolUseId", "id")
    return next((part[key] for key in keys if part.get(key) is not None), None)


def _texts(value: Any) -> list[str]:
    """The values of all `text` keys, at any depth, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value if isinstance(item, (dict, list)) for text in _texts(item)]
    items = value.items() if isinstance(value, dict) else ()
    return [
        text
        for key, item in items
        if isinstance(item, (dict, list)) or (key == "text" and isinstance(item, str))
        for text in _texts(item)
    ]


def styled_turns(messages: list[JsonObject], style: Style) -> list[JsonObject]:
    """Turns spelled as one template reads them."""
    return [_apply_style(message, style) for message in messages]


def _apply_style(message: JsonObject, style: Style) -> JsonObject:
    content = message["content"]
    view = {**message}
    if isinstance(content, str) and not style.strings:
        view["content"] = [{"type": "text", "text": content}]
    elif isinstance(content, list):
        # a null text stays: the template says how the model sees it
        parts = [{"type": "text", "text": text} for text in content]
        view["content"] = parts if style.parts else "\n".join(text or "" for text in content)
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


_PARAMETERS = (
    *("parameters", "input_schema", "inputSchema"),
    *("parameters_json_schema", "parametersJsonSchema"),
)


def function_tools(tools: list[JsonObject]) -> list[JsonObject]:
    """One `{"type": "function", "function": ...}` for each tool; others stay as they are."""
    listed = tools if isinstance(tools, (list, tuple)) else [tools]
    return [view for tool in listed for view in _views(tool)]


def _views(tool: Any) -> list[JsonObject]:
    if not isinstance(tool, dict):  # what is no tool is counted by its text
        return [{"tool": tool}]
    if isinstance(tool.get("function"), dict):
        return [tool]
    for key in ("function_declarations", "functionDeclarations"):
        if isinstance(declared := tool.get(key), list):
            return [_function(item) for item in declared if isinstance(item, dict)]
    if isinstance(spec := tool.get("toolSpec"), dict):
        return [_function(spec)]
    if isinstance(tool.get("name"), str) and any(key in tool for key in _PARAMETERS):
        return [_function(tool)]
    return [tool]


def _function(tool: JsonObject) -> JsonObject:
    schema: Any = next((tool[key] for key in _PARAMETERS if tool.get(key) is not None), {})
    if isinstance(schema, dict) and isinstance(schema.get("json"), dict):
        schema = schema["json"]
    name, description = tool.get("name", ""), tool.get("description") or ""
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def split_body(body: JsonObject) -> tuple[list[Any], list[Any]]:
    """(messages with the system prompt first, tools) of a body of any wire, as counters take them.

    >>> split_body({"input": {"messages": [{"role": "user", "content": "Hi"}]}, "parameters": {}})
    ([{'role': 'user', 'content': 'Hi'}], [])
    """
    given: Any = body.get("messages") or body.get("contents") or body.get("input") or []
    if isinstance(given, dict):  # DashScope
        given = given.get("messages") or []
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    for key in ("system", "instructions", "systemInstruction", "system_instruction"):
        if system := body.get(key):
            said = system if isinstance(system, dict) else {"content": system}
            messages = [{**said, "role": "system"}, *messages]
            break
    tools: Any = body.get("tools")
    for key in ("parameters", "toolConfig"):  # DashScope, Bedrock
        inside = body.get(key)
        if not tools and isinstance(inside, dict):
            tools = inside.get("tools")
    return messages, tools if isinstance(tools, list) else []
