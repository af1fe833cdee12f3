"""Messages: Anthropic's wire, and that of the hosts who speak it.

Reference: Anthropic API, "Messages".
"""

from .dialect import CAN, Dialect
from .room import Anthropic

__all__ = ["CAN", "Anthropic", "Dialect"]
