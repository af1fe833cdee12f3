"""One folder per wire protocol; the folders never import each other.

A folder holds everything that one protocol needs: it writes requests and answers as the protocol's
JSON and reads both. Its Dialect holds what differs between vendors that speak the protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import refusing

if not TYPE_CHECKING:  # type checkers keep reporting unknown names
    __getattr__ = refusing(__name__)
