"""Vendors: a vendor is wires plus facts, one file each.

`wire(name)` gives a wire: of a protocol (`openai-chat`), of a vendor (`deepseek`: its first
wire), or of one of a vendor's wires (`deepseek/openai-chat`). `registry.py` lists the vendors,
`vendor_row.py` has the class Vendor, `protocol_rooms.py` lists the protocols; each other file is
a vendor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..error_kinds import ErrorRow
from ..suggestions.import_names import listing, refusing
from ..transport.credentials import Auth
from .protocol_rooms import PROTOCOLS
from .registry import VENDORS, vendor, wire, wires
from .vendor_row import Billing, Vendor

__all__ = [
    "PROTOCOLS",
    "VENDORS",
    "Auth",
    "Billing",
    "ErrorRow",
    "Vendor",
    "vendor",
    "wire",
    "wires",
]

if not TYPE_CHECKING:  # so that mypy still reports unknown names
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
