"""A second row for the rules of the first five wires that had but one in their own files."""

from __future__ import annotations

from typing import Any

from . import GONE, PNG, anthropic, dashscope, gemini, ollama, openai_chat, vendors
from .openai_chat import OUTPUT, SCHEMA

C0, C1, C2 = anthropic.C0, anthropic.C1, anthropic.C2
P0, P2 = gemini.P0, gemini.P2
GIVEN, THINKS, CHOICE = dashscope.GIVEN, dashscope.THINKS, dashscope.CHOICE
REDACTED = {"type": "redacted_thinking", "data": "a"}
MARKED: Any = {**anthropic.TOOL, "cache_control": anthropic.MARK}
PICTURE: Any = {"inlineData": {"mimeType": "image/png", "data": PNG}}
JSON = {f"{GIVEN}.response_format": {"type": "json_object"}}


def claude(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Any:
    return anthropic.row(rule, base, bad, good, **more)


CLAUDE = [
    claude("anthropic.budget", anthropic.PLAIN,
           {**anthropic.MANUAL, "thinking": {"type": "enabled", "budget_tokens": 1023}},
           {**anthropic.MANUAL, "thinking": {"type": "enabled", "budget_tokens": 2047}}),
    claude("anthropic.cache_marks", anthropic.CALLS, {C0: anthropic.MARKED, "tools": [MARKED]},
           {C0: anthropic.MARKED[:3], "tools": [MARKED]}, whole=True),
    claude("anthropic.empty_error", anthropic.CALLS,
           {f"{C2}[0].content": GONE, f"{C2}[0].is_error": True}, {f"{C2}[0].is_error": True}),
    claude("anthropic.endpoint", anthropic.PLAIN, {}, path="/v1/messages/batches",
           good_path="/anthropic/v1/messages"),
    claude("anthropic.forced", anthropic.CALLS,
           {**anthropic.MANUAL, **anthropic.THOUGHTFUL, "tool_choice": {"type": "any"}},
           {**anthropic.MANUAL, **anthropic.THOUGHTFUL, "tool_choice": {"type": "none"}}),
    claude("anthropic.no_messages types.missing", anthropic.PLAIN, {"messages": GONE},
           whole=True),
    claude("anthropic.system_first", anthropic.PLAIN,
           {"messages": [anthropic.LATER, anthropic.LATER, anthropic.ASK]},
           {"messages": [anthropic.ASK, anthropic.LATER]}, whole=True),
    claude("anthropic.thinking_back", anthropic.CALLS,
           {**anthropic.MANUAL, C1: [anthropic.TEXT, anthropic.call()]},
           {**anthropic.MANUAL, C1: [REDACTED, anthropic.call()]}, whole=True),
    claude("anthropic.thinking_off", anthropic.SONNET,
           {C1: [*[anthropic.THOUGHT] * 2, anthropic.TEXT], "thinking": {"type": "disabled"}},
           {C1: [anthropic.TEXT], "thinking": {"type": "disabled"}}, whole=True),
    claude("anthropic.trailing", anthropic.SONNET, {C1: "Title:\n"}, {C1: "Title:"}),
    claude("tools.draft", anthropic.CALLS, {f"{anthropic.SCHEMA}.properties.city": {"type": 7}},
           {f"{anthropic.SCHEMA}.properties.city": {"type": ["string", "null"]}}),
    claude("tools.root_union", anthropic.CALLS, {f"{anthropic.SCHEMA}.oneOf": [{}]},
           {f"{anthropic.SCHEMA}.properties.city": {"oneOf": [{}]}}),
]  # fmt: skip

CHAT = [
    openai_chat.row("chat.empty_list", openai_chat.CALLS, {"messages[2].content": []},
                    {"messages[2].content": [openai_chat.TEXT]}),
    openai_chat.row("chat.endpoint", openai_chat.PLAIN, {}, path="/v1/completions",
                    good_path="/openai/deployments/a/chat/completions?api-version=2024-10-21"),
    openai_chat.row("chat.long_id", openai_chat.CALLS, openai_chat.ids("call_" + "i" * 48),
                    openai_chat.ids("call_" + "i" * 24)),
    openai_chat.row("chat.no_messages types.missing", openai_chat.PLAIN, {"messages": GONE},
                    whole=True),
    openai_chat.row("chat.output_name", openai_chat.PLAIN,
                    {"response_format": OUTPUT, "response_format.json_schema.name": "n" * 65},
                    {"response_format": OUTPUT, "response_format.json_schema.name": "n" * 64}),
    openai_chat.row("chat.stop", openai_chat.PLAIN, {"stop": ["a"] * 9}, {"stop": "abcdefghi"}),
    openai_chat.row("json.key", openai_chat.CALLS, {f"{SCHEMA}.properties": {None: {}}},
                    {f"{SCHEMA}.properties": {"None": {}}}),
    vendors.deepseek("deepseek.result types.value", vendors.LOOP, {"messages[2].content": None},
                     {"messages[2].content": ""}),
]  # fmt: skip

QWEN = [
    dashscope.row("dashscope.cache_marks", dashscope.PLAIN,
                  {dashscope.C0: [{"text": "a", **dashscope.MARK}] * 4,
                   f"{dashscope.M0}.cache_control": {}},
                  {dashscope.C0: [{"text": "a", **dashscope.MARK}] * 3,
                   f"{dashscope.M0}.cache_control": {}}, whole=True),
    dashscope.row("dashscope.choice", dashscope.CALLS, {CHOICE: "any"}, {CHOICE: "none"}),
    dashscope.row("dashscope.depth", dashscope.PLAIN,
                  {f"{GIVEN}.thinking_budget": 1, f"{GIVEN}.reasoning_effort": "none"},
                  {f"{GIVEN}.reasoning_effort": "none"}),
    dashscope.row("dashscope.empty_list", dashscope.CALLS, {f"{dashscope.M2}.content": []},
                  {f"{dashscope.M1}.content": []}),
    dashscope.row("dashscope.endpoint", dashscope.PLAIN, {}, path="/api/v1/tasks",
                  good_path="/api/v1/services/aigc/text-generation/generation"),
    dashscope.row("dashscope.forced", dashscope.CALLS,
                  {THINKS: True, CHOICE: dashscope.NAMED},
                  {THINKS: False, CHOICE: dashscope.NAMED}),
    dashscope.row("dashscope.input", dashscope.PLAIN, {"input.history": []}),
    dashscope.row("dashscope.json_word", dashscope.LOOK, JSON,
                  {**JSON, f"{dashscope.C0}[1].text": "json, please"}),
    dashscope.row("dashscope.message dashscope.no_user", dashscope.PLAIN, {dashscope.M0: None},
                  whole=True),
    dashscope.row("dashscope.no_messages", dashscope.PLAIN, {"input.messages": GONE}),
    dashscope.row("dashscope.null_text", dashscope.TWO,
                  {f"{dashscope.M1}.content": [{"text": None}]}, {f"{dashscope.M1}.content": []},
                  whole=True),
    dashscope.row("dashscope.parameter", dashscope.PLAIN, {f"{GIVEN}.max_output_tokens": 9},
                  {f"{GIVEN}.max_tokens": 9}),
    dashscope.row("dashscope.result_format", dashscope.PLAIN, {f"{GIVEN}.result_format": GONE}),
    dashscope.row("dashscope.role", dashscope.CALLS,
                  {"input.messages[3]": {**dashscope.ASK, "role": "bot"}},
                  {"input.messages[3]": {**dashscope.ASK, "role": "system"}}),
    dashscope.row("dashscope.snapshots", dashscope.LOOK,
                  {THINKS: True, f"{GIVEN}.incremental_output": False},
                  {THINKS: False, f"{GIVEN}.incremental_output": False}),
]  # fmt: skip

GEMINI = [
    gemini.row("gemini.allowed", gemini.CALLS, gemini.allows("weather", "NONE"),
               gemini.allows("weather", "ANY")),
    gemini.row("gemini.empty_text", gemini.PLAIN, {f"{P0}[0].text": ""}, {f"{P0}[0].text": " "}),
    gemini.row("gemini.misplaced", gemini.PLAIN,
               {"generationConfig": {"systemInstruction": gemini.ASK}},
               {"systemInstruction": gemini.ASK}),
    gemini.row("gemini.mixed", gemini.CALLS, {P2: [PICTURE, gemini.result()]},
               {"contents[3]": gemini.says("user", PICTURE)}),
    gemini.row("gemini.no_contents", gemini.PLAIN, {"contents": GONE}),
    gemini.row("gemini.no_parts", gemini.PLAIN, {P0: GONE}),
    gemini.row("gemini.prefill", gemini.CALLS, {"contents[1].parts": [gemini.SIGNED]},
               {"contents[1].parts": [gemini.SIGNED], "contents[3]": GONE}, path=gemini.NEW,
               whole=True),
    gemini.row("gemini.system", gemini.PLAIN,
               {"systemInstruction": {"parts": [{"text": "a"}, PICTURE]}},
               {"systemInstruction": {"parts": [{"text": "a"}, {"text": "b"}]}}),
    gemini.row("gemini.thinking", gemini.PLAIN,
               gemini.thinks(thinkingBudget=0, thinkingLevel="high"),
               gemini.thinks(thinkingBudget=0)),
    gemini.row("pairs.order", gemini.TWO,
               {"contents[1].parts": [gemini.call(id="a"), gemini.call(id="b")],
                P2: [gemini.result(id="b"), gemini.result(id="a")]},
               {"contents[1].parts": [gemini.call(id="a"), gemini.call(id="b")],
                P2: [gemini.result(id="a"), gemini.result(id="b")]}),
]  # fmt: skip

OLLAMA = [
    ollama.row("ollama.arguments types.value", ollama.CALLS, {ollama.ARGUMENTS: ["Rome"]}),
    ollama.row("ollama.endpoint", ollama.PLAIN, {}, path="/v1/chat/completions",
               good_path="/ollama/api/chat"),
    ollama.row("ollama.message types.value", ollama.PLAIN, {"messages": [ollama.ASK, 7]}),
    ollama.row("ollama.model", ollama.PLAIN, {"model": GONE}),
    ollama.row("ollama.no_messages", ollama.PLAIN, {"messages": GONE}),
    ollama.row("ollama.option", ollama.PLAIN, {"options": {"n": 2}}, {"options": {"top_p": 1}}),
    ollama.row("ollama.role", ollama.PLAIN, {"messages[0].role": "function"}),
    ollama.row("ollama.think", ollama.PLAIN, {"think": {"type": "enabled"}}, {"think": True}),
    ollama.row("ollama.thinking types.value", ollama.CALLS, {"messages[1].thinking": ["hm"]},
               {"messages[1].thinking": "hm"}),
    ollama.row("ollama.tool_name pairs.orphan", ollama.CALLS, {"messages[2].tool_name": ""}),
]  # fmt: skip
ROWS = [*CLAUDE, *CHAT, *QWEN, *GEMINI, *OLLAMA]
