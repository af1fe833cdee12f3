"""Too much at once, of this caller or of all: waiting helps."""

from __future__ import annotations

from ..row import ErrorRow

TRAFFIC: tuple[ErrorRow, ...] = (
    ErrorRow(
        "rate_limit",
        "tokens per min",
        (
            "openai",
            "groq",
            "azure",
        ),
        "2026-11-28",
        "OpenAI and Groq: 429, Groq also 413: Request too large ... on tokens per minute (TPM)",
    ),
    ErrorRow(
        "rate_limit",
        "rate limit reached for",
        (
            "openai",
            "groq",
        ),
        "2026-11-28",
        "OpenAI, Groq",
    ),
    ErrorRow(
        "rate_limit",
        "rate increased too quickly",
        ("dashscope",),
        "2026-11-28",
        "Alibaba Cloud, Model Studio, Error messages",
    ),
    ErrorRow(
        "rate_limit",
        "too many tokens, please wait",
        ("bedrock",),
        "2026-06-14",
        "jin-bo/agentao pull request 88: ThrottlingException",
    ),
    ErrorRow(
        "rate_limit",
        "too many tokens per day",
        ("bedrock",),
        "2026-11-28",
        "AWS: ThrottlingException",
    ),
    ErrorRow(
        "overloaded",
        "model is overloaded",
        (
            "gemini",
            "together",
        ),
        "2026-11-28",
        "Gemini API: 503 UNAVAILABLE",
    ),
    ErrorRow(
        "overloaded",
        "currently overloaded",
        (
            "moonshot",
            "openai",
        ),
        "2026-11-28",
        "MoonshotAI/kimi-cli issue 2571",
    ),
    ErrorRow(
        "overloaded",
        "temporarily overloaded",
        ("zhipu",),
        "2026-11-28",
        "Z.ai docs, Error codes: 1305, 429",
    ),
    ErrorRow(
        "overloaded",
        "该模型当前访问量过大",
        ("zhipu",),
        "2026-11-28",
        "Zhipu docs, Error codes: 1305, 429",
    ),
    ErrorRow(
        "overloaded",
        "model too busy",
        ("huggingface",),
        "2026-11-28",
        "huggingface_hub's readers' threads: 503",
    ),
    ErrorRow(
        "overloaded",
        "we're experiencing high traffic",
        ("cerebras",),
        "2026-11-28",
        "Cerebras: 429, queue_exceeded",
    ),
    ErrorRow(
        "overloaded",
        "currently at capacity due to high demand",
        ("xai",),
        "2026-11-28",
        "sentences of providers in a public library's tests",
    ),
    ErrorRow(
        "overloaded",
        "unable to handle additional requests due to server overload",
        ("volcengine",),
        "2026-11-28",
        "Volcengine Ark docs, Error codes: ServerOverloaded, 429",
    ),
)
