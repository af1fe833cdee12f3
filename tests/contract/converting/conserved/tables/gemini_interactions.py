"""Interactions of Gemini: steps instead of messages."""

from __future__ import annotations

from typing import Any

from ..facts import Table
from .seats import served, words

__all__ = ["TABLE"]

_KINDS = {
    "user_input": "user", "model_output": "assistant", "thought": "assistant",
    "function_call": "assistant", "function_result": "tool",
}  # fmt: skip
_CONTENTS = words("text image audio video document")


def _step(step: dict[str, Any]) -> str | None:
    kind = step.get("type")
    if kind in _CONTENTS:
        return "user"
    return _KINDS.get(kind) if isinstance(kind, str) else None


_PARTS = {
    "text": "text",
    "data": "data:",
    "mime_type": "mime",
    "uri": "url:",
    "resolution": "detail",
}
_CONFIG = {
    "max_output_tokens": "option:max_tokens",
    "temperature": "option:temperature",
    "top_p": "option:top_p",
    "seed": "option:seed",
    "stop_sequences[]": "option:stop",
    "thinking_level": "effort",
    "thinking_summaries": "shows",
    "tool_choice": "choice",
    "tool_choice.allowed_tools.mode": "choice",
    "tool_choice.allowed_tools.tools[]": "choice_name",
}
TABLE = Table(
    rows={
        "model": "model",
        "stream": "stream",
        "system_instruction": "text:system",
        "input": "text:user",
        **{f"input.{key}": kind for key, kind in _PARTS.items()},
        **{f"input[].{key}": kind for key, kind in _PARTS.items()},
        **{f"input[].content[].{key}": kind for key, kind in _PARTS.items()},
        "input[].content[].call_id": "result_id",
        "input[].content[].name": "result_name",
        "input[].content[].result": "result",
        **{f"input[].result[].{key}": kind for key, kind in _PARTS.items()},
        "input[].result": "result",
        "input[].is_error": "option:error",
        "input[].id": "id",
        "input[].call_id": "result_id",
        "input[].name": "call_name",
        "input[].arguments": "call",
        "input[].summary[].text": "thinking",
        "input[].signature": "opaque",
        **{f"generation_config.{key}": kind for key, kind in _CONFIG.items()},
        "service_tier": "option:service_tier",
        "tools[].type": "tag",
        "tools[].name": "tool_name",
        "tools[].description": "tool_description",
        "tools[].parameters": "schema:tool",
        "tools[].file_search_store_names[]": "option:stores",
        "response_format[].mime_type": "format",
        "response_format[].schema": "schema:format",
        "response_format.mime_type": "format",
        "response_format.schema": "schema:format",
    },
    seats={"tools[]": served, "input[]": _step, "input": _step},
    quiet={
        "input.type": _CONTENTS,
        "input[].type": frozenset(_KINDS) | _CONTENTS,
        "input[].content[].type": _CONTENTS | words("function_result"),
        "input[].result[].type": _CONTENTS,
        "input[].summary[].type": words("text"),
        "response_format[].type": words("text"),
        "response_format.type": words("text"),
    },
)
