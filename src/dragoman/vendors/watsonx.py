"""IBM watsonx.ai: the model gateway, which copies Chat Completions for every maker's models.

The project-bound path of watsonx.ai itself (`/ml/v1/text/chat`, with `model_id` and `project_id`)
has another body and is not written here. Reference: IBM docs, "Inferencing models through the model
gateway". What it takes for each model depends on that model's provider.
"""

from __future__ import annotations

from ..capabilities import Facts
from ..error_kinds import code_rows
from ..protocols.openai_chat import Dialect
from .vendor_row import Vendor

_ERRORS = code_rows(
    "watsonx",
    "2026-11-28",
    "IBM watsonx.ai docs, API errors; agno-agi/agno, tests of WatsonX",
    {
        "context_overflow": "token_quantity_exceeded",
        "billing": "token_quota_reached",
    },
)


VENDOR = Vendor(
    "watsonx",
    title="WatsonX",
    base_url="https://{region}.ml.cloud.ibm.com/ml/gateway/v1",
    key="WATSONX_TOKEN",  # a bearer token, made with an API key; as litellm names it
    span_name="ibm.watsonx.ai",  # semantic-conventions-genai, 2026-11-24
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            model="ibm/granite-4-h-small",
            reads_items_of=("watsonx", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={"audio": False, "document": False, "refusal": False},
            since="2026-11-23",
            source="IBM docs, Inferencing models through the model gateway: OpenAI-compatible;"
            " fields by model are not told",
        )
    },
    errors=_ERRORS,
)
