"""Messages: Anthropic's protocol, for Anthropic itself and for hosts that speak it.

Reference: Anthropic API, "Messages".
"""

from __future__ import annotations

from .capabilities import CAN
from .dialect import Dialect
from .protocol import Anthropic

__all__ = ["CAN", "Anthropic", "Dialect"]
