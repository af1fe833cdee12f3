"""Bytes -> server events: SSE, JSON lines, a JSON array, AWS event streams; feed, then flush.

However the bytes are cut, the events are the same, and the time is linear in their number. Knows
no provider: what an event means is read elsewhere.
"""

from .decoder import Decoder, Framing, ServerEvent

__all__ = ["Decoder", "Framing", "ServerEvent"]
