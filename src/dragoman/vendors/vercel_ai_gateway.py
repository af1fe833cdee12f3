"""Vercel's AI Gateway: models of all makers by Chat Completions and Messages.

Models are `maker/model`. Reference: Vercel docs, "AI Gateway", "OpenAI compatibility", "Anthropic
compatibility"; litellm 1.110.2 and pi-ai 1.6.0, which asks Messages.
"""

from __future__ import annotations

from ..capabilities import Fact, Facts
from ..capabilities.families.shared import SAMPLES, copy_facts
from ..protocols import anthropic, openai_chat
from .vendor_row import Vendor

_DOCS = "Vercel docs, AI Gateway, OpenAI compatibility"
_LEVELS = ("minimal", "low", "medium", "high", "xhigh")
_LIST = "pi-ai 1.6.0, catalogue of Vercel's AI Gateway: models that take text alone"
# of 305 chat models 66 take no image; these are of families that do not state it themselves
_BLIND = Fact(
    (
        "nova-micro*",
        "command-a",
        "mercury-*",
        "ling-3*",
        "lfm2*",
        "llama-3.1-*",
        "llama-3.3-*",
        "codestral*",
        "mistral-nemo*",
        "hy[34]*",
        "nemotron-*",
        "qwen-3-*",
        "qwen3-coder*",
        "qwen3-max-thinking",
        "qwen3-next-*",
        "qwen3.7-max",
        "beam*",
        "toast-1",
        "flint-*",
        "ampersand-*",
    ),
    {"image": False, "document": False},
    "2026-11-20",
    _LIST,
)


VENDOR = Vendor(
    "vercel-ai-gateway",
    title="VercelAIGateway",
    base_url="https://ai-gateway.vercel.sh/v1",
    key="AI_GATEWAY_API_KEY",
    wires={
        "openai-chat": openai_chat.Dialect(
            thinking_fields=("reasoning",),
            thinking_details=True,
            max_tokens_key="max_tokens",
            model="openai/gpt-5.6-luna",
            reads_items_of=("vercel-ai-gateway", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(
            model="anthropic/claude-opus-5-5", reads_items_of=("vercel-ai-gateway",)
        ),
    },
    facts={
        "openai-chat": Facts(
            always={
                "tool_schema": "openai",
                "audio": False,
                "refusal": False,
                "thinking": True,
                "signatures": ("vercel-ai-gateway",),
                "empty_thinking": False,
                "form": "object",
                "efforts": _LEVELS,
                "tools_with_thinking": "yes",
                "endpoint": "",
            },
            rows=(_BLIND,),
            since="2026-11-28",
            source=_DOCS,
        ),
        "anthropic": copy_facts(
            "vercel-ai-gateway",
            "2026-11-28",
            "Vercel docs, Anthropic compatibility; pi-ai 1.6.0",
            {
                **SAMPLES,
                "signed_thinking": True,
                "cache_hints": 4,
                "document": ("user",),
                "efforts": ("low", "medium", "high", "xhigh", "max"),
            },
            _BLIND,
        ),
    },
    urls={"anthropic": "https://ai-gateway.vercel.sh"},
)
