"""What Cohere refuses: cases 14, 18, 22 and its list of errors."""

from __future__ import annotations

from typing import Any

from ...judges.cases import GONE
from . import Case
from .openai_chat import ASKED, IMAGE, TOOL, call, seen

THOUGHT = {"type": "thinking", "thinking": "Hm."}
BASE: dict[str, Any] = {
    "model": "command-a-plus-05-2026",
    "messages": [
        {"role": "system", "content": "Be brief."}, ASKED,
        {"role": "assistant", "content": [THOUGHT], "tool_calls": [call("a"), call("b")]},
        seen("a"), seen("b", [{"type": "document", "document": {"data": {"a": 1}}}]),
        {"role": "user", "content": [{"type": "text", "text": "And?"}, IMAGE]},
    ],
    "tools": [TOOL],
    "tool_choice": "REQUIRED",
}  # fmt: skip
MSG = "messages"
CALLING = f"{MSG}[2].tool_calls"
WAITING = {f"{MSG}[5]": GONE, f"{MSG}[4]": GONE, f"{MSG}[3]": GONE}

CASES = [
    Case("answered", f"{CALLING}[1]", {f"{MSG}[4]": ASKED}, "14"),
    Case("orphan", f"{MSG}[0]", {f"{MSG}[0]": seen("a")}, "14"),
    Case("twice", f"{MSG}[5]", {f"{MSG}[5]": seen("a")}, ""),
    Case("repeated_id answered", f"{CALLING}[1].id",
         {CALLING: [call("a"), call("a")], f"{MSG}[3]": ASKED, f"{MSG}[4]": ASKED}, "10"),
    Case("call_id", f"{MSG}[3].tool_call_id", {CALLING: [call(""), call("b")],
         f"{MSG}[3]": seen("")}, "10"),
    Case("call_kind", f"{CALLING}[0].type", {f"{CALLING}[0].type": "custom"}, ""),
    Case("arguments", f"{CALLING}[0].function.arguments", {CALLING: [call("a", ""), call("b")]},
         "16"),
    Case("tool_name", "tools[0].function.name", {"tools[0].function.name": "look-up"}, "18",
         {"tools[0].function.name": "look_up"}),
    Case("tool_name", f"{CALLING}[0].function.name", {f"{CALLING}[0].function.name": "2nd"}, "18"),
    Case("tool_twice", "tools[1].function.name", {"tools": [TOOL, TOOL]}, ""),
    Case("choice_alone", "tool_choice", {"tools": []}, "22", {"tools": [], "tool_choice": GONE}),
    Case("choice", "tool_choice", {"tool_choice": "auto"}, "22"),
    Case("empty", f"{MSG}[1].content", {f"{MSG}[1].content": ""}, "2"),
    Case("empty", f"{MSG}[5].content", {f"{MSG}[5].content": [{"type": "text", "text": ""}]}, "2"),
    Case("seat", f"{MSG}[4].content[0]", {f"{MSG}[4]": seen("b", [IMAGE])}, "25"),
    Case("seat", f"{MSG}[1].content[0]", {f"{MSG}[1].content": [THOUGHT]}, ""),
    Case("role", f"{MSG}[1].role", {f"{MSG}[1].role": "developer"}, "35a"),
    Case("no_messages", MSG, {"messages": []}, "13a"),
]  # fmt: skip
