"""Rows for Moonshot, Zhipu and MiniMax on the chat wire."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, PNG, Row
from .openai_chat import (
    ASK,
    AUDIO,
    CALLS,
    IMAGE,
    NAMED,
    SAY,
    TEXT,
    TOOL,
    call,
    ids,
    result,
    turn,
)  # fmt: skip
from .vendors import FORCED, LOST, M0, OFF, OUTPUT, THINKING, VIDEO

ON = {"type": "enabled"}
FILM: Any = {"type": "video", "video": ["https://example.com/1.png"]}
LOOP: Any = {**CALLS, "messages": [ASK, THINKING, result()]}
KIMI: Any = {**LOOP, "model": "kimi-k2.6"}
THIRD: Any = {**LOOP, "model": "kimi-k3"}
GLM: Any = {**LOOP, "model": "glm-5.2"}
ENGAGED: Any = {**GLM, "model": "glm-5.3"}
MAX: Any = {**CALLS, "model": "MiniMax-M3",
            "messages": [ASK, {**turn(call()), "content": ""}, result(), SAY]}  # fmt: skip
QWEN: Any = {**CALLS, "model": "qwen-plus"}
BRIEF = {"role": "system", "content": "Be brief."}
STORED = {"type": "image_url", "image_url": {"url": "ms://file-1"}}
CLIP = {"type": "video_url", "video_url": {"url": "ms://file-2"}}
MARK = {"cache_control": {"type": "ephemeral"}}
STRICT = "tools[0].function.strict"
PARAMETERS = "tools[0].function.parameters"
DETAIL = {"type": "reasoning.text", "text": "hm"}
JSON = {"response_format": {"type": "json_object"}}


BUILTIN: Any = {"type": "builtin_function", "function": {"name": "$web_search"}}
WEB: Any = {"type": "web_search", "web_search": {"enable": True}}


def sound(data: str) -> Any:
    return {"type": "input_audio", "input_audio": {"data": data, "format": "mp3"}}


def says_json(text: str) -> Any:
    return {"messages": [{"role": "user", "content": text}], **JSON}


def moonshot(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("moonshot/openai-chat", rule, base, bad, good or {}, **more)


def zhipu(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("zhipu/openai-chat", rule, base, bad, good or {}, **more)


def minimax(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("minimax/openai-chat", rule, base, bad, good or {}, **more)


MOONSHOT = [
    moonshot("moonshot.role", KIMI, {"messages[0].role": "developer"},
             {"messages[0].role": "system"}),
    moonshot("moonshot.role types.kind", KIMI, {"messages[0].role": "human"}),
    moonshot("moonshot.part", KIMI, {M0: [AUDIO]}, {M0: [CLIP]}),
    moonshot("moonshot.part", KIMI, {M0: [{"type": "file", "file": {"file_id": "f"}}]},
             {M0: [STORED]}),
    moonshot("moonshot.link", KIMI, {M0: [VIDEO]}, {M0: [CLIP]}),
    moonshot("moonshot.link", KIMI,
             {M0: [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]},
             {M0: [IMAGE]}),
    moonshot("moonshot.link types.kind", KIMI, {"messages[0].role": "system", M0: [IMAGE]},
             {"messages[0].role": "system", M0: [TEXT]}),
    moonshot("moonshot.empty_text", KIMI, {"messages[1].content": [{"type": "text", "text": ""}]},
             {"messages[1].content": None}),
    moonshot("moonshot.empty_text", KIMI, {M0: [{"type": "text", "text": ""}, IMAGE]},
             {M0: [IMAGE]}),
    moonshot("moonshot.thinking_back", KIMI, {LOST: GONE}, {LOST: "hm"}, whole=True),
    moonshot("moonshot.thinking_back", KIMI, {LOST: GONE}, {LOST: GONE, "thinking": OFF},
             whole=True),
    moonshot("moonshot.forced", KIMI, {"tool_choice": "required"},
             {"model": "kimi-k3", "tool_choice": "required"}),
    moonshot("moonshot.forced", KIMI, {"tool_choice": FORCED},
             {"tool_choice": FORCED, "thinking": OFF}),
    moonshot("moonshot.always", THIRD, {"thinking": OFF}, {"thinking": ON}),
    moonshot("moonshot.always", KIMI, {"model": "kimi-k2.7-code", "thinking": OFF},
             {"thinking": OFF}),
    moonshot("moonshot.keep", KIMI, {"model": "kimi-k2.5", "thinking": {**ON, "keep": "all"}},
             {"thinking": {**ON, "keep": "all"}}),
    moonshot("moonshot.keep", KIMI, {"model": "kimi-k2.5", "thinking": {**ON, "keep": "last"}},
             {"model": "kimi-k2.5", "thinking": {**ON, "keep": None}}),
    moonshot("moonshot.depth", KIMI, {"thinking": ON, "reasoning_effort": "low"},
             {"thinking": ON}),
    moonshot("moonshot.depth", KIMI, {"thinking": OFF, "reasoning_effort": "high"},
             {"reasoning_effort": "high"}),
    moonshot("moonshot.effort", THIRD, {"reasoning_effort": "none"}, {"reasoning_effort": "max"}),
    moonshot("moonshot.effort", THIRD, {"reasoning_effort": "medium"},
             {"reasoning_effort": "high"}),
    moonshot("moonshot.sampling", KIMI, {"temperature": 0.5}, {"temperature": 1}),
    moonshot("moonshot.sampling", KIMI, {"temperature": 1, "thinking": OFF},
             {"temperature": 0.6, "thinking": OFF}),
    moonshot("moonshot.sampling", KIMI, {"top_p": 0.9}, {"model": "moonshot-v1-8k", "top_p": 0.9}),
    moonshot("moonshot.stop", KIMI, {"stop": "a" * 33}, {"stop": "a" * 32}),
    moonshot("moonshot.stop", KIMI, {"stop": ["a", "é" * 17]}, {"stop": ["a", "é" * 16]}),
    moonshot("moonshot.schema", KIMI, {f"{PARAMETERS}.properties.city": {"description": "a"}},
             {f"{PARAMETERS}.properties.city": {"anyOf": [{"type": "string"}]}}),
    moonshot("moonshot.schema", KIMI,
             {f"{PARAMETERS}.properties.city":
              {"type": "array", "items": {"type": "object", "properties": {"a": {}}}}},
             {f"{PARAMETERS}.properties.city":
              {"type": "array", "items": {"type": "object", "properties": {"a": CITY}}}}),
    moonshot("moonshot.strict", KIMI, {STRICT: False}),
    moonshot("moonshot.strict tools.strict", KIMI, {STRICT: True}),
    moonshot("types.unknown_key", KIMI, {"thinking": True}, {"thinking": ON}),
    moonshot("moonshot.builtin", THIRD, {"tools": [{**BUILTIN, "function": {"name": "search"}}]},
             {"tools": [BUILTIN]}),
    moonshot("moonshot.builtin", THIRD,
             {"tools": [TOOL, {**BUILTIN, "function": {"name": "$web_search", "parameters": {}}}]},
             {"tools": [TOOL, BUILTIN]}),
    moonshot("moonshot.search", KIMI, {"tools": [BUILTIN]}, {"tools": [BUILTIN], "thinking": OFF}),
    moonshot("moonshot.search", KIMI, {"tools": [TOOL, BUILTIN], "thinking": ON},
             {"tools": [TOOL, BUILTIN], "thinking": OFF, "tool_choice": "auto"}),
    moonshot("types.kind", KIMI, {"tools": [TOOL, {"type": "web_search"}]}),
    moonshot("chat.image moonshot.link", KIMI,
             {M0: [{"type": "image_url", "image_url": {"url": PNG}}]}, {M0: [STORED]}),
    moonshot("chat.call_id", KIMI, ids(""), ids("functions.weather_of_all_of_the_larger_cities:0")),
]  # fmt: skip

ZHIPU = [
    zhipu("zhipu.role", GLM, {"messages[2]": {**ASK, "role": "developer"}, "messages[1]": SAY},
          {"messages[2]": {**ASK, "role": "system"}, "messages[1]": SAY}),
    zhipu("zhipu.role types.kind", GLM, {"messages[1]": {**ASK, "role": "human"},
                                         "messages[2]": ASK},
          {"messages[1]": SAY, "messages[2]": ASK}),
    zhipu("zhipu.name", GLM, {"messages[0].name": "Bob"}),
    zhipu("zhipu.name types.unknown_key", GLM, {"messages[2].name": "weather"}),
    zhipu("zhipu.no_user", GLM, {"messages": [{"role": "system", "content": "Be brief."}]},
          {"messages": [{"role": "system", "content": "Be brief."}, ASK]}, whole=True),
    zhipu("zhipu.no_user", GLM, {"messages": [SAY]}, {"messages": [ASK, SAY]}, whole=True),
    zhipu("zhipu.part", GLM, {"messages[0].content": [{**VIDEO, "fps": 2}]},
          {"messages[0].content": [VIDEO]}),
    zhipu("zhipu.part", GLM, {"messages[0].content": [
        {"type": "video_url", "video_url": {"url": "a.mp4"}}]},
          {"messages[0].content": [VIDEO]}),
    zhipu("zhipu.choice", GLM, {"tool_choice": "required"}, {"tool_choice": "auto"}),
    zhipu("zhipu.choice", GLM, {"tool_choice": "none"}, {"tool_choice": NAMED}),
    zhipu("zhipu.strict", GLM, {STRICT: False}),
    zhipu("zhipu.strict tools.strict", GLM, {STRICT: True}),
    zhipu("zhipu.output", GLM, {"response_format": OUTPUT}, JSON),
    zhipu("zhipu.output", GLM, {"response_format": OUTPUT}, {"response_format": {"type": "text"}}),
    zhipu("zhipu.option", GLM, {"presence_penalty": 1}, {"do_sample": True}),
    zhipu("zhipu.option", GLM, {"seed": 1}, {"stop": ["a"]}),
    zhipu("zhipu.tool", GLM, {"tools": [{**WEB, "name": "web"}]}, {"tools": [WEB]}),
    zhipu("zhipu.tool", GLM, {"tools": [TOOL, {**WEB, "web_search": True}]},
          {"tools": [TOOL, WEB], "tool_choice": "auto"}),
    zhipu("zhipu.option", GLM, {"frequency_penalty": 1}, {"frequency_penalty": None}),
    zhipu("zhipu.limit", GLM, {"max_completion_tokens": 9}, {"max_tokens": 9}),
    zhipu("zhipu.limit chat.two_limits", GLM, {"max_completion_tokens": 9, "max_tokens": 9}),
    zhipu("zhipu.range", GLM, {"temperature": 1.5}, {"temperature": 1}),
    zhipu("zhipu.range", GLM, {"top_p": 0}, {"top_p": 0.01}),
    zhipu("zhipu.always", ENGAGED, {"thinking": OFF}, {"thinking": ON}),
    zhipu("zhipu.always", ENGAGED, {"model": "glm-5.3-flash", "thinking": OFF},
          {"model": "glm-4.7", "thinking": OFF}),
    zhipu("zhipu.effort", ENGAGED, {"reasoning_effort": "medium"}, {"reasoning_effort": "low"}),
    zhipu("zhipu.effort", ENGAGED, {"reasoning_effort": "none"},
          {"model": "glm-5.2", "reasoning_effort": "none"}),
    zhipu("types.unknown_key", GLM, {LOST: 1}, {LOST: GONE}),
]  # fmt: skip

MINIMAX = [
    minimax("minimax.role", MAX, {"messages[0].role": "developer"}, {"messages[0].role": "system"}),
    minimax("minimax.role types.kind", MAX, {"messages[0].role": "human"}),
    minimax("minimax.part", MAX, {M0: [{"type": "video_url", "video_url": {"url": "a.mp4"}}]},
            {M0: [VIDEO]}),
    minimax("minimax.part", MAX, {"messages[3].content": [VIDEO]}, {M0: [VIDEO]}),
    minimax("minimax.details", MAX, {"messages[1].reasoning_details": ["hm"]},
            {"messages[1].reasoning_details": [DETAIL]}),
    minimax("minimax.details", MAX, {"messages[1].reasoning_details": [{"text": "hm"}]},
            {"messages[1].reasoning_details": []}),
    minimax("types.unknown_key", MAX, {"messages[1].reasoning_content": "hm"}),
    minimax("minimax.parameters", MAX, {PARAMETERS: GONE},
            {PARAMETERS: {"type": "object", "properties": {}}}),
    minimax("minimax.parameters", MAX, {"tools[0].function": {"name": "now"}},
            {"tools[0].function": {"name": "now", "parameters": {"type": "object"}}}),
    minimax("minimax.strict", MAX, {STRICT: False}),
    minimax("minimax.strict tools.strict", MAX, {STRICT: True}),
    minimax("minimax.option", MAX, {"tool_choice": "auto"}),
    minimax("minimax.option", MAX, JSON, {"reasoning_split": True}),
    minimax("minimax.thinking", MAX, {"thinking": ON}, {"thinking": {"type": "adaptive"}}),
    minimax("minimax.thinking", MAX, {"thinking": {"type": "auto"}}, {"thinking": OFF}),
    minimax("minimax.system", MAX, {"messages": [ASK, BRIEF, ASK]},
            {"messages": [BRIEF, ASK, ASK]}),
    minimax("minimax.system", MAX, {"messages": [BRIEF, BRIEF, ASK]}, {"messages": [BRIEF, ASK]}),
    minimax("minimax.content", MAX, {"messages[1].content": None}, {"messages[1].content": ""}),
    minimax("minimax.content", {**MAX, "messages": MAX["messages"][:2]},
            {"messages[1].content": None}, {"messages[1].content": GONE}),
    minimax("minimax.range", MAX, {"temperature": 0}, {"temperature": 0.01}),
    minimax("minimax.range", MAX, {"temperature": 1.5}, {"temperature": 1}),
    minimax("minimax.always", MAX, {"model": "MiniMax-M2.7", "thinking": OFF}, {"thinking": OFF}),
    minimax("minimax.always", MAX, {"model": "minimax-m2", "thinking": OFF},
            {"model": "minimax-m2", "thinking": {"type": "adaptive"}}),
]  # fmt: skip
ROWS = [*MOONSHOT, *ZHIPU, *MINIMAX]
