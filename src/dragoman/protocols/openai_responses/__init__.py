"""Responses: OpenAI's newer protocol, for OpenAI itself and for hosts that speak it.

Reference: OpenAI API, "Create a model response".
"""

from __future__ import annotations

from .capabilities import CAN
from .dialect import COPY, Dialect
from .protocol import OpenAIResponses

__all__ = ["CAN", "COPY", "Dialect", "OpenAIResponses"]
