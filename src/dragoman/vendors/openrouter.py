"""OpenRouter: models of all makers by one Chat Completions, a stateless Responses, and Messages.

Reasoning of any maker goes back in the details in which it came. Reference: OpenRouter docs,
"Reasoning tokens", "Server tools", "Prompt caching", "Responses API"; openrouter 1.3.84,
`MessagesRequest`; recorded answers.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts
from ..capabilities.families.shared import TOP_K
from ..protocols import anthropic, openai_chat, openai_responses
from .vendor_row import Billing, Vendor

_INPUTS = "OpenRouter docs, Audio and Video inputs: models that take them"
_CHOICE = "OpenRouter API reference: tool_choice"
_LEVELS = ("minimal", "low", "medium", "high", "xhigh", "max")
_CHOICES: dict[str, Any] = {"tool_choices": ("auto", "none", "required", "tool")}
_GPT = ("gpt-*", "o[1-9]*", "chatgpt-*")


# 404 "No endpoints found that support image input"; models whose family does not state it
_TEXT = (
    "aion-*", "nova-micro*", "command-*", "ernie-light*", "ernie-5.5-flash*", "granite-*",
    "ling-3*", "midm-*", "lfm-*", "lfm2*", "longcat-*", "codestral*", "devstral*", "mistral-large",
    "mistral-large-2407", "mistral-nemo*", "mistral-saba*", "mixtral-*", "motif-*", "nemotron-*",
    "fusion", "pareto-code", "qwen-2.5-72b*", "qwen3.8-2.4t*", "flint-*", "beam-*",
    "relace-search*", "ripple-*", "hy[34]", "hy[34]-*", "solar-*", "mimo-v2.5-pro*", "mercury-*",
)  # fmt: skip
_LIST = "pi-ai 1.6.0, catalogue of OpenRouter of 2026-11-20: models that take no image"


_CHAT_FACTS = Facts(
    always={
        "tool_schema": "openai",  # of OpenAI's models; Anthropic's refuse such roots, too
        "audio": False,
        "refusal": False,
        "thinking": True,
        "signatures": ("openrouter",),
        "empty_thinking": False,
        "sources": {"document": ("url", "base64")},
        "form": "object",
        "efforts": _LEVELS,
        "budgets": (1024, 128_000),
        "tools_with_thinking": "yes",  # it sends to Responses where a model needs it
        "endpoint": "",
        "cache_hints": 4,
        "cache_ttls": ("5m", "1h"),
        "cached_tools": True,
        "cached_calls": True,
    },
    rows=(
        Fact(("gemini-*",), {"audio": ("user",), "video": ("user",)}, "2026-11-21", _INPUTS),
        Fact(
            ("gpt-audio*", "gpt-*-audio*", "voxtral*"),
            {**_CHOICES, "audio": ("user",), "image": False},
            "2026-11-21",
            _INPUTS,
        ),
        Fact(_GPT, _CHOICES, "2026-11-21", _CHOICE),
        Fact(_TEXT, {"image": False}, "2026-11-20", _LIST),
    ),
    since="2026-11-21",
    source="OpenRouter docs, Reasoning tokens, Prompt caching, PDF inputs; recorded answers",
)


_SEARCH = "web_search"
_MESSAGES = "openrouter 1.3.84, MessagesRequest; pi-ai 1.6.0, which asks Claude there"
# models that are not Claude: thinking as Claude Code asks for it, and any choice of tools
_OTHERS: dict[str, Any] = {
    **TOP_K,
    "form": "adaptive",
    "efforts": ("low", "medium", "high", "xhigh", "max"),
    "budgets": (1024, 128_000),
    "tool_choices": ("auto", "none", "required", "tool"),
    "forced_tools": True,
    "redacted_thinking": False,
    "strict_tools": False,
}


_FETCH = "web_fetch"
_FIELDS = {
    f"{_FETCH}.domains": "parameters.allowed_domains",
    f"{_FETCH}.blocked_domains": "parameters.blocked_domains",
    f"{_FETCH}.max_uses": "parameters.max_uses",
    f"{_SEARCH}.domains": "parameters.allowed_domains",
    f"{_SEARCH}.blocked_domains": "parameters.excluded_domains",
    f"{_SEARCH}.max_uses": "parameters.max_uses",
    f"{_SEARCH}.location": "parameters.user_location",
}


VENDOR = Vendor(
    "openrouter",
    title="OpenRouter",
    base_url="https://openrouter.ai/api/v1",
    billing=Billing(
        total="cost",
        parts=(
            "cost_details.upstream_inference_prompt_cost",
            "cost_details.upstream_inference_completions_cost",
        ),
        own_key="cost_details.upstream_inference_cost",
    ),
    key="OPENROUTER_API_KEY",
    wires={
        "openai-chat": openai_chat.Dialect(
            thinking_fields=("reasoning",),
            thinking_details=True,
            max_tokens_key="max_tokens",
            cache_mark="cache_control",
            keys={  # left: names of `message/options.py`
                "top_k": "top_k",
                "repetition_penalty": "repetition_penalty",
                "thoughts": "reasoning.exclude",
            },
            server_tools={
                _SEARCH: {"type": "openrouter:web_search"},
                _FETCH: {"type": "openrouter:web_fetch"},  # 1.3.84, WebFetchServerToolConfig
            },
            server_fields=_FIELDS,
            model="openrouter/auto",
            reads_items_of=("openrouter", "openai-chat"),
        ),
        "openai-responses": openai_responses.Dialect(
            assistant_text="full",  # an assistant's message needs its id and status
            stores=False,
            blocked_domains="excluded_domains",
            user_key="user",
            model="openrouter/auto",
            reads_items_of=("openrouter",),
        ),
        "anthropic": anthropic.Dialect(model="openrouter/auto", reads_items_of=("openrouter",)),
    },
    facts={
        "openai-chat": _CHAT_FACTS,
        "openai-responses": Facts(
            always={
                **_CHOICES,
                "tool_schema": "openai",
                "server_tools": (_SEARCH,),
                "efforts": _LEVELS,
                # a reasoning item with an id needs the item that followed it
                "thinking_alone": False,
                "thinking_last": False,
            },
            rows=(Fact(_TEXT, {"image": False}, "2026-11-20", _LIST),),
            since="2026-11-21",
            source="OpenRouter docs, Responses API: stateless",
        ),
        # a Claude takes here what it takes at home, except files and code that Anthropic stores
        "anthropic": Facts(
            always={
                "signatures": ("openrouter",),
                "sources": {"image": ("url", "base64"), "document": ("url", "base64", "text")},
                "server_tools": (_SEARCH,),
            },
            rows=(
                Fact(("claude-*",), {}, "2026-11-28", _MESSAGES),
                Fact(_TEXT, {**_OTHERS, "image": False}, "2026-11-20", _LIST),
                Fact(("*",), _OTHERS, "2026-11-28", _MESSAGES),
            ),
            since="2026-11-28",
            source=_MESSAGES,
        ),
    },
    urls={"anthropic": "https://openrouter.ai/api"},
)
