"""Chat of Ollama: arguments are objects, results are paired by order and name."""

from __future__ import annotations

from ..facts import Table
from .seats import by_role, words

__all__ = ["TABLE"]

TABLE = Table(
    rows={
        "model": "model",
        "stream": "stream",
        "messages[].content": "text",
        "messages[].thinking": "thinking",
        "messages[].images[]": "data:image",
        "messages[].tool_name": "result_name",
        "messages[].name": "result_name",
        "messages[].tool_call_id": "result_id",
        "messages[].tool_calls[].id": "id",
        "messages[].tool_calls[].function.name": "call_name",
        "messages[].tool_calls[].function.arguments": "call",
        "tools[].function.name": "tool_name",
        "tools[].function.description": "tool_description",
        "tools[].function.parameters": "schema:tool",
        "think": "thinks",
        "format": "schema:format",
        "options.num_predict": "option:max_tokens",
        "options.temperature": "option:temperature",
        "options.top_p": "option:top_p",
        "options.top_k": "option:top_k",
        "options.seed": "option:seed",
        "options.stop": "option:stop",
        "options.stop[]": "option:stop",
        "options.presence_penalty": "option:presence_penalty",
        "options.frequency_penalty": "option:frequency_penalty",
        "options.repeat_penalty": "option:repetition_penalty",
        "logprobs": "option:logprobs",
        "top_logprobs": "option:top_logprobs",
    },
    seats={"messages[]": by_role},
    quiet={
        "messages[].role": words("system user assistant tool"),
        "messages[].tool_calls[].type": words("function"),
        "tools[].type": words("function"),
    },
)
