"""Kimi by generation: pinned sampling, thinking that goes back, choices that it forbids.

Reference: the vendor's own client (kimi-cli), error texts quoted in issues; vercel/ai,
agentscope-java and pydantic-ai, which were tested live.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Fact
from .shared import CHAT, known

_CLIENT = "kimi-cli; vercel/ai and agentscope-java, tested live in 2026"


_CARD = "Moonshot docs: kimi-k2-thinking always thinks, the instruct models never do"


_FORCED = "agentscope-java: required and a named tool by model; pydantic-ai's profile of K2"


# 400 "invalid temperature: only 1 is allowed for this model", also behind other base URLs
_PINNED: dict[str, Any] = {
    "options": dict.fromkeys(
        ("temperature", "top_p", "n", "presence_penalty", "frequency_penalty"), "pinned"
    )
}


# 400 "thinking is enabled but reasoning_content is missing in assistant tool call message"
_BACK: dict[str, Any] = {"empty_thinking": True, "audio": False, "document": False}


_TEXT: dict[str, Any] = {"image": False, "audio": False, "document": False}


_SWITCH: dict[str, Any] = {"form": "thinking", "efforts": ("on",), "thinking": True}


_LEVELS: dict[str, Any] = {
    "form": "effort", "efforts": ("low", "high", "max"), "thinking": True,
}  # fmt: skip


_UNREQUIRED: dict[str, Any] = {"tool_choices": ("auto", "none", "tool")}


# vLLM: the template of K2 reads the tool out of an id, and the number of the call in the history;
# kimi-code issue 2503: given other ids it stops after a few calls. Those of K3 say nothing
_IDS: dict[str, Any] = {"ids": {"form": "functions.{name}:{n}", "max": 0}}


_SECOND = ("kimi-k2.[5-9]*", "kimi-k2-thinking*")


_THIRD = ("kimi-k3*",)


_MODELS = (
    known(_THIRD, "2026-07-30", _CLIENT, {"thinks": "always", **_PINNED, **_BACK}, _LEVELS),
    known(("kimi-k2.7*", "kimi-for-coding*"), "2026-05-15", _CLIENT,
          {"thinks": "always", **_PINNED, **_BACK}, {**_SWITCH, **_UNREQUIRED, **_IDS}),
    known(("kimi-k2.5*", "kimi-k2.6*"), "2026-01-27", _CLIENT,
          {"thinks": "default", **_PINNED, **_BACK}, {**_SWITCH, **_UNREQUIRED, **_IDS}),
    known(("kimi-k2-thinking*",), "2025-11-06", _CARD,
          {"thinks": "always", **_PINNED, **_TEXT, "empty_thinking": True},
          {**_SWITCH, **_UNREQUIRED, **_IDS}),
    known(("kimi-k2*", "moonshot-kimi-k2*"), "2025-07-11", _CARD,
          {"thinks": "never", **_TEXT}, _IDS, but=("*-vision*",)),
    known(("moonshot-v1-*",), "2025-07-11", _CARD,
          {"thinks": "never", **_TEXT}, but=("*-vision*",)),
)  # fmt: skip


_STATES = (
    Fact(_SECOND, {"forced_tools": False}, "2026-01-27", _FORCED, when="thinking"),
    Fact(_THIRD, {"tool_choices": ("auto", "none", "required")}, "2026-07-30", _FORCED,
         wire=CHAT, when="thinking"),
)  # fmt: skip


ROWS = (*(fact for rows in _MODELS for fact in rows), *_STATES)
