"""Mistral: its chat completions, and which of its models think and take audio or images.

Reference: Mistral docs, "Reasoning", "Vision", "Audio"; recorded answers.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts
from ..error_kinds import code_rows
from ..protocols.batches import BatchLimits
from ..protocols.mistral import Dialect
from .vendor_row import Vendor

_REASONING = "Mistral docs, Reasoning; mozilla-ai/any-llm issue 1241"
_MODELS = "Mistral docs, Models"


# Sending an effort to a model without one is an error (tontinton/maki issue 396).
_STILL: dict[str, Any] = {"thinks": "never", "thinking": False}
_HIGH: dict[str, Any] = {"thinks": "on_request", "efforts": ("high",)}
# 400 "Logprobs are not enabled for this model", recorded of these; the SDK has the fields
_SMALL: dict[str, Any] = {"options": dict.fromkeys(("logprobs", "top_logprobs"), "refuses")}
_PROBED = "models.dev pull request 1986 and pydantic-ai 2.68: probed live for none and high"
_GLM = "litellm 1.106, model table: reasoning_effort_levels"


# older snapshots first; the newest of a size also matches the next ones of that size
_FACTS = Facts(
    rows=(
        Fact(("mistral-large-[23]*", "mistral-large-latest", "mistral-large"), _STILL,
             "2024-02-26", _MODELS),
        Fact(
            ("mistral-large-*",),
            {"thinks": "default", "efforts": ("low", "medium", "high")},
            "2026-10-06",
            "Mistral docs, Reasoning: Large 4",
        ),
        Fact(("mistral-small-2[345]*", "mistral-small-3*", "mistral-small"),
             {**_STILL, **_SMALL}, "2024-02-26", _MODELS),
        Fact(("mistral-small-*",), {**_HIGH, **_SMALL}, "2026-03-16", _REASONING),
        Fact(("mistral-medium-2[345]*",), _STILL, "2023-12-11", _MODELS),
        Fact(("mistral-medium*", "mistral-vibe*", "mistral-code-agent*", "devstral-latest",
              "devstral-medium-latest"), _HIGH, "2026-04-29", f"{_REASONING}; {_PROBED}"),
        Fact(("magistral-*-latest",), _HIGH, "2026-10-22", _PROBED),
        Fact(("magistral*",), {"thinks": "default", "efforts": ("high",)}, "2025-06-10",
             _REASONING),
        Fact(("zai-glm-5-2*", "glm-5[-.]2*"), {"thinks": "default", "image": False,
             "efforts": ("minimal", "low", "medium", "high", "xhigh", "max")}, "2026-06-30", _GLM),
        Fact(("zai-glm-5-3-flash*", "glm-5[-.]3-flash*"), {"thinks": "always", "image": ("user",),
             "efforts": ("low", "high", "max")}, "2026-10-30",
             "litellm 1.110.2, model table: zai-glm-5-3-flash sees"),
        Fact(("zai-glm-*", "glm-*"), {"thinks": "always", "image": False,
             "efforts": ("low", "high", "max")}, "2026-08-20", _GLM),
        Fact(("voxtral*",), {**_STILL, "audio": True, "image": False}, "2025-07-15",
             "Mistral docs, Audio; recorded"),
        Fact(("codestral*", "open-*", "mistral-tiny*", "mistral-nemo*"),
             {**_STILL, "image": False}, "2023-09-27", _MODELS),
        Fact(("ministral*",), {**_STILL, **_SMALL}, "2024-10-16", _MODELS),
        Fact(("mistral-*", "pixtral*", "devstral*"), _STILL, "2023-12-11", _MODELS),
    ),
)  # fmt: skip


_ERRORS = code_rows(
    "mistral",
    "2026-11-28",
    "recorded errors; danny-avila/agents, signatures captured live",
    {
        "context_overflow": "3051",
        "model_not_found": "1500",
        "overloaded": "3505",
        "rate_limit": "1300",
    },
)


VENDOR = Vendor(
    "mistral",
    base_url="https://api.mistral.ai/v1",
    key="MISTRAL_API_KEY",
    own_models_only=True,
    span_name="mistral_ai",  # semantic-conventions-genai, 2026-11-24
    # Mistral docs, Batch processing (2026-11-27): a million requests. The size is ours, as a part
    # is in memory while it is sent
    batches={"mistral": BatchLimits(1_000_000, 200 * 10**6)},
    wires={"mistral": Dialect(model="mistral-small-latest")},
    facts={"mistral": _FACTS},
    errors=_ERRORS,
)
