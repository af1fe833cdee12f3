"""Server events <-> bytes: SSE, JSON lines, a JSON array, AWS event streams.

A Decoder is fed, then flushed: however the bytes are cut, the events are the same, and the time is
linear in their number. An Encoder writes what it reads. Knows no provider: what an event means is
read elsewhere.
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
