"""What Mistral refuses: cases 57 to 61."""

from __future__ import annotations

from typing import Any

from ...judges.cases import GONE
from . import Case
from .openai_chat import ASKED, IMAGE, TOOL, call, seen

A, B = "aaaaaaaa1", "bbbbbbbb2"
THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
WORDS = {"type": "text", "text": "Well."}
BASE: dict[str, Any] = {
    "model": "mistral-small-latest",
    "messages": [
        {"role": "system", "content": "Be brief."}, ASKED,
        {"role": "assistant", "content": "", "tool_calls": [call(A), call(B)]},
        seen(A), seen(B) | {"name": "look"}, ASKED,
        {"role": "assistant", "content": [THOUGHT, WORDS]},
        {"role": "user", "content": [WORDS, IMAGE]},
    ],
    "tools": [TOOL],
    "tool_choice": "any",
}  # fmt: skip
MSG = "messages"
CALLING = f"{MSG}[2].tool_calls"
WAITING = {f"{MSG}[{n}]": GONE for n in (7, 6, 5, 4, 3)}

CASES = [
    Case("call_id", f"{CALLING}[0].id", {CALLING: [call("call_1"), call(B)],
         f"{MSG}[3]": seen("call_1")}, "57"),
    Case("call_id", f"{MSG}[3].tool_call_id", {CALLING: [call(A[:8]), call(B)],
         f"{MSG}[3]": seen(A[:8])}, "57"),
    Case("last", f"{MSG}[7]", {f"{MSG}[7]": {"role": "assistant", "content": "{"}}, "58 8",
         {f"{MSG}[7]": {"role": "assistant", "content": "{", "prefix": True}}),
    Case("orphan", f"{MSG}[7]", {f"{MSG}[7]": seen(A)}, "58"),
    Case("answered", f"{CALLING}[1]", {f"{MSG}[4]": ASKED}, "58 14"),
    Case("twice", f"{MSG}[5]", {f"{MSG}[5]": seen(A)}, "14"),
    Case("repeated_id answered", f"{CALLING}[1].id", {CALLING: [call(A), call(A)],
         f"{MSG}[3]": ASKED, f"{MSG}[4]": ASKED}, "10"),
    Case("order", f"{MSG}[5]", {f"{MSG}[5]": {"role": "system", "content": "Be."}}, "58"),
    Case("two_thoughts", f"{MSG}[6].content[1]", {f"{MSG}[6].content": [THOUGHT, THOUGHT, WORDS]},
         "60"),
    Case("message_key", f"{MSG}[1].name", {f"{MSG}[1].name": "Bob"}, "61 20"),
    Case("message_key", f"{MSG}[6].reasoning_content", {f"{MSG}[6].reasoning_content": "Hm."},
         "13f"),
    Case("says_nothing", f"{MSG}[6]", {f"{MSG}[6].content": ""}, "2"),
    Case("seat", f"{MSG}[7].content[0]", {f"{MSG}[7].content": [THOUGHT]}, ""),
    Case("seat", f"{MSG}[6].content[0]", {f"{MSG}[6].content": [IMAGE]}, ""),
    Case("arguments", f"{CALLING}[0].function.arguments", {CALLING: [call(A, ""), call(B)]}, "16",
         {CALLING: [call(A, {"a": 1}), call(B)]}),
    Case("tool_name", "tools[0].function.name", {"tools[0].function.name": "server/tool.v1"}, "18"),
    Case("tool_twice", "tools[1].function.name", {"tools": [TOOL, TOOL]}, ""),
    Case("no_tools", "tools", {"tools": [], "tool_choice": GONE}, "22"),
    Case("choice_alone", "tool_choice", {"tools": GONE}, "22"),
    Case("choice_unknown", "tool_choice.function.name",
         {"tool_choice": {"type": "function", "function": {"name": "find"}}}, "22"),
    Case("role", f"{MSG}[1].role", {f"{MSG}[1].role": "developer"}, "35a"),
    Case("no_messages", MSG, {"messages": []}, "13a"),
]  # fmt: skip
