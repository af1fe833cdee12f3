"""Amazon Bedrock: Converse, and what the models of each maker take behind it; Claude by itself.

Reference: Amazon Bedrock and Nova user guides; the recorded answers of Claude, Nova, Llama, gpt-oss
and others; Anthropic's docs for what Claude takes wherever it runs.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts
from ..protocols.anthropic import Dialect as Messages
from ..protocols.bedrock import Dialect
from . import Vendor

_RECORDED = "recorded answers of Converse"
_CACHING = "Amazon Bedrock user guide, Prompt caching"
_BINDING = "Amazon Bedrock user guide, Claude: thinking block binding"
_OUTPUT = "Amazon Bedrock user guide, Structured output; presenton issue 939"
_NOVA_DOCS = "Amazon Nova 2 user guide, Extended thinking, Built-in tools; recorded"


# How Claude thinks and samples is told of its families; here is what Converse makes of it. Media in
# results and their status are recorded of Claude and Nova 2 alone, S3 and video of Nova.
_CLAUDE: dict[str, Any] = {
    "result": ("text", "image", "document", "raw"),
    "result_error": True,
    "cache_hints": 4,
    "cached_tools": True,
    "cache_longest_first": True,
    "signatures": ("bedrock-converse", "bedrock", "anthropic", "vertex"),
    "form": "claude-adaptive",
    "tool_schema": "bedrock",
}


_ONE_SAMPLER: dict[str, Any] = {"options": {"top_p": "alone"}}


# an effort is told as a budget: on this host Opus 4.5 has efforts only behind a beta
_MANUAL: dict[str, Any] = {**_CLAUDE, **_ONE_SAMPLER, "form": "claude-budget", "efforts": ()}


_SCHEMAS: dict[str, Any] = {
    "formats": ("text", "schema"),
    "strict_tools": True,
    "strict_schema": "bedrock-strict",
    "format_schema": "bedrock-strict",
}


_SIGNED_NONE: dict[str, Any] = {"thinking": False}
_BOUND: dict[str, Any] = {**_CLAUDE, "binding": "prefix"}


_CLAUDES = (
    # its thinking is not switched off, but kept to between calls, which is not proven here
    Fact(("claude-sonnet-5-5*",), {**_BOUND, "thinks": "always"}, "2026-10-08", _BINDING),
    Fact(
        ("claude-fable-5-1*", "claude-fable-5-2*", "claude-mythos-5-1*", "claude-mythos-5-2*",
         "claude-opus-5-5*", "claude-haiku-5-5*"),
        _BOUND, "2026-08-31", _BINDING,
    ),
    Fact(
        ("claude-fable-5*", "claude-mythos*", "claude-opus-5*", "claude-sonnet-5*",
         "claude-haiku-5*", "claude-opus-4-7*", "claude-opus-4-8*"),
        _CLAUDE, "2026-04-16", _OUTPUT,
    ),
    Fact(("claude-opus-4-6*", "claude-sonnet-4-6*"), {**_CLAUDE, **_SCHEMAS, **_ONE_SAMPLER},
         "2026-02-05", _RECORDED),
    Fact(("claude-opus-4-5*", "claude-sonnet-4-5*", "claude-haiku-4-5*"), {**_MANUAL, **_SCHEMAS},
         "2025-09-29", _RECORDED),
    Fact(("claude-opus-4*", "claude-sonnet-4*", "claude-3-7*"), _MANUAL, "2025-02-24", _RECORDED),
    Fact(("claude-3-5-haiku*",), {**_CLAUDE, **_SIGNED_NONE, "form": "claude-budget"},
         "2024-11-04", _CACHING),
    Fact(
        ("claude-3*",),
        {**_SIGNED_NONE, "form": "claude-budget", "result": ("text", "image", "raw"),
         "result_error": True},
        "2024-05-30", _RECORDED,
    ),
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


# No other maker's models are known to take their thinking back, or a forced tool.
_OTHER: dict[str, Any] = {"thinking": False, "forced_tools": False}
_TEXT: dict[str, Any] = {**_OTHER, "image": False}


# No tools: what the history has of them is told as text.
_NO_TOOLS: dict[str, Any] = {**_TEXT, "tools": False, "tool_messages": False}


# "Conversation blocks and tool result blocks cannot be provided in the same turn."
_APART: dict[str, Any] = {"alternation": "bridged", "call_text": "drop"}


_OTHERS = (
    Fact(
        ("nova-2*",),
        {**_NOVA, "thinks": "asked", "efforts": ("low", "medium", "high"),
         "result": ("text", "image", "raw"), "server_tools": ("web_search", "code_execution")},
        "2025-12-02", _NOVA_DOCS,
    ),
    Fact(("nova-micro*",), {**_NOVA, "image": False, "document": False, "video": False,
         "cache_hints": 4}, "2025-04-07", _CACHING),
    Fact(("nova-*",), {**_NOVA, "cache_hints": 4}, "2025-04-07", _CACHING),
    Fact(
        ("gpt-oss*",),
        {**_TEXT, "document": False, "form": "gpt-oss", "thinks": "always",
         "efforts": ("low", "medium", "high")},
        "2025-08-05", _RECORDED,
    ),
    Fact(
        ("llama4*", "llama3-2*", "llama3-3*"),
        {**_OTHER, **_APART, "result": ("text", "image", "raw"), "document": ("user", "result")},
        "2025-11-21", "strands-agents/harness-sdk issue 1223; recorded",
    ),
    Fact(("llama*",), {**_TEXT, **_APART}, "2024-08-05", "langchain-aws issue 141"),
    Fact(("r1-*", "deepseek-r1*"), {**_NO_TOOLS, "document": False, "thinks": "always",
         "efforts": ("on",)}, "2025-03-10", _RECORDED),
    Fact(("v3*", "deepseek-v3*", "glm-*"), {**_TEXT, "formats": ("text", "schema")},
         "2026-08-21", _RECORDED),
    Fact(("gemma-3*",), {**_OTHER, "formats": ("text", "schema")}, "2026-08-21", _RECORDED),
    Fact(("titan-*", "command-text*", "command-light*", "j2-*", "claude-v2*", "claude-instant*"),
         _NO_TOOLS, "2024-05-30",
         "Amazon Bedrock user guide, Supported models and features of Converse"),
    Fact(("pixtral*",), {**_OTHER, "result": ("text", "document", "raw")}, "2025-04-01",
         _RECORDED),
    Fact(("*",), _OTHER, "2024-12-03", "Amazon Bedrock API reference, ToolChoice",
         but=("claude*",)),
)  # fmt: skip


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
)


_MESSAGES = Facts(
    always={
        "base64_only": ("image", "document"),
        "server_tools": (),
        "signatures": _CLAUDE["signatures"],
    },
    rows=(
        Fact(
            ("claude-*",),
            # "output_config.format: Extra inputs are not permitted", from Opus 4.7 on
            {"formats": ("text",), "strict_tools": False},
            "2026-04-16",
            "anthropic-sdk-python issue 1759; models.dev issue 1765",
            but=("claude-*-4-[156]*", "claude-*-4.[156]*", "claude-3*"),
        ),
    ),
    since="2026-11-21",
    source="Anthropic docs, Vision, Web search tool: supported platforms; recorded answers",
)


VENDOR = Vendor(
    "bedrock",
    base_url="https://bedrock-runtime.{region}.amazonaws.com",
    key="AWS_BEARER_TOKEN_BEDROCK",
    wires={"bedrock-converse": Dialect(), "anthropic": _INVOKE},
    facts={"bedrock-converse": Facts(rows=(*_CLAUDES, *_OTHERS)), "anthropic": _MESSAGES},
)
