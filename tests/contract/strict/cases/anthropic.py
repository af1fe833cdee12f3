"""What Anthropic refuses: cases 1 to 13h."""

from __future__ import annotations

from typing import Any

from ...judges.cases import GONE, JPEG, PNG
from . import Case

THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
CALL_A = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
CALL_B = {"type": "tool_use", "id": "b", "name": "look", "input": {}}
SEEN_A = {"type": "tool_result", "tool_use_id": "a", "content": "seen"}
SEEN_B = {"type": "tool_result", "tool_use_id": "b", "content": "seen"}
HI = {"type": "text", "text": "Hi."}
ASKED = {"role": "user", "content": "Hi."}
MARKED = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
SERVER = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
BASE: dict[str, Any] = {
    "model": "claude-opus-4-8",
    "max_tokens": 4096,
    "system": [{"type": "text", "text": "Be brief."}],
    "messages": [
        ASKED,
        {"role": "assistant", "content": [THOUGHT, CALL_A, CALL_B]},
        {"role": "user", "content": [SEEN_A, SEEN_B, HI]},
        {"role": "assistant", "content": "Well."},
        {"role": "user", "content": [{"type": "image", "source": {
            "type": "base64", "media_type": "image/png", "data": PNG}}]},
    ],
    "tools": [{"name": "look", "input_schema": {"type": "object", "properties": {}}}],
    "tool_choice": {"type": "auto"},
}  # fmt: skip
MSG = "messages"


def said(*blocks: Any) -> dict[str, Any]:
    return {f"{MSG}[1].content": list(blocks)}


def heard(*blocks: Any) -> dict[str, Any]:
    return {f"{MSG}[2].content": list(blocks)}


def ending(text: Any, model: str = "claude-haiku-4-5") -> dict[str, Any]:
    return {f"{MSG}[4]": {"role": "assistant", "content": text}, "model": model}


CASES = [
    Case("answered", "messages[1].content[2]", heard(SEEN_A, HI), "1"),
    Case("answered", "messages[1].content[1]",
         {f"{MSG}[2].content": [HI]} | said(THOUGHT, CALL_A), "1", heard(SEEN_A) | said(CALL_A)),
    Case("answered orphan", "messages[1].content[2]",
         {f"{MSG}[2].content": [SEEN_A], f"{MSG}[3]": {"role": "user", "content": [SEEN_B]}}, "12"),
    Case("orphan", "messages[2].content[2]", heard(SEEN_A, SEEN_B, SEEN_A | {"tool_use_id": "c"}),
         "1"),
    Case("orphan", "messages[4].content[0]", {f"{MSG}[4].content": [SEEN_A]}, "91"),
    Case("twice", "messages[2].content[2]", heard(SEEN_A, SEEN_B, SEEN_A), "1"),
    Case("results_first", "messages[2].content[1]", heard(HI, SEEN_A, SEEN_B), "12"),
    Case("repeated_id", "messages[1].content[1]", said(CALL_A, CALL_A) | heard(SEEN_A), "10",
         said(CALL_A) | heard(SEEN_A)),
    Case("call_id", "messages[1].content[0].id",
         said(CALL_A | {"id": "functions.Bash:0"})
         | heard(SEEN_A | {"tool_use_id": "functions.Bash:0"}), "10", said(CALL_A) | heard(SEEN_A)),
    Case("input", "messages[1].content[1].input", {f"{MSG}[1].content[1].input": '{"city":'}, "11"),
    Case("input", "messages[1].content[1].input", {f"{MSG}[1].content[1].input": []}, "11"),
    Case("blank", "messages[1].content[0].text", said({"type": "text", "text": ""}, CALL_A, CALL_B),
         "2"),
    Case("blank", "messages[0].content", {f"{MSG}[0].content": " "}, "2"),
    Case("empty", "messages[0].content", {f"{MSG}[0].content": []}, "2"),
    Case("marked blank", "messages[2].content[2]",
         heard(SEEN_A, SEEN_B, MARKED | {"text": ""}), "2"),
    Case("cache_marks", "messages[2].content[4]", heard(SEEN_A, SEEN_B, MARKED, MARKED, MARKED)
         | {"system": [MARKED, MARKED]}, "7",
         heard(SEEN_A, SEEN_B, MARKED, MARKED) | {"system": [MARKED, MARKED]}),
    Case("marked", "messages[1].content[0]",
         said(THOUGHT | {"cache_control": {"type": "ephemeral"}}, CALL_A, CALL_B), "7"),
    Case("thinking_back", "messages[1]",
         said(CALL_A) | heard(SEEN_A) | {f"{MSG}[4]": GONE, f"{MSG}[3]": GONE}
         | {"thinking": {"type": "enabled", "budget_tokens": 1024}}, "3",
         said(THOUGHT, CALL_A) | heard(SEEN_A)
         | {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
    Case("unsigned", "messages[1].content[0]", {f"{MSG}[1].content[0].signature": ""}, "4"),
    Case("unsigned", "messages[1].content[0]", {f"{MSG}[1].content[0].signature": GONE}, "4"),
    Case("unsigned", "messages[1].content[0]",
         {f"{MSG}[1].content[0]": {"type": "redacted_thinking", "data": ""}}, "4"),
    Case("trailing", "messages[4]", ending("Title: "), "5", ending("Title:")),
    Case("trailing", "messages[4]", ending([{"type": "text", "text": "Title:\n"}]), "5"),
    Case("schema", "tools[0].input_schema",
         {"tools[0].input_schema": {"type": "object", "anyOf": [{"required": ["a"]}]}}, "6"),
    Case("schema", "tools[0].input_schema", {"tools[0].input_schema": {}}, "6"),
    Case("prefill", "messages[4]", ending("{", "claude-sonnet-4-6"), "8", ending("{")),
    Case("prefill", "messages[4]", ending([SERVER, FOUND, HI], "claude-sonnet-4-6"), "8",
         ending([HI, SERVER], "claude-sonnet-4-6")),
    Case("server_first", "messages[1].content[1]", said(CALL_A, SERVER, FOUND) | heard(SEEN_A), "9",
         said(SERVER, FOUND, CALL_A) | heard(SEEN_A)),
    Case("server_pair", "messages[1].content[0]", said(FOUND, HI) | heard(HI), "13g",
         said(SERVER, FOUND, HI) | heard(HI)),
    Case("no_messages", "messages", {"messages": []}, "13a"),
    Case("first", "messages[0]", {f"{MSG}[0]": {"role": "system", "content": "Be."}}, "13a"),
    Case("system_place", "messages[3]", {f"{MSG}[3]": {"role": "system", "content": "Be."}}, "13a",
         {f"{MSG}[4]": {"role": "assistant", "content": "Well."},
          f"{MSG}[3]": {"role": "system", "content": "Be."}, "model": "claude-haiku-4-5"}),
    Case("role", "messages[0].role", {f"{MSG}[0].role": "developer"}, "13a"),
    Case("source", "messages[4].content[0].source",
         {f"{MSG}[4].content[0].source.data": JPEG + "AAA="}, "13b"),
    Case("source", "messages[4].content[0].source",
         {f"{MSG}[4].content[0].source.media_type": "image/svg+xml"}, "13b"),
    Case("source", "messages[4].content[0].source",
         {f"{MSG}[4].content[0].type": "document",
          f"{MSG}[4].content[0].source.media_type": "text/csv"}, "13h"),
    Case("forced", "tool_choice", {"tool_choice": {"type": "any"},
         "thinking": {"type": "enabled", "budget_tokens": 1024}}, "13c",
         {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
    Case("thinking_off thinking_last", "messages[4]",
         ending([HI, THOUGHT]) | {"thinking": {"type": "disabled"}}, "13e",
         ending([HI]) | {"thinking": {"type": "disabled"}}),
    Case("thinking_last", "messages[3].content[1]", {f"{MSG}[3].content": [HI, THOUGHT]}, ""),
    Case("message_key", "messages[0].name", {f"{MSG}[0].name": "Bob"}, "13f"),
    Case("budget", "thinking.budget_tokens",
         {"thinking": {"type": "enabled", "budget_tokens": 4096}}, "",
         {"thinking": {"type": "enabled", "budget_tokens": 4095}}),
    Case("tool_name", "tools[0].name", {"tools[0].name": "server/tool.v1"}, "18"),
    Case("tool_name", "messages[1].content[1].name", {f"{MSG}[1].content[1].name": "n" * 129}, "18",
         {f"{MSG}[1].content[1].name": "n" * 128}),
    Case("tool_twice", "tools[1].name", {"tools": [BASE["tools"][0], BASE["tools"][0]]}, ""),
    Case("choice_unknown", "tool_choice.name", {"tool_choice": {"type": "tool", "name": "find"}},
         "22", {"tool_choice": {"type": "tool", "name": "look"}}),
    Case("choice_alone", "tool_choice", {"tools": []}, "22"),
    Case("seat", "messages[3].content[0]", {f"{MSG}[3].content": [BASE["messages"][4]["content"][0],
         HI]}, ""),
    Case("seat", "messages[0].content[0]", {f"{MSG}[0].content": [THOUGHT, HI]}, ""),
    Case("empty_error", "messages[2].content[0]", heard(
        {"type": "tool_result", "tool_use_id": "a", "is_error": True}, SEEN_B), "",
        heard({"type": "tool_result", "tool_use_id": "a"}, SEEN_B)),
    Case("error_text", "messages[2].content[0].content[0]", heard(
        {**SEEN_A, "is_error": True, "content": [BASE["messages"][4]["content"][0]]}, SEEN_B), "",
        heard({**SEEN_A, "content": [BASE["messages"][4]["content"][0]]}, SEEN_B)),
    Case("still_effort", "output_config.effort", {"model": "claude-opus-5",
         "thinking": {"type": "disabled"}, "output_config": {"effort": "xhigh"}}, "",
         {"model": "claude-opus-5", "thinking": {"type": "adaptive"},
          "output_config": {"effort": "xhigh"}}),
    Case("property_name", "tools[0].input_schema.properties.filter[id]",
         {"tools[0].input_schema.properties": {"filter[id]": {}}}, "",
         {"tools[0].input_schema.properties": {"a": {"properties": {"filter[id]": {}}}}}),
    Case("blank_system", "system[0].text", {"system[0].text": ""}, "2"),
]  # fmt: skip
WAITING = {f"{MSG}[4]": GONE, f"{MSG}[3]": GONE, f"{MSG}[2]": GONE}
