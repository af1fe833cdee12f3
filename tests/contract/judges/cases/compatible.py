"""Rows for DashScope's compatible mode."""

from __future__ import annotations

from typing import Any

from . import WAV, Row
from .openai_chat import ASK, IMAGE, NAMED, PLAIN, SAY, TEXT, TOOL, ids
from .vendors import M0, VIDEO
from .vendors_cn import FILM, MARK, QWEN, says_json, sound


def compatible(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("dashscope/openai-chat", rule, base, bad, good or {}, **more)


ROWS = [
    compatible("compatible.role", QWEN, {"messages[3]": {**ASK, "role": "developer"}},
               {"messages[3]": {**ASK, "role": "system"}}),
    compatible("compatible.role types.kind", QWEN, {"messages[3].role": "human"}),
    compatible("compatible.part", QWEN, {M0: [{"type": "file", "file": {"file_id": "f"}}]},
               {M0: [IMAGE]}),
    compatible("compatible.part", QWEN, {"messages[3].content": [
        {"type": "refusal", "refusal": "No."}]}, {"messages[3].content": [TEXT]}),
    compatible("compatible.link", QWEN, {"messages[3].content": [VIDEO]}, {M0: [VIDEO]}),
    compatible("compatible.link", QWEN, {M0: [{**FILM, "video": []}]}, {M0: [FILM]}),
    compatible("compatible.audio", QWEN, {M0: [sound(WAV)]},
               {M0: [sound(f"data:;base64,{WAV}")]}),
    compatible("compatible.audio", QWEN, {M0: [sound("data:audio/wav;base64,?")]},
               {M0: [sound("https://example.com/a.mp3")]}),
    compatible("compatible.audio chat.audio", QWEN, {M0: [sound("a.mp3")]},
               {M0: [sound(f"data:audio/wav;base64,{WAV}")]}),
    compatible("compatible.no_user", QWEN, {"messages": [SAY]}, {"messages": [SAY, ASK]},
               whole=True),
    compatible("compatible.no_user", QWEN, {"messages": [{"role": "system", "content": "Hi."}]},
               {"messages": [ASK]}, whole=True),
    compatible("compatible.forced", QWEN, {"tool_choice": "required", "enable_thinking": True},
               {"tool_choice": "required"}),
    compatible("compatible.forced", QWEN, {"tool_choice": NAMED, "model": "qwq-plus"},
               {"tool_choice": NAMED, "model": "qwq-plus", "enable_thinking": False}),
    compatible("compatible.forced", QWEN, {"tool_choice": NAMED, "model": "qwen3-32b"},
               {"tool_choice": "auto", "model": "qwen3-32b"}),
    compatible("compatible.depth", QWEN, {"reasoning_effort": "high", "thinking_budget": 99},
               {"thinking_budget": 99}),
    compatible("compatible.depth", QWEN, {"reasoning_effort": "none", "thinking_budget": 1},
               {"reasoning_effort": "none"}),
    compatible("compatible.json_word", QWEN, says_json("Go."), says_json("Give me JSON.")),
    compatible("compatible.json_word", QWEN, says_json(""), says_json("json")),
    compatible("compatible.cache_marks", QWEN, {M0: [{**TEXT, **MARK}] * 5},
               {M0: [{**TEXT, **MARK}] * 4}, whole=True),
    compatible("compatible.cache_marks", QWEN,
               {M0: [{**TEXT, **MARK}] * 4, "tools": [{**TOOL, **MARK}]},
               {M0: [{**TEXT, **MARK}] * 3, "tools": [{**TOOL, **MARK}]}, whole=True),
    compatible("compatible.glm", {**PLAIN, "model": "glm-5.2"}, {M0: [TEXT]}, whole=True),
    compatible("compatible.glm", {**PLAIN, "model": "glm-4.7"}, {M0: [IMAGE]},
               {M0: [IMAGE], "tools": [TOOL]}, whole=True),
    compatible("types.unknown_key", QWEN, {"messages[0].reasoning_content": "hm"},
               {"messages[3].reasoning_content": "hm"}),
    compatible("chat.call_id", QWEN, ids(""), ids("call_" + "f" * 24)),
]  # fmt: skip
