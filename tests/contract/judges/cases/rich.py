"""One whole request a wire that says nearly all there is to say, and is accepted.

Tests put nonsense into every place of it: a judge must answer, never fall over.
"""

from __future__ import annotations

from typing import Any

from . import (
    CITY,
    PNG,
    anthropic,
    bedrock,
    bedrock_request,
    changed,
    chat_hosts,
    cohere,
    dashscope,
    gemini,
    gemini_interactions,
    hosts,
    mistral,
    ollama,
    openai_chat,
    responses,
    responses_hosts,
    vendors,
    vendors_cn,
    vendors_us,
)

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
RESPONSES: dict[str, Any] = {
    **responses.THOUGHT,
    "input": [
        *responses.MEDIA["input"],
        *responses.THOUGHT["input"],
        {"type": "custom_tool_call", "call_id": "c2", "name": "run", "input": "go"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": [responses.TEXT]},
        {"type": "configuration_update", "reasoning": {"effort": "low"}},
        {"type": "compaction_trigger"},
    ],
    "tools": [
        {**responses.TOOL, "parameters": DEEP, "strict": True},
        responses.CUSTOM,
        {"type": "file_search", "vector_store_ids": ["vs_1"]},
    ],
    **responses.allows("weather"),
    **responses.formats(),
    "reasoning": {"effort": "none"},
    "context_management": [{"type": "compaction", "compact_threshold": 1000}],
    "stream": True,
    "stream_options": {"include_obfuscation": False},
    "temperature": 1,
    "max_output_tokens": 16,
    "parallel_tool_calls": True,
    "conversation": {"id": "conv_1"},
}
STATELESS = changed(
    responses_hosts.FLASH,
    {"input[0]": responses.user(responses.TEXT, responses.IMAGE),
     "input[3].output": [responses.TEXT]},
)  # fmt: skip
CONVERSE: dict[str, Any] = {
    "messages": [
        bedrock.LOOK["messages"][0],
        bedrock.says("assistant", bedrock.THOUGHT, bedrock.SEARCH, bedrock.FOUND, bedrock.use()),
        bedrock.says(
            "user",
            bedrock.result("tooluse_1", {"json": {}}, bedrock.document("R 2"), status="error"),
            bedrock.MARK,
        ),
        bedrock.LATER,
    ],
    "system": [{"text": "Be brief."}, bedrock.MARK],
    "toolConfig": {"tools": [bedrock.TOOL, bedrock.MARK], "toolChoice": {"auto": {}}},
    "inferenceConfig": {"temperature": 1, "maxTokens": 2048, "stopSequences": ["a"]},
    **bedrock_request.formats("{}"),
    "additionalModelRequestFields": {"thinking": bedrock.THINKING},
    "additionalModelResponseFieldPaths": ["/stop_sequence"],
    "requestMetadata": {"a": "b"},
    "serviceTier": {"type": "flex"},
}
MISTRAL: dict[str, Any] = {
    **mistral.TWO,
    "messages": [
        mistral.BRIEF,
        *mistral.MEDIA["messages"],
        *mistral.THOUGHTFUL["messages"],
        *mistral.TWO["messages"][1:],
    ],
    "tool_choice": openai_chat.NAMED,
    "parallel_tool_calls": True,
    **mistral.formats(name="city", schema=openai_chat.CLOSED, strict=True),
    "reasoning_effort": "high",
    "temperature": 1.5,
    "stop": ["a"],
}
COHERE: dict[str, Any] = {
    **cohere.TWO,
    "messages": [
        {"role": "system", "content": "Be brief."},
        *cohere.LOOK["messages"],
        {"role": "assistant", "content": [cohere.THOUGHT, openai_chat.TEXT],
         "citations": [{**cohere.CITED, "content_index": 1}]},
        openai_chat.ASK,
        *cohere.TWO["messages"][1:3],
        {**openai_chat.result("call_2"), "content": [openai_chat.TEXT, cohere.SHEET]},
    ],
    "tool_choice": "REQUIRED",
    "strict_tools": True,
    "thinking": {"type": "enabled", "token_budget": 9},
    "documents": [{"id": "a", "data": {"text": "b"}}],
    "citation_options": {"mode": "FAST"},
    "temperature": 1,
    "stop_sequences": ["a"],
}  # fmt: skip
INTERACTION: dict[str, Any] = {
    **gemini_interactions.TWO,
    "input": [*gemini_interactions.LOOK["input"], *gemini_interactions.TWO["input"][1:],
              gemini_interactions.SAY, gemini_interactions.ASK],
    "system_instruction": "Be brief.",
    "generation_config": {"temperature": 1, "stop_sequences": ["a"], "thinking_level": "low",
                          "thinking_summaries": "auto", "tool_choice": "any"},
    "response_format": [{"type": "text", "mime_type": "text/plain"}],
    "service_tier": "flex",
    "store": False,
}  # fmt: skip
KIMI = changed(
    {**vendors_cn.KIMI, "thinking": {**vendors_cn.ON, "keep": "all"}, "stop": ["a"]},
    {"messages[0].content": [openai_chat.TEXT, vendors_cn.STORED, vendors_cn.CLIP],
     "tools[0].function.parameters": DEEP},
)  # fmt: skip
MAX = changed(
    vendors_cn.MAX,
    {"messages[0].content": [vendors.VIDEO], "messages[1].reasoning_details": [vendors_cn.DETAIL],
     "thinking": {"type": "adaptive"}, "reasoning_split": True},
)  # fmt: skip
COMPATIBLE = changed(
    {**vendors_cn.QWEN, "enable_thinking": True, "thinking_budget": 9, "tool_choice": "auto"},
    {"messages[0].content": [vendors.VIDEO, vendors_cn.FILM, {**openai_chat.TEXT,
                                                              **vendors_cn.MARK},
                             vendors_cn.sound("https://example.com/json.mp3")],
     "messages[3].reasoning_content": "hm", "response_format": {"type": "json_object"}},
)  # fmt: skip
ROUTE = changed(
    {**vendors_us.ROUTE, "reasoning": {"effort": "low"}, "provider": {"order": ["a"]}},
    {"messages[0].content": [vendors.VIDEO], "tools": [openai_chat.TOOL, vendors_us.SEARCH],
     vendors_us.BACK: [vendors_us.DETAIL, vendors_us.SEALED]},
)  # fmt: skip
GROQ = {**vendors_us.LLAMA, "n": 1, "reasoning_effort": "low", "reasoning_format": "parsed"}
HOSTED = {key: value for key, value in CLAUDE.items() if key != "model"}
OSS = {**openai_chat.CALLS, **vendors_us.STILL, "temperature": 0.5}
M3 = {**hosts.M3, "thinking": {"type": "adaptive"}}
V1BETA = gemini.NEW.replace("3.8", "2.5")
WHOLE: dict[str, tuple[Any, str]] = {
    "openai-chat": (CHAT, openai_chat.HERE),
    "openai-responses": (RESPONSES, responses.HERE),
    "anthropic": (CLAUDE, "/v1/messages"),
    "gemini": (GEMINI, V1BETA),
    "gemini-interactions": (INTERACTION, gemini_interactions.HERE),
    "dashscope": (QWEN, dashscope.MEDIA_PATH),
    "ollama": (OLLAMA, "/api/chat"),
    "bedrock-converse": (CONVERSE, bedrock.SONNET),
    "mistral": (MISTRAL, mistral.HERE),
    "cohere": (COHERE, cohere.HERE),
    "openai/openai-chat": (OSS, openai_chat.HERE),
    "openai/openai-responses": (responses.CALLS, responses.HERE),
    "azure/openai-chat": (OSS, vendors_us.V1),
    "azure/openai-responses": (responses.CALLS, responses_hosts.V1),
    "deepseek/openai-chat": (
        {**vendors.LOOP, "thinking": {"type": "enabled"}},
        "/chat/completions",
    ),
    "deepseek/anthropic": (hosts.FLASH, "/anthropic/v1/messages"),
    "deepseek/openai-responses": (STATELESS, "/responses"),
    **dict.fromkeys(
        [f"{name}/openai-responses" for name in ("minimax", *responses_hosts.SERVERS)],
        (changed(STATELESS, {"input[1].id": "rs_1"}), "/v1/responses"),
    ),
    "vllm/openai-chat": (VLLM, openai_chat.HERE),
    **{wire: (body, openai_chat.HERE) for wire, body in chat_hosts.BODIES.items()},
    "moonshot/openai-chat": (KIMI, openai_chat.HERE),
    "zhipu/openai-chat": ({**vendors_cn.GLM, "thinking": vendors_cn.ON}, "/v4/chat/completions"),
    "minimax/openai-chat": (MAX, openai_chat.HERE),
    "minimax/anthropic": (M3, "/anthropic/v1/messages"),
    **{wire: (body, "/anthropic/v1/messages") for wire, body in hosts.COPIED.items()},
    "xai/openai-chat": ({**vendors_us.GROK, "reasoning_effort": "low"}, openai_chat.HERE),
    "meta/openai-responses": (responses.CALLS, responses.HERE),
    "xai/openai-responses": ({**responses_hosts.GROK, **responses_hosts.low()}, responses.HERE),
    "groq/openai-chat": (GROQ, "/openai/v1/chat/completions"),
    "openrouter/openai-chat": (ROUTE, "/api/v1/chat/completions"),
    "openrouter/openai-responses": (responses.CALLS, "/api/v1/responses"),
    "open-responses/openai-responses": (responses_hosts.TYPED, responses.HERE),
    "dashscope/openai-chat": (COMPATIBLE, "/compatible-mode/v1/chat/completions"),
    "vertex/anthropic": ({**HOSTED, "anthropic_version": "vertex-2023-10-16"}, hosts.HAIKU),
    "bedrock/anthropic": (
        {**HOSTED, "anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["a"]},
        hosts.OLD,
    ),
    "gemini/gemini": (gemini.TWO, hosts.DEV_PATH),
    "vertex/gemini": (GEMINI, gemini.VERTEX),
    "vertex/mistral": (MISTRAL, mistral.ON_VERTEX),
}
