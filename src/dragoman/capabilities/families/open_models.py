"""Models of many makers that speak Chat Completions, most of them open weights, by generation.

How they think, what they see, and what they refuse while they think. The field by which a host is
asked for thinking is a fact of the host (`form` in its row), not of the model. The newest
generation of a line comes last, under a pattern that also matches the line's next models.
Reference: the makers' API docs and model cards, their own clients and chat templates, and error
texts quoted in issues.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .. import Fact
from ..capabilities import MEDIA
from .shared import CHAT, state

_TEXT: dict[str, Any] = {"image": False, "audio": False, "document": False}
_IMAGES: dict[str, Any] = {"audio": False, "document": False}
_FILES: dict[str, Any] = {"audio": False}
# thinking goes back in the field in which it came
_KEPT: dict[str, Any] = {"thinking": True}
# a turn that calls a tool without its thinking is a 400, even if there was none
_BACK: dict[str, Any] = {"empty_thinking": True}


def _thinks(how: str, *efforts: str, **more: Any) -> dict[str, Any]:
    return {"thinks": how, **({"efforts": efforts} if efforts else {}), **more}


# Open weights that many hosts serve, as their own chat templates take them.
_OSS = (
    'gpt-oss chat template: "Cannot pass both content and thinking in an assistant message with'
    ' tool calls!", llama.cpp issue 15242'
)
_NINE = 'Mistral API and templates, "Tool call id ... must be a-z, A-Z, 0-9, with a length of 9"'
_LLAMA = "Meta's model cards: inputs by model"
_MISTRAL = (
    "mistral*",
    "magistral*",
    "ministral*",
    "codestral*",
    "devstral*",
    "mixtral*",
    "pixtral*",
    "voxtral*",
    "open-mistral*",
    "open-mixtral*",
)

_WEIGHTS = (
    *state(
        ("gpt-oss*",),
        "2025-08-05",
        _OSS,
        _thinks("always", "low", "medium", "high", **_TEXT),
        {"call_text": "thought"},
    ),
    # Bedrock creates its own ids for them, and takes those: recorded with Pixtral
    Fact(_MISTRAL, {}, "2025-04-08", "recorded: tooluse_... of Pixtral", wire="bedrock-converse"),
    Fact(_MISTRAL, {"ids": {"chars": "a-zA-Z0-9", "exact": 9}}, "2024-02-26", _NINE),
    *state(
        ("llama-3.2-*vision*", "llama3.2-vision*"),
        "2024-09-25",
        _LLAMA,
        _thinks("never", **_IMAGES),
    ),
    *state(
        ("llama-[23]*", "llama[23]*", "meta-llama-3*"),
        "2023-07-18",
        _LLAMA,
        _thinks("never", **_TEXT),
    ),
    *state(("llama-[0-9]*", "llama[0-9]*"), "2025-04-05", _LLAMA, _thinks("never", **_IMAGES)),
)

# Model Studio docs, "Deep thinking", "Visual understanding"; Qwen's model cards.
_DEEP = "Model Studio docs, Deep thinking: models that always, never or by default think"
_SIGHT = "Model Studio docs, text generation overview: inputs by model"
_QWEN_FORCED = (
    '400 "The tool_choice parameter does not support being set to required or object in thinking'
    ' mode": eino issue 994, agentscope issue 1608'
)

_QWEN = (
    *state(("qvq*", "qwen3-vl-*-thinking*"), "2025-03-25", _DEEP, _thinks("always", **_FILES)),
    *state(("qwq*", "qwen3-*-thinking*"), "2025-03-05", _DEEP, _thinks("always", **_TEXT)),
    *state(("qwen*-vl-*-instruct*", "qwen-vl*", "qwen2*-vl*", "qwen*-ocr*"), "2023-12-01",
           _DEEP, _thinks("never", **_FILES)),
    *state(("qwen3-vl-[0-9]*b*", "qwen3-vl:*"), "2025-09-23", _DEEP,
           _thinks("default", **_FILES)),
    *state(("qwen*-vl*",), "2025-09-23", _DEEP, _thinks("on_request", **_FILES)),
    *state(("qwen3.8*-omni*",), "2026-09-02", "litellm 1.106: reasoning of qwen3.8-omni-flash",
           _thinks("on_request")),
    *state(("qwen*-omni*", "qwen*-audio*", "qwen*-asr*"), "2024-08-01", _SIGHT, _thinks("never")),
    *state(("qwen3-*-instruct*", "qwen*-coder*", "qwen3-coder*"), "2024-11-12", _DEEP,
           _thinks("never", **_TEXT)),
    *state(("qwen3.6-max-preview*", "qwen3.7-max*"), "2026-05-20", _DEEP,
           _thinks("on_request", **_TEXT)),
    *state(("qwen3", "qwen3:*", "qwen3-[0-9]*b*", "qwen3-next*"), "2025-04-28", _DEEP,
           _thinks("default", **_TEXT)),
    *state(("qwen3-max*", "qwen-max*", "qwen-plus*", "qwen-turbo*", "qwen-flash*"), "2024-01-25",
           _DEEP, _thinks("on_request", **_TEXT)),
    *state(("qwen-long*", "qwen-mt*", "qwen-math*", "qwen1*", "qwen2*"), "2023-09-13", _SIGHT,
           _thinks("never", **_TEXT)),
    *state(("qwen[0-9]*",), "2026-02-15", _DEEP, _thinks("default", **_FILES)),
    Fact(("qwen*", "qwq*", "qvq*"), {"forced_tools": False}, "2025-03-05", _QWEN_FORCED,
         when="thinking"),
)  # fmt: skip

_QWEN = tuple(
    replace(fact, sources=dict.fromkeys(MEDIA, _SIGHT)) if fact.source == _DEEP else fact
    for fact in _QWEN
)

# DeepSeek API docs, "Thinking Mode"; the recorded 400s of its API.
_MODE = "DeepSeek API docs, Thinking Mode"
_FLASH = "DeepSeek API docs, Your First API Call: image input of V4.1-Flash"
# it takes every name, and maps it to low, high or max
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max", "ultra")
_LEVELS: dict[str, Any] = {**_KEPT, "efforts": _EFFORTS}

_DEEPSEEK = (
    *state(("deepseek-v4-flash-vision*",), "2026-04-24", _FLASH,
           _thinks("default", **_BACK, **_IMAGES), _LEVELS),
    *state(("deepseek-v4", "deepseek-v4[-:]*", "deepseek-pro-latest"), "2026-04-24", _MODE,
           _thinks("default", **_BACK, **_TEXT), _LEVELS),
    *state(("deepseek-v3.[1-9]*",), "2025-08-21", _MODE,
           _thinks("on_request", **_BACK, **_TEXT), _KEPT),
    *state(("deepseek-r1*", "deepseek-reasoner*"), "2025-01-20", _MODE,
           _thinks("always", **_TEXT), _KEPT),
    *state(("deepseek-v2*", "deepseek-v3*", "deepseek-chat*", "deepseek-coder*"), "2024-05-06",
           _MODE, _thinks("never", **_TEXT)),
    *state(("deepseek-flash*", "deepseek-v[0-9]*"), "2026-09-10", _FLASH,
           _thinks("default", **_BACK, **_IMAGES), _LEVELS),
    Fact(("deepseek-flash*", "deepseek-v[0-9]*"), {"forced_tools": False}, "2025-08-21",
         '400 "Thinking mode does not support this tool_choice": recorded',
         ("deepseek-v2*", "deepseek-v3", "deepseek-v3-*"), when="thinking"),
)  # fmt: skip
_DEEPSEEK = tuple(
    replace(fact, sources=dict.fromkeys(MEDIA, _FLASH)) if fact.source == _MODE else fact
    for fact in _DEEPSEEK
)

# Kimi: the vendor's own client (kimi-cli), error texts quoted in issues; vercel/ai,
# agentscope-java and pydantic-ai, which were tested live.
_CLIENT = "kimi-cli; vercel/ai and agentscope-java, tested live in 2026"
_CARD = "Moonshot docs: kimi-k2-thinking always thinks, the instruct models never do"
_KIMI_FORCED = "agentscope-java: required and a named tool by model; pydantic-ai's profile of K2"
# 400 "invalid temperature: only 1 is allowed for this model", also at other base URLs
_PINNED: dict[str, Any] = {
    "options": dict.fromkeys(
        ("temperature", "top_p", "n", "presence_penalty", "frequency_penalty"), "pinned"
    )
}
# vLLM: the template of K2 reads the tool and the call's number in the history out of an id;
# kimi-code issue 2503: given other ids it stops after a few calls. Those of K3 state nothing
_IDS: dict[str, Any] = {"ids": {"form": "functions.{name}:{n}", "max": 0}}
_SECOND: dict[str, Any] = {**_KEPT, "tool_choices": ("auto", "none", "tool"), **_IDS}

# They refuse a call without its thinking: 400 "thinking is enabled but reasoning_content is missing
# in assistant tool call message".
_KIMI = (
    *state(("kimi-k2.7*", "kimi-for-coding*"), "2026-05-15", _CLIENT,
           _thinks("always", **_PINNED, **_BACK, **_IMAGES), _SECOND),
    *state(("kimi-k2.5*", "kimi-k2.6*"), "2026-01-27", _CLIENT,
           _thinks("default", **_PINNED, **_BACK, **_IMAGES), _SECOND),
    *state(("kimi-k2-thinking*",), "2025-11-06", _CARD,
           _thinks("always", **_PINNED, **_BACK, **_TEXT), _SECOND),
    *state(("kimi-k2*", "moonshot-kimi-k2*"), "2025-07-11", _CARD, _thinks("never", **_TEXT), _IDS,
           but=("*-vision*",)),
    *state(("moonshot-v1-*",), "2024-02-06", _CARD, _thinks("never", **_TEXT), but=("*-vision*",)),
    *state(("kimi-k[0-9]*", "kimi-latest", "kimi-fast-latest"), "2026-07-30", _CLIENT,
           _thinks("always", **_PINNED, **_BACK, **_IMAGES),
           {**_KEPT, "efforts": ("low", "high", "max")}, but=("kimi-k2*",)),
    Fact(("kimi-k2.[5-9]*", "kimi-k2-thinking*"), {"forced_tools": False}, "2026-01-27",
         _KIMI_FORCED, when="thinking"),
    Fact(("kimi-k[0-9]*",), {"tool_choices": ("auto", "none", "required")}, "2026-07-30",
         _KIMI_FORCED, ("kimi-k[012]*",), CHAT, "thinking"),
)  # fmt: skip

# Z.AI docs, "Thinking Mode"; error 1210 quoted in hermes-agent issues 85890 and 97286.
_ZAI = "Z.AI docs, Thinking Mode"
_ALWAYS = "Z.AI API, error 1210: hermes-agent issue 85890, catwalk issue 603"
_PAGES = "Z.AI docs, model pages: GLM-4.6V, GLM-4.5V"

_DEEPEST: dict[str, Any] = {**_KEPT, "efforts": ("low", "high", "max")}

_GLM = (
    *state(("glm-4v*",), "2024-06-05", _PAGES, _thinks("never", **_IMAGES)),
    *state(("glm-[0-9]v*", "glm-[0-9].[0-9]v*"), "2025-08-11", _PAGES,
           _thinks("default", **_IMAGES), _KEPT),
    *state(("glm-5.2*",), "2026-06-30", _ZAI, _thinks("default", **_TEXT), _KEPT),
    *state(("glm-4.[5-9]*", "glm-5", "glm-5[-:]*", "glm-5.[01]*"), "2025-07-28", _ZAI,
           _thinks("default", **_TEXT), _KEPT),
    *state(("glm-4*", "glm-3*"), "2024-01-16", _ZAI, _thinks("never", **_TEXT)),
    *state(("glm-[0-9]*-flash*", "glm-flash-latest"), "2026-08-20",
           "litellm 1.106: glm-5.3-flash sees; " + _ALWAYS,
           _thinks("always", **_IMAGES), _DEEPEST),
    *state(("glm-[0-9]*", "glm-latest", "glm-fast-latest"), "2026-08-20", _ALWAYS,
           _thinks("always", **_TEXT), _DEEPEST),
)  # fmt: skip

# M2 always thinks; M3 decides itself unless thinking is turned off.
_DOCS = "MiniMax docs, OpenAI API compatible: thinking by model"

# 400, code 2013, "requires adaptive thinking", for disabled thinking
_M3_1 = "MiniMax docs, MiniMax-M3.1-Flash: thinking cannot be turned off"

_MINIMAX = (
    *state(("minimax-m1*", "minimax-text*"), "2025-06-16", _DOCS, _TEXT),
    *state(("minimax-m2*",), "2025-10-27", _DOCS, _thinks("always", **_TEXT), _KEPT),
    *state(("minimax-m3.[1-9]*-flash*",), "2026-10-19", _M3_1, _thinks("always", **_IMAGES), _KEPT),
    *state(("minimax-m[0-9]*",), "2026-06-01", _DOCS, _thinks("default", **_IMAGES), _KEPT),
)

# xAI docs, "Reasoning"; 400s quoted in hermes-agent issue 23435, CLIProxyAPI issue 3968 and uni-api
# issue 105.
_XAI = "xAI docs, Reasoning: models with efforts"
_NO_EFFORT = '400 "Model does not support parameter reasoningEffort": hermes-agent issue 23435'
_REFUSED = '400 "Argument not supported on this model: presencePenalty": uni-api issue 105'
_THREE = ("low", "medium", "high")

_LIVE = "pydantic-ai 2.68, profiles/grok.py, verified live in 2026-10"
_SEES = "litellm 1.106, model table: vision of grok-build"

_GROK = (
    *state(("grok-*non-reasoning*",), "2025-09-19", _XAI, _thinks("never", **_FILES)),
    *state(("grok-4.5*", "grok-build-latest"), "2026-07-09",
           "xAI docs, Grok 4.5: reasoning cannot be disabled; " + _LIVE,
           _thinks("always", *_THREE, **_FILES)),
    *state(("grok-4.3*", "grok-latest"), "2026-04-30",
           "vercel/ai, xai 4.0: none to high for Grok 4.3; " + _LIVE,
           _thinks("default", *_THREE, **_FILES)),
    *state(("grok-4.20-multi-agent*",), "2026-03-10", f"{_XAI}; litellm 1.106: no functions",
           _thinks("always", *_THREE, tools=False, **_FILES)),
    *state(("grok-3-mini*",), "2025-04-09", _LIVE, _thinks("default", "low", "high", **_TEXT)),
    *state(("grok-build*",), "2025-08-28", _SEES, _thinks("always", "on", **_FILES)),
    *state(("grok-code*",), "2025-08-28", _NO_EFFORT, _thinks("always", "on", **_TEXT)),
    *state(("grok-4", "grok-4-*", "grok-4.[0-2]*"), "2025-07-09", _NO_EFFORT,
           _thinks("always", "on", **_FILES)),
    *state(("grok-2-vision*", "grok-vision*"), "2024-12-12", _XAI, _thinks("never", **_FILES)),
    *state(("grok-2*", "grok-3*", "grok-beta*"), "2024-11-04", _XAI, _thinks("never", **_TEXT)),
    *state(("grok-[0-9]*",), "2026-08-13", "chenyme/grok2api pull request 901: xhigh of Grok 4.6;"
           " Amazon Bedrock user guide, model cards of Grok 4.6 and 4.7",
           _thinks("always", *_THREE, "xhigh", **_FILES)),
    Fact(("grok-*",),
         {"options": dict.fromkeys(("presence_penalty", "frequency_penalty", "stop"), "refuses")},
         "2025-04-09", _REFUSED, when="thinking"),
)  # fmt: skip

ROWS: dict[str, tuple[Fact, ...]] = {
    "weights": _WEIGHTS,
    "qwen": _QWEN,
    "deepseek": _DEEPSEEK,
    "kimi": _KIMI,
    "glm": _GLM,
    "minimax": _MINIMAX,
    "grok": _GROK,
}
