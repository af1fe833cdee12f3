"""Messages of Anthropic."""

from __future__ import annotations

from typing import Any

from ..facts import Table
from .seats import by_role, inside, served, words

__all__ = ["TABLE"]


def _block(block: dict[str, Any]) -> str | None:
    """A result is said by the user, and is none of his words."""
    return "tool" if block.get("type") == "tool_result" else None


_PARTS = {
    "text": "text",
    "cache_control.type": "cache",
    "cache_control.ttl": "ttl",
    "source.data": "data:",
    "source.url": "url:",
    "source.file_id": "data:",
    "source.media_type": "mime",
    "source.content": "text",
    "source.content[].text": "text",
    "source": "label",  # where a search found it
    "title": "label",
    "context": "label",
    "citations.enabled": "cites",
    "citations[].title": "label",
    "citations[].document_title": "label",
    "citations[].source": "label",
    "citations[].cited_text": "label",
    **{f"citations[].{key}": f"option:cited_{key.partition('_')[0]}" for key in (
        "document_index", "search_result_index", "start_char_index", "start_page_number",
        "start_block_index", "end_char_index", "end_page_number", "end_block_index")},
}  # fmt: skip
_BLOCK_TAGS = words(
    "text image document tool_use tool_result thinking redacted_thinking search_result"
)
_SOURCE_TAGS = words("base64 url text file content")
TABLE = Table(
    rows={
        "model": "model",
        "stream": "stream",
        "system": "text:system",
        "system[].text": "text:system",
        "system[].cache_control.type": "cache",
        "system[].cache_control.ttl": "ttl",
        "messages[].content": "text",
        **{f"messages[].content[].{key}": kind for key, kind in _PARTS.items()},
        **{f"messages[].content[].content[].{key}": kind for key, kind in _PARTS.items()},
        "messages[].content[].content": "text",
        "messages[].content[].content[].content[].text": "text",
        "messages[].content[].thinking": "thinking",
        "messages[].content[].signature": "opaque",
        "messages[].content[].data": "opaque",
        "messages[].content[].id": "id",
        "messages[].content[].name": "call_name",
        "messages[].content[].input": "call",
        "messages[].content[].tool_use_id": "result_id",
        "messages[].content[].is_error": "option:error",
        "tools[].type": "tag",
        "tools[].name": "tool_name",
        "tools[].description": "tool_description",
        "tools[].input_schema": "schema:tool",
        "tools[].strict": "option:strict",
        "tools[].cache_control.type": "cache",
        "tools[].cache_control.ttl": "ttl",
        "tools[].allowed_domains[]": "option:domains",
        "tools[].user_location.city": "label",
        "tools[].user_location.country": "label",
        "tools[].user_location.region": "label",
        "tools[].user_location.timezone": "label",
        "tool_choice.type": "choice",
        "tool_choice.name": "choice_name",
        "tool_choice.disable_parallel_tool_use": "alone",
        "max_tokens": "option:max_tokens",
        "temperature": "option:temperature",
        "top_p": "option:top_p",
        "top_k": "option:top_k",
        "stop_sequences[]": "option:stop",
        "metadata.user_id": "option:user",
        "service_tier": "option:service_tier",
        "thinking.type": "thinks",
        "thinking.budget_tokens": "budget",
        "thinking.display": "shows",
        "output_config.effort": "effort",
        "output_config.format.type": "format",
        "output_config.format.schema": "schema:format",
        "output_format.type": "format",
        "output_format.schema": "schema:format",
    },
    seats={
        "tools[]": served,
        "messages[]": by_role,
        "messages[].content[]": _block,
        "system[]": inside("system"),
    },
    quiet={
        "messages[].role": words("user assistant system"),
        "messages[].content[].type": _BLOCK_TAGS,
        "messages[].content[].content[].type": _BLOCK_TAGS,
        "messages[].content[].content[].content[].type": _BLOCK_TAGS,
        "messages[].content[].source.type": _SOURCE_TAGS,
        "messages[].content[].content[].source.type": _SOURCE_TAGS,
        "messages[].content[].source.content[].type": _BLOCK_TAGS,
        "system[].type": words("text"),
        # of the protocol, which elsewhere stands in a header
        "anthropic_version": words("bedrock-2023-05-31 vertex-2023-10-16"),
        "tools[].user_location.type": words("approximate"),
    },
)
