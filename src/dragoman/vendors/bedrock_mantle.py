"""Bedrock Mantle: models on AWS by the APIs of OpenAI and Anthropic, without SigV4's own wires.

Models of OpenAI from GPT-5.4 on are served by Responses alone, on a path of their own. Reference:
Amazon Bedrock user guide, "Endpoints"; AnthropicBedrockMantle and BedrockOpenAI of the official
SDKs; recorded answers of GPT-5.6, gpt-oss and Voxtral.
"""

from __future__ import annotations

from ..capabilities import Fact, Facts
from ..protocols import anthropic, openai_chat, openai_responses
from ..transport.credentials import Auth
from .vendor_row import Billing, Vendor

_PATHS = "pydantic-ai, Bedrock Mantle: interfaces by model; recorded paths"
_GUIDE = "Amazon Bedrock user guide, Server-side tools: Lambda or MCP, none of OpenAI's"
_NATIVE = "/openai/v1/responses"


# Betas that clients may name; another is a 400 "invalid beta flag". litellm 1.110.2,
# anthropic_beta_headers_config.json (2026-11-28).
_BETAS = frozenset(
    {
        "claude-code-20250219",
        "compact-2026-01-12",
        "computer-use-2025-01-24",
        "computer-use-2025-11-24",
        "context-1m-2025-08-07",
        "context-management-2025-06-27",
        "dangerous-tool-use-2026-09-03",
        "effort-2025-11-24",
        "fine-grained-tool-streaming-2025-05-14",
        "interleaved-thinking-2025-05-14",
        "output-128k-2025-02-19",
        "per-turn-control-2026-07-01",
        "structured-outputs-2025-11-13",
        "thinking-binding-controls-2026-08-01",
        "thinking-display-updates-2026-08-18",
        "token-efficient-tools-2025-02-19",
        "tool-examples-2025-10-29",
        "tool-search-tool-2025-10-19",
        "web-search-2025-03-05",
    }
)


VENDOR = Vendor(
    "bedrock-mantle",
    title="BedrockMantle",
    base_url="https://bedrock-mantle.{region}.api.aws",
    billing=Billing(prices="aws"),
    key="AWS_BEARER_TOKEN_BEDROCK",
    auth=Auth(tokens="aws", scope="bedrock-mantle"),
    base_variables={"anthropic": ("ANTHROPIC_BEDROCK_MANTLE_BASE_URL", "")},  # anthropic 2.14
    span_name="aws.bedrock",  # semantic-conventions-genai, 2026-11-24
    maker_protocols=("openai-chat", "openai-responses"),
    places={"region": ("AWS_REGION", "AWS_DEFAULT_REGION")},
    wires={
        "openai-responses": openai_responses.Dialect(
            path=_NATIVE,
            model="openai.gpt-5.6-luna",
            reads_items_of=("bedrock-mantle", "openai-responses"),
        ),
        "openai-chat": openai_chat.Dialect(
            path="/v1/chat/completions",
            thinking_fields=("reasoning",),
            model="openai.gpt-oss-120b",
            reads_items_of=("bedrock-mantle", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="anthropic.claude-opus-5-5", betas=_BETAS),
    },
    facts={
        "openai-responses": Facts(
            always={
                "signatures": ("bedrock-mantle",),
                "server_tools": (),
                "native_tools": ("mcp",),
                "tool_schema": "openai",
            },
            rows=(
                Fact(
                    ("*",), {"endpoint": "/v1/responses"}, "2026-06-02", _PATHS, but=("gpt-[5-9]*",)
                ),
            ),
            since="2026-11-23",
            source=_GUIDE,
        ),
        "openai-chat": Facts(
            always={"refusal": False, "thinking": True, "empty_thinking": False},
            rows=(Fact(("gpt-[5-9]*",), {"endpoint": _NATIVE}, "2026-06-02", _PATHS),),
            since="2026-11-23",
            source="openshift/lightspeed-service pull request 3084: the field `reasoning`;"
            " recorded",
        ),
        "anthropic": Facts(
            always={
                "base64_only": ("image", "document"),
                "server_tools": (),
                "signatures": ("anthropic", "vertex", "bedrock", "bedrock-converse"),
            },
            rows=(
                Fact(
                    ("claude-*",),
                    {"formats": ("text",), "strict_tools": False},
                    "2026-04-16",
                    "Anthropic docs, Claude in Amazon Bedrock; vercel/ai, amazon-bedrock 5",
                    but=("claude-*-4-[156]*", "claude-*-4.[156]*", "claude-3*"),
                ),
            ),
            since="2026-11-23",
            source="Anthropic docs, Claude in Amazon Bedrock, Vision: supported platforms",
        ),
    },
    urls={"anthropic": "https://bedrock-mantle.{region}.api.aws/anthropic"},
)
