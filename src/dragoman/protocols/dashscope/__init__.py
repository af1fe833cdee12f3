"""DashScope's own protocol: messages under `input`, everything else under `parameters`.

Reference: Model Studio, "Qwen API reference", DashScope (text and multimodal generation).
"""

from __future__ import annotations

from .dialect import CAN, MULTIMODAL, TEXT, Dialect
from .protocol import DashScope

__all__ = ["CAN", "MULTIMODAL", "TEXT", "DashScope", "Dialect"]
