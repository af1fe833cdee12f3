"""Cohere's chat, version 2: Chat's roles with plans, documents, citations and an order of its own.

Reference: Cohere API, "Chat" (`POST /v2/chat`) and its OpenAPI file.
"""

from __future__ import annotations

from .capabilities import CAN
from .dialect import Dialect
from .protocol import Cohere

__all__ = ["CAN", "Cohere", "Dialect"]
