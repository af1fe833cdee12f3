"""Rows for OpenAI's own models, Azure, xAI, Groq and OpenRouter, on the chat wire."""

from __future__ import annotations

from typing import Any

from . import GONE, Row
from .openai_chat import ASK, AUDIO, CALLS, HERE, IMAGE, MEDIA, PLAIN, TEXT, TOOL, UNKNOWN, ids
from .vendors import M0, SAID, VIDEO
from .vendors_cn import MARK

GPT: Any = {**PLAIN, "model": "gpt-5.6"}
TOOLS: Any = {**CALLS, "model": "gpt-5.4"}
STILL = {"reasoning_effort": "none"}
GROK: Any = {**CALLS, "model": "grok-4.3"}
FAST: Any = {**CALLS, "model": "grok-4-fast"}
LLAMA: Any = {**CALLS, "model": "openai/gpt-oss-120b"}
ROUTE: Any = {**CALLS, "model": "anthropic/claude-sonnet-5"}
DETAIL = {"type": "reasoning.text", "text": "hm", "signature": "c2ln"}
SEALED = {"type": "reasoning.encrypted", "data": "gAAA"}
SEARCH: Any = {"type": "openrouter:web_search"}
DATED = "/openai/deployments/gpt/chat/completions?api-version=2025-03-01-preview"
V1 = "/openai/v1/chat/completions"
BACK = "messages[3].reasoning_details"


def openai(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("openai/openai-chat", rule, base, bad, good or {}, **more)


def azure(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("azure/openai-chat", rule, base, bad, good or {}, **more)


def xai(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("xai/openai-chat", rule, base, bad, good or {}, **more)


def groq(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("groq/openai-chat", rule, base, bad, good or {}, **more)


def openrouter(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("openrouter/openai-chat", rule, base, bad, good or {}, **more)


def many(count: int) -> Any:
    return {"tools": [{**TOOL, "function": {"name": f"tool_{n}"}} for n in range(count)]}


OPENAI = [
    openai("openai.wire", GPT, {"model": "gpt-5.2-pro"}, {"model": "gpt-5.2"}),
    openai("openai.wire", GPT, {"model": "gpt-5.1-codex"}, {"model": "gpt-5.1"}),
    openai("openai.max_tokens", GPT, {"max_tokens": 9}, {"max_completion_tokens": 9}),
    openai("openai.max_tokens", GPT, {"model": "o4-mini", "max_tokens": 9},
           {"model": "gpt-4o", "max_tokens": 9}),
    openai("openai.stop", GPT, {"model": "o4-mini", "stop": "a"}, {"stop": "a"}),
    openai("openai.stop", GPT, {"model": "o3", "stop": ["a"]}, {"model": "gpt-4.1", "stop": ["a"]}),
    openai("openai.effort", GPT, {"model": "gpt-6-astra", **STILL}, STILL),
    openai("openai.effort", GPT, {"model": "gpt-6.1-sol", "reasoning_effort": "max"},
           {"model": "gpt-6.1-sol", "reasoning_effort": "xhigh"}),
    openai("openai.effort", GPT, {"model": "gpt-5-mini", **STILL},
           {"model": "gpt-5-mini", "reasoning_effort": "minimal"}),
    openai("openai.tools", TOOLS, {"reasoning_effort": "low"}),
    openai("openai.tools", TOOLS, {"model": "gpt-5.6"}, {"model": "gpt-5.6", **STILL}),
    openai("openai.tools", TOOLS, {"model": "gpt-6-astra"}, {"model": "gpt-5.5"}),
    openai("openai.sampling", GPT, {"temperature": 0}, {"temperature": 1}),
    openai("openai.sampling", GPT, {"top_p": 0.5}, {"top_p": 0.5, **STILL}),
    openai("openai.sampling", GPT, {"logprobs": True}, {"model": "gpt-5.4", "logprobs": True}),
    openai("openai.sampling", GPT, {"presence_penalty": 1}, {"presence_penalty": 0}),
    openai("types.missing", GPT, {"model": GONE}, {"model": "gpt-4o", "temperature": 0}),
    azure("openai.max_tokens", GPT, {"max_tokens": 9}, {"max_completion_tokens": 9}),
    azure("openai.tools", TOOLS, {"model": "gpt-5.6"}, {"model": "my-deployment"}),
    azure("azure.endpoint", GPT, {}, path=HERE, good_path=V1),
    azure("azure.endpoint", GPT, {}, path=DATED.partition("?")[0], good_path=DATED),
    azure("azure.endpoint", GPT, {}, path=f"{V1}?api-version=2025-03-01",
          good_path="/models/chat/completions?api-version=2024-05-01-preview"),
]  # fmt: skip

XAI = [
    xai("xai.effort", FAST, {"reasoning_effort": "low"}, {"model": "grok-4.3",
                                                          "reasoning_effort": "low"}),
    xai("xai.effort", FAST, {"model": "grok-code-fast-1", "reasoning_effort": "low"},
        {"model": "grok-3-mini", "reasoning_effort": "low"}),
    xai("xai.effort", FAST, {"model": "grok-4.20", "reasoning_effort": "low"},
        {"model": "grok-4.20-multi-agent", "reasoning_effort": "low"}),
    xai("xai.option", GROK, {"presence_penalty": 1}, {"temperature": 0.5}),
    xai("xai.option", GROK, {"stop": ["a"]},
        {"model": "grok-4-1-fast-non-reasoning", "stop": ["a"]}),
    xai("xai.option", GROK, {"frequency_penalty": 1}, {"model": "grok-3", "frequency_penalty": 1}),
    xai("xai.tools", GROK, many(129), many(128)),
    xai("xai.tools", FAST, many(130), many(2)),
    xai("types.unknown_key", GROK, {"messages[0].reasoning_content": "hm"},
        {"messages[3].reasoning_content": "hm"}),
    xai("tools.strict", GROK, {"tools[0].function.strict": True},
        {"tools[0].function.strict": False}),
]  # fmt: skip

GROQ = [
    groq("groq.part", LLAMA, {M0: [AUDIO]}, {M0: [IMAGE]}),
    groq("groq.part", LLAMA, {M0: MEDIA["messages"][0]["content"][2:]}, {M0: [TEXT]}),
    groq("groq.name", LLAMA, {"messages[0].name": "Bob"}),
    groq("groq.name types.unknown_key", LLAMA, {"messages[2].name": "weather"}),
    groq("groq.option", LLAMA, {"n": 2}, {"n": 1}),
    groq("groq.option", LLAMA, {"logprobs": True}, {"seed": 1}),
    groq("groq.option", LLAMA, {"presence_penalty": 0.5}, {"top_p": 0.5}),
    groq("groq.reasoning", LLAMA, {"reasoning_format": "parsed", "include_reasoning": True},
         {"reasoning_format": "parsed"}),
    groq("groq.reasoning", LLAMA, {"reasoning_format": "raw", "include_reasoning": False},
         {"include_reasoning": False}),
    groq("groq.effort", LLAMA, {"reasoning_effort": "none"}, {"reasoning_effort": "low"}),
    groq("groq.effort", LLAMA, {"model": "qwen/qwen3-32b", "reasoning_effort": "low"},
         {"model": "qwen/qwen3-32b", "reasoning_effort": "default"}),
    groq("groq.effort types.value", LLAMA, {"reasoning_effort": "auto"},
         {"model": "qwen3.8-max", "reasoning_effort": "high"}),
    groq("groq.tool", LLAMA, {"tools": [{"type": "browser_search", "name": "web"}]},
         {"tools": [{"type": "browser_search"}]}),
    groq("groq.tool", LLAMA, {"tools": [TOOL, {"type": "code_interpreter", "container": "auto"}]},
         {"tools": [TOOL, {"type": "code_interpreter"}], "tool_choice": "auto"}),
    groq("groq.tools", LLAMA, many(129), many(128)),
    groq("groq.tools", LLAMA, many(200), many(1)),
    groq("types.unknown_key", LLAMA, {"messages[0].reasoning": "hm"},
         {"messages[3].reasoning": "hm"}),
    groq("types.value", LLAMA, {"service_tier": "quick"}, {"service_tier": "on_demand"}),
]  # fmt: skip

OPENROUTER = [
    openrouter("openrouter.part", ROUTE, {"messages[3].content": [VIDEO]}, {M0: [VIDEO]}),
    openrouter("openrouter.part", ROUTE, {M0: [{**VIDEO, "detail": "low"}]},
               {M0: [{**VIDEO, **MARK}]}),
    openrouter("openrouter.details", ROUTE, {BACK: ["hm"]}, {BACK: [DETAIL, SEALED]}),
    openrouter("openrouter.details", ROUTE, {BACK: [{"type": "thinking", "text": "hm"}]},
               {BACK: [{"type": "reasoning.text"}]}),
    openrouter("openrouter.details", ROUTE, {BACK: [{"type": "reasoning.encrypted"}]},
               {BACK: [SEALED]}),
    openrouter("openrouter.reasoning", ROUTE, {"reasoning": {"effort": "low", "max_tokens": 9}},
               {"reasoning": {"max_tokens": 9}}),
    openrouter("openrouter.reasoning", ROUTE, {"reasoning": {"effort": "off"}},
               {"reasoning": {"effort": "none"}}),
    openrouter("openrouter.tool", ROUTE, {"tools": [TOOL, {**SEARCH, "max_results": 1}]},
               {"tools": [TOOL, {**SEARCH, "parameters": {"max_results": 1}}]}),
    openrouter("openrouter.tool", ROUTE, {"tools": [TOOL, {**SEARCH, "name": "web"}]},
               {"tools": [SEARCH], "tool_choice": "auto", "parallel_tool_calls": False}),
    openrouter("tools.choice_unknown", ROUTE, {"tools": [SEARCH], "tool_choice": UNKNOWN},
               {"tools": [SEARCH], "tool_choice": "auto"}),
    openrouter("types.unknown_key", ROUTE, {"messages[0].reasoning": "hm"},
               {"messages": [ASK, SAID, ASK], "messages[1].reasoning_content": GONE}),
    openrouter("types.kind", ROUTE, {"tools": [TOOL, {"type": "openrouter:magic"}]},
               {"tools": [TOOL, SEARCH]}),
    openrouter("chat.call_id", ROUTE, ids(""), ids("tool_" + "i" * 45)),
]  # fmt: skip
ROWS = [*OPENAI, *XAI, *GROQ, *OPENROUTER]
