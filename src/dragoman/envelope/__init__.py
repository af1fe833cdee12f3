"""One provider's opaque state, sealed to travel through another protocol's opaque field, and back.

Whole messages by `sealed` and `opened`, streams by `Sealing`. Knows no protocol.
"""

from __future__ import annotations

from .opening import borne, opened
from .sealing import MARK, CallField, Envelope, Made, sealed, sealed_thought
from .streams import Sealing

__all__ = ["MARK", "CallField", "Envelope", "Made", "Sealing", "borne", "opened", "sealed",
           "sealed_thought"]  # fmt: skip
