"""Chat Completions: OpenAI's older protocol, which most other hosts speak, too.

Reference: OpenAI API, "Create chat completion".
"""

from __future__ import annotations

from .capabilities import CAN
from .dialect import Dialect
from .protocol import OpenAIChat

__all__ = ["CAN", "Dialect", "OpenAIChat"]
