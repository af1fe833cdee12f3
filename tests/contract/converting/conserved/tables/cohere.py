"""Chat of Cohere, version 2."""

from __future__ import annotations

from ..facts import Table
from .openai_chat import MESSAGE_TAGS, MESSAGES, OPTIONS
from .seats import by_role, words

__all__ = ["TABLE"]

TABLE = Table(
    rows={
        **MESSAGES,
        **OPTIONS,
        "tools[].type": "tag",
        "strict_tools": "every:strict",
        "tools[].function.name": "tool_name",
        "tools[].function.description": "tool_description",
        "tools[].function.parameters": "schema:tool",
        "messages[].content[].document.data": "cited_result",
        "documents[].data.text": "passage:user",
        **{
            f"documents[].data.{key}": "label"
            for key in ("title", "url", "source", "context", "region")
        },
        "messages[].tool_plan": "text",
        "tool_choice": "choice",
        "response_format.type": "format",
        "response_format.json_schema": "schema:format",
        "p": "option:top_p",
        "k": "option:top_k",
        "stop_sequences[]": "option:stop",
        "thinking.type": "thinks",
        "thinking.token_budget": "budget",
    },
    seats={"messages[]": by_role},
    quiet={
        **MESSAGE_TAGS,
        "messages[].content[].type": words("text image_url thinking document"),
    },
)
