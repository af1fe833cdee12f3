"""One provider's opaque state, carried in an opaque field of another protocol, and restored.

For whole messages by `seal_message` and `open_messages`, for streams by `Sealing`. Knows no
protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refusing
from .open import find_envelope, open_messages
from .seal import MARK, CallField, Envelope, OnCopy, seal_message, sealed_thought
from .streams import Sealing

__all__ = [
    "MARK",
    "CallField",
    "Envelope",
    "OnCopy",
    "Sealing",
    "find_envelope",
    "open_messages",
    "seal_message",
    "sealed_thought",
]

if not TYPE_CHECKING:  # so that mypy still reports unknown names
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
