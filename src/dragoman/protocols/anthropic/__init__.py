"""Messages: Anthropic's wire, and that of the hosts who speak it.

Reference: Anthropic API, "Messages".
"""

from __future__ import annotations

from .dialect import CAN, Dialect
from .protocol import Anthropic

__all__ = ["CAN", "Anthropic", "Dialect"]
