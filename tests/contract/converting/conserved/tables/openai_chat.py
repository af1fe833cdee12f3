"""Chat Completions, and what its hosts add to it."""

from __future__ import annotations

from ..facts import Table
from .seats import by_role, served, words

__all__ = ["MESSAGES", "MESSAGE_TAGS", "OPTIONS", "TABLE", "TOOLS"]

MESSAGES = {
    "messages[].content": "text",
    "messages[].content[]": "text",
    "messages[].content[].text": "text",
    "messages[].content[].image_url": "url:image",
    "messages[].content[].image_url.url": "url:image",
    "messages[].content[].image_url.detail": "detail",
    "messages[].content[].video_url.url": "url:video",
    "messages[].content[].input_audio.data": "data:audio",
    "messages[].content[].input_audio.format": "suffix",
    "messages[].content[].file.file_data": "url:document",
    "messages[].content[].file.file_id": "data:document",
    "messages[].content[].file.filename": "label",
    "messages[].content[].file_url.url": "url:document",
    "messages[].content[].refusal": "text",
    "messages[].content[].thinking": "thinking",
    "messages[].content[].cache_control.type": "cache",
    "messages[].content[].cache_control.ttl": "ttl",
    "messages[].content[].prompt_cache_breakpoint.mode": "cache",
    "messages[].cache_control.ttl": "ttl",
    "messages[].cache_control.type": "cache",
    "messages[].refusal": "text",
    "messages[].reasoning_content": "thinking",
    "messages[].reasoning": "thinking",
    "messages[].reasoning_details[].text": "thinking",
    "messages[].reasoning_details[].summary": "thinking",
    "messages[].name": "speaker",
    "messages[].tool_call_id": "result_id",
    "messages[].tool_calls[].cache_control.type": "cache",
    "messages[].tool_calls[].cache_control.ttl": "ttl",
    "messages[].tool_calls[].id": "id",
    "messages[].tool_calls[].function.name": "call_name",
    "messages[].tool_calls[].function.arguments": "call",
    "messages[].tool_calls[].custom.name": "call_name",
    "messages[].function_call.name": "call_name",
    "messages[].function_call.arguments": "call",
}
MESSAGE_TAGS = {
    "messages[].role": words("system developer user assistant tool function"),
    "messages[].content[].type": words(
        "text image_url input_audio file video_url file_url refusal thinking"
    ),
    "messages[].tool_calls[].type": words("function custom"),
    "messages[].tool_calls[].index": None,  # follows from where it stands
}
TOOLS = {
    "tools[].type": "tag",
    "tools[].function.name": "tool_name",
    "tools[].custom.name": "tool_name",
    "tools[].custom.description": "tool_description",
    "tools[].function.description": "tool_description",
    "tools[].function.parameters": "schema:tool",
    "tools[].function.strict": "option:strict",
    "tools[].cache_control.type": "cache",
    "tools[].cache_control.ttl": "ttl",
    "tool_choice": "choice",
    "tool_choice.type": "choice",
    "tool_choice.function.name": "choice_name",
    "tool_choice.allowed_tools.mode": "choice",
    "tool_choice.allowed_tools.tools[].function.name": "choice_name",
    "response_format.type": "format",
    "response_format.json_schema.schema": "schema:format",
    "response_format.json_schema.name": "format_name",
    "response_format.json_schema.description": "format_description",
    "response_format.json_schema.strict": "option:format_strict",
}
OPTIONS = {
    "model": "model",
    "stream": "stream",
    "max_tokens": "option:max_tokens",
    "max_completion_tokens": "option:max_tokens",
    "temperature": "option:temperature",
    "top_p": "option:top_p",
    "top_k": "option:top_k",
    "presence_penalty": "option:presence_penalty",
    "frequency_penalty": "option:frequency_penalty",
    "repetition_penalty": "option:repetition_penalty",
    "seed": "option:seed",
    "stop": "option:stop",
    "stop[]": "option:stop",
    "n": "option:n",
    "logprobs": "option:logprobs",
    "top_logprobs": "option:top_logprobs",
    "parallel_tool_calls": "option:parallel",
    "user": "option:user",
    "user_id": "option:user",
    "safety_identifier": "option:user",
    "service_tier": "option:service_tier",
    "reasoning_effort": "effort",
}
THINKING = {
    "reasoning.effort": "effort",
    "reasoning.max_tokens": "budget",
    "reasoning.enabled": "thinks",
    "reasoning.exclude": "hides",
    "thinking.type": "thinks",
    "thinking.budget_tokens": "budget",
    "enable_thinking": "thinks",
    "thinking_budget": "budget",
    "chat_template_kwargs.enable_thinking": "thinks",
    "output_config.effort": "effort",
}
LEGACY = {
    "functions[].name": "tool_name",
    "functions[].description": "tool_description",
    "functions[].parameters": "schema:tool",
    "function_call": "choice",
    "function_call.name": "choice_name",
}
HOSTED = {
    "web_search_options": "server:web_search",
    "enable_search": "server:web_search",
    "web_search_options.user_location.approximate.city": "label",
    "web_search_options.user_location.approximate.country": "label",
    "web_search_options.user_location.approximate.region": "label",
    "web_search_options.user_location.approximate.timezone": "label",
}
TABLE = Table(
    rows={**MESSAGES, **TOOLS, **OPTIONS, **THINKING, **LEGACY, **HOSTED},
    seats={"tools[]": served, "messages[]": by_role},
    quiet={
        **MESSAGE_TAGS,
        "web_search_options.user_location.type": words("approximate"),
        "tool_choice.allowed_tools.tools[].type": words("function"),
        # the streams of every other wire report usage anyway
        "stream_options.include_usage": frozenset({True}),
    },
)
