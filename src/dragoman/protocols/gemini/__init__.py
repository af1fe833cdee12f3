"""generateContent: Gemini's wire, and that of the hosts who speak it.

Reference: Gemini API, "Generating content".
"""

from .dialect import CAN, Dialect
from .room import Gemini

__all__ = ["CAN", "Dialect", "Gemini"]
