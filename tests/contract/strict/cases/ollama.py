"""What Ollama's native chat refuses, or mistakes: cases 66 to 69."""

from __future__ import annotations

from typing import Any

from ...judges.cases import GONE, PNG
from . import Case

ASKED = {"role": "user", "content": "Hi."}


def call(id: str, name: str = "look", arguments: Any = None) -> dict[str, Any]:
    return {"id": id, "function": {"name": name, "arguments": arguments or {}}}


def seen(name: str, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "content": "seen", "tool_name": name} | more


TOOL = {"type": "function", "function": {"name": "look", "parameters": {
    "type": "object", "properties": {}}}}  # fmt: skip
BASE: dict[str, Any] = {
    "model": "qwen3",
    "messages": [
        {"role": "user", "content": "Hi.", "images": [PNG]},
        {"role": "assistant", "content": "", "tool_calls": [call("a"), call("b", "find")]},
        seen("look"),
        seen("find", tool_call_id="b"),
        ASKED,
    ],
    "tools": [TOOL],
}
MSG = "messages"
WAITING = {f"{MSG}[4]": GONE, f"{MSG}[3]": GONE, f"{MSG}[2]": GONE}
FIRST = f"{MSG}[1].tool_calls[0].function"

CASES = [
    Case("arguments", f"{FIRST}.arguments", {f"{FIRST}.arguments": '{"a":1}'}, "66"),
    Case("order", f"{MSG}[2]", {f"{MSG}[2]": seen("other")}, "67"),
    Case("order", f"{MSG}[3]", {f"{MSG}[3]": seen("find", tool_call_id="x")}, "67"),
    Case("answered", f"{MSG}[1]", {f"{MSG}[3]": ASKED}, "67"),
    Case("orphan", f"{MSG}[4]", {f"{MSG}[4]": seen("look")}, "67"),
    Case("tool_name order", f"{FIRST}.name", {f"{FIRST}.name": ""}, "67"),
    Case("images", f"{MSG}[0].images[0]", {f"{MSG}[0].images": ["https://example.com/a.png"]},
         "68"),
    Case("images", f"{MSG}[0].images[0]", {f"{MSG}[0].images": [f"data:image/png;base64,{PNG}"]},
         "68"),
    Case("properties", "tools[0].function.parameters",
         {"tools[0].function.parameters.properties": []}, "69"),
    Case("tool_twice", "tools[1].function.name", {"tools": [TOOL, TOOL]}, ""),
    Case("content", f"{MSG}[4].content", {f"{MSG}[4].content": [{"type": "text", "text": "x"}]},
         "21"),
    Case("role", f"{MSG}[4].role", {f"{MSG}[4].role": "developer"}, "35a"),
    Case("no_messages", MSG, {"messages": []}, ""),
]  # fmt: skip
