"""Hugging Face: a router to many hosts; a model's name may end in the host's, `:groq`.

What is accepted depends on the host that was chosen. Its Responses are built on Chat Completions,
as in Open Responses, without anything that is stored. Reference: Hugging Face docs, "Inference
Providers, Chat Completion", "Responses API (beta)"; huggingface/responses.js, `schemas.ts` and
`messageFormatting.ts`; recorded answers.
"""

from __future__ import annotations

from dataclasses import replace

from ..capabilities import Facts, without
from ..protocols import openai_responses
from ..protocols.openai_chat import Dialect
from .vendor_row import Vendor

VENDOR = Vendor(
    "huggingface",
    title="HuggingFace",
    base_url="https://router.huggingface.co/v1",
    key="HF_TOKEN",
    keys=("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"),  # huggingface_hub 2.4, in this order
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning",),
            think_tags="leading",
            model="openai/gpt-oss-120b",
            reads_items_of=("huggingface", "openai-chat"),
        ),
        "openai-responses": replace(
            openai_responses.COPY,
            form="open",
            user_key="safety_identifier",
            detail=False,
            bullets=True,  # a result is one text
            model="openai/gpt-oss-120b",
            reads_items_of=("huggingface", "openai-responses"),
        ),
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": False,  # no field that every host reads
                "form": "effort",
                "budgets": (),
            },
            since="2026-11-23",
            source="Hugging Face docs, Inference Providers, Chat Completion: reasoning_effort none"
            " to xhigh; recorded",
        ),
        "openai-responses": Facts(
            always={
                **without("document", "refusal"),
                "result": ("text",),
                "move_media": ("image",),
                "sources": {"image": ("url", "base64")},
                "thinking": "never",  # no item of its input
                "efforts": ("low", "medium", "high"),
                "tool_choices": ("auto", "none", "required", "tool"),
                "parallel_switch": False,
                "server_tools": (),
                "native_tools": ("mcp",),  # of another type: 400, no form of the union fits
                "cache_hints": 0,
                "options": dict.fromkeys(
                    ("user", "service_tier", "logprobs", "top_logprobs"), "ignores"
                ),
            },
            since="2026-11-23",
            source="huggingface/responses.js, schemas.ts: what is commented out is passed over",
        ),
    },
)
