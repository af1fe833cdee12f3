"""Mistral's chat completions: like Chat Completions, with rules of its own; unknown keys are refused.

Reference: Mistral API, "Chat Completion"; the validators of mistral-common.
"""

from __future__ import annotations

from .dialect import CAN, Dialect
from .protocol import Mistral

__all__ = ["CAN", "Dialect", "Mistral"]
