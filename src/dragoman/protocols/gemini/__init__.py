"""generateContent: Gemini's protocol, for Gemini itself and for hosts that speak it.

Reference: Gemini API, "Generating content".
"""

from __future__ import annotations

from .capabilities import CAN
from .dialect import Dialect
from .protocol import Gemini

__all__ = ["CAN", "Dialect", "Gemini"]
