"""generateContent: Gemini's wire, and that of the hosts who speak it.

Reference: Gemini API, "Generating content".
"""

from __future__ import annotations

from .dialect import CAN, Dialect
from .protocol import Gemini

__all__ = ["CAN", "Dialect", "Gemini"]
