"""What Interactions refuses: cases of pairs, names and empty turns."""

from __future__ import annotations

from typing import Any

from ...judges.cases import GONE
from . import Case

TEXT = {"type": "text", "text": "Hi."}
USER = {"type": "user_input", "content": [TEXT]}
SAID = {"type": "model_output", "content": [{"type": "text", "text": "Well."}]}
THOUGHT = {"type": "thought", "signature": "c2ln", "summary": [TEXT]}
TOOL = {"type": "function", "name": "look", "parameters": {"type": "object"}}


def call(id: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": id, "name": "look", "arguments": {}} | more


def seen(id: str, result: Any = "seen") -> dict[str, Any]:
    return {"type": "function_result", "call_id": id, "name": "look", "result": result}


CHOICE = {"allowed_tools": {"mode": "any", "tools": ["look"]}}
BASE: dict[str, Any] = {
    "model": "gemini-3.8-flash",
    "input": [USER, THOUGHT, call("a"), call("b"), seen("b"), seen("a", [TEXT]), SAID, USER],
    "tools": [TOOL],
    "generation_config": {"tool_choice": CHOICE},
    "system_instruction": "Be brief.",
}
WAITING = {"input[7]": GONE, "input[6]": GONE, "input[5]": GONE, "input[4]": GONE}
NAME = "generation_config.tool_choice.allowed_tools.tools[0]"

CASES = [
    Case("answered", "input[2]", {"input[5]": USER}, "14"),
    Case("orphan", "input[7]", {"input[7]": seen("c")}, "14"),
    Case("twice", "input[7]", {"input[7]": seen("a")}, ""),
    Case("repeated_id answered", "input[3].id", {"input[3].id": "a", "input[4]": USER,
         "input[5]": USER}, "10"),
    Case("call_id", "input[4].call_id", {"input[3].id": "", "input[4].call_id": ""}, "10"),
    Case("arguments", "input[2].arguments", {"input[2].arguments": "{}"}, "16"),
    Case("tool_name", "tools[0].name", {"tools[0].name": "look up", NAME: "look up"}, "18"),
    Case("tool_name", "input[2].name", {"input[2].name": "2nd"}, "18"),
    Case("tool_twice", "tools[1].name", {"tools": [TOOL, TOOL]}, ""),
    Case("choice_alone", "generation_config.tool_choice", {"tools": []}, "22",
         {"tools": [], "generation_config": GONE}),
    Case("choice_unknown", NAME, {NAME: "x"}, "22"),
    Case("empty", "input[0].content", {"input[0].content": []}, "2"),
    Case("empty", "input[0].content", {"input[0].content[0].text": " "}, "62"),
    Case("seat", "input[0].content[0]", {"input[0].content[0]": {"type": "refusal"}}, ""),
    Case("step", "input[0].type", {"input[0].type": "message"}, "35a"),
    Case("first", "input[0]", {"input[0]": SAID}, "65c"),
    Case("no_input", "input", {"input": []}, "13a"),
]  # fmt: skip
