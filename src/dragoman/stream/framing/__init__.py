"""Server events <-> bytes: SSE, JSON lines, a JSON array, AWS event streams.

A Decoder is fed, then flushed: the events do not depend on where the bytes are cut, and the time is
linear in their number. An Encoder writes what a Decoder reads. Knows no provider: the readers of
protocols interpret the events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...suggestions.import_names import listing, refusing
from .decoder import Decoder, Framing, ServerEvent
from .encoder import CONTENT_TYPES, Encoder, encode

__all__ = ["CONTENT_TYPES", "Decoder", "Encoder", "Framing", "ServerEvent", "encode"]

if not TYPE_CHECKING:  # to which a name that there is not stays an error
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
