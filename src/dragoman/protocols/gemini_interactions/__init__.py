"""Gemini's Interactions: a flat list of steps, in the input and in the answer.

Reference: Gemini API docs, "Interactions API"; google-genai 3.4, `google.genai.interactions`.
"""

from __future__ import annotations

from .capabilities import CAN
from .dialect import Dialect
from .protocol import GeminiInteractions

__all__ = ["CAN", "Dialect", "GeminiInteractions"]
