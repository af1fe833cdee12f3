"""The conversation of document 001 as its formatter writes it, and one like it on other wires."""

from __future__ import annotations

from typing import Any

__all__ = ["ANTHROPIC", "DOCUMENT", "GEMINI", "OLLAMA", "OPENAI", "TOOLS", "without_oldest"]

_HEADER = (
    "# Conversation History\n"
    "The content between <history></history> tags contains your conversation history\n"
    "<history>\n"
)
_FIRST = (
    "Bob: 你好，Alice，你知道最近的图书馆在哪里吗？\n",
    "Alice: 抱歉，我不知道。Charlie，你有什么想法吗？\n",
    "Charlie: 没有，我们问问 Friday 吧。Friday，帮我找到最近的图书馆。\n",
)


def _call(id: str, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": id, "type": "function", "function": function}


def without_oldest(dropped: int) -> list[dict[str, Any]]:
    """Document 001's seven messages, the first `dropped` speeches cut away."""
    return [
        {"role": "system", "content": "你是一个名为 Friday 的有用助手"},
        {"role": "user", "content": _HEADER + "".join(_FIRST[dropped:]) + "</history>"},
        {
            "role": "assistant",
            "content": [{"text": None}],
            "tool_calls": [_call("1", "get_current_location", "{}")],
        },
        {
            "role": "tool",
            "tool_call_id": "1",
            "content": "104.48, 36.30",
            "name": "get_current_location",
        },
        {
            "role": "assistant",
            "content": [{"text": None}],
            "tool_calls": [
                _call("2", "search_around", '{"location": [104.48, 36.3], "keyword": "library"}')
            ],
        },
        {"role": "tool", "tool_call_id": "2", "content": "[...]", "name": "search_around"},
        {
            "role": "user",
            "content": "<history>\nFriday: 最近的图书馆是...\nBob: 谢谢，Friday！\n"
            "Alice: 我们一起去吧。\n</history>",
        },
    ]


DOCUMENT = without_oldest(0)

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "search_around",
            "description": "Places near a point.",
            "parameters": {
                "type": "object",
                "properties": {
                    "location": {"type": "array", "items": {"type": "number"}},
                    "keyword": {"type": "string"},
                },
                "required": ["location"],
            },
        },
    }
]

OPENAI: list[dict[str, Any]] = [
    {
        "role": "system",
        "name": "system",
        "content": [{"type": "text", "text": 'You\'re "Friday".'}],
    },
    {
        "role": "user",
        "name": "Bob",
        "content": [
            {"type": "text", "text": "图书馆在哪里？\n"},
            {"type": "image_url", "image_url": {"url": "https://example.com/map.png"}},
        ],
    },
    {
        "role": "assistant",
        "name": "Friday",
        "content": None,
        "tool_calls": [_call("1", "search_around", '{"location": [104.48, 36.3]}')],
    },
    {"role": "tool", "tool_call_id": "1", "content": "[...]", "name": "search_around"},
]

ANTHROPIC: list[dict[str, Any]] = [
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "Hi"},
            {"type": "image", "source": {"type": "url", "url": "https://example.com/map.png"}},
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {
                "id": "1",
                "type": "tool_use",
                "name": "f",
                "input": {"data": "data:image/png;base64,AAAA", "n": 1.5},
            },
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "1",
                "content": [{"type": "text", "text": "ok"}],
            }
        ],
    },
]

GEMINI: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"text": "Hi"}]},
    {
        "role": "model",
        "parts": [{"function_call": {"id": None, "name": "f", "args": {"x": True}}}],
    },
    {
        "role": "user",
        "parts": [{"function_response": {"id": "1", "name": "f", "response": {"output": "ok"}}}],
    },
]

OLLAMA: list[dict[str, Any]] = [
    {"role": "user", "content": "Hi"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}}
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "ok", "name": "f"},
]
