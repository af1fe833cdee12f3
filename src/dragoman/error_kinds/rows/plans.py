"""Errors of plans and proxies: used-up allowances, restricted keys, models that were withdrawn.

An allowance that is renewed within a week (five hours, a day, a week) only needs waiting, and some
hosts state until when. One of a month, a billing cycle or a spending limit is an empty account.
Hosts report both as 400, 403 or 429.
"""

from __future__ import annotations

from ..kinds import ErrorKind
from ..row import ErrorRow

_SINCE = "2026-11-28"


def _rows(
    kind: ErrorKind, hosts: str, source: str, *texts: str, since: str = _SINCE
) -> tuple[ErrorRow, ...]:
    """Rows of one kind, of these hosts (`*`: proxies that anyone may run) and this source."""
    return tuple(ErrorRow(kind, text, tuple(hosts.split()), since, source) for text in texts)


PLANS: tuple[ErrorRow, ...] = (
    *_rows(
        "billing",
        "moonshot",
        "Kimi's plans, 314 bodies in a router's log to 2026-08-29; NousResearch/hermes-agent issue "
        "36276: 403 permission_error or access_terminated_error, and 429",
        "usage limit for this billing cycle",
        "monthly usage limit",
        since="2026-08-29",
    ),
    *_rows(
        "billing",
        "anthropic",
        "anthropics/claude-code issues 2127 and 38038: 400 invalid_request_error, until a date",
        "reached your specified api usage limits",
        since="2026-03-24",
    ),
    *_rows(
        "billing",
        "anthropic",
        "anthropics/claude-code issues 45013, 45033 and 45048; decolua/9router issue 795: 400 "
        "invalid_request_error; anomalyco/opencode pull request 18853: 403 and 429",
        "out of extra usage",
        "draw from your extra usage",
        "draw from extra usage",
        "extra usage is required for long context",
        since="2026-04-27",
    ),
    *_rows(
        "billing",
        "anthropic",
        "NousResearch/hermes-agent issue 91091: 429 rate_limit_error",
        "exceed your account's monthly spend limit",
        since="2026-08-20",
    ),
    *_rows(
        "billing",
        "openrouter",
        "NousResearch/hermes-agent pull request 45243; vellum-ai/vellum-assistant pull request "
        "38275: 403",
        "key budget limit exceeded",
        "key limit has been",
        since="2026-07-16",
    ),
    *_rows(
        "billing",
        "gemini",
        "a router's fixtures of Gemini: 400 FAILED_PRECONDITION; Gemini API, Billing: 429",
        "free tier is not available in your country",
        "exceeded its monthly spending cap",
    ),
    *_rows(
        "billing",
        "bedrock",
        "AWS: 403, a model of the Marketplace without a means to pay",
        "invalid_payment_instrument",
    ),
    *_rows(
        "billing",
        "dashscope",
        "Alibaba Cloud, Model Studio, Error messages: 403 AllocationQuota.FreeTierOnly",
        "free tier of the model has been exhausted",
        "免费额度已用完",
        "免费额度已耗尽",
    ),
    *_rows(
        "billing",
        "vercel-ai-gateway",
        "Vercel AI Gateway: 403 customer_verification_required",
        "requires a valid credit card on file",
    ),
    *_rows(
        "billing", "novita", "Novita docs, Errors: 403 NOT_ENOUGH_BALANCE", "not enough balance"
    ),
    *_rows(
        "billing",
        "*",
        "QuantumNous/new-api: 403 new_api_error; diegosouzapw/OmniRoute pull request 13536",
        "额度不足",
        "额度已用尽",
        "额度已用完",
        "token quota is not enough",
    ),
    *_rows(
        "billing",
        "*",
        "LiteLLM docs, Proxy: Budgets: 400 and 429 budget_exceeded",
        "budget has been exceeded",
    ),
    *_rows(
        "billing",
        "*",
        "diegosouzapw/OmniRoute issue 1772: 429 of opencode's plan",
        "subscription quota exceeded",
        since="2026-04-29",
    ),
    *_rows(
        "billing",
        "gemini",
        "diegosouzapw/OmniRoute pull request 9513: 429, the reason of an ErrorInfo",
        "insufficient_g1_credits_balance",
        since="2026-08-05",
    ),
    *_rows(
        "billing",
        "ollama",
        "threads of Ollama Cloud's users: 403",
        "requires a subscription, upgrade for access",
    ),
    *_rows(
        "permission",
        "bedrock",
        "AWS: 400 ValidationException, an account that may not call models yet",
        "operation not allowed",
    ),
    *_rows(
        "permission",
        "anthropic",
        "anthropics/claude-code, threads: 400 and 403",
        "this organization has been disabled",
    ),
    *_rows(
        "permission",
        "openai",
        "OpenAI: 401 with missing scopes; 400 unsupported_value before an organization is verified",
        "insufficient permissions for this operation",
        "your organization must be verified to",
    ),
    *_rows(
        "permission",
        "gemini",
        "Gemini API, Troubleshooting: 400 FAILED_PRECONDITION",
        "user location is not supported for the api use",
    ),
    *_rows(
        "permission",
        "bedrock",
        "AWS: ValidationException, an account that may not call this yet",
        "not authorized to invoke this api operation",
    ),
    *_rows(
        "permission",
        "groq",
        "Groq: 400 organization_restricted",
        "organization has been restricted",
    ),
    *_rows(
        "permission",
        "openrouter",
        "NousResearch/hermes-agent, agent/error_classifier.py: 404, the account's own settings",
        "matching your data policy",
        "matching your guardrail",
    ),
    *_rows(
        "authentication",
        "gemini",
        "google.rpc: 403 PERMISSION_DENIED without a key",
        "doesn't allow unregistered callers",
    ),
    *_rows(
        "authentication",
        "*",
        "QuantumNous/new-api: 401 new_api_error",
        "无效的令牌",
    ),
    *_rows(
        "authentication",
        "*",
        "CLIProxyAPI, as in openclaw/openclaw, failover-matches.test.ts: 503, no account is signed "
        "in",
        "auth_unavailable",
    ),
    *_rows(
        "context_overflow",
        "*",
        "LiteLLM, litellm/exceptions.py, in a proxy's message without the code; langchain-ai/"
        "langchain pull request 39300",
        "contextwindowexceedederror",
        since="2026-08-06",
    ),
    *_rows(
        "content_filter",
        "*",
        "LiteLLM, litellm/exceptions.py; openai's moderation in its words and Anthropic's, as in "
        "NousResearch/hermes-agent, agent/error_classifier.py",
        "contentpolicyviolationerror",
        "violates our usage policies",
        "violates openai's usage policies",
        "flagged by our safety",
    ),
    *_rows(
        "content_filter",
        "azure foundry",
        "continuedev/continue pull request 4192: models of others at Azure, 400 content_filter",
        "microsoft's content management policy",
        since="2025-02-16",
    ),
    *_rows(
        "model_not_found",
        "bedrock",
        "terricain/aioboto3 issue 352: 400 ValidationException, with either apostrophe; AWS: 404 "
        "before a form is filled out",
        "with on-demand throughput isn*t supported",
        "use case details have not been submitted",
        since="2024-12-03",
    ),
    *_rows(
        "model_not_found",
        "groq",
        "Groq docs, Deprecations: 400 model_decommissioned",
        "has been decommissioned",
    ),
    *_rows(
        "model_not_found",
        "openrouter",
        "OpenRouter docs, Provider routing: 404, no host of the model that the request may use",
        "no endpoints found that support",
        "no allowed providers are available for the selected model",
    ),
    *_rows(
        "model_not_found",
        "minimax siliconflow bedrock",
        "threads of their users: MiniMax 2061, SiliconFlow 403 with code 30003, Bedrock 403",
        "token plan not support model",
        "model disabled.",
        "don't have access to the model with the specified model id",
    ),
    *_rows(
        "model_not_found",
        "openai azure",
        "OpenAI: 404 for a model of another API; Azure: 400 OperationNotSupported",
        "not a chat model and thus not supported",
        "operation does not work with the specified model",
    ),
    *_rows(
        "model_not_found",
        "openai",
        "openai/codex issues 18293 and 43751: 400, a ChatGPT account; also as `detail`",
        "model is not supported when using codex with",
        since="2026-09-08",
    ),
    *_rows(
        "model_not_found",
        "cohere",
        "Cohere docs, Deprecations: 404",
        "was removed on *to find an alternative model",
    ),
    *_rows(
        "model_not_found",
        "gemini",
        "Gemini API: 404, a model that new accounts do not get",
        "is no longer available to new users",
    ),
    *_rows(
        "model_not_found",
        "*",
        "LiteLLM, proxy: 400 and 401 key_model_access_denied",
        "invalid model name passed in",
        "not allowed to access model",
    ),
    *_rows(
        "model_not_found",
        "*",
        "QuantumNous/new-api: 503 model_not_found",
        "无可用渠道",
        "no available channel for model",
    ),
    *_rows(
        "rate_limit",
        "moonshot minimax ollama",
        "Kimi's plans, in a router's log to 2026-10-02: 403; MiniMax's token plan: 429; "
        "NousResearch/hermes-agent pull request 65633, Ollama Cloud: 429",
        "reached your *usage limit",
        "-hour usage limit reached",
        since="2026-10-02",
    ),
    *_rows(
        "rate_limit",
        "openai",
        "earendil-works/pi issue 4172: usage_limit_reached of ChatGPT's plans, 429 and in streams",
        "usage limit has been reached",
        since="2026-05-04",
    ),
    *_rows(
        "rate_limit",
        "volcengine",
        "volcengine/ark-cli issue 10: You have exceeded the 5-hour usage quota",
        "exceeded the *usage quota",
        since="2026-06-27",
    ),
    *_rows(
        "rate_limit",
        "dashscope",
        "logs of Model Studio's plans: 429, token-plan 1-week quota",
        "quota has been exhausted",
        "quota will reset",
        since="2026-08-29",
    ),
    *_rows(
        "rate_limit",
        "zhipu",
        "openclaw/openclaw pull request 33988: code 1310; Zhipu's coding plan: code 1308",
        "limit exhausted",
        "的使用上限",
        since="2026-03-04",
    ),
    *_rows(
        "rate_limit",
        "cerebras",
        "Cerebras: 429 too_many_tokens_error, code token_quota_exceeded",
        "per day limit exceeded",
        "per minute limit exceeded",
    ),
    *_rows(
        "overloaded",
        "fireworks siliconflow deepseek",
        "Fireworks: 429; SiliconFlow: 503, code 50505; DeepSeek: 503; all also in streams",
        "server overloaded",
        "service overloaded",
        "service is too busy",
        "server is busy",
        "server busy",
    ),
    *_rows(
        "overloaded",
        "groq cloudflare mistral azure gemini",
        "Groq: 498 of its flex tier; Workers AI: 3040; Mistral: 429; Azure: NoCapacity; Gemini: "
        "503",
        "capacity exceeded",
        "capacity temporarily exceeded",
        "experiencing high demand",
    ),
    *_rows(
        "overloaded",
        "openai openrouter novita gemini vertex",
        "openclaw/openclaw, failover-matches.test.ts; NousResearch/hermes-agent issue 106205: 429 "
        "server_overload; googleapis/google-cloud-java issue 11195: RESOURCE_EXHAUSTED",
        "model is at capacity",
        "experiencing high load",
        "server overload,",
        "temporarily out of capacity",
        "no capacity available for model",
        since="2026-09-09",
    ),
    *_rows(
        "overloaded",
        "*",
        "QuantumNous/new-api: 429 and 500 new_api_error; openclaw/openclaw, failover-matches.ts",
        "负载已饱和",
        "当前负载过高",
        "服务过载",
    ),
    *_rows(
        "overloaded",
        "lmstudio",
        "lmstudio-ai/lmstudio-bug-tracker: a model that is loaded again when it is asked again; "
        "openclaw/openclaw issue 93931: one that is not loaded yet",
        "model unloaded",
        "model not loaded",
        "model is not loaded",
    ),
    *_rows(
        "server",
        "lmstudio",
        "lmstudio-ai/lmstudio-bug-tracker: 400",
        "the model has crashed",
    ),
    *_rows(
        "overloaded",
        "openai",
        "OpenAI: 409 conversation_locked; HTTP: 425 asks for another attempt",
        "another process is currently operating on this conversation",
    ),
    *_rows(
        "server",
        "ollama",
        "ollama/ollama issue 8258, ollama-js issue 285: 500, and lines in the middle of a stream",
        "llama runner process has terminated",
        "an error was encountered while running the model",
        "unexpected eof",
    ),
    *_rows(
        "connection",
        "*",
        "router-for-me/CLIProxyAPI issue 3055: invalid_request_error, at the end of a stream; "
        "can1357/oh-my-pi pull request 11160: what Python's HTTP clients say, passed on",
        "stream disconnected before completion",
        "stream closed before response.completed",
        "peer closed connection without sending complete message body",
        "error decoding response body",
        since="2026-09-15",
    ),
    # messages of bodies without a useful status
    *_rows(
        "rate_limit",
        "*",
        "answers of proxies with status 200",
        "too many requests",
        "too many concurrent requests",
        "concurrency limit has been reached",
        "请求过于频繁",
        "rate limit exceeded",
        "your current rate limit",
    ),
)
