"""Ollama's own protocol: `/api/chat` with flat messages.

Reference: ollama docs/api.md and api/types.go, "Chat".
"""

from .dialect import CAN, Dialect
from .room import Ollama

__all__ = ["CAN", "Dialect", "Ollama"]
