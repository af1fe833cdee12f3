"""Responses: the room for OpenAI's newer wire and for the hosts who speak it.

Reference: OpenAI API, "Create a model response".
"""

from .dialect import CAN, Dialect
from .room import OpenAIResponses

__all__ = ["CAN", "Dialect", "OpenAIResponses"]
