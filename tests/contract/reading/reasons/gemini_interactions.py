"""Where the re-assembly of gemini-interactions and we part ways."""

from __future__ import annotations

from tests.contract.reading.difference import Reason

__all__ = ["REASONS"]

REASONS: tuple[Reason, ...] = ()
