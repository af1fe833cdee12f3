"""A filter of the provider's refused what was asked, or what was answered."""

from __future__ import annotations

from ..row import ErrorRow

CONTENT: tuple[ErrorRow, ...] = (
    ErrorRow(
        "content_filter",
        "triggering azure openai's content management policy",
        (
            "azure",
            "foundry",
        ),
        "2026-11-28",
        "Azure OpenAI: 400 content_filter",
    ),
    ErrorRow(
        "content_filter",
        "responsibleaipolicyviolation",
        (
            "azure",
            "foundry",
        ),
        "2026-11-28",
        "Azure OpenAI: the inner error of a 400",
    ),
    ErrorRow(
        "content_filter",
        "violating our usage policy",
        ("openai",),
        "2026-11-28",
        "OpenAI: 400, code invalid_prompt, for what its classifier flags",
    ),
    ErrorRow(
        "content_filter",
        "rejected as a result of our safety system",
        ("openai",),
        "2026-11-28",
        "OpenAI: 400, moderation_blocked",
    ),
    ErrorRow(
        "content_filter",
        "flagged for possible cybersecurity risk",
        ("openai",),
        "2026-11-28",
        "NousResearch/hermes-agent, agent/error_classifier.py",
    ),
    ErrorRow(
        "content_filter",
        "blocked by content filtering policy",
        (
            "anthropic",
            "vertex",
            "bedrock",
        ),
        "2026-11-28",
        "Anthropic: 400 invalid_request_error, Output blocked by content filtering policy",
    ),
    ErrorRow(
        "content_filter",
        "content exists risk",
        ("deepseek",),
        "2026-11-28",
        "threads of DeepSeek's users: 400",
    ),
    ErrorRow(
        "content_filter",
        "considered high risk",
        ("moonshot",),
        "2026-11-28",
        "Moonshot docs, Error codes: content_filter",
    ),
    ErrorRow(
        "content_filter",
        "inappropriate content",
        ("dashscope",),
        "2026-11-28",
        "Alibaba Cloud, Model Studio, Error messages: DataInspectionFailed",
    ),
    ErrorRow(
        "content_filter",
        "可能包含不安全或敏感内容",
        ("zhipu",),
        "2026-11-28",
        "Zhipu docs, Error codes: 1301",
    ),
    ErrorRow(
        "content_filter",
        "potentially unsafe or sensitive content",
        ("zhipu",),
        "2026-11-28",
        "Z.ai docs, Error codes: 1301",
    ),
    ErrorRow(
        "content_filter",
        "new_sensitive",
        ("minimax",),
        "2026-11-28",
        "MiniMax docs, Error codes: 1026 input new_sensitive, 1027 output new_sensitive",
    ),
    ErrorRow(
        "content_filter",
        "may contain sensitive information",
        ("volcengine",),
        "2026-11-28",
        "Volcengine Ark docs, Error codes",
    ),
    ErrorRow(
        "content_filter",
        "content you provided or machine outputted is blocked",
        ("stepfun",),
        "2026-11-28",
        "logs of StepFun's users: 451, censorship_blocked; 451 of OpenRouter too",
    ),
    ErrorRow(
        "content_filter",
        "requires moderation on *your input was flagged",
        ("openrouter",),
        "2026-11-28",
        "OpenRouter docs, Errors: 403",
    ),
    ErrorRow(
        "content_filter",
        "content violates usage guidelines",
        ("xai",),
        "2026-11-28",
        "threads of xAI's users: 403",
    ),
)
