"""Mistral's chat completions: chat-shaped, with rules of its own; unknown keys are refused.

Reference: Mistral API, "Chat Completion"; the validators of mistral-common.
"""

from .dialect import CAN, Dialect
from .room import Mistral

__all__ = ["CAN", "Dialect", "Mistral"]
