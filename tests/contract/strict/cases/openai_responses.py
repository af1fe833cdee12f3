"""What OpenAI's Responses refuses: cases 70 to 74, and those of pairs and names."""

from __future__ import annotations

from typing import Any

from ...judges.cases import GONE
from . import Case

USER = {"role": "user", "content": [{"type": "input_text", "text": "Hi."}]}
REASON = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}


def call(call_id: str, **more: Any) -> dict[str, Any]:
    made = {"type": "function_call", "call_id": call_id, "name": "look", "arguments": "{}"}
    return made | more


def seen(id: str, output: Any = "seen") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": output}


SAID = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "Well.", "annotations": []}]}  # fmt: skip
TOOL = {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False}
BASE: dict[str, Any] = {
    "model": "gpt-5.4",
    "store": True,
    "input": [USER, REASON, call("a", id="fc_1"), call("b"), seen("b"), seen("a"), SAID, USER],
    "tools": [TOOL],
    "tool_choice": "auto",
}
WAITING = {"input[7]": GONE, "input[6]": GONE, "input[5]": GONE, "input[4]": GONE}

CASES = [
    Case("item_id", "input[2].id", {"input[2].id": "call_1"}, "70"),
    Case("item_id", "input[6].id", {"input[6].id": "msg_" + "4" * 61}, "70",
         {"input[6].id": "msg_" + "4" * 60}),
    Case("item_twice", "input[3].id", {"input[2].id": "fc_1", "input[3].id": "fc_1"}, "70"),
    Case("follower answered", "input[1]", {"input[2]": USER, "input[5]": USER, "input[4]": USER},
         "71", {"input[2]": SAID | {"id": "msg_0"}, "input[5]": USER}),
    Case("follower", "input[7]", {"input[7]": REASON | {"id": "rs_2"}}, "71"),
    Case("stored", "input[1].id", {"store": False, "input[1].encrypted_content": GONE}, "72",
         {"store": False}),
    Case("stored", "input[7].id", {"store": False, "input[7]":
         {"type": "item_reference", "id": "rs_2"}}, "72"),
    Case("seat", "input[6].content[0]",
         {"input[6].content[0]": {"type": "input_text", "text": "x"}}, "73"),
    Case("seat", "input[0].content[0]",
         {"input[0].content[0]": {"type": "output_text", "text": "x"}}, "73"),
    Case("output", "input[4].output", {"input[4].output": [{"type": "output_text", "text": "x"}]},
         "", {"input[4].output": [{"type": "input_text", "text": "x"}]}),
    Case("output", "input[4].output", {"input[4].output": None}, ""),
    Case("answered", "input[3]", {"input[4]": USER}, "14"),
    Case("orphan", "input[7]", {"input[7]": seen("c")}, "14 91",
         {"input[7]": seen("c"), "previous_response_id": "resp_1"}),
    Case("orphan answered", "input[3]", {"input[3]": seen("b"), "input[4]": call("b")}, "45"),
    Case("twice", "input[7]", {"input[7]": seen("a")}, ""),
    Case("repeated_call_id answered", "input[3].call_id",
         {"input[3].call_id": "a", "input[4]": USER, "input[5]": USER}, "10"),
    Case("call_id", "input[3].call_id", {"input[3].call_id": "b" * 65, "input[4]": seen("b" * 65)},
         "23", {"input[3].call_id": "b" * 64, "input[4]": seen("b" * 64)}),
    Case("summary", "input[1]", {"input[1].summary": GONE}, ""),
    Case("arguments", "input[3].arguments", {"input[3].arguments": ""}, "16"),
    Case("role", "input[7].role", {"input[7].role": "tool"}, ""),
    Case("no_input", "input", {"input": []}, "", {"input": [], "conversation": "conv_1"}),
    Case("tool_name", "tools[0].name", {"tools[0].name": "server/tool.v1"}, "18"),
    Case("tool_twice", "tools[1].name", {"tools": [TOOL, TOOL]}, ""),
    Case("choice_unknown", "tool_choice.name",
         {"tool_choice": {"type": "function", "name": "find"}}, "22",
         {"tool_choice": {"type": "function", "name": "look"}}),
    Case("choice_unknown", "tool_choice.tools[0].name", {"tool_choice": {"type": "allowed_tools",
         "mode": "auto", "tools": [{"type": "function", "name": "find"}]}}, ""),
    Case("choice_alone", "tool_choice", {"tools": [], "tool_choice": "required"}, "22",
         {"tools": [{"type": "web_search"}], "tool_choice": "required"}),
]  # fmt: skip
