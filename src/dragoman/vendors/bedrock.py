"""Amazon Bedrock: Converse, and what it takes for the models of each maker.

Also Claude on InvokeModel, and OpenAI's models (and some others) by Chat Completions.

Reference: Amazon Bedrock and Nova user guides; the recorded answers of Claude, Nova, Llama, gpt-oss
and others; Anthropic's docs for what Claude takes on any host.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts
from ..protocols.anthropic import Dialect as Messages
from ..protocols.batches import BatchLimits
from ..protocols.bedrock import Dialect
from ..protocols.openai_chat import Dialect as Chat
from ..transport.credentials import Auth
from .vendor_row import Vendor

_RECORDED = "recorded answers of Converse"
_CACHING = "Amazon Bedrock user guide, Prompt caching"
_BINDING = "Amazon Bedrock user guide, Claude: thinking block binding"
_OUTPUT = "Amazon Bedrock user guide, Structured output; presenton issue 939"
_NOVA_DOCS = "Amazon Nova 2 user guide, Extended thinking, Built-in tools; recorded"


# How Claude thinks and samples is in its families; here is how Converse differs. Media in results
# and their status are recorded only for Claude and Nova 2, S3 and video for Nova.
_CLAUDE: dict[str, Any] = {
    "first_user": False,  # recorded of Sonnet 4.5; of 3.5 the opposite was reported
    # service model, SearchResultBlock and DocumentSource (botocore 1.44.5): only Claude cites
    "sources": {"document": ("base64", "text")},
    "result": ("text", "image", "document", "raw"),
    "result_error": True,
    # pydantic-ai issue 6081; beside PDF was answered: recorded
    "beside_results": ("text", "image", "raw", "application/pdf"),
    "error_kinds": ("text",),  # can1357/oh-my-pi issue 12809
    "cache_hints": 4,
    "cached_tools": True,
    "cached_documents": ("application/pdf",),  # strands-agents/harness-sdk issue 1966
    "cache_longest_first": True,
    "signatures": ("bedrock-converse", "bedrock", "anthropic", "vertex"),
    "form": "claude-adaptive",
    "tool_schema": "bedrock",
    # aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws issue 709
    "property_names": {"chars": r"a-zA-Z0-9_.\-", "max": 64},
}


_ONE_SAMPLER: dict[str, Any] = {"options": {"top_p": "alone"}}


# an effort is sent as a budget: on this host Opus 4.5 has efforts only with a beta
_MANUAL: dict[str, Any] = {
    **_CLAUDE,
    **_ONE_SAMPLER,
    "form": "claude-budget",
    "efforts": (),
    "budget_in_maximum": True,
}


_SCHEMAS: dict[str, Any] = {
    "formats": ("text", "schema"),
    "strict_tools": True,
    "strict_schema": "bedrock-strict",
    "format_schema": "bedrock-strict",
}


_SIGNED_NONE: dict[str, Any] = {"thinking": False}
_BOUND: dict[str, Any] = {**_CLAUDE, "binding": "prefix"}
# an hour is for Claude 4.5 and later
_BRIEF: dict[str, Any] = {"cache_ttls": ("5m",)}
_SEEN = dict.fromkeys(("image", "audio", "video", "document"), _RECORDED)
_LATER = "vercel/ai, amazon-bedrock 5.0.131 of 2026-11-02; pydantic-ai 2.68: but for Fable 5"


def _later(models: tuple[str, ...], changes: dict[str, Any], since: str, source: str) -> Any:
    """Facts of models that at first took no schemas, and take them since November 2026."""
    return (
        Fact(models, {**changes, **_SCHEMAS}, "2026-11-02", f"{source}; {_LATER}", sources=_SEEN),
        Fact(models, changes, since, source, sources=_SEEN),
    )


# the newest come last, under a pattern that also matches future models
_CLAUDES = (
    Fact(("claude-fable-5", "claude-fable-5[-@]20*", "claude-fable-5-v*"), _CLAUDE, "2026-06-30",
         _OUTPUT),
    *_later(
        ("claude-mythos-5", "claude-mythos-5-v*", "claude-mythos-preview*", "claude-opus-5",
         "claude-opus-5[-@]20*", "claude-opus-5-v*", "claude-sonnet-5", "claude-sonnet-5[-@]20*",
         "claude-sonnet-5-v*", "claude-opus-4-7*", "claude-opus-4-8*"),
        _CLAUDE, "2026-04-07", _OUTPUT,
    ),
    Fact(("claude-opus-4-6*", "claude-sonnet-4-6*"),
         {**_CLAUDE, **_SCHEMAS, **_ONE_SAMPLER, "budget_in_maximum": True},
         "2026-02-05", _RECORDED),
    Fact(("claude-opus-4-5*", "claude-sonnet-4-5*", "claude-haiku-4-5*"), {**_MANUAL, **_SCHEMAS},
         "2025-09-29", _RECORDED),
    Fact(("claude-opus-4-[01]*", "claude-opus-4[-@]20*", "claude-opus-4", "claude-sonnet-4-0*",
          "claude-sonnet-4[-@]20*", "claude-sonnet-4", "claude-3-7*"), {**_MANUAL, **_BRIEF},
         "2025-02-19", f"{_RECORDED}; {_CACHING}"),
    Fact(("claude-3-5-haiku*",), {**_CLAUDE, **_SIGNED_NONE, **_BRIEF, "form": "claude-budget"},
         "2024-10-22", _CACHING),
    Fact(
        ("claude-3*",),
        {**_SIGNED_NONE, "form": "claude-budget", "result": ("text", "image", "raw"),
         "result_error": True, "error_kinds": ("text",),
         "property_names": _CLAUDE["property_names"],
         "beside_results": _CLAUDE["beside_results"]},
        "2024-02-29", _RECORDED,
    ),
    # its thinking is not switched off, but kept to between calls, which is not proven here
    *_later(("claude-sonnet-*",), {**_BOUND, "thinks": "always"}, "2026-10-08", _BINDING),
    *_later(("claude-opus-*", "claude-haiku-*", "claude-mythos-*"), _BOUND, "2026-08-31", _BINDING),
    Fact(("claude-*",), _BOUND, "2026-08-31", _BINDING, sources=_SEEN),
)  # fmt: skip


_S3 = ("url", "base64", "file")


_NOVA: dict[str, Any] = {
    "form": "nova",
    "thinking": False,
    "result_error": True,
    "cache_ttls": ("5m",),
    "video": True,
    "sources": {"image": _S3, "document": _S3, "video": _S3},
}


# No other maker's models are known to take their thinking back, or a forced tool, unless their rows
# state it.
_OTHER: dict[str, Any] = {"thinking": False, "forced_tools": False}
_TEXT: dict[str, Any] = {**_OTHER, "image": False}


# No tools: calls and results of the history become text.
_NO_TOOLS: dict[str, Any] = {**_TEXT, "tools": False, "tool_messages": False}


# "Conversation blocks and tool result blocks cannot be provided in the same turn."
_APART: dict[str, Any] = {"alternation": "bridged", "call_text": "drop"}
_MODELS = "pydantic-ai 2.68, providers/bedrock.py, verified live in 2026; litellm 1.106"
_REASON = (
    "pi-ai 1.6.0 and litellm 1.110.2, models of Bedrock: they reason, and nothing asks how much"
)
_LISTED = f"Amazon Bedrock user guide, Structured output: supported models; {_MODELS}"
_DEAF: dict[str, Any] = {"options": dict.fromkeys(("temperature", "top_p", "top_k"), "refuses")}
_CHOOSES: dict[str, Any] = {"thinking": False, "forced_tools": True}
_ON: dict[str, Any] = {"thinks": "on_request", "form": "effort", "efforts": ("high",)}


# a result needs a turn of its own: text and media follow after an assistant turn
_ALONE: dict[str, Any] = {**_OTHER, "beside_results": ("raw",)}


# "Tool call id was a but must be a-z, A-Z, 0-9, with a length of 9": short ones; those that Bedrock
# itself gives are longer and pass, too (anomalyco/opencode pull request 48843)
_MISTRAL: dict[str, Any] = {**_ALONE, "ids": {"min": 9}}


_TRIED = "pydantic-ai issue 6081, and its matrix of Bedrock models, tried live"


_LEADS: dict[str, Any] = {"first_user": False}


_OTHERS = (
    Fact(("nova-micro*",), {**_NOVA, "image": False, "document": False, "video": False,
         "cache_hints": 4}, "2024-12-03", _CACHING),
    Fact(("nova-lite*", "nova-pro*", "nova-premier*", "nova-sonic*"),
         {**_NOVA, "cache_hints": 4, "result": ("text", "image", "raw")}, "2024-12-03", _CACHING,
         sources={"result": _TRIED}),
    Fact(
        ("nova-*",),
        {**_NOVA, "thinks": "on_request", "efforts": ("low", "medium", "high"),
         "result": ("text", "image", "raw"), "server_tools": ("web_search", "code_execution")},
        "2025-12-02", _NOVA_DOCS,
    ),
    Fact(
        ("gpt-oss*",),
        {**_TEXT, **_SCHEMAS, "document": False, "form": "effort", "thinks": "always",
         "efforts": ("low", "medium", "high")},
        "2025-08-05", f"{_RECORDED}; {_LISTED}",
    ),
    # sealed reasoning comes back and is accepted again: opencode pull request 48195, tried live
    Fact(("gpt-*",), {**_DEAF, "form": "reasoning", "document": False}, "2026-07-13",
         "opencode pull request 48195 and stdapi-ai issue 283, tried live; " + _MODELS),
    Fact(("grok-*",), {**_CHOOSES, **_DEAF, "form": "reasoning", "thinks": "always",
         "efforts": ("low", "medium", "high", "xhigh"), "document": False}, "2026-08-13",
         "Amazon Bedrock user guide, model cards of Grok 4.6 and 4.7; " + _MODELS),
    Fact(("qwen3-coder*",), {**_TEXT, **_SCHEMAS, **_LEADS, "thinks": "never"}, "2025-09-18",
         _LISTED),
    Fact(("qwen3-vl*",), {**_OTHER, **_SCHEMAS, **_LEADS, "thinks": "on_request", "form": "config",
         "efforts": ("low", "medium", "high")}, "2025-09-18", _LISTED),
    Fact(("qwen*",), {**_TEXT, **_SCHEMAS, **_LEADS, "thinks": "on_request", "form": "config",
         "efforts": ("low", "medium", "high")}, "2025-09-18", _LISTED),
    Fact(
        ("llama4*", "llama3-2*", "llama3-3*"),
        {**_OTHER, **_APART, "result": ("text", "image", "raw"), "document": ("user", "result")},
        "2024-09-25", "strands-agents/harness-sdk issue 1223; recorded",
    ),
    Fact(("llama[23]*",), {**_TEXT, **_APART}, "2023-07-18", "langchain-aws issue 141"),
    Fact(
        ("llama*",),
        {**_OTHER, **_APART, "result": ("text", "image", "raw"), "document": ("user", "result")},
        "2025-04-05", "strands-agents/harness-sdk issue 1223; recorded",
    ),
    Fact(("r1-*", "deepseek-r1*"), {**_NO_TOOLS, "document": False, "thinks": "always",
         "efforts": ("on",)}, "2025-03-10", _RECORDED),
    # a named tool choice is accepted but not followed
    Fact(("v[0-9]*", "deepseek-v*"), {**_TEXT, **_SCHEMAS, **_ON, "forced_tools": True,
         "tool_choices": ("auto", "required")}, "2025-09-18",
         "langchain-aws pull request 1261, tried live; " + _MODELS),
    Fact(("v[0-9]*", "deepseek-v*"), {"forced_tools": False}, "2025-09-18",
         "langchain-aws pull request 1261, tried live", when="thinking"),
    Fact(("glm-4*", "glm-5", "glm-5-*", "glm-5.[0-2]*"), {**_CHOOSES, **_SCHEMAS, **_ON,
         "image": False, **_LEADS}, "2026-01-15", f"{_RECORDED}; {_MODELS}",
         sources={"first_user": _TRIED}),
    Fact(("glm-*",), {**_CHOOSES, **_SCHEMAS, "image": False, "form": "effort", "thinks": "always",
         "efforts": ("low", "medium", "high", "xhigh", "max"), **_LEADS}, "2026-08-20", _MODELS),
    Fact(("kimi-k2-*",), {**_CHOOSES, **_SCHEMAS, "image": False, **_LEADS}, "2025-11-06", _MODELS),
    Fact(("kimi-*",), {**_CHOOSES, **_SCHEMAS, **_LEADS}, "2026-01-27", _MODELS),
    # "This model doesn't support the status field": a failure is stated in text
    Fact(("palmyra*",), _ALONE, "2026-07-03", _TRIED),
    Fact(("minimax-m2*",), {**_TEXT, **_SCHEMAS}, "2025-12-02", _LISTED),
    Fact(("nemotron-nano-12b*",), {**_OTHER, **_SCHEMAS}, "2025-12-02", _LISTED),
    Fact(("nemotron-nano-3*",), {**_TEXT, **_SCHEMAS, "thinks": "default"},
         "2026-11-20", _REASON),
    Fact(("nemotron-nano*",), {**_TEXT, **_SCHEMAS}, "2025-12-02", _LISTED),
    Fact(("nemotron-*-3-*",), {**_TEXT, "thinks": "default"}, "2026-11-20", _REASON),
    Fact(("nemotron*",), _TEXT, "2025-12-02", _MODELS),
    Fact(("devstral*",), {**_MISTRAL, **_TEXT}, "2025-12-02", _MODELS),
    Fact(("gemma-3-4b*",), _OTHER, "2025-12-02", _LISTED),
    Fact(("gemma-[0-9]*",), {**_OTHER, **_SCHEMAS}, "2025-12-02", f"{_RECORDED}; {_LISTED}"),
    Fact(("titan-*", "command-text*", "command-light*", "j2-*", "claude-v*", "claude-[12]*",
          "claude-instant*"),
         _NO_TOOLS, "2023-09-28",
         "Amazon Bedrock user guide, Supported models and features of Converse"),
    Fact(("pixtral*",), {**_MISTRAL, "result": ("text", "document", "raw")}, "2025-04-01",
         _RECORDED, sources={"beside_results": _TRIED}),
    Fact(("voxtral*",), {**_MISTRAL, **_TEXT, **_SCHEMAS, "audio": ("user",)}, "2025-12-02",
         _LISTED),
    Fact(("magistral-small*",), {**_MISTRAL, **_SCHEMAS, "thinks": "always"}, "2026-11-20",
         _REASON),
    Fact(("ministral-3*", "mistral-large-3*"),
         {**_MISTRAL, **_SCHEMAS}, "2025-12-02", _LISTED),
    Fact(("mistral-*", "mixtral-*", "ministral-*", "magistral-*"), _MISTRAL, "2023-10-01", _TRIED),
    Fact(("*",), _OTHER, "2023-09-28", "Amazon Bedrock API reference, ToolChoice",
         but=("claude*",)),
)  # fmt: skip


# Betas that clients may name; another is a 400 "invalid beta flag". litellm 1.110.2,
# anthropic_beta_headers_config.json (2026-11-28); Amazon Bedrock user guide, Claude Messages API
_BETAS = frozenset(
    {
        "compact-2026-01-12",
        "compact-2026-09-04",
        "computer-use-2025-01-24",
        "computer-use-2025-11-24",
        "context-1m-2025-08-07",
        "context-management-2025-06-27",
        "dangerous-tool-use-2026-09-03",
        "effort-2025-11-24",
        "fine-grained-tool-streaming-2025-05-14",
        "interleaved-thinking-2025-05-14",
        "mid-conversation-output-config-2026-07-01",
        "mid-conversation-tool-changes-2026-07-01",
        "thinking-binding-controls-2026-08-01",
        "thinking-display-updates-2026-08-18",
        "tool-search-tool-2025-10-19",
    }
)


# InvokeModel takes Claude's own body, without model and stream, which the path names.
_INVOKE = Messages(
    path="/model/{model}/invoke",
    stream_path="/model/{model}/invoke-with-response-stream",
    version="bedrock-2023-05-31",
    version_place="body",
    betas_place="body",
    model_place="path",
    stream_flag=False,
    framing="aws-eventstream",
    model="us.anthropic.claude-opus-5-5",
    refused=("cache_control", "context_management"),
    betas=_BETAS,
)


_OLD_CLAUDES = (
    "claude-3*",
    "claude-opus-4",
    "claude-opus-4[-@]20*",
    "claude-opus-4-0*",
    "claude-sonnet-4",
    "claude-sonnet-4[-@]20*",
    "claude-sonnet-4-0*",
)


_NO_SCHEMAS: dict[str, Any] = {"formats": ("text",), "strict_tools": False}


_MESSAGES = Facts(
    always={
        "base64_only": ("image", "document"),
        "server_tools": (),
        "signatures": _CLAUDE["signatures"],
    },
    rows=(
        Fact(_OLD_CLAUDES, _BRIEF, "2024-02-29", _CACHING),
        Fact(
            ("claude-opus-4-1*", "claude-opus-4.1*"),
            {**_NO_SCHEMAS, **_BRIEF},
            "2025-08-05",
            _LATER,
        ),
        Fact(("claude-fable*",), _NO_SCHEMAS, "2026-06-30", _LATER),
        Fact(
            tuple(f"claude-{line}-*" for line in ("opus", "sonnet", "haiku", "mythos")),
            {},
            "2026-11-02",
            _LATER,
        ),
        # "output_config.format: Extra inputs are not permitted", from Opus 4.7 on
        Fact(
            ("claude-*",),
            _NO_SCHEMAS,
            "2026-04-07",
            "anthropic-sdk-python issue 1759; models.dev issue 1765",
            but=("claude-*-4-[56]*", "claude-*-4.[56]*"),
        ),
    ),
    since="2026-11-21",
    source="Anthropic docs, Vision, Web search tool: supported platforms; recorded answers",
)


# The path of the runtime itself; Mantle is a vendor of its own.
_CHAT = Chat(
    path="/openai/v1/chat/completions",
    developer=False,
    model="openai.gpt-oss-120b-1:0",
    reads_items_of=("bedrock", "openai-chat"),
)


_CHAT_FACTS = Facts(
    always={"audio": False, "document": False, "refusal": False, "thinking": False},
    since="2026-11-23",
    source="Amazon Bedrock user guide, OpenAI Chat Completions API on bedrock-runtime; litellm"
    " pull request 40775: gpt-oss, GPT-5.6 and Grok",
)


# for all AWS services, after the one for this service
_ENDPOINTS = ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL")


VENDOR = Vendor(
    "bedrock",
    base_url="https://bedrock-runtime.{region}.amazonaws.com",
    key="AWS_BEARER_TOKEN_BEDROCK",
    auth=Auth(tokens="aws", scope="bedrock"),
    base_variables={  # boto3 1.44, anthropic 2.14
        "anthropic": (("ANTHROPIC_BEDROCK_BASE_URL", *_ENDPOINTS), ""),
        "*": (_ENDPOINTS, ""),
    },
    span_name="aws.bedrock",  # semantic-conventions-genai, 2026-11-24
    maker_protocols=("openai-chat",),
    places={"region": ("AWS_REGION", "AWS_DEFAULT_REGION")},
    # the quotas differ by model (Amazon Bedrock, Quotas): these are ours, and others are the user's
    batches={"bedrock-converse": BatchLimits(50_000, 10**9, bucket=True)},
    wires={
        "bedrock-converse": Dialect(model="us.anthropic.claude-sonnet-5"),
        "anthropic": _INVOKE,
        "openai-chat": _CHAT,
    },
    facts={
        "bedrock-converse": Facts(rows=(*_OTHERS, *_CLAUDES)),
        "anthropic": _MESSAGES,
        "openai-chat": _CHAT_FACTS,
    },
)
