"""Requests and what a right conversion makes of them, by hand: what the judge is tested on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["PAIRS", "Pair"]

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAE"
AT = {"type": "object", "properties": {"at": {"type": "string", "description": "where"}},
      "required": ["at"]}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """A body, what was made of it, and the losses on the way as (kind, where)."""

    source: str
    body: dict[str, Any]
    target: str
    made: dict[str, Any]
    losses: list[tuple[str, str]]
    path: str
    ids: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


CHAT_TO_ANTHROPIC = Pair(
    "openai-chat",
    {
        "model": "gpt-5.5",
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url",
                 "image_url": {"url": f"data:image/png;base64,{DOT}", "detail": "low"}},
            ]},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "call.1", "type": "function",
                 "function": {"name": "look", "arguments": '{"at": "it", "deep": [1, 2.5]}'}},
            ]},
            {"role": "tool", "tool_call_id": "call.1", "content": "seen it"},
            {"role": "user", "content": "And now?", "name": "Bob"},
        ],
        "tools": [{"type": "function", "function": {
            "name": "look", "description": "look at it", "parameters": AT, "strict": True}}],
        "tool_choice": {"type": "function", "function": {"name": "look"}},
        "parallel_tool_calls": False,
        "max_completion_tokens": 100,
        "temperature": 0.5,
        "stop": "END",
        "seed": 7,
        "user": "u-17",
        "stream": True,
        "logit_bias": {"50256": -100},
    },
    "anthropic",
    {
        "model": "gpt-5.5",
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                             "data": DOT}},
            ]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "call_1", "name": "look",
                 "input": {"at": "it", "deep": [1, 2.5]}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "seen it"},
                {"type": "text", "text": "And now?"},
            ]},
        ],
        "tools": [{"name": "look", "description": "look at it", "input_schema": AT,
                   "strict": True}],
        "tool_choice": {"type": "tool", "name": "look", "disable_parallel_tool_use": True},
        "max_tokens": 100,
        "temperature": 0.5,
        "stop_sequences": ["END"],
        "metadata": {"user_id": "u-17"},
        "stream": True,
    },
    [
        ("dropped", "$.messages[1].content[1].image_url.detail"),
        ("dropped", "$.messages[4].name"),
        ("dropped", "$.seed"),
        ("dropped", "$.logit_bias"),
    ],
    "/v1/messages",
    ids={"call_1": "call.1"},
)  # fmt: skip
GEMINI_TO_RESPONSES = Pair(
    "gemini",
    {
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Look at it."}]},
            {"role": "model", "parts": [
                {"text": "I should look.", "thought": True},
                {"functionCall": {"id": "c1", "name": "look", "args": {"at": "it"}},
                 "thoughtSignature": "c2lnbmVk"},
            ]},
            {"role": "user", "parts": [{"function_response": {
                "id": "c1", "name": "look", "response": {"seen": "a cat", "sure": True}}}]},
        ],
        "tools": [{"functionDeclarations": [
            {"name": "look", "description": "look at it", "parametersJsonSchema": AT}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        "generationConfig": {
            "maxOutputTokens": 200, "topP": 0.5, "topK": 40,
            "responseMimeType": "application/json", "responseJsonSchema": AT,
            "thinkingConfig": {"thinkingLevel": "HIGH", "includeThoughts": True},
        },
        "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
    },
    "openai-responses",
    {
        "model": "gpt-5.5",
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "user", "content": "Look at it."},
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"at":"it"}'},
            {"type": "function_call_output", "call_id": "c1",
             "output": '{"seen": "a cat", "sure": true}'},
        ],
        "tools": [{"type": "function", "name": "look", "description": "look at it",
                   "parameters": AT, "strict": False}],
        "tool_choice": "required",
        "max_output_tokens": 200,
        "top_p": 0.5,
        "text": {"format": {"type": "json_schema", "name": "response", "schema": AT}},
        "reasoning": {"effort": "high"},
    },
    [
        ("dropped", "$.contents[1].parts[0]"),
        ("expected", "$.contents[1].parts[1].thoughtSignature"),
        ("dropped", "$.generationConfig.topK"),
        ("dropped", "$.generationConfig.thinkingConfig.includeThoughts"),
        ("dropped", "$.safetySettings"),
    ],
    "/v1/responses",
)  # fmt: skip
ANTHROPIC_TO_BEDROCK = Pair(
    "anthropic",
    {
        "model": "claude-sonnet-5",
        "max_tokens": 2000,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [
                {"type": "document", "title": "Facts", "source": {
                    "type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"}},
                {"type": "text", "text": "What does it say?"},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "I should look.", "signature": "c2lnbmVk"},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "is_error": True,
                 "content": [{"type": "text", "text": "nothing there"}]}]},
        ],
        "tools": [{"name": "look", "input_schema": {"type": "object", "properties": {}}},
                  {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}],
        "tool_choice": {"type": "any"},
        "thinking": {"type": "disabled"},
        "top_k": 5,
        "metadata": {"user_id": "u-17"},
    },
    "bedrock-converse",
    {
        "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "messages": [
            {"role": "user", "content": [
                {"document": {"format": "pdf", "name": "Facts",
                              "source": {"bytes": "JVBERi0xLjQK"}}},
                {"text": "What does it say?"},
            ]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {
                    "text": "I should look.", "signature": "c2lnbmVk"}}},
                {"toolUse": {"toolUseId": "t1", "name": "look", "input": {}}},
            ]},
            {"role": "user", "content": [{"toolResult": {
                "toolUseId": "t1", "content": [{"text": "nothing there"}], "status": "error"}}]},
        ],
        "toolConfig": {
            "tools": [{"toolSpec": {"name": "look", "inputSchema": {
                "json": {"type": "object", "properties": {}}}}}],
            "toolChoice": {"any": {}},
        },
        "inferenceConfig": {"maxTokens": 2000},
        "additionalModelRequestFields": {"top_k": 5, "thinking": {"type": "disabled"}},
    },
    [("dropped", "$.tools[1]"), ("dropped", "$.metadata.user_id")],
    "/model/claude-sonnet-5/converse",
)  # fmt: skip
RESPONSES_TO_CHAT = Pair(
    "openai-responses",
    {
        "model": "gpt-5.5",
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Add 2 and 3."}]},
            {"type": "reasoning", "id": "rs_1", "summary": [],
             "encrypted_content": "gAAAAABsealed"},
            {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "add",
             "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "5"},
            {"type": "message", "role": "assistant",
             "content": [{"type": "output_text", "text": "It is 5."}]},
        ],
        "tools": [{"type": "function", "name": "add", "parameters": AT, "strict": False}],
        "store": False,
        "text": {"format": {"type": "json_object"}},
    },
    "openai-chat",
    {
        "model": "gpt-5.5",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Add 2 and 3."},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function",
                 "function": {"name": "sum", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "5"},
            {"role": "assistant", "content": "It is 5."},
        ],
        "tools": [{"type": "function", "function": {
            "name": "sum", "parameters": AT, "strict": False}}],
        "response_format": {"type": "json_object"},
    },
    [
        ("dropped", "$.input[1]"),
        ("dropped", "$.input[2].id"),
        ("dropped", "$.store"),
    ],
    "/v1/chat/completions",
    names={"sum": "add"},
)  # fmt: skip
PAIRS = (CHAT_TO_ANTHROPIC, GEMINI_TO_RESPONSES, ANTHROPIC_TO_BEDROCK, RESPONSES_TO_CHAT)
