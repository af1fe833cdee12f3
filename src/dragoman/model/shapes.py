"""Guesses which protocol a list of messages is for, by roles, keys, and types of parts.

Plain text under `role` and `content` is the same on many wires. What only some have narrows the
choice: `parts` is Gemini's, `toolUse` Bedrock's, arguments as text are not Ollama's. Formats: the
references that the folders in `protocols` name; read again on 2026-11-27.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..vendors import PROTOCOLS

_ALL = frozenset(PROTOCOLS)
_CHAT = frozenset({"openai-chat", "mistral", "cohere", "dashscope", "ollama"})
_TYPED = frozenset({"openai-chat", "mistral", "cohere"})  # chats whose parts have a type
_RESPONSES = frozenset({"openai-responses"})
_STEPS = frozenset({"gemini-interactions"})
_CLAUDE = frozenset({"anthropic"})
_GEMINI = frozenset({"gemini"})
_CONVERSE = frozenset({"bedrock-converse"})
_OLLAMA = frozenset({"ollama"})
_DASHSCOPE = frozenset({"dashscope"})
_COHERE = frozenset({"cohere"})

# a key of a message -> the protocols that have it
_KEYS: dict[str, frozenset[str]] = {
    "parts": _GEMINI,
    "images": _OLLAMA,
    "tool_name": _OLLAMA,
    "tool_plan": _COHERE,
    "tool_call_id": _CHAT,
    "tool_calls": _CHAT,
}
_ROLES: dict[str, frozenset[str]] = {
    "model": _GEMINI,
    "tool": _CHAT,
    "function": frozenset({"openai-chat"}),
    "developer": frozenset({"openai-chat"}) | _RESPONSES,
}
# the type of an item that has no role -> the protocols that have it
_ITEMS: dict[str, frozenset[str]] = {
    "user_input": _STEPS,
    "model_output": _STEPS,
    "function_result": _STEPS,
    "thought": _STEPS,
    "function_call_output": _RESPONSES,
    "reasoning": _RESPONSES,
    "message": _RESPONSES,
}
# the type of a part -> the protocols that have it
_PARTS: dict[str, frozenset[str]] = {
    "text": _TYPED | _CLAUDE,
    "image_url": _TYPED,
    "input_audio": frozenset({"openai-chat", "mistral"}),
    "file": frozenset({"openai-chat", "mistral"}),
    "video_url": frozenset({"openai-chat"}),
    "refusal": frozenset({"openai-chat"}) | _RESPONSES,
    "document_url": frozenset({"mistral"}),
    "thinking": _CLAUDE | frozenset({"mistral", "cohere"}),
    "redacted_thinking": _CLAUDE,
    "tool_use": _CLAUDE,
    "tool_result": _CLAUDE,
    "image": _CLAUDE,
    "document": _CLAUDE | _COHERE,
    "search_result": _CLAUDE,
    "server_tool_use": _CLAUDE,
    "input_text": _RESPONSES,
    "output_text": _RESPONSES,
    "input_image": _RESPONSES,
    "input_file": _RESPONSES,
}
_CONVERSE_KEYS = frozenset(
    {
        "toolUse",
        "toolResult",
        "reasoningContent",
        "cachePoint",
        "document",
        "guardContent",
        "citationsContent",
        "searchResult",
    }
)


def find_protocols(items: Iterable[Any]) -> frozenset[str]:
    """Return the protocols whose messages all of these can be.

    Args:
        items: Messages as plain dicts; anything else is ignored.

    Returns:
        Names of protocols. Empty if one item belongs to one protocol and one to another.
    """
    found = _ALL
    for item in items:
        if isinstance(item, Mapping):
            for possible in _list_possible(item):
                found &= possible
    return found


def _list_possible(item: Mapping[str, Any]) -> Iterator[frozenset[str]]:
    """Yield the protocols that each feature of a message allows."""
    role, kind = item.get("role"), item.get("type")
    for key, possible in _KEYS.items():
        if key in item:
            yield possible
    if isinstance(role, str) and role in _ROLES:
        yield _ROLES[role]
    if role is None and isinstance(kind, str):
        yield _ITEMS.get(kind, _RESPONSES | _STEPS)
    elif kind == "message":
        yield _RESPONSES
    calls = item.get("tool_calls")
    if isinstance(calls, list) and calls:
        yield from map(_by_arguments, calls)
    content = item.get("content")
    if role is not None and "content" in item:
        yield from _by_content(content, bool(calls))


def _by_arguments(call: Any) -> frozenset[str]:
    function = call.get("function") if isinstance(call, Mapping) else None
    arguments = function.get("arguments") if isinstance(function, Mapping) else None
    if isinstance(arguments, str):
        return _CHAT - _OLLAMA
    return _OLLAMA | {"mistral"} if isinstance(arguments, Mapping) else _ALL


def _by_content(content: Any, calls: bool) -> Iterator[frozenset[str]]:
    if isinstance(content, str):
        yield _CHAT | _RESPONSES | _CLAUDE
    elif content is None:
        yield _CHAT - _DASHSCOPE if calls else _CHAT
    elif isinstance(content, list):
        if calls and not content:
            yield _DASHSCOPE  # OpenAI: "Invalid 'messages[4].content': empty array"
        yield from (_by_part(part) for part in content if isinstance(part, Mapping))


def _by_part(part: Mapping[str, Any]) -> frozenset[str]:
    kind = part.get("type")
    if isinstance(kind, str):
        return _PARTS.get(kind, _ALL)
    if not _CONVERSE_KEYS.isdisjoint(part):
        return _CONVERSE
    for key in ("image", "audio", "video"):
        if key in part:
            return _CONVERSE if isinstance(part[key], Mapping) else _DASHSCOPE
    return _CONVERSE | _DASHSCOPE if "text" in part else _ALL


# what distinguishes a protocol most: its roles, and the form of a call and of its result
_SHAPES: dict[str, str] = {
    "openai-chat": "messages with `tool_calls` of the assistant and messages of the role tool",
    "openai-responses": "items such as function_call and function_call_output, no messages alone",
    "anthropic": "blocks such as tool_use and tool_result, the system prompt beside the messages",
    "gemini": "contents of the roles user and model, with functionCall and functionResponse",
    "gemini-interactions": "steps such as function_call and function_result",
    "dashscope": "messages below `input`, content as parts without a type",
    "ollama": "messages with images beside their text, arguments of calls as objects",
    "bedrock-converse": "blocks such as toolUse and toolResult of two roles",
    "mistral": "messages with `tool_calls`, ids of nine characters, results with a name",
    "cohere": "messages with a `tool_plan`, results as documents",
}


def difference(one: str, other: str) -> str:
    """Describe how the messages of two protocols differ, for errors."""
    return f"{one} has {_SHAPES.get(one, one)}; {other} has {_SHAPES.get(other, other)}"
