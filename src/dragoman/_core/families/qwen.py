"""Qwen by generation: which models think, which see, and what they refuse while they think.

Reference: Model Studio docs, "Deep thinking", "Visual understanding"; Qwen's model cards.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Fact
from .shared import known

_THINKING = "Model Studio docs, Deep thinking: models that always, never or by default think"


_SIGHT = "Model Studio docs, text generation overview: inputs by model"


_FORCED = (
    '400 "The tool_choice parameter does not support being set to required or object in thinking'
    ' mode": eino issue 994, agentscope issue 1608'
)


_BLIND: dict[str, Any] = {"image": False, "document": False}


_DEAF: dict[str, Any] = {"audio": False}


_TEXT: dict[str, Any] = {**_BLIND, **_DEAF}


# `enable_thinking`, and a budget of tokens beside it
_SWITCH: dict[str, Any] = {"form": "switch", "efforts": ("on",), "budgets": (1, 262144)}


def _thinks(how: str, **more: Any) -> dict[str, Any]:
    return {"thinks": how, **more}


_MODELS = (
    known(("qvq*", "qwen3-vl-*-thinking*"), "2025-03-25", _THINKING, _thinks("always", **_DEAF),
          _SWITCH),
    known(("qwq*", "qwen3-*-thinking*"), "2025-07-25", _THINKING, _thinks("always", **_TEXT),
          _SWITCH),
    known(("qwen*-vl-*-instruct*", "qwen-vl*", "qwen2*-vl*", "qwen*-ocr*"), "2025-07-21",
          _THINKING, _thinks("never", **_DEAF)),
    known(("qwen3-vl-[0-9]*b*", "qwen3-vl:*"), "2025-09-23", _THINKING,
          _thinks("default", **_DEAF), _SWITCH),
    known(("qwen3-vl*",), "2025-09-23", _THINKING, _thinks("asked", **_DEAF), _SWITCH),
    known(("qwen*-omni*", "qwen*-audio*", "qwen*-asr*"), "2025-03-27", _SIGHT,
          _thinks("never")),
    known(("qwen3-*-instruct*", "qwen*-coder*", "qwen3-coder*"), "2025-07-21", _THINKING,
          _thinks("never", **_TEXT)),
    known(("qwen3.6-max-preview*", "qwen3.7-max*"), "2026-05-20", _THINKING,
          _thinks("asked", **_TEXT), _SWITCH),
    known(("qwen3.[5-9]*",), "2026-02-15", _THINKING, _thinks("default", **_DEAF), _SWITCH),
    known(("qwen3", "qwen3:*", "qwen3-[0-9]*b*", "qwen3-next*"), "2025-04-28", _THINKING,
          _thinks("default", **_TEXT), _SWITCH),
    known(("qwen3-max*", "qwen-max*", "qwen-plus*", "qwen-turbo*", "qwen-flash*"), "2025-04-28",
          _THINKING, _thinks("asked", **_TEXT), _SWITCH),
    known(("qwen-long*", "qwen-mt*", "qwen-math*", "qwen1*", "qwen2*"), "2024-06-06", _SIGHT,
          _thinks("never", **_TEXT)),
)  # fmt: skip


_STATES = (
    Fact(("qwen*", "qwq*", "qvq*"), {"forced_tools": False}, "2026-02-15", _FORCED,
         when="thinking"),
)  # fmt: skip


ROWS = (*(fact for rows in _MODELS for fact in rows), *_STATES)
