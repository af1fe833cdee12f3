"""Formatted messages of any wire, seen as what a chat template expects.

Templates know roles, text, tool calls and tool messages; wires wrap the same in parts of many
shapes. The view is new where it differs and shares the rest; the input is never changed. Media
are left out and returned beside it, so a counter can charge them. Knows shapes, not wires.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ..errors import ReadError
from ..jsontext import loads
from .media import Medium, without_payloads

__all__ = ["Style", "as_json", "styled", "turns"]

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
