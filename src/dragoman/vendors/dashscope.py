"""DashScope (Model Studio): Qwen and hosted models on its own wire, and on copies of three others.

Which endpoint serves a model is a list of patterns: a new model is a line here, or an override
`can={"endpoint": ...}`. A model that no line names is asked at an endpoint that takes its messages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..capabilities import Fact, Facts, without
from ..capabilities.families.shared import BUDGETED, SAMPLES, copy_facts
from ..protocols import anthropic, openai_chat, openai_responses
from ..protocols.batches import BatchLimits
from ..protocols.dashscope import MULTIMODAL, TEXT, Dialect
from ..transport.credentials import API_KEY
from .vendor_row import Vendor

_API = "Model Studio, Qwen API via DashScope: endpoints by model; agentscope-java's router"
_OVERVIEW = "Model Studio, text generation overview: models of each endpoint; probes of 2026-09"
_REPLAY = "the vendors' own thinking guides: reasoning_content comes back on tool turns"
_GLM = "qwen-code's provider for DashScope: GLM reads strings, parts are dropped in silence"
_STREAMS = 'Model Studio, error codes: "enable_thinking only support stream call"'
_COMPATIBLE = "Model Studio, OpenAI compatible chat; 117 recorded requests"


_FORCED = (
    '400 "The tool_choice parameter does not support being set to required or object in thinking'
    ' mode"'
)


_TABLE = "litellm 1.106, model table: response_schema"
_SCHEMAS = "Model Studio, structured output: models with json_schema"
_TEXT: dict[str, Any] = {"endpoint": TEXT, "image": False, "audio": False, "video": False}
_ALL: dict[str, Any] = {"endpoint": MULTIMODAL}
_SIGHT: dict[str, Any] = {**_ALL, "audio": False}
_SOUND: dict[str, Any] = {**_ALL, "image": False, "video": False}


# models of Qwen3's time think only in streams; later ones do not seem to require it
_STREAMED: dict[str, Any] = {"streamed_thinking": True}
_EFFORT: dict[str, Any] = {"efforts": ("low", "medium", "high", "xhigh", "max")}
_BACK: dict[str, Any] = {"thinking": True}


def _fact(since: str, source: str, changes: dict[str, Any], *models: str) -> Fact:
    return Fact(models=models, changes=changes, since=since, source=source)


# models of any maker
_UNFORCED = Fact(("*",), {"forced_tools": False}, "2025-04-28", _FORCED, when="thinking")


_FACTS = Facts(
    rows=(
        # exceptions first: models for text only, although their families take images
        _fact("2026-09-02", _OVERVIEW, _TEXT,
              "qwen3.6-max-preview", "qwen3.7-max*", "qwen3.8-2.4t-a95b"),
        _fact("2025-03-25", _STREAMS, {**_SIGHT, **_STREAMED}, "qvq*", "*-vl-*-thinking*"),
        _fact("2025-03-27", _API, _ALL, "*-omni*"),
        _fact("2024-08-01", _API, _SOUND, "*-asr*", "*-audio*"),
        _fact("2023-12-01", _API, _SIGHT, "*-vl*", "*-ocr*", "qwen-image*"),
        _fact("2026-02-15", _API, _ALL, "qwen3.5*", "qwen3.6*", "qwen3.7*"),
        _fact("2026-04-24", _REPLAY, {**_TEXT, **_EFFORT, **_BACK}, "deepseek-v4", "deepseek-v4-*"),
        _fact("2025-12-01", _REPLAY, {**_TEXT, **_BACK}, "deepseek-v3.2*", "kimi-k2-thinking*"),
        _fact("2025-12-22", _GLM, {**_TEXT, **_BACK, "cache_hints": 0}, "glm-*"),
        _fact("2025-04-28", _STREAMS, {**_TEXT, **_STREAMED},
              "qwq*", "qwen3-*", "qwen-max*", "qwen-plus*", "qwen-turbo*", "qwen-flash*"),
        _fact("2023-09-13", _API, _TEXT,
              "qwen-long*", "qwen-coder*", "qwen-math*", "qwen-mt*", "qwen1*", "qwen2*",
              "deepseek-v[0-3]*", "deepseek-r1*", "kimi-k2", "kimi-k2-*", "moonshot-kimi*"),
        # the newest, and what comes next
        _fact("2026-09-02", _OVERVIEW, {**_ALL, **_EFFORT}, "qwen[0-9]*"),
        _fact("2026-09-02", _OVERVIEW, {**_ALL, **_EFFORT, **_BACK}, "deepseek-*"),
        _fact("2026-01-27", _OVERVIEW, {**_ALL, **_BACK}, "kimi-k[0-9]*"),
        _UNFORCED,
    )
)  # fmt: skip


_FILM: dict[str, Any] = {"video": ("user",)}
_SCHEMA: dict[str, Any] = {"formats": ("text", "json", "schema")}
_LEVELS: dict[str, Any] = {**_EFFORT, "budgets": ()}  # either an effort or a budget


_CHAT_FACTS = Facts(
    always={
        **without("audio", "video", "document", "refusal"),
        "sources": {"audio": ("url", "base64"), "video": ("url", "base64", "frames")},
        "media_types": {"audio": ("audio/*",)},
        "thinking": False,  # of earlier turns Qwen reads none
        "name_field": "never",
        "needs_user": True,
        "strict_tools": False,
        "formats": ("text", "json"),
        "json_word": True,
        "form": "switch",
        "efforts": ("on",),
        "budgets": (1, 262144),
        "cache_hints": 4,
        "cache_ttls": ("5m",),
        "cached_tools": True,
        "cached_calls": False,
        "options": {"service_tier": "refuses"},
    },
    rows=(
        _fact("2025-03-25", _STREAMS, {**_FILM, **_STREAMED}, "qvq*", "qwen3-vl*"),
        _fact("2025-03-27", _COMPATIBLE, {**_FILM, "audio": ("user",)}, "*-omni*"),
        _fact("2024-08-01", _COMPATIBLE, {"audio": ("user",)}, "*-asr*", "*-audio*"),
        _fact("2023-12-01", _COMPATIBLE, _FILM, "*-vl*", "*-ocr*"),
        _fact("2026-05-20", f"{_SCHEMAS}; {_TABLE}", _SCHEMA, "qwen3.7-max*"),
        _fact("2026-05-20", f"{_SCHEMAS}; {_TABLE}", {**_FILM, **_SCHEMA}, "qwen3.7*"),
        _fact("2026-02-15", _COMPATIBLE, {}, "qwen3.6-max-preview"),
        _fact("2026-02-15", _COMPATIBLE, _FILM, "qwen3.5*", "qwen3.6*"),
        _fact("2025-12-01", _SCHEMAS, {**_BACK, **_SCHEMA}, "deepseek-v3.2*"),
        _fact("2025-12-22", _GLM, {**_BACK, "cache_hints": 0}, "glm-*"),
        _fact(
            "2025-01-20",
            _REPLAY,
            _BACK,
            "kimi-k2",
            "kimi-k2-*",
            "moonshot-kimi*",
            "deepseek-v[0-3]*",
            "deepseek-r1*",
            "minimax-*",
        ),
        _fact("2026-01-27", _REPLAY, {**_FILM, **_BACK}, "kimi-*"),
        _fact("2026-04-24", _REPLAY, {**_BACK, **_LEVELS}, "deepseek-*"),
        _fact(
            "2025-09-23",
            _SCHEMAS,
            {**_SCHEMA, **_STREAMED},
            "qwen3-max*",
            "qwen-plus*",
            "qwen-flash*",
        ),
        _fact("2025-04-28", _STREAMS, _STREAMED, "qwq*", "qwen3-*", "qwen-max*", "qwen-turbo*"),
        _fact("2026-09-02", _SCHEMAS, {**_FILM, **_SCHEMA, **_LEVELS}, "qwen[3-9]*"),
        _UNFORCED,
    ),
    since="2026-11-21",
    source=_COMPATIBLE,
)


# "Requests process only the parameters explicitly listed": others are ignored.
_ITEM_FACTS = Facts(
    always={
        "document": False,
        "result": ("text",),
        "move_media": ("image",),
        "thinking": False,
        "strict_tools": False,
        "tool_choices": ("auto", "none"),
        "formats": ("text",),
        "server_tools": ("web_search", "code_execution"),
        "native_tools": ("web_extractor", "web_search_image", "image_search", "mcp"),
        "cache_hints": 0,
    },
    since="2026-11-21",
    source="Model Studio, OpenAI compatible Responses",
)


_HOSTS = {
    "intl": "dashscope-intl.aliyuncs.com",
    "us": "dashscope-us.aliyuncs.com",
    "hk": "cn-hongkong.dashscope.aliyuncs.com",
}
_PATHS = {
    "openai-chat": "/compatible-mode/v1",
    "anthropic": "/apps/anthropic",
    "openai-responses": "/compatible-mode/v1",
}


VENDOR = Vendor(
    "dashscope",
    base_url="https://dashscope.aliyuncs.com/api/v1",
    key="DASHSCOPE_API_KEY",
    # such as `fps`: Model Studio docs, Visual understanding: native and compatible mode
    same_media=("dashscope", "openai-chat"),
    base_variables={  # dashscope 2.0.2
        "dashscope": (("DASHSCOPE_BASE_URL", "DASHSCOPE_HTTP_BASE_URL"), ""),
        "openai-chat": ("DASHSCOPE_COMPATIBLE_BASE_URL", ""),
    },
    auths={"anthropic": API_KEY},
    # Model Studio docs, OpenAI compatible Batch (2026-11-29): 50,000 requests, 100 MB a file
    batches={"openai-chat": BatchLimits(50_000, 100 * 10**6)},
    wires={
        "dashscope": Dialect(model="qwen3.7-plus"),  # takes text, images and videos
        "openai-chat": openai_chat.Dialect(
            text="joined",
            call_content="empty",
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning_content",),
            think_tags="leading",  # some models leak them: qwen-code repairs it
            cache_mark="cache_control",
            audio_links=True,
            keys={"top_k": "top_k"},
            switches={"web_search": {"enable_search": True}},
            server_fields={"web_search.domains": "search_options.assigned_site_list"},
            model="qwen3.7-plus",
            reads_items_of=("dashscope", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="qwen3.7-plus", reads_items_of=("dashscope",)),
        "openai-responses": replace(
            openai_responses.COPY,
            instructions=False,  # early versions ignored them
            model="qwen3.7-plus",
            reads_items_of=("dashscope", "openai-responses"),
        ),
    },
    facts={
        "dashscope": _FACTS,
        "openai-chat": _CHAT_FACTS,
        "anthropic": copy_facts(
            "dashscope",
            "2026-11-21",
            "Model Studio, Anthropic compatible messages",
            {
                **BUDGETED,
                "cache_hints": 4,
                "cache_ttls": ("5m",),
                "cached_tools": True,
                "options": {**SAMPLES["options"], "top_k": "takes"},
            },
        ),
        "openai-responses": _ITEM_FACTS,
    },
    urls={name: f"https://dashscope.aliyuncs.com{path}" for name, path in _PATHS.items()},
    regions={
        **{region: f"https://{host}/api/v1" for region, host in _HOSTS.items()},
        **{
            f"{protocol}/{region}": f"https://{host}{path}"
            for protocol, path in _PATHS.items()
            for region, host in _HOSTS.items()
        },
    },
)
