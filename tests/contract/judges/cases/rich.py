"""One whole request a wire that says nearly all there is to say, and is accepted.

Tests put nonsense into every place of it: a judge must answer, never fall over.
"""

from __future__ import annotations

from typing import Any

from . import CITY, PNG, anthropic, changed, dashscope, gemini, ollama, openai_chat, vendors

DEEP = {
    "type": "object",
    "properties": {"days": {"type": "array", "items": openai_chat.CLOSED}},
    "required": ["days"],
    "additionalProperties": False,
    "$defs": {"day": {"anyOf": [{"type": "string"}]}},
}
STRICT = {"type": "function", "function": {"name": "weather", "parameters": DEEP, "strict": True}}
CHAT: dict[str, Any] = {
    "model": "gpt-5.4",
    "messages": [*openai_chat.MEDIA["messages"], *openai_chat.TWO["messages"]],
    "tools": [STRICT],
    "tool_choice": openai_chat.NAMED,
    "parallel_tool_calls": True,
    "response_format": openai_chat.OUTPUT,
    "stream": True,
    "stream_options": {"include_usage": True},
    "stop": ["a"],
    "max_completion_tokens": 9,
}
VLLM = changed(
    {**CHAT, "chat_template_kwargs": {}, "top_k": 1},
    {"messages[-1]": vendors.SAID, "messages[0].content[1]": vendors.VIDEO},
)
CLAUDE: dict[str, Any] = {
    **anthropic.TWO,
    **anthropic.MANUAL,
    "messages": [
        {"role": "user", "content": [anthropic.image("image/png", PNG)]},
        anthropic.says("assistant", anthropic.SEARCH, anthropic.FOUND),
        anthropic.LATER,
        anthropic.says("assistant", anthropic.THOUGHT, anthropic.call()),
        anthropic.says("user", anthropic.result(), anthropic.DOCUMENT),
    ],
    "system": [{**anthropic.TEXT, "cache_control": anthropic.MARK}],
    "tool_choice": {"type": "auto"},
}
GEMINI: dict[str, Any] = {
    "contents": [*gemini.LOOK["contents"], *gemini.FILE["contents"], *gemini.TWO["contents"]],
    "systemInstruction": gemini.ASK,
    "tools": [
        *gemini.TOOLS,
        {"function_declarations": [{"name": "time", "parameters": CITY}]},
        {"googleSearch": {}},
    ],
    **gemini.allows("weather", "ANY"),
    "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}],
    "generationConfig": {
        "temperature": 1,
        "responseJsonSchema": CITY,
        "thinkingConfig": {"thinkingLevel": "low"},
    },
}
QWEN = dashscope.body(
    {"role": "system", "content": [{"text": "Answer in JSON.", **dashscope.MARK}]},
    {"role": "user", "content": [*dashscope.PARTS, {"video": ["oss://a"], "fps": 1}]},
    {**dashscope.turn(dashscope.call()), "content": [], "reasoning_content": "hm"},
    dashscope.result(),
    model="qwen-vl-max",
    tools=[dashscope.TOOL],
    tool_choice="auto",
    enable_thinking=True,
    response_format={"type": "json_object"},
)
OLLAMA = changed(
    {
        **ollama.CALLS,
        "stream": False,
        "think": "high",
        "format": CITY,
        "options": {"num_ctx": 9},
        "top_logprobs": 1,
    },
    {"messages[0]": ollama.LOOK["messages"][0], **ollama.BY_ID},
)
WHOLE: dict[str, tuple[Any, str]] = {
    "openai-chat": (CHAT, openai_chat.HERE),
    "vllm": (VLLM, openai_chat.HERE),
    "deepseek": ({**vendors.LOOP, "thinking": {"type": "enabled"}}, "/chat/completions"),
    "anthropic": (CLAUDE, "/v1/messages"),
    "gemini": (GEMINI, gemini.NEW.replace("3.8", "2.5")),
    "dashscope": (QWEN, dashscope.MEDIA_PATH),
    "ollama": (OLLAMA, "/api/chat"),
}
