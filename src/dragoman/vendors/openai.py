"""OpenAI: Chat Completions and Responses as OpenAI itself offers them.

Chat Completions is the default wire, because most programs were written for it. Current models
reason and call tools only on Responses. What these models take on any host is in
`capabilities/families/gpt.py`.
"""

from __future__ import annotations

from ..capabilities import Facts
from ..protocols import openai_responses as responses
from ..protocols.batches import BatchLimits
from ..protocols.openai_chat import Dialect
from .vendor_row import Vendor

DEFAULT_MODEL = "gpt-5.6"  # asked where no model is named

# OpenAI docs, Web search: domain filtering; pydantic-ai pull request 8323, tried live 2026-09-14
_RESPONSES = responses.Dialect(
    model=DEFAULT_MODEL, blocked_domains="blocked_domains", joint_domains=True
)


# OpenAI API reference, Create batch (2026-11-27): 50,000 requests and 200 MB a file
_BATCHES = BatchLimits(50_000, 200 * 10**6)


VENDOR = Vendor(
    "openai",
    base_url="https://api.openai.com/v1",
    key="OPENAI_API_KEY",
    own_models_only=True,
    counts="openai-responses",  # OpenAI API reference, Get input token counts
    base_variables={"*": ("OPENAI_BASE_URL", "")},  # openai 3.57
    batches={"openai-chat": _BATCHES, "openai-responses": _BATCHES},
    wires={"openai-chat": Dialect(model=DEFAULT_MODEL), "openai-responses": _RESPONSES},
    facts={
        "openai-chat": Facts(
            always={
                "tool_choices": ("auto", "none", "required", "tool", "allowed"),
                "json_word": True,  # only on Chat Completions, not on Responses
                "tool_schema": "openai",
            },
            since="2026-11-21",
            source="OpenAI API reference, Create chat completion: tool_choice, response_format",
        ),
        "openai-responses": Facts(
            always={"tool_schema": "openai"},
            since="2026-08-12",
            source="OpenAI API, error invalid_function_parameters",
        ),
    },
)
