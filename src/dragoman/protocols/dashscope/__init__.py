"""DashScope's own protocol: messages under `input`, everything else under `parameters`.

Reference: Model Studio, "Qwen API reference", DashScope (text and multimodal generation).
"""

from __future__ import annotations

from .capabilities import CAN
from .dialect import MULTIMODAL, TEXT, Dialect
from .protocol import DashScope

__all__ = ["CAN", "MULTIMODAL", "TEXT", "DashScope", "Dialect"]
