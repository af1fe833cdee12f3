"""Mistral's chat completions, with rules of their own; unknown keys are refused.

Reference: Mistral API, "Chat Completion"; the validators of mistral-common.
"""

from __future__ import annotations

from .capabilities import CAN
from .dialect import Dialect
from .protocol import Mistral

__all__ = ["CAN", "Dialect", "Mistral"]
