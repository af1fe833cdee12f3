"""Cloudflare Workers AI: open weights by copies of Chat Completions and Responses.

Reference: Cloudflare docs, "OpenAI compatible API endpoints"; recorded answers of Llama 3.3.
"""

from __future__ import annotations

from dataclasses import replace

from ..capabilities import Facts, without
from ..capabilities.families.shared import COPIED_ITEMS
from ..error_kinds import code_rows
from ..protocols import openai_chat, openai_responses
from .vendor_row import Vendor

_DOCS = "Cloudflare docs, OpenAI compatible API endpoints; models.dev, 2026-06-25"
_OSS = "@cf/openai/gpt-oss-120b"


_ERRORS = code_rows(
    "cloudflare",
    "2026-11-28",
    "Cloudflare docs, Workers AI: Errors; logs of its users",
    {
        "model_not_found": "5007",
        "context_overflow": "5021",
        "overloaded": "3040",
        "billing": "4006",
        "authentication": "10000",
    },
)


VENDOR = Vendor(
    "cloudflare",
    base_url="https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1",
    # a bearer token, as wrangler names it: its CLOUDFLARE_API_KEY is another kind of key
    key="CLOUDFLARE_API_TOKEN",
    places={"account": ("CLOUDFLARE_ACCOUNT_ID",)},
    wires={
        "openai-chat": openai_chat.Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            model=_OSS,
            reads_items_of=("cloudflare", "openai-chat"),
        ),
        "openai-responses": replace(
            openai_responses.COPY,
            assistant_text="full",
            model=_OSS,
            reads_items_of=("cloudflare", "openai-responses"),
        ),
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": False,
                "form": "effort",
                "budgets": (),
            },
            since="2026-11-23",
            source=f"{_DOCS}; recorded",
        ),
        "openai-responses": Facts(
            always=COPIED_ITEMS,
            since="2026-11-23",
            source=_DOCS,
        ),
    },
    errors=_ERRORS,
)
