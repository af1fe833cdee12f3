"""Google Cloud (Vertex AI, now Gemini Enterprise Agent Platform): Gemini, Claude and Mistral there.

Reference: Google Cloud docs of all; the SDKs of all for paths, hosts and versions; Anthropic's
docs on vision, web search and code execution for what each platform has.
"""

from __future__ import annotations

from ..capabilities import Fact, Facts
from ..protocols.anthropic import Dialect as Messages
from ..protocols.gemini import Dialect
from ..protocols.mistral import Dialect as Mistral
from ..transport.credentials import Auth
from .vendor_row import Vendor

_HOST = "https://{region}-aiplatform.googleapis.com"
_PLACE = "projects/{project}/locations/{region}"
_WIDE = {  # of the official SDKs, google-genai and AnthropicVertex
    "global": "aiplatform.googleapis.com",
    "us": "aiplatform.us.rep.googleapis.com",
    "eu": "aiplatform.eu.rep.googleapis.com",
}
_CLAUDE = "/publishers/anthropic/models/{model}"
_MISTRAL = "/publishers/mistralai/models/{model}"
_LOOKED_UP = "2026-11-21"


_GEMINI = Facts(
    # signatures of the developer API fail here (litellm issue 32140), and files lie in buckets; a
    # call of a server tool cannot be shown, which Gemini 3 asks for beside functions
    always={
        "claimed_by": ("vertex",),
        "schemes": ("http", "https", "gs"),
        "file_schemes": ("gs",),
        "server_tools": ("web_search", "code_execution"),
        "mixed_tools": False,
    },
    rows=(
        Fact(
            models=("gemini-2*", "gemini-1*"),
            changes={"mixed_tools": True, "lone_server_tools": ()},
            since="2025-06-17",
            source="recorded on Gemini 2.5: a server tool beside functions",
        ),
    ),
    since=_LOOKED_UP,
    source="google-genai 3.4: what only one of the two APIs has",
)


_ANTHROPIC = Facts(
    always={
        "base64_only": ("image", "document"),
        "server_tools": ("web_search",),
        "signatures": ("anthropic", "vertex", "bedrock", "bedrock-converse"),
    },
    since=_LOOKED_UP,
    source="Anthropic docs, Vision, Web search tool, Code execution tool: supported platforms",
)


_OF_MISTRAL = Facts(
    always={"document": False, "audio": False, "thinks": "never", "thinking": False},
    since="2026-11-23",
    source="mistralai 3.7, client for Google Cloud: chunks are text, image and reference alone",
)


# Betas that clients may name; another is a 400 "invalid beta flag". litellm 1.110.2,
# anthropic_beta_headers_config.json (2026-11-28).
_BETAS = frozenset({
    "afk-mode-2026-01-31", "claude-code-20250219", "compact-2026-01-12",
    "computer-use-2025-01-24", "computer-use-2025-11-24", "context-1m-2025-08-07",
    "context-management-2025-06-27", "dangerous-tool-use-2026-09-03", "effort-2025-11-24",
    "fallback-credit-2026-06-01", "fallback-credit-2026-07-01",
    "fine-grained-tool-streaming-2025-05-14", "inline-tools-2026-09-15",
    "interleaved-thinking-2025-05-14", "mid-conversation-output-config-2026-07-01",
    "mid-conversation-system-clear-at-2026-08-21", "mid-conversation-tool-changes-2026-07-01",
    "model-context-window-exceeded-2025-08-26", "output-128k-2025-02-19", "pdfs-2024-09-25",
    "per-turn-control-2026-07-01", "server-side-fallback-2026-06-01",
    "structured-outputs-2025-11-13", "structured-outputs-2025-12-15", "task-budgets-2026-03-13",
    "thinking-binding-controls-2026-08-01", "thinking-display-updates-2026-08-18",
    "thinking-token-count-2026-05-13", "token-counting-2024-11-01",
    "token-efficient-tools-2025-02-19", "tool-examples-2025-10-29", "tool-search-tool-2025-10-19",
    "web-search-2025-03-05",
})  # fmt: skip


VENDOR = Vendor(
    "vertex",
    base_url=f"{_HOST}/v1beta1/{_PLACE}",
    key="GOOGLE_API_KEY",
    auth=Auth("x-goog-api-key", "", tokens="google"),
    auths=dict.fromkeys(("anthropic", "mistral"), Auth(tokens="google", token_only=True)),
    base_variables={  # google-genai 3.6, anthropic 2.14
        "gemini": ("GOOGLE_VERTEX_BASE_URL", f"/v1beta1/{_PLACE}"),
        "anthropic": ("ANTHROPIC_VERTEX_BASE_URL", f"/{_PLACE}"),
    },
    span_name="gcp.vertex_ai",  # semantic-conventions-genai, 2026-11-24
    maker_protocols=("gemini",),
    places={
        "project": ("GOOGLE_CLOUD_PROJECT", "ANTHROPIC_VERTEX_PROJECT_ID"),
        "region": ("GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION"),
    },
    wires={
        "gemini": Dialect(
            model="gemini-3.8-flash",
            blocked_domains="excludeDomains",
            path="/publishers/google/models/{model}",
            reads_items_of=("vertex", "gemini"),
        ),
        "anthropic": Messages(
            model="claude-opus-5-5",
            path=f"{_CLAUDE}:rawPredict",
            stream_path=f"{_CLAUDE}:streamRawPredict",
            version="vertex-2023-10-16",
            version_place="body",
            model_place="path",
            betas=_BETAS,
        ),
        "mistral": Mistral(
            path=f"{_MISTRAL}:rawPredict",
            stream_path=f"{_MISTRAL}:streamRawPredict",
            model="mistral-medium-3",
        ),
    },
    facts={"gemini": _GEMINI, "anthropic": _ANTHROPIC, "mistral": _OF_MISTRAL},
    urls={"anthropic": f"{_HOST}/v1/{_PLACE}", "mistral": f"{_HOST}/v1/{_PLACE}"},
    regions={
        **{
            region: f"https://{host}/v1beta1/projects/{{project}}/locations/{region}"
            for region, host in _WIDE.items()
        },
        **{
            f"{protocol}/{region}": f"https://{host}/v1/projects/{{project}}/locations/{region}"
            for protocol in ("anthropic", "mistral")
            for region, host in _WIDE.items()
        },
    },
)
