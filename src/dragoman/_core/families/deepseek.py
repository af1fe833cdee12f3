"""DeepSeek's models: thinking that comes back on turns with calls, and what it forbids meanwhile.

Reference: DeepSeek API docs, "Thinking Mode"; the recorded 400s of its API.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Fact
from .shared import known

_MODE = "DeepSeek API docs, Thinking Mode"


_SIGHT = "DeepSeek API docs, Your First API Call: image input of V4.1-Flash"


_FORCED = '400 "Thinking mode does not support this tool_choice": recorded'


_DEAF: dict[str, Any] = {"audio": False, "document": False}


_BLIND: dict[str, Any] = {**_DEAF, "image": False}


# a turn that calls a tool without its thinking is a 400, even where there was none to show
_BACK: dict[str, Any] = {"empty_thinking": True}


# it takes every name, and makes low, high and max of them itself
_LEVELS = ("minimal", "low", "medium", "high", "xhigh", "max", "ultra")


_ASKS: dict[str, Any] = {"form": "thinking", "efforts": _LEVELS, "thinking": True}


_SWITCH: dict[str, Any] = {"form": "thinking", "efforts": ("on",), "thinking": True}


_THINKING_MODELS = ("deepseek-flash*", "deepseek-v3.[12]*", "deepseek-v4*")


_MODELS = (
    known(("deepseek-flash*", "deepseek-v4.1*", "deepseek-v4-flash-vision*"), "2026-09-10", _SIGHT,
          {"thinks": "default", **_BACK, **_DEAF}, _ASKS),
    known(("deepseek-v4*",), "2026-04-24", _MODE, {"thinks": "default", **_BACK, **_BLIND}, _ASKS),
    known(("deepseek-v3.1*", "deepseek-v3.2*"), "2025-08-21", _MODE,
          {"thinks": "asked", **_BACK, **_BLIND}, _SWITCH),
    known(("deepseek-r1*", "deepseek-reasoner*"), "2025-01-20", _MODE,
          {"thinks": "always", **_BLIND}, _SWITCH),
    known(("deepseek-v2*", "deepseek-v3*", "deepseek-chat*", "deepseek-coder*"), "2024-12-26",
          _MODE, {"thinks": "never", **_BLIND}),
)  # fmt: skip


_STATES = (Fact(_THINKING_MODELS, {"forced_tools": False}, "2026-04-24", _FORCED, when="thinking"),)


ROWS = (*(fact for rows in _MODELS for fact in rows), *_STATES)
