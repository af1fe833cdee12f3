"""One provider's opaque state, sealed to travel through another protocol's opaque field, and back.

Whole messages by `sealed` and `opened`, streams by `Sealing`. Knows no protocol.
"""

from .opening import borne, opened
from .sealing import Sealing
from .state import Envelope, sealed

__all__ = ["Envelope", "Sealing", "borne", "opened", "sealed"]
