"""DashScope's own protocol: messages under `input`, everything else under `parameters`.

Reference: Model Studio, "Qwen API reference", DashScope (text and multimodal generation).
"""

from .dialect import CAN, MULTIMODAL, TEXT, Dialect
from .room import DashScope

__all__ = ["CAN", "MULTIMODAL", "TEXT", "DashScope", "Dialect"]
