"""Rows of logs as text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

__all__ = ["PIXEL", "lines"]

PIXEL = "iVBORw0KGgo="  # the first bytes of a PNG


def lines(rows: Iterable[dict[str, Any]]) -> str:
    """One row a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
