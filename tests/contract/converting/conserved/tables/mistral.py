"""Mistral: Chat Completions with some words of its own."""

from __future__ import annotations

from ..facts import Table
from .openai_chat import MESSAGE_TAGS, MESSAGES, OPTIONS, TOOLS
from .seats import by_role, words

__all__ = ["TABLE"]

TABLE = Table(
    rows={
        **MESSAGES,
        **TOOLS,
        **OPTIONS,
        "messages[].name": "result_name",
        "messages[].content[].thinking[].text": "thinking",
        "messages[].content[].signature": "opaque",
        "messages[].content[].image_url.detail": "detail",
        "messages[].content[].document_url": "url:document",
        "messages[].content[].document_name": "label",
        "messages[].content[].file_id": "data:document",
        "messages[].content[].input_audio": "url:audio",
        "random_seed": "option:seed",
        "prompt_mode": "thinks",
    },
    seats={"messages[]": by_role},
    quiet={
        **MESSAGE_TAGS,
        "messages[].content[].type": words(
            "text image_url input_audio document_url thinking file reference"
        ),
        "messages[].content[].thinking[].type": words("text"),
        "messages[].content[].closed": frozenset({True}),
        # the last message of the assistant's has to say so: its place says it already
        "messages[].prefix": frozenset({False, True}),
    },
)
