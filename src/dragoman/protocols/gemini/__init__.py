"""generateContent: Gemini's protocol, for Gemini itself and for hosts that speak it.

Reference: Gemini API, "Generating content".
"""

from __future__ import annotations

from .dialect import CAN, Dialect
from .protocol import Gemini

__all__ = ["CAN", "Dialect", "Gemini"]
