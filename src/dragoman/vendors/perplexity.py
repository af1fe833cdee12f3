"""Perplexity: Sonar, which searches by itself and takes no tools.

Reference: Perplexity docs, "Sonar"; vercel/ai, perplexity; recorded answers.
"""

from __future__ import annotations

from ..capabilities import Fact, Facts, without
from ..protocols.openai_chat import Dialect
from .vendor_row import Billing, Vendor

_SONAR = "Perplexity docs, Sonar; vercel/ai, perplexity 4: no tools, stop, seed or links to files"
_EFFORT = "Perplexity docs, Sonar: reasoning_effort; models.dev, 2026-06-25"


VENDOR = Vendor(
    "perplexity",
    base_url="https://api.perplexity.ai",
    billing=Billing(
        total="cost.total_cost", parts=("cost.input_tokens_cost", "cost.output_tokens_cost")
    ),
    key="PERPLEXITY_API_KEY",
    base_variables={"*": ("PERPLEXITY_BASE_URL", "")},  # perplexityai of 2026-11
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            think_tags="leading",
            model="sonar-pro",
            reads_items_of=("perplexity", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "tools": False,
                "tool_messages": False,
                "formats": ("text", "schema"),
                "alternation": "merged",
                "prefill": False,
                "name_field": "never",
                "thinking": False,
                "thinks": "never",
                "options": dict.fromkeys(
                    ("stop", "seed", "n", "logprobs", "top_logprobs", "service_tier"), "refuses"
                ),
            },
            rows=(
                Fact(
                    ("sonar-reasoning*", "sonar-deep-research*"),
                    {
                        "thinks": "always",
                        "form": "effort",
                        "efforts": ("minimal", "low", "medium", "high"),
                    },
                    "2026-06-25",
                    _EFFORT,
                ),
            ),
            since="2026-11-23",
            source=_SONAR,
        )
    },
)
