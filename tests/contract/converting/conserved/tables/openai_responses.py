"""Responses: items instead of messages."""

from __future__ import annotations

from typing import Any

from ..facts import Table
from .seats import by_role, served, words

__all__ = ["TABLE"]

_KINDS = {"function_call": "assistant", "reasoning": "assistant", "function_call_output": "tool",
          "custom_tool_call": "assistant", "custom_tool_call_output": "tool"}  # fmt: skip


def _item(item: dict[str, Any]) -> str | None:
    kind = item.get("type")
    return _KINDS.get(kind) if isinstance(kind, str) and kind in _KINDS else by_role(item)


_PARTS = {
    "text": "text",
    "refusal": "text",
    "image_url": "url:image",
    "file_url": "url:document",
    "file_data": "url:document",
    "file_id": "data:",
    "filename": "label",
    "detail": "detail",
    "prompt_cache_breakpoint.mode": "cache",
    "input_audio.data": "data:audio",
    "input_audio.format": "suffix",
}
# where tools stand: in the body, in a namespace, and likewise in an item of `additional_tools`
_TOOLS = ("tools[]", "tools[].tools[]", "input[].tools[]", "input[].tools[].tools[]")
_TAGS = words("input_text output_text input_image input_file input_audio refusal text")
TABLE = Table(
    rows={
        "model": "model",
        "include[]": "include",
        "stream": "stream",
        "instructions": "text:system",
        "input": "text:user",
        "input[].content": "text",
        **{f"input[].content[].{key}": kind for key, kind in _PARTS.items()},
        "input[].output": "text:tool",
        **{f"input[].output[].{key}": kind for key, kind in _PARTS.items()},
        "input[].call_id": "id",
        "input[].name": "call_name",
        "input[].arguments": "call",
        "input[].summary[].text": "thinking",
        "input[].encrypted_content": "opaque",
        **{f"{tools}.type": "tag" for tools in _TOOLS},
        **{f"{tools}.name": "tool_name" for tools in _TOOLS},
        **{f"{tools}.description": "tool_description" for tools in _TOOLS},
        **{f"{tools}.parameters": "schema:tool" for tools in _TOOLS},
        **{f"{tools}.strict": "option:strict" for tools in _TOOLS},
        "tools[].filters.allowed_domains[]": "option:domains",
        "tools[].vector_store_ids[]": "option:stores",
        "tools[].user_location.city": "label",
        "tools[].user_location.country": "label",
        "tools[].user_location.region": "label",
        "tools[].user_location.timezone": "label",
        "tool_choice": "choice",
        "tool_choice.type": "choice",
        "tool_choice.name": "choice_name",
        "tool_choice.mode": "choice",
        "tool_choice.tools[].name": "choice_name",
        "text.format.type": "format",
        "text.format.schema": "schema:format",
        "text.format.name": "format_name",
        "text.format.description": "format_description",
        "text.format.strict": "option:format_strict",
        "reasoning.effort": "effort",
        "reasoning.summary": "shows",
        "max_output_tokens": "option:max_tokens",
        "temperature": "option:temperature",
        "top_p": "option:top_p",
        "top_logprobs": "option:top_logprobs",
        "parallel_tool_calls": "option:parallel",
        "user": "option:user",
        "safety_identifier": "option:user",
        "service_tier": "option:service_tier",
    },
    seats={**dict.fromkeys(_TOOLS, served), "input[]": _item},
    quiet={
        "input[].role": words("system developer user assistant"),
        "input[].type": words(
            "message function_call function_call_output reasoning"
            " custom_tool_call custom_tool_call_output additional_tools"
        ),
        "input[].content[].type": _TAGS | {"reasoning_text"},
        "input[].output[].type": _TAGS,
        "input[].summary[].type": words("summary_text"),
        "tools[].user_location.type": words("approximate"),
        "tool_choice.tools[].type": words("function"),
        "tools[].container.type": words("auto"),  # a place of its own, as everywhere
    },
)
