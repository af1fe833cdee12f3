"""Chat Completions: the room for OpenAI's older wire and all who copy it.

Reference: OpenAI API, "Create chat completion".
"""

from __future__ import annotations

from .dialect import CAN, Dialect
from .wire import OpenAIChat

__all__ = ["CAN", "Dialect", "OpenAIChat"]
