"""vLLM: Chat Completions on a server of one's own; media by URL, thinking in `reasoning`.

Reference: vLLM docs, "OpenAI-Compatible Server"; pull requests 27752 and 42664 on the field.
"""

from __future__ import annotations

from ..capabilities import Facts
from ..protocols.openai_chat import Dialect
from . import Vendor

__all__ = ["VENDOR"]

VENDOR = Vendor(
    "vllm",
    base_url="http://localhost:8000/v1",
    key="VLLM_API_KEY",
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            # servers between 0.16 and May 2026 read the first alone, older ones the second
            thinking_fields=("reasoning", "reasoning_content"),
            model="default",
            issuers=("vllm", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                "video": ("user",),
                "document": False,
                "refusal": False,
                "thinking": True,
                "sources": {"audio": ("url", "base64")},
                "tool_choices": ("auto", "none", "required", "tool"),
            }
        )
    },
)
