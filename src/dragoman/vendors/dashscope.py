"""DashScope (Model Studio): Qwen and hosted models on DashScope's own wire, and what each takes.

Which endpoint serves a model is a list of patterns: a new model is a line here, or an override
`can={"endpoint": ...}`. A model that no line names is asked where its messages can be shown.
"""

from __future__ import annotations

from typing import Any, ClassVar

from .._named import ChatFormatter, MultiAgentFormatter
from ..capabilities import Fact, Facts
from ..protocols.dashscope import MULTIMODAL, TEXT, DashScope, Dialect
from ..told import Told
from . import Vendor

__all__ = ["VENDOR", "DashScopeChatFormatter", "DashScopeMultiAgentFormatter"]

_API = "Model Studio, Qwen API via DashScope: endpoints by model; agentscope-java's router"
_OVERVIEW = "Model Studio, text generation overview: models of each endpoint; probes of 2026-09"
_THINKING = "Model Studio, deep thinking: models that always or never think"
_REPLAY = "the vendors' own thinking guides: reasoning_content comes back on tool turns"
_GLM = "qwen-code's provider for DashScope: GLM reads strings, parts are dropped in silence"

_TEXT: dict[str, Any] = {"endpoint": TEXT, "image": False, "audio": False, "video": False}
_ALL: dict[str, Any] = {"endpoint": MULTIMODAL}
_SIGHT: dict[str, Any] = {**_ALL, "audio": False}
_SOUND: dict[str, Any] = {**_ALL, "image": False, "video": False}
# thinking that no switch turns off, and a tool choice that thinking forbids
_ALWAYS: dict[str, Any] = {"options": {"reasoning": "pinned"}, "tool_choices": ("auto", "none")}
_NEVER: dict[str, Any] = {"options": {"reasoning": "refuses", "reasoning_budget": "refuses"}}
_EFFORT: dict[str, Any] = {"options": {"reasoning_effort": "takes"}}
_BACK: dict[str, Any] = {"thinking": True}


def _fact(since: str, source: str, changes: dict[str, Any], *models: str) -> Fact:
    return Fact(models=models, changes=changes, since=since, source=source)


_FACTS = Facts(
    rows=(
        # exceptions first: text alone, although their families see
        _fact("2026-09-02", _OVERVIEW, _TEXT,
              "qwen3.6-max-preview", "qwen3.7-max*", "qwen3.8-2.4t-a95b"),
        _fact("2025-03-25", _THINKING, {**_SIGHT, **_ALWAYS}, "qvq*", "*-vl-*-thinking*"),
        _fact("2025-03-27", _API, _ALL, "*-omni*"),
        _fact("2024-08-01", _API, _SOUND, "*-asr*", "*-audio*"),
        _fact("2023-12-01", _API, _SIGHT, "*-vl*", "*-ocr*", "qwen-image*"),
        _fact("2026-09-02", _OVERVIEW, {**_ALL, **_EFFORT}, "qwen3.8*"),
        _fact("2026-02-15", _API, _ALL, "qwen3.5*", "qwen3.6*", "qwen3.7*"),
        _fact("2026-09-02", _OVERVIEW, {**_ALL, **_EFFORT, **_BACK}, "deepseek-v4.1-flash*"),
        _fact("2026-01-27", _OVERVIEW, {**_ALL, **_BACK},
              "kimi-k2.5*", "kimi-k2.6*", "kimi-k2.7*", "kimi-k3*"),
        _fact("2026-04-24", _REPLAY, {**_TEXT, **_EFFORT, **_BACK}, "deepseek-v4*"),
        _fact("2025-12-01", _REPLAY, {**_TEXT, **_BACK}, "deepseek-v3.2*", "kimi-k2-thinking*"),
        _fact("2025-12-22", _GLM, {**_TEXT, **_BACK, "cache_hints": 0}, "glm-*"),
        _fact("2025-07-25", _THINKING, {**_TEXT, **_ALWAYS},
              "qwq*", "qwen3-*-thinking*"),
        _fact("2025-07-21", _THINKING, {**_TEXT, **_NEVER}, "qwen3-*-instruct*"),
        _fact("2023-09-13", _API, _TEXT,
              "qwen-max*", "qwen-plus*", "qwen-turbo*", "qwen-flash*", "qwen-long*",
              "qwen-coder*", "qwen-math*", "qwen-mt*", "qwen1*", "qwen2*", "qwen3-*",
              "deepseek-*", "kimi-k2*", "moonshot-kimi*"),
    )
)  # fmt: skip

VENDOR = Vendor(
    "dashscope",
    base_url="https://dashscope.aliyuncs.com/api/v1",
    key="DASHSCOPE_API_KEY",
    wires={"dashscope": Dialect()},
    facts={"dashscope": _FACTS},
)

# AgentScope: media at every seat, no cache marks, several texts of one result as a list with dashes
_SEATS = ("user", "assistant", "system")
_PROMOTES = (
    "promote_tool_result_images",
    "promote_tool_result_audios",
    "promote_tool_result_videos",
)


class DashScopeChatFormatter(ChatFormatter):
    """Messages for Qwen on DashScope's own wire; text alone is a string, media make a list."""

    vendor = VENDOR
    changes: ClassVar = {"cache_hints": 0}
    told = Told(media="media")
    promotes = _PROMOTES
    room = DashScope
    dialect = Dialect(bullets=True, media_seats=_SEATS)


class DashScopeMultiAgentFormatter(MultiAgentFormatter):
    """Many agents' messages for Qwen, their conversation merged into user messages.

    As long as no `model` is named, a call without text has the content `[{"text": null}]`.
    """

    vendor = VENDOR
    changes: ClassVar = {"cache_hints": 0, "system": ("text",)}
    told = Told(media="media")
    promotes = _PROMOTES
    room = DashScope
    dialect = Dialect(call_content="null_text", bullets=True, media_seats=_SEATS)
