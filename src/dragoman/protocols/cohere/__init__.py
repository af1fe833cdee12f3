"""Cohere's chat, version 2: Chat's roles with plans, documents, citations and an order of its own.

Reference: Cohere API, "Chat" (`POST /v2/chat`) and its OpenAPI file.
"""

from .dialect import CAN, Dialect
from .room import Cohere

__all__ = ["CAN", "Cohere", "Dialect"]
