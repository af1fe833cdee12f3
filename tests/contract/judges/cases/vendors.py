"""Rows for the vendors of the Chat Completions wire that have rules of their own."""

from __future__ import annotations

from typing import Any

from . import GONE, PDF, Row
from .openai_chat import ASK, AUDIO, CALLS, FILE, IMAGE, MEDIA, PLAIN, SAY, TEXT, call, ids, result

THINKING = {"role": "assistant", "content": "", "reasoning_content": "", "tool_calls": [call()]}
FLASH: dict[str, Any] = {**PLAIN, "model": "deepseek-flash"}
LOOP: dict[str, Any] = {**CALLS, "model": "deepseek-flash", "messages": [ASK, THINKING, result()]}
OFF = {"type": "disabled"}
LOST = "messages[1].reasoning_content"
FORCED = {"type": "function", "function": {"name": "weather"}}
OUTPUT = {"type": "json_schema", "json_schema": {"name": "a"}}
LONG = "chatcmpl-tool-" + "0" * 32
VIDEO = {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}}
SOUND = {"type": "audio_url", "audio_url": {"url": "data:audio/ogg;base64,AAAA"}}
M0 = "messages[0].content"
SAID = {**SAY, "reasoning": "hm", "reasoning_content": "hm"}


def deepseek(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("deepseek/openai-chat", rule, base, bad, good or {}, **more)


def vllm(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("vllm/openai-chat", rule, base, bad, good or {}, **more)


ROWS = [
    deepseek("deepseek.role", FLASH, {"messages[0].role": "developer"},
             {"messages[0].role": "system"}),
    deepseek("deepseek.result", LOOP, {"messages[2].content": [TEXT]},
             {"messages[2].content": "21"}),
    deepseek("deepseek.part", FLASH, {M0: [AUDIO]}, {M0: [IMAGE]}),
    deepseek("deepseek.part", FLASH, {M0: [{"type": "file", "file": FILE}]},
             {M0: [{"type": "file", "file": {"file_id": "file-1"}}]}),
    deepseek("types.kind", FLASH, {"messages[0].role": "system", M0: [IMAGE]},
             {"messages[0].role": "system", M0: [TEXT]}),
    deepseek("chat.says_nothing", LOOP, {"messages[1].tool_calls": GONE, "messages[2]": GONE,
                                         "messages[1].content": None},
             {"messages[1].content": None}),
    deepseek("deepseek.thinking_back", LOOP, {LOST: GONE}, {LOST: "Let me see."}, whole=True),
    deepseek("deepseek.thinking_back", LOOP, {LOST: GONE}, {LOST: GONE, "thinking": OFF},
             whole=True),
    deepseek("deepseek.forced", LOOP, {"tool_choice": "required"}, {"tool_choice": "auto"}),
    deepseek("deepseek.forced", LOOP, {"tool_choice": FORCED},
             {"tool_choice": FORCED, "thinking": OFF}),
    deepseek("deepseek.output", FLASH,
             {"response_format": OUTPUT},
             {"response_format": {"type": "json_object"}}),
    deepseek("types.unknown_key", LOOP, {LOST: 1}, {LOST: "1"}),
    deepseek("types.unknown_key", FLASH, {"messages[0].reasoning_content": "hm"}),
    deepseek("types.unknown_key", FLASH, {"thinking": True}, {"thinking": OFF}),
    deepseek("pairs.unanswered", LOOP, {"messages[2]": ASK}, {"messages[2]": GONE}),
    deepseek("chat.call_id", LOOP, ids(""), ids("call_0_" + "f" * 36)),
    vllm("types.unknown_key", CALLS, {"messages[3].thoughts": "hm"},
         {"messages[3].reasoning": "hm", "messages[3].reasoning_content": "hm"}),
    vllm("types.unknown_key", PLAIN, {"messages[0].reasoning": "hm"}),
    vllm("types.unknown_key", PLAIN, {"enable_thinking": False},
         {"chat_template_kwargs": {"enable_thinking": False}}),
    vllm("vllm.part", PLAIN, {M0: [{**VIDEO, "detail": "low"}]}, {M0: [VIDEO]}),
    vllm("vllm.part", PLAIN, {M0: [{"type": "audio_url", "audio_url": {"url": "AAAA"}}]},
         {M0: [SOUND]}),
    vllm("vllm.part", CALLS, {"messages[3].content": [VIDEO]}, {M0: [VIDEO]}),
    vllm("tools.none", PLAIN, {"tools": []}),
    vllm("tools.choice_alone", PLAIN, {"tool_choice": "none"}),
    vllm("chat.stream_options", PLAIN, {"stream_options": {"include_usage": True}}),
    vllm("types.value", PLAIN, {M0: [{"type": "text", "text": None}]}, {M0: [TEXT]}),
    vllm("chat.call_id", CALLS, ids(""), ids(LONG)),
    vllm("chat.file_data", MEDIA, {"messages[0].content[2].file.file_data": PDF}),
    vllm("pairs.orphan", CALLS, {"messages[1]": SAY}),
]  # fmt: skip
