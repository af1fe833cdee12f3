"""Ollama's own protocol: `/api/chat` with flat messages.

Reference: ollama docs/api.md and api/types.go, "Chat".
"""

from __future__ import annotations

from .capabilities import CAN
from .dialect import Dialect
from .protocol import Ollama

__all__ = ["CAN", "Dialect", "Ollama"]
